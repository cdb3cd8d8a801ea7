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
    pub room: Signal<Out, Bit>,
    /// Register of the strobe `token`, without the word.
    tokens: StrobeRegister<MbarrierToken<LW>>,
    /// `commit_valid`.
    #[reset]
    commits: DFF<Bit>,
    /// Payload of `commit`.
    #[reset]
    committed: DFF<UnitCommit<W>>,
    /// Suspended warps.
    #[reset]
    waiting: DFF<Bits<W>>,
    /// `wake_valid`.
    #[reset]
    wake_q: DFF<Bit>,
    /// Payload of `wake`.
    #[reset]
    woken: DFF<MbarrierWake<W>>,
    /// The fault that is offered.
    faults: Buffer<MbarrierFault<LW, LC>>,
    /// Register of the strobe `tx_done`.
    copied: StrobeRegister<TxDone<LC>>,
    /// Register of the strobe `net_reply`.
    #[built(config.has_clusters())]
    replies: StrobeRegister<NetReply>,
    /// An item of a warp is done.
    own: Signal<Local, Bit>,
    /// The item came from `tx`.
    tx: Signal<Local, Bit>,
    /// The item came from `net_in`.
    net: Signal<Local, Bit>,
    /// The item came from `net_in`, and its CTA is absent.
    absent: Signal<Local, Bit>,
    /// The item is the result of a remote operation.
    left: Signal<Local, Bit>,
    /// One-hot: the warp of the item that is done.
    one: Signal<Local, Bits<W>>,
    /// One-hot: the warp that is suspended from the next cycle on.
    starts: Signal<Local, Bits<W>>,
    /// Warps of a CTA that leaves without `saved`.
    leaves: Signal<Local, Bits<W>>,
    /// Suspended warps that are woken, without the warps of a CTA that leaves without `saved`.
    wakes: Signal<Local, Bits<W>>,
    no_warps: Constant<Bits<W>>,
    /// A token is output.
    shows: Signal<Local, Bit>,
    /// Word of the token.
    word_q: DFF<Bits<64>>,
    /// The word before the operation as memory holds it.
    word: Signal<Local, Bits<64>>,
    #[init(Constant::new(config.faults))]
    checks: Constant<Bit>,
    #[init(Constant::new(config.has_clusters()))]
    clusters: Constant<Bit>,
}

#[block]
impl Logic for OutputStage<W, LW, LC, XW, XI, XT, XL> {
    fn update(&mut self) {
        self.own.next = self.decision.val().done & self.ctrl.val().item.own;
        self.one.next = 0.into();
        if self.own.val() {
            self.one.next = self.no_warps.val().with(self.ctrl.val().item.warp, true);
        }
        self.commits.d.next = self.own.val();
        self.committed.d.next.warps = self.one.val();
        self.committed.d.next.refused = self.own.val()
            & self.decision.val().refused
            & self.checks.val()
            & (self.ctrl.val().item.code != FaultCode::NotResident);
        self.commit.valid.next = self.commits.q.val();
        self.commit.payload.next = self.committed.q.val();

        // Among the operations without a warp, those of `net_in` have a result, and a fault of an absent target has a code.
        self.tx.next = self.ctrl.val().item.does.operates
            & !self.ctrl.val().item.own
            & !self.ctrl.val().item.does.has_result
            & !self.ctrl.val().item.does.flawed;
        self.copied.in_.valid.next = self.decision.val().done & self.tx.val();
        self.copied.in_.payload.next.cta = self.ctrl.val().item.cta;
        Strobe::join(&mut self.copied.out, &mut self.tx_done);

        self.net.next = self.clusters.val() & !self.ctrl.val().item.own & self.ctrl.val().item.does.has_result;
        self.absent.next = self.net.val() & self.ctrl.val().case.refuses;
        self.left.next = self.clusters.val() & self.ctrl.val().item.does.times_out;
        self.replies.in_.valid.next = self.decision.val().done & self.net.val();
        self.replies.in_.payload.next.source = self.ctrl.val().item.destination.rd;
        self.replies.in_.payload.next.absent = self.absent.val();
        Strobe::join(&mut self.replies.out, &mut self.net_reply);

        // Suspended warps of a CTA that leaves without `saved` get no result.
        self.starts.next = 0.into();
        if self.decision.val().suspends {
            self.starts.next = self.one.val();
        }
        self.leaves.next = 0.into();
        if self.retire.valid.val() & !self.retire.payload.val().saved {
            self.leaves.next = self.retire.payload.val().warps;
        }
        self.waiting.d.next = (self.waiting.q.val() | self.starts.val()) & !self.decision.val().wakes & !self.leaves.val();
        self.suspended.next = self.waiting.q.val();

        self.word.next = (bit_cast::<64, 20>(self.ctrl.val().found.word.expected) << 1)
            | (bit_cast::<64, 21>(self.ctrl.val().found.word.tx) << 21)
            | (bit_cast::<64, 20>(self.ctrl.val().found.word.pending) << 43);
        self.word.next = self.word.val().replace_bit(42, self.ctrl.val().found.word.spent);
        self.word.next = self.word.val().replace_bit(63, self.ctrl.val().found.word.phase);
        self.shows.next = self.own.val() & self.ctrl.val().item.does.has_result & !self.decision.val().suspends;
        // Cleared by one condition, so that it becomes the synchronous reset of the flip-flops.
        if self.shows.val() {
            self.word_q.d.next = self.word.val();
        }
        if (self.shows.val() & (self.decision.val().refused | self.left.val())) | self.reset.val() {
            self.word_q.d.next = 0.into();
        }
        self.tokens.in_.valid.next = self.shows.val();
        self.tokens.in_.payload.next.warp = self.ctrl.val().item.warp;
        self.tokens.in_.payload.next.word = 0.into();
        self.tokens.in_.payload.next.predicate = self.ctrl.val().phase_over & !self.decision.val().refused;
        self.tokens.in_.payload.next.refused = self.decision.val().refused;
        self.tokens.in_.payload.next.destination = self.ctrl.val().item.destination;
        self.token.valid.next = self.tokens.out.valid.val();
        self.token.payload.next = self.tokens.out.payload.val();
        self.token.payload.next.word = self.word_q.q.val();

        self.wakes.next = self.decision.val().wakes & !self.leaves.val();
        self.wake_q.d.next = self.wakes.val().any();
        self.woken.d.next.warps = self.wakes.val();
        if self.decision.val().wakes.any() {
            self.woken.d.next.value = self.decision.val().value;
        }
        self.wake.valid.next = self.wake_q.q.val();
        self.wake.payload.next = self.woken.q.val();

        // If the CTA of an operation from `net_in` is absent, the sender reports the fault.
        self.faults.in_.valid.next = self.decision.val().refused & self.checks.val() & !self.absent.val();
        self.faults.in_.payload.next.refusal.code = self.decision.val().code;
        self.faults.in_.payload.next.refusal.has_warp = self.ctrl.val().item.own;
        self.faults.in_.payload.next.refusal.warp = 0.into();
        if self.ctrl.val().item.own {
            self.faults.in_.payload.next.refusal.warp = self.ctrl.val().item.warp;
        }
        self.faults.in_.payload.next.refusal.cta = self.ctrl.val().item.cta;
        self.faults.in_.payload.next.address = self.ctrl.val().item.address;
        self.room.next = self.faults.in_.ready.val();
        Channel::join(&mut self.faults.out, &mut self.fault);
    }
}
