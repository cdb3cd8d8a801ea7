// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Transfers that the unit has accepted on its channels: instructions, exits, launches and retirements of CTAs.

use super::super::warp::threads::{bits, At};
use super::super::warp::Warp;
use super::requests::operation;
use super::{Sm, Stage};
use crate::execute::env::Late;
use crate::record::accepted::{AcceptedInstr, Progress};
use crate::uncore::{Blocks, Uncore};
use bcu_isa::mbar::MbarOp;
use bcu_model::decode::Decoded;
use bcu_model::gateway_ports::Message;
use bcu_model::op::{Code, Form, Kind};
use bcu_model::Bcu;
use bcu_program::{AsyncProxy, Fence, Op, Scope};

impl Sm<'_> {
    /// Processes the accepted transfers, in the order in which the unit processes them; returns
    /// whether there are any.
    pub(super) fn transfers(&mut self, uncore: &mut Uncore, unit: &Bcu) -> bool {
        let at = self.pins.at.clone();
        let mut moved = false;
        if self.pins.get(at.retired_valid) == 1 {
            moved = true;
            self.retired(self.pins.get(at.retired_cta) as usize);
        }
        if self.pins.transfer(at.instr_valid, at.instr_ready) {
            moved = true;
            self.pins.set(at.instr_valid, 0);
            if let Some(index) = self.instr.take() {
                self.issued(index, unit, &mut uncore.blocks);
            }
        }
        if self.pins.transfer(at.exit_valid, at.exit_ready) {
            moved = true;
            self.pins.set(at.exit_valid, 0);
            if let Some(index) = self.exit.take() {
                self.transfers += 1;
                let (cycle, warp) = (self.cycle, &mut self.warps[index]);
                let lanes = self.pins.driven(at.exit_lanes);
                warp.threads.exit(lanes);
                warp.lanes &= !lanes;
                warp.complete_rendezvous();
                warp.port = None;
                // The output `blocked` includes the exit from `cycle + 1` on. The first instruction that is chosen by this output is issued
                // in `cycle + 2`.
                warp.ready_at = cycle + 2;
                if warp.lanes == 0 {
                    warp.exited = Some(cycle);
                    let cta = warp.cta;
                    if let Some(slot) = self.slot_of(cta) {
                        self.live_warps[slot] -= 1;
                    }
                    self.exits_warpgroup(index);
                    uncore.memory.ended(self.number_of(index));
                    let (issuer, phases) = (self.issuer(index), self.warps[index].phases);
                    self.races.iter().for_each(|races| races.borrow_mut().exits(issuer, phases));
                    self.exits_last(index, uncore);
                }
                self.record.exits(index);
            }
        }
        if self.pins.transfer(at.retire_valid, at.retire_ready) {
            moved = true;
            self.pins.set(at.retire_valid, 0);
            let retiring = self.cta_slots.iter_mut().flatten().filter(|(_, stage)| *stage == Stage::Retiring);
            retiring.for_each(|(_, stage)| *stage = Stage::Leaving);
        }
        if self.pins.transfer(at.launch_valid, at.launch_ready) {
            moved = true;
            self.pins.set(at.launch_valid, 0);
            self.transfers += 1;
            self.resident();
        }
        moved
    }

    /// Processes the acceptance of an instruction of the warp with index `index`.
    fn issued(&mut self, index: usize, unit: &Bcu, blocks: &mut Blocks) {
        let cycle = self.cycle;
        let warp = &mut self.warps[index];
        let Some(chosen) = warp.port.take() else { return };
        // The output `blocked` includes this instruction from `cycle + 1` on. The next instruction that is chosen by this output is issued
        // in `cycle + 2`.
        warp.ready_at = cycle + 2;
        let (place, issue) = (warp.place_of(chosen.at), warp.issue);
        let accepted = unit.decode().accepted().copied();
        // Lanes with another member mask or another mbarrier operand issue the instruction later,
        // separately.
        let executing = warp.active(warp.instr(chosen.at).and_then(|instr| instr.guard), chosen.lanes).executing;
        let meets = matches!(issue.form, Form::WarpSync | Form::Elect);
        let mbar = operation(&issue);
        let later = if meets || mbar.is_some() { executing & !issue.lanes() } else { 0 };
        match accepted.filter(|accepted| accepted.op.fault == Code::None) {
            Some(Decoded { form: Form::WarpSync | Form::Elect | Form::Gathered, .. }) => warp.waits(chosen),
            // The warp waits until the unit releases it, even if its arrival completes the barrier.
            Some(Decoded { op, .. }) if op.waits() => warp.waits_at = Some(op.id),
            Some(Decoded { op, .. }) if op.waits_at_gateway() => warp.waits_at = Some(Message::from_word(op.data).id),
            Some(Decoded { op, rd, pu, .. }) if op.kind == Kind::Read => warp.await_result(chosen.at, issue.lanes(), (rd, pu)),
            _ => {}
        }
        let polls = mbar.is_some_and(|mbar| matches!(mbar.does, MbarOp::Test { .. } | MbarOp::Try { .. }));
        // A fence changes nothing that another warp can read, and a rendezvous of lanes concerns one warp, so neither counts as a transfer.
        let is_own = meets || accepted.is_some_and(|accepted| accepted.op.kind == Kind::Fence);
        self.transfers += u64::from(!polls && !is_own);
        if let Some(mbar) = &mbar {
            warp.await_mbarrier(chosen.at, mbar);
            self.may_poll = true;
        }
        warp.threads.move_to(chosen.lanes & !later, At { instr: chosen.at.instr + 1, ..chosen.at });
        let issuer = self.issuer(index);
        let execution = self.execution(index, chosen.at);
        if !polls {
            self.record.mbarriers.end_wait(index, self.cycle);
        }
        // An mbarrier instruction without an executing lane starts no operation.
        if let Some(mbar) = mbar.filter(|_| accepted.is_some()) {
            self.mbarrier_op(index, (&mbar, &issue, &place, chosen.at), blocks);
        }
        if let Some(copy) = self.offered_copy.take() {
            let cta = self.warps[index].cta;
            let late = |lane: usize| Late { lane, cta, address: issue.ra };
            bits(issue.lanes()).for_each(|lane| self.arrive_later(index, late(lane), copy, (&place, false)));
        }
        // The FENCE of an instruction word and `lsc_fence` order all accesses.
        let of_word = Fence {
            async_proxy: AsyncProxy { shared: true, global: true },
            is_sc: true,
            ..Fence::acquire_release(Scope::System)
        };
        let fence = match self.warps[index].instr(chosen.at).map(|instr| &instr.op) {
            Some(Op::Fence(fence)) => Some(*fence),
            _ => accepted.filter(|accepted| accepted.op.kind == Kind::Fence).map(|_| of_word),
        };
        if let Some(fence) = fence.filter(|_| accepted.is_some_and(|accepted| accepted.op.fault == Code::None)) {
            if fence.shows_inits {
                self.record.mbarriers.fenced(issuer.cta, issuer.warp, self.cycle);
            }
            if fence.releases_to_other_ctas() {
                self.record.mbarriers.releases(issuer.cta, self.cycle);
            }
            self.races.iter().for_each(|races| races.borrow_mut().fence(issuer, issue.lanes(), &fence));
        }
        if let Some(races) = self.races.as_ref().filter(|_| unit.gateway().is_some()) {
            match accepted.map(|accepted| accepted.op) {
                Some(op) if op.kind == Kind::Fence && op.fault == Code::None => races.borrow_mut().fences(issuer),
                Some(op) if op.kind == Kind::Gateway && !op.waits_at_gateway() => races.borrow_mut().sends(issuer),
                _ => {}
            }
        }
        // A fence ends before it reaches the barriers, so no effect will be reported for it, and it is not recorded.
        let Some(decoded) = accepted.filter(|accepted| accepted.op.kind != Kind::Fence || accepted.op.fault != Code::None)
        else {
            return;
        };
        if matches!(decoded.op.kind, Kind::ClusterArrive | Kind::ClusterArriveRelaxed) && decoded.op.fault == Code::None {
            let releases = decoded.op.kind == Kind::ClusterArrive;
            self.races.iter().for_each(|races| races.borrow_mut().arrives_at_cluster(issuer, issue.lanes(), releases));
        }
        if let Some(id) = decoded.arrives_at() {
            self.races.iter().for_each(|races| races.borrow_mut().arrives(issuer, id, issue.lanes(), (&place, execution)));
        }
        let warp = &self.warps[index];
        let divergence = warp.divergence(issue.lanes(), chosen.lanes);
        let Warp { cta, warp, .. } = *warp;
        self.record.accept(AcceptedInstr {
            index,
            cta,
            warp,
            decoded,
            cycle,
            place,
            divergence,
            progress: Progress::BeforeGather,
        });
    }

    /// Processes the retirement of the CTA in slot `slot`.
    fn retired(&mut self, slot: usize) {
        let Some((cta, _)) = self.cta_slots.get_mut(slot).and_then(Option::take) else { return };
        self.record.mbarriers.end_cta(cta, self.cycle);
        self.ends_tensor_memory(cta);
        self.races.iter().for_each(|races| races.borrow_mut().remove_cta(cta));
        for owner in &mut self.warp_slots {
            if owner.is_some_and(|i| self.warps[i].cta == cta) {
                *owner = None;
            }
        }
        self.list_residents();
    }
}
