// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Order by mbarriers. A releasing arrival releases what its lanes have done to the open phase, and a wait for a phase acquires what was
//! released to that phase and to the phases before it. A copy that signals an mbarrier is ordered before the waits for its phase.

use super::known::Known;
use super::mbarrier_state::{Arrival, Decided, InFlight, Init, Issued, Key, Landed, ObjectOp};
use super::shadow::Bytes;
use super::warps::{Issuer, Stream};
use super::{Bank, Races, Touching};
use crate::warp::threads::bits;
use bcu_program::{Place, Scope};
use std::rc::Rc;

/// The number of bytes of an mbarrier.
const OBJECT: u64 = 8;

impl Races {
    /// What an operation of lanes of a warp releases to threads within `scope`.
    fn object_release(&mut self, issuer: Issuer, lanes: u64, arrival: Arrival, scope: Scope) -> Option<Known> {
        let warp = self.warp(issuer);
        match arrival {
            Arrival::No => None,
            Arrival::Relaxed => Some(warp.fenced_release(lanes, scope)),
            Arrival::Release => Some(warp.release(lanes)),
        }
    }

    /// Records a warp's operation in flight to an mbarrier of its CTA. Returns the warp and location of the init, if the init is not
    /// ordered before the operation.
    pub fn mbarrier_op(&mut self, issuer: Issuer, op: &ObjectOp, cycle: u64) -> Option<(usize, Place)> {
        let first = self.unordered_init(issuer, op);
        if op.stores {
            self.store_object(issuer, op, cycle);
        }
        let released = self.object_release(issuer, op.lanes, op.arrival, Scope::Cta);
        let issued = self.objects.issued.entry((issuer.cta, issuer.warp)).or_default();
        issued.push_back(Issued { object: op.object, lanes: op.lanes, acquires: op.acquires, released });
        first
    }

    /// Records that lanes of a warp store to the bytes of an mbarrier by an init or an invalidation.
    fn store_object(&mut self, issuer: Issuer, op: &ObjectOp, cycle: u64) {
        self.remove_unused_events();
        self.warp(issuer);
        let place = self.places.iter().position(|place| place == op.place).unwrap_or_else(|| {
            self.places.push(op.place.clone());
            self.places.len() - 1
        });
        let number = self.events.push(self.weak_event(issuer, place as u32));
        let bytes = Bytes { bank: Bank::Shared(issuer.cta), at: op.object.into(), count: OBJECT };
        let touching = Touching { number, lanes: op.lanes, kept: op.lanes, bytes, stores: true, is_atomic: false };
        let mut found = vec![];
        self.touch_bytes(issuer, &touching, |_, _| None, &mut found);
        found.into_iter().for_each(|found| self.add(&found, cycle));
    }

    /// Records a warp's operation in flight to an mbarrier of another CTA.
    pub fn remote_mbarrier_op(&mut self, issuer: Issuer, (to, op): (usize, &ObjectOp)) {
        let ObjectOp { object, lanes, arrival, place, .. } = *op;
        match arrival {
            Arrival::No => {}
            Arrival::Release => self.remote_op(issuer, (to, lanes), place),
            Arrival::Relaxed => self.lifetimes.arrive_relaxed(issuer.cta),
        }
        let released = self.object_release(issuer, lanes, arrival, Scope::Cluster);
        self.objects.remote.entry((issuer.cta, to, object)).or_default().push_back(released);
    }

    /// Records that the unit has decided an operation.
    pub fn decided(&mut self, cta: usize, decided: Decided) {
        let Decided { object: address, warp, sender, refused, completes } = decided;
        let objects = &mut self.objects;
        let remote = sender.and_then(|from| objects.remote.get_mut(&(from, cta, address))?.pop_front()?);
        let issued = warp.and_then(|warp| objects.issued.get_mut(&(cta, warp))?.pop_front());
        if let Some((warp, issued)) = warp.zip(issued.clone()) {
            objects.waits.insert((cta, warp), Issued { released: None, ..issued });
        }
        let object = objects.object((cta, address));
        object.is_used_remotely |= sender.is_some();
        if let Some(released) = issued.and_then(|issued| issued.released).or(remote).filter(|_| !refused) {
            object.open.join(&released);
        }
        if completes {
            object.phases += 1;
            let open = std::mem::take(&mut object.open);
            object.passed.join(&open);
            Rc::make_mut(&mut object.passed.seen).raise_all(object.source, object.phases);
        }
    }

    /// Records that a warp has waited for a phase of the mbarrier of its last operation: the lanes of the operation acquire what was
    /// released to that phase.
    pub fn waited(&mut self, issuer: Issuer) {
        let Some(Issued { object, lanes, acquires, .. }) = self.objects.waits.get(&(issuer.cta, issuer.warp)).cloned() else {
            return;
        };
        let Some(object) = self.objects.objects.get(&(issuer.cta, object)) else { return };
        if object.is_used_remotely {
            self.lifetimes.synchronise(issuer.cta);
        }
        let passed = object.passed.clone();
        match acquires {
            true => self.warp(issuer).acquire(lanes, &passed),
            false => self.warp(issuer).observe_phase(lanes, &passed),
        }
    }

    /// Records that a copy of a warp completes and signals an mbarrier. `landed` are the bytes that the copy has written, or the
    /// plain copies of a lane.
    pub fn copy_landed(&mut self, issuer: Issuer, key: Key, landed: Landed) {
        self.objects.object(key).is_used_remotely |= issuer.cta != key.0;
        match landed {
            Landed::Copies { lane, last } => {
                let source = self.warp(issuer).source(Stream::Plain);
                let open = &mut self.objects.object(key).open;
                Rc::make_mut(&mut open.seen).raise(source, (1 << lane, issuer.width), |_| last);
            }
            Landed::Bytes(bytes) => {
                let object = self.objects.object(key);
                let (source, step) = (object.source, object.phases + 1);
                let is_part =
                    |copy: &InFlight| copy.key == key && copy.bytes.start <= bytes.start && bytes.end <= copy.bytes.end;
                let Some(at) = self.objects.in_flight.iter().position(is_part) else { return };
                let InFlight { bytes: whole, event, .. } = self.objects.in_flight.swap_remove(at);
                // The other pieces of the copy complete later.
                let rest = [whole.start..bytes.start, bytes.end..whole.end].into_iter().filter(|rest| !rest.is_empty());
                self.objects.in_flight.extend(rest.map(|bytes| InFlight { key, bytes, event }));
                if !self.objects.in_flight.iter().any(|copy| copy.event == event) {
                    let event = self.events.get_mut(event);
                    (event.source, event.step) = (source, step);
                }
            }
        }
    }

    /// If the operation is an init, records it. For any other operation, returns the warp and the location of the init of the mbarrier, if
    /// the init is not ordered before the operation; each init is returned at most once.
    fn unordered_init(&mut self, issuer: Issuer, op: &ObjectOp) -> Option<(usize, Place)> {
        let warp = self.warp(issuer);
        if op.is_init {
            let (source, step) = (warp.source(Stream::Program), warp.step);
            let init =
                Init { warp: issuer.warp, source, lane: op.lanes.trailing_zeros() as usize, step, place: op.place.clone() };
            self.objects.object((issuer.cta, op.object)).init = Some(init);
            return None;
        }
        let init = self.objects.objects.get_mut(&(issuer.cta, op.object))?.init.take()?;
        let warp = self.warps.get(&(issuer.cta, issuer.warp))?;
        let ordered = bits(op.lanes & warp.all()).all(|lane| warp.sees_init(lane, init.source, init.lane, init.step));
        if !ordered {
            return Some((init.warp, init.place));
        }
        self.objects.object((issuer.cta, op.object)).init = Some(init);
        None
    }
}
