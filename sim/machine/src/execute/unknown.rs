// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Instructions that may or may not be executed: the registers that they write are unknown afterwards.

use super::super::memory::{Bank, Part, PartValues};
use super::super::warp::threads::{bits, At};
use super::super::warp::{Undecided, UnknownRead, Warp};
use super::env::Env;
use bcu_program::{Access, AccessKind, Instr, Op, Operand, Space};
use std::sync::Arc;

/// Makes the registers `slots` unknown in `lanes`, with the instruction `at` as the origin.
pub(super) fn forget(warp: &mut Warp, slots: impl Iterator<Item = usize>, at: At, lanes: u64) {
    for slot in slots {
        for lane in bits(lanes) {
            warp.set(slot, lane, None);
        }
        if let Some(lane) = bits(lanes).next() {
            let base = warp.threads.base[lane];
            warp.values.set_origin(base + slot, Some(at));
        }
    }
}

/// The instruction that made the first unknown operand of `sources` unknown in a lane.
pub(in super::super) fn origin(warp: &Warp, sources: &[Operand], lane: usize) -> Option<At> {
    sources.iter().find_map(|source| match source {
        Operand::Register { slot, .. } if warp.register(*slot, lane).is_none() => {
            warp.values.origin(warp.threads.base[lane] + slot)
        }
        _ => None,
    })
}

/// Records why the values that an access reads or stores are unknown, for messages. For an access that reads, returns the instruction that
/// made the value in memory unknown; `None` if no store did.
pub(super) fn record(
    warp: &mut Warp,
    (instr, request): (&Instr, &Access),
    at: At,
    parts: &[Part],
    env: &mut Env,
) -> Option<At> {
    let is_lost = |part: &&Part| part.address.is_none() && part.places.is_empty() && !part.unknown_guard;
    let lost = parts.iter().find(is_lost).map(|part| part.lane);
    if let Some(lane) = lost {
        let read = UnknownRead::NoAddress(origin(warp, request.address.as_slice(), lane));
        warp.unknown_reads.insert(at, read);
    }
    let memory = env.memory.as_mut()?;
    if lost.is_none() && request.loads() && memory.origins.is_empty() {
        return None;
    }
    let code = Arc::as_ptr(warp.code()) as usize;
    let bytes = super::address::bytes(request);
    let mut found = None;
    for part in parts {
        let Some(address) = part.address else {
            if lost.is_some() && !request.loads() {
                memory.origins.store_anywhere(part.bank, (code, at));
            }
            continue;
        };
        if !matches!(request.kind, AccessKind::Store(_)) {
            found = found.or_else(|| memory.origins.find(part.bank, address, bytes, code));
        }
        if let AccessKind::Store(Some(sources)) = &request.kind {
            let is_known = !part.unknown_guard && part.values.iter().all(Option::is_some);
            let guard = instr.guard.filter(|_| part.unknown_guard).map(|guard| Operand::register(guard.slot));
            let source =
                || guard.and_then(|guard| origin(warp, &[guard], part.lane)).or_else(|| origin(warp, sources, part.lane));
            let source = if is_known { None } else { source() };
            memory.origins.store(part.bank, address, bytes, source.map(|at| (code, at)));
        }
    }
    found
}

/// Records that it is unknown whether the lanes `lanes` execute an instruction, if other threads may observe the difference. An instruction
/// that only writes registers makes these unknown.
pub(super) fn undecided(warp: &mut Warp, instr: &Instr, at: At, lanes: u64) {
    let matters = match &instr.op {
        Op::Branch { .. } | Op::Switch { .. } | Op::Call(_) | Op::Return | Op::Exit => true,
        Op::Access(access) => !access.loads(),
        _ => false,
    };
    let (Some(guard), Some(lane)) = (instr.guard.filter(|_| matters), bits(lanes).next()) else { return };
    let origin = origin(warp, &[Operand::register(guard.slot)], lane);
    warp.undecided = Some(Undecided { at, lane, origin });
}

/// Completes the parts of a store for lanes whose address is unknown: a generic address may be one of global, shared or local memory. Local
/// memory is accessed at once, so its contents are unknown from now on.
pub(super) fn anywhere(warp: &Warp, request: &Access, parts: &mut Vec<Part>, env: &mut Env) {
    let without_address = |part: &&Part| part.address.is_none() && part.places.is_empty();
    let lost: Vec<Part> = parts.iter().filter(without_address).cloned().collect();
    if lost.is_empty() || !matches!(request.space, Space::Generic | Space::Local) {
        return;
    }
    if let Some(memory) = env.memory.as_mut() {
        lost.iter().for_each(|part| memory.forget_local(env.index, part.lane));
    }
    if let (Space::Generic, Some(part)) = (request.space, lost.first()) {
        let others = warp.ctas.iter().map(|cta| Part { bank: Bank::Shared(*cta), ..part.clone() });
        parts.extend(others);
    }
}

/// The part of a lane whose address is unknown.
pub(super) fn nowhere(warp: &Warp, request: &Access, lane: usize, index: usize) -> Part {
    let bank = match request.space {
        Space::Shared => Bank::Shared(warp.cta),
        Space::Local => Bank::Local(index, lane),
        Space::Generic | Space::Global | Space::Param => Bank::Global,
    };
    Part {
        lane,
        base: warp.threads.base[lane],
        bank,
        address: None,
        values: PartValues::new(),
        partial: vec![],
        places: vec![],
        tile: None,
        sample: None,
        map: None,
        group: warp.copies.group(lane, request.bulk()),
        copy: None,
        to: Bank::Global,
        signal: None,
        unknown_guard: true,
        is_passed: false,
    }
}
