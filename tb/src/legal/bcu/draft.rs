// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Draws the program of a team (the CTAs that run one program together): a total order of events. The program of a warp consists of the
//! events in which the warp takes part, in this order.
//!
//! A program drawn in this way cannot deadlock, because an event waits only for earlier events of the order. It also causes no fault,
//! because a warp uses a barrier again only if the barrier's last generation is in the warp's set `known` of complete generations.

use super::object::Object;
use super::plan::{Form, Generation, Instr, Phase, Plan, WarpStep, What};
use super::style::{Round, Style};
use crate::stimulus::Rng;
use bcu_isa::config::Config;
use bcu_isa::op::RedOp;
use std::collections::BTreeSet;

/// A CTA of the team.
#[derive(Clone, Copy, Debug)]
pub struct Group {
    pub slot: usize,
    pub rank: u64,
    /// The CTA's warp slots, one bit per warp.
    pub warps: u64,
    /// The warps of the CTA that have already exited at launch, one bit per warp.
    pub exited: u64,
    /// Mask of the live lanes of the CTA's last warp.
    pub lanes: u64,
    /// Number of barriers that the CTA declares.
    pub barriers: u64,
}

/// A warp while its program is drawn.
pub struct Member {
    pub warp: usize,
    pub cta: usize,
    /// Mask of the lanes that have not exited so far.
    pub lanes: u64,
    pub alive: bool,
    /// Generations whose completion is ordered before the warp's next step.
    pub known: BTreeSet<usize>,
    pub steps: Vec<WarpStep>,
    /// The warp has a result that it could read.
    pub result: bool,
}

pub struct Draft<'a> {
    pub rng: &'a mut Rng,
    pub style: &'a Style,
    pub config: &'a Config,
    pub groups: &'a [Group],
    pub members: Vec<Member>,
    pub plan: Plan,
    /// The last generation of each barrier, by CTA and id, as an index into the plan.
    last: Vec<Vec<Option<usize>>>,
    pub objects: Vec<Object>,
    /// The probability, in thousandths, that an arrival expects bytes.
    pub bytes: u64,
    /// The probability, in thousandths, that an object shares its cache entry with another object.
    pub conflicts: u64,
    /// Between the arrival of all warps at the cluster barrier and their wait there: the union of the `known` sets of all warps. At other
    /// times `None`.
    armed: Option<BTreeSet<usize>>,
}

impl Draft<'_> {
    pub fn new<'a>(rng: &'a mut Rng, style: &'a Style, config: &'a Config, groups: &'a [Group]) -> Draft<'a> {
        let all_lanes = u64::MAX >> (64 - config.lanes);
        let mut members = vec![];
        for (cta, group) in groups.iter().enumerate() {
            let last = 63 - group.warps.leading_zeros() as usize;
            for warp in (0..64).filter(|warp| (group.warps & !group.exited) >> warp & 1 == 1) {
                let lanes = if warp == last { group.lanes } else { all_lanes };
                members.push(Member { warp, cta, lanes, alive: true, known: BTreeSet::new(), steps: vec![], result: false });
            }
        }
        let last = groups.iter().map(|_| vec![None; 32]).collect();
        Draft {
            rng,
            style,
            config,
            groups,
            members,
            plan: Plan::default(),
            last,
            objects: vec![],
            bytes: 600,
            conflicts: 700,
            armed: None,
        }
    }

    /// Draws the whole program. Returns the plan, and for each warp its CTA, its number and its steps.
    pub fn draw(mut self) -> (Plan, Vec<(usize, usize, Vec<WarpStep>)>) {
        let weights = Round::ALL.map(|round| (round, self.weight(round)));
        for _ in 0..1 + self.rng.below(self.style.rounds) {
            match self.rng.weighted(&weights).unwrap_or(Round::Named) {
                Round::Named if self.config.gateway_ids > 0 => self.gateway(),
                Round::Named => self.named(),
                Round::Meet => self.meet(),
                Round::Alone => self.alone(),
                Round::Object => self.object(),
                Round::Cluster => self.cluster(),
                Round::Exit => self.exit_one(),
            }
        }
        if self.weight(Round::Object) > 0 && self.rng.chance(self.style.unwaited) {
            // Several objects have their last phase at the same time, and their messages may arrive after the last exit.
            (self.bytes, self.conflicts) = (950, 1000);
            (0..3).for_each(|_| self.create());
        }
        self.close_objects();
        for member in 0..self.members.len() {
            if self.members[member].alive {
                self.body(member);
                self.exit(member);
            }
        }
        let parts = self.members.into_iter().map(|member| (member.cta, member.warp, member.steps)).collect();
        (self.plan, parts)
    }

    fn weight(&self, round: Round) -> u64 {
        let built = match round {
            Round::Object => self.config.mbarrier_objects > 0,
            Round::Cluster => self.config.cluster_size > 1,
            _ => true,
        };
        let place = Round::ALL.iter().position(|other| *other == round);
        if built {
            place.map_or(0, |place| self.style.kinds[place])
        } else {
            0
        }
    }

    /// The members of a CTA that have not exited, by index.
    pub fn alive(&self, cta: usize) -> Vec<usize> {
        (0..self.members.len()).filter(|at| self.members[*at].alive && self.members[*at].cta == cta).collect()
    }

    pub fn push(&mut self, member: usize, step: WarpStep) {
        self.members[member].steps.push(step);
    }

    /// A random part of `list`: at least one element, or none if the list is empty.
    pub fn draw_part(&mut self, list: &[usize]) -> Vec<usize> {
        let odds = self.rng.pick(&[200, 500, 800, 1000]).unwrap_or(500);
        let mut chosen: Vec<usize> = list.iter().copied().filter(|_| self.rng.chance(odds)).collect();
        if chosen.is_empty() {
            chosen.extend(self.rng.pick(list));
        }
        chosen
    }

    /// Random lanes of a warp, at least one lane.
    pub fn lanes(&mut self, member: usize) -> u64 {
        let lanes = self.members[member].lanes;
        let drawn_lanes = lanes & self.rng.draw();
        if drawn_lanes == 0 || self.rng.chance(500) {
            lanes
        } else {
            drawn_lanes
        }
    }

    /// Draws steps of one warp, such as accesses and pauses, that precede its next event with other warps.
    pub fn body(&mut self, member: usize) {
        let style = self.style;
        if self.rng.chance(style.accesses) {
            let count = 1 + self.rng.below(style.burst);
            self.push(member, WarpStep::Accesses(count));
        }
        if self.rng.chance(style.rests) {
            let cycles = 1 + self.rng.below(style.pause_limit);
            self.push(member, WarpStep::Pause(cycles));
        }
        if self.rng.chance(30) {
            self.push(member, WarpStep::Copy(vec![]));
        }
        if self.rng.chance(40) {
            let lanes = self.lanes(member);
            self.push(member, WarpStep::Do(Instr { what: What::Fence, form: Form::Raw, lanes }));
            if self.rng.chance(300) {
                let count = 1 + self.rng.below(style.burst);
                self.push(member, WarpStep::Accesses(count));
            }
        }
        if self.members[member].result && self.rng.chance(500) {
            let lanes = self.lanes(member);
            self.push(member, WarpStep::Do(Instr { what: What::ReadResult, form: Form::Raw, lanes }));
        }
    }

    /// Draws instructions that involve one warp only.
    fn alone(&mut self) {
        let alive: Vec<usize> = (0..self.members.len()).filter(|at| self.members[*at].alive).collect();
        for member in self.draw_part(&alive) {
            self.body(member);
            let what = match self.rng.below(3) {
                0 if self.config.has_grids() => What::GridLaunch,
                1 if self.config.has_grids() => What::GridWait,
                _ => What::Fence,
            };
            let lanes = self.lanes(member);
            self.push(member, WarpStep::Do(Instr { what, form: Form::Raw, lanes }));
        }
    }

    /// A free barrier of `cta` whose last generation is in the `known` set of every warp of `chosen`.
    pub fn free_id(&mut self, cta: usize, chosen: &[usize]) -> Option<u64> {
        let known =
            |last: Option<usize>| last.is_none_or(|last| chosen.iter().all(|at| self.members[*at].known.contains(&last)));
        let ids: Vec<u64> = (0..self.groups[cta].barriers).filter(|id| known(self.last[cta][*id as usize])).collect();
        self.rng.pick(&ids)
    }

    pub fn begin(&mut self, cta: usize, id: u64, generation: Generation) -> usize {
        let number = self.plan.generations.len();
        self.last[cta][id as usize] = Some(number);
        self.plan.generations.push(Generation { cta, id, ..generation });
        number
    }

    /// Accounts for an event in which the warps `round_members` take part and for which the warps `waiting` wait. The `known` set of each
    /// waiting warp becomes the union of the `known` sets of all members and the generation `complete`.
    pub fn share(&mut self, round_members: &[usize], waiting: &[usize], complete: Option<usize>) {
        let mut known: BTreeSet<usize> = round_members.iter().flat_map(|at| self.members[*at].known.iter().copied()).collect();
        known.extend(complete);
        for at in waiting {
            self.members[*at].known.extend(&known);
        }
    }

    /// Draws a generation of a named barrier.
    fn named(&mut self) {
        let cta = self.rng.below(self.groups.len() as u64) as usize;
        let uncounted = self.rng.chance(self.style.uncounted);
        if uncounted && self.rng.chance(self.style.exits) {
            // The warps of `leaving` exit instead of arriving.
            let alive = self.alive(cta);
            let leaving = if alive.len() > 1 { self.draw_part(&alive) } else { vec![] };
            for member in leaving.into_iter().take(alive.len().saturating_sub(1)) {
                if !self.is_bound(member) {
                    self.body(member);
                    self.exit(member);
                }
            }
        }
        let alive = self.alive(cta);
        let chosen = if uncounted { alive } else { self.draw_part(&alive) };
        self.round(cta, &chosen, uncounted, true);
    }

    /// Draws a generation of the warps `chosen`. Returns false if no barrier is free for these warps. With `any` some of the warps may
    /// arrive without waiting; otherwise all wait.
    pub fn round(&mut self, cta: usize, chosen: &[usize], uncounted: bool, any: bool) -> bool {
        let Some(id) = self.free_id(cta, chosen) else { return false };
        if chosen.is_empty() {
            return false;
        }
        let redop = if self.rng.chance(self.style.reduces) { self.rng.pick(RedOp::ALL) } else { None };
        let produces = any && !uncounted && redop.is_none();
        let arriving: Vec<usize> =
            chosen.iter().copied().filter(|_| produces && self.rng.chance(self.style.producers)).collect();
        let participants = self.mask(chosen);
        let generation = self.begin(cta, id, Generation { participants, counted: !uncounted, redop, ..Default::default() });
        for member in chosen {
            self.body(*member);
            self.arrive(*member, What::Bar { generation, sync: !arriving.contains(member) });
            self.members[*member].result |= redop.is_some() && self.config.reductions && self.config.state_words;
        }
        let waiting: Vec<usize> = chosen.iter().copied().filter(|at| !arriving.contains(at)).collect();
        self.share(chosen, &waiting, Some(generation));
        true
    }

    pub fn mask(&self, chosen: &[usize]) -> u64 {
        chosen.iter().fold(0, |mask, at| mask | 1 << self.members[*at].warp)
    }

    /// Draws a step in which all warps arrive at the cluster barrier, or wait there.
    fn cluster(&mut self) {
        let alive_members: Vec<usize> = (0..self.members.len()).filter(|at| self.members[*at].alive).collect();
        if self.armed.is_none() {
            let number = self.plan.cluster_phases.len() as u64;
            self.plan.cluster_phases.push(Phase { number, ..Default::default() });
        }
        let phase = self.plan.cluster_phases.len() - 1;
        for member in &alive_members {
            self.body(*member);
            let relaxed = self.rng.chance(300);
            let waits = self.armed.is_some();
            let what = if waits { What::ClusterWait { phase } } else { What::ClusterArrive { phase, relaxed } };
            self.arrive(*member, what);
        }
        match self.armed.take() {
            Some(known) => alive_members.iter().for_each(|at| self.members[*at].known.extend(&known)),
            None => self.armed = Some(alive_members.iter().flat_map(|at| self.members[*at].known.iter().copied()).collect()),
        }
    }
}
