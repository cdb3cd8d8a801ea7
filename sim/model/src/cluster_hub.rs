// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Cycle model of `cluster_hub`: the clusters of several multiprocessors (`docs/contract/clusters.md`, `cluster_hub`).

use super::cluster_ports::{hub_fields, ClusterMessage, ClusterMessageKind, HubKind, HubMessage};
use super::in_place::clone_in_place;
use super::sizes::Sizes;
use super::wire::{Clocked, PortAction, Walk};

clone_in_place! {
    /// Input ports of `cluster_hub`.
    #[derive(Debug, Default, PartialEq)]
    pub struct ClusterHubIn {
        pub reset: bool,
        /// For each multiprocessor, the message from it in this cycle.
        pub from: Vec<Option<ClusterMessage>>,
    }
}

clone_in_place! {
    /// Output ports of `cluster_hub`: for each multiprocessor whether a message is valid, and the last message.
    #[derive(Debug, Default, PartialEq, Eq, Hash)]
    pub struct ClusterHubOut {
        pub to: Vec<(bool, HubMessage)>,
    }
}

/// A cluster slot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Slot {
    /// The multiprocessors with CTAs of the cluster, one bit each; 0: the cluster slot is free.
    pub members: u64,
    /// The number of CTAs that are not gone, modulo 32.
    pub living: u8,
    /// The number of CTAs that are not gone and have not arrived in this phase, modulo 32.
    pub missing: u8,
    /// The number of completed phases is odd.
    pub odd: bool,
    /// The cluster slot has a message to send.
    pub due: bool,
}

/// Subtracts modulo 32.
fn minus(number: u8, less: u8) -> u8 {
    number.wrapping_sub(less) & 31
}

impl Slot {
    /// The number of missing CTAs before the messages of this cycle, and the number of messages in `arrived` that lower this number by one
    /// each. `goes_out` is the message that this cluster slot sends in this cycle. If it is Complete, a phase begins, in which all living
    /// CTAs are missing.
    pub fn counted(&self, arrived: &[(usize, ClusterMessage)], goes_out: Option<HubKind>) -> (u8, u8) {
        let opens = goes_out == Some(HubKind::Complete);
        let counts = |kind| match kind {
            ClusterMessageKind::Present => false,
            ClusterMessageKind::Arrived => !opens,
            ClusterMessageKind::Gone => opens || !self.odd,
            ClusterMessageKind::GoneOdd => opens || self.odd,
        };
        let less = arrived.iter().filter(|(_, message)| counts(message.kind)).count() as u8;
        (if opens { self.living } else { self.missing }, less)
    }

    /// The cluster slot in the next cycle. `arrived` are the messages of this cycle to this slot, each with the number of its
    /// multiprocessor; `turn`: the slot has the turn in this cycle; `goes_out`: the message that the slot sends in this cycle.
    fn next(&self, arrived: &[(usize, ClusterMessage)], turn: bool, goes_out: Option<HubKind>) -> Slot {
        let (from, less) = self.counted(arrived, goes_out);
        let gone_count = arrived.iter().filter(|(_, message)| message.kind.is_gone()).count() as u8;
        let presents: Vec<_> = arrived.iter().filter(|(_, message)| message.kind == ClusterMessageKind::Present).collect();
        let last = from == less & 31 && (less != 0 || goes_out == Some(HubKind::Complete));
        let mut next = Slot {
            members: presents.iter().fold(self.members, |set, (sm, _)| set | 1 << sm),
            living: minus(self.living, gone_count),
            missing: minus(from, less),
            odd: self.odd != (goes_out == Some(HubKind::Complete)),
            due: self.due && !turn || last,
        };
        // The first Present messages of a cluster set both counts to the cluster size that they state.
        if self.members == 0 && !presents.is_empty() {
            next.living = presents.iter().fold(0, |size, (_, message)| size | message.size);
            next.missing = next.living;
        }
        if goes_out == Some(HubKind::Closed) {
            (next.members, next.odd) = (0, false);
        }
        next
    }
}

clone_in_place! {
    /// The state of `cluster_hub`.
    #[derive(Debug, PartialEq, Eq, Hash)]
    pub struct ClusterHub {
        sizes: Sizes,
        pub slots: Vec<Slot>,
        last: Option<usize>,
        /// The cluster slot that had the turn in the cycle before, and the message that this slot sends in this cycle.
        pub goes_out: Option<(usize, HubKind)>,
        out: ClusterHubOut,
    }
}

impl ClusterHub {
    /// Whether a message to multiprocessor `sm` is valid in this cycle, and the message.
    pub fn to(&self, sm: usize) -> (bool, HubMessage) {
        self.out.to[sm]
    }

    /// The cluster slot that has the turn in this cycle.
    pub fn turn(&self) -> Option<usize> {
        let (built, first) = (self.slots.len(), self.last.map_or(0, |last| last + 1));
        let mut in_turn = (first..first + built).map(|slot| slot % built);
        in_turn.find(|slot| self.slots[*slot].due)
    }
}

impl Clocked for ClusterHub {
    type Inputs = ClusterHubIn;
    type Outputs = ClusterHubOut;

    fn new(sizes: Sizes) -> ClusterHub {
        let slots = vec![Slot::default(); sizes.clusters().slots as usize];
        let to = vec![(false, (HubKind::Complete, 0)); sizes.sms()];
        ClusterHub { sizes, slots, last: None, goes_out: None, out: ClusterHubOut { to } }
    }

    fn ports(i: &mut ClusterHubIn, o: &mut ClusterHubOut, at: &mut Walk<impl PortAction>) {
        at.input("reset", &mut i.reset, 1);
        let sms = at.sizes().sms();
        i.from.resize(sms, None);
        o.to.resize(sms, Default::default());
        for (sm, from) in i.from.iter_mut().enumerate() {
            at.strobe_in(&format!("from_{sm}"), from, ClusterMessage::fields);
        }
        for (sm, (valid, message)) in o.to.iter_mut().enumerate() {
            at.strobe_out(&format!("to_{sm}"), valid, message, hub_fields);
        }
    }

    fn outputs(&self) -> ClusterHubOut {
        self.out.clone()
    }

    fn clock(&mut self, inputs: &ClusterHubIn) {
        if inputs.reset {
            *self = ClusterHub::new(self.sizes);
            return;
        }
        self.out.to.iter_mut().for_each(|(valid, _)| *valid = false);
        if let Some((number, kind)) = self.goes_out {
            let members = self.slots[number].members;
            let receivers = self.out.to.iter_mut().enumerate().filter(|(sm, _)| members >> sm & 1 != 0);
            receivers.for_each(|(_, to)| *to = (true, (kind, number as u16)));
        }
        let turn = self.turn();
        self.last = turn.or(self.last);
        let message_kind = |number: usize| if self.slots[number].living == 0 { HubKind::Closed } else { HubKind::Complete };
        let next_out = turn.map(|number| (number, message_kind(number)));
        for (number, slot) in self.slots.iter_mut().enumerate() {
            let messages = inputs.from.iter().enumerate().filter_map(|(sm, from)| Some((sm, (*from)?)));
            let arrived: Vec<_> = messages.filter(|(_, message)| usize::from(message.cluster) == number).collect();
            let goes_out = self.goes_out.filter(|(of, _)| *of == number).map(|(_, kind)| kind);
            *slot = slot.next(&arrived, turn == Some(number), goes_out);
        }
        self.goes_out = next_out;
    }
}
