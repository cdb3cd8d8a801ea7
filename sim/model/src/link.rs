// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One direction of a link, called a way (`docs/contract/multiprocessors.md`, *Links*).

use std::collections::VecDeque;

/// A way for a strobe: a row of registers.
#[derive(Clone, Debug)]
pub struct StrobeWay<T>(VecDeque<Option<T>>);

impl<T: Copy> StrobeWay<T> {
    pub fn new(stages: usize) -> StrobeWay<T> {
        StrobeWay((0..stages).map(|_| None).collect())
    }

    /// The value at the end of the way, if `begin` is the value at its beginning.
    pub fn end(&self, begin: Option<T>) -> Option<T> {
        self.0.front().map_or(begin, |last| *last)
    }

    pub fn clock(&mut self, begin: Option<T>) {
        self.0.push_back(begin);
        self.0.pop_front();
    }
}

/// A way for a channel: a row of buffers, of which the first is at the beginning.
#[derive(Clone, Debug)]
pub struct ChannelWay<T>(Vec<Option<T>>);

impl<T: Copy> ChannelWay<T> {
    pub fn new(stages: usize) -> ChannelWay<T> {
        ChannelWay(vec![None; stages])
    }

    /// The payload that the end of the way offers, if `begin` is the payload offered at its beginning.
    pub fn end(&self, begin: Option<T>) -> Option<T> {
        self.0.last().map_or(begin, |last| *last)
    }

    /// Whether the beginning of the way is ready, if `end_ready` is the `ready` at its end.
    pub fn ready(&self, end_ready: bool) -> bool {
        self.0.first().map_or(end_ready, Option::is_none)
    }

    pub fn clock(&mut self, begin: Option<T>, end_ready: bool) {
        let before = self.0.clone();
        for (at, place) in self.0.iter_mut().enumerate() {
            *place = match before[at] {
                None if at == 0 => begin,
                None => before[at - 1],
                full => full.filter(|_| !before.get(at + 1).map_or(end_ready, Option::is_none)),
            };
        }
    }
}
