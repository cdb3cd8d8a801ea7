// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A link of arbitrary delay: it keeps order, and in each cycle its first message passes or not.

/// Messages in flight, without gaps; free places are at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Link<T, const PLACES: usize>([Option<T>; PLACES]);

impl<T: Copy, const PLACES: usize> Default for Link<T, PLACES> {
    fn default() -> Self {
        Link([None; PLACES])
    }
}

impl<T: Copy, const PLACES: usize> Link<T, PLACES> {
    pub fn is_full(&self) -> bool {
        self.0.iter().all(Option::is_some)
    }

    pub fn messages(&self) -> impl Iterator<Item = T> + '_ {
        self.0.iter().flatten().copied()
    }

    /// One cycle: the message `given` enters. With `passes` the first message leaves; on an empty link this is `given`. Returns the new
    /// link and the message that left; `None` if the link has no place for `given`.
    pub fn cycle(&self, given: Option<T>, passes: bool) -> Option<(Self, Option<T>)> {
        let mut queue = self.messages().chain(given);
        let first = if passes { queue.next() } else { None };
        let mut next = Link::default();
        next.0.iter_mut().for_each(|place| *place = queue.next());
        queue.next().is_none().then_some((next, first))
    }

    /// Whether there is a message that can pass in this cycle, including `given`.
    pub fn has_any(&self, given: Option<T>) -> bool {
        given.is_some() || self.0.first().is_some_and(Option::is_some)
    }
}
