// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Round-robin merge of several fault channels into one, in their order (`docs/contract/bcu.md`).

/// The channel that was last at the port, and whether its fault is still offered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Merge {
    last: Option<usize>,
    offered: bool,
}

impl Merge {
    /// The channel at the port; `there` are the channels that offer a fault. If none does, the channel whose payload is output.
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
