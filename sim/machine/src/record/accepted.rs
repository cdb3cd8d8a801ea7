// SPDX-License-Identifier: Apache-2.0 OR MIT
//! An instruction that the unit has accepted.

use crate::report::arrival::ArrivalForm;
use crate::report::Arrival;
use bcu_model::decode::Decoded;
use bcu_program::Place;

/// An instruction in the unit.
#[derive(Clone, Debug)]
pub(crate) struct AcceptedInstr {
    /// The index of its warp in all warps of the run.
    pub index: usize,
    pub cta: usize,
    /// The number of its warp within the CTA.
    pub warp: usize,
    pub decoded: Decoded,
    pub cycle: u64,
    pub place: Place,
    /// The reason that some lanes of the warp are missing, as the end of a sentence.
    pub divergence: String,
    /// Its progress in the unit.
    pub progress: Progress,
}

impl AcceptedInstr {
    /// The instruction as an arrival, if it is one.
    pub(super) fn arrival(&self) -> Option<Arrival> {
        let form = ArrivalForm::from_kind(self.decoded.op.kind)?;
        Some(Arrival { warp: self.warp, form, cycle: self.cycle, place: self.place.clone() })
    }
}

/// The progress of an instruction towards the barriers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    /// Before `gather`.
    BeforeGather,
    /// Its lanes wait in `gather` for others.
    Gathering,
    /// Downstream of `gather`, with or without a fault.
    Passed { refused: bool },
}
