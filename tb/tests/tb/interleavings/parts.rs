// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Programs from operations, and their outcomes.

use bcu_tb::interleavings::{
    explore, run, ArrivalForm, End, Explored, Mbar, Misuse, Op, OpKind, Outcome, Program, Token, Value, Word,
};
use std::collections::BTreeSet;

pub const X: Word = Word::Shared { word: 0, peer: false };
pub const Y: Word = Word::Shared { word: 1, peer: false };
pub const M: Mbar = Mbar { number: 0, peer: false };

pub fn store(at: Word, value: u32) -> OpKind {
    OpKind::Store { at, value: Value::Constant(value), strong: true }
}

pub fn load(at: Word) -> OpKind {
    OpKind::Load { at, strong: true }
}

pub fn sync(id: u8) -> OpKind {
    OpKind::Sync { id, count: None }
}

pub fn init(count: u32) -> OpKind {
    OpKind::Init { at: M, count }
}

pub fn arrive() -> OpKind {
    OpKind::Arrive { at: M, count: 1, form: ArrivalForm::Plain, drop: false, relaxed: false, token: Token::Unused }
}

pub fn relaxed() -> OpKind {
    OpKind::Arrive { at: M, count: 1, form: ArrivalForm::Plain, drop: false, relaxed: true, token: Token::Unused }
}

pub fn wait(parity: bool) -> OpKind {
    OpKind::WaitParity { at: M, parity }
}

pub fn bulk(pieces: u8) -> OpKind {
    OpKind::BulkLoad { tile: 0, at: M, pieces }
}

pub fn program(warps: &[&[OpKind]]) -> Program {
    let warps = warps.iter().map(|ops| ops.iter().copied().map(Op::from).collect()).collect();
    Program { ctas: 1, lane_zero_only: false, warps }
}

/// Two CTAs of a cluster, of one warp each.
pub fn cluster(first: &[OpKind], second: &[OpKind]) -> Program {
    Program { ctas: 2, ..program(&[first, second]) }
}

#[track_caller]
pub fn explored(warps: &[&[OpKind]]) -> Explored {
    explored_program(program(warps))
}

/// Explores a program to its end, and checks that some runs on the machine have outcomes of it.
#[track_caller]
pub fn explored_program(program: Program) -> Explored {
    let explored = explore(&program, 300_000);
    assert!(explored.finished, "{}", program.ptx());
    let shown: BTreeSet<_> = explored.outcomes.iter().map(Outcome::shown).collect();
    for seed in 1..=6 {
        let ran = run(&program, seed).unwrap_or_else(|why| panic!("{why}\n{}", program.ptx()));
        let found = ran.shown(&program).unwrap_or_else(|| panic!("{}\n{}", ran.report, program.ptx()));
        assert!(shown.contains(&found), "schedule {seed} has {found:?}, none of {shown:?}\n{}", program.ptx());
    }
    explored
}

/// The results that a program reports: of each execution those of all warps, in order; `None` if it hangs.
#[track_caller]
pub fn results(warps: &[&[OpKind]]) -> BTreeSet<Option<Vec<u32>>> {
    results_of(program(warps))
}

#[track_caller]
pub fn results_of(program: Program) -> BTreeSet<Option<Vec<u32>>> {
    let of = |outcome: &Outcome| match outcome {
        Outcome::Misuse => panic!("misuse"),
        Outcome::Final { warps, .. } => {
            let results = warps.iter().map(|end| match end {
                End::Exited(results) => Some(results.clone()),
                End::Blocked { .. } => None,
            });
            results.collect::<Option<Vec<_>>>().map(|results| results.concat())
        }
    };
    explored_program(program).outcomes.iter().map(of).collect()
}

pub fn values(list: &[&[u32]]) -> BTreeSet<Option<Vec<u32>>> {
    list.iter().map(|values| Some(values.to_vec())).collect()
}

#[track_caller]
pub fn only_misuse(warps: &[&[OpKind]], misuse: &'static str) {
    let explored = explored(warps);
    assert_eq!((explored.outcomes, explored.misuses), ([Outcome::Misuse].into(), [Misuse(misuse)].into()));
}
