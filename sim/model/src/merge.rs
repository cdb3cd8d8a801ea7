// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Fault channels that take turns on one, in their order, round and round (`docs/contract/bcu.md`).

/// Who was last, and whether what it offered is still there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Merge {
    last: Option<usize>,
    offered: bool,
}

impl Merge {
    /// Which channel is at the port, if these have something; if none has, whose payload is shown.
    pub fn whose(&self, there: &[bool]) -> usize {
        let next = || {
            let behind = self.last.map_or(0, |last| last + 1);
            (behind..there.len()).find(|of| there[*of]).or_else(|| there.iter().position(|is| *is))
        };
        let kept = self.last.filter(|_| self.offered);
        kept.or_else(next).or(self.last).unwrap_or(0)
    }

    /// The rising edge.
    pub fn clock(&mut self, there: &[bool], ready: bool) {
        let any = there.contains(&true);
        let last = if any { Some(self.whose(there)) } else { self.last };
        *self = Merge { last, offered: any && !ready };
    }
}
