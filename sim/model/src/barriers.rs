// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What operations on the named barriers mean, one after the other, without time (`docs/contract/named.md`): the CTAs and
//! what all operations have in common. Arrivals are in `arrival`, state words in `access`.

use super::op::{Code, Kind, Operation, Reduction, StateWord};
use super::outcome::{Commit, Fault, Read, Reduced, Release};
pub use super::row::{Row, Slot, Warps};
use super::sizes::Sizes;
use super::state_word;

/// What an operation, or the clearing of a row, brings about beside the change of state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effect {
    pub release: Option<Release>,
    pub fault: Option<Fault>,
    pub read: Option<Read>,
    /// A second id without a count is open in this CTA slot, which can never complete.
    pub implicit_conflict: Option<u8>,
    /// A released CTA leaves rows open: all rows of its slot are to be cleared with [`Barriers::clear_row`].
    pub rows_to_clear: bool,
}

/// All barriers of all CTA slots. Warps, slots and ids are cut to the widths of their ports.
#[derive(Clone, Debug)]
pub struct Barriers {
    pub(super) sizes: Sizes,
    pub(super) rows: Vec<Row>,
    pub(super) slots: Vec<Slot>,
    pub(super) warps: Warps,
    closed: Row,
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

    /// The warps.
    pub fn warps(&self) -> &Warps {
        &self.warps
    }

    /// The row that was completed or cleared last, as it was then.
    pub fn closed(&self) -> &Row {
        &self.closed
    }

    /// The CTA slot of this number, cut to the width of its port.
    pub fn slot(&self, cta: u8) -> &Slot {
        &self.slots[self.slot_index(cta)]
    }

    /// A barrier of a CTA; `None` for an id that is not built.
    pub fn row(&self, cta: u8, id: u8) -> Option<&Row> {
        (usize::from(id) < self.sizes.barriers()).then(|| &self.rows[self.row_index(cta, id)])
    }

    /// One operation, whole: it takes effect before the next one. `trapped` are the warps that are so, for those who read it.
    pub fn apply(&mut self, op: &Operation, trapped: u64) -> Effect {
        // An arrival that waits is its warp's last one, right or wrong as its operands may be.
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
            // A fence has ended before, and is only here if it is refused; the others go elsewhere.
            _ => Effect::default(),
        }
    }

    /// What an operation does to its warps beside this, if it has its effects next.
    pub fn commit(&self, op: &Operation) -> Commit {
        let op = &self.as_built(op);
        let refused = self.refusal(op);
        let good = op.fault == Code::None && refused.is_none();
        let word = good && self.sizes.parts().state_words && op.kind == Kind::Write && op.state != StateWord::Barrier;
        let cta_release = good && op.kind == Kind::Release;
        Commit {
            warps: if op.kind == Kind::Release { op.mask } else { self.bit(op.warp) },
            warp_done: op.is_of_a_warp() && (op.kind != Kind::Exit || op.fault == Code::None),
            // A warp that is not there cannot be stopped: whoever comes into its place would be.
            refused: op.is_of_a_warp() && refused.is_some_and(|code| code != Code::NotResident),
            traps: word && state_word::traps(op.data),
            untraps: word && !state_word::traps(op.data),
            cta_release,
        }
    }

    /// Without reductions a Reduce is a Sync.
    fn as_built(&self, op: &Operation) -> Operation {
        let plain = op.kind == Kind::Reduce && !self.sizes.parts().reductions;
        Operation { kind: if plain { Kind::Sync } else { op.kind }, ..*op }
    }

    /// Why an operation is refused, as things stand: the first cause in the order of precedence.
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

    /// Makes a row idle without a release; an open row is a fault unless its CTA was `saved`.
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

    /// An operation without its effect.
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
        // From here to the last cleared row nothing else is taken, so the counts may say at once what will be true then.
        (slot.open_rows, slot.uncounted_rows) = (0, 0);
        Effect { rows_to_clear, ..Effect::default() }
    }

    /// Puts a row in its place; the effect is the implicit conflict, if there is one.
    pub(super) fn put(&mut self, cta: u8, id: u8, row: Row) -> Effect {
        let (slot, index) = (self.slot_index(cta), self.row_index(cta, id));
        let before = std::mem::replace(&mut self.rows[index], row);
        let implicit_conflicts = self.slots[slot].count_rows(&self.sizes, &before, &row);
        Effect { implicit_conflict: implicit_conflicts.then_some(cta), ..Effect::default() }
    }

    /// A generation is complete with this row: those who waited go on, each with the result.
    pub(super) fn complete(&mut self, cta: u8, id: u8, row: &Row) -> Effect {
        self.put(cta, id, Row::default());
        self.closed = *row;
        let (warps, result) = (row.waiting, row.result());
        self.warps.waiting &= !warps;
        if result.reduction != Reduction::None {
            self.warps.set_results(warps, self.kept(result));
        }
        Effect { release: Some(Release { cta, id, warps, result }), ..Effect::default() }
    }

    /// What a warp keeps of a result: no number above all lanes of all warps, which only broken promises give.
    pub(super) fn kept(&self, result: Reduced) -> Reduced {
        Reduced { value: result.value.min(1 << (self.sizes.sum_bits() - 1)), ..result }
    }

    /// Whole warps in a count of threads.
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

    /// `id` is cut to the barriers built.
    pub(super) fn row_index(&self, cta: u8, id: u8) -> usize {
        self.slot_index(cta) * self.sizes.id_numbers() + (usize::from(id) & (self.sizes.id_numbers() - 1))
    }
}
