// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Untimed semantics of the named barriers, one operation after the other (`docs/contract/named.md`): the CTAs and
//! the parts common to all operations. `arrival` has the arrivals, `access` the state words.

use super::in_place::clone_in_place;
use super::op::{Code, Kind, Operation, Reduction, StateWord};
use super::outcome::{Commit, Fault, Read, Reduced, Release};
pub use super::row::{Row, Slot, Warps};
use super::sizes::Sizes;
use super::state_word;

/// The effects of an operation, or of the clearing of a row, except the change of state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effect {
    pub release: Option<Release>,
    pub fault: Option<Fault>,
    pub read: Option<Read>,
    /// The CTA slot in which a second barrier without a count has opened: neither of the two can complete.
    pub implicit_conflict: Option<u8>,
    /// The released CTA leaves rows open: the caller clears all rows of its CTA slot with [`Barriers::clear_row`].
    pub rows_to_clear: bool,
}

clone_in_place! {
    /// All barriers of all CTA slots. Numbers of warps, slots and ids are truncated to the widths of their ports.
    #[derive(Debug, PartialEq)]
    pub struct Barriers {
        pub(super) sizes: Sizes,
        pub(super) rows: Vec<Row>,
        pub(super) slots: Vec<Slot>,
        pub(super) warps: Warps,
        closed: Row,
    }
}

impl Barriers {
    /// The state after reset: every row idle, no CTA launched.
    pub fn new(sizes: Sizes) -> Barriers {
        Barriers {
            sizes,
            rows: vec![Row::default(); sizes.cta_numbers() * sizes.id_numbers()],
            slots: vec![Slot::default(); sizes.cta_numbers()],
            warps: Warps::default(),
            closed: Row::default(),
        }
    }

    /// The state of the warps, after all operations applied so far.
    pub fn warps(&self) -> &Warps {
        &self.warps
    }

    /// The row that was completed or cleared last, in its state before it became idle.
    pub fn closed(&self) -> &Row {
        &self.closed
    }

    /// The CTA slot of this number, truncated to the width of its port.
    pub fn slot(&self, cta: u8) -> &Slot {
        &self.slots[self.slot_index(cta)]
    }

    /// The row of barrier `id` of a CTA; `None` if the unit has no barrier `id`.
    pub fn row(&self, cta: u8, id: u8) -> Option<&Row> {
        (usize::from(id) < self.sizes.barriers()).then(|| &self.rows[self.row_index(cta, id)])
    }

    /// Applies one operation atomically. `trapped`: trapped warps, one bit each; a Read of a warp's state word returns the bit of the warp.
    pub fn apply(&mut self, op: &Operation, trapped: u64) -> Effect {
        // A Sync or Reduce stores its id as the last id of its warp, even if its operands then cause a fault.
        if op.waits() && op.fault == Code::None {
            self.warps.waiting |= self.bit(op.warp);
            self.warps.last_id[self.warp_index(op.warp)] = op.id;
        }
        let parts = self.sizes.parts();
        let op = &self.as_built(op);
        if let Some(code) = self.refusal(op) {
            return self.refuse(op, code);
        }
        match op.kind {
            _ if op.fault != Code::None => Effect::default(),
            Kind::Sync | Kind::Arrive | Kind::Reduce => self.arrival(op),
            Kind::Read | Kind::Write if !parts.state_words => Effect::default(),
            Kind::Read => self.read(op, trapped),
            Kind::Write => self.write(op),
            Kind::Exit => self.exit(op),
            Kind::Launch => self.launch(op),
            Kind::Release => self.release(op),
            // `mem_order` absorbs every Fence without a fault, so only a refused Fence arrives here; the other kinds go to other units.
            _ => Effect::default(),
        }
    }

    /// The payload of the `commit` strobe for an operation that is about to take effect. It has the effects on warps that [`Effect`] does
    /// not have.
    pub fn commit(&self, op: &Operation) -> Commit {
        let op = &self.as_built(op);
        let refused = self.refusal(op);
        let good = op.fault == Code::None && refused.is_none();
        let word = good && self.sizes.parts().state_words && op.kind == Kind::Write && op.state != StateWord::Barrier;
        let cta_release = good && op.kind == Kind::Release;
        Commit {
            warps: if op.kind == Kind::Release { op.mask } else { self.bit(op.warp) },
            warp_done: op.is_of_a_warp() && (op.kind != Kind::Exit || op.fault == Code::None),
            // `NotResident` stops no warp: it would stop the next warp that is launched into that warp slot.
            refused: op.is_of_a_warp() && refused.is_some_and(|code| code != Code::NotResident),
            traps: word && state_word::traps(op.data),
            untraps: word && !state_word::traps(op.data),
            cta_release,
        }
    }

    /// In a unit without reductions a Reduce is a Sync.
    fn as_built(&self, op: &Operation) -> Operation {
        let plain = op.kind == Kind::Reduce && !self.sizes.parts().reductions;
        Operation { kind: if plain { Kind::Sync } else { op.kind }, ..*op }
    }

    /// The fault with which an operation is refused in the present state: the first one in the order of precedence.
    fn refusal(&self, op: &Operation) -> Option<Code> {
        let parts = self.sizes.parts();
        match op.kind {
            _ if !parts.faults => None,
            _ if op.fault != Code::None => Some(op.fault),
            Kind::Sync | Kind::Arrive | Kind::Reduce => self.against_arrival(op),
            Kind::Read | Kind::Write if parts.state_words => self.against_access(op),
            _ => None,
        }
    }

    /// Makes a row idle without a release. An open row is a fault, unless the CTA is `saved`.
    pub fn clear_row(&mut self, cta: u8, id: u8, saved: bool) -> Effect {
        if usize::from(id) >= self.sizes.barriers() {
            return Effect::default();
        }
        let index = self.row_index(cta, id);
        let row = std::mem::take(&mut self.rows[index]);
        self.closed = row;
        let left_open = row.is_open() && !saved && self.sizes.parts().faults;
        let fault = Fault { code: Code::BarrierLeftOpen, cta, id, ..Fault::default() };
        Effect { fault: left_open.then_some(fault), ..Effect::default() }
    }

    /// Refuses an operation: reports its fault without any other effect.
    fn refuse(&mut self, op: &Operation, code: Code) -> Effect {
        if op.waits() && op.fault == Code::None {
            self.warps.waiting &= !self.bit(op.warp);
        }
        let fault = Fault { code, has_warp: op.is_of_a_warp(), warp: op.warp, cta: op.cta, id: op.id, address: 0 };
        Effect { fault: Some(fault), ..Effect::default() }
    }

    fn launch(&mut self, op: &Operation) -> Effect {
        let (index, built) = (self.slot_index(op.cta), self.sizes.barriers() as u32);
        let slot = &mut self.slots[index];
        slot.launched = op.warps.into();
        slot.live = op.live.into();
        slot.declared = u32::from(op.barriers).min(built);
        (slot.open_rows, slot.uncounted_rows) = (0, 0);
        Effect::default()
    }

    fn release(&mut self, op: &Operation) -> Effect {
        self.warps.leave(op.mask);
        let index = self.slot_index(op.cta);
        let slot = &mut self.slots[index];
        let rows_to_clear = slot.open_rows != 0;
        // No other operation is accepted until the last row is cleared, so the counts take their final values at once.
        (slot.open_rows, slot.uncounted_rows) = (0, 0);
        Effect { rows_to_clear, ..Effect::default() }
    }

    /// Stores a row; the effect is the implicit conflict, if the store causes one.
    pub(super) fn put(&mut self, cta: u8, id: u8, row: Row) -> Effect {
        let (slot, index) = (self.slot_index(cta), self.row_index(cta, id));
        let before = std::mem::replace(&mut self.rows[index], row);
        let implicit_conflicts = self.slots[slot].count_rows(&self.sizes, &before, &row);
        Effect { implicit_conflict: implicit_conflicts.then_some(cta), ..Effect::default() }
    }

    /// Completes a generation; `row` is its state after the last arrival. The waiting warps resume, each with the result.
    pub(super) fn complete(&mut self, cta: u8, id: u8, row: &Row) -> Effect {
        self.put(cta, id, Row::default());
        self.closed = *row;
        let (warps, result) = (row.waiting, row.result());
        self.warps.waiting &= !warps;
        if result.reduction != Reduction::None {
            self.warps.set_results(warps, self.saturated(result));
        }
        Effect { release: Some(Release { cta, id, warps, result }), ..Effect::default() }
    }

    /// The result as a warp stores it: at most the number of lanes of all warps, rounded up to a power of two of at least 16. Only a broken
    /// promise leads to a larger result.
    pub(super) fn saturated(&self, result: Reduced) -> Reduced {
        Reduced { value: result.value.min(1 << (self.sizes.sum_bits() - 1)), ..result }
    }

    /// The number of whole warps in a count of threads.
    pub(super) fn warps_of(&self, count: u16) -> u32 {
        u32::from(count) / self.sizes.lanes() as u32
    }

    pub(super) fn warp_index(&self, warp: u8) -> usize {
        usize::from(warp) & (self.sizes.warp_numbers() - 1)
    }

    pub(super) fn bit(&self, warp: u8) -> u64 {
        1 << self.warp_index(warp)
    }

    pub(super) fn slot_index(&self, cta: u8) -> usize {
        usize::from(cta) & (self.sizes.cta_numbers() - 1)
    }

    /// The index of a row; `id` is truncated to the barriers built.
    pub(super) fn row_index(&self, cta: u8, id: u8) -> usize {
        self.slot_index(cta) * self.sizes.id_numbers() + (usize::from(id) & (self.sizes.id_numbers() - 1))
    }
}
