// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Order by mbarriers. A releasing arrival releases what its lanes have done to the open phase, and a wait for a phase acquires what was
//! released to that phase and to the phases before it. A copy that signals an mbarrier is ordered before the waits for its phase.

use super::clock::join;
use super::known::Known;
use super::mbarrier_state::{AnswerUse, Arrival, Decided, InFlight, Init, Issued, Key, Landed, ObjectOp, RemoteIssued, Wait};
use super::order::before::Before;
use super::order::phases::{Answered, Contribution, Phases, Violation};
use super::shadow::Bytes;
use super::touching::Touching;
use super::warps::{Issuer, Stream};
use super::{Bank, Races};
use crate::report::Change;
use crate::warp::threads::bits;
use bcu_model::mbarrier_object::MbarrierKind;
use bcu_program::{Place, Scope};
use std::collections::VecDeque;
use std::rc::Rc;

/// The number of bytes of an mbarrier.
const OBJECT: u64 = 8;

impl Races {
    /// What an operation of lanes of a warp releases to threads within `scope`.
    fn object_release(&mut self, issuer: Issuer, lanes: u64, arrival: Arrival, scope: Scope) -> Option<Known> {
        let warp = self.warp(issuer);
        match arrival {
            Arrival::No => None,
            Arrival::Relaxed => Some(warp.relaxed_release(lanes, scope)),
            Arrival::Release => Some(warp.release(lanes)),
        }
    }

    /// Records a warp's operation in flight to an mbarrier of its CTA. Returns the warp and location of the init, if the init is not
    /// ordered before the operation.
    pub fn mbarrier_op(&mut self, issuer: Issuer, op: &ObjectOp, cycle: u64) -> Option<(usize, Place)> {
        let first = self.unordered_init(issuer, op);
        let before = self.before(issuer, op);
        if op.stores {
            self.store_object(issuer, op, cycle);
        }
        let released = self.object_release(issuer, op.lanes, op.arrival, Scope::Cta);
        let issued = self.objects.issued.entry((issuer.cta, issuer.warp)).or_default();
        let ObjectOp { object, lanes, acquires, answer_use: AnswerUse { is_repeated, .. }, .. } = *op;
        issued.push_back(Issued { object, lanes, acquires, released, is_repeated, before });
        first
    }

    /// The operation as a point in the order of the run.
    fn before(&mut self, issuer: Issuer, op: &ObjectOp) -> Rc<Before> {
        let before = Rc::new(Before::new(self.warp(issuer), op.lanes, (op.place, op.execution)));
        if !op.answer_use.is_only_phase {
            self.order.add(Change::State, &before.mark, (None, true));
        }
        before
    }

    /// Records an arrival of a lane at the mbarrier `key` that takes effect later, when the copies of the lane are complete. A commit of
    /// work on the tensor core also releases what is ordered before it: a product reads what was written before its start, so the writes
    /// are ordered before whatever waits for the end of the product.
    pub fn arrives_later(&mut self, (issuer, lane): (Issuer, usize), key: Key, (place, is_commit): (&Place, bool)) {
        // As for a copy, no execution is the time of the arrival.
        let before = Rc::new(Before::of_copy(self.warp(issuer), 1 << lane, place));
        let released = is_commit.then(|| self.warp(issuer).release(1 << lane));
        self.order.late.entry((issuer.cta, issuer.warp, lane, key)).or_default().push_back((before, released));
    }

    /// Records that lanes of a warp store to the bytes of an mbarrier by an init or an invalidation.
    fn store_object(&mut self, issuer: Issuer, op: &ObjectOp, cycle: u64) {
        self.remove_unused_events();
        self.warp(issuer);
        let place = self.places.iter().position(|place| place == op.place).unwrap_or_else(|| {
            self.places.push(op.place.clone());
            self.keys.push(None);
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
        // The operation takes effect in the other CTA, after its execution.
        let before = self.before(issuer, &ObjectOp { execution: None, ..*op });
        if self.lifetimes.ended.contains(&to) {
            self.order.add(Change::ExitOfCta, &before.mark, (None, false));
        }
        let remote = self.order.remote.entry(to).or_default();
        remote.retain(|mark| mark.source != before.mark.source);
        remote.push(before.mark.clone());
        let released = self.object_release(issuer, lanes, arrival, Scope::Cluster);
        self.objects.remote.entry((issuer.cta, to, object)).or_default().push_back(RemoteIssued { released, before });
    }

    /// Records that the unit has decided an operation.
    pub fn decided(&mut self, cta: usize, decided: Decided) {
        let Decided { object: address, warp, sender, refused, completes, answer, .. } = decided;
        let objects = &mut self.objects;
        let remote = sender.and_then(|from| objects.remote.get_mut(&(from, cta, address))?.pop_front());
        let issued = warp.and_then(|warp| objects.issued.get_mut(&(cta, warp))?.pop_front());
        let object = objects.object((cta, address));
        object.is_used_remotely |= sender.is_some();
        let (is_remote, released, before, is_repeated) = match (issued, remote) {
            (Some(issued), _) => {
                let passed = Some(&object.passed).filter(|_| answer).cloned();
                let Issued { object, lanes, acquires, released, is_repeated, before } = issued;
                _ = warp.map(|warp| objects.waits.insert((cta, warp), Wait { object, lanes, acquires, passed }));
                (false, released, Some(before), is_repeated)
            }
            (None, Some(RemoteIssued { released, before })) => (true, released, Some(before), false),
            (None, None) => (false, None, None, false),
        };
        if refused {
            return;
        }
        if let Some(phases) = self.order.phases.get_mut(&(cta, address)) {
            phases.waits_for_bytes = decided.waits_for_bytes;
            let violation = before.as_ref().and_then(|before| phases.count(&before.mark, decided.kind, decided.bytes.into()));
            self.add_violations(violation);
        }
        let object = self.objects.object((cta, address));
        released.iter().for_each(|released| object.open.join(released));
        let later = is_remote.then_some((object.source, object.phases + 1));
        if let Some(before) = before {
            let answered = Answered { before: &before, answer, suspends: decided.suspends, is_repeated };
            self.check_order((cta, address), &decided, answered, later);
        }
        if completes {
            self.complete_phase((cta, address));
        }
    }

    /// Checks the order of an operation on the mbarrier `key`. `later`: as for [`Contribution`].
    fn check_order(&mut self, key: Key, decided: &Decided, answered: Answered, later: Option<(super::clock::Source, u32)>) {
        let (phases, mark) = (&mut self.order.phases, &answered.before.mark);
        let violations = match decided.kind {
            MbarrierKind::Init => {
                let before = phases.insert(key, Phases::new(mark));
                before.map(|before| before.end(answered.before))
            }
            MbarrierKind::Inval => phases.get_mut(&key).map(|phases| {
                let violations = phases.end(answered.before);
                *phases = Phases::new(mark);
                violations
            }),
            MbarrierKind::TestWait | MbarrierKind::TryWait => phases.get_mut(&key).map(|phases| phases.wait(answered)),
            kind => {
                let contribution = Contribution { before: answered.before, kind, later, drops_last: decided.drops_last };
                phases.get_mut(&key).map(|phases| phases.contribute(contribution))
            }
        };
        self.add_violations(violations.unwrap_or_default());
    }

    fn add_violations(&mut self, violations: impl IntoIterator<Item = Violation>) {
        for Violation { change, operation, other, came_first } in violations {
            self.order.add(change, &operation, (other.as_ref(), came_first));
        }
    }

    /// Checks the order of operations in phases that are not complete: of one CTA, or of all if `cta` is `None`.
    pub(super) fn check_open_phases(&mut self, cta: Option<usize>) {
        let phases = self.order.phases.iter_mut().filter(|((of, _), _)| cta.is_none_or(|cta| cta == *of));
        let violations: Vec<Violation> = phases.filter_map(|(_, phases)| phases.finish()).collect();
        self.add_violations(violations);
    }

    /// Records that the open phase of the mbarrier `key` is complete.
    fn complete_phase(&mut self, key: Key) {
        let object = self.objects.object(key);
        object.phases += 1;
        let open = std::mem::take(&mut object.open);
        object.passed.join(&open);
        Rc::make_mut(&mut object.passed.seen).raise_all(object.source, object.phases);
        // A suspended warp waits for this phase. What is released to later phases is not ordered before it.
        let passed = object.passed.clone();
        let of_object = |((cta, _), wait): &(&(usize, usize), &mut Wait)| (*cta, wait.object) == key && wait.passed.is_none();
        self.objects.waits.iter_mut().filter(of_object).for_each(|(_, wait)| wait.passed = Some(passed.clone()));
        let violations = self.order.phases.get_mut(&key).map(Phases::complete).unwrap_or_default();
        self.add_violations(violations);
    }

    /// Records that a warp has waited for a phase of the mbarrier of its last operation: the lanes of the operation acquire what was
    /// released to that phase.
    pub fn waited(&mut self, issuer: Issuer) {
        let Some(Wait { object, lanes, acquires, passed }) = self.objects.waits.get(&(issuer.cta, issuer.warp)).cloned() else {
            return;
        };
        let Some(object) = self.objects.objects.get(&(issuer.cta, object)) else { return };
        if object.is_used_remotely {
            self.lifetimes.synchronise(issuer.cta);
        }
        self.warp(issuer).has_waited();
        let Some(passed) = passed else { return };
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
            Landed::Copies { lane, last } => self.lands(issuer, key, (lane, Stream::Plain), last),
            Landed::Work { lane, last } => self.lands(issuer, key, (lane, Stream::TensorCore), last),
            Landed::Bytes(bytes) => {
                let object = self.objects.object(key);
                let (source, step) = (object.source, object.phases + 1);
                let is_part =
                    |copy: &InFlight| copy.key == key && copy.bytes.start <= bytes.start && bytes.end <= copy.bytes.end;
                let Some(at) = self.objects.in_flight.iter().position(is_part) else { return };
                let InFlight { bytes: whole, event, before, .. } = self.objects.in_flight.swap_remove(at);
                // The other pieces of the copy complete later.
                let rest = [whole.start..bytes.start, bytes.end..whole.end].into_iter().filter(|rest| !rest.is_empty());
                let rest = rest.map(|bytes| InFlight { key, bytes, event, before: before.clone() });
                self.objects.in_flight.extend(rest);
                let later = Some((source, step));
                let kind = MbarrierKind::Complete;
                let phases = self.order.phases.get_mut(&key);
                let violation = phases.and_then(|phases| phases.count(&before.mark, kind, bytes.end - bytes.start));
                self.add_violations(violation);
                self.contribute(key, Contribution { before: &before, kind, later, drops_last: false });
                if !self.objects.in_flight.iter().any(|copy| copy.event == event) {
                    let event = self.events.get_mut(event);
                    (event.source, event.step) = (source, step);
                }
            }
        }
    }

    /// Records an arrival of a lane after its operations of a stream up to number `last`.
    fn lands(&mut self, issuer: Issuer, key: Key, (lane, stream): (usize, Stream), last: u32) {
        let source = self.warp(issuer).source(stream);
        let object = self.objects.object(key);
        let later = Some((object.source, object.phases + 1));
        Rc::make_mut(&mut object.open.seen).raise(source, (1 << lane, issuer.width), |_| last);
        let late = self.order.late.get_mut(&(issuer.cta, issuer.warp, lane, key)).and_then(VecDeque::pop_front);
        if let Some((before, released)) = late {
            released.iter().for_each(|released| self.objects.object(key).open.join(released));
            // The arrival only offsets the pending count that its instruction has added, so no expectation is ordered before it.
            let kind = MbarrierKind::Complete;
            self.contribute(key, Contribution { before: &before, kind, later, drops_last: false });
        }
    }

    /// Records a contribution, of a copy or after copies, to the open phase of the mbarrier `key`.
    fn contribute(&mut self, key: Key, contribution: Contribution) {
        join(&mut self.objects.object(key).open.executed, &contribution.before.executed);
        let violations = match self.order.phases.get_mut(&key) {
            Some(phases) => phases.contribute(contribution),
            None => vec![Violation::before_init(contribution.before.mark.clone())],
        };
        self.add_violations(violations);
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
