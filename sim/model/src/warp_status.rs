// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Cycle model of `warp_status`: warps that are trapped or hung (`docs/contract/warp_status.md`).

use super::op::FaultPolicy;
use super::outcome::Commit;
use super::sizes::Sizes;
use super::wire::{Clocked, PortAction, Walk};

/// Input ports of `warp_status`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WarpStatusIn {
    pub reset: bool,
    pub fault_policy: FaultPolicy,
    pub commit: Option<Commit>,
    /// Warps with an operation that another unit refuses; one bit per warp.
    pub refused: u64,
}

/// Output ports of `warp_status`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WarpStatusOut {
    pub trapped: u64,
    pub stopped: u64,
}

/// The state of `warp_status`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WarpStatus {
    /// Warps stopped by the fault policy Trap, or by a state word; one bit per warp.
    pub trapped: u64,
    /// Warps stopped by the fault policy Hang; one bit per warp.
    pub hung: u64,
}

impl WarpStatus {
    /// Stops `warps`, whose operations are refused, as `policy` states.
    pub fn stop(&mut self, warps: u64, policy: FaultPolicy) {
        match policy {
            FaultPolicy::Report => {}
            FaultPolicy::Trap => self.trapped |= warps,
            FaultPolicy::Hang => self.hung |= warps,
        }
    }

    /// Applies the commit of an operation; `policy` determines how a refusal stops its warp.
    pub fn apply(&mut self, commit: &Commit, policy: FaultPolicy) {
        let Commit { warps, refused, traps, untraps, cta_release, .. } = *commit;
        let if_any = |what: bool| if what { warps } else { 0 };
        self.trapped &= !if_any(untraps || cta_release);
        self.hung &= !if_any(cta_release);
        self.trapped |= if_any(traps);
        self.stop(if_any(refused), policy);
    }
}

impl Clocked for WarpStatus {
    type Inputs = WarpStatusIn;
    type Outputs = WarpStatusOut;

    fn new(_: Sizes) -> WarpStatus {
        WarpStatus::default()
    }

    fn ports(i: &mut WarpStatusIn, o: &mut WarpStatusOut, at: &mut Walk<impl PortAction>) {
        let warps = at.sizes().warps();
        at.input("reset", &mut i.reset, 1);
        at.choice("fault_policy", &mut i.fault_policy);
        at.strobe_in("commit", &mut i.commit, Commit::fields_of_warp_status);
        at.input("refused", &mut i.refused, warps);
        at.output("trapped", &mut o.trapped, warps);
        at.output("stopped", &mut o.stopped, warps);
    }

    fn outputs(&self) -> WarpStatusOut {
        WarpStatusOut { trapped: self.trapped, stopped: self.trapped | self.hung }
    }

    fn clock(&mut self, inputs: &WarpStatusIn) {
        if inputs.reset {
            *self = WarpStatus::default();
            return;
        }
        if let Some(commit) = &inputs.commit {
            self.apply(commit, inputs.fault_policy);
        }
        self.stop(inputs.refused, inputs.fault_policy);
    }
}
