// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A decided operation on an mbarrier, as an observer of the run gets it.

use crate::report::ObjectName;
use bcu_model::mbarrier_object::MbarrierKind;
use bcu_program::Place;

/// A decided operation on an mbarrier.
#[derive(Clone, Debug)]
pub(crate) struct ObjectEvent {
    pub cycle: u64,
    pub cta: usize,
    pub name: ObjectName,
    pub kind: MbarrierKind,
    /// The warp that executed the operation; `None` for a copy and for an operation of another CTA.
    pub warp: Option<usize>,
    /// The other CTA that sent the operation.
    pub sender: Option<usize>,
    pub place: Option<Place>,
    /// The number of the phase that was open before the operation.
    pub phase: u64,
    /// The number of arrivals that a phase needs.
    pub needed: u32,
    pub arrivals: u32,
    pub bytes: u32,
    pub completes: bool,
}
