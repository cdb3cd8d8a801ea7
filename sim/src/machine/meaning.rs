// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What a barrier instruction asks for, read from its word and register values as the unit's `decode` does.

use bcu_hw::isa::instr::{decode, BarMode, Op, Pred, Source};
use serde::Serialize;

/// What an arrival does to its warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    /// Arrives and waits.
    Sync,
    /// Arrives and goes on.
    Arv,
}

/// An arrival as asked for; `count` is in threads, 0 = none given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ask {
    pub form: Form,
    pub id: u8,
    pub count: u32,
}

/// What the unit does with a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    /// Taken without effect: the guard is false in all lanes.
    Nothing,
    /// No instruction, or none that is built.
    Illegal,
    Arrival(Ask),
}

/// `ra` and `rb` are the values of the registers named at those places.
pub(super) fn meaning(word: [u32; 4], ra: u32, rb: u32) -> Meaning {
    let Ok(instr) = decode(word) else { return Meaning::Illegal };
    let Op::Bar { mode, source } = instr.op else { return Meaning::Illegal };
    if never(instr.guard) {
        return Meaning::Nothing;
    }
    let (id, count) = match source {
        Source::I { id, count } => (id.into(), count.into()),
        Source::Rr { .. } => (ra, rb),
        Source::Rri { count, .. } => (rb, count.into()),
        Source::Rir { id, .. } => (id.into(), rb),
    };
    let form = if mode == BarMode::Sync { Form::Sync } else { Form::Arv };
    Meaning::Arrival(Ask { form, id: (id & 15) as u8, count: count & 0xfff })
}

/// Whether the word's guard is `!PT`; any other guard is taken as true, since a step has no predicates.
pub(super) fn guarded_off(word: [u32; 4]) -> bool {
    decode(word).is_ok_and(|instr| never(instr.guard))
}

fn never(guard: Pred) -> bool {
    guard == Pred { not: true, ..Pred::PT }
}
