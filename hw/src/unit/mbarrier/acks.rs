// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Counts, for each CTA slot, the remote operations that are not acknowledged, and the faults that are due: one for each remote
//! operation whose target CTA was absent.
//!
//! *Reads:* the CTA of the oldest remote operation, and whether the operation is sent; the acknowledgements of the network; whether
//! a fault is taken. *Writes:* whether the CTA of the oldest operation must not send; the CTA slots with operations in flight; the
//! fault that is due. *Latency:* 1. Implements *Remote operations* of `docs/contract/mbarrier.md`.

use super::payloads::AbsentTarget;
use super::ports::NetAck;
use crate::prelude::*;

/// Sizes: `S` CTA slots with numbers of `LC` bits.
#[block]
pub struct Acks<LC, S> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// CTA slot of the oldest remote operation.
    pub cta: Signal<In, Bits<LC>>,
    /// The oldest remote operation is sent, and counts as unacknowledged from the next cycle on.
    pub sends: Signal<In, Bit>,
    /// Acknowledgements of the network.
    pub net_ack: StrobeIn<NetAck<LC>>,
    /// A fault is due: a remote operation of the CTA in the payload found its target CTA absent.
    pub absent_target: Source<AbsentTarget<LC>>,
    /// The CTA of the oldest remote operation must not send: `max_remote` of its operations are in flight, or a fault of the CTA is due.
    pub blocked: Signal<Out, Bit>,
    /// CTA slots with remote operations that are not acknowledged, or with a fault that is due.
    pub busy: Signal<Out, Bits<S>>,
    /// Number of remote operations that are not acknowledged, for each CTA slot.
    #[reset]
    unacked_count: [DFF<Bits<4>>; S],
    /// Number of faults that are due, for each CTA slot: one for each operation that found its target CTA absent.
    #[reset]
    absent_count: [DFF<Bits<4>>; S],
    /// For each CTA slot: its CTA sends a remote operation.
    slot_sends: [Signal<Local, Bit>; S],
    /// For each CTA slot: an acknowledgement for its CTA arrives.
    ack_arrives: [Signal<Local, Bit>; S],
    /// For each CTA slot: an acknowledgement for its CTA arrives and reports that the target CTA was absent.
    target_absent: [Signal<Local, Bit>; S],
    /// For each CTA slot: a fault of its CTA is taken into the item queue.
    fault_taken: [Signal<Local, Bit>; S],
    /// CTA slots that must not send.
    blocked_slots: Signal<Local, Bits<S>>,
    /// CTA slots with remote operations that are not acknowledged, or with a fault that is due.
    busy_slots: Signal<Local, Bits<S>>,
    /// CTA slots with a fault that is due.
    faulty_slots: Signal<Local, Bits<S>>,
    /// Lowest CTA slot with a fault that is due.
    fault_slot: Signal<Local, Bits<LC>>,
    /// Maximum number of unacknowledged operations of a CTA (`max_remote`).
    #[init(Constant::new((config.max_remote as u64).into()))]
    max_remote: Constant<Bits<4>>,
}

#[block]
impl Logic for Acks {
    fn update(&mut self) {
        self.blocked_slots.next = 0.into();
        self.busy_slots.next = 0.into();
        self.faulty_slots.next = 0.into();
        for i in 0..S {
            self.faulty_slots.next = self.faulty_slots.val().replace_bit(i, self.absent_count[i].q.val().any());
            self.blocked_slots.next = self
                .blocked_slots
                .val()
                .replace_bit(i, (self.unacked_count[i].q.val() == self.max_remote.val()) | self.absent_count[i].q.val().any());
            self.busy_slots.next =
                self.busy_slots.val().replace_bit(i, self.unacked_count[i].q.val().any() | self.absent_count[i].q.val().any());
        }
        self.fault_slot.next = 0.into();
        for j in 1_usize..(S + 1) {
            for n in S..(S + 1) {
                if self.faulty_slots.val().get_bit(n - j) {
                    self.fault_slot.next = (n - j).to_bits();
                }
            }
        }
        self.absent_target.valid.next = self.faulty_slots.val().any();
        self.absent_target.payload.next.cta = self.fault_slot.val();
        for k in 0..S {
            self.slot_sends[k].next = self.sends.val() & (self.cta.val() == k.to_bits());
            self.ack_arrives[k].next = self.net_ack.valid.val() & (self.net_ack.payload.val().cta == k.to_bits());
            self.target_absent[k].next = self.ack_arrives[k].val() & self.net_ack.payload.val().absent;
            self.fault_taken[k].next = self.absent_target.ready.val() & (self.fault_slot.val() == k.to_bits());
            if self.slot_sends[k].val() & !self.ack_arrives[k].val() {
                self.unacked_count[k].d.next = self.unacked_count[k].q.val() + 1;
            }
            if self.ack_arrives[k].val() & !self.slot_sends[k].val() {
                self.unacked_count[k].d.next = self.unacked_count[k].q.val() - 1;
            }
            if self.target_absent[k].val() & !self.fault_taken[k].val() {
                self.absent_count[k].d.next = self.absent_count[k].q.val() + 1;
            }
            if self.fault_taken[k].val() & !self.target_absent[k].val() {
                self.absent_count[k].d.next = self.absent_count[k].q.val() - 1;
            }
        }
        self.blocked.next = self.blocked_slots.val().at(self.cta.val());
        self.busy.next = self.busy_slots.val();
    }
}
