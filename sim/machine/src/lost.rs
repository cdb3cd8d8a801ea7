// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Values that nobody knows in global memory: which store has left them there, and which instruction made them so.

use super::execute::origin;
use super::memory::{Access, AccessEffect, Bank, Memory};
use super::report::UnknownValue;
use super::warp::threads::At;
use super::warp::Warp;
use bcu_program::{AccessKind, Op};
use std::collections::BTreeMap;

/// No more are kept, those at the lowest addresses.
const MOST: usize = 256;

/// By address.
#[derive(Default)]
pub(super) struct Lost(BTreeMap<u64, UnknownValue>);

impl Lost {
    /// A warp issues an access at an instruction.
    pub fn issued(&mut self, warp: &Warp, at: At, access: &Access) {
        if !matches!(access.effect, AccessEffect::Store) {
            return;
        }
        let size = access.ty.bytes() as u64;
        for part in access.parts.iter().filter(|part| part.bank == Bank::Global) {
            let Some(first) = part.address else { continue };
            for (address, value) in (first..).step_by(size.max(1) as usize).zip(&part.values) {
                match value.filter(|_| !part.unknown_guard) {
                    Some(_) if self.0.is_empty() => {}
                    Some(_) => _ = self.0.remove(&address),
                    None => {
                        let from = from(warp, at, part.lane, part.unknown_guard).map(|at| warp.place_of(at));
                        let (cta, warp, place) = (warp.cta, warp.warp, warp.place_of(at));
                        let lost = UnknownValue { address, bytes: size, cta, warp, lane: part.lane, place, from };
                        self.0.insert(address, lost);
                    }
                }
            }
            while self.0.len() > MOST {
                self.0.pop_last();
            }
        }
    }

    /// Those that are unknown in the end, in the order of addresses: stores may be performed in another order than issued.
    pub fn found(self, memory: &Memory) -> Vec<UnknownValue> {
        let unknown = |lost: &UnknownValue| memory.read(Bank::Global, lost.address, lost.bytes as usize).is_none();
        self.0.into_values().filter(unknown).collect()
    }
}

/// The instruction that made what a lane stores unknown: one of the values, or the guard.
fn from(warp: &Warp, at: At, lane: usize, by_guard: bool) -> Option<At> {
    let instr = warp.instr(at)?;
    let guard = instr.guard.filter(|_| by_guard).map(|guard| bcu_program::Operand::register(guard.slot));
    match (&instr.op, guard) {
        (_, Some(guard)) => origin(warp, &[guard], lane),
        (Op::Access(bcu_program::Access { kind: AccessKind::Store(Some(sources)), .. }), None) => origin(warp, sources, lane),
        _ => None,
    }
}
