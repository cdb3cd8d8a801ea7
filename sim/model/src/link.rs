// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One direction of a link, called a way (`docs/contract/multiprocessors.md`, *Links*).

use std::collections::VecDeque;

/// A way for a strobe: a row of registers.
#[derive(Debug, PartialEq)]
pub struct StrobeWay<T>(VecDeque<Option<T>>);

impl<T: Clone> Clone for StrobeWay<T> {
    fn clone(&self) -> StrobeWay<T> {
        StrobeWay(self.0.clone())
    }

    fn clone_from(&mut self, from: &StrobeWay<T>) {
        self.0.clone_from(&from.0);
    }
}

impl<T: Copy> StrobeWay<T> {
    /// An empty way with this number of registers.
    pub fn new(stages: usize) -> StrobeWay<T> {
        StrobeWay((0..stages).map(|_| None).collect())
    }

    /// The value at the end of the way in this cycle: the last register or, in a way without registers, `begin`, the value at the
    /// beginning.
    pub fn end(&self, begin: Option<T>) -> Option<T> {
        self.0.front().map_or(begin, |last| *last)
    }

    /// Applies the rising edge: each value moves on by one register, and `begin` enters the first register.
    pub fn clock(&mut self, begin: Option<T>) {
        self.0.push_back(begin);
        self.0.pop_front();
    }
}

/// A way for a channel: a row of buffers for one payload each; the first buffer is at the beginning of the way.
#[derive(Debug, PartialEq)]
pub struct ChannelWay<T>(Vec<Option<T>>);

impl<T: Clone> Clone for ChannelWay<T> {
    fn clone(&self) -> ChannelWay<T> {
        ChannelWay(self.0.clone())
    }

    fn clone_from(&mut self, from: &ChannelWay<T>) {
        self.0.clone_from(&from.0);
    }
}

impl<T: Copy> ChannelWay<T> {
    /// An empty way with this number of buffers.
    pub fn new(stages: usize) -> ChannelWay<T> {
        ChannelWay(vec![None; stages])
    }

    /// The payload that the end of the way offers in this cycle: that of the last buffer or, in a way without buffers, `begin`, the payload
    /// offered at the beginning.
    pub fn end(&self, begin: Option<T>) -> Option<T> {
        self.0.last().map_or(begin, |last| *last)
    }

    /// Whether the beginning of the way is ready: the first buffer is empty or, in a way without buffers, `end_ready`, the `ready` at the
    /// end.
    pub fn ready(&self, end_ready: bool) -> bool {
        self.0.first().map_or(end_ready, Option::is_none)
    }

    /// Applies the rising edge: an empty buffer accepts the payload offered to it, and a full buffer keeps its payload until the next
    /// buffer, or the end of the way, accepts it.
    pub fn clock(&mut self, begin: Option<T>, end_ready: bool) {
        let mut is_next_ready = end_ready;
        // From the end, so that the buffers before `at` still hold the payloads of this cycle.
        for at in (0..self.0.len()).rev() {
            let place = self.0[at];
            self.0[at] = match place {
                None if at == 0 => begin,
                None => self.0[at - 1],
                full => full.filter(|_| !is_next_ready),
            };
            is_next_ready = place.is_none();
        }
    }
}
