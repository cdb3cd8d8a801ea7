// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Random programs: patterns of correct synchronisation, one after another, then a few random changes.

use super::program::{
    ArrivalForm, Atomic, Mbar, Op, OpKind, Program, Reduction, Token, Value, Word, BARRIERS, MBARRIERS, MOST_OPS, TILE_BYTES,
};
use crate::stimulus::Rng;

/// The operations of all warps, at most, so that the search is short.
const MOST_IN_ALL: usize = 14;

/// A program that is being drawn.
struct Draft {
    rng: Rng,
    warps: Vec<Vec<Op>>,
    /// The number of arrivals with which each mbarrier is initialised.
    counts: [u32; MBARRIERS],
    /// The parity of the current phase of each mbarrier, if nothing is changed.
    parities: [bool; MBARRIERS],
    /// The next value to store, so that stores have different values.
    value: u32,
}

impl Program {
    /// A program of one CTA that depends only on the seed.
    pub fn random(seed: u64) -> Program {
        let mut rng = Rng::new(seed, "interleavings");
        let warps = rng.weighted(&[(2, 5), (3, 4), (4, 1)]).unwrap_or(2);
        let counts = std::array::from_fn(|_| rng.weighted(&[(1, 5), (2, 3), (3, 1)]).unwrap_or(1));
        let lane_zero_only = rng.chance(250);
        let mut draft = Draft { rng, warps: vec![vec![]; warps], counts, parities: [false; MBARRIERS], value: 1 };
        draft.begin();
        while draft.size() < MOST_IN_ALL && draft.rng.chance(850) {
            draft.pattern();
        }
        let changes = draft.rng.weighted(&[(0, 5), (1, 3), (2, 2), (4, 1)]).unwrap_or(0);
        for _ in 0..changes {
            draft.change();
        }
        draft.finish(1, lane_zero_only)
    }
}

impl Draft {
    fn size(&self) -> usize {
        self.warps.iter().map(Vec::len).sum()
    }

    fn finish(mut self, ctas: usize, lane_zero_only: bool) -> Program {
        for ops in &mut self.warps {
            ops.truncate(MOST_OPS);
            repair(ops);
        }
        Program { ctas, lane_zero_only, warps: self.warps }
    }

    fn warp(&mut self) -> usize {
        self.rng.below(self.warps.len() as u64) as usize
    }

    /// Two different warps.
    fn pair(&mut self) -> (usize, usize) {
        let first = self.warp();
        let apart = self.rng.range(1, self.warps.len() as u64 - 1) as usize;
        (first, (first + apart) % self.warps.len())
    }

    fn push(&mut self, warp: usize, kind: OpKind) {
        self.warps[warp].push(kind.into());
    }

    fn id(&mut self) -> u8 {
        self.rng.below(BARRIERS as u64) as u8
    }

    fn mbar(&mut self) -> Mbar {
        Mbar { number: self.rng.below(MBARRIERS as u64) as u8, peer: false }
    }

    fn tile(&mut self) -> u8 {
        u8::from(self.rng.chance(300))
    }

    fn word(&mut self) -> Word {
        match self.rng.below(10) {
            0 => Word::Global { word: 4 },
            1 => Word::Shared { word: 4, peer: false },
            2..=4 => Word::Shared { word: 1, peer: false },
            _ => Word::Shared { word: 0, peer: false },
        }
    }

    fn store(&mut self, at: Word) -> OpKind {
        self.value += 1;
        let value = if self.rng.chance(150) { 1 } else { self.value };
        OpKind::Store { at, value: Value::Constant(value), strong: self.rng.chance(200) }
    }

    fn load(&mut self, at: Word) -> OpKind {
        OpKind::Load { at, strong: self.rng.chance(200) }
    }

    /// Most programs initialise the mbarriers in warp 0, before a barrier.
    fn begin(&mut self) {
        if self.rng.chance(650) {
            let both = self.rng.chance(250);
            for number in 0..if both { MBARRIERS } else { 1 } {
                let count = self.counts[number];
                self.push(0, OpKind::Init { at: Mbar { number: number as u8, peer: false }, count });
            }
            self.sync_all(0);
        }
    }

    fn sync_all(&mut self, id: u8) {
        for warp in 0..self.warps.len() {
            self.push(warp, OpKind::Sync { id, count: None });
        }
    }

    /// The contributions of one phase of an mbarrier: an arrival from a warp, and arrivals of others that complete the count.
    fn phase(&mut self, at: Mbar, first: usize, form: ArrivalForm) {
        let count = self.counts[usize::from(at.number)];
        let token = self.rng.weighted(&[(Token::Unused, 12), (Token::Reported, 1)]).unwrap_or(Token::Unused);
        let relaxed = self.rng.chance(100);
        let whole = count > 1 && form == ArrivalForm::Plain && self.rng.chance(300);
        let with = if whole { count } else { 1 };
        self.push(first, OpKind::Arrive { at, count: with, form, drop: false, relaxed, token });
        for _ in with..count {
            let warp = self.warp();
            self.push(
                warp,
                OpKind::Arrive { at, count: 1, form: ArrivalForm::Plain, drop: false, relaxed: false, token: Token::Unused },
            );
        }
    }

    fn wait(&mut self, warp: usize, at: Mbar) {
        let parity = self.parities[usize::from(at.number)];
        self.push(warp, OpKind::WaitParity { at, parity });
    }

    fn end_phase(&mut self, at: Mbar) {
        let parity = &mut self.parities[usize::from(at.number)];
        *parity = !*parity;
    }

    /// Adds one pattern.
    fn pattern(&mut self) {
        let (from, to) = self.pair();
        let at = self.mbar();
        match self.rng.below(12) {
            0 => {
                let (word, id) = (self.word(), self.id());
                let (store, load) = (self.store(word), self.load(word));
                self.push(from, store);
                self.sync_all(id);
                self.push(to, load);
            }
            1 => {
                let (word, id) = (self.word(), self.id());
                let (store, load) = (self.store(word), self.load(word));
                self.push(from, store);
                self.push(from, OpKind::ArriveNamed { id, count: 2 });
                self.push(to, OpKind::Sync { id, count: Some(2) });
                self.push(to, load);
            }
            2 => {
                let (id, reduction) = (self.id(), self.rng.pick(&[Reduction::Popc, Reduction::Or]).unwrap_or(Reduction::Or));
                for warp in 0..self.warps.len() {
                    let predicate = self.rng.chance(500);
                    self.push(warp, OpKind::Reduce { id, count: None, reduction, predicate });
                }
            }
            3 | 4 => {
                let word = self.word();
                let (store, load) = (self.store(word), self.load(word));
                self.push(from, store);
                self.phase(at, from, ArrivalForm::Plain);
                self.wait(to, at);
                self.push(to, load);
                self.end_phase(at);
            }
            5 => {
                let (tile, pieces) = (self.tile(), self.rng.range(1, 2) as u8);
                self.phase(at, from, ArrivalForm::Expect(TILE_BYTES));
                self.push(from, OpKind::BulkLoad { tile, at, pieces });
                self.wait(to, at);
                let load = self.load(Word::Shared { word: 4 * tile + self.value as u8 % 4, peer: false });
                self.push(to, load);
                self.end_phase(at);
            }
            6 => {
                let (tile, id) = (self.tile(), self.id());
                self.push(from, OpKind::CpAsync { tile });
                if self.rng.chance(500) {
                    self.push(from, OpKind::CpCommit);
                    let pending = u8::from(self.rng.chance(200));
                    self.push(from, OpKind::CpWait { pending });
                } else {
                    self.push(from, OpKind::CpWaitAll);
                }
                self.sync_all(id);
                let load = self.load(Word::Shared { word: 4 * tile, peer: false });
                self.push(to, load);
            }
            7 => {
                let tile = self.tile();
                let noinc = self.rng.chance(600);
                self.push(from, OpKind::CpAsync { tile });
                self.push(from, OpKind::CpArrive { at, noinc });
                if !noinc {
                    self.phase(at, from, ArrivalForm::Plain);
                }
                self.wait(to, at);
                let load = self.load(Word::Shared { word: 4 * tile + 1, peer: false });
                self.push(to, load);
                self.end_phase(at);
            }
            8 => {
                let (tile, read) = (self.tile(), self.rng.chance(300));
                let store = self.store(Word::Shared { word: 4 * tile, peer: false });
                self.push(from, store);
                self.push(from, OpKind::Fence { proxy: true });
                self.push(from, OpKind::BulkStore { tile, pieces: 1 });
                self.push(from, OpKind::BulkCommit);
                self.push(from, OpKind::BulkWait { pending: 0, read });
                let next = if self.rng.chance(500) {
                    self.load(Word::Global { word: 4 })
                } else {
                    self.store(Word::Shared { word: 4 * tile, peer: false })
                };
                self.push(from, next);
            }
            9 | 10 => {
                let word = self.word();
                let atomic =
                    self.rng.pick(&[Atomic::Add, Atomic::Or, Atomic::Max, Atomic::Exch, Atomic::Cas]).unwrap_or(Atomic::Add);
                for _ in 0..self.rng.range(1, 3) {
                    let (warp, operand, used) = (self.warp(), self.rng.range(1, 5) as u32, self.rng.chance(250));
                    self.push(warp, OpKind::Atomic { at: word, atomic, operand, used });
                }
            }
            _ => {
                let warp = self.warp();
                let op = self.any(warp);
                self.warps[warp].push(op);
            }
        }
    }

    /// Any operation.
    fn any(&mut self, warp: usize) -> Op {
        let (at, word) = (self.mbar(), self.word());
        let parity = self.rng.chance(400);
        let earlier: Vec<u8> =
            (0..self.warps[warp].len() as u8).filter(|op| self.warps[warp][usize::from(*op)].kind.is_reported()).collect();
        let of = self.rng.pick(&earlier);
        let count = if self.rng.chance(500) { None } else { Some(self.rng.range(1, 3) as u8) };
        let kind = match self.rng.below(20) {
            0 | 1 => self.store(word),
            2 | 3 => self.load(word),
            4 => OpKind::Store { at: word, value: of.map_or(Value::Constant(9), Value::Result), strong: false },
            5 => OpKind::Fence { proxy: self.rng.chance(500) },
            6 => OpKind::Sync { id: self.id(), count },
            7 => OpKind::ArriveNamed { id: self.id(), count: count.unwrap_or(2) },
            8 => OpKind::Reduce { id: self.id(), count, reduction: Reduction::Or, predicate: parity },
            9 => OpKind::Init { at, count: self.rng.range(1, 2) as u32 },
            10 => OpKind::Inval { at },
            11 => OpKind::Arrive {
                at,
                count: 1,
                form: ArrivalForm::Plain,
                drop: self.rng.chance(500),
                relaxed: false,
                token: Token::Unused,
            },
            12 => OpKind::Arrive {
                at,
                count: 1,
                form: ArrivalForm::NoComplete,
                drop: self.rng.chance(200),
                relaxed: false,
                token: Token::Reported,
            },
            13 => OpKind::Arrive {
                at,
                count: 1,
                form: ArrivalForm::Plain,
                drop: false,
                relaxed: self.rng.chance(300),
                token: Token::Waited,
            },
            14 => OpKind::ExpectTx { at, bytes: TILE_BYTES },
            15 => OpKind::WaitParity { at, parity },
            16 | 17 => OpKind::Peek { at, parity },
            18 => OpKind::BulkLoad { tile: self.tile(), at, pieces: 1 },
            _ => OpKind::BulkStore { tile: self.tile(), pieces: self.rng.range(1, 2) as u8 },
        };
        let guard = if kind.is_guardable() && self.rng.chance(250) { of } else { None };
        Op { kind, guard }
    }

    /// Changes the program at one place.
    fn change(&mut self) {
        let warp = self.warp();
        let length = self.warps[warp].len();
        let at = self.rng.below(length as u64) as usize;
        let op = self.any(warp);
        match self.rng.below(6) {
            0 | 1 => self.warps[warp].insert(at, Op { guard: None, ..op }),
            _ if length == 0 => {}
            2 => drop(self.warps[warp].remove(at)),
            3 if at > 0 => self.warps[warp].swap(at - 1, at),
            4 => {
                let op = self.warps[warp].remove(at);
                let to = self.warp();
                let place = self.rng.below(self.warps[to].len() as u64 + 1) as usize;
                self.warps[to].insert(place, op);
            }
            _ => {
                let counts = Some(self.rng.range(1, 3) as u8);
                let kind = &mut self.warps[warp][at].kind;
                match kind {
                    OpKind::Sync { count, .. } | OpKind::Reduce { count, .. } => {
                        *count = if count.is_some() { None } else { counts }
                    }
                    OpKind::WaitParity { parity, .. } | OpKind::Peek { parity, .. } => *parity = !*parity,
                    OpKind::Arrive { drop, .. } => *drop = !*drop,
                    OpKind::Init { count, .. } => *count += 1,
                    OpKind::ArriveNamed { id, .. } => *id = (*id + 1) % BARRIERS as u8,
                    OpKind::BulkWait { read, .. } => *read = !*read,
                    _ => {}
                }
            }
        }
    }
}

/// Makes references to earlier operations right again: to a result, to a state for which no wait waits yet.
fn repair(ops: &mut [Op]) {
    for at in 0..ops.len() {
        let (earlier, rest) = ops.split_at_mut(at);
        let Some(op) = rest.first_mut() else { continue };
        let is_result = |of: u8| earlier.get(usize::from(of)).is_some_and(|earlier| earlier.kind.is_reported());
        op.guard = op.guard.filter(|of| is_result(*of) && op.kind.is_guardable());
        if let OpKind::Store { value, .. } = &mut op.kind {
            if matches!(value, Value::Result(of) if !is_result(*of)) {
                *value = Value::Constant(8);
            }
        }
    }
    // An arrival whose state is wanted is followed by a wait for it, if there is a wait for that mbarrier.
    for at in 0..ops.len() {
        let OpKind::Arrive { at: object, token: Token::Waited, .. } = ops[at].kind else { continue };
        let wait = ops.iter().skip(at + 1).position(|op| matches!(op.kind, OpKind::WaitParity { at, .. } if at == object));
        match wait {
            Some(later) => ops[at + 1 + later].kind = OpKind::WaitToken { at: object, token: at as u8 },
            None => {
                if let OpKind::Arrive { token, .. } = &mut ops[at].kind {
                    *token = Token::Unused;
                }
            }
        }
    }
}
