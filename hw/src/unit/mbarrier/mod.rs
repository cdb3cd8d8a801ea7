// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The mbarrier unit: caches the mbarrier objects of all CTAs, performs one operation a cycle, keeps the suspended warps of
//! each object as a mask, ends waits that take too long, and reports faults on a channel.
//!
//! *Reads:* operations of warps (`op`), of copy engines (`tx`) and of other CTAs (`net_in`); CTA launches and retirements; the
//! responses of shared memory. *Writes:* the strobes of results (`token`), of woken warps (`wake`) and of commits; the requests
//! to shared memory; the fault channel. *Latency:* 4, on a hit, from the transfer of an operation to its token, or to the wake
//! of the warps whose phase it completes. Implements mbarrier of spec 003; the exact ports and cycles are in
//! `docs/contract/mbarrier.md`.
//!
//! Every event passes one queue as an *item*: an operation, a time-out, the result of a remote operation, the fault of a remote
//! operation whose target CTA was absent, or one step of the walk over the cache entries of a leaving CTA. An item passes three
//! pipeline stages: it is *started* (its entry is read), it is in the *sums stage* (its operands are added to the word), and it is
//! in the *decide stage* (its outcome is determined and the entry is written). An item that needs longer, because of a miss or a
//! refusal, restarts the later items.
//!
//! ```text
//!  cycle t               |  t+1                  |  t+2                |  t+3                          |  t+4
//!  op, tx ─► enqueue ────┼─► item_queue ─► cache ┼─► cache ─► sums ────┼─► check ─► decide ─┬─► cache  |
//!  ticks ──►   ▲         |    ▲                  |     ▲         ▲     |              │     ├─► output_stage ─► token, wake, commit, fault
//!  ctas ───►   │         |    └──────────────────┼─────┼─────────┼─────┼── restart ◄──┘     └─► memory ─┼─► mem_request
//!              └ step    |                       |     └ mem_response  |                    └─► ticks  |
//! ```

pub mod acks;
pub mod cache;
pub mod check;
pub mod completion;
pub mod ctas;
pub mod decide;
pub mod enqueue;
pub mod index_hash;
pub mod item;
pub mod item_queue;
pub mod kind;
pub mod memory;
pub mod next_entry;
pub mod output_stage;
pub mod payloads;
pub mod ports;
pub mod remote;
pub mod sums;
pub mod suspensions;
pub mod ticks;
pub mod token_register;
pub mod turns;
pub mod walk;
pub mod word_layout;

use crate::prelude::*;
use ports::{
    MbarrierFault, MbarrierOp, MbarrierToken, MbarrierTx, MbarrierWake, MemRequest, MemResponse, NetAck, NetIn, NetOut,
    NetReply, TxDone,
};

/// Sizes: `W` warps with numbers of `LW` bits, warp counts of `CW` bits, `S` CTA slots with numbers of `LC` bits, cluster slot numbers of
/// `KC` bits, shared memory word numbers of `XW` bits, cache entry numbers of `XI` bits, cache tags of `XT` bits, tick counts of `XL` bits,
/// item queue addresses of `XQ` bits. All blocks of `mbarrier` use these names for these sizes.
#[block(unit = "mbarrier")]
pub struct Mbarrier<W, LW, CW, LC, S, XW, XI, XT, XL, XQ, KC> {
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high; all cache entries are cleared after it.
    pub reset: Signal<In, Bit>,
    #[group("operation")]
    pub op: Sink<MbarrierOp<LW, LC, XL>>,
    #[group("copies")]
    pub tx: Sink<MbarrierTx<LC, XW>>,
    #[group("copies")]
    pub tx_done: StrobeOut<TxDone<LC>>,
    #[group("network")]
    #[built(config.has_clusters())]
    pub net_out: Source<NetOut<LC, XW, KC>>,
    #[group("network")]
    #[built(config.has_clusters())]
    pub net_ack: StrobeIn<NetAck<LC>>,
    #[group("network")]
    #[built(config.has_clusters())]
    pub net_in: Sink<NetIn<LC, XW>>,
    #[group("network")]
    #[built(config.has_clusters())]
    pub net_reply: StrobeOut<NetReply>,
    /// Longest time that a warp is suspended on an mbarrier, in ticks of 64 cycles, at least 1.
    #[group("policy")]
    pub wait_limit: Signal<In, Bits<XL>>,
    #[group("CTAs")]
    pub launch: StrobeIn<LaunchedCta<LC, KC>>,
    #[group("CTAs")]
    pub retire: StrobeIn<Departure<W, LC>>,
    #[group("CTAs")]
    pub retired: StrobeOut<RetiredCta<LC>>,
    /// CTA slots of leaving CTAs: `retire` was received, and `retired` has not been output.
    pub leaving: Signal<Out, Bits<S>>,
    /// CTA slots with remote operations in flight: offered on `net_out`, not acknowledged, or with a fault that is due.
    #[built(config.has_clusters())]
    pub remote: Signal<Out, Bits<S>>,
    #[group("memory")]
    pub mem_request: Source<MemRequest<LC, XW>>,
    #[group("memory")]
    pub mem_response: StrobeIn<MemResponse>,
    pub token: StrobeOut<MbarrierToken<LW>>,
    pub wake: StrobeOut<MbarrierWake<W>>,
    pub commit: StrobeOut<UnitCommit<W>>,
    /// Suspended warps.
    #[group("warps")]
    pub suspended: Signal<Out, Bits<W>>,
    pub fault: Source<MbarrierFault<LW, LC>>,

    #[init(enqueue::Enqueue::new(config))]
    enqueue: enqueue::Enqueue<LW, LC, S, XW, XI, XL, KC>,
    #[built(config.has_clusters())]
    remotes: remote::Remotes<LW, CW, LC, XW, KC>,
    #[init(acks::Acks::new(config))]
    #[built(config.has_clusters())]
    acks: acks::Acks<LC, S>,
    item_queue: item_queue::ItemQueue<LW, LC, XW, XI, XL, XQ>,
    cache: cache::Cache<W, XI, XT>,
    sums: sums::Sums<W, LW, LC, XW, XI, XT, XL>,
    #[init(check::Check::new(config))]
    check: check::Check,
    #[init(decide::Decide::new(config))]
    decide: decide::Decide<W, LW, LC, XW, XI, XT, XL>,
    memory: memory::Memory<W, LC, XW, XI, XT>,
    #[init(ctas::Ctas::new(config))]
    ctas: ctas::Ctas<W, LW, LC, S, XW, XI, XT, XL, KC>,
    ticks: ticks::Ticks<W, LW, XI, XL>,
    #[init(output_stage::OutputStage::new(config))]
    output_stage: output_stage::OutputStage<W, LW, LC, XW, XI, XT, XL>,
}

#[block]
impl Logic for Mbarrier {
    fn update(&mut self) {
        let ctrl = self.sums.ctrl.val();
        let decision = self.decide.decision.val();
        // Input of the queue.
        Channel::join(&mut self.op, &mut self.enqueue.op);
        Channel::join(&mut self.tx, &mut self.enqueue.tx);
        Channel::join(&mut self.net_in, &mut self.enqueue.net_in);
        Channel::join(&mut self.ticks.time_out, &mut self.enqueue.time_out);
        Channel::join(&mut self.remotes.remote_result, &mut self.enqueue.remote_result);
        Channel::join(&mut self.acks.absent_target, &mut self.enqueue.absent_target);
        Channel::join(&mut self.ctas.walk_step, &mut self.enqueue.walk_step);
        Strobe::join(&mut self.launch, &mut self.enqueue.launch);
        self.enqueue.fill_level.next = self.item_queue.fill_level.val();
        self.enqueue.remote_full.next = self.remotes.full.val();
        self.enqueue.cleared.next = self.ctas.cleared.val();
        self.enqueue.cleared_next.next = self.ctas.cleared_next.val();

        // Operations to other CTAs.
        self.remotes.push.next = self.enqueue.remote_push.val();
        self.remotes.data.next = self.enqueue.remote.val();
        self.remotes.blocked.next = self.acks.blocked.val();
        Channel::join(&mut self.remotes.net_out, &mut self.net_out);
        self.acks.cta.next = self.remotes.cta.val();
        self.acks.sends.next = self.remotes.sends.val();
        Strobe::join(&mut self.net_ack, &mut self.acks.net_ack);

        // The item that is started, and its entry.
        self.item_queue.push.next = self.enqueue.push.val();
        self.item_queue.item.next = self.enqueue.item.val();
        self.item_queue.lookup.next = self.enqueue.lookup.val();
        self.item_queue.done.next = decision.outcome.done;
        self.item_queue.restart.next = decision.restart;
        self.item_queue.halt.next = self.memory.halt.val();
        self.cache.start.next = self.item_queue.start.val();
        self.cache.evicts.next = self.decide.evicts.val();
        self.cache.fill_valid.next = self.memory.fill_valid.val();
        self.cache.fill.next = self.memory.fill.val();
        self.cache.decided.next = self.decide.decided.val();
        self.cache.writes.next = self.decide.writes.val();
        self.cache.written_data.next = self.decide.written_data.val();
        self.cache.clears.next = !self.ctas.cleared.val();
        self.cache.clear_entry.next = self.ctas.clear_entry.val();
        self.sums.start.next = self.item_queue.start.val();
        self.sums.sums_item.next = self.item_queue.sums_item.val();
        self.sums.sums_entry_data.next = self.cache.sums_entry_data.val();
        self.sums.word_returned.next = self.memory.word_returned.val();
        self.sums.bad_layout.next = self.memory.bad_layout.val();
        self.sums.wait_limit.next = self.wait_limit.val();

        // The decision.
        self.check.actions.next = ctrl.item.actions.op;
        self.check.word.next = ctrl.entry_data.word;
        self.check.bad_layout.next = ctrl.bad_layout;
        self.check.sums.next = ctrl.sums;
        self.decide.ctrl.next = ctrl;
        self.decide.judgement.next = self.check.judgement.val();
        self.decide.entry_cta.next = self.ctas.entry_cta.val();
        self.decide.clears.next = !self.ctas.cleared.val();
        self.decide.fill_pending.next = self.memory.fill.val().pending;
        self.decide.can_request.next = self.memory.can_request.val();
        self.decide.can_report.next = self.output_stage.can_report.val();
        self.memory.requests.next = decision.requests;
        self.memory.place.next = ctrl.item.place;
        self.memory.entry.next = ctrl.entry;
        self.memory.entry_data.next = ctrl.entry_data;
        self.memory.walk_done.next = self.ctas.walk_done.val();
        Channel::join(&mut self.memory.request, &mut self.mem_request);
        Strobe::join(&mut self.mem_response, &mut self.memory.response);
        self.ticks.warp.next = ctrl.item.warp;
        self.ticks.entry.next = ctrl.entry;
        self.ticks.limit.next = ctrl.limit;
        self.ticks.suspends.next = decision.outcome.suspends;
        self.ticks.cleared.next = self.ctas.cleared.val();
        self.ticks.suspended_warps.next = self.output_stage.suspended.val();
        Strobe::join(&mut self.launch, &mut self.ctas.launch);
        Strobe::join(&mut self.retire, &mut self.ctas.retire);
        self.ctas.ctrl.next = ctrl;
        self.ctas.sums_cta.next = self.item_queue.sums_item.val().place.cta;
        self.sums.cta_present.next = self.ctas.sums_cta_present.val();
        self.ctas.walk_step_done.next = decision.walk_step_done;
        self.ctas.requests_answered.next = self.memory.requests_answered.val();
        self.ctas.remote_push.next = self.enqueue.remote_push.val();
        self.ctas.sender.next = self.op.payload.val().cta;
        self.ctas.busy.next = self.acks.busy.val();
        Strobe::join(&mut self.ctas.retired, &mut self.retired);
        self.leaving.next = self.ctas.leaving.val();
        self.remote.next = self.acks.busy.val();

        // Outputs.
        self.output_stage.ctrl.next = ctrl;
        self.output_stage.outcome.next = decision.outcome;
        Strobe::join(&mut self.output_stage.token, &mut self.token);
        Strobe::join(&mut self.output_stage.wake, &mut self.wake);
        Strobe::join(&mut self.output_stage.commit, &mut self.commit);
        Strobe::join(&mut self.output_stage.tx_done, &mut self.tx_done);
        Strobe::join(&mut self.output_stage.net_reply, &mut self.net_reply);
        Strobe::join(&mut self.retire, &mut self.output_stage.retire);
        self.suspended.next = self.output_stage.suspended.val();
        Channel::join(&mut self.output_stage.fault, &mut self.fault);
    }
}
