// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Chooses the next operation of a warp in `gather`: a legal operation of lanes that do not wait, a launch, or the release of CTAs
//! whose warps have exited or whose live lanes all wait.

use super::reference::{Gathering, Lanes, Op, Rendezvous};
use super::{GatherUser, Rates};
use crate::stimulus::Rng;
use bcu_isa::op::{Form, OpKind};

/// A random part of `lanes`: one lane, a few, or all.
fn part(rng: &mut Rng, lanes: u64) -> u64 {
    let wanted = rng.pick(&[1, 1, 2, 3, 64]).unwrap_or(1);
    rng.subset(lanes, wanted)
}

impl GatherUser {
    fn plain(&mut self, kind: OpKind, form: Form, warp: usize, lanes: u64) -> Op {
        let rng = &mut self.rng;
        let is_mbarrier = kind == OpKind::Mbarrier;
        let noise = rng.draw();
        let votes = if is_mbarrier { lanes } else { lanes & rng.pick(&[0, u64::MAX, noise]).unwrap_or(0) };
        let redop = if is_mbarrier { 2 } else { rng.below(3) };
        let state = if kind == OpKind::Write { rng.below(2) } else { rng.below(3) };
        let (data, rd, pu, number) = (rng.draw() & 0xffff_ffff, rng.below(256), rng.below(8), rng.below(1 << 21));
        let others = [state, data, rd, pu, rng.below(13), number, rng.below(2), rng.below(2), rng.below(2)];
        let (cta, id, count) = (warp as u64 % self.shape.slots, rng.below(16), rng.below(4096));
        let (uniform, mask, members, from_instr) = (1, 0, 0, kind != OpKind::Exit);
        Op { kind, form, uniform, warp, cta, id, count, redop, mask, lanes, votes, members, from_instr, others }
    }

    /// Draws a launch or a release of some of `warps`.
    fn host(&mut self, kind: OpKind, warps: u64) -> Option<Op> {
        let wanted = self.rng.range(1, self.shape.warps);
        let mask = self.rng.subset(warps, wanted);
        if mask == 0 {
            return None;
        }
        let all_lanes = u64::MAX >> (64 - self.shape.lanes);
        let lanes = if self.rng.chance(500) { all_lanes } else { self.rng.range(1, all_lanes) };
        let warp = self.rng.below(self.shape.warps) as usize;
        let op = self.plain(kind, Form::Raw, warp, lanes);
        Some(Op { mask, from_instr: false, ..op })
    }

    /// Draws the next operation, if one is possible.
    pub(super) fn choose(&mut self) -> Option<Op> {
        let all_warps = u64::MAX >> (64 - self.shape.warps);
        let idle = all_warps & !self.busy & !self.exit_pending;
        let which = |is: &dyn Fn(&Lanes) -> bool| {
            self.view.iter().enumerate().filter(|(_, lanes)| is(lanes)).fold(0, |mask, (warp, _)| mask | 1u64 << warp)
        };
        let over = which(&|lanes| lanes.live == 0 || lanes.is_gathering()) & idle & self.launched;
        if self.rng.chance(20) {
            // A CTA that is saved is released in any state.
            let saved = self.rng.chance(self.rates.saves);
            return self.host(OpKind::Release, if saved { idle & self.launched } else { over });
        }
        if self.rng.chance(50) || self.launched == 0 {
            return self.host(OpKind::Launch, all_warps & !self.launched);
        }
        let free_warps = which(&|lanes| lanes.live & !lanes.waiting() != 0) & self.launched & !self.busy & self.in_play;
        // While a warp has an exit in flight, the only legal operation is an exit of further lanes of that warp.
        let exits = self.rng.chance(self.rates.exits);
        let warp = self.rng.bit(if exits { free_warps } else { free_warps & idle })?;
        let lanes = self.view[warp];
        let able = lanes.live & !lanes.waiting();
        if exits {
            // Two rendezvous may complete together: all lanes that they wait for exit at the same time.
            let missing = lanes.met.iter().flatten().fold(0, |mask, met| mask | met.members) & able;
            let both = lanes.met.iter().all(Option::is_some) && missing != 0 && self.rng.chance(700);
            let drawn_lanes = if both { missing } else { part(&mut self.rng, able) };
            return Some(self.plain(OpKind::Exit, Form::Raw, warp, drawn_lanes));
        }
        let Rates { gathers, meets, .. } = self.rates;
        let chance = self.rng.below(1000);
        let arrival = self.rng.pick(&self.arrivals);
        match arrival {
            _ if chance < meets => Some(self.meet(warp, able)),
            Some(kind) if chance < meets + gathers => Some(self.gather(kind, warp, able)),
            Some(kind) if chance % 2 == 0 => {
                let aligned = able == lanes.live && self.rng.chance(500);
                let form = if aligned { Form::Aligned } else { Form::Raw };
                let drawn_lanes = if aligned { able } else { part(&mut self.rng, able) };
                Some(self.plain(kind, form, warp, drawn_lanes))
            }
            _ => {
                let kind = self.rng.pick(&self.kinds)?;
                let drawn_lanes = if self.rng.chance(500) { able } else { part(&mut self.rng, able) };
                Some(self.plain(kind, Form::Raw, warp, drawn_lanes))
            }
        }
    }

    fn gather(&mut self, kind: OpKind, warp: usize, able: u64) -> Op {
        let drawn_lanes = part(&mut self.rng, able);
        match self.view[warp].gathering {
            Some(Gathering { kind, redop, id, count, .. }) => {
                let op = self.plain(kind, Form::Gathered, warp, drawn_lanes);
                Op { redop, id, count, ..op }
            }
            None => self.plain(kind, Form::Gathered, warp, drawn_lanes),
        }
    }

    /// Draws lanes that meet at an open rendezvous, or at a new one whose members overlap with no open one.
    fn meet(&mut self, warp: usize, able: u64) -> Op {
        let lanes = self.view[warp];
        let open: Vec<Rendezvous> = lanes.met.iter().flatten().copied().collect();
        let joined = self.rng.pick(&open).filter(|met| met.members & able != 0 && self.rng.chance(self.rates.joins));
        let grouped_lanes = open.iter().fold(0, |mask, met| mask | met.members);
        let (elect, members) = match joined {
            Some(met) => (met.elect, met.members),
            None => {
                let from = able & !grouped_lanes;
                if from == 0 {
                    // If every lane that can arrive is a member of an open rendezvous, the lanes meet there.
                    let met = open.iter().find(|met| met.members & able != 0);
                    met.map_or((false, able), |met| (met.elect, met.members))
                } else {
                    let all_lanes = u64::MAX >> (64 - self.shape.lanes);
                    let others = if self.rng.chance(300) { all_lanes & !lanes.live & !grouped_lanes } else { 0 };
                    let waiting = if self.rng.chance(30) { lanes.live & !grouped_lanes } else { 0 };
                    // A rendezvous with a single member does not wait.
                    let wanted = self.rng.pick(&[1, 2, 2, 3, 64]).unwrap_or(2);
                    (self.rng.chance(500), self.rng.subset(from, wanted) | others | waiting)
                }
            }
        };
        let drawn_lanes = part(&mut self.rng, members & able);
        let form = if elect { Form::Elect } else { Form::WarpSync };
        Op { members, ..self.plain(OpKind::Sync, form, warp, drawn_lanes) }
    }
}
