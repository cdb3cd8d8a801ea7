// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Results of operations on mbarriers: what each lane gets of the one word that the unit shows.
//!
//! That word is the one before the operation of all lanes together. A lane's own is that with the effects of the lanes before it: these
//! have arrived, and expect their bytes. No lane but the last can complete the phase, so none of these words is one of the next phase.

use super::pending::{From, Pending};
use super::shares::Shares;
use super::{At, Warp};
use bcu_isa::instr::{decode, Op as UnitOp};
use bcu_isa::mbar::{ArriveMode, Mbar, MbarOp, Number};
use bcu_program::Op;

/// Rounds of a loop in which nothing has changed.
const ROUNDS: u32 = 3;

impl Warp {
    /// The unit took what stood at the port, from this instruction; if it is an operation on an mbarrier with a result, that is due.
    pub fn asks_mbarrier(&mut self, at: At) {
        let issue = self.issue;
        let Ok(UnitOp::Mbar(Mbar { does, .. })) = decode(issue.word).map(|instr| instr.op) else { return };
        let Some(instr) = self.instr(at) else { return };
        let write = |index: usize| instr.writes.get(index).copied().flatten();
        // Of a word: the low half, the predicate, the high half.
        let of_word = matches!(instr.op, Op::Word(_));
        let lanes = issue.lanes();
        if lanes == 0 {
            // Without a lane it is no operation, and has no result.
            return;
        }
        let (registers, predicates, shares) = match does {
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
                (registers, vec![], Shares { arrivals, bytes, drops, halves: of_word })
            }
            MbarOp::Test { .. } | MbarOp::Try { .. } => {
                let predicate = if of_word { write(1) } else { write(0) };
                (vec![], self.owed(lanes, predicate.into_iter()), Shares::default())
            }
            _ => return,
        };
        if !predicates.is_empty() && lanes == self.lanes {
            let digest = self.values.digest();
            let before = self.asking.filter(|(last, held, _)| (*last, *held) == (at, digest));
            self.asking = Some((at, digest, before.map_or(1, |(.., times)| times + 1)));
        }
        self.scoreboard.push(Pending { from: From::Mbarrier { lanes, shares }, registers, predicates });
    }

    /// All its lanes go round in a loop in which nothing changes but what an mbarrier answers.
    pub fn only_asks(&self) -> bool {
        self.asking.is_some_and(|(.., times)| times > ROUNDS)
    }

    /// Something has changed outside.
    pub fn asks_anew(&mut self) {
        self.asking = None;
    }

    /// A result of the unit is due.
    pub fn awaits_mbarrier(&self) -> bool {
        self.scoreboard.iter().any(|due| matches!(due.from, From::Mbarrier { .. }))
    }

    /// The oldest operation on an mbarrier has its result: the word before it and a predicate, or `None` if it was refused. Gives the
    /// lanes that executed it.
    pub fn has_token(&mut self, result: Option<(u64, bool)>) -> u64 {
        let first = self.scoreboard.iter().position(|due| matches!(due.from, From::Mbarrier { .. }));
        let Some(Pending { from: From::Mbarrier { lanes, shares }, registers, predicates }) =
            first.map(|first| self.scoreboard.remove(first))
        else {
            return 0;
        };
        let each = lanes.count_ones() as usize;
        for (at, (lane, register)) in registers.iter().enumerate() {
            let (place, half) = (at % each.max(1), at / each.max(1));
            match result.map(|(word, _)| shares.word(word, place as u64)) {
                Some(word) if shares.halves => self.values.set(*register, *lane, Some(word >> (32 * half) & 0xffff_ffff)),
                Some(word) => self.values.set(*register, *lane, Some(word)),
                None => self.keep(*register, *lane, 0),
            }
        }
        for (lane, register) in &predicates {
            match result {
                Some((_, answer)) => self.values.set(*register, *lane, Some(answer.into())),
                // So that a loop around it ends, and the fault is told.
                None => self.keep(*register, *lane, 1),
            }
        }
        lanes
    }

    /// A refused operation leaves registers as they are; one that has no value gets this, so that the run goes on.
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

    /// Lane by lane on the object gives the same words.
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
