// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Which steps of a warp must wait for a result that is still on its way.

use super::{Chosen, Warp};
use crate::program::{Action, Data, Source, Write};
use bcu_hw::isa::instr::{decode, Op, Pred, Reg};

impl Warp {
    /// A step must wait for the result of a B2R or a load.
    pub fn awaits_result(&self, chosen: Chosen) -> bool {
        if self.pending.is_empty() {
            return false;
        }
        let Some(step) = self.step_at(chosen) else { return true };
        let due = |register: Reg| register != Reg::RZ && self.pending.iter().any(|(rd, _)| *rd == register.0);
        let due_predicate = |index: u8| index != Pred::PT.index && self.pending.iter().any(|(_, pu)| *pu == index);
        let source = |source: &Source| matches!(source, Source::Register(register) if due(*register));
        let write = |write: &Write| {
            let (to, predicate) = match write {
                Write::Mov { to, .. } | Write::Alu { to, .. } => (Some(*to), None),
                Write::Predicate { to, .. } => (None, Some(*to)),
            };
            write.registers().chain(to).any(due) || write.predicate().into_iter().chain(predicate).any(due_predicate)
        };
        due_predicate(step.guard.index)
            || match &step.action {
                Action::Write(written) => write(written),
                Action::Barrier { word, presets, .. } => {
                    let Ok(instr) = decode(*word) else { return false };
                    let (ra, rb) = instr.reads();
                    let predicate = match instr.op {
                        Op::Red { pp, .. } => Some(pp.index),
                        Op::Result { pu, .. } => Some(pu),
                        _ => None,
                    };
                    let registers = [ra, rb, instr.writes()].into_iter().flatten().any(due);
                    registers || predicate.is_some_and(due_predicate) || presets.iter().any(write)
                }
                Action::Access { cell: Some(cell), .. } => {
                    let data = match &cell.data {
                        Data::Load(to) => due(*to),
                        Data::Store(from) => from.as_ref().is_some_and(source),
                    };
                    data || source(&cell.address)
                }
                Action::Meet { elect, .. } => {
                    elect.is_some_and(|elect| elect.register.is_some_and(due) || elect.predicate.is_some_and(due_predicate))
                }
                // With the last lane the registers are gone.
                Action::Exit => true,
                Action::Busy { .. } | Action::Access { cell: None, .. } => false,
            }
    }
}
