// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The next instruction of a warp as the scheduler sees it. Every ready warp is examined in every cycle, so this is kept from the first
//! examination of the instruction on.

use super::needs::{Front, Needs};
use super::{Chosen, Warp};

impl Warp {
    /// What the instruction of `chosen` needs, and whether it takes no time.
    pub fn front(&mut self, chosen: Chosen) -> (Needs, bool) {
        if let Some(front) = self.front.filter(|front| front.at == chosen.at) {
            return (front.needs, front.is_untimed);
        }
        let instr = self.instr(chosen.at);
        let needs = instr.map_or(Needs::End, Needs::of);
        let is_untimed = instr.is_some_and(|instr| instr.is_untimed);
        self.front = Some(Front { at: chosen.at, needs, is_untimed });
        (needs, is_untimed)
    }
}
