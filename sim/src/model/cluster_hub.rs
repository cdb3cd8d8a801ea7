// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `cluster_hub` in cycles: the clusters of several multiprocessors (`docs/clusters.md`, `cluster_hub`).

use super::cluster_ports::{hub_fields, ClusterMessage, ClusterMessageKind, HubKind, HubMessage};
use super::sizes::Sizes;
use super::wire::{Clocked, Walk};

/// Input ports of `cluster_hub`.
#[derive(Clone, Debug, Default)]
pub struct ClusterHubIn {
    pub reset: bool,
    /// By multiprocessor.
    pub from: Vec<Option<ClusterMessage>>,
}

/// Output ports of `cluster_hub`: of each multiprocessor whether there is a message, and which was the last.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ClusterHubOut {
    pub to: Vec<(bool, HubMessage)>,
}

/// A cluster slot; sets of ranks and of multiprocessors are vectors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Slot {
    pub ranks: u16,
    pub arrived: u16,
    pub gone: u16,
    /// Multiprocessors that have members.
    pub members: u64,
    pub complete_due: bool,
    pub closed_due: bool,
}

impl Slot {
    fn is_complete(&self) -> bool {
        self.arrived != 0 && self.ranks & !(self.arrived | self.gone) == 0
    }

    fn is_over(&self) -> bool {
        self.gone != 0 && self.ranks & !self.gone == 0
    }

    /// What it is in the next cycle, if it does not have the turn; `came` are the messages of this cycle that name it, with
    /// the numbers of their multiprocessors, in order.
    fn next(&self, came: &[(usize, ClusterMessage)]) -> Slot {
        let ranks_of = |kind| {
            let of_kind = came.iter().filter(move |(_, message)| message.kind == kind);
            of_kind.fold(0, |set, (_, message)| set | 1 << message.rank)
        };
        let presents = || came.iter().filter(|(_, message)| message.kind == ClusterMessageKind::Present);
        let goes = ranks_of(ClusterMessageKind::Gone);
        let arrived = if self.is_complete() { 0 } else { self.arrived };
        Slot {
            ranks: presents().last().map_or(self.ranks, |(_, m)| ((1u32 << m.size.min(16)) - 1) as u16),
            arrived: (arrived | ranks_of(ClusterMessageKind::Arrived)) & !goes,
            gone: self.gone | goes,
            members: presents().fold(self.members, |set, (sm, _)| set | 1 << sm),
            complete_due: self.complete_due || self.is_complete(),
            closed_due: self.closed_due || self.is_over(),
        }
    }
}

/// The state of `cluster_hub`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ClusterHub {
    sizes: Sizes,
    pub slots: Vec<Slot>,
    last: Option<usize>,
    out: ClusterHubOut,
}

impl ClusterHub {
    /// The slot that has the turn in this cycle.
    pub fn turn(&self) -> Option<usize> {
        let (built, first) = (self.slots.len(), self.last.map_or(0, |last| last + 1));
        let mut in_turn = (first..first + built).map(|slot| slot % built);
        in_turn.find(|slot| self.slots[*slot].complete_due || self.slots[*slot].closed_due)
    }
}

impl Clocked for ClusterHub {
    type Inputs = ClusterHubIn;
    type Outputs = ClusterHubOut;

    fn new(sizes: Sizes) -> ClusterHub {
        let slots = vec![Slot::default(); sizes.clusters().slots as usize];
        let to = vec![(false, (HubKind::Complete, 0)); sizes.sms()];
        ClusterHub { sizes, slots, last: None, out: ClusterHubOut { to } }
    }

    fn ports(i: &mut ClusterHubIn, o: &mut ClusterHubOut, at: &mut Walk) {
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
        let turn = self.turn();
        self.last = turn.or(self.last);
        self.out.to.iter_mut().for_each(|(valid, _)| *valid = false);
        for number in 0..self.slots.len() {
            let messages = inputs.from.iter().enumerate().filter_map(|(sm, from)| Some((sm, (*from)?)));
            let came: Vec<_> = messages.filter(|(_, message)| usize::from(message.cluster) == number).collect();
            let slot = self.slots[number];
            self.slots[number] = slot.next(&came);
            if turn != Some(number) {
                continue;
            }
            let kind = if slot.complete_due { HubKind::Complete } else { HubKind::Closed };
            for (sm, to) in self.out.to.iter_mut().enumerate() {
                if slot.members >> sm & 1 != 0 {
                    *to = (true, (kind, number as u16));
                }
            }
            match kind {
                HubKind::Complete => self.slots[number].complete_due = slot.is_complete(),
                HubKind::Closed => self.slots[number] = Slot::default(),
            }
        }
    }
}
