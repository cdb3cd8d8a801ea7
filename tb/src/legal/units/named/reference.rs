// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The meaning of legal operations of `named`, from `docs/contract/named.md`, without timing.

/// The values of `OpKind` that a legal user sends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    #[default]
    Sync,
    Arrive,
    Reduce,
    Read,
    Write,
    Exit,
    Launch,
    Release,
}

/// State words, as `op_state` numbers them.
pub const WARP: u64 = 0;
pub const BARRIER: u64 = 1;
pub const RESULT: u64 = 2;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Op {
    pub kind: Kind,
    pub warp: u64,
    pub cta: u64,
    pub id: u64,
    pub count: u64,
    pub redop: u64,
    pub value: u64,
    pub state: u64,
    pub data: u64,
    pub warps: u64,
    pub live: u64,
    pub barriers: u64,
    pub mask: u64,
    pub saved: bool,
}

impl Op {
    /// Whether the operation makes its warp wait.
    pub fn waits(&self) -> bool {
        match self.kind {
            Kind::Sync | Kind::Reduce => true,
            Kind::Write => self.state == WARP && self.data >> 14 & 1 == 1,
            _ => false,
        }
    }

    pub fn slots(&self) -> u64 {
        let two =
            matches!(self.kind, Kind::Exit | Kind::Launch | Kind::Release) || self.kind == Kind::Write && self.state == WARP;
        1 + u64::from(two)
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Row {
    arrived: u64,
    waiting: u64,
    count: u64,
    expected: u64,
    /// The reduction of the generation: 0 for none, otherwise 1 plus the operator.
    reduction: u64,
    sum: u64,
}

#[derive(Clone, Debug, Default)]
struct Cta {
    live: u64,
    last: usize,
    rows: Vec<Row>,
}

/// The outputs of an operation when it takes effect.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effects {
    /// The `release` strobe: CTA slot, id, warps, reduction, value.
    pub release: Option<[u64; 5]>,
    /// The `read` strobe: warp, value, predicate.
    pub read: Option<[u64; 3]>,
    /// Number of rows that were open when the CTA was released.
    pub open_rows: u64,
}

#[derive(Clone, Debug)]
pub struct Reference {
    lanes: u64,
    reductions: bool,
    state_words: bool,
    ctas: Vec<Cta>,
    /// Warps that wait; one bit per warp.
    pub waiting: u64,
    /// For each warp, the id of the barrier at which it last waited.
    last_id: Vec<u64>,
    /// For each warp, its result as reduction and value.
    results: Vec<(u64, u64)>,
}

impl Reference {
    pub fn new(lanes: u64, slots: u64, reductions: bool, state_words: bool) -> Reference {
        let cta = Cta { rows: vec![Row::default(); 16], ..Cta::default() };
        let ctas = vec![cta; slots as usize];
        Reference { lanes, reductions, state_words, ctas, waiting: 0, last_id: vec![0; 64], results: vec![(0, 0); 64] }
    }

    /// Whether the warp has a result to read.
    pub fn has_result(&self, warp: u64) -> bool {
        self.results[warp as usize].0 != 0
    }

    /// Applies an operation; `trapped` is the level in the cycle in which the operation takes effect.
    pub fn apply(&mut self, op: &Op, trapped: u64) -> Effects {
        let (slot, id, bit) = (op.cta as usize, op.id as usize, 1u64 << op.warp);
        let mut effects = Effects::default();
        match op.kind {
            Kind::Sync | Kind::Arrive | Kind::Reduce => {
                let reduction = if op.kind == Kind::Reduce && self.reductions { 1 + op.redop } else { 0 };
                let live = self.ctas[slot].live;
                let row = &mut self.ctas[slot].rows[id];
                row.arrived |= bit;
                row.count += 1;
                row.reduction = reduction;
                row.expected = op.count / self.lanes;
                row.sum += match reduction {
                    0 => 0,
                    3 => op.value,
                    _ => op.value & 1,
                };
                if op.kind != Kind::Arrive {
                    row.waiting |= bit;
                    self.waiting |= bit;
                    self.last_id[op.warp as usize] = op.id;
                }
                let target = if row.expected == 0 { live } else { row.expected };
                if row.count == target {
                    effects.release = Some(self.complete(slot, id));
                } else if row.expected == 0 {
                    self.ctas[slot].last = id;
                }
            }
            Kind::Exit => {
                let (last, live) = (self.ctas[slot].last, self.ctas[slot].live);
                let row = self.ctas[slot].rows[last];
                if row.count > 0 && row.expected == 0 && row.count + 1 == live {
                    effects.release = Some(self.complete(slot, last));
                }
                self.ctas[slot].live -= 1;
            }
            Kind::Read if self.state_words => effects.read = Some(self.read(op, trapped)),
            Kind::Write if self.state_words => self.write(op),
            Kind::Read | Kind::Write => {}
            Kind::Launch => self.ctas[slot].live = op.live,
            Kind::Release => {
                self.waiting &= !op.mask;
                for warp in (0..64).filter(|warp| op.mask >> warp & 1 == 1) {
                    self.results[warp] = (0, 0);
                }
                let rows = &mut self.ctas[slot].rows;
                effects.open_rows = rows.iter().filter(|row| row.count > 0).count() as u64;
                rows.iter_mut().for_each(|row| *row = Row::default());
            }
        }
        effects
    }

    fn complete(&mut self, slot: usize, id: usize) -> [u64; 5] {
        let row = std::mem::take(&mut self.ctas[slot].rows[id]);
        let value = match row.reduction {
            0 => 0,
            1 => u64::from(row.sum == 0),
            2 => u64::from(row.sum != 0),
            _ => row.sum,
        };
        self.waiting &= !row.waiting;
        if row.reduction != 0 {
            for warp in (0..64).filter(|warp| row.waiting >> warp & 1 == 1) {
                self.results[warp] = (row.reduction, value);
            }
        }
        [slot as u64, id as u64, row.waiting, row.reduction, value]
    }

    fn read(&self, op: &Op, trapped: u64) -> [u64; 3] {
        let (warp, bit) = (op.warp as usize, 1u64 << op.warp);
        let (reduction, value) = self.results[warp];
        match op.state {
            WARP => {
                let waits = u64::from(self.waiting & bit != 0);
                let id = if waits == 1 { self.last_id[warp] } else { 0 };
                let redop = if reduction == 0 { 3 } else { reduction - 1 };
                let word = value | redop << 12 | waits << 14 | id << 15 | u64::from(trapped & bit != 0) << 19;
                [op.warp, word, 0]
            }
            BARRIER => {
                let row = self.ctas[op.cta as usize].rows[op.id as usize];
                let kind = if row.count == 0 { 0 } else { 1 + u64::from(row.reduction != 0) };
                let accumulator = match row.reduction {
                    0 => 0,
                    1 => u64::from(row.sum == 0),
                    2 => u64::from(row.sum != 0),
                    _ => row.sum,
                };
                let redop = row.reduction.saturating_sub(1);
                let word = row.count | row.expected << 7 | kind << 14 | redop << 16 | accumulator << 18;
                [op.warp, word | u64::from(row.arrived & bit != 0) << 31, 0]
            }
            _ if reduction == 3 => [op.warp, value, 0],
            _ => [op.warp, 0, value],
        }
    }

    /// Applies a legal Write: the warp's own word, or else the word of a barrier. A barrier's word has only the arrival bit of the writing
    /// warp, so the row keeps the arrival bits of the other warps.
    fn write(&mut self, op: &Op) {
        let (slot, bit, word) = (op.cta as usize, 1u64 << op.warp, op.data);
        if op.state == WARP {
            let redop = word >> 12 & 3;
            self.results[op.warp as usize] = (if redop == 3 { 0 } else { 1 + redop }, word & 0xfff);
            if op.waits() {
                let id = word >> 15 & 15;
                self.last_id[op.warp as usize] = id;
                self.waiting |= bit;
                self.ctas[slot].rows[id as usize].waiting |= bit;
            }
            return;
        }
        let arrived = self.ctas[slot].rows[op.id as usize].arrived & !bit | if word >> 31 == 1 { bit } else { 0 };
        let (kind, redop, accumulator) = (word >> 14 & 3, word >> 16 & 3, word >> 18 & 0xfff);
        let row = match kind {
            0 => Row::default(),
            _ => Row {
                arrived,
                waiting: 0,
                count: word & 127,
                expected: word >> 7 & 127,
                reduction: if kind == 2 { 1 + redop } else { 0 },
                sum: if kind == 2 && redop == 0 { 1 - accumulator } else { accumulator },
            },
        };
        self.ctas[slot].rows[op.id as usize] = row;
        if kind != 0 && row.expected == 0 {
            self.ctas[slot].last = op.id as usize;
        }
    }
}
