// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Waits that a loop repeats: at an mbarrier until the awaited phase is complete, or for a value in memory. All rounds of the loop are one
//! interval.

use super::intervals::{Awaited, PhaseWait, Polled};
use crate::memory::{Bank, Memory};
use crate::sm::{Sm, OFFSET};
use crate::warp::threads::At;
use crate::warp::Warp;
use bcu_program::window::RANK_AT;
use bcu_program::{is_load_or_atomic, is_retried, polling_loop, Op};
use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::sync::Arc;

/// The maximum number of recorded cycles in which the waits of one interval timed out.
const MOST_TIMED_OUT: usize = 64;

/// An instruction of a program, whose key is the address of its code.
type Key = (usize, At);

/// The loops of all programs that repeat a wait or a load.
#[derive(Clone, Debug, Default)]
pub(super) struct Loops {
    retried: HashMap<Key, bool>,
    polling: HashMap<Key, Option<RangeInclusive<usize>>>,
}

impl Loops {
    /// Whether a loop repeats a wait at an mbarrier until it returns true.
    fn is_retried(&mut self, warp: &Warp, at: At) -> bool {
        let find = || warp.code().functions.get(at.function).is_some_and(|function| is_retried(function, at.instr));
        *self.retried.entry(key(warp, at)).or_insert_with(find)
    }

    /// The instructions of the loop that repeats a load or an atomic operation until it returns another value.
    fn polling(&mut self, warp: &Warp, at: At) -> Option<RangeInclusive<usize>> {
        let find = || warp.code().functions.get(at.function).and_then(|function| polling_loop(function, at.instr));
        self.polling.entry(key(warp, at)).or_insert_with(find).clone()
    }
}

fn key(warp: &Warp, at: At) -> Key {
    (Arc::as_ptr(warp.code()) as usize, at)
}

/// The repeated wait of one warp, as far as it is recorded.
#[derive(Clone, Debug, Default)]
pub(super) struct Watch {
    /// The last wait at an mbarrier.
    wait: Option<At>,
    /// Whether the answer of a wait at an mbarrier is in flight.
    is_awaited: bool,
    /// Whether the last wait of the warp at an mbarrier returned false.
    pub has_failed: bool,
    /// Whether that wait has suspended the warp.
    suspends: bool,
    /// The last instruction.
    last: Option<At>,
    /// The loop around a load that the warp repeats: its function and its instructions.
    body: Option<(usize, RangeInclusive<usize>)>,
    /// The last backward branch, and the cycle since which the warp has executed it and has only read.
    looping: Option<(At, u64)>,
    /// Whether a load of the loop is in flight.
    is_loading: bool,
}

impl Watch {
    /// Whether a warp waits for the phase of an mbarrier, with the changes to what is recorded of the wait.
    pub fn is_at_mbarrier(&mut self, (sm, index): (&Sm, usize), loops: &mut Loops) -> bool {
        let warp = &sm.warps[index];
        let waiter = sm.record.mbarriers.waiters.get(&index);
        (self.has_failed, self.suspends) = (waiter.is_some(), waiter.is_some_and(|waiter| waiter.suspends));
        if warp.waits_at_mbarrier() {
            if self.wait.is_none() || !self.is_awaited {
                self.wait = Some(warp.last_at());
            }
            return true;
        }
        self.has_failed && self.wait.is_some_and(|at| loops.is_retried(warp, at))
    }

    /// Counts the answers of the wait in an interval of a wait at an mbarrier.
    pub fn count_answers(&mut self, (sm, index): (&Sm, usize), awaited: &mut Option<Box<Awaited>>, cycle: u64) {
        let is_awaited = sm.warps[index].waits_at_mbarrier();
        if awaited.is_none() {
            *awaited = phase_wait(sm, index).map(|wait| Box::new(Awaited::Phase(wait)));
        }
        if let Some(Awaited::Phase(wait)) = awaited.as_deref_mut() {
            wait.tries += u64::from(is_awaited && !self.is_awaited);
            if self.is_awaited && !is_awaited {
                wait.fails(self.suspends, cycle);
            }
        }
        self.is_awaited = is_awaited;
    }

    /// Ends an interval of a wait at an mbarrier.
    pub fn ends_wait(&mut self, awaited: &mut Option<Box<Awaited>>, cycle: u64) {
        if let Some(Awaited::Phase(wait)) = awaited.as_deref_mut() {
            if !self.has_failed {
                wait.complete = wait.exists;
            } else if self.is_awaited {
                wait.fails(self.suspends, cycle);
            }
        }
        self.is_awaited = false;
    }

    /// The cycle since which a warp repeats a load until another warp changes the value; `None` if it does not.
    pub fn polls_since(&mut self, (sm, index): (&Sm, usize), loops: &mut Loops, cycle: u64) -> Option<u64> {
        let warp = &sm.warps[index];
        let last = warp.last_at();
        if self.last != Some(last) {
            self.last = Some(last);
            let body = loops.polling(warp, last).map(|body| (last.function, body));
            self.body = body.or(self.body.take());
            match warp.instr(last).map(|instr| &instr.op) {
                Some(Op::Branch { target }) if *target <= last.instr => {
                    self.looping = self.looping.filter(|(branch, _)| *branch == last).or(Some((last, cycle)));
                }
                _ if !only_reads(warp, last) => self.looping = None,
                _ => {}
            }
        }
        let is_known = self.body.is_some();
        if !is_known && sm.spins(warp) {
            // Until the warp leaves the loop, or does more than read, it spins although other warps change something.
            self.body = warp.spins_at().and_then(|branch| Some((branch.function, loop_around(warp, branch)?)));
        }
        let is_inside =
            |(function, body): &(usize, RangeInclusive<usize>), at: At| at.function == *function && body.contains(&at.instr);
        let next = warp.chosen().map(|chosen| chosen.at);
        self.body.take_if(|body| {
            !only_reads(warp, last) || !is_inside(body, last) || !next.is_none_or(|next| is_inside(body, next))
        });
        let since = self.looping.map_or(cycle, |(_, since)| since);
        (self.body.is_some() || sm.spins(warp)).then_some(if is_known { cycle } else { since })
    }

    /// Counts the loads of an interval in which a warp repeats a load.
    pub fn count_loads(&mut self, (sm, index): (&Sm, usize), awaited: &mut Option<Box<Awaited>>, memory: &Memory) {
        let load = sm.load_of(index);
        let polled = awaited.get_or_insert_with(|| Box::new(Awaited::Polled(Polled { word: String::new(), reads: 0 })));
        if let Awaited::Polled(polled) = &mut **polled {
            if let Some((bank, address)) = load.filter(|_| polled.word.is_empty()) {
                polled.word = word(sm, memory, bank, address);
            }
            polled.reads += u64::from(load.is_some() && !self.is_loading);
        }
        self.is_loading = load.is_some();
    }
}

impl PhaseWait {
    /// Records that the wait returned false, after it had suspended the warp or at once.
    fn fails(&mut self, has_suspended: bool, cycle: u64) {
        if !has_suspended {
            self.failures += 1;
            return;
        }
        self.time_outs += 1;
        if self.timed_out.len() < MOST_TIMED_OUT {
            self.timed_out.push(cycle);
        }
    }

    /// Whether another wait is for the same phase of the same mbarrier.
    pub(super) fn is_same(&self, other: &PhaseWait) -> bool {
        (self.object.address, self.phase, self.parity) == (other.object.address, other.phase, other.parity)
    }

    /// Adds the executions of a later wait for the same phase.
    pub(super) fn append(&mut self, later: &PhaseWait) {
        self.tries += later.tries;
        self.failures += later.failures;
        self.time_outs += later.time_outs;
        let free = MOST_TIMED_OUT.saturating_sub(self.timed_out.len());
        self.timed_out.extend(later.timed_out.iter().take(free));
        self.complete = later.complete;
    }
}

/// The wait of a warp at an mbarrier; `None` if the unit has not accepted it.
fn phase_wait(sm: &Sm, index: usize) -> Option<PhaseWait> {
    let log = &sm.record.mbarriers;
    let waiting = log.waiters.get(&index).map(|waiter| (waiter.address, waiter.parity));
    let (address, parity) = sm.record.wait_in_flight(index).or(waiting)?;
    let Warp { cta, rank, .. } = sm.warps[index];
    // A wait at an mbarrier of another CTA is refused.
    let address = if address >> RANK_AT == rank as u32 { address & OFFSET } else { address };
    let (exists, open) = log.phase(cta, address).map_or((false, 0), |open| (true, open));
    let phase = if (open & 1 == 1) == parity { Some(open) } else { open.checked_sub(1) };
    let object = log.named(cta, address);
    Some(PhaseWait {
        object,
        phase,
        parity: parity.into(),
        tries: 0,
        failures: 0,
        time_outs: 0,
        timed_out: vec![],
        exists,
        complete: false,
    })
}

/// A word of memory as text, such as ``\`flag\` (0x7f00000000)``.
fn word(sm: &Sm, memory: &Memory, bank: Bank, address: u64) -> String {
    let (name, space) = match bank {
        Bank::Shared(cta) => (u32::try_from(address).ok().and_then(|at| sm.record.mbarriers.name(cta, at)), "in shared memory"),
        Bank::Global => (memory.name(address), "in global memory"),
        Bank::Local(..) => (None, "in local memory"),
    };
    name.map_or(format!("{address:#x} {space}"), |name| format!("`{name}` ({address:#x})"))
}

/// Whether an instruction has no effect on other warps unless an atomic operation succeeds.
fn only_reads(warp: &Warp, at: At) -> bool {
    let is_calculation = |op: &Op| matches!(op, Op::Branch { .. } | Op::Calc { .. } | Op::Busy { .. });
    warp.instr(at).is_some_and(|instr| is_load_or_atomic(instr) || is_calculation(&instr.op))
}

/// The smallest loop around a branch: from the target of a backward branch to this branch.
fn loop_around(warp: &Warp, branch: At) -> Option<RangeInclusive<usize>> {
    let function = warp.code().functions.get(branch.function)?;
    function.instrs.iter().enumerate().skip(branch.instr).find_map(|(end, instr)| match instr.op {
        Op::Branch { target } if target <= branch.instr => Some(target..=end),
        _ => None,
    })
}

/// Whether the next instruction of a warp waits for asynchronous copies.
pub(super) fn awaits_copies(warp: &Warp) -> bool {
    let Some(chosen) = warp.chosen() else { return false };
    let Some(Op::WaitCopies(wait)) = warp.instr(chosen.at).map(|instr| &instr.op) else { return false };
    !crate::warp::threads::bits(chosen.lanes).all(|lane| warp.copies.done(lane, *wait))
}
