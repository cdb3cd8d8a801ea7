// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The outputs for warps: tokens, wakes, commits, which warps are suspended; completed operations of `tx`; replies to the network;
//! faults.
//!
//! *Reads:* the item in the decide stage and its outcome; leaving CTAs. *Writes:* the strobes, the suspended warps and the fault
//! channel; whether a fault may be offered. *Latency:* 1. Implements *Results* of `docs/contract/mbarrier.md`.

use super::decide::Decision;
use super::ports::{MbarrierFault, MbarrierToken, MbarrierWake, NetReply, TxDone};
use super::sums::Ctrl;
use crate::prelude::*;

#[block]
pub struct OutputStage<W, LW, LC, XW, XI, XT, XL> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// The item in the decide stage.
    pub ctrl: Signal<In, Ctrl<W, LW, LC, XW, XI, XT, XL>>,
    /// Outcome of the decision.
    pub decision: Signal<In, Decision<W>>,
    /// Results of operations.
    pub token: StrobeOut<MbarrierToken<LW>>,
    /// Suspended warps that are woken.
    pub wake: StrobeOut<MbarrierWake<W>>,
    /// Operations that take effect, or are refused.
    pub commit: StrobeOut<UnitCommit<W>>,
    /// Operations of `tx` that take effect, or are refused.
    pub tx_done: StrobeOut<TxDone<LC>>,
    /// Operations of `net_in` that take effect, or are refused.
    #[built(config.has_clusters())]
    pub net_reply: StrobeOut<NetReply>,
    /// The CTA of a slot leaves.
    pub retire: StrobeIn<Departure<W, LC>>,
    /// Suspended warps.
    pub suspended: Signal<Out, Bits<W>>,
    /// Faults.
    pub fault: Source<MbarrierFault<LW, LC>>,
    /// A fault may be offered.
    pub can_report: Signal<Out, Bit>,
    /// Register of the strobe `token`, without the word.
    token_register: StrobeRegister<MbarrierToken<LW>>,
    /// `commit_valid`.
    #[reset]
    commits: DFF<Bit>,
    /// Payload of `commit`.
    #[reset]
    committed: DFF<UnitCommit<W>>,
    /// Suspended warps.
    #[reset]
    suspended_q: DFF<Bits<W>>,
    /// `wake_valid`.
    #[reset]
    wake_q: DFF<Bit>,
    /// Payload of `wake`.
    #[reset]
    woken: DFF<MbarrierWake<W>>,
    /// The fault that is offered.
    faults: Buffer<MbarrierFault<LW, LC>>,
    /// Register of the strobe `tx_done`.
    tx_done_register: StrobeRegister<TxDone<LC>>,
    /// Register of the strobe `net_reply`.
    #[built(config.has_clusters())]
    net_reply_register: StrobeRegister<NetReply>,
    /// An item of a warp is done.
    warp_item_done: Signal<Local, Bit>,
    /// The item came from `tx`.
    from_tx: Signal<Local, Bit>,
    /// The item came from `net_in`.
    from_net: Signal<Local, Bit>,
    /// The item came from `net_in`, and its CTA is absent.
    cta_absent: Signal<Local, Bit>,
    /// The item is the result of a remote operation.
    is_remote_result: Signal<Local, Bit>,
    /// One-hot: the warp of the item that is done.
    warp_one_hot: Signal<Local, Bits<W>>,
    /// One-hot: the warp that is suspended from the next cycle on.
    suspending_warp: Signal<Local, Bits<W>>,
    /// Warps of a CTA that leaves without `saved`.
    leaving_warps: Signal<Local, Bits<W>>,
    /// Suspended warps that are woken, without the warps of a CTA that leaves without `saved`.
    warps_to_wake: Signal<Local, Bits<W>>,
    no_warps: Constant<Bits<W>>,
    /// A token is output.
    outputs_token: Signal<Local, Bit>,
    /// Word of the token.
    word_q: DFF<Bits<64>>,
    /// The word before the operation as memory holds it.
    word: Signal<Local, Bits<64>>,
    #[init(Constant::new(config.faults))]
    checks: Constant<Bit>,
    #[init(Constant::new(config.has_clusters()))]
    has_clusters: Constant<Bit>,
}

#[block]
impl Logic for OutputStage<W, LW, LC, XW, XI, XT, XL> {
    fn update(&mut self) {
        self.warp_item_done.next = self.decision.val().done & self.ctrl.val().item.has_warp;
        self.warp_one_hot.next = 0.into();
        if self.warp_item_done.val() {
            self.warp_one_hot.next = self.no_warps.val().with(self.ctrl.val().item.warp, true);
        }
        self.commits.d.next = self.warp_item_done.val();
        self.committed.d.next.warps = self.warp_one_hot.val();
        self.committed.d.next.refused = self.warp_item_done.val()
            & self.decision.val().refused
            & self.checks.val()
            & (self.ctrl.val().item.code != FaultCode::NotResident);
        self.commit.valid.next = self.commits.q.val();
        self.commit.payload.next = self.committed.q.val();

        // Among the operations without a warp, those of `net_in` have a result, and a fault of an absent target has a code.
        self.from_tx.next = self.ctrl.val().item.actions.operates
            & !self.ctrl.val().item.has_warp
            & !self.ctrl.val().item.actions.has_result
            & !self.ctrl.val().item.actions.flawed;
        self.tx_done_register.in_.valid.next = self.decision.val().done & self.from_tx.val();
        self.tx_done_register.in_.payload.next.cta = self.ctrl.val().item.cta;
        Strobe::join(&mut self.tx_done_register.out, &mut self.tx_done);

        self.from_net.next = self.has_clusters.val() & !self.ctrl.val().item.has_warp & self.ctrl.val().item.actions.has_result;
        self.cta_absent.next = self.from_net.val() & self.ctrl.val().case.refuses;
        self.is_remote_result.next = self.has_clusters.val() & self.ctrl.val().item.actions.times_out;
        self.net_reply_register.in_.valid.next = self.decision.val().done & self.from_net.val();
        self.net_reply_register.in_.payload.next.source = self.ctrl.val().item.destination.rd;
        self.net_reply_register.in_.payload.next.absent = self.cta_absent.val();
        Strobe::join(&mut self.net_reply_register.out, &mut self.net_reply);

        // Suspended warps of a CTA that leaves without `saved` get no result.
        self.suspending_warp.next = 0.into();
        if self.decision.val().suspends {
            self.suspending_warp.next = self.warp_one_hot.val();
        }
        self.leaving_warps.next = 0.into();
        if self.retire.valid.val() & !self.retire.payload.val().saved {
            self.leaving_warps.next = self.retire.payload.val().warps;
        }
        self.suspended_q.d.next = (self.suspended_q.q.val() | self.suspending_warp.val())
            & !self.decision.val().woken_warps
            & !self.leaving_warps.val();
        self.suspended.next = self.suspended_q.q.val();

        self.word.next = (bit_cast::<64, 20>(self.ctrl.val().entry_data.word.expected) << 1)
            | (bit_cast::<64, 21>(self.ctrl.val().entry_data.word.tx) << 21)
            | (bit_cast::<64, 20>(self.ctrl.val().entry_data.word.pending) << 43);
        self.word.next = self.word.val().replace_bit(42, self.ctrl.val().entry_data.word.spent);
        self.word.next = self.word.val().replace_bit(63, self.ctrl.val().entry_data.word.phase);
        self.outputs_token.next =
            self.warp_item_done.val() & self.ctrl.val().item.actions.has_result & !self.decision.val().suspends;
        // Cleared by one condition, so that it becomes the synchronous reset of the flip-flops.
        if self.outputs_token.val() {
            self.word_q.d.next = self.word.val();
        }
        if (self.outputs_token.val() & (self.decision.val().refused | self.is_remote_result.val())) | self.reset.val() {
            self.word_q.d.next = 0.into();
        }
        self.token_register.in_.valid.next = self.outputs_token.val();
        self.token_register.in_.payload.next.warp = self.ctrl.val().item.warp;
        self.token_register.in_.payload.next.word = 0.into();
        self.token_register.in_.payload.next.predicate = self.ctrl.val().phase_over & !self.decision.val().refused;
        self.token_register.in_.payload.next.refused = self.decision.val().refused;
        self.token_register.in_.payload.next.destination = self.ctrl.val().item.destination;
        self.token.valid.next = self.token_register.out.valid.val();
        self.token.payload.next = self.token_register.out.payload.val();
        self.token.payload.next.word = self.word_q.q.val();

        self.warps_to_wake.next = self.decision.val().woken_warps & !self.leaving_warps.val();
        self.wake_q.d.next = self.warps_to_wake.val().any();
        self.woken.d.next.warps = self.warps_to_wake.val();
        if self.decision.val().woken_warps.any() {
            self.woken.d.next.value = self.decision.val().value;
        }
        self.wake.valid.next = self.wake_q.q.val();
        self.wake.payload.next = self.woken.q.val();

        // If the CTA of an operation from `net_in` is absent, the sender reports the fault.
        self.faults.in_.valid.next = self.decision.val().refused & self.checks.val() & !self.cta_absent.val();
        self.faults.in_.payload.next.refusal.code = self.decision.val().code;
        self.faults.in_.payload.next.refusal.has_warp = self.ctrl.val().item.has_warp;
        self.faults.in_.payload.next.refusal.warp = 0.into();
        if self.ctrl.val().item.has_warp {
            self.faults.in_.payload.next.refusal.warp = self.ctrl.val().item.warp;
        }
        self.faults.in_.payload.next.refusal.cta = self.ctrl.val().item.cta;
        self.faults.in_.payload.next.address = self.ctrl.val().item.address;
        self.can_report.next = self.faults.in_.ready.val();
        Channel::join(&mut self.faults.out, &mut self.fault);
    }
}
