// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The unit's decisions of operations on mbarriers, with the locations of their instructions.

use super::taken::Taken;
use super::{name, Fault, Record, RemoteOp};
use crate::report::Stop;
use crate::sentence;
use bcu_model::mbarrier_ports::MbarrierOp;
use bcu_model::mbarrier_state::Done;
use bcu_model::op::{Code, Kind};
use bcu_program::window::RANK_AT;

impl Record {
    /// Whether an operation on an mbarrier is in flight.
    pub fn at_objects(&self) -> bool {
        self.taken.values().any(|taken| taken.decoded.op.kind == Kind::Mbarrier)
    }

    /// The unit has decided an operation of this warp of the run, of another CTA, or of neither; `stopped` is the state of the warp after a
    /// refusal. Returns whether the operation came from an instruction.
    pub fn decided(
        &mut self,
        (index, sender, size): (Option<usize>, Option<usize>, usize),
        cta: Option<usize>,
        done: &Done,
        cycle: u64,
        stopped: Option<Stop>,
    ) -> bool {
        let taken = index.and_then(|index| self.takes_back(index));
        if let Some(cta) = cta {
            self.mbarriers.decided(cta, done, (taken.as_ref(), sender), cycle);
        }
        if done.fault != Code::None {
            let slot = done.warp.map_or(0, usize::from);
            let lanes = taken.as_ref().map_or(0, |taken| taken.decoded.lanes);
            let of = cta.unwrap_or(0);
            let given = taken.as_ref().map_or(done.address, |taken| taken.decoded.op.data);
            let (object, state) = (self.mbarriers.object(of, done.address), self.mbarriers.state(of, done.address));
            let fault = Fault {
                cycle: 0,
                code: name(done.fault),
                cta: taken.as_ref().map(|taken| taken.cta).or(cta).unwrap_or(0),
                warp: taken.as_ref().map(|taken| taken.warp),
                id: None,
                place: taken.as_ref().map(|taken| taken.place.clone()),
                sentence: sentence::object((done, sender), (lanes, given, size), &object, &state),
                stopped,
                made: self.mbarriers.made(of, done.address),
                sent: sender.map(|sender| (sender, done.address)),
            };
            self.faults_of_other_units.push_back((slot, fault));
        }
        taken.is_some()
    }

    /// The unit has sent an operation of a warp to the mbarrier of another CTA.
    pub fn sent(&mut self, index: usize, op: &MbarrierOp) {
        let own = |taken: &Taken| {
            let decoded = &taken.decoded;
            let is = decoded.op.kind == Kind::Mbarrier && decoded.op.data == op.address && decoded.request.kind == op.kind;
            taken.index == index && is
        };
        let oldest = self.taken.iter().filter(|(_, taken)| own(taken)).min_by_key(|(_, taken)| taken.cycle);
        let Some(taken) = oldest.map(|(tag, _)| *tag).and_then(|tag| self.taken.remove(&tag)) else { return };
        let Taken { cta, warp, place, .. } = taken;
        let rank = (op.address >> RANK_AT) as usize;
        let address = op.address & ((1 << RANK_AT) - 1);
        self.remote_ops.retain(|known| (known.cta, known.rank, known.address) != (cta, rank, address));
        self.remote_ops.push(RemoteOp { cta, warp, rank, address, place });
    }

    /// The oldest operation of a warp on an mbarrier: the unit decides them in order.
    fn takes_back(&mut self, index: usize) -> Option<Taken> {
        let own = |taken: &Taken| taken.index == index && taken.decoded.op.kind == Kind::Mbarrier;
        let tag =
            self.taken.iter().filter(|(_, taken)| own(taken)).min_by_key(|(_, taken)| taken.cycle).map(|(tag, _)| *tag)?;
        self.taken.remove(&tag)
    }
}
