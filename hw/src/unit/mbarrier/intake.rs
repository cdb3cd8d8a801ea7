// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What goes into the queue: a warp's operation, else a time-out, a step of the walk or what a copy engine sends.
//!
//! *Reads:* the channels `op` and `tx`, the time-out and the step that there are, how full the queue is, whether the entries are cleared.
//! *Writes:* the item that goes in, in the same cycle; who was taken. *Latency:* 0 for `op`, 1 for `tx`; `op_ready` is a register. Implements
//! the queue of `docs/mbarrier.md` and the faults down to `mbarrier_count` for n.
//!
//! The item is decoded here, and its operands are brought into the form in which they are added: behind the queue's memory there is no time
//! for that.

use super::item::{Item, Place, TimeOut};
use super::mix::Mix;
use super::ports::{MbarrierKind, MbarrierOp, MbarrierTx};
use crate::prelude::*;

#[block]
pub struct Intake<LW, LC, XW, XI, XL> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub op: Sink<MbarrierOp<LW, LC, XL>>,
    pub tx: Sink<MbarrierTx<LC, XW>>,
    pub late: Sink<TimeOut<LW, XI>>,
    pub step: Sink<Place<XI>>,
    /// How many times W items are in the queue.
    pub used: Signal<In, Bits<2>>,
    /// The entries are cleared; they will be in the next cycle.
    pub cleared: Signal<In, Bit>,
    pub cleared_next: Signal<In, Bit>,
    pub push: Signal<Out, Bit>,
    pub item: Signal<Out, Item<LW, LC, XW, XL>>,
    pub place: Signal<Out, Place<XI>>,
    queue: Queue<Packed<MbarrierTx<LC, XW>>, 2>,
    queue_full: DFF<Bit>,
    mix: Mix<LC, XI>,
    #[reset]
    ready: DFF<Bit>,
    #[reset]
    has_room: DFF<Bit>,
    /// Who has had its turn in this round; the last of the unit's own was a time-out.
    #[reset]
    own_served: DFF<Bit>,
    #[reset]
    tx_served: DFF<Bit>,
    #[reset]
    last_late: DFF<Bit>,
    sent: Signal<Local, MbarrierTx<LC, XW>>,
    asked: Signal<Local, MbarrierOp<LW, LC, XL>>,
    room: Signal<Local, Bit>,
    full: Signal<Local, Bit>,
    take_op: Signal<Local, Bit>,
    /// What the unit does of itself, what `tx` has: there is one; its turn has come; its turn is over.
    own: Signal<Local, Bit>,
    sends: Signal<Local, Bit>,
    own_due: Signal<Local, Bit>,
    tx_due: Signal<Local, Bit>,
    new_round: Signal<Local, Bit>,
    own_done: Signal<Local, Bit>,
    tx_done: Signal<Local, Bit>,
    take_own: Signal<Local, Bit>,
    take_late: Signal<Local, Bit>,
    take_step: Signal<Local, Bit>,
    take_tx: Signal<Local, Bit>,
    init: Signal<Local, Bit>,
    wait: Signal<Local, Bit>,
    drop: Signal<Local, Bit>,
    arrive: Signal<Local, Bit>,
    expect: Signal<Local, Bit>,
    counts: Signal<Local, Bit>,
    negates: Signal<Local, Bit>,
    offset: Signal<Local, Bits<32>>,
    number: Signal<Local, Bits<XW>>,
    slot: Signal<Local, Bits<LC>>,
    count: Signal<Local, Bits<20>>,
    bytes: Signal<Local, Bits<21>>,
    turns: Signal<Local, Bit>,
    turned: Signal<Local, Bits<21>>,
    #[init(Constant::new(0x1f_ffff.into()))]
    every_bit: Constant<Bits<21>>,
    flawed_address: Signal<Local, Bit>,
    nothing: Constant<Item<LW, LC, XW, XL>>,
    #[init(Constant::new(config.faults))]
    checks: Constant<Bit>,
    #[init(Constant::new((XW as u64 + 3).into()))]
    offset_bits: Constant<Bits<5>>,
    #[init(Constant::new((XI as u64).into()))]
    entry_bits: Constant<Bits<5>>,
}

#[block]
impl Logic for Intake<LW, LC, XW, XI, XL> {
    fn update(&mut self) {
        // Whose turn it is.
        self.asked.next = self.op.payload.val();
        self.sent.next = self.queue.head.val().into();
        self.room.next = self.has_room.q.val();
        self.has_room.d.next = self.cleared.val() & !self.used.val().any();
        self.full.next = self.used.val().all();
        self.take_op.next = self.op.valid.val() & self.ready.q.val() & !self.reset.val();
        self.own.next = self.room.val() & (self.late.valid.val() | self.step.valid.val());
        self.sends.next = self.room.val() & self.queue.valid.val();
        self.own_due.next = self.own.val() & !self.own_served.q.val();
        self.tx_due.next = self.sends.val() & !self.tx_served.q.val();
        self.new_round.next = self.take_op.val() | (!self.own_due.val() & !self.tx_due.val());
        self.take_own.next = !self.take_op.val() & (self.own_due.val() | (self.own.val() & !self.tx_due.val()));
        self.take_tx.next = !self.take_op.val() & self.sends.val() & !self.take_own.val();
        self.own_done.next = self.take_own.val() | (self.own_served.q.val() & !self.new_round.val());
        self.tx_done.next = self.take_tx.val() | (self.tx_served.q.val() & !self.new_round.val());
        self.own_served.d.next = self.own_done.val();
        self.tx_served.d.next = self.tx_done.val();
        self.take_late.next = self.take_own.val() & self.late.valid.val() & !(self.step.valid.val() & self.last_late.q.val());
        self.take_step.next = self.take_own.val() & !self.take_late.val();
        if self.take_own.val() {
            self.last_late.d.next = self.take_late.val();
        }
        self.late.ready.next = self.take_late.val();
        self.step.ready.next = self.take_step.val();
        self.ready.d.next = self.cleared_next.val()
            & !self.full.val()
            & !(self.own.val() & !self.own_done.val())
            & !(self.sends.val() & !self.tx_done.val());
        self.op.ready.next = self.ready.q.val();
        self.push.next = self.take_op.val() | self.take_own.val() | self.take_tx.val();

        self.queue.push.next = self.tx.valid.val() & !self.queue_full.q.val() & !self.reset.val();
        self.queue.data.next = self.tx.payload.val().into();
        self.queue.pop.next = self.take_tx.val();
        self.queue_full.d.next = self.queue.used_next.val().get_bit(1);
        self.tx.ready.next = !self.queue_full.q.val();

        // What a warp's operation is.
        self.init.next = self.asked.val().kind == MbarrierKind::Init;
        self.wait.next = (self.asked.val().kind == MbarrierKind::TestWait) | (self.asked.val().kind == MbarrierKind::TryWait);
        self.drop.next = (self.asked.val().kind == MbarrierKind::Drop)
            | (self.asked.val().kind == MbarrierKind::DropExpect)
            | (self.asked.val().kind == MbarrierKind::DropNoComplete);
        self.arrive.next = self.drop.val()
            | (self.asked.val().kind == MbarrierKind::Arrive)
            | (self.asked.val().kind == MbarrierKind::ArriveExpect)
            | (self.asked.val().kind == MbarrierKind::ArriveNoComplete);
        self.expect.next = (self.asked.val().kind == MbarrierKind::Expect)
            | (self.asked.val().kind == MbarrierKind::ArriveExpect)
            | (self.asked.val().kind == MbarrierKind::DropExpect);
        self.counts.next = self.arrive.val() | self.init.val() | (self.asked.val().kind == MbarrierKind::AddPending);
        self.negates.next = self.init.val() | (self.asked.val().kind == MbarrierKind::AddPending);
        self.count.next = bit_cast::<20, 21>(self.asked.val().count);
        if self.negates.val() {
            self.count.next = !bit_cast::<20, 21>(self.asked.val().count);
        }

        // What is sent by others.
        self.item.next = self.nothing.val();
        self.item.next.cta = self.sent.val().cta;
        self.item.next.object = self.sent.val().object;
        // What means something for a warp's operation alone, and otherwise nothing.
        self.item.next.asked_phase = self.asked.val().phase;
        self.item.next.hint = self.asked.val().hint;
        self.item.next.destination = self.asked.val().destination;
        // Two bits choose: nothing, the one's bytes, the other's, or those turned round.
        self.turns.next = self.take_tx.val();
        if self.take_op.val() {
            self.turns.next = self.expect.val();
        }
        self.turned.next = 0.into();
        if self.turns.val() {
            self.turned.next = self.every_bit.val();
        }
        self.bytes.next = self.sent.val().bytes & self.turned.val();
        if self.take_op.val() {
            self.bytes.next = self.asked.val().bytes ^ self.turned.val();
        }
        self.item.next.add_tx = self.bytes.val();
        if self.checks.val() {
            self.item.next.address = bit_cast::<32, XW>(self.sent.val().object) << 3;
            if self.take_op.val() {
                self.item.next.address = self.asked.val().address;
            }
        }
        self.item.next.warp = self.late.payload.val().warp;
        if self.take_tx.val() {
            self.item.next.does.arrives = self.sent.val().count.any();
            self.item.next.does.moves_bytes = !self.sent.val().count.any();
            self.item.next.does.completes = true;
            self.item.next.add_pending = bit_cast::<20, 6>(self.sent.val().count);
        }
        self.item.next.does.times_out = self.take_late.val();
        self.item.next.does.walks = self.take_step.val();

        // A warp's operation as an item.
        self.offset.next = self.asked.val().address & 0xff_ffff;
        self.flawed_address.next = (self.offset.val() >> self.offset_bits.val()).any();
        if self.take_op.val() {
            self.item.next.own = true;
            self.item.next.warp = self.asked.val().warp;
            self.item.next.cta = self.asked.val().cta;
            self.item.next.object = bit_cast::<XW, 32>(self.asked.val().address >> 3);
            self.item.next.does.init = self.init.val();
            self.item.next.does.inval = self.asked.val().kind == MbarrierKind::Inval;
            self.item.next.does.waits = self.wait.val();
            self.item.next.does.suspends = (self.asked.val().kind == MbarrierKind::TryWait) & self.asked.val().whole;
            self.item.next.does.arrives = self.arrive.val();
            self.item.next.does.drops = self.drop.val();
            self.item.next.does.adds = self.asked.val().kind == MbarrierKind::AddPending;
            self.item.next.does.expects = self.expect.val();
            self.item.next.does.only_expects = self.asked.val().kind == MbarrierKind::Expect;
            self.item.next.does.moves_bytes = self.expect.val() | (self.asked.val().kind == MbarrierKind::Complete);
            self.item.next.does.must_not = (self.asked.val().kind == MbarrierKind::ArriveNoComplete)
                | (self.asked.val().kind == MbarrierKind::DropNoComplete);
            self.item.next.does.completes = (self.asked.val().kind == MbarrierKind::Arrive)
                | (self.asked.val().kind == MbarrierKind::ArriveExpect)
                | (self.asked.val().kind == MbarrierKind::Drop)
                | (self.asked.val().kind == MbarrierKind::DropExpect)
                | (self.asked.val().kind == MbarrierKind::Complete);
            self.item.next.does.has_result = self.arrive.val() | self.wait.val();
            self.item.next.add_pending = self.count.val();
            self.item.next.pending_more = self.negates.val();
            self.item.next.add_expected = 0.into();
            if self.drop.val() | self.init.val() {
                self.item.next.add_expected = self.count.val();
            }
            self.item.next.expected_more = self.init.val();

            // What is wrong with it as such. The last assignment wins, so the causes stand in reverse order of precedence.
            self.item.next.code = FaultCode::None;
            if self.checks.val() {
                if self.counts.val() & (self.asked.val().count.get_bit(20) | !self.asked.val().count.any()) {
                    self.item.next.code = FaultCode::MbarrierCount;
                }
                if self.flawed_address.val() {
                    self.item.next.code = FaultCode::AddressOutOfRange;
                }
                if self.asked.val().address.get_bits::<3>(0).any() {
                    self.item.next.code = FaultCode::AddressMisaligned;
                }
                if self.asked.val().address.get_bits::<8>(24).any() {
                    self.item.next.code = FaultCode::RankOutOfRange;
                    if self.wait.val() & !self.asked.val().cluster {
                        self.item.next.code = FaultCode::WaitRemote;
                    }
                }
                if !self.asked.val().uniform {
                    self.item.next.code = FaultCode::OperandNotUniform;
                }
            }
            if self.asked.val().fault != FaultCode::None {
                self.item.next.code = self.asked.val().fault;
            }
        }

        self.item.next.does.operates = self.take_op.val() | self.take_tx.val();
        self.item.next.does.flawed = self.item.val().code != FaultCode::None;

        // Its entry.
        self.number.next = self.sent.val().object;
        self.slot.next = self.sent.val().cta;
        if self.take_op.val() {
            self.number.next = bit_cast::<XW, 32>(self.asked.val().address >> 3);
            self.slot.next = self.asked.val().cta;
        }
        self.mix.high.next = bit_cast::<XI, XW>(self.number.val() >> self.entry_bits.val());
        self.mix.cta.next = self.slot.val();
        self.place.next.entry = bit_cast::<XI, XW>(self.number.val()) ^ self.mix.rest.val();
        self.place.next.init = self.take_op.val() & self.init.val();
        if self.take_step.val() {
            self.place.next.entry = self.step.payload.val().entry;
        }
        if self.take_late.val() {
            self.place.next.entry = self.late.payload.val().entry;
        }
    }
}
