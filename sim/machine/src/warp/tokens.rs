// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Results of operations on mbarriers: the word of each lane, derived from the single word that the unit outputs.
//!
//! The unit outputs the word before the joint operation of all lanes. The word of a lane also includes the effects (arrivals, expected
//! bytes) of the lanes before it. Only the last lane can complete the phase, so none of these words belongs to the next phase.

use super::pending::{From, Owed, Pending};
use super::shares::Shares;
use super::{bits, At, Warp};
use bcu_isa::mbar::{ArriveMode, Mbar, MbarOp, Number};
use bcu_program::Op;

/// The number of equal rounds of a loop after which a warp counts as polling.
const ROUNDS: u32 = 3;

impl Warp {
    /// Records that the unit has accepted the mbarrier operation at its port, from location `at`. If the operation has a result, the warp
    /// now awaits the result.
    pub fn await_mbarrier(&mut self, at: At, Mbar { does, .. }: &Mbar) {
        let issue = self.issue;
        let Some(instr) = self.instr(at) else { return };
        let write = |index: usize| instr.writes.get(index).copied().flatten();
        // An instruction word has three results: the low half of the token, the predicate, and the high half.
        let of_word = matches!(instr.op, Op::Word(_));
        let lanes = issue.lanes();
        if lanes == 0 {
            // An instruction without lanes is not an operation and has no result.
            return;
        }
        let (registers, predicates, shares) = match *does {
            MbarOp::Arrive { mode, number, .. } => {
                let number = match number {
                    Number::Imm(n) => n.into(),
                    Number::Reg(_) => issue.rb.into(),
                };
                let (arrivals, bytes) = if mode.expects() { (1, number) } else { (number, 0) };
                let drops = matches!(mode, ArriveMode::Drop | ArriveMode::DropExpect | ArriveMode::DropNoComplete);
                let mut registers = self.owed(lanes, write(0).into_iter());
                if of_word {
                    registers.extend(self.owed(lanes, write(2).into_iter()));
                }
                (registers, Owed::new(), Shares { arrivals, bytes, drops, halves: of_word })
            }
            MbarOp::Test { .. } | MbarOp::Try { .. } => {
                let predicate = if of_word { write(1) } else { write(0) };
                (Owed::new(), self.owed(lanes, predicate.into_iter()), Shares::default())
            }
            _ => return,
        };
        if !predicates.is_empty() && lanes == self.lanes {
            let digest = self.values.digest();
            let before = self.poll.filter(|(last, last_digest, _)| (*last, *last_digest) == (at, digest));
            self.poll = Some((at, digest, before.map_or(1, |(.., times)| times + 1)));
        }
        self.expect(Pending { from: From::Mbarrier { lanes, shares }, registers, predicates });
    }

    /// Whether all lanes repeat a loop in which only the answer of an mbarrier can change.
    pub fn only_polls(&self) -> bool {
        self.poll.is_some_and(|(.., times)| times > ROUNDS)
    }

    /// Restarts the count of polls, since something outside the warp has changed.
    pub fn restart_polls(&mut self) {
        self.poll = None;
    }

    /// Whether the warp awaits the answer to an operation on an mbarrier.
    pub fn awaits_mbarrier(&self) -> bool {
        self.scoreboard.iter().any(|due| matches!(due.from, From::Mbarrier { .. }))
    }

    /// Whether lanes wait for the answer of a wait at an mbarrier, which is a predicate alone.
    pub fn waits_at_mbarrier(&self) -> bool {
        let is_wait = |due: &&Pending| matches!(due.from, From::Mbarrier { .. }) && due.registers.is_empty();
        self.scoreboard.iter().find(is_wait).is_some_and(|due| !due.predicates.is_empty())
    }

    /// Writes the result of the oldest operation on an mbarrier: the word before the operation and a predicate, or `None` if the operation
    /// was refused. Returns the lanes that executed the operation.
    pub fn has_token(&mut self, result: Option<(u64, bool)>) -> u64 {
        let first = self.scoreboard.iter().position(|due| matches!(due.from, From::Mbarrier { .. }));
        let Some(Pending { from: From::Mbarrier { lanes, shares }, registers, predicates }) =
            first.map(|first| self.settle(first))
        else {
            return 0;
        };
        // If the word is written in halves, the registers of the upper halves follow those of the lower halves.
        let upper = registers.len() / 2;
        for (number, (register, of_register)) in registers.iter().enumerate() {
            for lane in bits(*of_register) {
                let place = (lanes & ((1 << lane) - 1)).count_ones();
                match result.map(|(word, _)| shares.word(word, place.into())) {
                    Some(word) if shares.halves && number < upper => self.values.set(*register, lane, Some(word & 0xffff_ffff)),
                    Some(word) if shares.halves => self.values.set(*register, lane, Some(word >> 32)),
                    Some(word) => self.values.set(*register, lane, Some(word)),
                    None => self.keep(*register, lane, 0),
                }
            }
        }
        for (register, of_register) in &predicates {
            for lane in bits(*of_register) {
                match result {
                    Some((_, answer)) => self.values.set(*register, lane, Some(answer.into())),
                    // A refused wait returns true, so that a loop around the wait ends and the fault is reported.
                    None => self.keep(*register, lane, 1),
                }
            }
        }
        lanes
    }

    /// Keeps the value of a register, because a refused operation does not write it. An unknown register gets `otherwise`, so that the run
    /// continues.
    fn keep(&mut self, register: usize, lane: usize, otherwise: u64) {
        if self.values.get(register, lane).is_none() {
            self.values.set(register, lane, Some(otherwise));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bcu_model::mbarrier_object::{MbarrierKind, Object};

    /// Checks that the words equal those of the same operation, executed lane by lane on an object.
    #[test]
    fn shares_are_what_lanes_one_after_the_other_see() {
        let cases = [
            (MbarrierKind::Arrive, Shares { arrivals: 3, ..Shares::default() }),
            (MbarrierKind::ArriveExpect, Shares { arrivals: 1, bytes: 640, ..Shares::default() }),
            (MbarrierKind::Drop, Shares { arrivals: 2, drops: true, ..Shares::default() }),
            (MbarrierKind::DropExpect, Shares { arrivals: 1, bytes: 16, drops: true, ..Shares::default() }),
        ];
        for (kind, shares) in cases {
            let mut object = Object::new(100);
            let (n, t) = (shares.arrivals as u32, shares.bytes as u32);
            let first = object.word();
            for lane in 0..32 {
                assert_eq!(shares.word(first, lane), object.word(), "{kind:?} lane {lane}");
                object = object.after(kind, n, t, true).unwrap().0;
            }
        }
    }
}
