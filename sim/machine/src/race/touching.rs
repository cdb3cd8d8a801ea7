// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Adds the bytes of accesses to the shadow memory, and collects races and pairs of operations.

use super::event::{Event, Proxy, Strength};
use super::found::Found;
use super::judge::{Conflict, Now};
use super::mbarrier_state::{self, InFlight};
use super::order::before::Before;
use super::shadow::{Bytes, Judged};
use super::uses::{self, Use};
use super::warps::{Issuer, Stream};
use super::{known, InstrKey, Races};
use crate::memory::{Access, Bank, Part};
use crate::report::Change;
use crate::schedule_file::Execution;
use bcu_program::tensor;
use std::cell::RefCell;
use std::rc::Rc;

/// Bytes that an access uses, for the shadow memory.
pub(super) struct Touching {
    /// The index of the event.
    pub(super) number: u32,
    /// The lanes that make the access together, one bit per lane.
    pub(super) lanes: u64,
    /// The lanes among these that are kept in the shadow memory, one bit per lane.
    pub(super) kept: u64,
    pub(super) bytes: Bytes,
    pub(super) stores: bool,
    pub(super) is_atomic: bool,
}

/// The execution of the instruction of an event by its warp; `None` if the instruction is not known, or is a copy, which takes effect later.
/// `keys` are the instructions at the locations.
pub(super) fn execution(keys: &[Option<InstrKey>], event: &Event) -> Option<Execution> {
    let Event { cta, warp, place, time, is_copy, .. } = *event;
    let (_, function, instr) = keys[place as usize].filter(|_| time > 0 && !is_copy)?;
    Some(Execution { cta: cta as usize, warp: warp as usize, function, instr, time })
}

impl Races {
    /// Records a lane's part in an asynchronous copy. The lane later waits for the copy as part of a copy group, or at the mbarrier that
    /// the copy signals.
    pub(super) fn copy(
        &mut self,
        issuer: Issuer,
        (access, part): (&Access, &Part),
        event: Event,
        uses: &[Use],
        found: &mut Vec<Found>,
    ) {
        let strength = uses::reduction_scope(access, part).map_or(Strength::Weak, Strength::Strong);
        match (part.signal, part.to) {
            (Some(signal), Bank::Shared(cta)) => {
                let (source, step) = mbarrier_state::IN_FLIGHT;
                let number = self.events.push(Event { source, step, strength, ..event });
                uses.iter().for_each(|used| self.touch(issuer, (access, part), (number, used), found));
                let object = signal & crate::sm::OFFSET;
                let place = self.places[event.place as usize].clone();
                // A copy signals after its execution, so no schedule can delay another operation until then.
                let before = Rc::new(Before::of_copy(self.warp(issuer), 1 << part.lane, &place));
                self.objects.copy_in_flight(InFlight { key: (cta, object), bytes: part.to(), event: number, before });
            }
            _ => {
                let copy = self.warp(issuer).copies.begin(part.lane, part.group);
                for used in uses {
                    let source = self.warp(issuer).source(used.stream);
                    let strength = if used.stores { strength } else { Strength::Weak };
                    let number = self.events.push(Event { source, step: copy, strength, ..event });
                    self.touch(issuer, (access, part), (number, used), found);
                }
            }
        }
    }

    /// Records that a tensor copy of a lane, given as an event in program order, reads its map in global memory when it starts.
    pub(super) fn read_map(&mut self, issuer: Issuer, (access, part): (&Access, &Part), copy: Event, found: &mut Vec<Found>) {
        let Some(at) = part.map else { return };
        let event = Event { proxy: Proxy::TensorMap, strength: Strength::Weak, is_copy: false, commuting: None, ..copy };
        let number = self.events.push(event);
        let bytes = Bytes { bank: Bank::Global, at, count: tensor::BYTES as u64 };
        let used = Use { bytes, stores: false, stream: Stream::Program, element: 0 };
        self.touch(issuer, (access, part), (number, &used), found);
    }

    /// Adds bytes of a lane to the shadow memory, and collects the races.
    pub(super) fn touch(
        &mut self,
        issuer: Issuer,
        (access, part): (&Access, &Part),
        (number, used): (u32, &Use),
        found: &mut Vec<Found>,
    ) {
        let lanes = 1 << part.lane;
        let touching =
            Touching { number, lanes, kept: lanes, bytes: used.bytes, stores: used.stores, is_atomic: access.is_atomic() };
        self.touch_bytes(issuer, &touching, |offset, count| uses::stored(access, part, used, (offset, count)), found);
    }

    /// Adds bytes to the shadow memory, and collects the races. `value` returns the stored value of bytes, given by their offset and number.
    pub(super) fn touch_bytes(
        &mut self,
        issuer: Issuer,
        touching: &Touching,
        value: impl Fn(u64, u64) -> Option<u32>,
        found: &mut Vec<Found>,
    ) {
        let Touching { number, lanes, kept, bytes, stores, is_atomic } = *touching;
        let Races { warps, events, shadow, order, keys, reserved, words, .. } = self;
        let is_reserved = match bytes.bank {
            Bank::Shared(cta) => reserved.get(&cta).is_some_and(|region| region.contains(&bytes.at)),
            _ => false,
        };
        let order = RefCell::new(order);
        let event = events.get(number);
        let now = Now {
            event,
            number,
            lanes,
            warp: &warps[&(issuer.cta, issuer.warp)],
            space: match bytes.bank {
                _ if event.proxy == Proxy::TensorMap => known::MAP,
                Bank::Global => known::GLOBAL,
                _ => known::SHARED,
            },
            stores,
            is_atomic,
            words,
            bank: bytes.bank,
        };
        shadow.touch(
            bytes,
            (number, kept, stores),
            value,
            |at, (earlier, was_store), touch| {
                let event = events.get(earlier.event);
                let judged = match now.judge(at, (event, earlier, was_store), touch.value) {
                    Judged::Race(Conflict::Race(_)) | Judged::RaceOfBoth(Conflict::Race(_)) if is_reserved => {
                        Judged::RaceOfBoth(Conflict::Order)
                    }
                    judged => judged,
                };
                let order = order.borrow();
                if order.pairs_of_run.is_none() {
                    return judged;
                }
                // A further access may commute with this one, but not with the earlier one.
                let may_commute = now.event.commuting.is_some() || earlier.event == touch.event;
                // Another schedule may perform the earlier of two loads of a warp later, after a store that follows the later load.
                let are_loads = !stores && !was_store && event.source == now.event.source;
                let is_kept = may_commute || are_loads || order.is_compared_further(execution(keys, event));
                match judged {
                    Judged::Race(conflict) | Judged::RaceOfBoth(conflict) if is_kept => Judged::RaceOfBoth(conflict),
                    Judged::Race(conflict) | Judged::RaceOfBoth(conflict) => Judged::Race(conflict),
                    Judged::Ordered if is_kept => Judged::Permitted,
                    judged => judged,
                }
            },
            |at, earlier, touch, kind| {
                let place = |event: u32| events.get(event).place;
                let mut order = order.borrow_mut();
                if let Some(pairs) = &mut order.pairs_of_run {
                    let change = Change::of_accesses(earlier.1, stores);
                    pairs.add(change, execution(keys, events.get(earlier.0.event)), execution(keys, events.get(touch.event)));
                }
                if kind == Conflict::Order && !order.is_new((place(touch.event), place(earlier.0.event))) {
                    return;
                }
                // Most races of an access are with the same earlier one.
                let same = |known: &Found| (known.earlier.0.event, known.kind) == (earlier.0.event, kind);
                if !found.iter().any(same) {
                    found.push(Found { bank: bytes.bank, at, earlier, touch, stores, kind });
                }
            },
        );
    }
}
