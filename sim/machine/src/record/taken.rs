// SPDX-License-Identifier: Apache-2.0 OR MIT
//! An instruction that the unit has taken.

use crate::report::arrival::ArrivalForm;
use crate::report::Arrival;
use bcu_model::decode::Decoded;
use bcu_program::Place;

/// An instruction that is in the unit.
#[derive(Clone, Debug)]
pub(crate) struct Taken {
    /// Among all warps of the run.
    pub index: usize,
    pub cta: usize,
    /// Within its CTA.
    pub warp: usize,
    pub decoded: Decoded,
    pub cycle: u64,
    pub place: Place,
    /// Why not all lanes of the warp are here, in words behind a sentence.
    pub divergence: String,
    /// How far it is.
    pub progress: Progress,
}

impl Taken {
    /// It as an arrival, if it is one.
    pub(super) fn arrival(&self) -> Option<Arrival> {
        let form = ArrivalForm::of(self.decoded.op.kind)?;
        Some(Arrival { warp: self.warp, form, cycle: self.cycle, place: self.place.clone() })
    }
}

/// How far an instruction is on its way to the barriers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    /// Before `gather`.
    Coming,
    /// Its lanes wait in `gather` for others.
    Gathering,
    /// Behind it, with a fault or without.
    Passed { refused: bool },
}
