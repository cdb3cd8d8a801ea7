// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The issue stage: chooses a warp that may issue, offers its instruction in the same cycle or some cycles later, and holds the offer until
//! the unit takes it.

use super::gather::Vote;
use super::plan::{Form, Instr, WarpStep, What};
use super::state::Chosen;
use super::warp::{At, Awaited, Test};
use super::Core;
use crate::stimulus::signals::Message;
use crate::stimulus::word::{self, Issue, Mbar, Meaning};
use bcu_hw::unit::mbarrier::kind::MbarrierKind;
use bcu_isa::op::{OpKind, StateWord};

impl Core {
    /// Chooses and offers an instruction. If the unit takes the offer in this cycle, the transfer is accounted for.
    pub fn issue(&mut self, outputs: &[u64]) {
        if self.style.lookahead == 0 {
            self.choose(outputs);
        }
        if let Some(chosen) = self.chosen.as_mut().filter(|chosen| !chosen.offered && chosen.from <= self.cycle) {
            chosen.offered = true;
            let Chosen { warp: at, instr, payload, .. } = *chosen;
            payload.into_iter().for_each(|(port, value)| self.drive.set(port, value));
            self.warps[at].note(self.cycle, instr.what.name(), instr.lanes, instr.form as u64);
        }
        let offered = self.chosen.filter(|chosen| chosen.offered);
        self.drive.set(self.ins.instr_valid, u64::from(offered.is_some()));
        if let Some(chosen) = offered {
            if self.outs.instr_ready.read(outputs) == 1 {
                self.chosen = None;
                self.transferred(&chosen);
            }
        }
        if self.style.lookahead > 0 {
            self.choose(outputs);
        }
    }

    /// Chooses a way (lanes of one warp that execute together) that may issue in this cycle, and its instruction.
    fn choose(&mut self, outputs: &[u64]) {
        if self.chosen.is_some() || !self.style.issue.allows_event(&mut self.rng) {
            return;
        }
        let blocked = self.outs.blocked.read(outputs);
        let mut able = vec![];
        for (at, warp) in self.warps.iter().enumerate() {
            let hasty = warp.last_access == self.cycle && !self.style.same_cycle && self.style.lookahead == 0;
            let exits = warp.leaving && !self.style.overlap;
            let cannot_issue = blocked >> at & 1 == 1 || warp.transferred == self.cycle;
            if warp.cta.is_none() || cannot_issue || hasty || exits || warp.waits().is_some() {
                continue;
            }
            let ready = |way: &usize| {
                let next = warp.ways[*way].steps.front();
                let begins = matches!(next, Some(WarpStep::Do(_) | WarpStep::Await(_)));
                // While some lanes of a warp exit, its other lanes issue only instructions that are absorbed in `gather`.
                let may_overlap = matches!(next, Some(WarpStep::Do(instr)) if instr.may_overlap_exits());
                warp.ways[*way].at == At::Ready && begins && (may_overlap || !warp.leaving)
            };
            able.extend((0..warp.ways.len()).filter(ready).map(|way| (at, way)));
        }
        let Some((at, way)) = self.rng.pick(&able) else { return };
        let instr = match self.warps[at].ways[way].steps.front() {
            Some(WarpStep::Do(instr)) => *instr,
            Some(WarpStep::Await(phase)) => {
                let live = self.warps[at].lanes;
                let lanes = if self.rng.chance(700) { live } else { self.rng.subset(live, 1) };
                let what = What::Test { phase: *phase, suspends: self.rng.chance(600) };
                Instr { what, form: Form::Raw, lanes }
            }
            _ => return,
        };
        self.put(at, way, instr);
    }

    /// Chooses an instruction, to be offered in this cycle or some cycles later.
    fn put(&mut self, at: usize, way: usize, instr: Instr) {
        let meaning = self.meaning(at, &instr);
        let issue = match meaning {
            Some(meaning) => word::issue(&mut self.rng, meaning, self.config.pack_lsb as u64),
            // Lanes that meet have no instruction word, so the unit ignores the word port.
            None => self.noise(),
        };
        let live = self.warps[at].lanes;
        let [more, guard, predicate] = [(); 3].map(|()| self.rng.draw());
        let lanes = u64::MAX >> (64 - self.config.lanes);
        // The predicate of a vote is true for all lanes, for no lane, or for some of the lanes.
        let predicate = self.rng.pick(&[0, lanes, predicate & lanes]).unwrap_or(0);
        let negated = issue.word >> 101 & 1 == 1;
        let ayes = instr.lanes & if negated { !predicate } else { predicate };
        let members = if let What::Meet { members, .. } = instr.what { members } else { self.rng.draw() & lanes };
        let quarters = word::quarters(issue.word);
        let ins = &self.ins;
        let payload = [
            (ins.instr_word_0, quarters[0]),
            (ins.instr_word_1, quarters[1]),
            (ins.instr_word_2, quarters[2]),
            (ins.instr_word_3, quarters[3]),
            (ins.instr_warp, at as u64),
            (ins.instr_form, instr.form as u64),
            (ins.instr_members, members),
            (ins.instr_active, instr.lanes | more & !guard & live),
            (ins.instr_guard, (instr.lanes | guard & !(more & !guard)) & lanes),
            (ins.instr_predicate, predicate),
            (ins.instr_ra, issue.ra),
            (ins.instr_rb, issue.rb),
            (ins.instr_uniform, 1),
        ];
        let from = self.cycle + self.style.lookahead;
        self.chosen = Some(Chosen { warp: at, way, instr, word: issue.word, ayes, from, offered: false, payload });
        self.warps[at].chosen = true;
        self.warps[at].ways[way].at = At::Chosen;
    }

    fn noise(&mut self) -> Issue {
        let word = u128::from(self.rng.draw()) << 64 | u128::from(self.rng.draw());
        let mut issue = word::issue(&mut self.rng, Meaning::Plain(OpKind::Fence), 0);
        issue.word = word;
        issue
    }

    /// The meaning of the instruction's word; `None` for a rendezvous, which has no word.
    fn meaning(&mut self, at: usize, instr: &Instr) -> Option<Meaning> {
        let team = self.team_of(at)?;
        Some(match instr.what {
            What::Meet { .. } => return None,
            What::Bar { generation, sync } => {
                let generation = &team.plan.generations[generation];
                let warps = u64::from(generation.participants.count_ones());
                let count = if generation.counted { warps * self.config.lanes as u64 } else { 0 };
                match generation.redop {
                    Some(redop) => Meaning::Reduce { redop, id: generation.id, count },
                    None => Meaning::Bar { sync, id: generation.id, count },
                }
            }
            What::Fence => Meaning::Plain(OpKind::Fence),
            What::ClusterArrive { relaxed: false, .. } => Meaning::Plain(OpKind::ClusterArrive),
            What::ClusterArrive { .. } => Meaning::Plain(OpKind::ClusterArriveRelaxed),
            What::ClusterWait { .. } => Meaning::Plain(OpKind::ClusterWait),
            What::GridLaunch => Meaning::Plain(OpKind::GridLaunch),
            What::GridWait => Meaning::Plain(OpKind::GridWait),
            What::Mbar { object, kind, number, relaxed, cluster, .. } => {
                let rank = self.rank_of(at);
                let address = rank << 24 | object * 8;
                Meaning::Mbar(Mbar { kind, address, number, phase: false, cluster, relaxed })
            }
            What::Test { phase, suspends } => {
                let phase = &team.plan.phases[phase];
                let kind = if suspends { MbarrierKind::TryWait } else { MbarrierKind::TestWait };
                let (object, odd) = (phase.object, phase.number & 1 == 1);
                let address = self.rank_of(at) << 24 | object * 8;
                let hint = self.rng.pick(&[0, 1, 3]).unwrap_or(0);
                Meaning::Mbar(Mbar { kind, address, number: hint, phase: odd, cluster: false, relaxed: false })
            }
            What::Signal { generation, role } => {
                let generation = &team.plan.generations[generation];
                let count_warps = |warps: u64| u64::from(warps.count_ones());
                let (producers, consumers) = (count_warps(generation.producers), count_warps(generation.consumers));
                Meaning::Nbar(Message { wait: false, id: generation.id, role, producers, consumers })
            }
            What::GatewayWait { generation } => {
                let id = team.plan.generations[generation].id;
                Meaning::Nbar(Message { wait: true, id, ..Message::default() })
            }
            What::ReadResult => Meaning::Read { state: StateWord::Result, id: 0 },
        })
    }

    /// Accounts for an instruction that was transferred to the unit.
    fn transferred(&mut self, chosen: &Chosen) {
        let Chosen { warp: at, way, instr, word, ayes, .. } = *chosen;
        let cycle = self.cycle;
        let rd = (word >> 16) as u64 & 0xff;
        let pu = (word >> 106) as u64 & 7;
        let Some(slot) = self.warps[at].cta else { return };
        self.host.progress_but(slot, matches!(instr.what, What::Test { .. }));
        self.figures.instructions += 1;
        let warp = &mut self.warps[at];
        warp.note(cycle, "transfer", instr.lanes, 0);
        (warp.in_flight, warp.transferred, warp.chosen) = (true, cycle, false);
        if !matches!(instr.what, What::Test { .. }) {
            warp.ways[way].steps.pop_front();
        }
        warp.ways[way].at = if instr.what.waits() { At::Waits(instr, cycle) } else { At::Ready };
        let vote = Vote { lanes: instr.lanes, ayes };
        match instr.what {
            What::Meet { .. } => self.meet(at, way, instr),
            What::Bar { .. } | What::ClusterArrive { .. } | What::ClusterWait { .. } if instr.form == Form::Gathered => {
                self.join(at, way, instr, vote);
            }
            What::Bar { .. } | What::ClusterArrive { .. } | What::ClusterWait { .. } => self.arrive(at, instr.what, vote),
            What::Signal { .. } | What::GatewayWait { .. } => self.signal(at, instr.what),
            What::Mbar { phase, kind, relaxed, .. } => {
                use MbarrierKind::{AddPending, Complete, Expect, Init, Inval};
                let releases = !relaxed && !matches!(kind, AddPending | Complete | Expect | Init | Inval);
                if let Some(phase) = phase {
                    self.note_arrival(at, phase, releases);
                    if !matches!(kind, AddPending | Complete | Expect | Init | Inval) {
                        self.warps[at].tokens.push_back(Awaited { rd, pu, phase, test: None });
                    }
                }
            }
            What::Test { phase, suspends } => {
                let settled = self.team_of(at).map_or(0, |team| team.plan.phases[phase].settled);
                let test = Some(Test { suspends, settled });
                self.warps[at].tokens.push_back(Awaited { rd, pu, phase, test });
            }
            What::ReadResult => {
                if let Some((redop, value)) = self.warps[at].result {
                    use bcu_isa::op::RedOp::Popc;
                    let (value, predicate) = if redop == Popc { (value, 0) } else { (0, value) };
                    self.warps[at].reads.push_back([value, predicate, rd, pu]);
                }
            }
            What::Fence | What::GridLaunch | What::GridWait => (),
        }
    }
}
