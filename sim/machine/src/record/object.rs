// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The unit's decisions of operations on mbarriers, with the locations of their instructions.

use super::accepted::AcceptedInstr;
use super::{name, Fault, Record, RemoteOp};
use crate::report::Stop;
use crate::sentence;
use bcu_model::mbarrier_ports::MbarrierOp;
use bcu_model::mbarrier_state::Done;
use bcu_model::op::{Code, Kind};
use bcu_program::window::RANK_AT;

impl Record {
    /// Whether an instruction with an operation on an mbarrier is in flight.
    pub fn at_objects(&self) -> bool {
        self.accepted.values().any(|accepted| accepted.decoded.op.kind == Kind::Mbarrier)
    }

    /// Records the unit's decision on an operation. The operation came from the warp with index `index` or from the CTA `sender`; if both
    /// are `None`, it came from a copy engine. `stopped` is the state of the warp after a refusal. Returns whether the operation came from
    /// an instruction.
    pub fn decided(
        &mut self,
        (index, sender, size): (Option<usize>, Option<usize>, usize),
        cta: Option<usize>,
        done: &Done,
        cycle: u64,
        stopped: Option<Stop>,
    ) -> bool {
        let accepted = index.and_then(|index| self.take_mbarrier_op(index));
        if let Some(cta) = cta {
            self.mbarriers.keep_event(cta, done, (accepted.as_ref(), sender), cycle);
            self.mbarriers.decided(cta, done, (accepted.as_ref(), sender), cycle);
        }
        if done.fault != Code::None {
            let slot = done.warp.map_or(0, usize::from);
            let lanes = accepted.as_ref().map_or(0, |accepted| accepted.decoded.lanes);
            let target_cta = cta.unwrap_or(0);
            let given = accepted.as_ref().map_or(done.address, |accepted| accepted.decoded.op.data);
            let (object, state) =
                (self.mbarriers.object(target_cta, done.address), self.mbarriers.state(target_cta, done.address));
            let fault = Fault {
                cycle: 0,
                code: name(done.fault),
                cta: accepted.as_ref().map(|accepted| accepted.cta).or(cta).unwrap_or(0),
                warp: accepted.as_ref().map(|accepted| accepted.warp),
                id: None,
                place: accepted.as_ref().map(|accepted| accepted.place.clone()),
                sentence: sentence::object((done, sender), (lanes, given, size), &object, &state),
                stopped,
                object: Some(self.mbarriers.fault_object(target_cta, done.address)),
                remote_sender: sender.map(|sender| (sender, done.address)),
            };
            self.faults_of_other_units.push_back((slot, fault));
        }
        accepted.is_some()
    }

    /// Records that the unit has sent an operation of warp `index` to the mbarrier of another CTA.
    pub fn record_remote_op(&mut self, index: usize, op: &MbarrierOp) {
        let is_own = |accepted: &AcceptedInstr| {
            let decoded = &accepted.decoded;
            let is = decoded.op.kind == Kind::Mbarrier && decoded.op.data == op.address && decoded.request.kind == op.kind;
            accepted.index == index && is
        };
        let oldest = self.accepted.iter().filter(|(_, accepted)| is_own(accepted)).min_by_key(|(_, accepted)| accepted.cycle);
        let Some(accepted) = oldest.map(|(tag, _)| *tag).and_then(|tag| self.accepted.remove(&tag)) else { return };
        let AcceptedInstr { cta, warp, place, .. } = accepted;
        let rank = (op.address >> RANK_AT) as usize;
        let address = op.address & ((1 << RANK_AT) - 1);
        self.remote_ops.retain(|known| (known.cta, known.rank, known.address) != (cta, rank, address));
        self.remote_ops.push(RemoteOp { cta, warp, rank, address, place });
    }

    /// The address and the parity of the wait at an mbarrier that warp `index` has in flight.
    pub fn wait_in_flight(&self, index: usize) -> Option<(u32, bool)> {
        let is_wait = |accepted: &&AcceptedInstr| {
            accepted.index == index && accepted.decoded.op.kind == Kind::Mbarrier && accepted.decoded.request.kind.waits()
        };
        let wait = self.accepted.values().filter(is_wait).min_by_key(|accepted| accepted.cycle)?;
        Some((wait.decoded.op.data, wait.decoded.request.phase))
    }

    /// Removes and returns the oldest mbarrier operation of warp `index`; the unit decides the operations of a warp in order.
    fn take_mbarrier_op(&mut self, index: usize) -> Option<AcceptedInstr> {
        let is_own = |accepted: &AcceptedInstr| accepted.index == index && accepted.decoded.op.kind == Kind::Mbarrier;
        let tag = self
            .accepted
            .iter()
            .filter(|(_, accepted)| is_own(accepted))
            .min_by_key(|(_, accepted)| accepted.cycle)
            .map(|(tag, _)| *tag)?;
        self.accepted.remove(&tag)
    }
}
