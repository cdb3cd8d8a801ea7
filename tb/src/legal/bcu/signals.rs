// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Draws the gateway steps of a program: the roles of the warps that signal, and the warps that wait.

use super::draft::Draft;
use super::plan::{Form, Generation, Instr, WarpStep, What};

impl Draft<'_> {
    /// Draws a phase of a gateway barrier.
    pub fn gateway(&mut self) {
        let cta = self.rng.below(self.groups.len() as u64) as usize;
        let alive = self.alive(cta);
        let chosen = self.draw_part(&alive);
        let Some(id) = self.free_id(cta, &chosen) else { return };
        if chosen.is_empty() {
            return;
        }
        let mut roles: Vec<(usize, u64)> = chosen.iter().map(|at| (*at, self.rng.below(3))).collect();
        if !roles.iter().any(|(_, role)| *role != 1) || !roles.iter().any(|(_, role)| *role != 2) {
            roles[0].1 = 0;
        }
        let mask_without = |without: u64| {
            let taking: Vec<usize> = roles.iter().filter(|(_, role)| *role != without).map(|(at, _)| *at).collect();
            taking
        };
        let (consumers, producers) = (mask_without(1), mask_without(2));
        let masks = (self.mask(&consumers), self.mask(&producers));
        let new = Generation { participants: self.mask(&chosen), consumers: masks.0, producers: masks.1, ..Default::default() };
        let generation = self.begin(cta, id, new);
        let signal = |lanes, role| WarpStep::Do(Instr { what: What::Signal { generation, role }, form: Form::Raw, lanes });
        for (member, role) in &roles {
            self.body(*member);
            let lanes = self.lanes(*member);
            if *role == 0 && self.rng.chance(300) {
                let first = 1 + self.rng.below(2);
                self.push(*member, signal(lanes, first));
                self.body(*member);
                self.push(*member, signal(lanes, 3 - first));
            } else {
                self.push(*member, signal(lanes, *role));
            }
        }
        for member in &consumers {
            self.body(*member);
            let lanes = self.lanes(*member);
            self.push(*member, WarpStep::Do(Instr { what: What::GatewayWait { generation }, form: Form::Raw, lanes }));
        }
        self.share(&chosen, &consumers, Some(generation));
    }
}
