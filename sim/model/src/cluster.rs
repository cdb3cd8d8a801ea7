// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Cycle model of `cluster`: warps that arrive and wait, and the messages about their CTAs to the hub of clusters
//! (`docs/contract/clusters.md`, `cluster`).

use super::bits::{assign, members, next_in_turn};
use super::cluster_ports::{ClusterIn, ClusterKind, ClusterMessage, ClusterMessageKind, ClusterOp, ClusterOut, HubKind};
use super::in_place::clone_in_place;
use super::mbarrier_ports::{Commit, Launch};
use super::op::Code;
use super::outcome::Refused;
use super::sizes::{mask, Sizes};
use super::warp_cta::WarpCta;
use super::wire::{Clocked, PortAction, Walk};

/// The membership of a CTA slot in its cluster.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Member {
    /// The place of the CTA in its cluster; the CTA slot in this value is unused.
    pub place: Launch,
    /// The cluster has more than one CTA, so the CTA sends messages to the hub.
    pub joined: bool,
    /// The Present message of the CTA has not been offered to the hub.
    pub owes: bool,
    /// The Arrived message of the CTA in this phase was offered to the hub.
    pub arrived_sent: bool,
    /// The Gone message of the CTA was offered to the hub.
    pub gone_sent: bool,
    /// The CTA has sent an odd number of Arrived messages.
    pub odd: bool,
}

clone_in_place! {
    /// The state of `cluster`; sets of warps and of CTA slots are bit vectors.
    #[derive(Debug, PartialEq, Eq, Hash)]
    pub struct Cluster {
        sizes: Sizes,
        pub arrived: u64,
        pub passed: u64,
        pub waits: u64,
        pub members: Vec<Member>,
        /// The CTA slots whose member is joined, one bit per slot.
        joined: u64,
        /// CTA slots whose live warps had all arrived in the cycle before; one bit per CTA slot.
        pub full: u64,
        /// CTA slots whose cluster received Complete in the cycle before; one bit per CTA slot.
        pub phase_over: u64,
        last: Option<usize>,
        /// The warp slot and the refusal code of the operation that took effect at the last edge.
        done: Option<(u8, Code)>,
        out: ClusterOut,
    }
}

impl Cluster {
    /// The operation that took effect at the last edge, if any: its warp slot and its refusal code.
    pub fn done(&self) -> Option<(u8, Code)> {
        self.done
    }

    /// The CTA slots with a joined member for which `is` holds, one bit per slot.
    fn joined_slots(&self, is: impl Fn(usize) -> bool) -> u64 {
        members(self.joined).filter(|slot| is(*slot)).fold(0, |set, slot| set | 1 << slot)
    }

    /// The CTA slots that complete a phase in this cycle, one bit per slot.
    pub fn completed(&self) -> u64 {
        self.phase_over | self.full & !self.joined
    }

    /// The message to the hub that is due for the CTA in `slot` in this cycle.
    pub fn message(&self, slot: usize, ended: u64) -> Option<ClusterMessageKind> {
        let Member { joined, owes, arrived_sent, gone_sent, odd, .. } = self.members[slot];
        if !joined {
            None
        } else if owes {
            Some(ClusterMessageKind::Present)
        } else if gone_sent {
            None
        } else if ended >> slot & 1 != 0 {
            Some(if odd { ClusterMessageKind::GoneOdd } else { ClusterMessageKind::Gone })
        } else {
            (!arrived_sent && self.full >> slot & 1 != 0).then_some(ClusterMessageKind::Arrived)
        }
    }

    /// The CTA slot that has the turn, and its message to the hub. The message is sent only if `cluster_out` offers no other message.
    pub fn turn(&self, ended: u64) -> Option<(usize, ClusterMessageKind)> {
        let slot = next_in_turn(self.joined_slots(|slot| self.message(slot, ended).is_some()), self.last)?;
        Some((slot, self.message(slot, ended)?))
    }

    /// Why an operation is refused; `Code::None` if it is accepted.
    pub fn refusal(&self, op: &ClusterOp) -> Code {
        let armed = (self.arrived | self.passed) >> op.warp & 1 != 0;
        let checks = self.sizes.parts().faults;
        let flaws = [
            (op.fault != Code::None, op.fault),
            (usize::from(op.cta) >= self.members.len(), Code::NotResident),
            (checks && op.kind == ClusterKind::Arrive && armed, Code::ClusterDoubleArrival),
            (checks && op.kind == ClusterKind::Wait && !armed, Code::ClusterWaitWithoutArrival),
        ];
        flaws.into_iter().find(|(is, _)| *is).map_or(Code::None, |(_, code)| code)
    }

    /// Applies an operation that is transferred in this cycle. Returns the bit of its warp if the warp resumes at once, else 0.
    fn operate(&mut self, op: &ClusterOp) -> u64 {
        let (code, warp, checks) = (self.refusal(op), 1 << op.warp, self.sizes.parts().faults);
        self.done = Some((op.warp, code));
        self.out.commit_valid = true;
        self.out.commit = Commit { warps: warp, refused: checks && ![Code::None, Code::NotResident].contains(&code) };
        if code != Code::None {
            self.out.fault_valid = checks;
            if checks {
                self.out.fault = Refused { code, has_warp: true, warp: op.warp, cta: op.cta };
            }
            return 0;
        }
        self.passed &= !warp;
        match op.kind {
            ClusterKind::Arrive => self.arrived |= warp,
            ClusterKind::Wait if self.arrived & warp != 0 => self.waits |= warp,
            ClusterKind::Wait => return warp,
        }
        0
    }

    /// Offers the next message to the hub. `ended` are the CTA slots whose CTA has ended, `completed` the CTA slots that complete a phase.
    fn offer_message(&mut self, ended: u64, completed: u64) {
        let Some((slot, kind)) = self.turn(ended) else { return };
        self.last = Some(slot);
        let member = &mut self.members[slot];
        let Launch { cluster, rank, size, .. } = member.place;
        self.out.cluster_out_valid = true;
        self.out.cluster_out = ClusterMessage { kind, cluster, rank, size };
        match kind {
            ClusterMessageKind::Present => member.owes = false,
            ClusterMessageKind::Arrived => {
                member.arrived_sent = completed >> slot & 1 == 0;
                member.odd = !member.odd;
            }
            ClusterMessageKind::Gone | ClusterMessageKind::GoneOdd => member.gone_sent = true,
        }
    }

    /// The warps of the CTAs in `slots`; the result has one bit per warp, and `slots` one bit per CTA slot.
    fn warps_of(slots: u64, homes: &WarpCta) -> u64 {
        members(slots).fold(0, |warps, slot| warps | homes.warps_of_slot(slot as u8))
    }
}

impl Clocked for Cluster {
    type Inputs = ClusterIn;
    type Outputs = ClusterOut;

    fn new(sizes: Sizes) -> Cluster {
        let members = vec![Member::default(); sizes.cta_slots()];
        let [arrived, passed, waits, joined, full, phase_over] = [0; 6];
        let (last, done, out) = (None, None, ClusterOut::default());
        Cluster { sizes, arrived, passed, waits, members, joined, full, phase_over, last, done, out }
    }

    fn ports(i: &mut ClusterIn, o: &mut ClusterOut, at: &mut Walk<impl PortAction>) {
        super::cluster_ports::ports(i, o, at);
    }

    fn outputs(&self) -> ClusterOut {
        let freed = mask(self.members.len()) & !self.joined;
        ClusterOut { op_ready: !self.out.fault_valid, waiting: self.waits, freed, ..self.out }
    }

    fn clock(&mut self, inputs: &ClusterIn) {
        if inputs.reset {
            *self = Cluster::new(self.sizes);
            return;
        }
        let (homes, live) = (&inputs.warp_cta, inputs.live);
        let (completed, arrived) = (self.completed(), self.arrived);
        let (is_fault_offered, is_message_offered) = (self.out.fault_valid, self.out.cluster_out_valid);
        // The CTA slots to which the message from the hub applies, before the messages of this cycle to the hub.
        let of_cluster = |cluster: u16, gone_sent: bool| {
            self.joined_slots(|slot| {
                let Member { place, gone_sent: is_gone, .. } = self.members[slot];
                is_gone == gone_sent && place.cluster == cluster
            })
        };
        let phase_over = match inputs.cluster_in {
            Some((HubKind::Complete, cluster)) => of_cluster(cluster, false),
            _ => 0,
        };
        let closed = match inputs.cluster_in {
            Some((HubKind::Closed, cluster)) => of_cluster(cluster, true),
            _ => 0,
        };
        // Order of effects: the operation, then completed phases, then warps that are no longer live.
        (self.out.commit_valid, self.out.commit) = (false, Commit::default());
        self.done = None;
        let mut released = 0;
        if is_fault_offered {
            self.out.fault_valid = !inputs.fault_ready;
        } else if let Some(op) = &inputs.op {
            released = self.operate(op);
        }
        let over = arrived & Cluster::warps_of(completed, homes);
        released = (released | over & self.waits) & live;
        self.passed = (self.passed | over & !self.waits) & live;
        self.arrived &= !over & live;
        self.waits &= !over & live;
        (self.out.release_valid, self.out.release) = (released != 0, released);

        // The state of the CTA slots, and the messages to the hub.
        if is_message_offered {
            self.out.cluster_out_valid = !inputs.cluster_out_ready;
        } else {
            self.offer_message(inputs.ended, completed);
        }
        let all_arrived = homes.slots_of(live) & !homes.slots_of(live & !arrived);
        self.full = all_arrived & mask(self.members.len()) & !completed;
        self.phase_over = phase_over;
        self.out.closed_valid = matches!(inputs.cluster_in, Some((HubKind::Closed, _)));
        if let Some((HubKind::Closed, cluster)) = inputs.cluster_in {
            self.out.closed = cluster;
        }
        for slot in members(completed) {
            self.members[slot].arrived_sent = false;
        }
        for slot in members(closed) {
            self.members[slot].joined = false;
        }
        self.joined &= !closed;
        if let Some(launch) = inputs.launch.filter(|launch| usize::from(launch.cta) < self.members.len()) {
            let joined = launch.size > 1;
            self.members[usize::from(launch.cta)] = Member { place: launch, joined, owes: joined, ..Member::default() };
            assign(&mut self.joined, launch.cta.into(), joined);
        }
    }
}
