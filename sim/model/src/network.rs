// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The network between the mbarriers of several multiprocessors (`docs/contract/multiprocessors.md`, *Network*).

use super::bits::next_in_turn;
use super::cluster_ports::ClusterMessage;
use super::in_place::clone_in_place;
use super::mbarrier_ports::{Launch, NetAck, NetIn, NetOut, NetReply};
use super::merge::Merge;
use super::sizes::Sizes;

/// The signals of one multiprocessor at the network in a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Side {
    pub launched: Option<Launch>,
    /// The message of the multiprocessor to the cluster hub.
    pub cluster_message: Option<ClusterMessage>,
    /// The operation that is offered at the network's end of the link.
    pub from: Option<NetOut>,
    /// The reply that has arrived at the network's end of the link.
    pub reply: Option<NetReply>,
    /// The link accepts the operation that the network offers.
    pub takes: bool,
}

/// The numbers of acknowledgements that the network owes to a CTA: for operations that reached their target, and for operations whose
/// target was absent.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Owed {
    pub acks: u32,
    pub absences: u32,
}

impl Owed {
    pub fn any(&self) -> bool {
        self.acks + self.absences > 0
    }
}

clone_in_place! {
    /// The state for one multiprocessor.
    #[derive(Debug, PartialEq)]
    struct SmState {
        /// For each CTA slot, the cluster slot and the rank of the CTA if it is reachable.
        reachable: Vec<Option<(u16, u8)>>,
        owed: Vec<Owed>,
        last: Option<usize>,
        /// An operation that has arrived from this multiprocessor, and its target multiprocessor.
        place: Option<(usize, NetIn)>,
        /// The round-robin turns of the operations for this multiprocessor.
        turns: Merge,
        ack: Option<NetAck>,
    }
}

clone_in_place! {
    #[derive(Debug, PartialEq)]
    pub struct Network {
        slot_bits: usize,
        sms: Vec<SmState>,
    }
}

impl Network {
    pub fn new(sizes: Sizes) -> Network {
        let slots = sizes.cta_slots();
        let state = SmState {
            reachable: vec![None; slots],
            owed: vec![Owed::default(); slots],
            last: None,
            place: None,
            turns: Merge::default(),
            ack: None,
        };
        Network { slot_bits: sizes.cta_bits(), sms: vec![state; sizes.sms()] }
    }

    /// Whether an operation from this multiprocessor is accepted.
    pub fn ready(&self, sm: usize) -> bool {
        self.sms[sm].place.is_none()
    }

    /// The multiprocessors whose operation has `sm` as target, one bit each.
    fn offers_for(&self, sm: usize) -> u64 {
        let is_for = |state: &SmState| state.place.is_some_and(|(target, _)| target == sm);
        self.sms.iter().enumerate().fold(0, |offers, (from, state)| offers | u64::from(is_for(state)) << from)
    }

    /// For each multiprocessor, the operation that has arrived from it, and its target multiprocessor.
    pub fn places(&self) -> impl Iterator<Item = Option<(usize, NetIn)>> + use<'_> {
        self.sms.iter().map(|state| state.place)
    }

    /// For each CTA slot, the acknowledgements that the network owes to the CTA of this multiprocessor.
    pub fn owed(&self, sm: usize) -> &[Owed] {
        &self.sms[sm].owed
    }

    /// Whether the CTA in this CTA slot is reachable: it was launched as a member of a cluster, and its Gone message was not sent yet.
    pub fn reaches(&self, sm: usize, slot: u8) -> bool {
        self.sms[sm].reachable[usize::from(slot)].is_some()
    }

    /// The operation that the network offers to this multiprocessor.
    pub fn offered(&self, sm: usize) -> Option<NetIn> {
        let offers = self.offers_for(sm);
        let chosen = self.sms[sm].turns.choose(offers);
        self.sms[chosen].place.filter(|_| offers != 0).map(|(_, op)| op)
    }

    /// The acknowledgement to this multiprocessor in this cycle.
    pub fn ack(&self, sm: usize) -> Option<NetAck> {
        self.sms[sm].ack
    }

    /// The multiprocessor and the CTA slot of the target of `op`; `None`: no CTA with the cluster and the rank in `op` is reachable.
    pub fn target(&self, op: &NetOut) -> Option<(usize, usize)> {
        let slot = |state: &SmState| state.reachable.iter().position(|peer| *peer == Some((op.cluster, op.rank)));
        (0..self.sms.len()).rev().find_map(|sm| Some((sm, slot(&self.sms[sm])?)))
    }

    /// Applies the rising edge, with the signals of each multiprocessor in this cycle.
    pub fn clock(&mut self, sides: &[Side]) {
        let ready = (0..self.sms.len()).fold(0u64, |ready, sm| ready | u64::from(self.ready(sm)) << sm);
        for sm in 0..self.sms.len() {
            // An operation has one target, so the operations that other multiprocessors take do not matter here.
            let offers = self.offers_for(sm);
            if sides[sm].takes && offers != 0 {
                let chosen = self.sms[sm].turns.choose(offers);
                self.sms[chosen].place = None;
            }
            self.sms[sm].turns.clock(offers, sides[sm].takes);
            self.acknowledge(sm);
        }
        for (sm, side) in sides.iter().enumerate() {
            if let Some(op) = side.from.filter(|_| ready >> sm & 1 == 1) {
                match self.target(&op) {
                    Some((target, slot)) => {
                        let NetOut { object, kind, count, bytes, .. } = op;
                        let source = (sm as u8) << self.slot_bits | op.cta;
                        self.sms[sm].place = Some((target, NetIn { cta: slot as u8, object, kind, count, bytes, source }));
                    }
                    None => self.owe(sm, op.cta, true),
                }
            }
            if let Some(reply) = side.reply {
                let cta = reply.source & ((1 << self.slot_bits) - 1);
                self.owe(usize::from(reply.source >> self.slot_bits), cta, reply.absent);
            }
        }
        // The targets of this cycle's operations are those that were reachable at its beginning.
        self.sms.iter_mut().zip(sides).for_each(|(state, side)| state.update_reachable(side));
    }

    /// Adds an acknowledgement that the network owes to the CTA in slot `cta` of multiprocessor `sm`. `absent`: the target of the operation
    /// was absent.
    fn owe(&mut self, sm: usize, cta: u8, absent: bool) {
        let owed = self.sms.get_mut(sm).and_then(|state| state.owed.get_mut(usize::from(cta)));
        if let Some(owed) = owed {
            *(if absent { &mut owed.absences } else { &mut owed.acks }) += 1;
        }
    }

    /// Sends one acknowledgement to multiprocessor `sm`, for the CTA slot that has the turn.
    fn acknowledge(&mut self, sm: usize) {
        let state = &mut self.sms[sm];
        let owed_slots = state.owed.iter().enumerate().filter(|(_, owed)| owed.any()).fold(0, |all, (slot, _)| all | 1 << slot);
        let turn = next_in_turn(owed_slots, state.last);
        state.last = turn.or(state.last);
        state.ack = turn.map(|slot| {
            let owed = &mut state.owed[slot];
            let absent = owed.absences > 0;
            *(if absent { &mut owed.absences } else { &mut owed.acks }) -= 1;
            NetAck { cta: slot as u8, absent }
        });
    }
}

impl SmState {
    /// Updates the reachable CTAs from the launch and the Gone message of this cycle.
    fn update_reachable(&mut self, side: &Side) {
        if let Some(gone) = side.cluster_message.filter(|message| message.kind.is_gone()) {
            let is_gone = |peer: &&mut Option<(u16, u8)>| **peer == Some((gone.cluster, gone.rank));
            self.reachable.iter_mut().filter(is_gone).for_each(|peer| *peer = None);
        }
        if let Some(new) = side.launched {
            if let Some(peer) = self.reachable.get_mut(usize::from(new.cta)) {
                *peer = (new.size > 1).then_some((new.cluster, new.rank));
            }
        }
    }
}
