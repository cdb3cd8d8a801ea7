// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Effects at Intel's gateway: signals, waits, the phases that they complete, and the reasons of refusals.

use super::super::reference::Contradiction;
use super::super::refused::has_no_program;
use super::super::report::{Fault, GatewayPhase, Misuse, Role, Signal, Wait};
use super::super::sentence;
use super::accepted::AcceptedInstr;
use super::fault::of_cta;
use super::gateway_row::{Passed, Row};
use super::{name, Event, Record, Stop};
use bcu_model::gateway::{Outcome, Phase, Work};
use bcu_model::gateway_ports::{GatewayKind, GatewayOp};
use bcu_model::op::Code;
use bcu_model::Bcu;

/// The result of an operation at the gateway: the index of the warp that sent the operation, the event that the machine must react to, and
/// the steps for the race detector.
#[derive(Debug, Default)]
pub(in super::super) struct AtGateway {
    pub index: Option<usize>,
    pub event: Option<Event>,
    /// The state in which the fault policy puts a warp whose operation is refused.
    pub stopped: Option<Stop>,
    pub passed: Vec<Passed>,
    /// Whether the gateway processed an operation or a barrier at the clock edge.
    pub done: bool,
}

impl Record {
    /// Records the effect of the last clock edge, the end of cycle `cycle`, at the gateway. `policy` is the state in which the fault policy
    /// puts a warp whose operation is refused.
    pub fn at_gateway(&mut self, cycle: u64, policy: Option<Stop>, unit: &Bcu) -> Result<AtGateway, Contradiction> {
        let Some((work, outcome)) = unit.gateway().and_then(|gateway| gateway.done()) else { return Ok(AtGateway::default()) };
        // The commit of the operation follows this clock edge. The outputs of the unit show a stopped warp only after the commit, so the
        // state of the warp is computed here.
        let refused = outcome.fault.is_some_and(|fault| fault.has_warp && fault.code != Code::NotResident);
        let stopped = policy.filter(|_| refused);
        let mut result = AtGateway { done: true, stopped, ..AtGateway::default() };
        let op = match work {
            Work::Operation(op) => op,
            Work::Row { cta, id, .. } => {
                if outcome.fault.is_some() {
                    self.group_left_open(*cta, *id);
                }
                return Ok(result);
            }
        };
        let no_transfer = || Contradiction {
            cycle,
            what: format!("the unit has executed operation {} ({:?}), which was never transferred to it", op.tag, op.kind),
        };
        match op.kind {
            GatewayKind::Launch => {
                if let Some(slot) = self.slots.get_mut(usize::from(op.cta)) {
                    *slot = self.launches.get(op.tag as usize).copied();
                }
            }
            GatewayKind::Release => {}
            GatewayKind::Exit => {
                let index = self.exits.remove(&op.tag).ok_or_else(no_transfer)?;
                // `gather` absorbed earlier exits of some lanes of this warp, so the entries of these exits are removed here.
                self.exits.retain(|tag, warp| *warp != index || *tag > op.tag);
                result.index = Some(index);
            }
            GatewayKind::Signal | GatewayKind::Wait | GatewayKind::Refused => {
                let accepted = self.accepted.remove(&op.tag).ok_or_else(no_transfer)?;
                result.index = Some(accepted.index);
                self.of_thread(cycle, (op, outcome), &accepted, unit, &mut result);
            }
        }
        Ok(result)
    }

    /// Records a signal, a wait, or any refused operation of a thread.
    fn of_thread(
        &mut self,
        cycle: u64,
        (op, outcome): (&GatewayOp, &Outcome),
        accepted: &AcceptedInstr,
        unit: &Bcu,
        result: &mut AtGateway,
    ) {
        let (cta, warp, id) = (accepted.cta, accepted.warp, op.message.id);
        if let Some(fault) = &outcome.fault {
            self.refused_at_gateway(fault.code, accepted, op, (result.stopped, unit));
            result.event = (op.kind == GatewayKind::Wait).then_some(Event::Resumes { warp: accepted.index });
            if op.kind == GatewayKind::Signal {
                result.passed.push(Passed::Nothing { cta, warp });
            }
            return;
        }
        if op.kind == GatewayKind::Wait {
            let Some(row) = self.ctas[cta].gateway.get_mut(usize::from(id)) else { return };
            if outcome.release.is_some() {
                row.notified.retain(|(signal, _)| signal.warp != warp);
                result.passed.push(Passed::Takes { cta, warp, id });
            }
            (self.ctas[cta].warps[warp].since, self.ctas[cta].warps[warp].id) = (accepted.cycle, id);
            return;
        }
        let role = Role::from_kind(op.message.role);
        let signal = Signal { warp, role, cycle: accepted.cycle, place: accepted.place.clone() };
        self.used_again(cta, id, &signal);
        let Some(row) = self.ctas[cta].gateway.get_mut(usize::from(id)) else { return };
        row.signals.push(signal);
        result.passed.push(Passed::Signals { cta, warp, id });
        if let Some((phase, woken)) = outcome.completed.zip(outcome.release.map(|release| release.warps)) {
            result.passed.push(self.completes_phase(cycle, (cta, id), &phase, woken));
        }
    }

    /// Records that a phase of barrier `id` is complete; `woken` has one bit for each warp slot whose warp waited for it.
    fn completes_phase(&mut self, cycle: u64, (cta, id): (usize, u8), phase: &Phase, woken: u64) -> Passed {
        let cta_record = &mut self.ctas[cta];
        let since: Vec<u64> = cta_record.warps.iter().map(|warp| warp.since).collect();
        let waits_in = |warp: usize| cta_record.warps.get(warp).is_some_and(|member| woken >> member.slot & 1 == 1);
        let row = &mut cta_record.gateway[usize::from(id)];
        row.completed += 1;
        let signals = std::mem::take(&mut row.signals);
        let consumers: Vec<&Signal> = signals.iter().filter(|signal| signal.role.consumes()).collect();
        let (waited, others): (Vec<&Signal>, Vec<&Signal>) = consumers.into_iter().partition(|signal| waits_in(signal.warp));
        let completed = cycle + 1;
        let waits = waited.iter().map(|signal| Wait { warp: signal.warp, cycles: completed - since[signal.warp] }).collect();
        let number = row.completed;
        row.notified.extend(others.iter().map(|signal| ((*signal).clone(), number)));
        let numbers = |signals: &[&Signal]| signals.iter().map(|signal| signal.warp).collect::<Vec<usize>>();
        let passed = Passed::Completes { cta, id, woken: numbers(&waited), notified: numbers(&others) };
        let (producers, consumers) = (phase.producers.into(), phase.consumers.into());
        self.phases.push(GatewayPhase { cta, id, number, producers, consumers, signals, completed, waits });
        passed
    }

    /// Reports a misuse: a warp that did not take part in the previous phase starts a phase, while a consumer of the previous phase has not
    /// waited yet.
    fn used_again(&mut self, cta: usize, id: u8, signal: &Signal) {
        let Some(row) = self.ctas[cta].gateway.get(usize::from(id)) else { return };
        let late = row.notified.iter().find(|(late, _)| late.warp != signal.warp);
        let Some((late, phase)) = late.filter(|_| row.signals.is_empty()) else { return };
        let took_part = self.phases.iter().rev().find(|known| (known.cta, known.id, known.number) == (cta, id, *phase));
        if took_part.is_some_and(|known| known.signals.iter().any(|other| other.warp == signal.warp)) {
            return;
        }
        let sentence = sentence::used_again(id, signal, late, *phase);
        let note = format!("warp {} signalled here as consumer of phase {phase}, in cycle {}", late.warp, late.cycle);
        let related = Some((late.warp, late.place.clone(), note));
        let (warp, place) = (Some(signal.warp), Some(signal.place.clone()));
        self.mbarriers.report(Misuse { code: "barrier_reused", cta, warp, cycle: signal.cycle, place, sentence, related });
    }

    /// Queues the fault of a refused operation at the gateway, with the sentence that states the reason.
    fn refused_at_gateway(
        &mut self,
        code: Code,
        accepted: &AcceptedInstr,
        op: &GatewayOp,
        (stopped, unit): (Option<Stop>, &Bcu),
    ) {
        let AcceptedInstr { cta, warp, decoded, place, divergence, .. } = accepted;
        let names_barrier = op.kind != GatewayKind::Refused && code != Code::IllegalInstruction;
        let group = unit.gateway().and_then(|gateway| gateway.rows().group(op.cta)).copied().unwrap_or_default();
        let sentence = match code {
            Code::IllegalInstruction => sentence::illegal(place),
            Code::GatherMismatch => sentence::mismatch(decoded.lanes),
            Code::PartialMask => format!("{}{divergence}", sentence::partial(decoded.lanes)),
            Code::IdOutOfRange => sentence::no_named_barrier(op.message.id, group.barriers.into()),
            Code::OperandNotUniform => sentence::not_uniform(),
            code if has_no_program(code) => String::new(),
            _ => match self.ctas[*cta].gateway.get(usize::from(op.message.id)) {
                Some(row) => sentence::at_gateway(code, op.message, group.warps.into(), row, *warp),
                None => String::new(),
            },
        };
        self.faults.push_back(Fault {
            cycle: 0,
            code: name(code),
            cta: *cta,
            warp: Some(*warp),
            id: names_barrier.then_some(op.message.id),
            place: Some(place.clone()),
            sentence,
            stopped,
            object: None,
            remote_sender: None,
        });
    }

    /// Records that a thread group has retired with barrier `id` in use.
    fn group_left_open(&mut self, slot: u8, id: u8) {
        let Some(cta) = self.cta_in(slot) else { return };
        let Some(row) = self.ctas[cta].gateway.get_mut(usize::from(id)) else { return };
        let row = Row { completed: row.completed, ..std::mem::take(row) };
        self.faults.push_back(of_cta(Code::BarrierLeftOpen, cta, Some(id), sentence::group_left_open(id, &row)));
    }
}
