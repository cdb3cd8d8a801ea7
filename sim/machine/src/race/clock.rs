// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Vector clocks. A clock has, for each source of accesses, the step up to which the accesses of each lane are ordered before the owner of
//! the clock. Sources are in ascending order; a source that is absent has step 0.

use crate::warp::threads::bits;
use std::rc::Rc;

/// A source of accesses: the program order of a warp, the asynchronous copies of a warp, or the copies that signal one mbarrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Source(pub(super) u32);

/// The step of a copy that has not completed: no clock includes it.
pub(super) const NEVER: u32 = u32::MAX;

/// The steps of a source, for each of its lanes.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Steps {
    /// The same step for all lanes.
    All(u32),
    Lanes(Box<[u32]>),
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Clock {
    entries: Vec<(Source, Steps)>,
}

impl Steps {
    fn of(&self, lane: usize) -> u32 {
        match self {
            Steps::All(step) => *step,
            Steps::Lanes(steps) => steps.get(lane).copied().unwrap_or(0),
        }
    }

    fn join(&mut self, added: &Steps) {
        match (&mut *self, added) {
            (Steps::All(step), Steps::All(added)) => *step = (*step).max(*added),
            (Steps::All(step), Steps::Lanes(added)) => {
                if added.iter().any(|added| added > step) {
                    let joined: Box<[u32]> = added.iter().map(|added| (*step).max(*added)).collect();
                    *self = Steps::Lanes(joined);
                }
            }
            (Steps::Lanes(steps), added) => {
                steps.iter_mut().enumerate().for_each(|(lane, step)| *step = (*step).max(added.of(lane)));
            }
        }
        self.shrink();
    }

    /// If the steps of all lanes are equal, replaces them by one number.
    fn shrink(&mut self) {
        if let Steps::Lanes(steps) = self {
            let first = steps.first().copied().unwrap_or(0);
            if steps.iter().all(|step| *step == first) {
                *self = Steps::All(first);
            }
        }
    }

    fn includes(&self, other: &Steps) -> bool {
        match (self, other) {
            (Steps::All(step), Steps::All(other)) => step >= other,
            (Steps::All(step), Steps::Lanes(other)) => other.iter().all(|other| step >= other),
            (Steps::Lanes(steps), other) => steps.iter().enumerate().all(|(lane, step)| *step >= other.of(lane)),
        }
    }
}

impl Clock {
    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The step of a lane of a source.
    pub(super) fn step(&self, source: Source, lane: usize) -> u32 {
        let found = self.entries.binary_search_by_key(&source, |(of, _)| *of);
        found.map_or(0, |at| self.entries[at].1.of(lane))
    }

    /// The highest step of the lanes of a source.
    pub(super) fn last(&self, source: Source) -> u32 {
        let found = self.entries.binary_search_by_key(&source, |(of, _)| *of);
        found.map_or(0, |at| match &self.entries[at].1 {
            Steps::All(step) => *step,
            Steps::Lanes(steps) => steps.iter().copied().max().unwrap_or(0),
        })
    }

    /// Raises the step of lanes `lanes`, a mask, of a source that has `width` lanes.
    pub(super) fn raise(&mut self, source: Source, (lanes, width): (u64, usize), step: impl Fn(usize) -> u32) {
        let mut steps = vec![0; width];
        bits(lanes).for_each(|lane| steps[lane] = step(lane));
        let mut steps = Steps::Lanes(steps.into());
        steps.shrink();
        self.raise_steps(source, &steps);
    }

    /// Raises the step of a source without lanes.
    pub(super) fn raise_all(&mut self, source: Source, step: u32) {
        self.raise_steps(source, &Steps::All(step));
    }

    fn raise_steps(&mut self, source: Source, steps: &Steps) {
        match self.entries.binary_search_by_key(&source, |(of, _)| *of) {
            Ok(at) => self.entries[at].1.join(steps),
            Err(at) => self.entries.insert(at, (source, steps.clone())),
        }
    }

    pub(super) fn join(&mut self, added: &Clock) {
        let mut at = 0;
        for (source, steps) in &added.entries {
            while self.entries.get(at).is_some_and(|(of, _)| of < source) {
                at += 1;
            }
            match self.entries.get_mut(at) {
                Some((of, known)) if of == source => known.join(steps),
                _ => self.entries.insert(at, (*source, steps.clone())),
            }
        }
    }

    /// Whether everything that is ordered before `other` is also ordered before this clock.
    pub(super) fn includes(&self, other: &Clock) -> bool {
        let mut entries = self.entries.iter();
        other.entries.iter().all(|(source, steps)| {
            let found = entries.find(|(of, _)| of >= source);
            found.is_some_and(|(of, known)| of == source && known.includes(steps))
        })
    }
}

/// Adds the clock `added` to `clock`. Clocks are shared as long as they are equal, which makes most additions a comparison of pointers.
pub(super) fn join(clock: &mut Rc<Clock>, added: &Rc<Clock>) {
    if Rc::ptr_eq(clock, added) || clock.includes(added) {
        return;
    }
    match added.includes(clock) {
        true => *clock = added.clone(),
        false => Rc::make_mut(clock).join(added),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(entries: &[(u32, u64, u32)]) -> Clock {
        let mut clock = Clock::default();
        entries.iter().for_each(|(source, lanes, step)| clock.raise(Source(*source), (*lanes, 4), |_| *step));
        clock
    }

    #[test]
    fn a_join_has_the_larger_step_of_every_lane() {
        let mut joined = clock(&[(1, 0b0011, 5), (3, 0b1111, 2)]);
        joined.join(&clock(&[(1, 0b0110, 7), (2, 0b1111, 1)]));
        let steps = |source| (0..4).map(|lane| joined.step(Source(source), lane)).collect::<Vec<_>>();
        assert_eq!([steps(1), steps(2), steps(3), steps(4)], [[5, 7, 7, 0], [1; 4], [2; 4], [0; 4]].map(Vec::from));
    }

    #[test]
    fn a_clock_that_includes_the_other_stays_shared() {
        let small = Rc::new(clock(&[(1, 0b0001, 5)]));
        let large = Rc::new(clock(&[(1, 0b1111, 5), (2, 0b1111, 1)]));
        let mut joined = small.clone();
        join(&mut joined, &large);
        assert!(Rc::ptr_eq(&joined, &large));
        join(&mut joined, &small);
        assert!(Rc::ptr_eq(&joined, &large));
        let other = Rc::new(clock(&[(3, 0b1111, 1)]));
        join(&mut joined, &other);
        assert_eq!([1, 2, 3].map(|source| joined.step(Source(source), 1)), [5, 1, 1]);
        assert_eq!(large.step(Source(3), 0), 0);
    }
}
