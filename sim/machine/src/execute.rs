// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Executes an instruction of a warp at its issue. Changes of the registers and of the lanes'
//! locations take effect at once; other effects are operations for the unit or for memory.

mod access;
mod address;
mod barrier;
mod bulk;
mod calculate;
mod cluster;
mod control;
pub mod env;
mod explain;
mod issue;
mod matrix;
mod mbarrier;
mod passed;
mod stack;
mod stop;
mod tensor;
mod tensor_core;
mod tensor_work;
mod texture;
mod unknown;

use super::warp::threads::{bits, At};
use super::warp::{Active, Chosen, Rendezvous, Warp};
use bcu_program::{Access, AccessKind, Exchange, Op, Operand, TensorCore};
use env::{Begun, Env};
pub(super) use explain::constant_argument;
pub(super) use stop::{no_columns, no_matrix, no_mbarrier};
pub use stop::{StopKind, Stopped};
pub(super) use tensor_core::{resolve, Action, Cells, Factor, Multiplication, TensorRequest, TensorWork};
pub(super) use unknown::origin;

/// Executes the instruction of the lanes in `chosen`, and moves these lanes to their next
/// instruction. If the lanes exit, or if their instruction goes to the unit, they move later, when
/// the unit has accepted the exit or the instruction.
pub(super) fn begin(warp: &mut Warp, chosen: Chosen, env: &mut Env) -> Result<Begun, Stopped> {
    let code = warp.code().clone();
    let Some(instr) = code.instr(chosen.at.function, chosen.at.instr) else {
        return control::back(warp, chosen, chosen.lanes, env);
    };
    if chosen.lanes & warp.threads.on_unknown_path() != 0 {
        return passed::pass(warp, instr, chosen, env);
    }
    let mut lanes = warp.active(instr.guard, chosen.lanes);
    if lanes.unknown != 0 {
        lanes.assume(env.assumptions.as_mut().and_then(|assumptions| assumptions.guard(instr)));
        unknown::undecided(warp, instr, chosen.at, lanes.unknown);
    }
    let next = At { instr: chosen.at.instr + 1, ..chosen.at };
    let begun = match &instr.op {
        Op::Word(_) if lanes.unknown != 0 => return Err(stop::guard(warp, instr, lanes.unknown)),
        Op::Word(word) => {
            warp.issue = barrier::word(warp, word, lanes);
            Begun::Port
        }
        _ if lanes.executing | lanes.unknown == 0 => Begun::Time(u32::from(!instr.is_untimed)),
        Op::Barrier(_) | Op::Mbarrier(_) | Op::Meet { .. } | Op::Exchange { .. } | Op::Result(_) | Op::Trap
            if lanes.unknown != 0 =>
        {
            return Err(stop::guard(warp, instr, lanes.unknown));
        }
        Op::Barrier(request) => {
            warp.issue = barrier::issue_of(warp, instr, request, lanes)?;
            Begun::Port
        }
        Op::Mbarrier(request) => match mbarrier::issue_of(warp, (instr, request), lanes, env)? {
            Some(issue) => {
                warp.issue = issue;
                Begun::Port
            }
            None => match mbarrier::addresses(warp, (instr, request), lanes, env)? {
                arrivals if arrivals.is_empty() => Begun::Time(1),
                arrivals => Begun::Later(arrivals),
            },
        },
        Op::Result(op) => {
            warp.issue = barrier::result(*op, lanes);
            Begun::Port
        }
        Op::Meet { members, .. } => {
            warp.issue = barrier::meeting(warp, instr, members, lanes.executing, env.cycle)?;
            Begun::Port
        }
        Op::Exchange { exchange, sources, members } => {
            let lanes = lanes.executing;
            warp.threads.move_to(chosen.lanes, next);
            exchanges(warp, (chosen.at, *exchange), (sources, members.as_ref()), lanes, env)?;
            return Ok(Begun::Time(1));
        }
        Op::Trap => return Err(stop::trap(warp, instr)),
        Op::NotBuilt { opcode } => return Err(stop::not_built(instr, opcode)),
        Op::Branch { .. } | Op::Switch { .. } | Op::Call(_) | Op::Return | Op::Exit => {
            return control::begin(warp, instr, chosen, lanes, env);
        }
        Op::Access(access) if access.signal().is_some() && lanes.unknown != 0 => {
            return Err(stop::guard(warp, instr, lanes.unknown));
        }
        Op::Access(access) => {
            let begun = access::begin(warp, (instr, access), chosen.at, lanes, env)?;
            warp.threads.move_to(chosen.lanes, next);
            return Ok(begun);
        }
        Op::CommitCopies { bulk } => {
            bits(lanes.executing | lanes.unknown).for_each(|lane| warp.copies.commit(lane, *bulk));
            Begun::Time(1)
        }
        // The scheduler issues this instruction only when the copies that it waits for are done.
        Op::WaitCopies(_) => Begun::Time(1),
        Op::Fence(_) => {
            warp.issue = barrier::fence(lanes);
            Begun::Port
        }
        Op::Stack(request) => stack::execute(warp, (instr, request), chosen.at, lanes, env)?,
        Op::Calc { calc, sources } => {
            calculate::calculate(warp, chosen.at, (*calc, sources), &instr.writes, lanes, env);
            Begun::Time(u32::from(!instr.is_untimed))
        }
        // The multiprocessor tracks the groups of products and their registers.
        Op::Warpgroup(_) => {
            unknown::forget(warp, instr.written(), chosen.at, lanes.executing | lanes.unknown);
            Begun::Time(1)
        }
        // The multiprocessor has allocated the columns; the lowest lane stores their address.
        Op::TensorCore(TensorCore::Allocate { access, .. }) => {
            let first = lanes.executing & lanes.executing.wrapping_neg();
            let address = warp.allocated.take().map_or(Operand::Opaque, |address| Operand::Immediate(address as i64));
            let access = Access { kind: AccessKind::Store(Some(vec![address])), ..(**access).clone() };
            let lanes = Active { present: first, executing: first, unknown: 0 };
            let begun = access::begin(warp, (instr, &access), chosen.at, lanes, env)?;
            warp.threads.move_to(chosen.lanes, next);
            return Ok(begun);
        }
        // The multiprocessor executes these instructions; loaded registers have no value until the wait.
        Op::TensorCore(_) => {
            unknown::forget(warp, instr.written(), chosen.at, lanes.executing | lanes.unknown);
            Begun::Time(1)
        }
        // The scheduler issues this instruction only when the CTA has the registers.
        Op::Registers { .. } => Begun::Time(1),
        Op::Busy { cycles } => {
            unknown::forget(warp, instr.written(), chosen.at, lanes.executing | lanes.unknown);
            Begun::Time((*cycles).max(1))
        }
    };
    if !matches!(begun, Begun::Port) {
        warp.threads.move_to(chosen.lanes, next);
    }
    Ok(begun)
}

/// The lanes in `lanes` start a rendezvous with the other lanes of their member mask. All lanes in `lanes` have already advanced past the
/// instruction.
fn exchanges(
    warp: &mut Warp,
    (at, exchange): (At, Exchange),
    (sources, members): (&[Operand], Option<&Operand>),
    lanes: u64,
    env: &Env,
) -> Result<(), Stopped> {
    let Some(instr) = warp.code().clone().instr(at.function, at.instr).cloned() else { return Ok(()) };
    let all_lanes = u64::MAX >> (64 - warp.width);
    let mut named: Vec<(u64, u64)> = vec![];
    for lane in bits(lanes) {
        let mask = match members {
            None => lanes,
            Some(operand) => {
                warp.value(operand, lane, env.cycle).ok_or_else(|| stop::members(warp, &instr, operand))? & all_lanes
            }
        };
        if mask >> lane & 1 == 0 {
            return Err(stop::outside(warp, &instr, lane, mask));
        }
        match named.iter_mut().find(|(known, _)| *known == mask) {
            Some((_, lanes)) => *lanes |= 1 << lane,
            None => named.push((mask, 1 << lane)),
        }
    }
    for (mask, lanes) in named {
        let lane_values = |source: &Operand| {
            let value = |lane: usize| if lanes >> lane & 1 == 1 { warp.value(source, lane, env.cycle) } else { None };
            (0..warp.width).map(value).collect()
        };
        let values: Vec<Vec<Option<u64>>> = sources.iter().map(lane_values).collect();
        let is_shuffle = matches!(exchange, Exchange::Shuffle(_));
        let partial = match (sources.first(), values.first()) {
            (Some(source), Some(values)) if is_shuffle && bits(lanes).any(|lane| values[lane].is_none()) => {
                (0..warp.width).map(|lane| warp.partial(source, lane, env.cycle)).collect()
            }
            _ => vec![],
        };
        let origin = bits(lanes).find_map(|lane| origin(warp, sources, lane));
        let writes = instr.writes.clone();
        warp.rendezvous.push(Rendezvous { at, exchange, members: mask, lanes, sources: values, partial, origin, writes });
        warp.waiting |= lanes;
    }
    warp.complete_rendezvous();
    Ok(())
}
