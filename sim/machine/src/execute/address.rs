// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The target of an access: address, memory and bytes.

use super::env::Env;
use super::{stop, Stopped};
use crate::memory::{self, AccessEffect, AccessRange, Bank, Limits, Memory, Misplaced, Part, Use, User};
use crate::warp::Warp;
use bcu_program::launch::written;
use bcu_program::tensor::ALIGNMENT;
use bcu_program::{window, Access, AccessKind, Instr, Space, TensorCopy};

/// Builds the access of an instruction from the parts of its lanes.
pub(super) fn new(
    warp: &Warp,
    request: &Access,
    effect: AccessEffect,
    (parts, touched): (Vec<Part>, Vec<memory::Range>),
    env: &Env,
) -> memory::Access {
    memory::Access {
        number: 0,
        warp: env.index,
        cta: warp.cta,
        slot: warp.slot,
        epoch: false,
        announced: !request.asynchronous(),
        copy: None,
        effect,
        ty: request.ty,
        bytes: bytes(request),
        parts,
        order: request.order,
        due: 0,
        touched,
        place: None,
        execution: None,
        strong: None,
    }
}

/// The number of bytes that a lane accesses at its address.
pub(super) fn bytes(request: &Access) -> u64 {
    match request.kind {
        AccessKind::Copy { bytes, .. } => bytes,
        _ => (request.ty.bytes() * request.count) as u64,
    }
}

/// Base plus offset. A 32-bit address, or a shared address below the generic window, wraps at 32 bits.
pub(super) fn address(request: &Access, base: u64, offset: i64) -> u64 {
    let base = if request.narrow { base & 0xffff_ffff } else { base };
    let at = base.wrapping_add(offset as u64);
    if request.narrow || request.space == Space::Shared && at < window::SHARED {
        at & 0xffff_ffff
    } else {
        at
    }
}

/// As [`place_at`], for an address that must be a multiple of the number of bytes.
pub(super) fn place(
    warp: &Warp,
    instr: &Instr,
    (space, at, bytes): (Space, u64, u64),
    how: Use,
    lane: usize,
    env: &Env,
) -> Result<(Bank, u64), Stopped> {
    // No object that one access covers has a larger alignment than a tensor map.
    place_at(warp, instr, AccessRange { space, address: at, bytes, align: bytes.min(ALIGNMENT), how }, lane, env)
}

/// The use that an access makes of its address.
pub(super) fn how(request: &Access) -> Use {
    match &request.kind {
        AccessKind::Load | AccessKind::Nothing | AccessKind::Texture(_) | AccessKind::Matrix { stored: None, .. } => Use::Load,
        AccessKind::Prefetch { .. } => Use::Hint,
        AccessKind::Tensor(TensorCopy { shared: None, .. }) => Use::Hint,
        AccessKind::Tensor(TensorCopy { signal: Some(_), .. }) => Use::Load,
        AccessKind::Store(_)
        | AccessKind::Atomic { .. }
        | AccessKind::Matrix { stored: Some(_), .. }
        | AccessKind::Copy { .. }
        | AccessKind::CopyMap { .. }
        | AccessKind::Bulk(_)
        | AccessKind::Tell { .. }
        | AccessKind::Tensor(_) => Use::Store,
    }
}

/// Text with the variable or buffer at a wrong address, unless the message `why` has it already, and with the option that gives the missing
/// dynamic shared memory.
fn beside(warp: &Warp, memory: &Memory, range: &AccessRange, why: &str) -> String {
    let shared = match (range.space, window::classify(range.address)) {
        (Space::Shared, _) => Some(window::inside(Space::Shared, range.address)),
        (Space::Generic, Some((Space::Shared, at))) => Some(at),
        _ => None,
    };
    let found = match shared {
        Some(at) => warp.code().shared_variable(at),
        None => memory.located(range.address),
    };
    let named = found.filter(|_| !why.contains('`'));
    let mut text = named.map_or(String::new(), |(name, offset)| format!(", byte {offset} of `{}`", written(name)));
    let grid = &warp.program.grid;
    let is_dynamic = |at: u64| match &warp.code().dynamic {
        Some((_, first)) => at >= *first,
        None => grid.shared == Some(0),
    };
    if grid.dynamic == 0
        && shared.is_some_and(|at| is_dynamic(at) && grid.shared_end().is_some_and(|end| at.saturating_add(range.bytes) > end))
    {
        text += "; `--shared BYTES` gives dynamic shared memory";
    }
    text
}

/// Returns the memory that a lane accesses, and the address in it. Fails if the address is
/// misaligned or outside of all memory, or if the lane must first wait for an earlier grid.
pub(super) fn place_at(warp: &Warp, instr: &Instr, range: AccessRange, lane: usize, env: &Env) -> Result<(Bank, u64), Stopped> {
    let grid = &warp.program.grid;
    let limits = Limits { ctas: &warp.ctas, cta: warp.cta, warp: env.index, lane, grid, bare: warp.code().bare };
    match env.memory.as_ref() {
        Some(memory) => {
            let misplaced = |Misplaced(why): Misplaced| {
                let beside = beside(warp, memory, &range, &why);
                stop::misplaced(warp, instr, lane, &(why + &beside))
            };
            let (bank, at) = memory.place(range, limits).map_err(misplaced)?;
            let waited = warp.awaited || !grid.programmatic;
            let Warp { cta, warp, grid, .. } = *warp;
            let user = || User { grid, cta, warp, lane, span: instr.span.clone(), waited };
            let global = (bank == Bank::Global).then(user);
            match global.and_then(|user| memory.uses(user, at, range.bytes, range.how)) {
                Some((unordered, name)) => Err(stop::not_awaited(&unordered, name)),
                None => Ok((bank, at)),
            }
        }
        // A look-ahead has no memory and performs nothing, so it does not check the address.
        None => Ok(Memory::bank_of(&range, &limits).unwrap_or((Bank::Global, range.address))),
    }
}
