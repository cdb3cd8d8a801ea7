// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Operations on objects of other CTAs of the cluster (`docs/contract/mbarrier.md`, *Remote operations*), and the arbitration of turns
//! (*Turns*).

use super::bits::assign;
use super::in_place::clone_in_place;
use super::mbarrier_ports::{Launch, MbarrierIn, MbarrierOp, NetOut};
use super::sizes::Sizes;
use std::collections::VecDeque;

/// A round-robin arbiter over sources in a fixed order.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Turns {
    /// The index of the first source after the source that had the last turn in this round.
    place: usize,
}

impl Turns {
    /// Begins a round with the first source.
    pub(super) fn begin(&mut self) {
        self.place = 0;
    }

    /// The first source with an item that has not had its turn in this round.
    pub(super) fn due(&self, offers: &[bool]) -> Option<usize> {
        (self.place..offers.len()).find(|source| offers[*source])
    }

    /// Gives the next turn to a source among those with an item, and returns the source.
    pub(super) fn next(&mut self, offers: &[bool]) -> Option<usize> {
        let source = self.due(offers).or_else(|| offers.iter().position(|is| *is))?;
        self.place = source + 1;
        Some(source)
    }
}

/// The destination of the result of an operation that was sent to the network.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Answer {
    pub(super) warp: u8,
    pub(super) has_result: bool,
    pub(super) rd: u8,
    pub(super) pu: u8,
}

/// An operation that waits to be sent to the network.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Remote {
    /// Cycles since the operation entered the queue.
    age: u32,
    answer: Answer,
    message: NetOut,
}

clone_in_place! {
    #[derive(Debug, PartialEq)]
    pub(super) struct Net {
        built: bool,
        most: u32,
        /// For each CTA slot, the place of its CTA in the cluster.
        peers: Vec<Launch>,
        queue: VecDeque<Remote>,
        /// The payload of `net_out`.
        shown: NetOut,
        /// An operation is offered on `net_out`.
        offers: bool,
        /// The destination of the result of the operation on `net_out`.
        result: Option<Answer>,
        pub(super) answer: Option<Answer>,
        /// For each CTA slot, the number of operations that are not acknowledged.
        unacknowledged: Vec<u32>,
        /// For each CTA slot, the number of operations without a target CTA whose fault is not reported yet.
        due_faults: Vec<u32>,
        /// The CTA slots with an operation that is not acknowledged, or with a fault due; one bit per slot.
        busy: u64,
    }
}

impl Net {
    pub(super) fn new(sizes: Sizes) -> Net {
        let slots = sizes.cta_slots();
        Net {
            built: sizes.clusters().size > 1,
            most: sizes.clusters().max_remote,
            peers: vec![Launch::default(); slots],
            queue: VecDeque::new(),
            shown: NetOut::default(),
            offers: false,
            result: None,
            answer: None,
            unacknowledged: vec![0; slots],
            due_faults: vec![0; slots],
            busy: 0,
        }
    }

    pub(super) fn is_built(&self) -> bool {
        self.built
    }

    /// The place of the CTA in its cluster. Without clusters, each CTA is alone in its cluster.
    pub(super) fn peer(&self, cta: u8) -> Launch {
        match self.built {
            true => self.peers.get(usize::from(cta)).copied().unwrap_or_default(),
            false => Launch { size: 1, ..Launch::default() },
        }
    }

    /// Queues an operation for the network.
    pub(super) fn push(&mut self, op: &MbarrierOp, object: u32) {
        let answer = Answer { warp: op.warp, has_result: op.kind.has_result(), rd: op.rd, pu: op.pu };
        let message = NetOut {
            cluster: self.peer(op.cta).cluster,
            rank: (op.address >> 24 & 15) as u8,
            cta: op.cta,
            object,
            kind: op.kind,
            count: op.count & 0xf_ffff,
            bytes: op.bytes,
        };
        self.queue.push_back(Remote { age: 0, answer, message });
    }

    /// The number of operations that wait to be sent, without the offered operation.
    pub(super) fn waiting(&self) -> usize {
        self.queue.len()
    }

    /// The lowest CTA slot with a fault due: an operation of its CTA found no target CTA.
    pub(super) fn absent(&self) -> Option<u8> {
        self.due_faults.iter().position(|due| *due > 0).map(|cta| cta as u8)
    }

    /// The CTA slots with an operation that is not acknowledged, or with a fault due; one bit per slot.
    pub(super) fn busy(&self) -> u64 {
        self.busy
    }

    /// Updates the bit of a CTA in `busy` after a change of its counts.
    fn update_busy(&mut self, cta: usize) {
        assign(&mut self.busy, cta, self.unacknowledged[cta] > 0 || self.due_faults[cta] > 0);
    }

    /// Whether `net_out` offers an operation, and its payload.
    pub(super) fn shown(&self) -> (bool, NetOut) {
        (self.offers, self.shown)
    }

    /// Applies the rising edge. `had_answer`: at the beginning of the cycle `answer` held a result, which `mbarrier` may have taken since
    /// then. `reported_absent`: the CTA slot for which `mbarrier` has put the report of an absent target into its queue in this cycle.
    pub(super) fn clock(&mut self, inputs: &MbarrierIn, had_answer: bool, reported_absent: Option<u8>) {
        if !self.built {
            return;
        }
        // The register for results is free if it was empty at the beginning of the cycle, or if its result was taken.
        let is_result_free = !had_answer || self.answer.is_none();
        let blocked = |cta: u8| self.unacknowledged[usize::from(cta)] == self.most || self.due_faults[usize::from(cta)] > 0;
        let leaves = self.queue.front().copied().filter(|remote| remote.age >= 2 && !blocked(remote.message.cta));
        let leaves = leaves.filter(|_| !self.offers && is_result_free);
        if inputs.outside.net_out_ready && self.offers {
            self.offers = false;
            self.answer = self.result.take();
        }
        if let Some(remote) = leaves {
            self.queue.pop_front();
            self.unacknowledged[usize::from(remote.message.cta)] += 1;
            self.update_busy(remote.message.cta.into());
            (self.offers, self.shown, self.result) = (true, remote.message, Some(remote.answer));
        }
        if let Some(ack) = inputs.outside.net_ack.filter(|ack| usize::from(ack.cta) < self.unacknowledged.len()) {
            let cta = usize::from(ack.cta);
            self.unacknowledged[cta] = self.unacknowledged[cta].saturating_sub(1);
            self.due_faults[cta] += u32::from(ack.absent);
            self.update_busy(cta);
        }
        if let Some(cta) = reported_absent {
            self.due_faults[usize::from(cta)] -= 1;
            self.update_busy(cta.into());
        }
        if let Some(launch) = inputs.launch.filter(|launch| usize::from(launch.cta) < self.peers.len()) {
            self.peers[usize::from(launch.cta)] = launch;
        }
        self.queue.iter_mut().for_each(|remote| remote.age += 1);
    }
}
