// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Instructions on a path that lanes may not have taken, because the condition of its branch is unknown.

use super::super::memory::{AccessEffect, Bank, Part};
use super::super::warp::threads::{bits, At};
use super::super::warp::{Chosen, Warp};
use super::address::new;
use super::env::{Begun, Env};
use super::unknown::{anywhere, forget, nowhere};
use super::{access, calculate, Stopped};
use bcu_program::{Access, AccessKind, Function, Instr, Op, Space};
use smallvec::smallvec;
use std::sync::Arc;

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
