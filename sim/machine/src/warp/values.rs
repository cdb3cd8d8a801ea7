// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The registers of one warp, lane by lane. A value may be unknown; then the instruction that made it unknown is recorded.

use super::threads::{bits, At};
use bcu_program::arith::Partial;
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// The values of registers, which are numbered over all open calls.
#[derive(Clone, Debug)]
pub(in super::super) struct Values {
    width: usize,
    /// Whether registers hold 0 before they are written; if not, they are unknown.
    zeroed: bool,
    /// The values, by register and then by lane.
    bits: Vec<u64>,
    /// For each register, one bit per lane: whether the value is known.
    known: Vec<u64>,
    /// The unknown values of which some bits are known, by register and lane. A value that is known has no meaning here.
    partial: BTreeMap<(usize, usize), Partial>,
    /// For each register, the instruction that last made it unknown.
    origins: Vec<Option<At>>,
}

impl Values {
    /// Registers for warps of `width` lanes.
    pub fn new(width: usize, zeroed: bool) -> Values {
        Values { width, zeroed, bits: vec![], known: vec![], partial: BTreeMap::new(), origins: vec![] }
    }

    /// Extends the storage to `registers` registers.
    pub fn grow(&mut self, registers: usize) {
        if registers > self.known.len() {
            self.bits.resize(registers * self.width, 0);
            self.known.resize(registers, if self.zeroed { u64::MAX } else { 0 });
            self.origins.resize(registers, None);
        }
    }

    /// Resets registers of a lane to unwritten, for a new call.
    pub fn clear(&mut self, registers: std::ops::Range<usize>, lane: usize) {
        for register in registers {
            if let Some(known) = self.known.get_mut(register) {
                *known &= !(1 << lane);
                self.partial.remove(&(register, lane));
                if self.zeroed {
                    self.set(register, lane, Some(0));
                }
            }
        }
    }

    /// A hash of all values: equal for equal values, rarely equal for different values.
    pub fn digest(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (&self.bits, &self.known).hash(&mut hasher);
        self.partial
            .iter()
            .filter(|((register, lane), _)| self.get(*register, *lane).is_none())
            .for_each(|partial| partial.hash(&mut hasher));
        hasher.finish()
    }

    pub fn get(&self, register: usize, lane: usize) -> Option<u64> {
        let known = self.known.get(register).is_some_and(|known| known >> lane & 1 == 1);
        if known {
            self.bits.get(register * self.width + lane).copied()
        } else {
            None
        }
    }

    pub fn set(&mut self, register: usize, lane: usize, value: Option<u64>) {
        let Some(known) = self.known.get_mut(register) else { return };
        match (value, self.bits.get_mut(register * self.width + lane)) {
            (Some(value), Some(bits)) => {
                *bits = value;
                *known |= 1 << lane;
            }
            _ => {
                *known &= !(1 << lane);
                self.partial.remove(&(register, lane));
            }
        }
    }

    /// The known bits of a value.
    pub fn partial(&self, register: usize, lane: usize) -> Partial {
        match self.get(register, lane) {
            Some(value) => Some(value).into(),
            None => self.partial.get(&(register, lane)).copied().unwrap_or(Partial::UNKNOWN),
        }
    }

    /// Sets a value of which some bits may be unknown.
    #[inline]
    pub fn set_partial(&mut self, register: usize, lane: usize, value: Partial) {
        self.set(register, lane, value.value());
        if value.known != u64::MAX && value.known != 0 && register < self.known.len() {
            self.partial.insert((register, lane), value);
        }
    }

    /// Whether the values of a register in `lanes` are known.
    pub fn are_known(&self, register: usize, lanes: u64) -> bool {
        self.known.get(register).is_some_and(|known| known & lanes == lanes)
    }

    /// The value of a register in each lane; in a lane in which the register is unknown, any value.
    pub fn lanes(&self, register: usize) -> &[u64] {
        &self.bits[register * self.width..(register + 1) * self.width]
    }

    /// Sets a register in `lanes`; `values` has a value for each lane of the warp.
    pub fn set_lanes(&mut self, register: usize, lanes: u64, values: &[u64]) {
        let Some(known) = self.known.get_mut(register) else { return };
        *known |= lanes;
        let held = &mut self.bits[register * self.width..(register + 1) * self.width];
        for (lane, (held, value)) in held.iter_mut().zip(values).enumerate() {
            *held = if lanes >> lane & 1 == 1 { *value } else { *held };
        }
    }

    /// Sets a register in `lanes` to one value.
    pub fn set_all(&mut self, register: usize, lanes: u64, value: Option<u64>) {
        bits(lanes).for_each(|lane| self.set(register, lane, value));
    }

    /// The lanes in which the value of a register is odd, one bit each; the bit of a lane in which the register is unknown has any value.
    pub fn truth(&self, register: usize) -> u64 {
        self.lanes(register).iter().rev().fold(0, |mask, value| mask << 1 | value & 1)
    }

    /// Records the instruction `origin` that made a register unknown.
    pub fn set_origin(&mut self, register: usize, origin: Option<At>) {
        if let Some(known_origin) = self.origins.get_mut(register) {
            *known_origin = origin;
        }
    }

    pub fn origin(&self, register: usize) -> Option<At> {
        self.origins.get(register).copied().flatten()
    }
}
