// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The input of the item queue: takes the operation of a warp, an operation of copy engines or the network, or an internal item.
//!
//! *Reads:* the channels `op`, `tx` and `net_in`; the internal items (time-outs, results of remote operations, absent targets,
//! steps of the walk); the fault of the operation on `op`; how full the queues are; whether the entries are cleared. *Writes:* in
//! the same cycle the item that is queued, the ready signals of its sources, and an operation for the network. *Latency:* 0 for
//! `op`, 1 for `tx` and `net_in`; `op_ready` is a register. Implements the queue and *Turns* of `docs/contract/mbarrier.md`.
//!
//! Items are decoded before they are queued, and their operands are converted to the form in which they are added, because after
//! the memory of the queue there is no time for it.

use super::acks::AbsentTarget;
use super::index_hash::IndexHash;
use super::item::{Item, Lookup, TimeOut};
use super::kind::MbarrierKind;
use super::ports::{MbarrierOp, MbarrierTx, NetIn};
use super::remote::{RemoteOp, RemoteResult};
use super::turns::Turns;
use crate::prelude::*;

#[block]
pub struct Enqueue<LW, LC, XW, XI, XL, KC> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// Operations of warps.
    pub op: Sink<MbarrierOp<LW, LC, XL>>,
    /// Arrivals and bytes of copy engines and tensor units.
    pub tx: Sink<MbarrierTx<LC, XW>>,
    /// Operations of other CTAs of the cluster.
    pub net_in: Sink<NetIn<LC, XW>>,
    /// Time-outs of suspended warps.
    pub time_out: Sink<TimeOut<LW, XI>>,
    /// Results of remote operations.
    pub remote_result: Sink<RemoteResult<LW>>,
    /// Faults of remote operations whose target CTA was absent.
    pub absent_target: Sink<AbsentTarget<LC>>,
    /// Steps of the walk over the entries of a leaving CTA.
    pub walk_step: Sink<Lookup<XI>>,
    /// Fault of the operation on `op`, if the fault does not depend on its object.
    pub code: Signal<In, FaultCode>,
    /// The operation on `op` is remote: it goes to the network.
    pub is_remote: Signal<In, Bit>,
    /// Position in its cluster of the CTA of the operation on `op`.
    pub peer: Signal<In, Peer<KC>>,
    /// Items in the queue, in units of W / 2.
    pub fill_level: Signal<In, Bits<3>>,
    /// W remote operations wait for the network.
    pub remote_full: Signal<In, Bit>,
    /// The entries have been cleared after reset.
    pub cleared: Signal<In, Bit>,
    /// From the next cycle on, the entries have been cleared after reset.
    pub cleared_next: Signal<In, Bit>,
    /// An item is queued.
    pub push: Signal<Out, Bit>,
    /// The item that is queued.
    pub item: Signal<Out, Item<LW, LC, XW, XL>>,
    /// The cache entry of the item.
    pub lookup: Signal<Out, Lookup<XI>>,
    /// A remote operation enters the queue for the network.
    pub remote_push: Signal<Out, Bit>,
    /// The remote operation.
    pub remote: Signal<Out, RemoteOp<LW, LC, XW, KC>>,
    /// The two oldest operations from `tx` that are not queued as items.
    tx_queue: Queue<Packed<MbarrierTx<LC, XW>>, 2>,
    /// The two oldest operations from `net_in` that are not queued as items.
    net_queue: Queue<Packed<NetIn<LC, XW>>, 2>,
    /// `net_queue` is full.
    net_full: DFF<Bit>,
    /// Turns of internal items, `tx` and `net_in`.
    turns: Turns<3>,
    /// Turns of the internal items: time-out, remote result, absent target, step of the walk.
    internal_turns: Turns<4>,
    index_hash: IndexHash<LC, XI>,
    /// `op_ready`.
    #[reset]
    ready: DFF<Bit>,
    /// In the cycle before, fewer than 2 W items were queued, and the entries were cleared.
    #[reset]
    has_queue_space: DFF<Bit>,
    /// The operation on `op`.
    warp_op: Signal<Local, MbarrierOp<LW, LC, XL>>,
    /// The oldest operation from `tx`.
    tx_op: Signal<Local, MbarrierTx<LC, XW>>,
    /// The oldest operation from `net_in`.
    net_op: Signal<Local, NetIn<LC, XW>>,
    /// Internal items that are offered: time-out, remote result, absent target, step of the walk.
    internal_offers: Signal<Local, Bits<4>>,
    /// Sources with an offer: internal items, `tx`, `net_in`.
    offers: Signal<Local, Bits<3>>,
    /// The operation on `op` is taken.
    take_op: Signal<Local, Bit>,
    /// A source other than `op` may have its turn in this cycle.
    others_allowed: Signal<Local, Bit>,
    /// An internal item is queued.
    take_internal: Signal<Local, Bit>,
    /// The oldest operation from `tx` is queued.
    take_tx: Signal<Local, Bit>,
    /// The oldest operation from `net_in` is queued.
    take_net: Signal<Local, Bit>,
    /// A time-out is queued.
    take_time_out: Signal<Local, Bit>,
    /// The result of a remote operation is queued.
    take_remote_result: Signal<Local, Bit>,
    /// The fault of an absent target is queued.
    take_absent_target: Signal<Local, Bit>,
    /// A step of the walk is queued.
    take_walk_step: Signal<Local, Bit>,
    /// Kind of the operation that is taken; Inval if none is.
    kind: Signal<Local, MbarrierKind>,
    /// Arrivals, unless the operation is taken from `op`.
    count: Signal<Local, Bits<20>>,
    /// Bytes, unless the operation is taken from `op`; inverted if they are expected bytes.
    bytes: Signal<Local, Bits<21>>,
    /// CTA slot of the item.
    cta: Signal<Local, Bits<LC>>,
    /// Word number of the item's object.
    object: Signal<Local, Bits<XW>>,
    /// The operation is an Init.
    is_init: Signal<Local, Bit>,
    /// The operation is a wait.
    waits: Signal<Local, Bit>,
    /// The operation drops arrivals.
    drops: Signal<Local, Bit>,
    /// The operation arrives (a drop arrives too).
    arrives: Signal<Local, Bit>,
    /// The operation expects bytes.
    expects: Signal<Local, Bit>,
    /// Init, AddPending: the count is negated, because words hold negated counts.
    negates: Signal<Local, Bit>,
    /// The count as an addend: inverted if it is to be negated.
    count_operand: Signal<Local, Bits<20>>,
    /// The operation from `net_in` expects bytes.
    net_op_expects: Signal<Local, Bit>,
    /// An operation is taken from `tx` or `net_in`.
    take_external: Signal<Local, Bit>,
    /// From `op`: the count is inverted. Otherwise: the count is used.
    invert_count: Signal<Local, Bit>,
    /// From `op`: the bytes are inverted. Otherwise: the bytes are used.
    invert_bytes: Signal<Local, Bit>,
    /// All bits are `invert_count`.
    count_mask: Signal<Local, Bits<20>>,
    /// All bits are `invert_bytes`.
    bytes_mask: Signal<Local, Bits<21>>,
    #[init(Constant::new(0xf_ffff.into()))]
    all_count_bits: Constant<Bits<20>>,
    #[init(Constant::new(0x1f_ffff.into()))]
    all_bytes_bits: Constant<Bits<21>>,
    no_item: Constant<Item<LW, LC, XW, XL>>,
    #[init(Constant::new(config.faults))]
    checks: Constant<Bit>,
    #[init(Constant::new(config.has_clusters()))]
    has_clusters: Constant<Bit>,
    #[init(Constant::new((XI as u64).into()))]
    entry_bits: Constant<Bits<5>>,
}

#[block]
impl Logic for Enqueue<LW, LC, XW, XI, XL, KC> {
    fn update(&mut self) {
        // The source that has its turn.
        self.warp_op.next = self.op.payload.val();
        self.tx_op.next = self.tx_queue.head.val().into();
        self.net_op.next = self.net_queue.head.val().into();
        self.has_queue_space.d.next = self.cleared.val() & !self.fill_level.val().get_bit(2);
        self.take_op.next = self.op.valid.val() & self.ready.q.val() & !self.reset.val();
        self.internal_offers.next = 0.into();
        self.internal_offers.next = self.internal_offers.val().replace_bit(0, self.time_out.valid.val());
        self.internal_offers.next = self.internal_offers.val().replace_bit(1, self.remote_result.valid.val());
        self.internal_offers.next = self.internal_offers.val().replace_bit(2, self.absent_target.valid.val());
        self.internal_offers.next = self.internal_offers.val().replace_bit(3, self.walk_step.valid.val());
        self.offers.next = 0.into();
        self.offers.next = self.offers.val().replace_bit(0, self.internal_offers.val().any());
        self.offers.next = self.offers.val().replace_bit(1, self.tx_queue.valid.val());
        self.offers.next = self.offers.val().replace_bit(2, self.net_queue.valid.val() & self.has_clusters.val());
        self.others_allowed.next = self.has_queue_space.q.val() & !self.take_op.val();
        self.turns.request.next = self.offers.val();
        self.turns.grant_taken.next = self.others_allowed.val();
        // An operation that is taken while `has_queue_space` is 0 is no turn: it must not begin a new round for the other sources.
        self.turns.new_round.next = self.take_op.val() & self.has_queue_space.q.val();
        self.take_internal.next = self.turns.grant.val().get_bit(0) & self.others_allowed.val();
        self.take_tx.next = self.turns.grant.val().get_bit(1) & self.others_allowed.val();
        self.take_net.next = self.turns.grant.val().get_bit(2) & self.others_allowed.val();
        self.internal_turns.request.next = self.internal_offers.val();
        self.internal_turns.grant_taken.next = self.take_internal.val();
        self.internal_turns.new_round.next = false;
        self.take_time_out.next = self.internal_turns.grant.val().get_bit(0) & self.take_internal.val();
        self.take_remote_result.next = self.internal_turns.grant.val().get_bit(1) & self.take_internal.val();
        self.take_absent_target.next = self.internal_turns.grant.val().get_bit(2) & self.take_internal.val();
        self.take_walk_step.next = self.internal_turns.grant.val().get_bit(3) & self.take_internal.val();
        self.time_out.ready.next = self.take_time_out.val();
        self.remote_result.ready.next = self.take_remote_result.val();
        self.absent_target.ready.next = self.take_absent_target.val();
        self.walk_step.ready.next = self.take_walk_step.val();
        self.ready.d.next = self.cleared_next.val()
            & !self.fill_level.val().all()
            & !self.remote_full.val()
            & !(self.has_queue_space.d.val() & self.turns.is_due.val());
        self.op.ready.next = self.ready.q.val();
        self.remote_push.next = self.take_op.val() & self.is_remote.val();
        self.push.next =
            (self.take_op.val() & !self.is_remote.val()) | self.take_internal.val() | self.take_tx.val() | self.take_net.val();

        self.tx_queue.push.next = self.tx.valid.val() & !self.tx_queue.full.val() & !self.reset.val();
        self.tx_queue.data.next = self.tx.payload.val().into();
        self.tx_queue.pop.next = self.take_tx.val();
        self.tx.ready.next = !self.tx_queue.full.val();
        self.net_queue.push.next = self.net_in.valid.val() & !self.net_full.q.val() & !self.reset.val();
        self.net_queue.data.next = self.net_in.payload.val().into();
        self.net_queue.pop.next = self.take_net.val();
        self.net_full.d.next = self.net_queue.used_next.val().get_bit(1);
        self.net_in.ready.next = self.has_clusters.val() & !self.net_full.q.val();

        // Decoding. An item that is no operation is decoded as an Inval, which has no effect without `operates`.
        self.net_op_expects.next = (self.net_op.val().kind == MbarrierKind::Expect)
            | (self.net_op.val().kind == MbarrierKind::ArriveExpect)
            | (self.net_op.val().kind == MbarrierKind::DropExpect);
        self.kind.next = MbarrierKind::Inval;
        self.count.next = bit_cast::<20, 6>(self.tx_op.val().count);
        self.bytes.next = self.tx_op.val().bytes;
        self.cta.next = self.tx_op.val().cta;
        self.object.next = self.tx_op.val().object;
        if self.take_tx.val() {
            self.kind.next = MbarrierKind::Complete;
            if self.tx_op.val().count.any() {
                self.kind.next = MbarrierKind::Arrive;
            }
        }
        if self.take_net.val() {
            self.kind.next = self.net_op.val().kind;
            self.count.next = self.net_op.val().count;
            self.bytes.next = self.net_op.val().bytes;
            if self.net_op_expects.val() {
                self.bytes.next = !self.net_op.val().bytes;
            }
            self.cta.next = self.net_op.val().cta;
            self.object.next = self.net_op.val().object;
        }
        if self.take_op.val() {
            self.kind.next = self.warp_op.val().kind;
            self.cta.next = self.warp_op.val().cta;
            self.object.next = bit_cast::<XW, 32>(self.warp_op.val().address >> 3);
        }
        self.is_init.next = self.kind.val() == MbarrierKind::Init;
        self.waits.next = (self.kind.val() == MbarrierKind::TestWait) | (self.kind.val() == MbarrierKind::TryWait);
        self.drops.next = (self.kind.val() == MbarrierKind::Drop)
            | (self.kind.val() == MbarrierKind::DropExpect)
            | (self.kind.val() == MbarrierKind::DropNoComplete);
        self.arrives.next = self.drops.val()
            | (self.kind.val() == MbarrierKind::Arrive)
            | (self.kind.val() == MbarrierKind::ArriveExpect)
            | (self.kind.val() == MbarrierKind::ArriveNoComplete);
        self.expects.next = (self.kind.val() == MbarrierKind::Expect)
            | (self.kind.val() == MbarrierKind::ArriveExpect)
            | (self.kind.val() == MbarrierKind::DropExpect);
        self.negates.next = self.is_init.val() | (self.kind.val() == MbarrierKind::AddPending);

        self.item.next = self.no_item.val();
        self.item.next.actions.times_out = self.take_time_out.val() | self.take_remote_result.val();
        self.item.next.actions.walks = self.take_walk_step.val();
        self.item.next.actions.operates =
            self.take_op.val() | self.take_tx.val() | self.take_net.val() | self.take_absent_target.val();
        self.item.next.actions.init = self.is_init.val();
        self.item.next.actions.inval = self.kind.val() == MbarrierKind::Inval;
        self.item.next.actions.waits = self.waits.val();
        self.item.next.actions.suspends = (self.kind.val() == MbarrierKind::TryWait) & self.warp_op.val().all_live_lanes;
        self.item.next.actions.arrives = self.arrives.val();
        self.item.next.actions.drops = self.drops.val();
        self.item.next.actions.adds = self.kind.val() == MbarrierKind::AddPending;
        self.item.next.actions.expects = self.expects.val();
        self.item.next.actions.only_expects = self.kind.val() == MbarrierKind::Expect;
        self.item.next.actions.moves_bytes = self.expects.val() | (self.kind.val() == MbarrierKind::Complete);
        self.item.next.actions.no_complete =
            (self.kind.val() == MbarrierKind::ArriveNoComplete) | (self.kind.val() == MbarrierKind::DropNoComplete);
        self.item.next.actions.completes = (self.kind.val() == MbarrierKind::Arrive)
            | (self.kind.val() == MbarrierKind::ArriveExpect)
            | (self.kind.val() == MbarrierKind::Drop)
            | (self.kind.val() == MbarrierKind::DropExpect)
            | (self.kind.val() == MbarrierKind::Complete);
        self.item.next.actions.has_result = (self.take_op.val() & (self.arrives.val() | self.waits.val()))
            | self.take_net.val()
            | (self.take_remote_result.val() & self.remote_result.payload.val().has_result);
        self.item.next.has_warp = self.take_op.val() | self.take_remote_result.val();

        // Operands of the item.
        // For each operand `take_op` and a mask select one of: 0, the number from `tx` or `net_in`, the number from `op`, the
        // inverted number from `op`.
        self.take_external.next = self.take_tx.val() | self.take_net.val();
        self.invert_count.next = self.take_external.val();
        self.invert_bytes.next = self.take_external.val();
        if self.take_op.val() {
            self.invert_count.next = self.negates.val();
            self.invert_bytes.next = self.expects.val();
        }
        self.count_mask.next = 0.into();
        if self.invert_count.val() {
            self.count_mask.next = self.all_count_bits.val();
        }
        self.bytes_mask.next = 0.into();
        if self.invert_bytes.val() {
            self.bytes_mask.next = self.all_bytes_bits.val();
        }
        self.count_operand.next = self.count.val() & self.count_mask.val();
        self.item.next.add_tx = self.bytes.val() & self.bytes_mask.val();
        if self.take_op.val() {
            self.count_operand.next = bit_cast::<20, 21>(self.warp_op.val().count) ^ self.count_mask.val();
            self.item.next.add_tx = self.warp_op.val().bytes ^ self.bytes_mask.val();
        }
        self.item.next.add_pending = self.count_operand.val();
        self.item.next.pending_carry_in = self.negates.val();
        if self.drops.val() | self.is_init.val() {
            self.item.next.add_expected = self.count_operand.val();
        }
        self.item.next.expected_carry_in = self.is_init.val();
        self.item.next.object = self.object.val();
        self.item.next.cta = self.cta.val();
        if self.take_absent_target.val() {
            self.item.next.cta = self.absent_target.payload.val().cta;
        }
        if self.checks.val() {
            self.item.next.address = bit_cast::<32, XW>(self.object.val()) << 3;
            if self.take_op.val() {
                self.item.next.address = self.warp_op.val().address;
            }
            if self.take_absent_target.val() {
                self.item.next.address = 0.into();
            }
        }
        self.item.next.code = FaultCode::None;
        if self.take_op.val() {
            self.item.next.code = self.code.val();
        }
        if self.take_absent_target.val() {
            self.item.next.code = FaultCode::RankAbsent;
        }
        self.item.next.actions.flawed = self.item.val().code != FaultCode::None;
        self.item.next.warp = self.time_out.payload.val().warp;
        self.item.next.tested_phase = self.warp_op.val().phase;
        self.item.next.hint = self.warp_op.val().hint;
        self.item.next.destination = self.warp_op.val().destination;
        if self.take_net.val() {
            self.item.next.destination.rd = self.net_op.val().source;
        }
        if self.take_remote_result.val() {
            self.item.next.warp = self.remote_result.payload.val().warp;
            self.item.next.destination = self.remote_result.payload.val().destination;
        }
        if self.take_op.val() {
            self.item.next.warp = self.warp_op.val().warp;
        }

        // The operation for the network.
        self.remote.next.result.warp = self.warp_op.val().warp;
        self.remote.next.result.has_result = self.arrives.val();
        self.remote.next.result.destination = self.warp_op.val().destination;
        self.remote.next.message.cluster = self.peer.val().cluster;
        self.remote.next.message.rank = self.warp_op.val().address.get_bits::<4>(24);
        self.remote.next.message.cta = self.warp_op.val().cta;
        self.remote.next.message.object = self.object.val();
        self.remote.next.message.kind = self.warp_op.val().kind;
        self.remote.next.message.count = bit_cast::<20, 21>(self.warp_op.val().count);
        self.remote.next.message.bytes = self.warp_op.val().bytes;

        // Cache entry of the item.
        self.index_hash.object_high.next = bit_cast::<XI, XW>(self.object.val() >> self.entry_bits.val());
        self.index_hash.cta.next = self.cta.val();
        self.lookup.next.entry = bit_cast::<XI, XW>(self.object.val()) ^ self.index_hash.hash.val();
        self.lookup.next.init = self.take_op.val() & self.is_init.val();
        if self.take_walk_step.val() {
            self.lookup.next.entry = self.walk_step.payload.val().entry;
        }
        if self.take_time_out.val() {
            self.lookup.next.entry = self.time_out.payload.val().entry;
        }
        if self.take_remote_result.val() {
            self.lookup.next.entry = 0.into();
        }
    }
}
