// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The environment of the unit's mbarriers: shared memory that responds to requests of the unit, copies that signal written bytes, and
//! warps that get answers of the unit.

use super::super::memory::{Access, Bank, Memory};
use super::super::race::{AnswerUse, Arrival, Decided, Issuer, Landed, ObjectOp};
use super::super::report::Misuse;
use super::super::warp::threads::At;
use super::requests::{address, Copied, Message, ObjectSignal, Request, OFFSET};
use super::Sm;
use crate::uncore::Blocks;
use bcu_isa::mbar::{Mbar, MbarOp};
use bcu_model::decode::Instruction;
use bcu_model::mbarrier_state::Done;
use bcu_model::op::Code;
use bcu_program::window::RANK_AT;
use bcu_program::{is_only_phase, is_retried, Op, Place};
use std::sync::Arc;

/// The number of bytes of an mbarrier object.
pub(super) const BYTES: u64 = 8;

impl Sm<'_> {
    /// Processes the unit's requests to shared memory and its accepted signals of copies; returns whether there was an event.
    pub(super) fn objects(&mut self, memory: &mut Memory) -> bool {
        let at = self.pins.at.clone();
        let mut moved = false;
        if self.pins.transfer(at.tx_valid, at.tx_ready) {
            moved = true;
            let signal = self.objects.signals.pop_front();
            self.objects.accepted.extend(signal);
        }
        if self.pins.get(at.tx_done_valid) == 1 {
            moved = true;
            // The unit completes signals in the order in which it accepted them.
            let done = self.objects.accepted.pop_front();
            self.objects.decided = self.objects.decided.saturating_sub(1);
            done.into_iter().for_each(|signal| self.copied_to(signal.copy));
        }
        if self.pins.transfer(at.mem_request_ready, at.mem_request_valid) {
            moved = true;
            let ports = [at.mem_request_write, at.mem_request_cta, at.mem_request_object, at.mem_request_data];
            let [write, slot, object, data] = ports.map(|port| self.pins.get(port));
            // Shared memory responds in the order of the requests, so a response is not due before the previous one.
            let last = self.objects.requests.back().map_or(0, |last| last.due);
            let due = self.pipe.answer(self.cycle).max(last);
            let cta = self.cta_slots.get(slot as usize).copied().flatten().map(|(cta, _)| cta);
            let request = Request { due, cta, address: object * BYTES, data: (write == 1).then_some(data) };
            self.objects.requests.push_back(request);
        }
        self.answer(memory);
        self.deferred_arrivals();
        let next =
            self.objects.signals.front().map(|signal| [signal.slot as u64, signal.object, signal.arrivals, signal.bytes]);
        self.pins.set(at.tx_valid, next.is_some().into());
        if let Some(values) = next {
            let ports = [at.tx_cta, at.tx_object, at.tx_count, at.tx_bytes];
            ports.into_iter().zip(values).for_each(|(port, value)| self.pins.set(port, value));
        }
        moved | self.answers()
    }

    /// Performs the oldest request to shared memory when it is due, and drives the response.
    fn answer(&mut self, memory: &mut Memory) {
        let at = self.pins.at.clone();
        let due_cycle = self.cycle + 1;
        let due = self.objects.requests.front().is_some_and(|request| request.due <= due_cycle);
        let request = if due { self.objects.requests.pop_front() } else { None };
        self.pins.set(at.mem_response_valid, request.is_some().into());
        let Some(Request { cta, address, data, .. }) = request else { return };
        let bank = cta.map(Bank::Shared);
        let word = match (bank, data) {
            (Some(bank), Some(data)) => {
                memory.write(bank, address, BYTES as usize, data);
                0
            }
            // A word that was never written is 0, which is not an mbarrier object.
            (Some(bank), None) => memory.read(bank, address, BYTES as usize).unwrap_or(0),
            (None, _) => 0,
        };
        self.pins.set(at.mem_response_data, word);
    }

    /// The CTA slot of CTA `cta`; `None` if the CTA is not, or no longer, on this multiprocessor.
    pub(super) fn slot_of(&self, cta: usize) -> Option<usize> {
        self.cta_slots.iter().position(|slot| slot.is_some_and(|(of, _)| of == cta))
    }

    /// Signals the mbarriers of a copy whose bytes are written.
    pub(super) fn arrived(&mut self, access: &Access) {
        let issuer = self.issuer(access.warp);
        for part in &access.parts {
            let Some(signal) = part.signal else { continue };
            let (object, to) = (u64::from(signal & OFFSET) / BYTES, part.to());
            let bytes = to.end - to.start;
            let Bank::Shared(cta) = part.to else { continue };
            let landed = Some((issuer, Landed::Bytes(to)));
            let Some(copy) = access.copy else { continue };
            self.copying.expect_signals(copy, 1);
            let copy = (self.number, copy);
            match self.slot_of(cta) {
                Some(slot) => {
                    self.objects.signals.push_back(ObjectSignal { slot, object, arrivals: 0, bytes, copy, landed });
                }
                None => self.objects.outgoing.push(Message::Signal { cta, object, arrivals: 0, bytes, copy, landed }),
            }
        }
    }

    /// Records an operation in flight on an mbarrier, which may be in another CTA of the cluster.
    pub(super) fn mbarrier_op(
        &mut self,
        index: usize,
        (mbar, issue, place, at): (&Mbar, &Instruction, &Place, At),
        blocks: &mut Blocks,
    ) {
        let issuer = self.issuer(index);
        let warp = &self.warps[index];
        let acquires = match warp.instr(at).map(|instr| &instr.op) {
            Some(Op::Mbarrier(mbarrier)) => mbarrier.acquires_phase(),
            _ => true,
        };
        let key = (Arc::as_ptr(warp.code()) as usize, at.function, at.instr);
        let uses = || match warp.code().functions.get(at.function) {
            Some(function) => AnswerUse {
                is_repeated: is_retried(function, at.instr),
                is_only_phase: arrival(mbar) == Arrival::No || is_only_phase(function, at.instr),
            },
            None => AnswerUse { is_repeated: false, is_only_phase: false },
        };
        let execution = self.execution(index, at);
        let answer_use = self.races.as_ref().map(|races| races.borrow_mut().answer_use(key, uses)).unwrap_or_default();
        if warp.is_remote(mbar, issue) {
            let rank = issue.ra.wrapping_add(mbar.address.offset.into()) >> RANK_AT;
            if let Some(to) = warp.ctas.get(rank as usize).copied() {
                let op = ObjectOp {
                    object: address(mbar, issue),
                    lanes: issue.lanes(),
                    is_init: false,
                    stores: false,
                    arrival: arrival(mbar),
                    acquires,
                    answer_use,
                    execution,
                    place,
                };
                self.races.iter().for_each(|races| races.borrow_mut().remote_mbarrier_op(issuer, (to, &op)));
                blocks.remote_ops.entry((issuer.cta, to, address(mbar, issue))).or_default().push_back(self.cycle);
                self.enters_at(index, (to, "uses an mbarrier in"), place);
            }
            if arrival(mbar) == Arrival::Release {
                self.record.mbarriers.releases(issuer.cta, self.cycle);
            }
            return;
        }
        let Some(races) = &self.races else { return };
        let (object, lanes) = (address(mbar, issue), issue.lanes());
        let is_init = matches!(mbar.does, MbarOp::Init(_));
        let stores = is_init || matches!(mbar.does, MbarOp::Inval);
        let arrival = arrival(mbar);
        let op = ObjectOp { object, lanes, is_init, stores, arrival, acquires, answer_use, place, execution };
        let Some((maker, init_place)) = races.borrow_mut().mbarrier_op(issuer, &op, self.cycle) else { return };
        let Issuer { cta, warp, .. } = issuer;
        let sentence = format!(
            "warp {warp} uses {}, and this use is not ordered after the init by warp {maker}{}",
            self.record.mbarriers.named(cta, object),
            self.record.mbarriers.state(cta, object)
        );
        let related = Some((maker, init_place, format!("warp {maker} initialised the mbarrier here")));
        let (code, cycle, place) = ("mbarrier_not_visible", self.cycle, Some(place.clone()));
        self.record.mbarriers.report(Misuse { code, cta, warp: Some(warp), cycle, place, sentence, related });
    }

    /// Processes the unit's decision on an operation on an mbarrier. The operation may have come from another CTA.
    pub(super) fn decided(&mut self, done: &Done, blocks: &mut Blocks) {
        let cta = self.cta_slots.get(usize::from(done.cta)).copied().flatten().map(|(cta, _)| cta);
        let sender = done.source.and_then(|source| blocks.sender(source));
        let way = sender.zip(cta).map(|(from, to)| (from, to, done.address));
        let taken_at = way.and_then(|way| blocks.remote_ops.get_mut(&way)?.pop_front());
        if let (Some(sender), Some(cta), Some(taken_at), Code::None) = (sender, cta, taken_at, done.fault) {
            self.record.mbarriers.used_remotely((cta, done.address), sender, taken_at, self.cycle);
        }
        let index = done.warp.and_then(|slot| self.warp_slots.get(usize::from(slot)).copied().flatten());
        // The commit of the operation follows this clock edge. The outputs of the unit show a stopped warp only after the commit, so the
        // state of the warp is computed here.
        let refused = done.warp.is_some() && !matches!(done.fault, Code::None | Code::NotResident);
        let stopped = if refused { self.machine.fault_policy.stop() } else { None };
        let size = index.map_or(1, |index| self.warps[index].ctas.len());
        let is_instruction = self.record.decided((index, sender, size), cta, done, self.cycle, stopped);
        // What a poll reads has changed, so the polls so far say nothing about the next one.
        if !done.kind.waits() {
            self.restart_polls();
        }
        if done.warp.is_none() && done.source.is_none() {
            self.lands(cta, done.address);
        }
        if let (Some(races), Some(cta)) = (&self.races, cta) {
            let warp = index.map(|index| self.warps[index].warp);
            let (object, refused) = (done.address, done.fault != Code::None);
            let Done { completes, kind, answer, suspends, after, .. } = *done;
            let drops_last = kind.drops() && after.is_some_and(|after| after.expected == 0);
            let waits_for_bytes = after.is_some_and(|after| after.pending == 0 && after.tx != 0);
            let decided = Decided {
                object,
                warp,
                sender,
                refused,
                completes,
                kind,
                answer,
                suspends,
                drops_last,
                waits_for_bytes,
                bytes: done.t,
            };
            races.borrow_mut().decided(cta, decided);
        }
        if let Some(warp) = index.filter(|_| is_instruction && stopped.is_some()).map(|index| &mut self.warps[index]) {
            warp.stopped = stopped;
        }
    }

    /// Records that the oldest signal of a copy that has not taken effect does so now, at an mbarrier of CTA `cta`.
    fn lands(&mut self, cta: Option<usize>, object: u32) {
        let signal = self.objects.accepted.get_mut(self.objects.decided);
        self.objects.decided += 1;
        self.objects.last_effect = signal.as_ref().map(|signal| (self.cycle, signal.copy));
        let landed = signal.and_then(|signal| signal.landed.take());
        if let (Some(races), Some(cta), Some((issuer, landed))) = (&self.races, cta, landed) {
            races.borrow_mut().copy_landed(issuer, (cta, object), landed);
        }
    }

    /// Whether a signal of a copy, or a deferred arrival of a lane, may still reach mbarriers of CTA `cta`.
    pub(in super::super) fn has_signals_to(&self, cta: usize) -> bool {
        self.slot_of(cta).is_some_and(|slot| self.objects.sent_to(slot))
            || self.objects.deferred.iter().any(|arrival| arrival.cta == cta)
            || self.pipe.signals(cta)
    }

    /// Records that a signal of a copy to an mbarrier has taken effect.
    fn copied_to(&mut self, (sm, copy): Copied) {
        match sm == self.number {
            true => self.copying.done(copy),
            false => self.objects.outgoing.push(Message::CopyDone((sm, copy))),
        }
    }

    /// Receives a message of another multiprocessor. Returns the message if its CTA is not on this multiprocessor.
    pub fn receive(&mut self, message: Message) -> Option<Message> {
        match message {
            Message::CopyDone((_, copy)) => self.copying.done(copy),
            Message::Signal { cta, object, arrivals, bytes, copy, ref landed } => {
                let Some(slot) = self.slot_of(cta) else { return Some(message) };
                let landed = landed.clone();
                self.objects.signals.push_back(ObjectSignal { slot, object, arrivals, bytes, copy, landed });
            }
        }
        None
    }

    /// Removes and returns the messages to other multiprocessors.
    pub fn take_messages(&mut self) -> Vec<Message> {
        std::mem::take(&mut self.objects.outgoing)
    }
}

/// Whether the operation is an arrival, and its order. A releasing arrival waits for the earlier accesses of its warp.
fn arrival(mbar: &Mbar) -> Arrival {
    match mbar.does {
        MbarOp::Arrive { relaxed: true, .. } => Arrival::Relaxed,
        MbarOp::Arrive { .. } => Arrival::Release,
        _ => Arrival::No,
    }
}
