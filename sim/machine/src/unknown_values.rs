// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Unknown values: those that are stored to global memory, and those that addresses and conditions depend on, each with the instruction that
//! made the value unknown.

use super::execute::{constant_argument, origin};
use super::memory::{is_in_heap, Access, AccessEffect, Bank, Memory, Part};
use super::report::{ConditionCause, UnknownAddress, UnknownCondition, UnknownValue};
use super::warp::threads::At;
use super::warp::{Undecided, UnknownRead, Warp};
use bcu_program::{AccessKind, Op, Space};
use std::collections::BTreeMap;

/// The maximum number of unknown values that are kept, those at the lowest addresses.
const MOST: usize = 256;

/// The maximum number of unknown addresses, and of unknown conditions, that are kept, one for each instruction.
const MOST_ADDRESSES: usize = 16;

/// The maximum number of loads at unknown addresses, each of which loads the address of the next one, that are followed.
const MOST_LOADS: usize = 16;

/// The unknown values and addresses of a run.
#[derive(Default)]
pub(super) struct UnknownValues {
    /// The unknown values that were stored, by address.
    values: BTreeMap<u64, UnknownValue>,
    /// Accesses at unknown addresses.
    pub addresses: Vec<UnknownAddress>,
    /// Branches and accesses with unknown conditions.
    pub conditions: Vec<UnknownCondition>,
}

impl UnknownValues {
    /// Records unknown values and addresses of an access that a warp issues.
    pub fn issued(&mut self, warp: &Warp, at: At, access: &Access) {
        let is_lost = |part: &&Part| part.address.is_none() && part.places.is_empty() && !part.unknown_guard;
        if let Some(part) = access.parts.iter().find(is_lost) {
            self.nowhere(warp, at, part.lane);
        }
        if !matches!(access.effect, AccessEffect::Store) {
            return;
        }
        let size = access.ty.bytes() as u64;
        for part in access.parts.iter().filter(|part| part.bank == Bank::Global && !part.address.is_some_and(is_in_heap)) {
            let Some(first) = part.address else { continue };
            for (address, value) in (first..).step_by(size.max(1) as usize).zip(&part.values) {
                match value.filter(|_| !part.unknown_guard) {
                    Some(_) if self.values.is_empty() => {}
                    Some(_) => _ = self.values.remove(&address),
                    None => {
                        let from = match part.is_passed {
                            true => warp.unknown_path,
                            false => from(warp, at, part.lane, part.unknown_guard),
                        };
                        let argument = match from.map(|from| cause(warp, Some(first_reason(warp, from)))) {
                            Some(ConditionCause::Argument(name)) => Some(name),
                            _ => None,
                        };
                        let from = from.map(|at| warp.place_of(at));
                        let (cta, warp, place) = (warp.cta, warp.warp, warp.place_of(at));
                        let lane = part.lane;
                        let unknown = UnknownValue { address, bytes: size, cta, warp, lane, place, from, argument };
                        self.values.insert(address, unknown);
                    }
                }
            }
            while self.values.len() > MOST {
                self.values.pop_last();
            }
        }
    }

    /// Records an access of a lane at an unknown address. Nothing is recorded if an argument of the program is unknown, because the argument
    /// may be the reason.
    fn nowhere(&mut self, warp: &Warp, at: At, lane: usize) {
        if self.addresses.len() >= MOST_ADDRESSES || warp.program.grid.arguments.iter().any(Option::is_none) {
            return;
        }
        let Some(Op::Access(bcu_program::Access { address: Some(address), .. })) = warp.instr(at).map(|instr| &instr.op) else {
            return;
        };
        let Some(from) = origin(warp, &[address.clone()], lane).map(|from| first_reason(warp, from)) else { return };
        let is_unwritten = is_load(warp, from);
        let (place, from) = (warp.place_of(at), warp.place_of(from));
        if !self.addresses.iter().any(|known| known.place == place) {
            let (cta, warp) = (warp.cta, warp.warp);
            self.addresses.push(UnknownAddress { cta, warp, lane, place, from, is_unwritten });
        }
    }

    /// Records the branch or access with an unknown condition that a warp has just issued, if it has.
    pub fn decided(&mut self, warp: &mut Warp) {
        let Some(Undecided { at, lane, origin }) = warp.undecided.take() else { return };
        let place = warp.place_of(at);
        if self.conditions.len() >= MOST_ADDRESSES || self.conditions.iter().any(|known| known.place == place) {
            return;
        }
        let from = origin.map(|from| first_reason(warp, from));
        let is_branch = warp.instr(at).is_some_and(|instr| !matches!(instr.op, Op::Access(_)));
        let cause = cause(warp, from);
        let (cta, number) = (warp.cta, warp.warp);
        let from = from.map(|from| warp.place_of(from));
        self.conditions.push(UnknownCondition { cta, warp: number, lane, place, is_branch, from, cause });
    }

    /// The recorded values that are still unknown at the end, ordered by address. Only the contents of memory show which values remain: a
    /// store of a known value may be issued after the store of the unknown value and performed before it.
    pub fn found(self, memory: &Memory) -> Vec<UnknownValue> {
        let unknown = |lost: &UnknownValue| memory.read(Bank::Global, lost.address, lost.bytes as usize).is_none();
        self.values.into_values().filter(unknown).collect()
    }
}

/// The first reason of an unknown value: if it was loaded at an unknown address, what made that address unknown is the reason.
fn first_reason(warp: &Warp, mut from: At) -> At {
    for _ in 0..MOST_LOADS {
        let Some(UnknownRead::NoAddress(Some(before))) = warp.unknown_reads.get(&from) else { break };
        from = *before;
    }
    from
}

/// Whether the instruction loads from memory other than the arguments of the kernel.
fn is_load(warp: &Warp, at: At) -> bool {
    let is_load = |op: &Op| matches!(op, Op::Access(asked) if asked.loads() && asked.space != Space::Param);
    warp.instr(at).is_some_and(|instr| is_load(&instr.op))
}

/// Why the instruction `from` gives an unknown value; `None` is a register that was never written.
fn cause(warp: &Warp, from: Option<At>) -> ConditionCause {
    let Some(from) = from else { return ConditionCause::Unwritten };
    let grid = &warp.program.grid;
    let is_texture = matches!(warp.instr(from).map(|instr| &instr.op), Some(Op::Access(access)) if matches!(access.kind, AccessKind::Texture(_)));
    let byte = match warp.unknown_reads.get(&from) {
        Some(UnknownRead::Argument(byte)) => Some(*byte),
        Some(UnknownRead::NoValue) => return ConditionCause::Unwritten,
        // Another warp may have loaded the parameter.
        _ => warp.instr(from).and_then(|instr| constant_argument(&instr.op)),
    };
    if let Some(byte) = byte {
        let contains = |param: &&bcu_program::ptx::Param| (param.offset..param.offset + param.bytes).contains(&(byte as u64));
        let param = grid.params.iter().find(contains);
        return param.map_or(ConditionCause::NotCalculated, |param| ConditionCause::Argument(param.name.clone()));
    }
    // A load by another warp may have had an address that depends on a parameter without a value.
    let is_certain = grid.arguments.iter().all(Option::is_some);
    match is_load(warp, from) && is_certain && !is_texture && !warp.unknown_reads.contains_key(&from) {
        true => ConditionCause::Unwritten,
        false => ConditionCause::NotCalculated,
    }
}

/// The instruction that made a lane's stored value unknown: the origin of one of the values, or of the guard.
fn from(warp: &Warp, at: At, lane: usize, by_guard: bool) -> Option<At> {
    let instr = warp.instr(at)?;
    let guard = instr.guard.filter(|_| by_guard).map(|guard| bcu_program::Operand::register(guard.slot));
    match (&instr.op, guard) {
        (_, Some(guard)) => origin(warp, &[guard], lane),
        (Op::Access(bcu_program::Access { kind: AccessKind::Store(Some(sources)), .. }), None) => origin(warp, sources, lane),
        _ => None,
    }
}
