// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What operations on the named barriers mean, one after the other, without time (`docs/interface.md`, `named`).

use super::op::{Code, Fault, Kind, Operation, Release};
use super::sizes::{mask, Sizes};

/// A barrier of a CTA; an idle row is all 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Row {
    /// Warps that have arrived in this generation.
    pub arrived: u64,
    /// Those of them that wait for its completion.
    pub waiting: u64,
    /// How many have arrived.
    pub count: u32,
    /// How many warps complete it; 0 = no count given.
    pub expected: u32,
    /// A generation is under way.
    pub open: bool,
}

/// What is known of a CTA slot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Slot {
    /// Warps launched.
    pub launched: u32,
    /// Warps that have not exited.
    pub live: u32,
    /// Barriers declared at launch.
    pub declared: u32,
    /// How many rows are open.
    pub open_rows: u32,
    /// The last id used without a count.
    pub last_uncounted: u8,
}

/// What an operation, or the clearing of a row, brings about beside the change of state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effect {
    pub release: Option<Release>,
    pub fault: Option<Fault>,
    /// Warps whose `blocked` bit it clears.
    pub unblocked: u64,
    /// A released CTA leaves rows open: all rows of its slot are to be cleared with [`Barriers::clear_row`].
    pub rows_to_clear: bool,
}

impl Effect {
    fn fault(op: &Operation, code: Code) -> Effect {
        Effect { fault: Some(Fault { code, warp: op.warp, cta: op.cta, id: op.id }), ..Effect::default() }
    }

    fn release(cta: u8, id: u8, warps: u64) -> Effect {
        Effect { release: Some(Release { cta, id, warps }), unblocked: warps, ..Effect::default() }
    }
}

/// All barriers of all CTA slots. Warps, slots and ids are cut to the widths of their ports.
#[derive(Clone, Debug)]
pub struct Barriers {
    sizes: Sizes,
    rows: Vec<Row>,
    slots: Vec<Slot>,
    blocked: u64,
}

impl Barriers {
    /// The state after reset: every row idle, no CTA launched.
    pub fn new(sizes: Sizes) -> Barriers {
        Barriers {
            sizes,
            rows: vec![Row::default(); sizes.cta_numbers() * sizes.barriers()],
            slots: vec![Slot::default(); sizes.cta_numbers()],
            blocked: 0,
        }
    }

    /// Who waits at a barrier, or has an arrival under way that waits.
    pub fn blocked(&self) -> u64 {
        self.blocked
    }

    /// The CTA slot of this number, cut to the width of its port.
    pub fn slot(&self, cta: u8) -> &Slot {
        &self.slots[self.slot_index(cta)]
    }

    /// A barrier of a CTA; `None` for an id that is not built.
    pub fn row(&self, cta: u8, id: u8) -> Option<&Row> {
        (usize::from(id) < self.sizes.barriers()).then(|| &self.rows[self.row_index(cta, id)])
    }

    /// One operation, whole: it is taken and takes effect before the next one.
    pub fn apply(&mut self, op: &Operation) -> Effect {
        self.accept(op);
        self.resolve(op)
    }

    /// The first half of an operation, as it is taken: a SYNC blocks its warp, right or wrong as its operands may be.
    pub fn accept(&mut self, op: &Operation) {
        if op.kind == Kind::Sync && op.fault == Code::None {
            self.blocked |= self.bit(op.warp);
        }
    }

    /// The second half: everything else.
    pub fn resolve(&mut self, op: &Operation) -> Effect {
        let effect = match op.kind {
            Kind::Sync | Kind::Arrive => self.arrival(op),
            _ if op.fault != Code::None => Effect::fault(op, op.fault),
            Kind::Reduce | Kind::Read | Kind::Write => Effect::fault(op, Code::IllegalInstruction),
            Kind::Exit => self.exit(op),
            Kind::Launch => self.launch(op),
            Kind::Release => self.release(op),
        };
        self.blocked &= !effect.unblocked;
        effect
    }

    /// Makes a row idle and lets its waiting warps go, without a release; an open row is a fault unless its CTA was `saved`.
    pub fn clear_row(&mut self, cta: u8, id: u8, saved: bool) -> Effect {
        if usize::from(id) >= self.sizes.barriers() {
            return Effect::default();
        }
        let index = self.row_index(cta, id);
        let row = std::mem::take(&mut self.rows[index]);
        let left_open = row.open && !saved;
        self.blocked &= !row.waiting;
        Effect {
            fault: left_open.then_some(Fault { code: Code::BarrierLeftOpen, warp: 0, cta, id }),
            unblocked: row.waiting,
            ..Effect::default()
        }
    }

    fn arrival(&mut self, op: &Operation) -> Effect {
        let bit = self.bit(op.warp);
        let waits = op.kind == Kind::Sync;
        if let Some(code) = self.arrival_fault(op, bit) {
            let unblocked = if waits && op.fault == Code::None { bit } else { 0 };
            return Effect { unblocked, ..Effect::fault(op, code) };
        }
        let expected = self.warps_of(op.count);
        let (slot_index, index) = (self.slot_index(op.cta), self.row_index(op.cta, op.id));
        let (slot, row) = (&mut self.slots[slot_index], &mut self.rows[index]);
        if op.count == 0 {
            slot.last_uncounted = op.id;
        }
        let target = if op.count == 0 { slot.live } else { expected };
        let waiting = row.waiting | if waits { bit } else { 0 };
        if row.count + 1 == target {
            self.complete(op.cta, op.id, waiting)
        } else {
            let opens = !row.open;
            *row = Row { arrived: row.arrived | bit, waiting, count: row.count + 1, expected, open: true };
            if opens {
                self.count_open_rows(slot_index, 1);
            }
            Effect::default()
        }
    }

    /// The first fault of an arrival, in the order of precedence.
    fn arrival_fault(&self, op: &Operation, bit: u64) -> Option<Code> {
        let slot = self.slot(op.cta);
        if op.fault != Code::None {
            return Some(op.fault);
        }
        if u32::from(op.id) >= slot.declared {
            return Some(Code::IdOutOfRange);
        }
        let row = &self.rows[self.row_index(op.cta, op.id)];
        let expected = self.warps_of(op.count);
        let faults = [
            (!op.uniform, Code::OperandNotUniform),
            (op.kind == Kind::Arrive && op.count == 0, Code::CountZeroArrive),
            (usize::from(op.count) % self.sizes.lanes() != 0, Code::CountNotWarpMultiple),
            (expected > slot.launched, Code::CountExceedsCta),
            (row.arrived & bit != 0, Code::DoubleArrival),
            (row.open && row.expected != expected, Code::CountMismatch),
        ];
        faults.iter().find(|(applies, _)| *applies).map(|(_, code)| *code)
    }

    /// A warp fewer is live. Every participant of a barrier without count waits, so the exiting warp is none of them, and only
    /// the last such barrier of its CTA can be the one that waited for it.
    fn exit(&mut self, op: &Operation) -> Effect {
        let slot_index = self.slot_index(op.cta);
        let Slot { live, last_uncounted, .. } = self.slots[slot_index];
        self.slots[slot_index].live = live.wrapping_sub(1) & mask(self.sizes.count_bits()) as u32;
        let row = self.rows[self.row_index(op.cta, last_uncounted)];
        if row.open && row.expected == 0 && row.count + 1 == live {
            self.complete(op.cta, last_uncounted, row.waiting)
        } else {
            Effect::default()
        }
    }

    fn launch(&mut self, op: &Operation) -> Effect {
        let (slot, built) = (self.slot_index(op.cta), self.sizes.barriers() as u32);
        let slot = &mut self.slots[slot];
        slot.launched = op.warps.into();
        slot.live = op.live.into();
        slot.declared = u32::from(op.barriers).min(built);
        slot.open_rows = 0;
        Effect::default()
    }

    fn release(&mut self, op: &Operation) -> Effect {
        let slot = self.slot_index(op.cta);
        // From here to the last cleared row nothing else is taken, so the count may say at once what will be true then.
        let rows_to_clear = std::mem::take(&mut self.slots[slot].open_rows) != 0;
        Effect { rows_to_clear, ..Effect::default() }
    }

    /// The generation of a row is complete: those who waited go on.
    fn complete(&mut self, cta: u8, id: u8, waiting: u64) -> Effect {
        let index = self.row_index(cta, id);
        if std::mem::take(&mut self.rows[index]).open {
            self.count_open_rows(self.slot_index(cta), -1);
        }
        Effect::release(cta, id, waiting)
    }

    /// The number of open rows has the bits that hold 0..=I; it can only wrap after a launch into a slot with open rows.
    fn count_open_rows(&mut self, slot: usize, by: i32) {
        let bits = self.sizes.barriers().ilog2() as usize + 1;
        let rows = &mut self.slots[slot].open_rows;
        *rows = rows.wrapping_add_signed(by) & mask(bits) as u32;
    }

    /// Whole warps in a count of threads.
    fn warps_of(&self, count: u16) -> u32 {
        u32::from(count) / self.sizes.lanes() as u32
    }

    fn bit(&self, warp: u8) -> u64 {
        1 << (usize::from(warp) & (self.sizes.warps() - 1))
    }

    fn slot_index(&self, cta: u8) -> usize {
        usize::from(cta) & (self.sizes.cta_numbers() - 1)
    }

    /// `id` is below the barriers built.
    fn row_index(&self, cta: u8, id: u8) -> usize {
        self.slot_index(cta) * self.sizes.barriers() + usize::from(id)
    }
}
