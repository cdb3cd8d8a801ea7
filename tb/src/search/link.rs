// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A link of free delay: messages in order, and in each cycle the first of them passes or does not.

/// Messages under way; behind the last there is nothing.
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

    /// A cycle: what is given to it, and whether the first passes, which then may be that. The link behind it, and what passes; `None` if it has no
    /// place for what it is given.
    pub fn cycle(&self, given: Option<T>, passes: bool) -> Option<(Self, Option<T>)> {
        let mut all = self.messages().chain(given);
        let first = if passes { all.next() } else { None };
        let mut next = Link::default();
        next.0.iter_mut().for_each(|place| *place = all.next());
        all.next().is_none().then_some((next, first))
    }

    /// Whether it makes a difference that the first passes.
    pub fn has_any(&self, given: Option<T>) -> bool {
        given.is_some() || self.0.first().is_some_and(Option::is_some)
    }
}
