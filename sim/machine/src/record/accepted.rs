// SPDX-License-Identifier: Apache-2.0 OR MIT
//! An instruction that the unit has accepted.

use crate::report::arrival::ArrivalForm;
use crate::report::Arrival;
use crate::warp::Divergence;
use bcu_model::decode::Decoded;
use bcu_program::Place;

/// An instruction that the unit has accepted and that has not taken effect.
#[derive(Clone, Debug)]
pub(crate) struct AcceptedInstr {
    /// The index of the warp among all warps of its multiprocessor.
    pub index: usize,
    pub cta: usize,
    /// The number of the warp within the CTA.
    pub warp: usize,
    pub decoded: Decoded,
    pub cycle: u64,
    pub place: Place,
    /// The reason that some lanes of the warp are missing, as the end of a sentence.
    pub divergence: Divergence,
    /// The progress of the instruction in the unit.
    pub progress: Progress,
}

impl AcceptedInstr {
    /// The arrival that the instruction makes; `None` if it is no arrival.
    pub(super) fn arrival(&self) -> Option<Arrival> {
        let form = ArrivalForm::from_kind(self.decoded.op.kind)?;
        Some(Arrival { warp: self.warp, form, cycle: self.cycle, place: self.place.clone() })
    }
}

/// The progress of an instruction towards the barriers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    /// The instruction has not reached `gather`.
    BeforeGather,
    /// The lanes of the instruction wait in `gather` for other lanes.
    Gathering,
    /// `gather` has passed the instruction on; `refused` is true if the operation has a fault.
    Passed { refused: bool },
}
