// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Accesses of words and meetings of lanes, with the values that are known before the run.

use super::ast::{self, Elect, Instr, Op, Operand};
use super::eval::Registers;
use super::walk::{Active, Walk};
use super::word::register;
use crate::program::{self, Action, Data, Source};
use bcu_hw::diag::Diagnostic;
use std::collections::BTreeMap;
use std::ops::Range;

impl Walk<'_> {
    /// The word that an access is about, if its address is known in all executing lanes.
    pub(super) fn cell(
        &self,
        instr: &Instr,
        cell: &ast::Cell,
        write: bool,
        lanes: Active,
        registers: &Registers,
    ) -> Option<program::Cell> {
        let executing = if lanes.unknown { lanes.here } else { lanes.executing };
        let address = self.known(&cell.base, executing, registers)?;
        let data = match (write, &cell.stored) {
            // Nobody knows whether it is stored.
            (true, Some(_)) if lanes.unknown => Data::Store(None),
            (true, Some(stored)) => {
                let known = self.known(stored, executing, registers);
                Data::Store(known.or_else(|| self.loaded(stored, registers)))
            }
            (true, None) => Data::Store(None),
            (false, _) => Data::Load(register(*instr.writes.first()?)?),
        };
        Some(program::Cell { address, offset: cell.offset, data })
    }

    /// What an operand holds in these lanes.
    fn known(&self, operand: &Operand, lanes: u64, registers: &Registers) -> Option<Source> {
        let value = |lane| registers.read(operand, lane, None, &self.context).map(|value| value as u32);
        let all = (0..self.context.live).map(|lane| if lanes >> lane & 1 == 1 { value(lane) } else { Some(0) });
        let values = all.collect::<Option<Vec<u32>>>()?;
        let mut executing = values.iter().enumerate().filter(|(lane, _)| lanes >> lane & 1 == 1).map(|(_, value)| *value);
        let first = executing.next().unwrap_or(0);
        Some(if executing.all(|value| value == first) { Source::Number(first) } else { Source::Lanes(values) })
    }

    /// The machine's register that holds what a load has read, if that is where the operand has its value from.
    fn loaded(&self, operand: &Operand, registers: &Registers) -> Option<Source> {
        let Operand::Register { slot, negated: false } = operand else { return None };
        let origin = registers.origin(*slot).and_then(|at| self.code.instrs.get(at))?;
        let loads = matches!(origin.op, Op::Access { write: false, cell: Some(_), .. }) && origin.writes.contains(slot);
        register(*slot).filter(|_| loads).map(Source::Register)
    }

    /// The meetings of the executing lanes, one for each mask that they name: mask and lanes.
    pub(super) fn members(
        &self,
        (operand, span): (&Operand, &Range<usize>),
        executing: u64,
        registers: &Registers,
    ) -> Result<Vec<(u64, u64)>, Diagnostic> {
        let mut masks: BTreeMap<u64, u64> = BTreeMap::new();
        for lane in (0..self.context.live).filter(|lane| executing >> lane & 1 == 1) {
            let Some(mask) = registers.read(operand, lane, None, &self.context) else {
                let message = format!("the member mask in warp {} is not known before the run", self.context.warp);
                let error = Diagnostic::new(span.clone(), message, "expected a value known at load time");
                let Operand::Register { slot, .. } = operand else { return Err(error) };
                return Err(self.explain(*slot, registers, error));
            };
            *masks.entry(mask & 0xffff_ffff).or_default() |= 1 << lane;
        }
        Ok(masks.into_iter().collect())
    }

    /// The step of one meeting; of an election the lanes are told who leads, which follows from who is left.
    pub(super) fn meet(
        &self,
        elect: Option<Elect>,
        (members, lanes): (u64, u64),
        left: u64,
        registers: &mut Registers,
    ) -> Action {
        if let Some(Elect { leader, leads }) = elect {
            let there = members & left;
            let first = if self.highest_leads { 63 - there.leading_zeros().min(63) } else { there.trailing_zeros() };
            if let Some(slot) = leader {
                registers.set(slot, lanes, |_| first.into());
            }
            if let Some(slot) = leads {
                registers.set(slot, lanes, |lane| (lane as u32 == first).into());
            }
        }
        Action::Meet { members, elect: elect.map(|_| program::Elect::default()) }
    }
}
