// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The events of a run, by number. An event to which nothing refers any more is removed, so that the memory of a run depends on the memory
//! that its kernel uses, and not on its length.

use super::event::Event;
use std::collections::HashSet;

/// The minimum number of new events between two removals.
const MIN_NEW: usize = 1 << 12;

/// Events in the order in which they were issued. The numbers of removed events are not used again.
#[derive(Debug, Default)]
pub(super) struct Events {
    /// The events that the last removal has kept, by ascending number.
    old: Vec<(u32, Event)>,
    /// The events since the last removal; `first` is the number of the first of them.
    new: Vec<Event>,
    first: u32,
}

impl Events {
    /// The number of the next event.
    pub(super) fn next(&self) -> u32 {
        self.first + self.new.len() as u32
    }

    /// Adds an event, and returns its number.
    pub(super) fn push(&mut self, event: Event) -> u32 {
        let number = self.next();
        self.new.push(event);
        number
    }

    pub(super) fn get(&self, number: u32) -> &Event {
        match number.checked_sub(self.first) {
            Some(at) => &self.new[at as usize],
            None => &self.old[self.old_index(number)].1,
        }
    }

    pub(super) fn get_mut(&mut self, number: u32) -> &mut Event {
        match number.checked_sub(self.first) {
            Some(at) => &mut self.new[at as usize],
            None => {
                let at = self.old_index(number);
                &mut self.old[at].1
            }
        }
    }

    fn old_index(&self, number: u32) -> usize {
        self.old.binary_search_by_key(&number, |(of, _)| *of).expect("no event is removed to which something refers")
    }

    /// Whether so many events are new that a removal is worth its time, which grows with the memory that the kernel uses.
    pub(super) fn should_shrink(&self) -> bool {
        self.new.len() >= MIN_NEW.max(2 * self.old.len())
    }

    /// Removes all events but the `needed` ones.
    pub(super) fn retain(&mut self, needed: &HashSet<u32>) {
        let first = self.first;
        self.first = self.next();
        self.old.retain(|(number, _)| needed.contains(number));
        let new = self.new.drain(..).enumerate().map(|(at, event)| (first + at as u32, event));
        self.old.extend(new.filter(|(number, _)| needed.contains(number)));
    }
}

#[cfg(test)]
mod tests;
