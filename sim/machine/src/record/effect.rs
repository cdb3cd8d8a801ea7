// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Effects at the barriers: arrivals, exits, state words, and the generations that they complete.

use super::super::reference::Contradiction;
use super::super::report::{Generation, Reduction, Wait};
use super::accepted::AcceptedInstr;
use super::{Event, Record};
use bcu_model::barriers::Effect;
use bcu_model::named::Action;
use bcu_model::op::{Code, Kind, Operation, StateWord};
use bcu_model::Bcu;

impl Record {
    /// Records the effect of the last clock edge, the end of cycle `cycle`, at the barriers. Returns the index of the warp that sent the
    /// operation, and the event to which the machine must react.
    pub fn effect(&mut self, cycle: u64, unit: &Bcu) -> Result<(Option<usize>, Option<Event>), Contradiction> {
        let (op, effect) = match unit.named().done() {
            Some((Action::Operation(op), effect)) => (op, effect),
            Some((Action::Row(row), effect)) => {
                if effect.fault.is_some() {
                    self.left_open((row.cta, row.id), unit);
                }
                return Ok((None, None));
            }
            None => return Ok((None, None)),
        };
        let no_transfer = || Contradiction {
            cycle,
            what: format!("the unit has executed operation {} ({:?}), which was never transferred to it", op.tag, op.kind),
        };
        match op.kind {
            Kind::Launch => {
                if let Some(slot) = self.slots.get_mut(usize::from(op.cta)) {
                    *slot = self.launches.get(op.tag as usize).copied();
                }
                Ok((None, None))
            }
            Kind::Release => Ok((None, None)),
            Kind::Exit => {
                let index = self.exits.remove(&op.tag).ok_or_else(no_transfer)?;
                // `gather` absorbed earlier exits of some lanes of this warp, so the entries of these exits are removed here.
                self.exits.retain(|tag, warp| *warp != index || *tag > op.tag);
                self.exited(cycle, op, effect, unit);
                Ok((Some(index), None))
            }
            _ => {
                let accepted = self.accepted.remove(&op.tag).ok_or_else(no_transfer)?;
                let index = accepted.index;
                Ok((Some(index), self.executed(cycle, op, effect, accepted, unit)))
            }
        }
    }

    /// Records that an instruction takes effect.
    fn executed(&mut self, cycle: u64, op: &Operation, effect: &Effect, accepted: AcceptedInstr, unit: &Bcu) -> Option<Event> {
        let AcceptedInstr { index: warp, cta, warp: number, .. } = accepted;
        if let Some(fault) = &effect.fault {
            self.refused(fault.code, &accepted, op, unit);
            return match op.kind {
                Kind::Read => Some(Event::NoResult { warp, result: (accepted.decoded.rd, accepted.decoded.pu) }),
                // For lanes with a mismatch, `gather` has already reported the refusal.
                _ => (op.waits() && fault.code != Code::GatherMismatch).then_some(Event::Resumes { warp }),
            };
        }
        let row = &mut self.ctas[cta].rows[usize::from(op.id)];
        match op.kind {
            Kind::Sync | Kind::Arrive | Kind::Reduce => {
                row.arrivals.extend(accepted.arrival());
                if op.waits() {
                    self.ctas[cta].warps[number].since = accepted.cycle;
                }
            }
            Kind::Write if op.state == StateWord::Barrier => {
                let barriers = unit.named().barriers();
                let row_state = if effect.release.is_some() { Some(barriers.closed()) } else { barriers.row(op.cta, op.id) };
                row.restored(row_state.map_or(0, |row| row.count as usize));
            }
            Kind::Write => {
                let warps = unit.named().barriers().warps();
                let waits = warps.waiting >> op.warp & 1 == 1;
                self.ctas[cta].warps[number].since = accepted.cycle;
                return waits.then_some(Event::Waits { warp, id: warps.last_id[usize::from(op.warp)] });
            }
            _ => {}
        }
        self.completes(cycle, cta, effect, unit, None);
        None
    }

    /// Records that the exit of a warp takes effect.
    fn exited(&mut self, cycle: u64, op: &Operation, effect: &Effect, unit: &Bcu) {
        let Some(cta) = self.cta_in(op.cta) else { return };
        let warp = self.ctas[cta].warp_of(op.warp.into());
        if let Some(fault) = &effect.fault {
            self.refused_exit(fault.code, (cta, warp), op, unit);
        }
        self.completes(cycle, cta, effect, unit, warp);
    }

    /// Records the generation that `effect` completes, if there is one; `exited` is the warp whose exit completed the generation.
    fn completes(&mut self, cycle: u64, cta: usize, effect: &Effect, unit: &Bcu, exited: Option<usize>) {
        let Some(release) = &effect.release else { return };
        let row = unit.named().barriers().closed();
        let cta_record = &mut self.ctas[cta];
        let (number, arrivals) = cta_record.rows[usize::from(release.id)].completes();
        let reduction = Reduction::from_op(release.result.reduction);
        // The waits are in order of arrival; warps that wait by a state word are last.
        let mut waiting: Vec<usize> = arrivals.iter().map(|arrival| arrival.warp).collect();
        waiting.extend((0..cta_record.warps.len()).filter(|warp| !arrivals.iter().any(|arrival| arrival.warp == *warp)));
        waiting.retain(|warp| release.warps >> cta_record.warps[*warp].slot & 1 == 1);
        let released = cycle + 1;
        self.release = Some(Generation {
            cta,
            id: release.id,
            number,
            threads: (row.expected != 0).then_some(row.expected * self.lanes),
            reduction,
            value: reduction.map(|_| release.result.value.into()),
            restored: (row.count as usize).saturating_sub(arrivals.len()),
            arrivals,
            exited,
            exited_thread: None,
            released,
            waits: waiting.into_iter().map(|warp| Wait { warp, cycles: released - cta_record.warps[warp].since }).collect(),
        });
    }
}
