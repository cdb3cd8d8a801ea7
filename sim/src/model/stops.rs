// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `stops` in cycles: warps that are trapped or hang (`docs/interface.md`, `stops`).

use super::op::{Commit, FaultPolicy};
use super::sizes::Sizes;
use super::wire::{Clocked, Walk};

/// Input ports of `stops`.
#[derive(Clone, Copy, Debug, Default)]
pub struct StopsIn {
    pub reset: bool,
    pub fault_policy: FaultPolicy,
    pub commit: Option<Commit>,
    /// Warps of which another unit refuses an operation.
    pub refused: u64,
}

/// Output ports of `stops`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StopsOut {
    pub trapped: u64,
    pub stopped: u64,
}

/// The state of `stops`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stops {
    /// Warps stopped by the fault policy Trap, or by a state word.
    pub trapped: u64,
    /// Warps stopped by the fault policy Hang.
    pub hung: u64,
}

impl Stops {
    /// Operations of these warps are refused, under this policy.
    pub fn stop(&mut self, warps: u64, policy: FaultPolicy) {
        match policy {
            FaultPolicy::Report => {}
            FaultPolicy::Trap => self.trapped |= warps,
            FaultPolicy::Hang => self.hung |= warps,
        }
    }

    /// An operation has its effects, under this policy.
    pub fn apply(&mut self, commit: &Commit, policy: FaultPolicy) {
        let Commit { warps, refused, traps, frees, leaves, .. } = *commit;
        let if_any = |what: bool| if what { warps } else { 0 };
        self.trapped &= !if_any(frees || leaves);
        self.hung &= !if_any(leaves);
        self.trapped |= if_any(traps);
        self.stop(if_any(refused), policy);
    }
}

impl Clocked for Stops {
    type Inputs = StopsIn;
    type Outputs = StopsOut;

    fn new(_: Sizes) -> Stops {
        Stops::default()
    }

    fn ports(i: &mut StopsIn, o: &mut StopsOut, at: &mut Walk) {
        let warps = at.sizes().warps();
        at.input("reset", &mut i.reset, 1);
        at.choice("fault_policy", &mut i.fault_policy);
        at.strobe_in("commit", &mut i.commit, Commit::fields_of_stops);
        at.input("refused", &mut i.refused, warps);
        at.output("trapped", &mut o.trapped, warps);
        at.output("stopped", &mut o.stopped, warps);
    }

    fn outputs(&self) -> StopsOut {
        StopsOut { trapped: self.trapped, stopped: self.trapped | self.hung }
    }

    fn clock(&mut self, inputs: &StopsIn) {
        if inputs.reset {
            *self = Stops::default();
            return;
        }
        if let Some(commit) = &inputs.commit {
            self.apply(commit, inputs.fault_policy);
        }
        self.stop(inputs.refused, inputs.fault_policy);
    }
}
