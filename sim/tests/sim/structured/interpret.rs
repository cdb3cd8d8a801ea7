// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The semantics of a structured program: evaluates the tree itself, one thread after the other.

use super::tree::{Binary, Compare, Condition, Program, Shuffle, Statement, Value, Vote, SLOTS, VARIABLES};

#[derive(Clone, Copy)]
struct Frame {
    variables: [u32; VARIABLES],
    thread: u32,
}

#[derive(Clone, Copy)]
struct Thread {
    frame: Frame,
    slots: [u32; SLOTS],
    has_left: bool,
}

#[derive(PartialEq, Eq)]
enum Flow {
    Next,
    Break,
    Leave,
}

/// The final variables of every thread.
pub fn results(program: &Program) -> Vec<[u32; VARIABLES]> {
    let start = |thread: u32| Thread {
        frame: Frame { variables: std::array::from_fn(|i| thread.wrapping_mul(2 * i as u32 + 1) + i as u32), thread },
        slots: std::array::from_fn(|slot| thread * (slot as u32 + 7)),
        has_left: false,
    };
    let mut threads: Vec<Thread> = (0..program.threads).map(start).collect();
    together(program, &program.body, &mut threads);
    threads.iter().map(|thread| thread.frame.variables).collect()
}

/// Executes statements at which all threads are converged: all threads execute each statement before the next.
fn together(program: &Program, block: &[Statement], threads: &mut [Thread]) {
    for statement in block {
        match statement {
            Statement::Together { rounds, body, .. } => (0..*rounds).for_each(|_| together(program, body, threads)),
            Statement::Barrier => {}
            Statement::Exchange { to, slot, distance } => {
                let values: Vec<u32> = threads.iter().map(|thread| thread.slots[*slot]).collect();
                for (index, thread) in threads.iter_mut().enumerate().filter(|(_, thread)| !thread.has_left) {
                    thread.frame.variables[*to] = values[(index + *distance as usize) % values.len()];
                }
            }
            Statement::Shuffle { to, kind, from, by } => {
                for warp in threads.chunks_mut(32) {
                    let values: Vec<u32> = warp.iter().map(|thread| thread.frame.value(*from)).collect();
                    let by = *by as usize;
                    for (lane, thread) in warp.iter_mut().enumerate() {
                        let from = match kind {
                            Shuffle::Up => lane.checked_sub(by),
                            Shuffle::Down => Some(lane + by),
                            Shuffle::Butterfly => Some(lane ^ by),
                            Shuffle::Index => Some(by),
                        };
                        thread.frame.variables[*to] = from.and_then(|from| values.get(from)).copied().unwrap_or(values[lane]);
                    }
                }
            }
            Statement::Vote { to, kind, condition } => {
                for warp in threads.chunks_mut(32) {
                    let bit = |(lane, thread): (usize, &Thread)| u32::from(thread.frame.holds(condition)) << lane;
                    let ballot: u32 = warp.iter().enumerate().map(bit).sum();
                    let value = match kind {
                        Vote::Any => (ballot != 0).into(),
                        Vote::All => (ballot == u32::MAX).into(),
                        Vote::Ballot => ballot,
                    };
                    warp.iter_mut().for_each(|thread| thread.frame.variables[*to] = value);
                }
            }
            alone => {
                for thread in threads.iter_mut().filter(|thread| !thread.has_left) {
                    thread.has_left = step(program, alone, &mut thread.frame, &mut thread.slots) == Flow::Leave;
                }
            }
        }
    }
}

fn run(program: &Program, block: &[Statement], frame: &mut Frame, slots: &mut [u32; SLOTS]) -> Flow {
    for statement in block {
        let flow = step(program, statement, frame, slots);
        if flow != Flow::Next {
            return flow;
        }
    }
    Flow::Next
}

fn step(program: &Program, statement: &Statement, frame: &mut Frame, slots: &mut [u32; SLOTS]) -> Flow {
    match statement {
        Statement::Assign { to, op, a, b } => frame.variables[*to] = binary(*op, frame.value(*a), frame.value(*b)),
        Statement::Select { to, condition, a, b } => {
            frame.variables[*to] = frame.value(if frame.holds(condition) { *a } else { *b });
        }
        Statement::If { condition, then, otherwise, .. } => {
            return run(program, if frame.holds(condition) { then } else { otherwise }, frame, slots);
        }
        Statement::Loop { rounds, mask, body, .. } => {
            for _ in 0..frame.value(*rounds) & mask {
                match run(program, body, frame, slots) {
                    Flow::Next => {}
                    Flow::Break => break,
                    Flow::Leave => return Flow::Leave,
                }
            }
        }
        Statement::Break(condition) if frame.holds(condition) => return Flow::Break,
        Statement::Leave(condition) if frame.holds(condition) => return Flow::Leave,
        Statement::Break(_) | Statement::Leave(_) => {}
        Statement::Store { slot, from } => slots[*slot] = frame.value(*from),
        Statement::Load { slot, to } => frame.variables[*to] = slots[*slot],
        Statement::Call { to, function, with } => {
            let given = frame.value(*with);
            let variables = std::array::from_fn(|i| given.wrapping_add(i as u32));
            let mut inner = Frame { variables, thread: frame.thread };
            run(program, &program.functions[*function], &mut inner, slots);
            frame.variables[*to] = inner.variables[0];
        }
        Statement::Together { .. }
        | Statement::Barrier
        | Statement::Exchange { .. }
        | Statement::Shuffle { .. }
        | Statement::Vote { .. } => unreachable!("only where all threads are converged"),
    }
    Flow::Next
}

impl Frame {
    fn value(&self, value: Value) -> u32 {
        match value {
            Value::Variable(number) => self.variables[number],
            Value::Constant(constant) => constant,
            Value::Thread => self.thread,
            Value::Lane => self.thread % 32,
        }
    }

    fn holds(&self, condition: &Condition) -> bool {
        let (a, b) = (self.value(condition.a), self.value(condition.b));
        match condition.compare {
            Compare::Equal => a == b,
            Compare::NotEqual => a != b,
            Compare::Less => a < b,
            Compare::LessEqual => a <= b,
            Compare::Greater => a > b,
            Compare::GreaterEqual => a >= b,
        }
    }
}

fn binary(op: Binary, a: u32, b: u32) -> u32 {
    match op {
        Binary::Add => a.wrapping_add(b),
        Binary::Sub => a.wrapping_sub(b),
        Binary::Mul => a.wrapping_mul(b),
        Binary::And => a & b,
        Binary::Or => a | b,
        Binary::Xor => a ^ b,
        // A shift by 32 or more shifts out all bits.
        Binary::Left => a.checked_shl(b).unwrap_or(0),
        Binary::Right => a.checked_shr(b).unwrap_or(0),
        Binary::Min => a.min(b),
        Binary::Max => a.max(b),
    }
}
