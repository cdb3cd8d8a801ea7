// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Stimulus for `mbarrier`: CTAs whose warps use a few objects, copy engines that bring bytes, shared memory that answers when it likes.

use super::line::{Line, Offer, Phase, Sink};
use super::swarm::Duty;
use super::{Rng, Shape, Stimulus, StimulusError};
use bcu_hw::unit::mbarrier::ports::MbarrierKind;
use bcu_hw::unit::op::FaultCode;
use std::collections::{BTreeMap, VecDeque};

mod picture;

use picture::{Picture, Wish};

#[rustfmt::skip]
const OP: [&str; 14] = [
    "kind", "fault", "uniform", "warp", "cta", "address", "cluster", "count", "bytes", "phase", "hint", "whole", "rd", "pu",
];
const TX: [&str; 4] = ["cta", "object", "count", "bytes"];
const NET_IN: [&str; 6] = ["cta", "object", "kind", "count", "bytes", "source"];

/// What a seed does; chances are in thousandths per cycle.
struct Habits {
    /// A CTA is launched, and one retired; with its objects saved.
    launch: u64,
    retire: u64,
    saved: u64,
    /// Least and most cycles from a request to its answer.
    latency: [u64; 2],
    /// What `wait_limit` is drawn from, and how often it changes.
    limits: [u64; 2],
    limit: u64,
    /// Chance that a wait has a hint, that a try waits with all live lanes.
    hint: u64,
    whole: u64,
    /// Chance that an operation is misuse: a wrong operand, or any operation on any object.
    misuse: u64,
    wild: u64,
    /// Chance that a word of memory begins as garbage.
    garbage: u64,
    /// Chance that an operation that can be one on another CTA's object is; that nobody is there; least and most cycles to the answer.
    remote: u64,
    absent: u64,
    travel: [u64; 2],
}

impl Habits {
    fn draw(rng: &mut Rng, ticks: u64) -> Self {
        let one = |rng: &mut Rng, choices: &[u64]| rng.pick(choices).unwrap_or(0);
        Habits {
            launch: one(rng, &[20, 200, 1000]),
            retire: one(rng, &[0, 0, 1, 3, 20]),
            saved: one(rng, &[0, 500, 1000]),
            latency: rng.pick(&[[1, 1], [1, 3], [1, 20], [20, 50], [0, 0]]).unwrap_or([1, 1]),
            limits: rng.pick(&[[1, 1], [1, 3], [1, ticks], [ticks, ticks]]).unwrap_or([1, 1]),
            limit: one(rng, &[0, 1, 100]),
            hint: one(rng, &[0, 300, 1000]),
            whole: one(rng, &[0, 500, 900, 1000, 1000]),
            misuse: one(rng, &[0, 0, 10, 100, 400]),
            wild: one(rng, &[0, 0, 10, 100, 500]),
            garbage: one(rng, &[0, 0, 200, 1000]),
            remote: one(rng, &[0, 100, 500, 900]),
            absent: one(rng, &[0, 0, 100, 1000]),
            travel: rng.pick(&[[1, 1], [1, 5], [5, 60], [200, 500]]).unwrap_or([1, 1]),
        }
    }
}

/// What a warp does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Warp {
    Free,
    Busy,
    Suspended,
}

/// A CTA slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Slot {
    Empty,
    Live,
    Leaving,
}

/// A CTA's place in its cluster.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    rank: u64,
    size: u64,
}

/// Ports that are looked at.
struct Seen {
    reset: usize,
    limit: usize,
    launch: [usize; 5],
    /// valid, ready, CTA slot.
    net_out: [usize; 3],
    /// valid, CTA slot, absent.
    ack: [usize; 3],
    retire: [usize; 4],
    retired: [usize; 2],
    /// valid, write, CTA slot, object, data.
    request: [usize; 5],
    request_ready: usize,
    response: [usize; 2],
    wake: [usize; 2],
    /// valid, warps.
    commit: [usize; 2],
    suspended: usize,
}

pub struct Mbarrier {
    line: Line,
    habits: Habits,
    seen: Seen,
    op: Offer,
    tx: Offer,
    fault: Sink,
    request: Sink,
    engine: Duty,
    net_in: Offer,
    net_out: Sink,
    network: Duty,
    /// Operations that have left: cycles that are left at least, and the CTA slot.
    away: Vec<(u64, u64)>,
    places: Vec<Place>,
    cluster_size: u64,
    arriving: Option<Wish>,
    warps: Vec<Warp>,
    /// The slot whose CTA each warp is of.
    home: Vec<usize>,
    slots: Vec<Slot>,
    picture: Picture,
    ticks: u64,
    /// What is offered, as far as it makes sense.
    wish: Option<Wish>,
    sent: Option<Wish>,
    /// Answers that are due: cycles that are left at least, and data.
    answers: VecDeque<(u64, u64)>,
    memory: BTreeMap<(u64, u64), u64>,
}

impl Mbarrier {
    pub fn new(mut line: Line, shape: Shape) -> Result<Self, StimulusError> {
        let output = |line: &Line, name: &str| line.output(name);
        let [launch, cta, cluster, rank, size] =
            ["valid", "cta", "cluster", "rank", "size"].map(|part| line.input(&format!("launch_{part}")));
        let [ack, acked, absent] = ["valid", "cta", "absent"].map(|part| line.input(&format!("net_ack_{part}")));
        let [retire, leaves, saved, its] =
            ["retire_valid", "retire_cta", "retire_saved", "retire_warps"].map(|port| line.input(port));
        let [retired, gone] = ["retired_valid", "retired_cta"].map(|port| output(&line, port));
        let request = ["valid", "write", "cta", "object", "data"].map(|part| output(&line, &format!("mem_request_{part}")));
        let [asked, write, slot, object, data] = request;
        let [answer, word] = ["mem_response_valid", "mem_response_data"].map(|port| line.input(port));
        let [wake, woken] = ["wake_valid", "wake_warps"].map(|port| output(&line, port));
        let [commit, of] = ["commit_valid", "commit_warps"].map(|port| output(&line, port));
        let seen = Seen {
            reset: line.input("reset")?,
            limit: line.input("wait_limit")?,
            launch: [launch?, cta?, cluster?, rank?, size?],
            net_out: [line.output("net_out_valid")?, line.input("net_out_ready")?, line.output("net_out_cta")?],
            ack: [ack?, acked?, absent?],
            retire: [retire?, leaves?, saved?, its?],
            retired: [retired?, gone?],
            request: [asked?, write?, slot?, object?, data?],
            request_ready: line.input("mem_request_ready")?,
            response: [answer?, word?],
            wake: [wake?, woken?],
            commit: [commit?, of?],
            suspended: line.output("suspended")?,
        };
        let ticks = (1 << shape.limit_bits) - 1;
        let habits = Habits::draw(&mut line.rng, ticks);
        let slots = shape.slots as usize;
        // In some seeds few CTAs have all the warps.
        let used = if line.rng.chance(500) { slots } else { line.rng.range(1, shape.slots) as usize };
        Ok(Mbarrier {
            op: line.channel("op", &OP)?,
            tx: line.channel("tx", &TX)?,
            fault: line.sink("fault")?,
            request: line.sink("mem_request")?,
            engine: Duty::source(&mut line.rng),
            net_in: line.channel("net_in", &NET_IN)?,
            net_out: line.sink("net_out")?,
            network: Duty::source(&mut line.rng),
            away: vec![],
            places: vec![Place::default(); slots],
            cluster_size: shape.cluster_size,
            arriving: None,
            warps: vec![Warp::Free; shape.warps as usize],
            home: (0..shape.warps as usize).map(|warp| warp % used).collect(),
            slots: vec![Slot::Empty; slots],
            picture: Picture::new(&mut line.rng, shape),
            ticks,
            wish: None,
            sent: None,
            answers: VecDeque::new(),
            memory: BTreeMap::new(),
            habits,
            seen,
            line,
        })
    }

    /// Everything as after a reset; what memory holds stays.
    fn clear(&mut self) {
        self.warps.fill(Warp::Free);
        self.slots.fill(Slot::Empty);
        self.picture.clear();
        self.answers.clear();
        self.away.clear();
        (self.wish, self.sent, self.arriving) = (None, None, None);
    }

    /// What the cycle before has shown.
    fn watch(&mut self, previous: &[u64]) {
        let Seen { request, request_ready, commit, suspended, wake, retired, net_out, .. } = self.seen;
        let Line { rng, inputs, .. } = &mut self.line;
        if previous[request[0]] == 1 && inputs[request_ready] == 1 {
            let at = (previous[request[2]], previous[request[3]]);
            let [least, most] = self.habits.latency;
            let latency = rng.range(least, most);
            let garbage = if rng.chance(self.habits.garbage) { picture::garbage(rng) } else { 0 };
            let word = self.memory.entry(at).or_insert(garbage);
            if previous[request[1]] == 1 {
                *word = previous[request[4]];
            }
            let data = if previous[request[1]] == 1 { rng.draw() } else { *word };
            self.answers.push_back((latency, data));
        }
        let [offered, taken, of] = net_out;
        if previous[offered] == 1 && inputs[taken] == 1 {
            let [least, most] = self.habits.travel;
            self.away.push((rng.range(least, most), previous[of]));
        }
        if previous[commit[0]] == 1 {
            let warp = previous[commit[1]].trailing_zeros() as usize;
            let waits = previous[suspended] >> warp & 1 == 1;
            self.warps[warp] = if waits { Warp::Suspended } else { Warp::Free };
        }
        if previous[wake[0]] == 1 {
            for (warp, state) in self.warps.iter_mut().enumerate() {
                if previous[wake[1]] >> warp & 1 == 1 {
                    *state = Warp::Free;
                }
            }
        }
        if previous[retired[0]] == 1 {
            if let Some(slot) = self.slots.get_mut(previous[retired[1]] as usize) {
                *slot = Slot::Empty;
            }
        }
    }

    /// An answer of shared memory, in order.
    fn answer(&mut self) {
        let Line { rng, swarm, inputs, .. } = &mut self.line;
        self.answers.iter_mut().for_each(|(left, _)| *left = left.saturating_sub(1));
        let due = self.answers.front().filter(|(left, _)| *left == 0).map(|(_, data)| *data);
        inputs[self.seen.response[0]] = u64::from(due.is_some());
        match due {
            Some(data) => {
                self.answers.pop_front();
                inputs[self.seen.response[1]] = data;
            }
            None if swarm.noise => inputs[self.seen.response[1]] = rng.draw(),
            None => (),
        }
    }

    /// An acknowledgement of the network, in any order.
    fn acknowledge(&mut self) {
        let Line { rng, inputs, .. } = &mut self.line;
        self.away.iter_mut().for_each(|(left, _)| *left = left.saturating_sub(1));
        let due = self.away.iter().position(|(left, _)| *left == 0);
        let [valid, cta, absent] = self.seen.ack;
        inputs[valid] = u64::from(due.is_some());
        if let Some(at) = due {
            inputs[cta] = self.away.remove(at).1;
            inputs[absent] = u64::from(rng.chance(self.habits.absent));
        }
    }

    /// CTAs come and go.
    fn move_ctas(&mut self) {
        let Line { rng, inputs, .. } = &mut self.line;
        let (launch, retire) = (self.seen.launch, self.seen.retire);
        (inputs[launch[0]], inputs[retire[0]]) = (0, 0);
        let at = rng.below(self.slots.len() as u64) as usize;
        match self.slots[at] {
            Slot::Empty if rng.chance(self.habits.launch) => {
                self.slots[at] = Slot::Live;
                self.picture.enter(at);
                let size = if self.cluster_size > 1 { rng.range(1, self.cluster_size) } else { 1 };
                self.places[at] = Place { rank: rng.below(size), size };
                (inputs[launch[0]], inputs[launch[1]]) = (1, at as u64);
                inputs[launch[2]] = rng.below(4);
                (inputs[launch[3]], inputs[launch[4]]) = (self.places[at].rank, size);
            }
            Slot::Live if rng.chance(self.habits.retire) => {
                let of = |warp: &usize| self.home[*warp] == at;
                let offered = [&self.wish, &self.sent].iter().any(|wish| wish.is_some_and(|wish| wish.slot == at));
                if offered || (0..self.warps.len()).filter(of).any(|warp| self.warps[warp] == Warp::Busy) {
                    return;
                }
                let mut warps = 0;
                for warp in (0..self.warps.len()).filter(of) {
                    self.warps[warp] = Warp::Free;
                    warps |= 1 << warp;
                }
                self.slots[at] = Slot::Leaving;
                inputs[retire[0]] = 1;
                inputs[retire[1]] = at as u64;
                inputs[retire[2]] = u64::from(rng.chance(self.habits.saved));
                inputs[retire[3]] = warps;
            }
            _ => (),
        }
    }

    /// A warp's operation, if there is one that may send it.
    fn choose_op(&mut self) {
        let able: Vec<usize> = (0..self.warps.len())
            .filter(|warp| self.warps[*warp] == Warp::Free && self.slots[self.home[*warp]] == Slot::Live)
            .collect();
        let Some(warp) = self.line.rng.pick(&able) else {
            return self.line.idle(&mut self.op);
        };
        let slot = self.home[warp];
        let wild = self.line.rng.chance(self.habits.wild);
        let rng = &mut self.line.rng;
        let wish = if wild { self.picture.any(rng, slot) } else { self.picture.wish(rng, slot) };
        let whole = rng.chance(self.habits.whole);
        let hint = if rng.chance(self.habits.hint) { rng.range(0, self.ticks) } else { 0 };
        let kind = wish.kind as u64;
        let Place { rank: own, size } = self.places[slot];
        let remote = size > 1 && wish.travels() && rng.chance(self.habits.remote);
        let rank = if remote { (own + rng.range(1, size - 1)) % size } else { own };
        let address = wish.object << 3 | rank << 24;
        let mut values = [
            kind,
            0,
            1,
            warp as u64,
            slot as u64,
            address,
            u64::from(remote) | rng.below(2),
            wish.count,
            wish.bytes,
            u64::from(wish.phase),
            hint,
            u64::from(whole),
            rng.draw(),
            rng.draw(),
        ];
        if rng.chance(self.habits.misuse) {
            match rng.below(8) {
                0 => values[1] = rng.range(1, FaultCode::ALL.len() as u64 - 1),
                1 => values[2] = 0,
                2 => {
                    let most = if rng.chance(500) { 15 } else { 255 };
                    values[5] ^= rng.range(1, most) << 24;
                }
                3 => values[5] |= rng.range(1, 7),
                4 => values[5] |= 1 << rng.range(3, 23),
                5 if wish.count != 0 => values[7] = rng.pick(&[0, 1 << 20, (1 << 21) - 1, (1 << 20) - 1]).unwrap_or(0),
                6 if wish.bytes != 0 => values[8] = rng.pick(&[(1 << 21) - 1, 1 << 20, (1 << 20) - 1]).unwrap_or(0),
                _ => values[5] = rng.draw(),
            }
        }
        self.warps[warp] = Warp::Busy;
        self.wish = (!remote).then_some(wish);
        self.line.offer(&mut self.op, &values);
    }

    /// What a copy engine sends.
    fn choose_tx(&mut self) {
        let rng = &mut self.line.rng;
        let slot = rng.below(self.slots.len() as u64) as usize;
        if self.slots[slot] != Slot::Live && !rng.chance(self.habits.wild) {
            return self.line.idle(&mut self.tx);
        }
        let wish = self.picture.transfer(rng, slot, self.habits.wild);
        let values = [slot as u64, wish.object, wish.count, wish.bytes];
        self.sent = Some(wish);
        self.line.offer(&mut self.tx, &values);
    }

    /// What other CTAs of the cluster send.
    fn choose_net(&mut self) {
        let rng = &mut self.line.rng;
        let slot = rng.below(self.slots.len() as u64) as usize;
        let wild = rng.chance(self.habits.wild);
        if self.slots[slot] != Slot::Live && !wild {
            return self.line.idle(&mut self.net_in);
        }
        let wish = if wild { self.picture.any(rng, slot) } else { self.picture.wish(rng, slot) };
        let wish = if wish.travels() { wish } else { self.picture.transfer(rng, slot, 0) };
        let values = [slot as u64, wish.object, wish.kind as u64, wish.count, wish.bytes, rng.draw()];
        self.arriving = Some(wish);
        self.line.offer(&mut self.net_in, &values);
    }
}

impl Stimulus for Mbarrier {
    fn next(&mut self, previous: &[u64]) -> &[u64] {
        if self.line.inputs[self.seen.limit] == 0 || self.line.rng.chance(self.habits.limit) {
            let [least, most] = self.habits.limits;
            self.line.inputs[self.seen.limit] = self.line.rng.range(least, most);
        }
        let before = self.line.inputs[self.seen.reset];
        let phase = self.line.begin(self.seen.reset);
        if phase == Phase::Run && before == 0 {
            self.watch(previous);
        }
        self.line.drain(&mut self.fault);
        self.line.drain(&mut self.request);
        self.line.drain(&mut self.net_out);
        self.answer();
        self.acknowledge();
        match phase {
            Phase::Reset => {
                self.clear();
                self.line.shake(&mut self.op);
                self.line.shake(&mut self.tx);
                self.line.shake(&mut self.net_in);
                let Line { rng, inputs, .. } = &mut self.line;
                inputs[self.seen.launch[0]] = rng.below(2);
                inputs[self.seen.ack[0]] = rng.below(2);
                inputs[self.seen.retire[0]] = rng.below(2);
                return &self.line.inputs;
            }
            Phase::Fresh => {
                self.line.idle(&mut self.op);
                self.line.idle(&mut self.tx);
                self.line.idle(&mut self.net_in);
            }
            Phase::Run => {
                if self.op.taken(previous) {
                    if let Some(wish) = self.wish.take() {
                        self.picture.note(&wish);
                    }
                }
                if self.net_in.taken(previous) {
                    if let Some(wish) = self.arriving.take() {
                        self.picture.note(&wish);
                    }
                }
                if self.tx.taken(previous) {
                    if let Some(wish) = self.sent.take() {
                        self.picture.note(&wish);
                    }
                }
            }
        }
        self.move_ctas();
        if self.op.free() {
            match self.line.swarm.source.step(&mut self.line.rng) {
                true => self.choose_op(),
                false => self.line.idle(&mut self.op),
            }
        }
        if self.tx.free() {
            match self.engine.step(&mut self.line.rng) {
                true => self.choose_tx(),
                false => self.line.idle(&mut self.tx),
            }
        }
        if self.net_in.free() {
            match self.network.step(&mut self.line.rng) {
                true => self.choose_net(),
                false => self.line.idle(&mut self.net_in),
            }
        }
        &self.line.inputs
    }
}
