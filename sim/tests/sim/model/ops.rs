// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Shorthand for operations in tests, and for their effects.

use bcu_model::barriers::{Barriers, Effect};
use bcu_model::op::{Code, Kind, Operation, RedOp, Reduction, StateWord};
use bcu_model::outcome::{Fault, Read, Reduced, Release};
use bcu_model::Sizes;

pub fn op(kind: Kind, warp: u8, id: u8, count: u16) -> Operation {
    Operation { kind, warp, id, count, uniform: true, ..Operation::default() }
}

pub fn sync(warp: u8, id: u8, count: u16) -> Operation {
    op(Kind::Sync, warp, id, count)
}

pub fn arrive(warp: u8, id: u8, count: u16) -> Operation {
    op(Kind::Arrive, warp, id, count)
}

pub fn exit(warp: u8) -> Operation {
    op(Kind::Exit, warp, 0, 0)
}

pub fn launch(cta: u8, warps: u8, barriers: u8) -> Operation {
    Operation { cta, warps, live: warps, barriers, ..op(Kind::Launch, 0, 0, 0) }
}

pub fn release(cta: u8, mask: u64, saved: bool) -> Operation {
    Operation { cta, mask, saved, ..op(Kind::Release, 0, 0, 0) }
}

pub fn nothing() -> Effect {
    Effect::default()
}

pub fn released(cta: u8, id: u8, warps: u64) -> Effect {
    Effect { release: Some(Release { cta, id, warps, result: Reduced::default() }), ..nothing() }
}

/// The effect of an operation that is refused with this fault.
pub fn fault(op: &Operation, code: Code) -> Effect {
    Effect {
        fault: Some(Fault { code, has_warp: op.is_of_a_warp(), warp: op.warp, cta: op.cta, id: op.id, address: 0 }),
        ..nothing()
    }
}

/// Barriers with one CTA of `warps` warps in slot 0.
pub fn cta(sizes: Sizes, warps: u8) -> Barriers {
    let mut barriers = Barriers::new(sizes);
    assert_eq!(barriers.apply(&launch(0, warps, 16), 0), nothing());
    barriers
}

pub fn reduce(warp: u8, id: u8, count: u16, redop: RedOp, value: u8) -> Operation {
    Operation { redop, value, ..op(Kind::Reduce, warp, id, count) }
}

pub fn read(warp: u8, state: StateWord, id: u8) -> Operation {
    Operation { state, ..op(Kind::Read, warp, id, 0) }
}

pub fn write(warp: u8, state: StateWord, id: u8, data: u32) -> Operation {
    Operation { state, data, ..op(Kind::Write, warp, id, 0) }
}

/// The effect of an operation that completes a reduction: the release, with the result.
pub fn reduced(id: u8, warps: u64, reduction: Reduction, value: u16) -> Effect {
    let result = Reduced { reduction, value };
    Effect { release: Some(Release { cta: 0, id, warps, result }), ..nothing() }
}

/// The effect of a Read: the word and the predicate that it returns.
pub fn has_read(warp: u8, value: u32, predicate: bool) -> Effect {
    Effect { read: Some(Read { warp, value, predicate }), ..nothing() }
}
