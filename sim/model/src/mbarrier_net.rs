// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Operations on objects of other CTAs of the cluster (`docs/contract/mbarrier.md`, *Remote operations*), and whose turn it is (*Turns*).

use super::mbarrier_ports::{Launch, MbarrierIn, MbarrierOp, NetOut};
use super::sizes::Sizes;
use std::collections::VecDeque;

/// Sources that have their turns in their order, round and round.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Turns {
    /// The first behind the last that had its turn in this round.
    place: usize,
}

impl Turns {
    /// A round begins.
    pub(super) fn begin(&mut self) {
        self.place = 0;
    }

    /// The first that has something, of those behind the last.
    pub(super) fn due(&self, there: &[bool]) -> Option<usize> {
        (self.place..there.len()).find(|source| there[*source])
    }

    /// Whose turn it is, of those that have something.
    pub(super) fn next(&mut self, there: &[bool]) -> Option<usize> {
        let source = self.due(there).or_else(|| there.iter().position(|is| *is))?;
        self.place = source + 1;
        Some(source)
    }
}

/// The result of an operation that has left.
#[derive(Clone, Copy, Debug)]
pub(super) struct Answer {
    pub(super) warp: u8,
    pub(super) has_result: bool,
    pub(super) rd: u8,
    pub(super) pu: u8,
}

/// An operation that waits to leave.
#[derive(Clone, Copy, Debug)]
struct Remote {
    /// Cycles since it came.
    age: u32,
    answer: Answer,
    message: NetOut,
}

#[derive(Clone, Debug)]
pub(super) struct Net {
    built: bool,
    most: u32,
    /// By CTA slot.
    peers: Vec<Launch>,
    queue: VecDeque<Remote>,
    /// What stands at `net_out`; whether it is offered, and what its warp gets.
    shown: NetOut,
    offers: bool,
    result: Option<Answer>,
    pub(super) answer: Option<Answer>,
    /// Operations of each CTA that are not acknowledged; faults of each CTA that are due.
    sent: Vec<u32>,
    lost: Vec<u32>,
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
            sent: vec![0; slots],
            lost: vec![0; slots],
        }
    }

    pub(super) fn is_built(&self) -> bool {
        self.built
    }

    /// The CTA's place in its cluster; of one alone if there are no clusters.
    pub(super) fn peer(&self, cta: u8) -> Launch {
        match self.built {
            true => self.peers.get(usize::from(cta)).copied().unwrap_or_default(),
            false => Launch { size: 1, ..Launch::default() },
        }
    }

    /// An operation leaves for the network.
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

    /// Operations that wait to leave, but for the one that is offered.
    pub(super) fn waiting(&self) -> usize {
        self.queue.len()
    }

    /// The slot of which a fault is due.
    pub(super) fn absent(&self) -> Option<u8> {
        self.lost.iter().position(|lost| *lost > 0).map(|cta| cta as u8)
    }

    /// Something of the CTA is under way.
    pub(super) fn is_busy(&self, cta: usize) -> bool {
        self.sent[cta] > 0 || self.lost[cta] > 0
    }

    /// The CTA slots of which something is under way.
    pub(super) fn busy(&self) -> u64 {
        (0..self.sent.len()).filter(|cta| self.is_busy(*cta)).fold(0, |busy, cta| busy | 1 << cta)
    }

    /// What stands at `net_out`, and whether it is offered.
    pub(super) fn shown(&self) -> (bool, NetOut) {
        (self.offers, self.shown)
    }

    /// A cycle. Of what was there at its beginning the unit has taken an answer, or told of an absent CTA.
    pub(super) fn clock(&mut self, inputs: &MbarrierIn, had_answer: bool, told: Option<u8>) {
        if !self.built {
            return;
        }
        // A place for the result is free if there was none, or it was taken.
        let free = !had_answer || self.answer.is_none();
        let blocked = |cta: u8| self.sent[usize::from(cta)] == self.most || self.lost[usize::from(cta)] > 0;
        let leaves = self.queue.front().copied().filter(|remote| remote.age >= 2 && !blocked(remote.message.cta));
        let leaves = leaves.filter(|_| !self.offers && free);
        if inputs.outside.net_out_ready && self.offers {
            self.offers = false;
            self.answer = self.result.take();
        }
        if let Some(remote) = leaves {
            self.queue.pop_front();
            self.sent[usize::from(remote.message.cta)] += 1;
            (self.offers, self.shown, self.result) = (true, remote.message, Some(remote.answer));
        }
        if let Some(ack) = inputs.outside.net_ack.filter(|ack| usize::from(ack.cta) < self.sent.len()) {
            let cta = usize::from(ack.cta);
            self.sent[cta] = self.sent[cta].saturating_sub(1);
            self.lost[cta] += u32::from(ack.absent);
        }
        if let Some(cta) = told {
            self.lost[usize::from(cta)] -= 1;
        }
        if let Some(launch) = inputs.launch.filter(|launch| usize::from(launch.cta) < self.peers.len()) {
            self.peers[usize::from(launch.cta)] = launch;
        }
        self.queue.iter_mut().for_each(|remote| remote.age += 1);
    }
}
