// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Calculates the result of an instruction for all lanes of a warp at once.

use super::scratch::Scratch;
use super::Warp;
use bcu_program::arith::{lane_results, Calc, LANE_SOURCES};
use bcu_program::{Operand, Special};

impl Warp {
    /// Calculates the result of an operation in `lanes` and writes it to register `slot`. Returns false and changes nothing if the lanes
    /// have to be calculated one by one: a source is unknown, the lanes have their registers at different places, or the operation is not
    /// compiled for whole warps.
    pub fn calculate(
        &mut self,
        (calc, sources): (Calc, &[Operand]),
        slot: usize,
        lanes: u64,
        cycle: u64,
        scratch: &mut Scratch,
    ) -> bool {
        let Some(base) = self.threads.common_base(lanes) else { return false };
        if sources.is_empty() || sources.len() > LANE_SOURCES {
            return false;
        }
        let is_known = sources.iter().zip(&mut scratch.sources).all(|(source, values)| match source {
            Operand::Register { slot, negated: false } => self.values.are_known(base + slot, lanes),
            Operand::Symbol(..) | Operand::Opaque => false,
            Operand::Special(Special::WorkspaceHigh | Special::WorkspaceLow) => false,
            Operand::Immediate(value) => {
                values.clear();
                values.resize(self.width, *value as u64);
                true
            }
            source => {
                values.clear();
                // A value outside of `lanes` is not used.
                values.extend((0..self.width).map(|lane| self.value(source, lane, cycle).unwrap_or(0)));
                !matches!(source, Operand::Register { slot, .. } if !self.values.are_known(base + slot, lanes))
            }
        });
        let values = |number: usize| match &sources[number.min(sources.len() - 1)] {
            Operand::Register { slot, negated: false } => self.values.lanes(base + slot),
            _ => &scratch.sources[number.min(sources.len() - 1)],
        };
        let is_calculated = is_known && {
            scratch.results.resize(self.width, 0);
            lane_results(calc, [values(0), values(1), values(2)], &mut scratch.results)
        };
        if is_calculated {
            self.values.set_lanes(base + slot, lanes, &scratch.results);
        }
        is_calculated
    }
}
