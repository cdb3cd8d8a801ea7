// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The lanes of one warp according to `docs/contract/gather.md`: the live lanes, the lanes that wait and for what, and the completion of
//! gatherings and rendezvous.

use bcu_isa::op::{Form, OpKind};

/// Kinds that have a form.
pub const ARRIVALS: [OpKind; 6] =
    [OpKind::Sync, OpKind::Arrive, OpKind::Reduce, OpKind::ClusterArrive, OpKind::ClusterArriveRelaxed, OpKind::ClusterWait];

/// An operation into the unit; `others` has the fields that pass through, in the order of `OTHERS`.
#[derive(Clone, Debug)]
pub struct Op {
    pub kind: OpKind,
    pub form: Form,
    pub uniform: u64,
    pub warp: usize,
    pub cta: u64,
    pub id: u64,
    pub count: u64,
    pub redop: u64,
    pub mask: u64,
    pub lanes: u64,
    pub votes: u64,
    pub members: u64,
    pub from_instr: bool,
    pub others: [u64; 9],
}

impl Op {
    /// The row that the operation uses, which is the number of a warp. A later operation on this row waits for this operation.
    pub fn row(&self) -> usize {
        match self.kind {
            OpKind::Launch | OpKind::Release => self.mask.checked_ilog2().unwrap_or(0) as usize,
            _ => self.warp,
        }
    }

    /// Whether the operation is an exit, or an arrival that an exit has completed.
    pub fn is_of_exit(&self) -> bool {
        !self.from_instr && (self.kind == OpKind::Exit || ARRIVALS.contains(&self.kind))
    }
}

/// An open gathering: the operands of its first arrival, the mask of the lanes that have arrived, and the mask of the arrived lanes with a
/// true predicate.
#[derive(Clone, Copy, Debug)]
pub struct Gathering {
    pub kind: OpKind,
    pub redop: u64,
    pub id: u64,
    pub count: u64,
    pub lanes: u64,
    pub votes: u64,
}

/// An open rendezvous: whether it elects a leader, the mask of its members, and the mask of the members that wait in it.
#[derive(Clone, Copy, Debug)]
pub struct Rendezvous {
    pub elect: bool,
    pub members: u64,
    pub lanes: u64,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct Lanes {
    pub live: u64,
    pub gathering: Option<Gathering>,
    pub met: [Option<Rendezvous>; 2],
}

/// Payload of the `lanes` strobe: mask, leaders, retry.
pub type Strobe = [u64; 3];

/// The result of an operation in the unit.
#[derive(Clone, Debug, Default)]
pub struct Effect {
    /// The operation that the unit passes on; `None`: the operation is absorbed.
    pub passed: Option<Op>,
    /// The `lanes` strobes that follow, in order.
    pub strobes: Vec<Strobe>,
    /// The last lanes of the warp have exited.
    pub has_exited: bool,
}

impl Lanes {
    pub fn launched(live: u64) -> Lanes {
        Lanes { live, ..Lanes::default() }
    }

    pub fn waiting(&self) -> u64 {
        let met = self.met.iter().flatten().fold(0, |mask, met| mask | met.lanes);
        self.gathering.map_or(met, |gathering| met | gathering.lanes)
    }

    pub fn is_gathering(&self) -> bool {
        self.live != 0 && self.live & !self.waiting() == 0
    }

    /// Applies an operation of this warp; Launch and Release are no operations of a warp. An elected leader is the highest lane if
    /// `highest` is true, otherwise the lowest.
    pub fn apply(&mut self, op: &Op, highest: bool) -> Effect {
        let pass = Effect { passed: Some(op.clone()), ..Effect::default() };
        if op.kind == OpKind::Exit {
            self.live &= !op.lanes;
            return match self.live {
                0 => Effect { has_exited: true, ..pass },
                _ => self.complete(op, highest),
            };
        }
        match op.form {
            Form::Gathered if ARRIVALS.contains(&op.kind) => {
                let Op { kind, redop, id, count, .. } = *op;
                let begun = Gathering { kind, redop, id, count, lanes: 0, votes: 0 };
                let gathering = self.gathering.get_or_insert(begun);
                gathering.lanes |= op.lanes;
                gathering.votes |= op.votes;
                self.complete(op, highest)
            }
            Form::WarpSync | Form::Elect => {
                let theirs = self.met.iter().position(|met| met.is_some_and(|met| met.members == op.members));
                let Some(place) = theirs.or_else(|| self.met.iter().position(Option::is_none)) else {
                    return Effect { strobes: vec![[op.lanes, 0, 1]], ..Effect::default() };
                };
                let begun = Rendezvous { elect: op.form == Form::Elect, members: op.members, lanes: 0 };
                self.met[place].get_or_insert(begun).lanes |= op.lanes;
                self.complete(op, highest)
            }
            _ => pass,
        }
    }

    /// Closes every gathering and rendezvous that is complete.
    fn complete(&mut self, cause: &Op, highest: bool) -> Effect {
        let (live, mut effect) = (self.live, Effect::default());
        if let Some(Gathering { kind, redop, id, count, lanes, votes }) = self.gathering.take_if(|g| g.lanes == live) {
            let whole = Op { kind, redop, id, count, lanes, votes, uniform: 1, ..cause.clone() };
            effect.passed = Some(whole);
            if matches!(kind, OpKind::Arrive | OpKind::ClusterArrive | OpKind::ClusterArriveRelaxed) {
                effect.strobes.push([lanes, 0, 0]);
            }
        }
        for place in &mut self.met {
            if let Some(met) = place.take_if(|met| met.members & live & !met.lanes == 0) {
                let leader = match highest {
                    true => met.lanes.checked_ilog2().map_or(0, |lane| 1 << lane),
                    false => met.lanes & met.lanes.wrapping_neg(),
                };
                effect.strobes.push([met.lanes, if met.elect { leader } else { 0 }, 0]);
            }
        }
        effect
    }
}
