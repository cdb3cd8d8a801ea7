// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The outputs of the unit for an item that is done: tokens, wakes, commits and suspended warps; completed operations of `tx`; replies to
//! the network; faults.
//!
//! *Reads:* the item in the decide stage and its outcome; leaving CTAs. *Writes:* the strobes, the suspended warps and the fault
//! channel; whether a fault may be offered. *Latency:* 1. Implements *Results* of `docs/contract/mbarrier.md`.

use super::payloads::{Ctrl, Outcome};
use super::ports::{MbarrierFault, MbarrierToken, MbarrierWake, NetReply, TxDone};
use super::suspensions::Suspensions;
use super::token_register::TokenRegister;
use crate::prelude::*;

/// Sizes: `W` warps with numbers of `LW` bits, CTA slot numbers of `LC` bits, shared memory word numbers of `XW` bits, cache entry numbers
/// of `XI` bits, cache tags of `XT` bits, tick counts of `XL` bits.
#[block]
pub struct OutputStage<W, LW, LC, XW, XI, XT, XL> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// The item in the decide stage.
    pub ctrl: Signal<In, Ctrl<W, LW, LC, XW, XI, XT, XL>>,
    /// The outcome of the item.
    pub outcome: Signal<In, Outcome<W>>,
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
    /// A CTA retires, and is leaving from the next cycle on.
    pub retire: StrobeIn<Departure<W, LC>>,
    /// Suspended warps.
    pub suspended: Signal<Out, Bits<W>>,
    /// The faults of refused operations.
    pub fault: Source<MbarrierFault<LW, LC>>,
    /// The channel has no fault, so a fault may be offered from the next cycle on.
    pub can_report: Signal<Out, Bit>,
    token_register: TokenRegister<LW>,
    suspensions: Suspensions<W, LC>,
    /// Register of `commit_valid`.
    #[reset]
    commits: DFF<Bit>,
    /// Register of the payload of `commit`.
    #[reset]
    committed: DFF<UnitCommit<W>>,
    /// The fault that is offered on `fault`.
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
    /// The item came from `net_in`, and no CTA is in the CTA slot of its object.
    cta_absent: Signal<Local, Bit>,
    /// The item is the result of a remote operation. For a time-out the bit is 1 too; it has no effect there, because a time-out
    /// outputs no token.
    is_remote_result: Signal<Local, Bit>,
    /// One-hot: the warp of the item in the decide stage.
    item_warp: Signal<Local, Bits<W>>,
    /// One-hot: the warp of the item, if the item is done and belongs to a warp; else 0.
    warp_one_hot: Signal<Local, Bits<W>>,
    no_warps: Constant<Bits<W>>,
    /// A token is output in the next cycle.
    outputs_token: Signal<Local, Bit>,
    #[init(Constant::new(config.faults))]
    checks: Constant<Bit>,
    #[init(Constant::new(config.has_clusters()))]
    has_clusters: Constant<Bit>,
}

#[block]
impl Logic for OutputStage {
    fn update(&mut self) {
        let ctrl = self.ctrl.val();
        let outcome = self.outcome.val();
        self.warp_item_done.next = outcome.done & ctrl.item.has_warp;
        self.item_warp.next = self.no_warps.val().with(ctrl.item.warp, true);
        self.warp_one_hot.next = 0.into();
        if self.warp_item_done.val() {
            self.warp_one_hot.next = self.item_warp.val();
        }
        self.commits.d.next = self.warp_item_done.val();
        self.committed.d.next.warps = self.warp_one_hot.val();
        self.committed.d.next.refused =
            self.warp_item_done.val() & outcome.refused & self.checks.val() & (ctrl.item.code != FaultCode::NotResident);
        self.commit.valid.next = self.commits.q.val();
        self.commit.payload.next = self.committed.q.val();

        // An item that operates and has no warp comes from `net_in` if it has a result. If it is flawed, it is the fault of an absent
        // target. Otherwise it comes from `tx`.
        self.from_tx.next =
            ctrl.item.actions.operates & !ctrl.item.has_warp & !ctrl.item.actions.has_result & !ctrl.item.actions.flawed;
        self.tx_done_register.in_.valid.next = outcome.done & self.from_tx.val();
        self.tx_done_register.in_.payload.next.cta = ctrl.item.place.cta;
        Strobe::join(&mut self.tx_done_register.out, &mut self.tx_done);

        self.from_net.next = self.has_clusters.val() & !ctrl.item.has_warp & ctrl.item.actions.has_result;
        self.cta_absent.next = self.from_net.val() & ctrl.case.refuses;
        self.is_remote_result.next = self.has_clusters.val() & ctrl.item.actions.times_out;
        self.net_reply_register.in_.valid.next = outcome.done & self.from_net.val();
        self.net_reply_register.in_.payload.next.source = ctrl.item.destination.rd;
        self.net_reply_register.in_.payload.next.absent = self.cta_absent.val();
        Strobe::join(&mut self.net_reply_register.out, &mut self.net_reply);

        self.outputs_token.next = self.warp_item_done.val() & ctrl.item.actions.has_result & !outcome.suspends;
        self.token_register.outputs_token.next = self.outputs_token.val();
        self.token_register.warp.next = ctrl.item.warp;
        self.token_register.destination.next = ctrl.item.destination;
        self.token_register.word.next = ctrl.entry_data.word;
        self.token_register.phase_over.next = ctrl.phase_over;
        self.token_register.refused.next = outcome.refused;
        self.token_register.is_remote_result.next = self.is_remote_result.val();
        Strobe::join(&mut self.token_register.token, &mut self.token);

        self.suspensions.suspends.next = self.warp_item_done.val() & outcome.suspends;
        self.suspensions.warp_one_hot.next = self.item_warp.val();
        self.suspensions.woken_warps.next = outcome.woken_warps;
        self.suspensions.value.next = outcome.value;
        Strobe::join(&mut self.retire, &mut self.suspensions.retire);
        Strobe::join(&mut self.suspensions.wake, &mut self.wake);
        self.suspended.next = self.suspensions.suspended.val();

        // If the target CTA of an operation from `net_in` is absent, the multiprocessor of the sender reports the fault, so
        // this unit reports none.
        self.faults.in_.valid.next = outcome.refused & self.checks.val() & !self.cta_absent.val();
        self.faults.in_.payload.next.refusal.code = outcome.code;
        self.faults.in_.payload.next.refusal.has_warp = ctrl.item.has_warp;
        self.faults.in_.payload.next.refusal.warp = 0.into();
        if ctrl.item.has_warp {
            self.faults.in_.payload.next.refusal.warp = ctrl.item.warp;
        }
        self.faults.in_.payload.next.refusal.cta = ctrl.item.place.cta;
        self.faults.in_.payload.next.address = ctrl.item.address;
        self.can_report.next = self.faults.in_.ready.val();
        Channel::join(&mut self.faults.out, &mut self.fault);
    }
}
