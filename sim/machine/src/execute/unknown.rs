// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Instructions that may or may not be executed: the registers that they write are unknown afterwards.

use super::super::memory::{AccessEffect, Bank, Part, PartValues};
use super::super::warp::threads::{bits, At};
use super::super::warp::{Chosen, Warp};
use super::address::new;
use super::env::{Begun, Env};
use bcu_program::{Access, Instr, Op, Operand, Space};

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

/// Executes an instruction on a path that the lanes may not have taken: the registers that the instruction writes become unknown, and the
/// instruction takes its usual number of cycles.
pub(super) fn pass(warp: &mut Warp, instr: &Instr, chosen: Chosen, env: &Env) -> Begun {
    forget(warp, instr.written(), chosen.at, chosen.lanes);
    let next = At { instr: chosen.at.instr + 1, ..chosen.at };
    let begun = match &instr.op {
        Op::Access(request) if request.space != Space::Param => {
            let parts = bits(chosen.lanes).map(|lane| nowhere(warp, request, lane, env.index)).collect();
            let effect = if request.loads() { AccessEffect::Nothing } else { AccessEffect::Store };
            Begun::Access(new(warp, request, effect, (parts, vec![]), env))
        }
        _ => Begun::Time(u32::from(!instr.is_untimed)),
    };
    warp.threads.move_to(chosen.lanes, next);
    begun
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
        map: None,
        group: warp.copies.group(lane, request.bulk()),
        copy: None,
        to: Bank::Global,
        signal: None,
        unknown_guard: true,
    }
}
