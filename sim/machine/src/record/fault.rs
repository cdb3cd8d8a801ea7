// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Faults, each with the location of the refused instruction and a sentence with the reason.

use super::super::refused::has_no_program;
use super::super::sentence;
use super::accepted::AcceptedInstr;
use super::{name, stop, Code, Fault, Record, RemoteOp, Stop};
use bcu_model::op::{Form, Kind, Operation, StateWord};
use bcu_model::Bcu;

impl Record {
    /// Records a refused instruction.
    pub(super) fn refused(&mut self, code: Code, accepted: &AcceptedInstr, op: &Operation, unit: &Bcu) {
        let AcceptedInstr { cta, warp, decoded, place, .. } = accepted;
        let names_barrier = match op.kind {
            Kind::Read | Kind::Write => op.state == StateWord::Barrier,
            Kind::Fence => false,
            kind if kind.is_of_cluster() || kind.is_of_grid() => false,
            _ => code != Code::IllegalInstruction && !matches!(decoded.form, Form::WarpSync | Form::Elect),
        };
        let sentence = self.sentence(code, accepted, op, unit);
        self.faults.push_back(Fault {
            cycle: 0,
            code: name(code),
            cta: *cta,
            warp: Some(*warp),
            id: names_barrier.then_some(op.id),
            place: Some(place.clone()),
            sentence,
            stopped: stop(unit, op.warp.into()),
            object: None,
            remote_sender: None,
        });
    }

    /// The sentence that states why an instruction was refused.
    fn sentence(&self, code: Code, accepted: &AcceptedInstr, op: &Operation, unit: &Bcu) -> String {
        let AcceptedInstr { cta, warp, decoded, place, divergence, .. } = accepted;
        let barriers = unit.named().barriers();
        let slot = barriers.slot(op.cta);
        match code {
            Code::IllegalInstruction => sentence::illegal(place),
            Code::GatherMismatch => sentence::mismatch(decoded.lanes),
            Code::PartialMask => format!("{}{divergence}", sentence::partial(decoded.lanes)),
            Code::IdOutOfRange => sentence::no_barrier(op.id, slot.declared),
            Code::OperandNotUniform => sentence::not_uniform(),
            Code::NoResult => sentence::no_result(*warp),
            Code::BadStateWord => sentence::bad_word(op.data, barriers.impossible(op).unwrap_or("it is not a possible state")),
            code if has_no_program(code) => String::new(),
            Code::ClusterDoubleArrival | Code::ClusterWaitWithoutArrival => sentence::at_cluster(code, *warp),
            _ => match self.row(*cta, op.id, unit) {
                Some(row) => sentence::arrival(code, op, slot.launched, self.lanes, row, *warp),
                None => String::new(),
            },
        }
    }

    /// Records that an operation of the warp with index `index` took effect at the barrier of its cluster or on its grid, or was refused
    /// with code `code`. Returns the kind of the operation if it came from an instruction.
    pub fn done_at_cluster_or_grid(&mut self, index: usize, code: Code, stopped: Option<Stop>, unit: &Bcu) -> Option<Kind> {
        let is_own = |accepted: &AcceptedInstr| {
            let kind = accepted.decoded.op.kind;
            accepted.index == index && (kind.is_of_cluster() || kind.is_of_grid())
        };
        let oldest = self.accepted.iter().filter(|(_, accepted)| is_own(accepted)).min_by_key(|(_, accepted)| accepted.cycle);
        let Some(accepted) = oldest.map(|(tag, _)| *tag).and_then(|tag| self.accepted.remove(&tag)) else { return None };
        if code != Code::None {
            let op = accepted.decoded.op;
            let fault = Fault {
                cycle: 0,
                code: name(code),
                cta: accepted.cta,
                warp: Some(accepted.warp),
                id: None,
                place: Some(accepted.place.clone()),
                sentence: self.sentence(code, &accepted, &op, unit),
                stopped,
                object: None,
                remote_sender: None,
            };
            self.faults_of_other_units.push_back((usize::from(op.warp), fault));
        }
        Some(accepted.decoded.op.kind)
    }

    /// Records a refused exit of a warp.
    pub(super) fn refused_exit(&mut self, code: Code, (cta, warp): (usize, Option<usize>), op: &Operation, unit: &Bcu) {
        let stopped = stop(unit, op.warp.into());
        let sentence = String::new();
        self.faults.push_back(Fault {
            cycle: 0,
            code: name(code),
            cta,
            warp,
            id: None,
            place: None,
            sentence,
            stopped,
            object: None,
            remote_sender: None,
        });
    }

    /// Removes and returns the record of the fault that the unit reports now, with code `code` and
    /// a warp in slot `slot`. Deadlocks have a separate queue.
    pub fn reported(&mut self, code: Code, slot: usize) -> Option<Fault> {
        let named = name(code);
        let is_of_other_unit = |(fault_slot, fault): &(usize, Fault)| fault.code == named && *fault_slot == slot;
        if self.faults.front().is_none_or(|fault| fault.code != named) {
            // The faults of one unit are reported in order, but the units take turns. So if the
            // oldest fault in `faults` has another code, the reported fault is in
            // `faults_of_other_units`.
            if let Some(at) = self.faults_of_other_units.iter().position(is_of_other_unit) {
                return self.faults_of_other_units.remove(at).map(|(_, fault)| fault);
            }
        }
        let queue = if code == Code::Deadlock { &mut self.unreported_deadlocks } else { &mut self.faults };
        queue.pop_front()
    }

    /// The fault of an operation on an mbarrier of an absent CTA. The unit does not report which operation it was, so the fault names the
    /// last operation that CTA `cta` sent to an exited CTA; if there is none, the last operation that it sent to any other CTA.
    /// `has_exited` returns whether the CTA of a rank has exited.
    pub fn absent(&self, cta: usize, has_exited: &dyn Fn(usize) -> bool) -> Fault {
        let sent_ops = || self.remote_ops.iter().rev().filter(|op| op.cta == cta);
        let Some(RemoteOp { warp, rank, place, .. }) = sent_ops().find(|op| has_exited(op.rank)).or_else(|| sent_ops().next())
        else {
            let sentence =
                "an operation names an mbarrier of another CTA of the cluster, but that CTA has ended or is not launched yet";
            return of_cta(Code::RankAbsent, cta, None, sentence.to_string());
        };
        let why = if has_exited(*rank) { "has exited" } else { "is not launched yet" };
        let sentence = format!("an operation of warp {warp} names an mbarrier of the CTA of rank {rank}, but that CTA {why}");
        let fault = of_cta(Code::RankAbsent, cta, None, sentence);
        Fault { warp: Some(*warp), place: Some(place.clone()), ..fault }
    }

    /// Records that the unit lost the newest fault because its queue was full.
    pub fn count_lost_fault(&mut self) {
        self.faults.pop_back();
        self.lost_faults += 1;
    }

    /// Records a CTA for which the unit detected a deadlock at the last clock edge.
    pub fn record_deadlock(&mut self, unit: &Bcu) {
        let Some((slot, cta)) = unit.deadlock_detector().found().and_then(|slot| Some((slot, self.cta_in(slot)?))) else {
            return;
        };
        let why = match unit.deadlock_detector().is_in_conflict(slot) {
            true => "two barriers without a count are open at once: each waits for warps that wait at the other",
            false => "every warp of the CTA that has not exited waits or is stopped, and no operation is in flight",
        };
        let waits = |warp| Some((warp, self.waits_at(cta, warp, unit)?));
        let waiting: Vec<(usize, u8)> = (0..self.ctas[cta].warps.len()).filter_map(waits).collect();
        let sentence = why.to_string() + &sentence::waiting(&waiting);
        self.unreported_deadlocks.push_back(of_cta(Code::Deadlock, cta, None, sentence));
    }

    /// Records that a CTA has retired with barrier `id` open.
    pub(super) fn left_open(&mut self, (slot, id): (u8, u8), unit: &Bcu) {
        let Some(cta) = self.cta_in(slot) else { return };
        let arrivals = std::mem::take(&mut self.ctas[cta].rows[usize::from(id)].arrivals);
        let sentence = sentence::left_open(id, unit.named().barriers().closed(), &arrivals, self.lanes);
        self.faults.push_back(of_cta(Code::BarrierLeftOpen, cta, Some(id), sentence));
    }
}

/// A fault of a CTA without a warp.
pub(super) fn of_cta(code: Code, cta: usize, id: Option<u8>, sentence: String) -> Fault {
    Fault {
        cycle: 0,
        code: name(code),
        cta,
        warp: None,
        id,
        place: None,
        sentence,
        stopped: None,
        object: None,
        remote_sender: None,
    }
}
