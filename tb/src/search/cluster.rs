// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Clusters of two CTAs, one on each of two multiprocessors, and their hub (`docs/contract/clusters.md`).

use super::link::Link;
use super::space::{Cycle, Space, View};
use bcu_model::cluster_hub::{ClusterHubIn, Slot};
use bcu_model::cluster_ports::{ClusterIn, ClusterKind, ClusterMessage, ClusterOp, ClusterOut, HubMessage};
use bcu_model::mbarrier_ports::Launch;
use bcu_model::{Clocked, Cluster, ClusterHub, Sizes};

/// The state space to search, with one CTA slot for each multiprocessor.
pub struct Clusters {
    pub sizes: Sizes,
    /// `warps`: the number of warps of each CTA. `slots`: the number of cluster slots in use.
    pub warps: usize,
    pub slots: usize,
    pub fault: Option<Fault>,
}

/// An injected fault, which the search must find.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A message of a multiprocessor is lost if another message is in front of it on the link.
    MessageLost,
    /// The hub completes a phase when the first CTA has arrived.
    Early,
    /// A cluster slot is reused as soon as all CTAs of its cluster have ended.
    Hasty,
}

/// The state of a multiprocessor, with its links and its CTA.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Sm {
    unit: Cluster,
    up: Link<ClusterMessage, 2>,
    down: Link<HubMessage, 3>,
    live: u8,
    /// The number of arrivals of each warp, modulo 3.
    arrivals: [u8; 4],
    ended: bool,
    /// The cluster slot of the multiprocessor's CTA, until the CTA slot is freed.
    member: Option<u8>,
}

/// The part of a multiprocessor's state that the rules read.
pub struct SmSeen {
    sm: Sm,
    out: ClusterOut,
    /// Cluster slots about which a message is in flight; one bit per cluster slot.
    under_way: u64,
}

pub struct HubSeen {
    to: Vec<Option<HubMessage>>,
    /// Cluster slots of which the hub keeps state; one bit per cluster slot.
    kept_slots: u64,
}

/// For each cluster slot, as masks: the launched ranks, and the multiprocessors that had a CTA of the cluster and have not yet reported the
/// cluster on `closed`.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Env {
    launched: [u8; 4],
    open: [u8; 4],
}

/// The events at a multiprocessor in a cycle.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Act {
    /// The launch of a CTA with this cluster slot and rank.
    launch: Option<(u8, u8)>,
    op: Option<(ClusterKind, u8)>,
    exits: u8,
    cta_ends: bool,
    up: bool,
    down: bool,
}

impl std::fmt::Debug for Act {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut says = vec![];
        says.extend(self.launch.map(|(slot, rank)| format!("launch of rank {rank} of cluster slot {slot}")));
        says.extend(self.op.map(|(kind, warp)| format!("{kind:?} of warp {warp}")));
        says.extend((self.exits != 0).then(|| format!("exits of warps {:#b}", self.exits)));
        says.extend(self.cta_ends.then(|| "the CTA ends".to_string()));
        says.extend((!self.up).then(|| "the up link stalls".to_string()));
        says.extend((!self.down).then(|| "the down link stalls".to_string()));
        f.write_str(&if says.is_empty() { "-".to_string() } else { says.join(", ") })
    }
}

const CALM: Act = Act { launch: None, op: None, exits: 0, cta_ends: false, up: true, down: true };

impl Clusters {
    /// The possible actions of warps, CTAs and scheduler at a multiprocessor, independent of the other multiprocessor.
    fn acts(&self, sm: &Sm, out: &ClusterOut) -> Vec<Act> {
        let (Sm { live, ended, unit, .. }, mut acts) = (sm, vec![]);
        if out.freed & 1 != 0 && *ended {
            let places = (0..self.slots as u8).flat_map(|slot| [(slot, 0), (slot, 1)]);
            acts.extend(places.map(|place| Act { launch: Some(place), ..CALM }));
        }
        if *live == 0 && !ended {
            acts.push(Act { cta_ends: true, ..CALM });
        }
        let may = (0..self.warps as u8).filter(|warp| (u64::from(*live) & !out.waiting) >> warp & 1 != 0);
        let armed = unit.arrived | unit.passed;
        let op = |warp: u8| (if armed >> warp & 1 != 0 { ClusterKind::Wait } else { ClusterKind::Arrive }, warp);
        let ops: Vec<_> = [None].into_iter().chain(may.map(|warp| Some(op(warp)))).collect();
        for exits in (0..1u8 << self.warps).filter(|exits| exits & !live == 0) {
            acts.extend(ops.iter().map(|op| Act { exits, op: *op, ..CALM }));
        }
        acts
    }

    /// One cycle of a multiprocessor; `None` if a link is full.
    fn simulate_cycle(&self, sm: &Sm, out: &ClusterOut, hub_message: Option<HubMessage>, act: Act) -> Option<Cycle<Clusters>> {
        let ready = !sm.up.is_full();
        let sent_message = out.cluster_out_valid.then_some(out.cluster_out).filter(|_| ready);
        let is_lost = self.fault == Some(Fault::MessageLost) && sm.up.has_any(None);
        let (up, from) = sm.up.cycle(sent_message.filter(|_| !is_lost), act.up)?;
        let (down, received_message) = sm.down.cycle(hub_message, act.down)?;
        let mut next = Sm { up, down, ..sm.clone() };
        next.unit.clock(&ClusterIn {
            launch: act.launch.map(|(cluster, rank)| Launch { cta: 0, cluster: cluster.into(), rank, size: 2 }),
            live: sm.live.into(),
            ended: sm.ended.into(),
            op: act.op.map(|(kind, warp)| ClusterOp { kind, warp, ..ClusterOp::default() }),
            cluster_in: received_message,
            cluster_out_ready: ready,
            fault_ready: true,
            ..ClusterIn::default()
        });
        next.live &= !act.exits;
        next.ended |= act.cta_ends;
        next.member = next.member.filter(|_| out.freed & 1 == 0);
        if let Some((ClusterKind::Arrive, warp)) = act.op {
            let count = &mut next.arrivals[usize::from(warp)];
            *count = (*count + 1) % 3;
        }
        if let Some((cluster, _)) = act.launch {
            let live = ((1u16 << self.warps) - 1) as u8;
            next = Sm { live, arrivals: [0; 4], ended: false, member: Some(cluster), ..next };
        }
        Some(Cycle { act, next, up: from })
    }
}

/// The ranks of a cluster, as a mask.
const ALL_RANKS: u8 = 3;

/// The number of arrivals by which the count `first` is ahead of the count `second`. Both counts are modulo 3.
fn ahead(first: u8, second: u8) -> u8 {
    (first + 3 - second) % 3
}

impl<'a> View<'a, Clusters> {
    /// Multiprocessors whose CTA belongs to the cluster in `slot`.
    fn members(&self, slot: u8) -> impl Iterator<Item = &'a SmSeen> + use<'_, 'a> {
        self.sms.iter().copied().filter(move |view_of_sm| view_of_sm.sm.member == Some(slot))
    }

    /// Numbers of arrivals of the live warps of the cluster in `slot`.
    fn arrivals(&self, slot: u8) -> impl Iterator<Item = u8> + use<'_, 'a> {
        let live = |view_of_sm: &'a SmSeen| {
            (0..4).filter(|warp| view_of_sm.sm.live >> warp & 1 != 0).map(|warp| view_of_sm.sm.arrivals[warp])
        };
        self.members(slot).flat_map(live)
    }

    fn is_whole(&self, slot: u8) -> bool {
        self.env.launched[usize::from(slot)] == ALL_RANKS
    }

    /// Whether the phase is complete for the waiting warps of this CTA, so that the unit must release them.
    fn must_pass(&self, view_of_sm: &SmSeen, slot: u8) -> bool {
        let Sm { live, arrivals, .. } = view_of_sm.sm;
        let waits = |warp: &usize| (u64::from(live) & view_of_sm.out.waiting) >> warp & 1 != 0;
        let is_present = self.is_whole(slot) && self.members(slot).all(|of| of.sm.live != 0 || of.sm.ended);
        is_present && (0..4).filter(waits).any(|warp| self.arrivals(slot).all(|of| ahead(arrivals[warp], of) != 1))
    }
}

impl Space for Clusters {
    type Sm = Sm;
    type SmSeen = SmSeen;
    type Hub = ClusterHub;
    type HubSeen = HubSeen;
    type Env = Env;
    type Up = ClusterMessage;
    type Down = HubMessage;
    type Act = Act;
    type Host = ();
    const DUES: &'static [&'static str] = &[
        "a warp is released when all live warps of its cluster have arrived",
        "a cluster is closed when all its CTAs have ended",
    ];

    fn start(&self) -> (Sm, ClusterHub, Env) {
        let unit = Cluster::new(self.sizes);
        let (up, down) = (Link::default(), Link::default());
        let sm = Sm { unit, up, down, live: 0, arrivals: [0; 4], ended: true, member: None };
        (sm, ClusterHub::new(self.sizes), Env::default())
    }

    fn see_sm(&self, sm: &Sm) -> SmSeen {
        let out = sm.unit.outputs();
        let up = sm.up.messages().chain(out.cluster_out_valid.then_some(out.cluster_out)).map(|message| message.cluster);
        let down = sm.down.messages().map(|(_, cluster)| cluster);
        SmSeen { sm: sm.clone(), out, under_way: up.chain(down).fold(0, |mask, cluster| mask | 1 << cluster) }
    }

    fn see_hub(&self, hub: &ClusterHub) -> HubSeen {
        let to: Vec<_> = hub.outputs().to.into_iter().map(|(valid, message)| valid.then_some(message)).collect();
        let kept_slots = hub.slots.iter().enumerate().filter(|(_, slot)| **slot != Slot::default());
        let kept_slots = kept_slots.fold(0, |mask, (slot, _)| mask | 1 << slot);
        HubSeen { kept_slots: to.iter().flatten().fold(kept_slots, |mask, (_, cluster)| mask | 1 << cluster), to }
    }

    fn message_to(&self, hub: &HubSeen, sm: usize) -> Option<HubMessage> {
        hub.to[sm]
    }

    fn cycles(&self, sm: &Sm, hub_message: Option<HubMessage>) -> Vec<Cycle<Clusters>> {
        let out = sm.unit.outputs();
        let sent_message = out.cluster_out_valid.then_some(out.cluster_out).filter(|_| !sm.up.is_full());
        let choices = |any: bool| if any { &[true, false][..] } else { &[true] };
        let (ups, downs) = (choices(sm.up.has_any(sent_message)), choices(sm.down.has_any(hub_message)));
        let acts = self.acts(sm, &out).into_iter();
        let acts = acts
            .flat_map(|act| ups.iter().flat_map(move |up| downs.iter().map(move |down| Act { up: *up, down: *down, ..act })));
        acts.filter_map(|act| self.simulate_cycle(sm, &out, hub_message, act)).collect()
    }

    fn serve(&self, hub: &ClusterHub, from: [Option<ClusterMessage>; 2], _: &()) -> ClusterHub {
        let mut next = hub.clone();
        next.clock(&ClusterHubIn { reset: false, from: from.to_vec() });
        if self.fault == Some(Fault::Early) {
            // The injected fault `Early`: a single arrival completes the phase.
            next.slots.iter_mut().for_each(|slot| slot.due |= slot.missing < slot.living);
        }
        next
    }

    fn hosts(&self, _: &HubSeen, _: Env) -> Vec<()> {
        vec![()]
    }

    fn is_calm(&self, act: &Act) -> bool {
        *act == CALM
    }

    fn permit(&self, view: &View<Clusters>, acts: [&Act; 2], (): &()) -> Option<Env> {
        let mut env = view.env;
        for slot in 0..self.slots {
            let joins = acts
                .map(|act| act.launch.filter(|(joined_slot, _)| usize::from(*joined_slot) == slot).map(|(_, rank)| 1 << rank));
            let joining_bit = |sm: usize| u8::from(joins[sm].is_some()) << sm;
            let shows = |sm: usize| view.sms[sm].out.closed_valid && usize::from(view.sms[sm].out.closed) == slot;
            let closed = (0..2).filter(|sm| shows(*sm)).fold(0, |mask, sm| mask | 1 << sm);
            let (joining, open_before) = (joining_bit(0) | joining_bit(1), env.open[slot]);
            let ended = |view_of_sm: &&SmSeen| view_of_sm.sm.member != Some(slot as u8) || view_of_sm.sm.ended;
            let hasty = self.fault == Some(Fault::Hasty) && env.launched[slot] == ALL_RANKS && view.sms.iter().all(ended);
            let busy = open_before != 0 && !hasty;
            let still_open = if busy { open_before & !closed } else { 0 };
            let launched = if busy { env.launched[slot] } else { 0 };
            let ranks = joins.iter().flatten().fold(0, |mask, rank| mask | rank);
            // Each rank is launched once, and no CTA is launched into a closed cluster.
            let twice = joining == 3 && joins[0] == joins[1] || launched & ranks != 0;
            if joining != 0 && (twice || busy && still_open == 0) {
                return None;
            }
            env.open[slot] = still_open | joining;
            env.launched[slot] = if env.open[slot] == 0 { 0 } else { launched | ranks };
        }
        Some(env)
    }

    fn broken(&self, view: &View<Clusters>) -> Option<&'static str> {
        for view_of_sm in view.sms {
            let Some(slot) = view_of_sm.sm.member else { continue };
            let released_warps = (0..4).filter(|warp| view_of_sm.out.release >> warp & 1 != 0);
            for warp in released_warps {
                if !view.is_whole(slot) {
                    return Some("a warp is released before all CTAs of its cluster have been launched");
                }
                if view.arrivals(slot).any(|of| ahead(view_of_sm.sm.arrivals[warp], of) == 1) {
                    return Some("a warp is released before all live warps of its cluster have arrived");
                }
            }
            let freed = view_of_sm.out.freed & 1 != 0;
            if freed && !(view.is_whole(slot) && view.members(slot).all(|of| of.sm.ended)) {
                return Some("a CTA slot is given back before all CTAs of the cluster have ended");
            }
        }
        let closed = (0..self.slots).filter(|slot| view.env.open[*slot] == 0).fold(0, |mask, slot| mask | 1 << slot);
        let remaining = view.sms.iter().fold(view.hub.kept_slots, |mask, view_of_sm| mask | view_of_sm.under_way);
        (closed & remaining != 0).then_some("state of a closed cluster remains in a unit, a link or the hub")
    }

    fn due(&self, view: &View<Clusters>) -> u8 {
        let passes =
            view.sms.iter().any(|view_of_sm| view_of_sm.sm.member.is_some_and(|slot| view.must_pass(view_of_sm, slot)));
        let ended = |slot: u8| view.members(slot).all(|of| of.sm.ended);
        let closes =
            (0..self.slots as u8).any(|slot| view.env.open[usize::from(slot)] != 0 && view.is_whole(slot) && ended(slot));
        u8::from(passes) | u8::from(closes) << 1
    }
}
