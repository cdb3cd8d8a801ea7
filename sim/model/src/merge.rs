// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Merges several fault channels into one, round-robin in the order in which `docs/contract/bcu.md` lists the channels.

use super::bits::next_in_turn;

/// The state of the arbiter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Merge {
    /// The index of the channel that was last at the port.
    last: Option<usize>,
    /// The fault of the channel `last` was offered and not transferred.
    offered: bool,
}

impl Merge {
    /// The index of the channel at the port; `offers` are the channels that offer a fault, one bit each. An offered fault stays at the port
    /// until its transfer. Then the next channel with a fault has the turn. While no channel has a fault, the last channel stays at the
    /// port.
    pub fn choose(&self, offers: u64) -> usize {
        let current = self.last.filter(|_| self.offered);
        current.or_else(|| next_in_turn(offers, self.last)).or(self.last).unwrap_or(0)
    }

    /// Applies the rising edge. `offers` are the channels that offer a fault, one bit each, and `ready` is the `ready` of the port.
    pub fn clock(&mut self, offers: u64, ready: bool) {
        let any = offers != 0;
        let last = if any { Some(self.choose(offers)) } else { self.last };
        *self = Merge { last, offered: any && !ready };
    }
}
