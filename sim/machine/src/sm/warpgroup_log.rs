// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The instructions `wgmma` that the warps of each warpgroup have executed. All four warps must execute the same ones, with the same
//! matrix descriptors.

use crate::report::Misuse;
use crate::warp::threads::At;
use bcu_program::{Place, GROUP_WARPS};
use std::collections::{HashMap, VecDeque};

/// The maximum number of misuses with the same code.
const MOST: usize = 20;

/// An executed instruction: its location, and the known descriptors of its matrices.
#[derive(Clone, Debug)]
pub(super) struct Executed {
    /// The warp that was the first to execute the instruction.
    pub warp: usize,
    pub at: At,
    pub place: Place,
    pub descriptors: [Option<u64>; 2],
}

/// The difference between an instruction of one warp and that of another warp of its warpgroup.
#[derive(Debug)]
pub(super) enum Difference {
    Instruction(Executed),
    /// The matrix, `A` or `B`; the descriptors of this warp and of the other warp; the instruction of the other warp.
    Descriptor(char, [u64; 2], Executed),
    /// This warp has exited before it executed so many instructions.
    Exited(usize),
}

#[derive(Debug, Default)]
struct Log {
    /// The instructions that some warp of the warpgroup has not executed yet.
    executed: VecDeque<Executed>,
    /// The number of instructions before `executed`, which all warps have executed.
    dropped: usize,
    /// For each warp, the number of instructions that it has executed.
    counts: [usize; GROUP_WARPS],
    /// For each warp, whether it has exited.
    exited: [bool; GROUP_WARPS],
    /// Whether a difference has been found: the rest is not compared.
    is_diverged: bool,
}

/// A warpgroup: its CTA, and its number in the CTA.
type Key = (usize, usize);

/// The warpgroups of a multiprocessor.
#[derive(Debug, Default)]
pub(in super::super) struct WarpgroupLogs {
    logs: HashMap<Key, Log>,
    pub misuses: Vec<Misuse>,
}

impl WarpgroupLogs {
    /// Adds a misuse, at most once for each location.
    pub(super) fn add(&mut self, misuse: Misuse) {
        let same = |known: &&Misuse| known.code == misuse.code;
        let is_known = self.misuses.iter().filter(same).any(|known| known.place == misuse.place);
        if !is_known && self.misuses.iter().filter(same).count() < MOST {
            self.misuses.push(misuse);
        }
    }

    pub(super) fn is_diverged(&self, key: Key) -> bool {
        self.logs.get(&key).is_some_and(|log| log.is_diverged)
    }

    /// Records that the warps of a warpgroup no longer execute the same instructions. Returns whether this is new.
    pub(super) fn diverges(&mut self, key: Key) -> bool {
        !std::mem::replace(&mut self.logs.entry(key).or_default().is_diverged, true)
    }

    /// Records an instruction of a warp, and compares it with the instruction that another warp has executed in its place.
    pub(super) fn execute(&mut self, key: Key, executed: Executed) -> Option<Difference> {
        let log = self.logs.entry(key).or_default();
        let position = executed.warp % GROUP_WARPS;
        let number = log.counts[position];
        log.counts[position] += 1;
        if log.is_diverged {
            return None;
        }
        let gone = (0..GROUP_WARPS).find(|other| log.exited[*other] && log.counts[*other] <= number);
        let difference = match log.executed.get_mut(number - log.dropped) {
            _ if gone.is_some() => gone.map(Difference::Exited),
            None => {
                log.executed.push_back(executed);
                None
            }
            Some(other) if other.at != executed.at => Some(Difference::Instruction(other.clone())),
            Some(other) => {
                let both = other.descriptors.iter_mut().zip(executed.descriptors).zip(['A', 'B']);
                let mut different = None;
                for ((known, given), matrix) in both {
                    match (*known, given) {
                        (Some(known), Some(given)) if known != given => {
                            different = different.or(Some((matrix, [given, known])))
                        }
                        (None, given) => *known = given,
                        _ => {}
                    }
                }
                different.map(|(matrix, given)| Difference::Descriptor(matrix, given, other.clone()))
            }
        };
        let least = log.counts.iter().copied().min().unwrap_or(0);
        while log.dropped < least {
            log.executed.pop_front();
            log.dropped += 1;
        }
        log.is_diverged |= difference.is_some();
        difference
    }

    /// Records the exit of a warp. If another warp of the warpgroup has executed more instructions, returns the first that this warp has
    /// not executed.
    pub(super) fn exit(&mut self, key: Key, warp: usize) -> Option<Executed> {
        let log = self.logs.entry(key).or_default();
        let position = warp % GROUP_WARPS;
        log.exited[position] = true;
        let next = log.counts[position].checked_sub(log.dropped);
        let missing = next.and_then(|next| log.executed.get(next)).filter(|_| !log.is_diverged).cloned();
        log.is_diverged |= missing.is_some();
        if log.exited.iter().all(|exited| *exited) {
            self.logs.remove(&key);
        }
        missing
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn executed(warp: usize, instr: usize, descriptor: u64) -> Executed {
        let at = At { function: 0, instr };
        Executed { warp, at, place: Place { line: 1, text: "".into(), origin: None }, descriptors: [None, Some(descriptor)] }
    }

    #[test]
    fn the_warps_may_run_ahead_of_each_other() {
        let mut logs = WarpgroupLogs::default();
        for warp in [0, 0, 1, 1, 2, 3, 3, 2] {
            let number = logs.logs.get(&(0, 0)).map_or(0, |log| log.counts[warp]);
            assert!(logs.execute((0, 0), executed(warp, number, 7)).is_none());
        }
        assert_eq!((logs.logs[&(0, 0)].dropped, logs.logs[&(0, 0)].executed.len()), (2, 0));
        assert!((0..4).all(|warp| logs.exit((0, 0), warp).is_none()));
        assert!(logs.logs.is_empty());
    }

    #[test]
    fn another_instruction_or_descriptor_or_an_exit_is_a_difference() {
        let mut logs = WarpgroupLogs::default();
        logs.execute((0, 0), executed(0, 5, 7));
        assert!(matches!(logs.execute((0, 0), executed(1, 6, 7)), Some(Difference::Instruction(other)) if other.warp == 0));
        assert!(logs.execute((0, 0), executed(2, 8, 7)).is_none(), "only the first difference counts");
        logs.execute((1, 0), executed(0, 5, 7));
        assert!(matches!(logs.execute((1, 0), executed(1, 5, 8)), Some(Difference::Descriptor('B', [8, 7], _))));
        logs.execute((2, 0), executed(0, 5, 7));
        assert_eq!(logs.exit((2, 0), 3).map(|missing| missing.at.instr), Some(5));
        logs.execute((3, 0), executed(0, 5, 7));
        logs.execute((3, 0), executed(3, 5, 7));
        assert!(logs.exit((3, 0), 3).is_none());
        assert!(matches!(logs.execute((3, 0), executed(0, 6, 7)), Some(Difference::Exited(3))));
        assert!(logs.exit((4, 0), 2).is_none());
        assert!(matches!(logs.execute((4, 0), executed(0, 5, 7)), Some(Difference::Exited(2))));
    }
}
