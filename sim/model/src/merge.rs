// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Round-robin merge of several fault channels into one, in their order (`docs/contract/bcu.md`).

/// The channel that was last at the port, and whether its fault is still offered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Merge {
    last: Option<usize>,
    offered: bool,
}

impl Merge {
    /// The channel at the port; `offers` are the channels that offer a fault. If no channel does, the channel that was at the port last.
    pub fn choose(&self, offers: &[bool]) -> usize {
        let next = || {
            let first = self.last.map_or(0, |last| last + 1);
            (first..offers.len()).find(|channel| offers[*channel]).or_else(|| offers.iter().position(|is| *is))
        };
        let current = self.last.filter(|_| self.offered);
        current.or_else(next).or(self.last).unwrap_or(0)
    }

    /// The rising edge.
    pub fn clock(&mut self, offers: &[bool], ready: bool) {
        let any = offers.contains(&true);
        let last = if any { Some(self.choose(offers)) } else { self.last };
        *self = Merge { last, offered: any && !ready };
    }
}
