// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Instructions that may or may not be executed: the registers that they write are unknown afterwards.

use super::super::memory::{AccessEffect, Bank, Part, PartValues};
use super::super::warp::threads::{bits, At};
use super::super::warp::{Chosen, Undecided, UnknownRead, Warp};
use super::address::new;
use super::env::{Begun, Env};
use super::{access, calculate, Stopped};
use bcu_program::{Access, AccessKind, Function, Instr, Op, Operand, Space};
use smallvec::smallvec;
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

/// Executes an instruction on a path that the lanes may not have taken: the registers that the instruction writes are unknown after the
/// path, the bytes to which it stores at once. Addresses are calculated as far as one basic block determines them. The instruction takes its
/// usual number of cycles.
pub(super) fn pass(warp: &mut Warp, instr: &Instr, chosen: Chosen, env: &mut Env) -> Result<Begun, Stopped> {
    // What the instruction writes depends on the condition of the branch.
    let origin = warp.unknown_path.unwrap_or(chosen.at);
    let next = At { instr: chosen.at.instr + 1, ..chosen.at };
    let lanes = warp.active(instr.guard, chosen.lanes);
    let begun = match &instr.op {
        Op::Calc { calc, sources } if lanes.unknown == 0 => {
            calculate::calculate(warp, chosen.at, (*calc, sources), &instr.writes, lanes, env);
            warp.path_registers.extend(instr.written().map(|slot| (slot, lanes.executing)));
            Begun::Time(u32::from(!instr.is_untimed))
        }
        Op::Access(request) if request.space == Space::Param && lanes.unknown == 0 && lanes.executing != 0 => {
            let begun = access::begin(warp, (instr, request), chosen.at, lanes, env)?;
            warp.path_registers.extend(instr.written().map(|slot| (slot, lanes.executing)));
            begun
        }
        Op::Access(request) if request.space != Space::Param => {
            let begun = passed_access(warp, (instr, request), lanes.executing | lanes.unknown, origin, env);
            forget(warp, instr.written(), origin, chosen.lanes);
            begun
        }
        _ => {
            forget(warp, instr.written(), origin, chosen.lanes);
            Begun::Time(u32::from(!instr.is_untimed))
        }
    };
    warp.threads.move_to(chosen.lanes, next);
    let ends_block = |function: &Function| {
        matches!(instr.op, Op::Branch { .. } | Op::Switch { .. } | Op::Return | Op::Exit) || function.is_target(next.instr)
    };
    let is_over = warp.code().functions.get(chosen.at.function).is_none_or(ends_block);
    if is_over || warp.threads.on_unknown_path() & chosen.lanes != chosen.lanes {
        end_block(warp, origin, chosen.lanes);
    }
    Ok(begun)
}

/// Makes the registers unknown that lanes have calculated in a basic block of a path that they may not have taken.
fn end_block(warp: &mut Warp, origin: At, lanes: u64) {
    for (slot, of) in std::mem::take(&mut warp.path_registers) {
        forget(warp, std::iter::once(slot), origin, of & lanes);
        if of & !lanes != 0 {
            warp.path_registers.push((slot, of & !lanes));
        }
    }
}

/// An access on a path that the lanes may not have taken. The bytes of a store are unknown afterwards; if the address is unknown, all bytes
/// of the memory are. A lane that would access no memory has not taken the path.
fn passed_access(warp: &mut Warp, (instr, request): (&Instr, &Access), lanes: u64, origin: At, env: &mut Env) -> Begun {
    let is_simple = matches!(request.kind, AccessKind::Store(_) | AccessKind::Atomic { .. });
    let mut parts: Vec<Part> = vec![];
    for lane in bits(lanes) {
        let mut part = Part { is_passed: true, ..nowhere(warp, request, lane, env.index) };
        let address = request.address.as_ref().filter(|_| is_simple).and_then(|address| warp.value(address, lane, env.cycle));
        if let Some(address) = address {
            let bytes = super::address::bytes(request);
            let range = (request.space, super::address::address(request, address, request.offset), bytes);
            let placed = super::address::place(warp, instr, range, super::address::how(request), lane, env);
            let Ok((bank, at)) = placed else { continue };
            (part.bank, part.address) = (bank, Some(at));
            part.values = smallvec![None; request.count];
        }
        parts.push(part);
    }
    if !request.loads() {
        anywhere(warp, request, &mut parts, env);
    }
    if let Some(memory) = env.memory.as_mut().filter(|_| !request.loads()) {
        let source = (Arc::as_ptr(warp.code()) as usize, origin);
        parts.iter().for_each(|part| match part.address {
            Some(address) => memory.origins.store(part.bank, address, super::address::bytes(request), Some(source)),
            None => memory.origins.store_anywhere(part.bank, source),
        });
    }
    if parts.is_empty() {
        return Begun::Time(1);
    }
    let effect = if request.loads() { AccessEffect::Nothing } else { AccessEffect::Store };
    let is_local = parts.iter().all(|part| matches!(part.bank, Bank::Local(..)));
    let access = new(warp, request, effect, (parts, vec![]), env);
    match env.memory.as_mut().filter(|_| is_local) {
        Some(memory) => {
            memory.perform(&access, |_| ());
            Begun::Time(1)
        }
        None => Begun::Access(access),
    }
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
