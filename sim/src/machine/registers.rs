// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The registers and predicates of one warp in a run, lane by lane. What was never written is 0 and false.

use crate::program::{Source, Truth, Write};
use bcu_hw::isa::instr::{Pred, Reg};
use std::collections::BTreeMap;

/// Registers of a warp of so many lanes.
#[derive(Clone, Debug)]
pub(super) struct Registers {
    lanes: usize,
    warp: u32,
    /// Of the registers written so far, one value per lane.
    values: BTreeMap<u8, Vec<u32>>,
    /// One bit per lane; PT, the last, is always true.
    predicates: [u64; 8],
}

impl Registers {
    /// For warp number `warp` of its CTA.
    pub fn new(lanes: usize, warp: usize) -> Self {
        let mut predicates = [0; 8];
        predicates[usize::from(Pred::PT.index)] = u64::MAX;
        Registers { lanes, warp: warp as u32, values: BTreeMap::new(), predicates }
    }

    /// The lanes in which a predicate, negated or not, is true.
    pub fn truth(&self, predicate: Pred) -> u64 {
        let lanes = self.predicates[usize::from(predicate.index & 7)];
        if predicate.not {
            !lanes
        } else {
            lanes
        }
    }

    fn lane(&self, register: Reg, lane: usize) -> u32 {
        self.values.get(&register.0).and_then(|lanes| lanes.get(lane)).copied().unwrap_or(0)
    }

    fn source(&self, source: &Source, lane: usize) -> u32 {
        match source {
            Source::Number(value) => *value,
            Source::Register(register) => self.lane(*register, lane),
            Source::LaneId => lane as u32,
            Source::WarpId => self.warp,
            Source::Lanes(lanes) => lanes.get(lane).copied().unwrap_or(0),
        }
    }

    /// What a register holds in the lowest of these lanes, and whether all of them agree; 0 without a lane.
    pub fn operand(&self, register: Reg, lanes: u64) -> (u32, bool) {
        let mut held = self.members(lanes).map(|lane| self.lane(register, lane));
        let first = held.next().unwrap_or(0);
        (first, held.all(|value| value == first))
    }

    /// Writes in these lanes.
    pub fn write(&mut self, write: &Write, lanes: u64) {
        match write {
            Write::Mov { to, from } => self.set(*to, lanes, |registers, lane| registers.source(from, lane)),
            Write::Alu { to, alu, a, b } => {
                self.set(*to, lanes, |registers, lane| alu.result(registers.source(a, lane), registers.source(b, lane)));
            }
            Write::Predicate { to, from } => {
                let truth = match from {
                    Truth::Mask(mask) => *mask,
                    Truth::Predicate(predicate) => self.truth(*predicate),
                    Truth::Compare(compare, a, b) => {
                        let holds = |lane: &usize| compare.holds(self.source(a, *lane), self.source(b, *lane));
                        self.members(u64::MAX).filter(holds).fold(0, |mask, lane| mask | 1 << lane)
                    }
                };
                self.set_predicate(*to, lanes, truth);
            }
        }
    }

    /// What a source holds in each of these lanes.
    pub fn values(&self, source: &Source, lanes: u64) -> Vec<(usize, u32)> {
        self.members(lanes).map(|lane| (lane, self.source(source, lane))).collect()
    }

    /// What a load has read.
    pub fn load(&mut self, to: u8, values: &[(usize, u32)]) {
        let lanes = values.iter().fold(0, |lanes, (lane, _)| lanes | 1 << lane);
        let of = |lane| values.iter().find(|(other, _)| *other == lane).map_or(0, |(_, value)| *value);
        self.set(Reg(to), lanes, |_, lane| of(lane));
    }

    /// What a B2R of these lanes has read.
    pub fn writeback(&mut self, rd: u8, value: u32, pu: u8, predicate: bool, lanes: u64) {
        self.set(Reg(rd), lanes, |_, _| value);
        self.set_predicate(pu, lanes, if predicate { u64::MAX } else { 0 });
    }

    fn set(&mut self, to: Reg, lanes: u64, value: impl Fn(&Registers, usize) -> u32) {
        if to == Reg::RZ {
            return;
        }
        let results: Vec<(usize, u32)> = self.members(lanes).map(|lane| (lane, value(self, lane))).collect();
        let held = self.values.entry(to.0).or_insert_with(|| vec![0; self.lanes]);
        results.into_iter().for_each(|(lane, value)| held[lane] = value);
    }

    fn set_predicate(&mut self, to: u8, lanes: u64, truth: u64) {
        if to & 7 != Pred::PT.index {
            let held = &mut self.predicates[usize::from(to & 7)];
            *held = *held & !lanes | truth & lanes;
        }
    }

    fn members(&self, lanes: u64) -> impl Iterator<Item = usize> {
        (0..self.lanes).filter(move |lane| lanes >> lane & 1 == 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::{Alu, Compare};

    const R1: Reg = Reg(1);

    #[test]
    fn writes_touch_only_their_lanes() {
        let mut registers = Registers::new(4, 2);
        registers.write(&Write::Mov { to: R1, from: Source::LaneId }, 0b1110);
        assert_eq!(registers.operand(R1, 0b1111), (0, false));
        assert_eq!(registers.operand(R1, 0b1000), (3, true));
        registers.write(&Write::Alu { to: R1, alu: Alu::Sub, a: Source::Register(R1), b: Source::WarpId }, 0b0110);
        assert_eq!((registers.operand(R1, 0b10).0, registers.operand(R1, 0b100).0), (u32::MAX, 0));
        registers.write(&Write::Mov { to: Reg::RZ, from: Source::Number(9) }, 0b1111);
        assert_eq!(registers.operand(Reg::RZ, 0b1111), (0, true));
        assert_eq!(registers.operand(R1, 0), (0, true));
    }

    #[test]
    fn predicates_are_masks_and_pt_is_true() {
        let mut registers = Registers::new(4, 0);
        let not = |index| Pred { index, not: true };
        let set = |to, from| Write::Predicate { to, from };
        registers.write(&set(0, Truth::Compare(Compare::Lt, Source::LaneId, Source::Number(3))), 0b1110);
        assert_eq!(registers.truth(Pred { index: 0, not: false }), 0b0110);
        registers.write(&set(1, Truth::Predicate(not(0))), 0b1111);
        assert_eq!(registers.truth(Pred { index: 1, not: false }), 0b1001);
        registers.write(&set(7, Truth::Mask(0)), 0b1111);
        assert_eq!(registers.truth(Pred::PT) & 0xf, 0xf);
        assert_eq!(registers.truth(not(7)), 0);
        registers.writeback(1, 0x40, 1, true, 0b0100);
        assert_eq!(
            (registers.operand(R1, 0b100), registers.truth(Pred { index: 1, not: false }) & 0xf),
            ((0x40, true), 0b1101)
        );
    }
}
