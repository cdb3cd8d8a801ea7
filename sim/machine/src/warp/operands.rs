// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The values of operands in a lane: registers, constants, special registers.

use super::super::cooperative;
use super::threads::bits;
use super::{Active, Warp};
use bcu_program::arith::Partial;
use bcu_program::window::RANK_AT;
use bcu_program::{Guard, Operand, Reserved, Special};

/// The offset of the part of cooperative groups in the reserved region of shared memory.
const GROUPS: u64 = 256;

impl Warp {
    /// Splits the lanes `present` by the value of a guard.
    pub fn active(&self, guard: Option<Guard>, present: u64) -> Active {
        let Some(Guard { slot, negated }) = guard else { return Active { present, executing: present, unknown: 0 } };
        if let Some(base) = self.threads.common_base(present).filter(|base| self.values.are_known(base + slot, present)) {
            let truth = self.values.truth(base + slot);
            return Active { present, executing: present & if negated { !truth } else { truth }, unknown: 0 };
        }
        let mut active = Active { present, executing: 0, unknown: 0 };
        for lane in bits(present) {
            match self.register(slot, lane) {
                Some(value) if (value & 1 == 1) != negated => active.executing |= 1 << lane,
                Some(_) => {}
                None => active.unknown |= 1 << lane,
            }
        }
        active
    }

    /// The value of register `slot` of the function in which a lane is.
    pub fn register(&self, slot: usize, lane: usize) -> Option<u64> {
        self.values.get(self.threads.base[lane] + slot, lane)
    }

    pub fn set(&mut self, slot: usize, lane: usize, value: Option<u64>) {
        self.values.set(self.threads.base[lane] + slot, lane, value);
    }

    pub fn set_partial(&mut self, slot: usize, lane: usize, value: Partial) {
        self.values.set_partial(self.threads.base[lane] + slot, lane, value);
    }

    /// The known bits of an operand in a lane, in cycle `cycle`.
    pub fn partial(&self, operand: &Operand, lane: usize, cycle: u64) -> Partial {
        match operand {
            Operand::Register { slot, negated } => {
                let value = self.values.partial(self.threads.base[lane] + slot, lane);
                Partial::new(value.bits ^ u64::from(*negated), value.known)
            }
            operand => self.value(operand, lane, cycle).into(),
        }
    }

    /// The value of an operand in a lane, in cycle `cycle`.
    pub fn value(&self, operand: &Operand, lane: usize, cycle: u64) -> Option<u64> {
        match operand {
            Operand::Register { slot, negated } => self.register(*slot, lane).map(|v| if *negated { v ^ 1 } else { v }),
            Operand::Immediate(value) => Some(*value as u64),
            Operand::Mask(mask) => Some(mask >> lane & 1),
            Operand::Special(Special::WorkspaceHigh) => self.workspace().map(|address| address >> 32),
            Operand::Special(Special::WorkspaceLow) => self.workspace().map(|address| address & 0xffff_ffff),
            Operand::Special(special) => Some(self.special(*special, lane, cycle)),
            Operand::Shared(at) => Some((at + ((self.rank as i64) << RANK_AT)) as u64),
            Operand::Frame(offset) => Some(self.threads.stack[lane] + offset),
            Operand::Symbol(..) | Operand::Opaque => None,
        }
    }

    /// The address of the workspace of a cooperative launch; `None`: the launch is not cooperative.
    fn workspace(&self) -> Option<u64> {
        self.program.grid.cooperative.then(|| cooperative::workspace(self.grid))
    }

    /// A value that describes the reserved region of shared memory; 0 if there is no region.
    fn reserved(&self, part: Reserved) -> u64 {
        let region = self.program.grid.reserved_shared().unwrap_or(0..0);
        match part {
            Reserved::Begin => region.start,
            Reserved::End => region.end,
            Reserved::Size => region.end - region.start,
            Reserved::Groups => region.start + GROUPS,
        }
    }

    /// The value of a special register in a lane, in cycle `cycle`.
    fn special(&self, special: Special, lane: usize, cycle: u64) -> u64 {
        let thread = (self.warp * self.width + lane) as u64;
        let grid = &self.program.grid;
        let [x, y, _] = grid.ntid.map(|size| u64::from(size.max(1)));
        let below = (1u64 << lane) - 1;
        let all_lanes = u64::MAX >> (64 - self.width);
        match special {
            Special::Tid(0) => thread % x,
            Special::Tid(1) => thread / x % y,
            Special::Tid(_) => thread / x / y,
            Special::Ntid(axis) => grid.ntid[axis].into(),
            Special::Ctaid(axis) => self.program.ctaid[axis].into(),
            Special::Nctaid(axis) => grid.clusters.grid()[axis].into(),
            Special::Clusterid(axis) => grid.clusters.cluster(self.program.ctaid)[axis].into(),
            Special::Nclusterid(axis) => grid.clusters.clusters()[axis].into(),
            Special::ClusterCtaid(axis) => grid.clusters.inside(self.program.ctaid)[axis].into(),
            Special::ClusterNctaid(axis) => grid.clusters.shape()[axis].into(),
            Special::ClusterSize => grid.clusters.size() as u64,
            Special::ExplicitCluster => grid.clusters.explicit().into(),
            Special::CtaRank => self.rank as u64,
            Special::Laneid => lane as u64,
            Special::Warpid => self.warp as u64,
            Special::Nwarpid => self.warps as u64,
            Special::LanemaskEq => 1 << lane,
            Special::LanemaskLt => below,
            Special::LanemaskLe => below | 1 << lane,
            Special::LanemaskGt => all_lanes & !(below | 1 << lane),
            Special::LanemaskGe => all_lanes & !below,
            Special::Clock => cycle & 0xffff_ffff,
            Special::ClockHigh => cycle >> 32,
            Special::Clock64 => cycle,
            Special::DynamicShared => grid.dynamic,
            Special::TotalShared => grid.shared.unwrap_or(0),
            // `value` has their values, which a launch need not have.
            Special::WorkspaceHigh | Special::WorkspaceLow => 0,
            Special::Reserved(part) => self.reserved(part),
            Special::Zero => 0,
            Special::One => 1,
        }
    }

    /// The value of a register operand of an instruction word in the lowest of `lanes`, and whether all of `lanes` have this value; 0 if
    /// `lanes` is empty.
    pub fn operand(&self, slot: usize, lanes: u64) -> (u32, bool) {
        let mut held = bits(lanes).map(|lane| self.register(slot, lane).unwrap_or(0) as u32);
        let first = held.next().unwrap_or(0);
        (first, held.all(|value| value == first))
    }

    /// The lanes in which predicate `slot` is true, one bit each.
    pub fn truth(&self, slot: usize) -> u64 {
        (0..self.width).filter(|lane| self.register(slot, *lane).unwrap_or(0) & 1 == 1).fold(0, |mask, lane| mask | 1 << lane)
    }

    /// The registers that the last issued instruction reads, with their values in the lowest live lane.
    pub fn operands_of_last(&self) -> Vec<(String, u64)> {
        let function = self.code().functions.get(self.last.function);
        let (Some(function), Some(instr), Some(lane)) = (function, self.instr(self.last), bits(self.lanes).next()) else {
            return vec![];
        };
        let named_value = |slot: usize| Some((function.registers.get(slot)?.clone(), self.register(slot, lane)?));
        instr.reads().filter_map(named_value).collect()
    }

    /// How often the warp has issued its last issued instruction.
    pub fn times_of_last(&self) -> u64 {
        self.times.get(&self.last).copied().unwrap_or(0)
    }
}
