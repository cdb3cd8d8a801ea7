// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Memory accesses: the address of each lane, and its values.

pub(super) use super::super::memory::AccessRange;
use super::super::memory::{AccessEffect, Bank, Loaded, Part, PartValues, Use};
use super::super::warp::threads::{bits, At};
use super::super::warp::{Active, UnknownRead, Warp};
use super::address::{address, bytes, how, new, place};
use super::env::{Begun, Env};
use super::{bulk, cluster, matrix, stop, tensor, texture, unknown, Stopped};
use bcu_program::arith::{Partial, Type};
use bcu_program::tensor::BYTES;
use bcu_program::{window, Access, AccessKind, Instr, Operand, Space, TensorCopy};
use smallvec::smallvec;

/// Starts an access of `lanes`. An access that no other thread can observe (to local memory or to
/// the kernel arguments) is performed at once. Any other access is returned, so that the caller
/// issues it to memory.
pub(super) fn begin(
    warp: &mut Warp,
    (instr, request): (&Instr, &Access),
    at: At,
    lanes: Active,
    env: &mut Env,
) -> Result<Begun, Stopped> {
    let active_lanes = lanes.executing | lanes.unknown;
    if !request.bulk() && reads_argument(warp, request, active_lanes, env.cycle) {
        if !matches!(request.kind, AccessKind::Load) {
            let lane = bits(active_lanes).next().unwrap_or(0);
            return Err(stop::misplaced(warp, instr, lane, "the arguments of the kernel cannot be written"));
        }
        return Ok(argument(warp, (instr, request), at, lanes, env.cycle));
    }
    let (mut parts, touched) = env.memory.as_mut().map_or_else(Default::default, |memory| memory.lists());
    let mut accessing_lanes = 0;
    for lane in bits(active_lanes) {
        let receiving = cluster::receiving(warp, instr, (request.ctas(), lane), env)?;
        if receiving == Some(0) {
            continue;
        }
        accessing_lanes |= 1 << lane;
        let mut part = unknown::nowhere(warp, request, lane, env.index);
        locate(warp, (instr, request), &mut part, env)?;
        part.unknown_guard = lanes.unknown >> lane & 1 == 1;
        match receiving {
            None => parts.push(part),
            // The copy goes to the same address in each selected CTA, and signals the mbarrier at the same address there.
            Some(ranks) => {
                parts.extend(bits(ranks).map(|rank| Part { to: Bank::Shared(warp.ctas[rank]), ..part.clone() }));
            }
        }
    }
    if accessing_lanes == 0 {
        return Ok(Begun::Time(1));
    }
    if let AccessKind::Matrix { shape, .. } = &request.kind {
        matrix::locate(warp, (instr, request, shape), &mut parts, env)?;
    }
    let slots = instr.writes.clone();
    let effect = match &request.kind {
        AccessKind::Nothing => AccessEffect::Nothing,
        AccessKind::Load => AccessEffect::Load(slots),
        AccessKind::Texture(_) => AccessEffect::Sample(slots),
        AccessKind::Matrix { stored: None, .. } => AccessEffect::LoadMatrix(slots),
        AccessKind::Matrix { stored: Some(_), .. } => AccessEffect::StoreMatrix,
        AccessKind::Store(_) => AccessEffect::Store,
        AccessKind::Atomic { op, .. } => AccessEffect::Atomic(*op, slots.first().copied().flatten()),
        AccessKind::Copy { space, bytes, .. } => {
            let from = if *space == Space::Shared { Bank::Shared(warp.cta) } else { Bank::Global };
            AccessEffect::Copy(from, *bytes)
        }
        AccessKind::CopyMap { .. } => {
            // The lanes make one copy together.
            parts.truncate(1);
            AccessEffect::CopyMap(Bank::Shared(warp.cta), accessing_lanes)
        }
        AccessKind::Bulk(bulk) => AccessEffect::BulkRead(bulk.reduce),
        AccessKind::Tell { sources, reduce, .. } => AccessEffect::BulkWrite(
            parts.iter().map(|part| bulk::bytes(warp, request, sources, part.lane, env)).collect(),
            *reduce,
        ),
        AccessKind::Tensor(TensorCopy { shared: Some(_), .. }) => AccessEffect::BulkRead(None),
        AccessKind::Tensor(_) | AccessKind::Prefetch { .. } => return Ok(Begun::Time(1)),
    };
    if request.asynchronous() {
        // Copies that signal an mbarrier belong to no group.
        for part in parts.iter_mut().filter(|part| part.signal.is_none()) {
            part.copy = Some(warp.copies.begin(part.lane, part.group));
        }
    }
    if matches!(effect, AccessEffect::Store | AccessEffect::Atomic(..)) {
        unknown::anywhere(warp, request, &mut parts, env);
    }
    let origin = unknown::record(warp, (instr, request), at, &parts, env);
    let is_local = parts.iter().all(|part| matches!(part.bank, Bank::Local(..)));
    let access = new(warp, request, effect, (parts, touched), env);
    unknown::forget(warp, instr.written(), origin.unwrap_or(at), accessing_lanes);
    match (is_local, env.memory.as_mut()) {
        (true, Some(memory)) => {
            memory.perform(&access, |Loaded { register, lane, value }| warp.values.set_partial(register, lane, value));
            memory.recycle(access);
            Ok(Begun::Time(1))
        }
        (true, None) => Ok(Begun::Time(1)),
        _ => Ok(Begun::Access(access)),
    }
}

/// Sets the address at which the lane of `part` accesses memory, and the values that the lane stores.
fn locate(warp: &Warp, (instr, request): (&Instr, &Access), part: &mut Part, env: &Env) -> Result<(), Stopped> {
    let lane = part.lane;
    let value = |operand: &Operand| warp.value(operand, lane, env.cycle);
    part.values = match &request.kind {
        AccessKind::Load | AccessKind::Matrix { stored: None, .. } | AccessKind::Nothing => PartValues::new(),
        AccessKind::Texture(used) => return texture::part(warp, (instr, request, used), part, env),
        AccessKind::Tensor(copy) => return tensor::part(warp, (instr, request, copy), part, env),
        AccessKind::Bulk(copied) => return bulk::part(warp, (instr, request, copied), part, env),
        AccessKind::Tell { signal, .. } => return bulk::signalling_part(warp, (instr, request, signal), part, env),
        AccessKind::Prefetch { bytes } => {
            bulk::prefetch(warp, (instr, request, bytes), lane, env)?;
            return Ok(());
        }
        AccessKind::Store(None) => smallvec![None; request.count],
        AccessKind::Store(Some(sources))
        | AccessKind::Atomic { sources, .. }
        | AccessKind::Matrix { stored: Some(sources), .. } => {
            let values: PartValues = sources.iter().map(value).collect();
            if values.contains(&None) {
                let partial = |source: &Operand| warp.partial(source, lane, env.cycle);
                part.partial = sources.iter().map(partial).collect();
            }
            values
        }
        AccessKind::CopyMap { from, offset } => {
            let from = value(from).map(|from| from.wrapping_add(*offset as u64));
            let inside = |from| place(warp, instr, (Space::Shared, from, BYTES as u64), Use::Load, lane, env);
            smallvec![from.map(inside).transpose()?.map(|(_, at)| at)]
        }
        AccessKind::Copy { from, offset, space, bytes, filled } => {
            let wanted = filled.as_ref().map_or(Some(*bytes), |filled| value(filled).map(|filled| filled & 0xffff_ffff));
            let from = value(from).map(|from| from.wrapping_add(*offset as u64));
            let from = match (from, env.memory.as_ref()) {
                // If all bytes are filled with 0, nothing is read, so the source address may have any value.
                (Some(from), Some(_)) if wanted != Some(0) => {
                    Some(place(warp, instr, (*space, from, *bytes), Use::Load, lane, env)?.1)
                }
                (from, _) => from,
            };
            let filled = filled.as_ref().map(|_| wanted);
            std::iter::once(from).chain(filled).collect()
        }
    };
    // A matrix access gets its addresses later, in `matrix::locate`, from several lanes.
    if let Some(at) = request.address.as_ref().filter(|_| !request.converged()).and_then(value) {
        let (bank, at) =
            place(warp, instr, (request.space, address(request, at, request.offset), bytes(request)), how(request), lane, env)?;
        (part.bank, part.address) = (bank, Some(at));
    }
    Ok(())
}

/// Whether `lanes` access arguments of the kernel, by a parameter address or by a generic address.
fn reads_argument(warp: &Warp, request: &Access, lanes: u64, cycle: u64) -> bool {
    let at = |lane: usize| request.address.as_ref().and_then(|address| warp.value(address, lane, cycle));
    let inside = |lane: usize| at(lane).is_some_and(|at| matches!(window::classify(at), Some((Space::Param, _))));
    request.space == Space::Param || request.space == Space::Generic && bits(lanes).all(inside)
}

/// Loads an argument of the kernel; the load takes one cycle, as an instruction without memory does.
fn argument(warp: &mut Warp, (instr, request): (&Instr, &Access), at: At, lanes: Active, cycle: u64) -> Begun {
    let grid = warp.program.grid.clone();
    let size = request.ty.bytes();
    for lane in bits(lanes.executing | lanes.unknown) {
        let from = request.address.as_ref().and_then(|address| warp.value(address, lane, cycle));
        let from = from.map(|from| window::inside(Space::Param, from.wrapping_add(request.offset as u64)));
        for (element, slot) in instr.writes.iter().enumerate() {
            let Some(slot) = slot else { continue };
            let value = from.and_then(|from| number(&grid.arguments, from + (element * size) as u64, size, request.ty));
            let value = value.filter(|_| lanes.unknown >> lane & 1 == 0).unwrap_or(Partial::UNKNOWN);
            warp.set_partial(*slot, lane, value);
            if value.value().is_none() {
                let read = match from {
                    Some(from) => UnknownRead::Argument(first_unknown(&grid.arguments, from + (element * size) as u64, size)),
                    None => UnknownRead::NoAddress(unknown::origin(warp, request.address.as_slice(), lane)),
                };
                warp.unknown_reads.insert(at, read);
                let base = warp.threads.base[lane];
                warp.values.set_origin(base + slot, Some(at));
            }
        }
    }
    Begun::Time(1)
}

/// The first of `bytes` bytes of the arguments from `at` on that has no value.
fn first_unknown(arguments: &[Option<u8>], at: u64, bytes: usize) -> usize {
    let at = usize::try_from(at).unwrap_or(usize::MAX);
    let is_unknown = |byte: &usize| arguments.get(*byte).copied().flatten().is_none();
    (at..at.saturating_add(bytes)).find(is_unknown).unwrap_or(at)
}

/// The number in the arguments at a byte; `None`: not all its bytes are in the arguments.
fn number(arguments: &[Option<u8>], at: u64, bytes: usize, ty: Type) -> Option<Partial> {
    let at = usize::try_from(at).ok()?;
    let bytes = arguments.get(at..at.checked_add(bytes)?)?;
    Some(Partial::from_bytes(bytes.iter().copied()).extended(ty))
}
