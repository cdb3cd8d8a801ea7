// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The network between the mbarriers of several multiprocessors (`docs/contract/multiprocessors.md`, *Network*).

use super::cluster_ports::ClusterMessage;
use super::grid::next_in_turn;
use super::mbarrier_ports::{Launch, NetAck, NetIn, NetOut, NetReply};
use super::merge::Merge;
use super::sizes::Sizes;

/// What one multiprocessor has to do with it in a cycle.
#[derive(Clone, Copy, Debug, Default)]
pub struct Side {
    pub launched: Option<Launch>,
    /// What it tells the hub of clusters.
    pub tells: Option<ClusterMessage>,
    /// What is offered behind its link, and the reply that has come.
    pub from: Option<NetOut>,
    pub reply: Option<NetReply>,
    /// Its link takes what it is offered.
    pub takes: bool,
}

/// What a CTA is owed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Owed {
    pub acks: u32,
    pub absences: u32,
}

impl Owed {
    pub fn any(&self) -> bool {
        self.acks + self.absences > 0
    }
}

/// What is kept of one multiprocessor.
#[derive(Clone, Debug)]
struct Kept {
    /// By CTA slot: cluster slot and rank, if it can be reached.
    reachable: Vec<Option<(u16, u8)>>,
    owed: Vec<Owed>,
    last: Option<usize>,
    /// An operation that has come from it, and the multiprocessor that it is for.
    place: Option<(usize, NetIn)>,
    /// Of operations for it.
    turns: Merge,
    ack: Option<NetAck>,
}

#[derive(Clone, Debug)]
pub struct Network {
    slot_bits: usize,
    sms: Vec<Kept>,
}

impl Network {
    pub fn new(sizes: Sizes) -> Network {
        let slots = sizes.cta_slots();
        let kept = Kept {
            reachable: vec![None; slots],
            owed: vec![Owed::default(); slots],
            last: None,
            place: None,
            turns: Merge::default(),
            ack: None,
        };
        Network { slot_bits: sizes.cta_bits(), sms: vec![kept; sizes.sms()] }
    }

    /// Whether an operation that has come from this multiprocessor is taken.
    pub fn ready(&self, sm: usize) -> bool {
        self.sms[sm].place.is_none()
    }

    /// The places whose operation is for this multiprocessor.
    fn there(&self, sm: usize) -> Vec<bool> {
        self.sms.iter().map(|kept| kept.place.is_some_and(|(target, _)| target == sm)).collect()
    }

    /// Of each multiprocessor, what has come from it, and for whom that is.
    pub fn places(&self) -> impl Iterator<Item = Option<(usize, NetIn)>> + use<'_> {
        self.sms.iter().map(|kept| kept.place)
    }

    /// By CTA slot, what this multiprocessor's CTAs are owed.
    pub fn owed(&self, sm: usize) -> &[Owed] {
        &self.sms[sm].owed
    }

    /// Whether this CTA can be reached.
    pub fn reaches(&self, sm: usize, slot: u8) -> bool {
        self.sms[sm].reachable[usize::from(slot)].is_some()
    }

    /// What this multiprocessor is offered.
    pub fn offered(&self, sm: usize) -> Option<NetIn> {
        let there = self.there(sm);
        let whose = self.sms[sm].turns.whose(&there);
        self.sms[whose].place.filter(|_| there.contains(&true)).map(|(_, op)| op)
    }

    /// Its acknowledgement in this cycle.
    pub fn ack(&self, sm: usize) -> Option<NetAck> {
        self.sms[sm].ack
    }

    /// Where the CTA is that this operation is for.
    pub fn target(&self, op: &NetOut) -> Option<(usize, usize)> {
        let slot = |kept: &Kept| kept.reachable.iter().position(|peer| *peer == Some((op.cluster, op.rank)));
        (0..self.sms.len()).rev().find_map(|sm| Some((sm, slot(&self.sms[sm])?)))
    }

    /// The rising edge.
    pub fn clock(&mut self, sides: &[Side]) {
        let before = self.clone();
        for sm in 0..self.sms.len() {
            let there = before.there(sm);
            if sides[sm].takes && there.contains(&true) {
                self.sms[before.sms[sm].turns.whose(&there)].place = None;
            }
            self.sms[sm].turns.clock(&there, sides[sm].takes);
            self.acknowledge(sm);
        }
        for (sm, side) in sides.iter().enumerate() {
            if let Some(op) = side.from.filter(|_| before.ready(sm)) {
                match before.target(&op) {
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
            self.sms[sm].meet(side);
        }
    }

    /// The CTA of this slot is owed one more.
    fn owe(&mut self, sm: usize, cta: u8, absent: bool) {
        let owed = self.sms.get_mut(sm).and_then(|kept| kept.owed.get_mut(usize::from(cta)));
        if let Some(owed) = owed {
            *(if absent { &mut owed.absences } else { &mut owed.acks }) += 1;
        }
    }

    /// One of a multiprocessor's CTAs has its turn.
    fn acknowledge(&mut self, sm: usize) {
        let kept = &mut self.sms[sm];
        let asks = kept.owed.iter().enumerate().filter(|(_, owed)| owed.any()).fold(0, |all, (slot, _)| all | 1 << slot);
        let turn = next_in_turn(asks, kept.last);
        kept.last = turn.or(kept.last);
        kept.ack = turn.map(|slot| {
            let owed = &mut kept.owed[slot];
            let absent = owed.absences > 0;
            *(if absent { &mut owed.absences } else { &mut owed.acks }) -= 1;
            NetAck { cta: slot as u8, absent }
        });
    }
}

impl Kept {
    /// CTAs come and go.
    fn meet(&mut self, side: &Side) {
        if let Some(gone) = side.tells.filter(|tells| tells.kind.is_gone()) {
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
