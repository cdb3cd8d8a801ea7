// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Draws the lane steps of a program: arrivals in pieces, lanes that meet, lanes that exit.

use super::draft::Draft;
use super::plan::{Form, Instr, WarpStep, What};

impl Draft<'_> {
    /// Draws an arrival in any form.
    pub fn arrive(&mut self, member: usize, what: What) {
        let lanes = self.members[member].lanes;
        if lanes.count_ones() > 1 && self.rng.chance(self.style.pieces) {
            let parts = self.parts(lanes);
            let staying_part = self.rng.below(parts.len() as u64) as usize;
            let mut ways = vec![];
            for (number, part) in parts.into_iter().enumerate() {
                let mut steps = self.way(part);
                if number != staying_part && self.rng.chance(self.style.leaving) {
                    steps.push(WarpStep::Leave(part));
                    self.members[member].lanes &= !part;
                } else {
                    steps.push(WarpStep::Do(Instr { what, form: Form::Gathered, lanes: part }));
                }
                ways.push((part, steps));
            }
            self.push(member, WarpStep::Split(ways));
            return;
        }
        let form = self.rng.pick(&[Form::Raw, Form::Aligned, Form::Gathered]).unwrap_or(Form::Aligned);
        let lanes = if form == Form::Raw { self.lanes(member) } else { lanes };
        self.push(member, WarpStep::Do(Instr { what, form, lanes }));
    }

    /// Splits lanes into two to four parts.
    fn parts(&mut self, lanes: u64) -> Vec<u64> {
        let mut parts = vec![];
        let mut remaining = lanes;
        for _ in 0..1 + self.rng.below(3) {
            let part = remaining & self.rng.draw() & self.rng.draw();
            if part != 0 && part != remaining {
                parts.push(part);
                remaining &= !part;
            }
        }
        parts.push(remaining);
        parts
    }

    /// Draws the steps of lanes that diverge from the rest of their warp (a way).
    fn way(&mut self, lanes: u64) -> Vec<WarpStep> {
        let mut steps = vec![];
        if self.rng.chance(self.style.accesses) {
            steps.push(WarpStep::Accesses(1 + self.rng.below(self.style.burst.min(8))));
        }
        if self.rng.chance(self.style.rests) {
            steps.push(WarpStep::Pause(1 + self.rng.below(self.style.pause_limit)));
        }
        if self.rng.chance(300) {
            let elect = self.rng.chance(500);
            let form = if elect { Form::Elect } else { Form::WarpSync };
            let what = What::Meet { elect, members: lanes };
            match self.parts(lanes) {
                parts if parts.len() > 1 && self.rng.chance(500) => {
                    let part = |part| (part, vec![WarpStep::Do(Instr { what, form, lanes: part })]);
                    steps.push(WarpStep::Split(parts.into_iter().map(part).collect()));
                }
                _ => steps.push(WarpStep::Do(Instr { what, form, lanes })),
            }
        }
        if self.rng.chance(30) {
            steps.push(WarpStep::Do(Instr { what: What::Fence, form: Form::Raw, lanes }));
        }
        steps
    }

    /// Draws a rendezvous of lanes in some warps, or an exit of some lanes.
    pub fn meet(&mut self) {
        let alive: Vec<usize> = (0..self.members.len()).filter(|at| self.members[*at].alive).collect();
        for member in self.draw_part(&alive) {
            self.body(member);
            let lanes = self.members[member].lanes;
            let elect = self.rng.chance(500);
            let form = if elect { Form::Elect } else { Form::WarpSync };
            let (what, parts) = (What::Meet { elect, members: lanes }, self.parts(lanes));
            let staying_part = self.rng.below(parts.len() as u64) as usize;
            let mut ways = vec![];
            for (number, part) in parts.into_iter().enumerate() {
                let mut steps = vec![];
                if self.rng.chance(self.style.accesses) {
                    steps.push(WarpStep::Accesses(1 + self.rng.below(self.style.burst.min(8))));
                }
                if number != staying_part && self.rng.chance(self.style.leaving) {
                    steps.push(WarpStep::Leave(part));
                    self.members[member].lanes &= !part;
                } else {
                    steps.push(WarpStep::Do(Instr { what, form, lanes: part }));
                }
                ways.push((part, steps));
            }
            self.push(member, WarpStep::Split(ways));
        }
    }

    pub fn exit_one(&mut self) {
        let unbound: Vec<usize> = (0..self.members.len()).filter(|at| self.members[*at].alive && !self.is_bound(*at)).collect();
        if let Some(member) = self.rng.pick(&unbound) {
            self.body(member);
            self.exit(member);
        }
    }

    /// Draws the exit of a warp, with all lanes at once or in parts.
    pub fn exit(&mut self, member: usize) {
        let lanes = self.members[member].lanes;
        let parts = if self.rng.chance(self.style.pieces) { self.parts(lanes) } else { vec![lanes] };
        if parts.len() > 1 && self.rng.chance(300) {
            let ways = parts.into_iter().map(|part| (part, vec![WarpStep::Leave(part)])).collect();
            self.push(member, WarpStep::Split(ways));
        } else {
            parts.into_iter().for_each(|part| self.push(member, WarpStep::Leave(part)));
        }
        self.members[member].alive = false;
    }
}
