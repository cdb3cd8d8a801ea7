// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Cycle model of `named`: the operations in flight, the fault queue, the clearing of rows (`docs/contract/named.md`).

use super::barriers::{Barriers, Effect};
use super::in_place::clone_in_place;
use super::op::{Code, Kind, Operation};
use super::outcome::{Commit, Fault, Read, Release};
use super::sizes::Sizes;
use super::wire::{Clocked, PortAction, Walk};
use std::collections::VecDeque;

/// The capacity of the fault queue (Q in `docs/contract/named.md`).
pub const FAULT_PLACES: usize = 4;

/// Input ports of `named`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct NamedIn {
    pub reset: bool,
    pub op: Option<Operation>,
    /// Warps that are trapped; one bit per warp.
    pub trapped: u64,
    pub fault_ready: bool,
}

/// Output ports of `named`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NamedOut {
    pub op_ready: bool,
    pub release_valid: bool,
    pub release: Release,
    pub read_valid: bool,
    pub read: Read,
    pub implicit_conflict_valid: bool,
    pub implicit_conflict_cta: u8,
    pub commit_valid: bool,
    pub commit: Commit,
    pub waiting: u64,
    pub clearing: bool,
    pub fault_valid: bool,
    pub fault: Fault,
    /// Faults that were lost since reset.
    pub lost_faults: u16,
}

/// The action that enters the pipeline in a cycle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Action {
    Operation(Operation),
    Row(RowTurn),
}

/// An action that has not taken effect.
#[derive(Clone, Copy, Debug, PartialEq)]
struct UnderWay {
    action: Action,
    /// Cycles until the action takes effect: 1 in the cycle in which it does.
    remaining_cycles: u8,
}

impl UnderWay {
    fn operation(&self) -> Option<&Operation> {
        match &self.action {
            Action::Operation(op) => Some(op),
            Action::Row(_) => None,
        }
    }
}

/// A row to clear.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RowTurn {
    pub cta: u8,
    pub id: u8,
    pub saved: bool,
}

/// The rows that are still to be cleared, in the order of CTA slots and then of ids.
#[derive(Clone, Copy, Debug, PartialEq)]
struct ToClear {
    next: RowTurn,
    last_cta: u8,
}

clone_in_place! {
    /// The state of `named`.
    #[derive(Debug, PartialEq)]
    pub struct Named {
        sizes: Sizes,
        barriers: Barriers,
        /// The actions that have not taken effect, in the order of transfer, which is also the order of their effects.
        under_way: VecDeque<UnderWay>,
        to_clear: Option<ToClear>,
        faults: VecDeque<Fault>,
        out: NamedOut,
        /// The action that took effect at the last edge.
        done: Option<(Action, Effect)>,
        /// The fault of the last action was lost, because the queue was full.
        loses: bool,
    }
}

impl Named {
    /// The action that took effect at the last edge, and its effect.
    pub fn done(&self) -> Option<&(Action, Effect)> {
        self.done.as_ref()
    }

    /// Whether the fault of the last action was lost.
    pub fn loses(&self) -> bool {
        self.loses
    }

    /// All barriers, after the last edge.
    pub fn barriers(&self) -> &Barriers {
        &self.barriers
    }

    fn reset(&mut self) {
        *self = Named::new(self.sizes);
        let last_cta = (self.sizes.cta_slots() - 1) as u8;
        self.to_clear = Some(ToClear { next: RowTurn { cta: 0, id: 0, saved: true }, last_cta });
        self.out.clearing = true;
    }

    /// Whether the fault queue has room for all actions in flight and one more.
    fn has_fault_room(&self) -> bool {
        self.sizes.parts().lose_faults || self.faults.len() + self.under_way.len() < FAULT_PLACES
    }

    /// Removes and returns the row to clear that enters the pipeline in this cycle.
    fn turn(&mut self) -> Option<RowTurn> {
        let ToClear { next, last_cta } = self.to_clear.filter(|_| self.has_fault_room())?;
        let following = if usize::from(next.id) + 1 < self.sizes.id_numbers() {
            Some(RowTurn { id: next.id + 1, ..next })
        } else {
            (next.cta < last_cta).then(|| RowTurn { cta: next.cta + 1, id: 0, ..next })
        };
        self.to_clear = following.map(|next| ToClear { next, last_cta });
        Some(next)
    }

    /// Applies the action that is in its last cycle, with the trapped warps of this cycle.
    fn effect(&mut self, trapped: u64) -> Effect {
        let due = self.under_way.front().is_some_and(|first| first.remaining_cycles == 1);
        let Some(UnderWay { action, .. }) = due.then(|| self.under_way.pop_front()).flatten() else {
            self.done = None;
            return Effect::default();
        };
        let effect = match action {
            Action::Row(row) => self.barriers.clear_row(row.cta, row.id, row.saved),
            Action::Operation(op) => {
                let effect = self.barriers.apply(&op, trapped);
                if effect.rows_to_clear {
                    let next = RowTurn { cta: op.cta, id: 0, saved: op.saved };
                    self.to_clear = Some(ToClear { next, last_cta: op.cta });
                }
                effect
            }
        };
        self.done = Some((action, effect));
        effect
    }

    /// The `commit` strobe of the operation that takes effect in the next cycle.
    fn commits(&self) -> Option<Commit> {
        let due = self.under_way.front().filter(|first| first.remaining_cycles == 1).and_then(UnderWay::operation);
        due.map(|op| self.barriers.commit(op))
    }

    /// The warps of operations that have not taken effect and will make their warp wait: Syncs, Reduces, and state words that restore a
    /// wait. The output `waiting` includes these warps already.
    fn coming(&self) -> u64 {
        let words = self.sizes.parts().state_words;
        let waits = |op: &&Operation| op.fault == Code::None && (op.waits() || words && op.restores_a_wait());
        let ops = self.under_way.iter().filter_map(UnderWay::operation);
        ops.filter(waits).fold(0, |warps, op| warps | self.barriers.bit(op.warp))
    }
}

impl Clocked for Named {
    type Inputs = NamedIn;
    type Outputs = NamedOut;

    fn new(sizes: Sizes) -> Named {
        Named {
            sizes,
            barriers: Barriers::new(sizes),
            under_way: VecDeque::with_capacity(FAULT_PLACES),
            to_clear: None,
            faults: VecDeque::with_capacity(FAULT_PLACES),
            out: NamedOut::default(),
            done: None,
            loses: false,
        }
    }

    fn ports(i: &mut NamedIn, o: &mut NamedOut, at: &mut Walk<impl PortAction>) {
        let warps = at.sizes().warps();
        at.input("reset", &mut i.reset, 1);
        at.channel_in("op", &mut i.op, &mut o.op_ready, |op: &mut Operation, at| op.fields_of_named(at));
        at.input("trapped", &mut i.trapped, warps);
        at.strobe_out("release", &mut o.release_valid, &mut o.release, Release::fields);
        at.strobe_out("read", &mut o.read_valid, &mut o.read, Read::fields);
        at.strobe_out("implicit_conflict", &mut o.implicit_conflict_valid, &mut o.implicit_conflict_cta, |cta, at| at.cta(cta));
        at.strobe_out("commit", &mut o.commit_valid, &mut o.commit, Commit::fields);
        at.output("waiting", &mut o.waiting, warps);
        at.output("clearing", &mut o.clearing, 1);
        at.channel_out("fault", &mut o.fault_valid, &mut i.fault_ready, &mut o.fault, Fault::fields_of_named);
        at.output("lost_faults", &mut o.lost_faults, 16);
    }

    fn outputs(&self) -> NamedOut {
        self.out
    }

    fn clock(&mut self, inputs: &NamedIn) {
        if inputs.reset {
            return self.reset();
        }
        let op = inputs.op.filter(|_| self.out.op_ready).map(|op| op.in_a_slot_of(&self.sizes));
        let turn = self.turn();
        let full = self.faults.len() == FAULT_PLACES;
        if self.out.fault_valid && inputs.fault_ready {
            self.faults.pop_front();
        }
        let effect = self.effect(inputs.trapped);
        self.loses = effect.fault.is_some() && full;
        if let Some(fault) = effect.fault.filter(|_| !self.loses) {
            self.faults.push_back(fault);
        }
        self.under_way.iter_mut().for_each(|what| what.remaining_cycles -= 1);
        let words = self.sizes.parts().state_words;
        let long = op.is_some_and(|op| op.takes_two_slots() && (words || op.kind != Kind::Write));
        let action = op.map(Action::Operation).or(turn.map(Action::Row));
        if let Some(action) = action {
            self.under_way.push_back(UnderWay { action, remaining_cycles: if long { 3 } else { 2 } });
        }

        // Whether a release finds open rows is known only when it takes effect, so any release in flight keeps `op_ready` at 0.
        let mut releases = self.under_way.iter().filter_map(UnderWay::operation).filter(|op| op.kind == Kind::Release);
        let release = releases.next();
        let commit = self.commits();
        self.out = NamedOut {
            op_ready: !long && release.is_none() && self.to_clear.is_none() && self.has_fault_room(),
            release_valid: effect.release.is_some(),
            release: effect.release.unwrap_or(Release { warps: 0, ..self.out.release }),
            read_valid: effect.read.is_some(),
            read: effect.read.unwrap_or(self.out.read),
            implicit_conflict_valid: effect.implicit_conflict.is_some(),
            implicit_conflict_cta: effect.implicit_conflict.unwrap_or(self.out.implicit_conflict_cta),
            commit_valid: commit.is_some(),
            commit: commit.unwrap_or_default(),
            waiting: self.barriers.warps().waiting | self.coming(),
            clearing: release.is_some_and(|op| op.fault == Code::None) || self.to_clear.is_some() || turn.is_some(),
            fault_valid: !self.faults.is_empty(),
            fault: self.faults.front().copied().unwrap_or(self.out.fault),
            lost_faults: self.out.lost_faults.saturating_add(self.loses.into()),
        };
    }
}
