// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Structured programs as trees, and a generator of random ones.

use fastrand::Rng;

/// The number of variables of a thread, and of a function.
pub const VARIABLES: usize = 5;
/// The number of words of shared memory that each thread owns.
pub const SLOTS: usize = 2;

#[derive(Clone, Copy, Debug)]
pub enum Value {
    Variable(usize),
    Constant(u32),
    Thread,
    Lane,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binary {
    Add,
    Sub,
    Mul,
    And,
    Or,
    Xor,
    Left,
    Right,
    Min,
    Max,
}

#[derive(Clone, Copy, Debug)]
pub enum Compare {
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

/// A comparison of unsigned numbers.
#[derive(Clone, Copy, Debug)]
pub struct Condition {
    pub compare: Compare,
    pub a: Value,
    pub b: Value,
}

#[derive(Clone, Copy, Debug)]
pub enum Shuffle {
    Up,
    Down,
    Butterfly,
    Index,
}

#[derive(Clone, Copy, Debug)]
pub enum Vote {
    Any,
    All,
    Ballot,
}

#[derive(Clone, Debug)]
pub enum Statement {
    Assign {
        to: usize,
        op: Binary,
        a: Value,
        b: Value,
    },
    Select {
        to: usize,
        condition: Condition,
        a: Value,
        b: Value,
    },
    /// `style` selects the notation: a guard if both sides fit on one line, the `then` side first, or the `otherwise` side first.
    If {
        condition: Condition,
        then: Vec<Statement>,
        otherwise: Vec<Statement>,
        style: u8,
    },
    /// The number of rounds is the value of `rounds` at the start of the loop, masked with `mask`; `number` identifies the loop.
    Loop {
        number: usize,
        rounds: Value,
        mask: u32,
        body: Vec<Statement>,
    },
    /// Leaves the innermost loop.
    Break(Condition),
    /// The thread ends; in a function it returns.
    Leave(Condition),
    Store {
        slot: usize,
        from: Value,
    },
    Load {
        slot: usize,
        to: usize,
    },
    Call {
        to: usize,
        function: usize,
        with: Value,
    },
    // The statements below occur only where all threads of the CTA that have not ended are converged.
    /// Like `Loop`, with the same number of rounds for all threads.
    Together {
        number: usize,
        rounds: u32,
        body: Vec<Statement>,
    },
    Barrier,
    /// A barrier, a load of the slot of the thread at this distance, a barrier.
    Exchange {
        to: usize,
        slot: usize,
        distance: u32,
    },
    Shuffle {
        to: usize,
        kind: Shuffle,
        from: Value,
        by: u32,
    },
    Vote {
        to: usize,
        kind: Vote,
        condition: Condition,
    },
}

#[derive(Clone, Debug)]
pub struct Program {
    pub threads: u32,
    pub functions: Vec<Vec<Statement>>,
    pub body: Vec<Statement>,
    /// The number of loops in the whole program.
    pub loops: usize,
}

/// The constraints on a statement at a place.
#[derive(Clone, Copy)]
struct Room {
    depth: usize,
    in_loop: bool,
    leave: bool,
    /// The number of functions that the statement may call: the functions with the lowest numbers.
    functions: usize,
    /// Whether statements may use the words of shared memory that the thread owns.
    slots: bool,
}

struct Maker<'r> {
    random: &'r mut Rng,
    loops: usize,
    threads: u32,
}

/// A random program.
pub fn program(random: &mut Rng) -> Program {
    let whole = random.u8(..4) > 0;
    let threads = 32 * random.u32(1..5) - if whole { 0 } else { random.u32(1..32) };
    let mut maker = Maker { random, loops: 0, threads };
    let count = maker.random.usize(..3);
    let room = Room { depth: 2, in_loop: false, leave: true, functions: 0, slots: false };
    let functions: Vec<_> = (0..count).map(|functions| maker.block(Room { functions, ..room }, 1..5)).collect();
    let room = Room { depth: 3, in_loop: false, leave: false, functions: count, slots: true };
    let mut body = maker.converged(room, whole, 1, 3..10);
    if maker.random.bool() {
        // All stores are after the barrier, so a thread that leaves has no store whose visibility is undefined.
        body.push(Statement::Barrier);
        body.extend(maker.block(Room { leave: true, ..room }, 1..4));
        body.push(Statement::Barrier);
        body.extend(maker.block(room, 1..3));
    }
    let loops = maker.loops;
    Program { threads, functions, body, loops }
}

impl Maker<'_> {
    fn block(&mut self, room: Room, count: std::ops::Range<usize>) -> Vec<Statement> {
        (0..self.random.usize(count)).map(|_| self.statement(room)).collect()
    }

    /// Statements at which all threads are converged; lanes exchange values if every warp is whole.
    fn converged(&mut self, room: Room, whole: bool, depth: usize, count: std::ops::Range<usize>) -> Vec<Statement> {
        (0..self.random.usize(count))
            .map(|_| match self.random.u8(..16) {
                0 | 1 => Statement::Barrier,
                2..5 => {
                    let (to, slot) = (self.variable(), self.random.usize(..SLOTS));
                    Statement::Exchange { to, slot, distance: self.random.u32(1..self.threads.max(2)) }
                }
                5 | 6 if whole => {
                    let kind = [Shuffle::Up, Shuffle::Down, Shuffle::Butterfly, Shuffle::Index][self.random.usize(..4)];
                    Statement::Shuffle { to: self.variable(), kind, from: self.value(), by: self.random.u32(..32) }
                }
                7 if whole => {
                    let kind = [Vote::Any, Vote::All, Vote::Ballot][self.random.usize(..3)];
                    Statement::Vote { to: self.variable(), kind, condition: self.condition() }
                }
                8 if depth > 0 => {
                    let (number, rounds) = (self.number(), self.random.u32(1..4));
                    Statement::Together { number, rounds, body: self.converged(room, whole, depth - 1, 1..5) }
                }
                _ => self.statement(room),
            })
            .collect()
    }

    fn statement(&mut self, room: Room) -> Statement {
        let inner = Room { depth: room.depth.saturating_sub(1), ..room };
        match self.random.u8(..20) {
            0..3 if room.depth > 0 => {
                let (condition, style) = (self.condition(), self.random.u8(..3));
                let otherwise = if self.random.bool() { self.block(inner, 1..4) } else { vec![] };
                Statement::If { condition, then: self.block(inner, 1..4), otherwise, style }
            }
            3..6 if room.depth > 0 => {
                let (number, rounds, mask) = (self.number(), self.value(), [1, 3, 7][self.random.usize(..3)]);
                Statement::Loop { number, rounds, mask, body: self.block(Room { in_loop: true, ..inner }, 1..4) }
            }
            6 | 7 if room.in_loop => Statement::Break(self.condition()),
            8 if room.leave => Statement::Leave(self.condition()),
            9 | 10 if room.slots => Statement::Store { slot: self.random.usize(..SLOTS), from: self.value() },
            11 if room.slots => Statement::Load { slot: self.random.usize(..SLOTS), to: self.variable() },
            12 if room.functions > 0 => {
                Statement::Call { to: self.variable(), function: self.random.usize(..room.functions), with: self.value() }
            }
            13 | 14 => Statement::Select { to: self.variable(), condition: self.condition(), a: self.value(), b: self.value() },
            _ => {
                use Binary::*;
                let op = [Add, Sub, Mul, And, Or, Xor, Left, Right, Min, Max][self.random.usize(..10)];
                Statement::Assign { to: self.variable(), op, a: self.value(), b: self.value() }
            }
        }
    }

    fn number(&mut self) -> usize {
        self.loops += 1;
        self.loops - 1
    }

    fn variable(&mut self) -> usize {
        self.random.usize(..VARIABLES)
    }

    fn value(&mut self) -> Value {
        match self.random.u8(..10) {
            0 => Value::Thread,
            1 => Value::Lane,
            2 => Value::Constant(self.random.u32(..)),
            3 | 4 => Value::Constant(self.random.u32(..40)),
            _ => Value::Variable(self.variable()),
        }
    }

    fn condition(&mut self) -> Condition {
        use Compare::*;
        let compare = [Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual][self.random.usize(..6)];
        let b = if self.random.bool() { Value::Constant(self.random.u32(..32)) } else { self.value() };
        Condition { compare, a: self.value(), b }
    }
}
