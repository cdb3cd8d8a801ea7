// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Shadow memory: for each word of shared and global memory, the accesses with which a later access may race. A word whose bytes are
//! accessed separately is split into bytes.

use crate::memory::Bank;
use crate::warp::threads::bits;
use std::collections::HashMap;

/// Bytes of a word.
const WORD: u64 = 4;
/// Words of a page.
const PAGE: u64 = 256;
/// The maximum number of accesses that are kept for a word: an older access is dropped first, so that a race with it is missed.
const MOST: usize = 256;

/// Accesses of lanes to one word or byte by one event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Touch {
    pub(super) event: u32,
    /// The lanes, as a mask.
    pub(super) lanes: u64,
    /// The stored value, if it is known.
    pub(super) value: Option<u32>,
}

/// A [`Touch`] by only one lane, in a compact form.
#[derive(Clone, Copy, Debug)]
struct Single {
    event: u32,
    value: u32,
    lane: u8,
    has_value: bool,
}

#[derive(Clone, Debug, Default)]
enum Touches {
    #[default]
    None,
    One(Single),
    #[allow(clippy::box_collection, reason = "a pointer keeps the common case small")]
    Many(Box<Vec<Touch>>),
}

/// The accesses to a word or a byte that may race with a later access.
#[derive(Clone, Debug, Default)]
struct State {
    stores: Touches,
    loads: Touches,
}

#[derive(Clone, Debug)]
enum Cell {
    Word(State),
    Bytes(Box<[State; WORD as usize]>),
}

impl Default for Cell {
    fn default() -> Cell {
        Cell::Word(State::default())
    }
}

/// The order between an earlier access and the present one.
pub(super) enum Judged<R> {
    /// The earlier access is ordered before the present one.
    Ordered,
    /// The accesses are not ordered, and do not race with each other; either may race with a third one.
    Permitted,
    /// The accesses race. The earlier one is no longer needed, since this access races with whatever the earlier one races with.
    Race(R),
    /// The accesses race. The earlier one is still needed, because a third access may race with the earlier access and not with this one.
    RaceOfBoth(R),
}

impl Touches {
    fn iter(&self) -> impl Iterator<Item = Touch> + '_ {
        let (one, many) = match self {
            Touches::None => (None, &[][..]),
            Touches::One(single) => (Some(single.touch()), &[][..]),
            Touches::Many(many) => (None, &many[..]),
        };
        one.into_iter().chain(many.iter().copied())
    }

    fn is_empty(&self) -> bool {
        matches!(self, Touches::None)
    }

    /// Keeps the accesses for which `keeps` holds, and adds one. Returns whether an access was dropped because there are too many.
    fn replace(&mut self, mut keeps: impl FnMut(&Touch) -> bool, added: Option<Touch>) -> bool {
        match self {
            Touches::None => {}
            Touches::One(single) if !keeps(&single.touch()) => *self = Touches::None,
            Touches::One(_) => {}
            Touches::Many(many) => {
                many.retain(keeps);
                if many.is_empty() {
                    *self = Touches::None;
                }
            }
        }
        added.is_some_and(|added| self.add(added))
    }

    /// Adds an access. Returns whether an older one was dropped.
    fn add(&mut self, added: Touch) -> bool {
        match self {
            Touches::None => match added.lanes.is_power_of_two() {
                true => *self = Touches::One(Single::new(&added)),
                false => *self = Touches::Many(Box::new(vec![added])),
            },
            Touches::One(single) => {
                let mut many = vec![single.touch()];
                merge(&mut many, added);
                *self = Touches::Many(Box::new(many));
            }
            Touches::Many(many) => return merge(many, added),
        }
        false
    }
}

/// Adds an access. Returns whether an older one was dropped.
fn merge(many: &mut Vec<Touch>, added: Touch) -> bool {
    // The accesses of one event are added directly one after the other, so only the last entry can be of the same event.
    match many.last_mut().filter(|last| last.event == added.event && last.value == added.value) {
        Some(last) => {
            last.lanes |= added.lanes;
            false
        }
        None => {
            let is_full = many.len() == MOST;
            if is_full {
                many.remove(0);
            }
            many.push(added);
            is_full
        }
    }
}

impl Single {
    fn new(touch: &Touch) -> Single {
        let Touch { event, lanes, value } = *touch;
        Single { event, value: value.unwrap_or(0), lane: lanes.trailing_zeros() as u8, has_value: value.is_some() }
    }

    fn touch(&self) -> Touch {
        Touch { event: self.event, lanes: 1 << self.lane, value: self.has_value.then_some(self.value) }
    }
}

impl Touch {
    pub(super) fn lane_numbers(&self) -> impl Iterator<Item = usize> {
        bits(self.lanes)
    }
}

impl State {
    /// Adds an access. `judge` gives the order between an earlier access and this one; its second argument is whether the earlier access is
    /// a store. `found` receives the races. Returns whether an older access was dropped because there are too many.
    fn touch<R>(
        &mut self,
        (touch, stores): (Touch, bool),
        judge: &impl Fn(&Touch, bool, &Touch) -> Judged<R>,
        found: &mut impl FnMut((Touch, bool), R),
    ) -> bool {
        let mut permitted = |earlier: &Touch, was_store: bool| match judge(earlier, was_store, &touch) {
            Judged::Ordered => false,
            Judged::Permitted => true,
            Judged::Race(race) => {
                found((*earlier, was_store), race);
                false
            }
            Judged::RaceOfBoth(race) => {
                found((*earlier, was_store), race);
                true
            }
        };
        if stores {
            let has_dropped = self.stores.replace(|earlier| permitted(earlier, true), Some(touch));
            if !self.loads.is_empty() {
                self.loads.replace(|earlier| permitted(earlier, false), None);
            }
            return has_dropped;
        }
        for earlier in self.stores.iter() {
            permitted(&earlier, true);
        }
        // A load that is ordered before this one is dropped: a store that races with the dropped load races with this one too.
        self.loads.replace(|earlier| !matches!(judge(earlier, false, &touch), Judged::Ordered), Some(touch))
    }
}

/// The bytes of one lane in an access: the first byte, and the number of bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bytes {
    pub(super) bank: Bank,
    pub(super) at: u64,
    pub(super) count: u64,
}

#[derive(Debug, Default)]
pub(super) struct Shadow {
    /// Whether an access was dropped because too many accesses to one word were not ordered.
    pub(super) has_dropped: bool,
    pages: HashMap<(Bank, u64), Box<[Cell]>>,
}

impl Shadow {
    /// Removes the shadow of a memory.
    pub(super) fn remove(&mut self, bank: Bank) {
        self.pages.retain(|(of, _), _| *of != bank);
    }

    /// The accesses to a memory that are kept, each with whether it is a store.
    pub(super) fn touches(&self, bank: Bank) -> impl Iterator<Item = (Touch, bool)> + '_ {
        let pages = self.pages.iter().filter(move |((of, _), _)| *of == bank);
        pages.flat_map(|(_, page)| page.iter()).flat_map(Cell::touches)
    }

    /// The numbers of the events of all accesses that are kept; most are repeated.
    pub(super) fn events(&self) -> impl Iterator<Item = u32> + '_ {
        self.pages.values().flat_map(|page| page.iter()).flat_map(Cell::touches).map(|(touch, _)| touch.event)
    }

    /// Adds an access of lanes to `bytes`. `value` gets an offset from the first byte and a number of bytes, and returns the stored value
    /// there, if it is known. `judge` gets the address as well. `found` receives the address of each race.
    pub(super) fn touch<R>(
        &mut self,
        bytes: Bytes,
        (event, lanes, stores): (u32, u64, bool),
        value: impl Fn(u64, u64) -> Option<u32>,
        judge: impl Fn(u64, (&Touch, bool), &Touch) -> Judged<R>,
        mut found: impl FnMut(u64, (Touch, bool), Touch, R),
    ) {
        let end = bytes.at.saturating_add(bytes.count);
        let mut at = bytes.at;
        while at < end {
            let word = at / WORD;
            let page =
                self.pages.entry((bytes.bank, word / PAGE)).or_insert_with(|| vec![Cell::default(); PAGE as usize].into());
            // All words of the access in this page.
            while at < end && at / WORD / PAGE == word / PAGE {
                let cell = &mut page[(at / WORD % PAGE) as usize];
                let next = (at / WORD * WORD + WORD).min(end);
                let is_whole = next - at == WORD;
                let touch = |first: u64, count: u64| Touch { event, lanes, value: value(first - bytes.at, count) };
                match cell {
                    Cell::Word(state) if is_whole => {
                        let touch = touch(at, WORD);
                        let judge = |earlier: &Touch, was_store: bool, touch: &Touch| judge(at, (earlier, was_store), touch);
                        self.has_dropped |=
                            state.touch((touch, stores), &judge, &mut |earlier, race| found(at, earlier, touch, race));
                    }
                    cell => {
                        for at in at..next {
                            let (state, touch) = (&mut cell.split()[(at % WORD) as usize], touch(at, 1));
                            let judge =
                                |earlier: &Touch, was_store: bool, touch: &Touch| judge(at, (earlier, was_store), touch);
                            self.has_dropped |=
                                state.touch((touch, stores), &judge, &mut |earlier, race| found(at, earlier, touch, race));
                        }
                    }
                }
                at = next;
            }
        }
    }
}

impl Cell {
    /// The accesses that are kept, each with whether it is a store.
    fn touches(&self) -> impl Iterator<Item = (Touch, bool)> + '_ {
        let states = match self {
            Cell::Word(state) => std::slice::from_ref(state),
            Cell::Bytes(states) => &states[..],
        };
        states.iter().flat_map(|State { stores, loads }| {
            let stores = stores.iter().map(|touch| (touch, true));
            stores.chain(loads.iter().map(|touch| (touch, false)))
        })
    }

    /// Splits the word into bytes if it is not split yet, and returns the states of its bytes.
    fn split(&mut self) -> &mut [State; WORD as usize] {
        if let Cell::Word(state) = self {
            let byte = |number: usize| {
                let narrow = |touches: &Touches| {
                    let mut bytes = Touches::None;
                    touches.iter().for_each(|touch| {
                        _ = bytes.add(Touch { value: touch.value.map(|value| value >> (8 * number) & 0xff), ..touch });
                    });
                    bytes
                };
                State { stores: narrow(&state.stores), loads: narrow(&state.loads) }
            };
            *self = Cell::Bytes(Box::new(std::array::from_fn(byte)));
        }
        match self {
            Cell::Bytes(states) => states,
            Cell::Word(_) => unreachable!("split above"),
        }
    }
}

#[cfg(test)]
mod tests;
