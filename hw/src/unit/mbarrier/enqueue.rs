// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What goes into the queue: a warp's operation, what copy engines or the network send, or what the unit does of itself.
//!
//! *Reads:* the channels `op`, `tx` and `net_in`, what the unit has of its own, what is wrong with the operation on `op` as such, how full the
//! queues are, whether the entries are cleared. *Writes:* the item that goes in, in the same cycle; who was taken; an operation for the network.
//! *Latency:* 0 for `op`, 1 for `tx` and `net_in`; `op_ready` is a register. Implements the queue and *Turns* of `docs/mbarrier.md`.
//!
//! The item is decoded here, and its operands are brought into the form in which they are added: behind the queue's memory there is no time
//! for that.

use super::acks::Absent;
use super::item::{Item, Place, TimeOut};
use super::mix::Mix;
use super::ports::{MbarrierKind, MbarrierOp, MbarrierTx, NetIn};
use super::remote::{Answer, Remote};
use super::turns::Turns;
use crate::prelude::*;

#[block]
pub struct Enqueue<LW, LC, XW, XI, XL, KC> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub op: Sink<MbarrierOp<LW, LC, XL>>,
    pub tx: Sink<MbarrierTx<LC, XW>>,
    pub net_in: Sink<NetIn<LC, XW>>,
    pub late: Sink<TimeOut<LW, XI>>,
    pub answer: Sink<Answer<LW>>,
    pub absent: Sink<Absent<LC>>,
    pub step: Sink<Place<XI>>,
    /// What is wrong with the operation on `op`; it leaves for the network; its CTA's place in its cluster.
    pub code: Signal<In, FaultCode>,
    pub leaves: Signal<In, Bit>,
    pub peer: Signal<In, Peer<KC>>,
    /// How many times W / 2 items are in the queue; W wait for the network.
    pub used: Signal<In, Bits<3>>,
    pub remote_full: Signal<In, Bit>,
    /// The entries are cleared; they will be in the next cycle.
    pub cleared: Signal<In, Bit>,
    pub cleared_next: Signal<In, Bit>,
    pub push: Signal<Out, Bit>,
    pub item: Signal<Out, Item<LW, LC, XW, XL>>,
    pub place: Signal<Out, Place<XI>>,
    pub sends: Signal<Out, Bit>,
    pub remote: Signal<Out, Remote<LW, LC, XW, KC>>,
    queue: Queue<Packed<MbarrierTx<LC, XW>>, 2>,
    net_queue: Queue<Packed<NetIn<LC, XW>>, 2>,
    net_full: DFF<Bit>,
    turns: Turns<3>,
    own_turns: Turns<4>,
    mix: Mix<LC, XI>,
    #[reset]
    ready: DFF<Bit>,
    #[reset]
    has_room: DFF<Bit>,
    asked: Signal<Local, MbarrierOp<LW, LC, XL>>,
    sent: Signal<Local, MbarrierTx<LC, XW>>,
    got: Signal<Local, NetIn<LC, XW>>,
    own: Signal<Local, Bits<4>>,
    there: Signal<Local, Bits<3>>,
    take_op: Signal<Local, Bit>,
    /// Others may have their turn in this cycle.
    others: Signal<Local, Bit>,
    take_own: Signal<Local, Bit>,
    take_tx: Signal<Local, Bit>,
    take_net: Signal<Local, Bit>,
    take_late: Signal<Local, Bit>,
    take_answer: Signal<Local, Bit>,
    take_absent: Signal<Local, Bit>,
    take_step: Signal<Local, Bit>,
    kind: Signal<Local, MbarrierKind>,
    count: Signal<Local, Bits<20>>,
    bytes: Signal<Local, Bits<21>>,
    cta: Signal<Local, Bits<LC>>,
    object: Signal<Local, Bits<XW>>,
    init: Signal<Local, Bit>,
    waits: Signal<Local, Bit>,
    drop: Signal<Local, Bit>,
    arrive: Signal<Local, Bit>,
    expects: Signal<Local, Bit>,
    negates: Signal<Local, Bit>,
    turned: Signal<Local, Bits<20>>,
    got_expects: Signal<Local, Bit>,
    comes: Signal<Local, Bit>,
    turns_count: Signal<Local, Bit>,
    turns_bytes: Signal<Local, Bit>,
    count_mask: Signal<Local, Bits<20>>,
    bytes_mask: Signal<Local, Bits<21>>,
    #[init(Constant::new(0xf_ffff.into()))]
    every_count: Constant<Bits<20>>,
    #[init(Constant::new(0x1f_ffff.into()))]
    every_byte: Constant<Bits<21>>,
    nothing: Constant<Item<LW, LC, XW, XL>>,
    #[init(Constant::new(config.faults))]
    checks: Constant<Bit>,
    #[init(Constant::new(config.has_clusters()))]
    clusters: Constant<Bit>,
    #[init(Constant::new((XI as u64).into()))]
    entry_bits: Constant<Bits<5>>,
}

#[block]
impl Logic for Enqueue<LW, LC, XW, XI, XL, KC> {
    fn update(&mut self) {
        // Whose turn it is.
        self.asked.next = self.op.payload.val();
        self.sent.next = self.queue.head.val().into();
        self.got.next = self.net_queue.head.val().into();
        self.has_room.d.next = self.cleared.val() & !self.used.val().get_bit(2);
        self.take_op.next = self.op.valid.val() & self.ready.q.val() & !self.reset.val();
        self.own.next = 0.into();
        self.own.next = self.own.val().replace_bit(0, self.late.valid.val());
        self.own.next = self.own.val().replace_bit(1, self.answer.valid.val());
        self.own.next = self.own.val().replace_bit(2, self.absent.valid.val());
        self.own.next = self.own.val().replace_bit(3, self.step.valid.val());
        self.there.next = 0.into();
        self.there.next = self.there.val().replace_bit(0, self.own.val().any());
        self.there.next = self.there.val().replace_bit(1, self.queue.valid.val());
        self.there.next = self.there.val().replace_bit(2, self.net_queue.valid.val() & self.clusters.val());
        self.others.next = self.has_room.q.val() & !self.take_op.val();
        self.turns.there.next = self.there.val();
        self.turns.go.next = self.others.val();
        // What passes the others for want of room is no turn: it must not put them back to the end of a new round.
        self.turns.new_round.next = self.take_op.val() & self.has_room.q.val();
        self.take_own.next = self.turns.pick.val().get_bit(0) & self.others.val();
        self.take_tx.next = self.turns.pick.val().get_bit(1) & self.others.val();
        self.take_net.next = self.turns.pick.val().get_bit(2) & self.others.val();
        self.own_turns.there.next = self.own.val();
        self.own_turns.go.next = self.take_own.val();
        self.own_turns.new_round.next = false;
        self.take_late.next = self.own_turns.pick.val().get_bit(0) & self.take_own.val();
        self.take_answer.next = self.own_turns.pick.val().get_bit(1) & self.take_own.val();
        self.take_absent.next = self.own_turns.pick.val().get_bit(2) & self.take_own.val();
        self.take_step.next = self.own_turns.pick.val().get_bit(3) & self.take_own.val();
        self.late.ready.next = self.take_late.val();
        self.answer.ready.next = self.take_answer.val();
        self.absent.ready.next = self.take_absent.val();
        self.step.ready.next = self.take_step.val();
        self.ready.d.next = self.cleared_next.val()
            & !self.used.val().all()
            & !self.remote_full.val()
            & !(self.has_room.d.val() & self.turns.due.val());
        self.op.ready.next = self.ready.q.val();
        self.sends.next = self.take_op.val() & self.leaves.val();
        self.push.next =
            (self.take_op.val() & !self.leaves.val()) | self.take_own.val() | self.take_tx.val() | self.take_net.val();

        self.queue.push.next = self.tx.valid.val() & !self.queue.full.val() & !self.reset.val();
        self.queue.data.next = self.tx.payload.val().into();
        self.queue.pop.next = self.take_tx.val();
        self.tx.ready.next = !self.queue.full.val();
        self.net_queue.push.next = self.net_in.valid.val() & !self.net_full.q.val() & !self.reset.val();
        self.net_queue.data.next = self.net_in.payload.val().into();
        self.net_queue.pop.next = self.take_net.val();
        self.net_full.d.next = self.net_queue.used_next.val().get_bit(1);
        self.net_in.ready.next = self.clusters.val() & !self.net_full.q.val();

        // What it is; nothing that an operation does is done by an Inval that is none.
        self.got_expects.next = (self.got.val().kind == MbarrierKind::Expect)
            | (self.got.val().kind == MbarrierKind::ArriveExpect)
            | (self.got.val().kind == MbarrierKind::DropExpect);
        self.kind.next = MbarrierKind::Inval;
        self.count.next = bit_cast::<20, 6>(self.sent.val().count);
        self.bytes.next = self.sent.val().bytes;
        self.cta.next = self.sent.val().cta;
        self.object.next = self.sent.val().object;
        if self.take_tx.val() {
            self.kind.next = MbarrierKind::Complete;
            if self.sent.val().count.any() {
                self.kind.next = MbarrierKind::Arrive;
            }
        }
        if self.take_net.val() {
            self.kind.next = self.got.val().kind;
            self.count.next = self.got.val().count;
            self.bytes.next = self.got.val().bytes;
            if self.got_expects.val() {
                self.bytes.next = !self.got.val().bytes;
            }
            self.cta.next = self.got.val().cta;
            self.object.next = self.got.val().object;
        }
        if self.take_op.val() {
            self.kind.next = self.asked.val().kind;
            self.cta.next = self.asked.val().cta;
            self.object.next = bit_cast::<XW, 32>(self.asked.val().address >> 3);
        }
        self.init.next = self.kind.val() == MbarrierKind::Init;
        self.waits.next = (self.kind.val() == MbarrierKind::TestWait) | (self.kind.val() == MbarrierKind::TryWait);
        self.drop.next = (self.kind.val() == MbarrierKind::Drop)
            | (self.kind.val() == MbarrierKind::DropExpect)
            | (self.kind.val() == MbarrierKind::DropNoComplete);
        self.arrive.next = self.drop.val()
            | (self.kind.val() == MbarrierKind::Arrive)
            | (self.kind.val() == MbarrierKind::ArriveExpect)
            | (self.kind.val() == MbarrierKind::ArriveNoComplete);
        self.expects.next = (self.kind.val() == MbarrierKind::Expect)
            | (self.kind.val() == MbarrierKind::ArriveExpect)
            | (self.kind.val() == MbarrierKind::DropExpect);
        self.negates.next = self.init.val() | (self.kind.val() == MbarrierKind::AddPending);

        self.item.next = self.nothing.val();
        self.item.next.does.times_out = self.take_late.val() | self.take_answer.val();
        self.item.next.does.walks = self.take_step.val();
        self.item.next.does.operates = self.take_op.val() | self.take_tx.val() | self.take_net.val() | self.take_absent.val();
        self.item.next.does.init = self.init.val();
        self.item.next.does.inval = self.kind.val() == MbarrierKind::Inval;
        self.item.next.does.waits = self.waits.val();
        self.item.next.does.suspends = (self.kind.val() == MbarrierKind::TryWait) & self.asked.val().whole;
        self.item.next.does.arrives = self.arrive.val();
        self.item.next.does.drops = self.drop.val();
        self.item.next.does.adds = self.kind.val() == MbarrierKind::AddPending;
        self.item.next.does.expects = self.expects.val();
        self.item.next.does.only_expects = self.kind.val() == MbarrierKind::Expect;
        self.item.next.does.moves_bytes = self.expects.val() | (self.kind.val() == MbarrierKind::Complete);
        self.item.next.does.must_not =
            (self.kind.val() == MbarrierKind::ArriveNoComplete) | (self.kind.val() == MbarrierKind::DropNoComplete);
        self.item.next.does.completes = (self.kind.val() == MbarrierKind::Arrive)
            | (self.kind.val() == MbarrierKind::ArriveExpect)
            | (self.kind.val() == MbarrierKind::Drop)
            | (self.kind.val() == MbarrierKind::DropExpect)
            | (self.kind.val() == MbarrierKind::Complete);
        self.item.next.does.has_result = (self.take_op.val() & (self.arrive.val() | self.waits.val()))
            | self.take_net.val()
            | (self.take_answer.val() & self.answer.payload.val().has_result);
        self.item.next.own = self.take_op.val() | self.take_answer.val();

        // Its operands.
        // Two bits choose for each: nothing, the one's number, the other's, or that turned round.
        self.comes.next = self.take_tx.val() | self.take_net.val();
        self.turns_count.next = self.comes.val();
        self.turns_bytes.next = self.comes.val();
        if self.take_op.val() {
            self.turns_count.next = self.negates.val();
            self.turns_bytes.next = self.expects.val();
        }
        self.count_mask.next = 0.into();
        if self.turns_count.val() {
            self.count_mask.next = self.every_count.val();
        }
        self.bytes_mask.next = 0.into();
        if self.turns_bytes.val() {
            self.bytes_mask.next = self.every_byte.val();
        }
        self.turned.next = self.count.val() & self.count_mask.val();
        self.item.next.add_tx = self.bytes.val() & self.bytes_mask.val();
        if self.take_op.val() {
            self.turned.next = bit_cast::<20, 21>(self.asked.val().count) ^ self.count_mask.val();
            self.item.next.add_tx = self.asked.val().bytes ^ self.bytes_mask.val();
        }
        self.item.next.add_pending = self.turned.val();
        self.item.next.pending_more = self.negates.val();
        if self.drop.val() | self.init.val() {
            self.item.next.add_expected = self.turned.val();
        }
        self.item.next.expected_more = self.init.val();
        self.item.next.object = self.object.val();
        self.item.next.cta = self.cta.val();
        if self.take_absent.val() {
            self.item.next.cta = self.absent.payload.val().cta;
        }
        if self.checks.val() {
            self.item.next.address = bit_cast::<32, XW>(self.object.val()) << 3;
            if self.take_op.val() {
                self.item.next.address = self.asked.val().address;
            }
            if self.take_absent.val() {
                self.item.next.address = 0.into();
            }
        }
        self.item.next.code = FaultCode::None;
        if self.take_op.val() {
            self.item.next.code = self.code.val();
        }
        if self.take_absent.val() {
            self.item.next.code = FaultCode::RankAbsent;
        }
        self.item.next.does.flawed = self.item.val().code != FaultCode::None;
        self.item.next.warp = self.late.payload.val().warp;
        self.item.next.asked_phase = self.asked.val().phase;
        self.item.next.hint = self.asked.val().hint;
        self.item.next.destination = self.asked.val().destination;
        if self.take_net.val() {
            self.item.next.destination.rd = self.got.val().source;
        }
        if self.take_answer.val() {
            self.item.next.warp = self.answer.payload.val().warp;
            self.item.next.destination = self.answer.payload.val().destination;
        }
        if self.take_op.val() {
            self.item.next.warp = self.asked.val().warp;
        }

        // The same for the network.
        self.remote.next.result.warp = self.asked.val().warp;
        self.remote.next.result.has_result = self.arrive.val();
        self.remote.next.result.destination = self.asked.val().destination;
        self.remote.next.message.cluster = self.peer.val().cluster;
        self.remote.next.message.rank = self.asked.val().address.get_bits::<4>(24);
        self.remote.next.message.cta = self.asked.val().cta;
        self.remote.next.message.object = self.object.val();
        self.remote.next.message.kind = self.asked.val().kind;
        self.remote.next.message.count = bit_cast::<20, 21>(self.asked.val().count);
        self.remote.next.message.bytes = self.asked.val().bytes;

        // Its entry.
        self.mix.high.next = bit_cast::<XI, XW>(self.object.val() >> self.entry_bits.val());
        self.mix.cta.next = self.cta.val();
        self.place.next.entry = bit_cast::<XI, XW>(self.object.val()) ^ self.mix.rest.val();
        self.place.next.init = self.take_op.val() & self.init.val();
        if self.take_step.val() {
            self.place.next.entry = self.step.payload.val().entry;
        }
        if self.take_late.val() {
            self.place.next.entry = self.late.payload.val().entry;
        }
        if self.take_answer.val() {
            self.place.next.entry = 0.into();
        }
    }
}
