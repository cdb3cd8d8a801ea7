// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The input of the item queue: in each cycle takes at most one operation (of a warp, of a copy engine or from the network) or
//! internal item, and forms the item that is queued.
//!
//! *Reads:* the channels `op`, `tx` and `net_in`; the internal items (time-outs, results of remote operations, absent targets,
//! steps of the walk); launches; how full the queues are; whether the cache entries are cleared. *Writes:* in the same cycle
//! the item that is queued, the ready signals of its sources, and an operation for the network. *Latency:* 0 for `op`, 1 for
//! `tx` and `net_in`; `op_ready` is a register. Implements the queue and *Turns* of `docs/contract/mbarrier.md`.
//!
//! Items are decoded before they are queued, and their numbers are converted to addends, because the path from the memory of
//! the queue to the sums has no time for either.
//!
//! ```text
//!  peers ─► op_check ─────────────────────────────┐
//!  arbiter ─► op_select ─┬─► kind_decode ─┬─► operands ─► item_assembly ─► item
//!                        │                └────────────────────┘
//!                        └─► entry_lookup ─► lookup
//! ```

pub mod arbiter;
pub mod entry_lookup;
pub mod item_assembly;
pub mod kind_decode;
pub mod op_check;
pub mod op_select;
pub mod operands;
pub mod payloads;
pub mod peers;

use super::item::{Item, Lookup, TimeOut};
use super::payloads::{AbsentTarget, RemoteOp, RemoteResult};
use super::ports::{MbarrierOp, MbarrierTx, NetIn};
use crate::prelude::*;
use payloads::Sources;

/// Sizes: warp numbers of `LW` bits, `S` CTA slots with numbers of `LC` bits, cluster slot numbers of `KC` bits, shared memory word numbers
/// of `XW` bits, cache entry numbers of `XI` bits, tick counts of `XL` bits.
#[block]
pub struct Enqueue<LW, LC, S, XW, XI, XL, KC> {
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
    /// A CTA is launched in a CTA slot.
    pub launch: StrobeIn<LaunchedCta<LC, KC>>,
    /// Number of items in the queue divided by W / 2, rounded down.
    pub fill_level: Signal<In, Bits<3>>,
    /// W remote operations wait for the network: their queue is full.
    pub remote_full: Signal<In, Bit>,
    /// After reset: all cache entries have been cleared.
    pub cleared: Signal<In, Bit>,
    /// After reset: the last cache entry has been cleared, or is cleared in this cycle.
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
    /// The operations from `tx` that are not yet items; at most two.
    tx_queue: Queue<Packed<MbarrierTx<LC, XW>>, 2>,
    /// The operations from `net_in` that are not yet items; at most two.
    net_queue: Queue<Packed<NetIn<LC, XW>>, 2>,
    /// `net_queue` is full.
    #[reset]
    net_full: DFF<Bit>,
    #[built(config.has_clusters())]
    peers: peers::Peers<LC, S, KC>,
    #[init(op_check::OpCheck::new(config))]
    op_check: op_check::OpCheck<LW, LC, XW, XL, KC>,
    arbiter: arbiter::Arbiter,
    op_select: op_select::OpSelect<LC, XW>,
    kind_decode: kind_decode::KindDecode,
    operands: operands::Operands,
    entry_lookup: entry_lookup::EntryLookup<LC, XI>,
    #[init(item_assembly::ItemAssembly::new(config))]
    item_assembly: item_assembly::ItemAssembly<LW, LC, XW, XL>,
    /// The oldest operation from `tx`.
    tx_op: Signal<Local, MbarrierTx<LC, XW>>,
    /// The oldest operation from `net_in`.
    net_op: Signal<Local, NetIn<LC, XW>>,
    /// The source whose offer is taken, one-hot; 0 if no offer is taken.
    take: Signal<Local, Sources>,
    #[init(Constant::new(config.has_clusters()))]
    has_clusters: Constant<Bit>,
    #[init(Constant::new((XI as u64).into()))]
    entry_bits: Constant<Bits<5>>,
}

#[block]
impl Logic for Enqueue {
    fn update(&mut self) {
        let op = self.op.payload.val();
        // The operation on `op`: its fault, and whether it goes to the network.
        Strobe::join(&mut self.launch, &mut self.peers.launch);
        self.peers.cta.next = op.cta;
        self.op_check.op.next = op;
        self.op_check.peer.next = self.peers.peer.val();

        // The source whose offer is taken.
        self.arbiter.offering.next.op = self.op.valid.val();
        self.arbiter.offering.next.tx = self.tx_queue.valid.val();
        self.arbiter.offering.next.net = self.net_queue.valid.val() & self.has_clusters.val();
        self.arbiter.offering.next.time_out = self.time_out.valid.val();
        self.arbiter.offering.next.remote_result = self.remote_result.valid.val();
        self.arbiter.offering.next.absent_target = self.absent_target.valid.val();
        self.arbiter.offering.next.walk_step = self.walk_step.valid.val();
        self.arbiter.fill_level.next = self.fill_level.val();
        self.arbiter.remote_full.next = self.remote_full.val();
        self.arbiter.cleared.next = self.cleared.val();
        self.arbiter.cleared_next.next = self.cleared_next.val();
        self.take.next = self.arbiter.take.val();
        self.op.ready.next = self.arbiter.op_ready.val();
        self.time_out.ready.next = self.take.val().time_out;
        self.remote_result.ready.next = self.take.val().remote_result;
        self.absent_target.ready.next = self.take.val().absent_target;
        self.walk_step.ready.next = self.take.val().walk_step;
        self.remote_push.next = self.take.val().op & self.op_check.is_remote.val();
        self.push.next = (self.take.val().op & !self.op_check.is_remote.val()) | self.arbiter.other_taken.val();

        self.tx_queue.push.next = self.tx.valid.val() & !self.tx_queue.full.val() & !self.reset.val();
        self.tx_queue.data.next = self.tx.payload.val().into();
        self.tx_queue.pop.next = self.take.val().tx;
        self.tx_op.next = self.tx_queue.head.val().into();
        self.tx.ready.next = !self.tx_queue.full.val();
        self.net_queue.push.next = self.net_in.valid.val() & !self.net_full.q.val() & !self.reset.val();
        self.net_queue.data.next = self.net_in.payload.val().into();
        self.net_queue.pop.next = self.take.val().net;
        self.net_op.next = self.net_queue.head.val().into();
        self.net_full.d.next = self.net_queue.used_next.val().get_bit(1);
        self.net_in.ready.next = self.has_clusters.val() & !self.net_full.q.val();

        // The item, and its cache entry.
        self.op_select.take.next = self.take.val();
        self.op_select.op_kind.next = op.kind;
        self.op_select.op_place.next.cta = op.cta;
        self.op_select.op_place.next.object = bit_cast::<XW, 32>(op.address >> 3);
        self.op_select.op_numbers.next.count = bit_cast::<20, 21>(op.count);
        self.op_select.op_numbers.next.bytes = op.bytes;
        self.op_select.tx_op.next = self.tx_op.val();
        self.op_select.net_op.next = self.net_op.val();
        self.kind_decode.kind.next = self.op_select.kind.val();
        self.kind_decode.all_live_lanes.next = op.all_live_lanes;
        self.operands.is_warp_op.next = self.take.val().op;
        self.operands.actions.next = self.kind_decode.actions.val();
        self.operands.numbers.next = self.op_select.numbers.val();
        self.item_assembly.take.next = self.take.val();
        self.item_assembly.op.next.warp = op.warp;
        self.item_assembly.op.next.address = op.address;
        self.item_assembly.op.next.phase = op.phase;
        self.item_assembly.op.next.hint = op.hint;
        self.item_assembly.op.next.destination = op.destination;
        self.item_assembly.op_code.next = self.op_check.code.val();
        self.item_assembly.place.next = self.op_select.place.val();
        self.item_assembly.actions.next = self.kind_decode.actions.val();
        self.item_assembly.addends.next = self.operands.addends.val();
        self.item_assembly.net_source.next = self.net_op.val().source;
        self.item_assembly.time_out_warp.next = self.time_out.payload.val().warp;
        self.item_assembly.remote_result.next = self.remote_result.payload.val();
        self.item_assembly.absent_target_cta.next = self.absent_target.payload.val().cta;
        self.item.next = self.item_assembly.item.val();
        self.entry_lookup.take.next = self.take.val();
        self.entry_lookup.cta.next = self.op_select.place.val().cta;
        self.entry_lookup.object_low.next = bit_cast::<XI, XW>(self.op_select.place.val().object);
        self.entry_lookup.object_high.next = bit_cast::<XI, XW>(self.op_select.place.val().object >> self.entry_bits.val());
        self.entry_lookup.is_init.next = self.kind_decode.actions.val().init;
        self.entry_lookup.walk_entry.next = self.walk_step.payload.val().entry;
        self.entry_lookup.time_out_entry.next = self.time_out.payload.val().entry;
        self.lookup.next = self.entry_lookup.lookup.val();

        // The operation for the network.
        self.remote.next.result.warp = op.warp;
        self.remote.next.result.has_result = self.kind_decode.actions.val().arrives;
        self.remote.next.result.destination = op.destination;
        self.remote.next.message.cluster = self.peers.peer.val().cluster;
        self.remote.next.message.rank = op.address.get_bits::<4>(24);
        self.remote.next.message.cta = op.cta;
        self.remote.next.message.object = self.op_select.place.val().object;
        self.remote.next.message.kind = op.kind;
        self.remote.next.message.count = bit_cast::<20, 21>(op.count);
        self.remote.next.message.bytes = op.bytes;
    }
}
