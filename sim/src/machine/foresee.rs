// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What a warp would do next if nothing held it: its program gone through with its registers as they stand.

use super::meaning::Meaning;
use super::warp::Warp;
use crate::program::{Action, Cell, Data, Place, Write};
use bcu_hw::config::Config;
use bcu_hw::isa::instr::decode;

/// Registers and predicates whose value only the unit can tell.
#[derive(Default)]
struct Unknown {
    registers: Vec<u8>,
    predicates: Vec<u8>,
}

impl Unknown {
    fn result(&mut self, (rd, pu): (u8, u8)) {
        self.registers.push(rd);
        self.predicates.push(pu);
    }

    /// Whether what this writes is unknown as well; it is noted either way.
    fn spreads(&mut self, write: &Write, guarded: bool) -> bool {
        let read = write.registers().any(|register| self.registers.contains(&register.0));
        let unknown = guarded || read || write.predicate().is_some_and(|index| self.predicates.contains(&index));
        let (list, to) = match write {
            Write::Mov { to, .. } | Write::Alu { to, .. } => (&mut self.registers, to.0),
            Write::Predicate { to, .. } => (&mut self.predicates, *to),
        };
        list.retain(|known| *known != to);
        if unknown {
            list.push(to);
        }
        unknown
    }
}

/// The next instruction with which the warp arrives at the barrier, if it has one and the registers that it names are known.
pub(super) fn next_arrival(warp: &Warp, id: u8, sizes: &Config) -> Option<Place> {
    let mut warp = warp.clone();
    let program = warp.program.clone();
    let mut unknown = Unknown::default();
    warp.pending.iter().for_each(|pending| unknown.result(*pending));
    // Lanes that wait may go on as well.
    warp.waits_no_more(u64::MAX);
    while let Some((step, chosen)) = warp.chosen().and_then(|c| Some((program.steps.get(c.step)?, c))) {
        let guarded = unknown.predicates.contains(&step.guard.index);
        let executing = warp.executing(chosen);
        match &step.action {
            Action::Exit if !guarded => warp.lanes &= !executing,
            Action::Write(write) if !unknown.spreads(write, guarded) => warp.registers.write(write, executing),
            Action::Barrier { word, presets, .. } => {
                presets.iter().for_each(|write| {
                    unknown.spreads(write, false);
                });
                warp.prepare(chosen, sizes.lanes);
                let reads = decode(*word).map_or((None, None), |instr| instr.reads());
                let named = [reads.0, reads.1].into_iter().flatten().all(|r| !unknown.registers.contains(&r.0));
                match warp.issue.meaning(sizes.pack_lsb) {
                    Meaning::Arrival(ask) if named && !guarded && ask.id == id => return Some(step.place.clone()),
                    Meaning::Read { rd, pu, .. } => unknown.result((rd, pu)),
                    _ => {}
                }
            }
            Action::Access { cell: Some(Cell { data: Data::Load(to), .. }), .. } => unknown.registers.push(to.0),
            Action::Meet { elect: Some(elect), .. } => {
                unknown.registers.extend(elect.register.map(|register| register.0));
                unknown.predicates.extend(elect.predicate);
            }
            _ => {}
        }
        if warp.lanes == 0 {
            return None;
        }
        warp.take(chosen);
    }
    None
}
