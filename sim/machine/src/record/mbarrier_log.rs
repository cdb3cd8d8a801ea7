// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The state of mbarriers beyond their words: the arrivals of the open phase, the waiting warps, and the phases whose completion each lane
//! has observed. From this state follow misuses that hardware cannot detect.

use super::super::report::{EarlyWait, FaultObject, Misuse, Object, ObjectArrival, ObjectHistory, ObjectName, UnwaitedObject};
use super::accepted::AcceptedInstr;
use super::history::{FirstExpect, History};
use super::object_event::ObjectEvent;
use bcu_model::mbarrier_object::{self, MbarrierKind};
use bcu_model::mbarrier_state::Done;
use bcu_model::op::Code;
use bcu_program::Place;
use std::cell::RefCell;
use std::collections::BTreeMap;

/// The maximum number of reported misuses with the same code and the same location.
const MOST: usize = 100;

/// An mbarrier, from its init until it is invalidated.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    /// The warp that initialised the mbarrier, and the location of the init.
    pub init: (usize, Place),
    /// The number of the open phase, from 0.
    pub phase: u64,
    pub object: mbarrier_object::Object,
    pub arrived: Vec<ObjectArrival>,
    /// Whether a wait for the phase before the open phase has returned true. It is also true while
    /// phase 0 is open, and after the missing wait has been reported.
    is_completion_observed: bool,
    /// Whether a fence has made the mbarrier visible to copies, or the missing fence has been reported.
    pub fenced: bool,
    /// The cycle of the first release of the CTA to other CTAs after the init; `None` before this release. If another CTA uses the mbarrier
    /// before this release, the misuse is reported, and the field becomes 0 so that the misuse is reported only once.
    pub released_at: Option<u64>,
    /// For each lane, the first phase whose completion the lane has not observed by a wait; the key is warp and lane.
    unseen: BTreeMap<(usize, usize), u64>,
    pub(super) history: History,
}

/// A warp whose last wait returned false.
#[derive(Clone, Debug)]
pub(in super::super) struct Waiter {
    pub address: u32,
    pub lanes: u64,
    pub parity: bool,
    pub place: Place,
    /// The cycle of the first of the consecutive waits that returned false.
    pub since: u64,
    /// The number of consecutive waits that returned false.
    pub times: u64,
    /// Whether the last wait has suspended the warp.
    pub suspends: bool,
}

/// The mbarriers of a run.
#[derive(Default)]
pub(in super::super) struct MbarrierLog {
    /// All mbarriers; the key is CTA and address.
    pub(super) entries: BTreeMap<(usize, u32), Entry>,
    /// The waiting warps; the key is the index of the warp.
    pub waiters: BTreeMap<usize, Waiter>,
    /// For each CTA, the last cycle of a release to other CTAs.
    pub(super) last_release: BTreeMap<usize, u64>,
    /// The last cycle of a fence that makes writes of a warp visible to copies; the key is CTA and warp.
    pub(super) last_proxy_fence: BTreeMap<(usize, usize), u64>,
    /// The number of cycles that a warp has spent in ended waits; the key is the index of the warp.
    pub waited: BTreeMap<usize, u64>,
    /// For each CTA, the variables in its shared memory: name, first byte, size in bytes.
    names: BTreeMap<usize, Vec<(String, u64, u64)>>,
    pub misuses: Vec<Misuse>,
    /// For invalidated mbarriers, waits that returned at once: for the phase before phase 0, or for a phase whose completion the lanes had
    /// observed.
    pub(super) early_waits: Vec<EarlyWait>,
    /// Invalidated mbarriers at which no thread has waited.
    unwaited: Vec<UnwaitedObject>,
    /// Operations that an observer has not taken; `None` without an observer.
    pub(super) events: RefCell<Option<Vec<ObjectEvent>>>,
}

impl MbarrierLog {
    /// Sets the variables in the shared memory of a CTA.
    pub fn declares(&mut self, cta: usize, names: &[(String, u64, u64)]) {
        let written = names.iter().map(|(name, first, bytes)| (bcu_program::launch::written(name), *first, *bytes));
        self.names.insert(cta, written.collect());
    }

    /// The variable of CTA `cta` that contains `address`, with the offset in bytes; `None` if no variable contains it.
    pub fn name(&self, cta: usize, address: u32) -> Option<String> {
        let at = u64::from(address);
        let (name, first, _) = self.names.get(&cta)?.iter().find(|(_, first, bytes)| (*first..first + bytes).contains(&at))?;
        Some(if at == *first { name.clone() } else { format!("{name}+{}", at - first) })
    }

    /// The name of an mbarrier.
    pub fn named(&self, cta: usize, address: u32) -> ObjectName {
        ObjectName { address, variable: self.name(cta, address) }
    }

    /// The mbarrier of a refused operation.
    pub fn fault_object(&self, cta: usize, address: u32) -> FaultObject {
        let init = self.entries.get(&(cta, address)).map(|entry| entry.init.clone());
        FaultObject { name: self.named(cta, address), init }
    }

    /// Text with phase and counts of an mbarrier, for the end of a sentence; empty if there is no mbarrier at this address.
    pub fn state(&self, cta: usize, address: u32) -> String {
        match self.entries.contains_key(&(cta, address)) {
            true => format!("; the mbarrier is in {}", self.object(cta, address).state()),
            false => String::new(),
        }
    }

    /// The present state of an mbarrier.
    pub fn object(&self, cta: usize, address: u32) -> Object {
        let entry = self.entries.get(&(cta, address));
        let state = entry.map(|entry| entry.object).unwrap_or_default();
        Object {
            address,
            name: self.name(cta, address),
            phase: entry.map_or(0, |entry| entry.phase),
            expected: state.expected,
            pending: state.pending,
            bytes: state.tx,
            arrived: entry.map_or(vec![], |entry| entry.arrived.clone()),
        }
    }

    /// The number of the open phase of an mbarrier; `None` if there is no mbarrier at this address.
    pub fn open_phase(&self, cta: usize, address: u32) -> Option<u64> {
        self.entries.get(&(cta, address)).map(|entry| entry.phase)
    }

    /// The last arrival in a completed phase of an mbarrier.
    pub fn last_arrival(&self, (cta, address): (usize, u32), phase: u64) -> Option<&ObjectArrival> {
        self.entries.get(&(cta, address))?.history.last_arrival(phase)
    }

    /// The history of an mbarrier, with the first phase whose completion the lanes `lanes` of a warp have not observed.
    pub fn history(&self, (cta, address): (usize, u32), warp: usize, lanes: u64) -> ObjectHistory {
        let Some(entry) = self.entries.get(&(cta, address)) else { return ObjectHistory::default() };
        let unseen = super::super::warp::threads::bits(lanes).map(|lane| entry.unseen.get(&(warp, lane)).copied().unwrap_or(0));
        ObjectHistory {
            init: Some(entry.init.clone()),
            unseen: unseen.min().unwrap_or(0),
            stale_wait: entry.history.stale_waits.get(&warp).cloned(),
            ended: entry.history.ended(),
            expected_bytes: entry.history.expected_bytes,
            received_bytes: entry.history.received_bytes,
        }
    }

    /// Waits that returned at once: for the phase before phase 0, or for a phase whose completion their lanes had observed.
    pub fn early_waits(&self) -> Vec<EarlyWait> {
        let open = self.entries.iter().flat_map(|((cta, address), entry)| early_waits(self.named(*cta, *address), *cta, entry));
        self.early_waits.iter().cloned().chain(open).collect()
    }

    /// Mbarriers at which warps have arrived and no thread has waited.
    pub fn unwaited(&self) -> Vec<UnwaitedObject> {
        let open = self.entries.iter().filter_map(|((cta, address), entry)| self.unwaited_object((*cta, *address), entry));
        self.unwaited.iter().cloned().chain(open).collect()
    }

    fn unwaited_object(&self, (cta, address): (usize, u32), entry: &Entry) -> Option<UnwaitedObject> {
        let History { is_waited_at, arrivers, .. } = &entry.history;
        let arrivers: Vec<usize> = arrivers.iter().copied().collect();
        (!is_waited_at && !arrivers.is_empty()).then(|| UnwaitedObject { cta, object: self.named(cta, address), arrivers })
    }

    /// Adds a misuse to the report, up to the maximum number for its code and location.
    pub fn report(&mut self, misuse: Misuse) {
        let same = |known: &&Misuse| (known.code, &known.place) == (misuse.code, &misuse.place);
        if self.misuses.iter().filter(same).count() < MOST {
            self.misuses.push(misuse);
        }
    }

    /// Records the unit's decision on an operation on an mbarrier of CTA `cta`. The operation came from the instruction `accepted` or from
    /// the CTA `sender`; if both are `None`, it came from a copy engine.
    pub fn decided(
        &mut self,
        cta: usize,
        done: &Done,
        (accepted, sender): (Option<&AcceptedInstr>, Option<usize>),
        cycle: u64,
    ) {
        if done.fault != Code::None {
            return;
        }
        let misuse = |code: &'static str, sentence: String, related: Option<(usize, Place, String)>| Misuse {
            code,
            cta,
            warp: accepted.map(|accepted| accepted.warp),
            cycle: accepted.map_or(cycle, |accepted| accepted.cycle),
            place: accepted.map(|accepted| accepted.place.clone()),
            sentence,
            related,
        };
        let key = (cta, done.address);
        match done.kind {
            MbarrierKind::Init => {
                let Some(accepted) = accepted else { return };
                let object = self.named(cta, done.address);
                let lanes = accepted.decoded.lanes.count_ones();
                if lanes > 1 {
                    let count = done.n;
                    let sentence =
                        format!("{lanes} lanes initialise {object}, for {count} arrivals a phase, by one instruction; expected one lane");
                    self.report(misuse("mbarrier_init_lanes", sentence, None));
                }
                if let Some(before) = self.entries.get(&key) {
                    let state = self.state(cta, done.address);
                    let sentence = format!("{object} is initialised again without having been invalidated{state}");
                    let (warp, place) = before.init.clone();
                    let first = (warp, place, format!("warp {warp} initialised the mbarrier here before"));
                    self.report(misuse("mbarrier_reinit", sentence, Some(first)));
                }
                // The unit may have accepted later instructions of the warp before it decided this init, so a fence or release may have
                // been recorded already.
                let after = |cycle: Option<&u64>| cycle.filter(|cycle| **cycle >= accepted.cycle).copied();
                let released_at = after(self.last_release.get(&cta));
                let fenced = after(self.last_proxy_fence.get(&(cta, accepted.warp))).is_some();
                let init = (accepted.warp, accepted.place.clone());
                let object = done.after.unwrap_or_default();
                let (arrived, unseen) = (vec![], BTreeMap::new());
                let history = History::default();
                let entry = Entry {
                    init,
                    phase: 0,
                    object,
                    arrived,
                    is_completion_observed: true,
                    fenced,
                    released_at,
                    unseen,
                    history,
                };
                let before = self.entries.insert(key, entry);
                self.forget(key, before);
            }
            MbarrierKind::Inval => {
                let before = self.entries.remove(&key);
                self.forget(key, before);
            }
            MbarrierKind::TestWait | MbarrierKind::TryWait => self.waits(key, done, accepted, cycle, &misuse),
            _ => self.changes(key, done, (accepted, sender), cycle, &misuse),
        }
    }

    /// Keeps the early waits of an mbarrier that is invalidated.
    pub(super) fn forget(&mut self, (cta, address): (usize, u32), entry: Option<Entry>) {
        let unwaited = entry.as_ref().and_then(|entry| self.unwaited_object((cta, address), entry));
        self.unwaited.extend(unwaited);
        let waits = entry.map(|entry| early_waits(self.named(cta, address), cta, &entry));
        self.early_waits.extend(waits.into_iter().flatten());
    }

    /// Records that an operation changes the word of an mbarrier.
    fn changes(
        &mut self,
        key: (usize, u32),
        done: &Done,
        (accepted, sender): (Option<&AcceptedInstr>, Option<usize>),
        cycle: u64,
        misuse: &dyn Fn(&'static str, String, Option<(usize, Place, String)>) -> Misuse,
    ) {
        let unobserved = self.entries.get(&key).filter(|entry| done.kind.arrives() && !entry.is_completion_observed);
        if let Some(over) = unobserved.map(|entry| entry.phase.saturating_sub(1)) {
            let (object, state) = (self.named(key.0, key.1), self.state(key.0, key.1));
            let sentence =
                format!("a thread arrives at {object}, but no thread has waited for phase {over}, which is complete{state}");
            self.report(misuse("mbarrier_missing_wait", sentence, None));
        }
        let Some(entry) = self.entries.get_mut(&key) else { return };
        if done.kind.arrives() {
            // The flag is set so that the misuse is reported only once in a phase.
            entry.is_completion_observed = true;
            let (warp, place) = (accepted.map(|accepted| accepted.warp), accepted.map(|accepted| accepted.place.clone()));
            let cycle = accepted.map_or(cycle, |accepted| accepted.cycle);
            entry.history.arrivers.extend(warp);
            entry.arrived.push(ObjectArrival { cta: sender, warp, arrivals: done.n, cycle, place });
        }
        match done.kind.expects() {
            true => {
                entry.history.expected_bytes += u64::from(done.t);
                let (bytes, phase) = (done.t.into(), entry.phase);
                let first =
                    accepted.map(|of| FirstExpect { warp: of.warp, place: of.place.clone(), cycle: of.cycle, bytes, phase });
                entry.history.first_expect = entry.history.first_expect.take().or(first);
            }
            false => entry.history.received_bytes += u64::from(done.t),
        }
        entry.object = done.after.unwrap_or(entry.object);
        if done.completes {
            entry.history.completes(entry.phase, cycle, &entry.arrived);
            entry.phase += 1;
            entry.arrived.clear();
            entry.is_completion_observed = false;
        }
    }

    fn waits(
        &mut self,
        key: (usize, u32),
        done: &Done,
        accepted: Option<&AcceptedInstr>,
        cycle: u64,
        misuse: &dyn Fn(&'static str, String, Option<(usize, Place, String)>) -> Misuse,
    ) {
        let Some(accepted) = accepted else { return };
        let lanes = accepted.decoded.lanes;
        let parity = accepted.decoded.request.phase;
        if let Some(entry) = self.entries.get_mut(&key) {
            entry.history.is_waited_at = true;
        }
        if !done.answer {
            let new = Waiter {
                address: key.1,
                lanes,
                parity,
                place: accepted.place.clone(),
                since: cycle,
                times: 0,
                suspends: false,
            };
            let waiter = self.waiters.entry(accepted.index).or_insert_with(|| new.clone());
            if (waiter.address, waiter.parity) != (new.address, new.parity) {
                *waiter = new;
            }
            waiter.times += 1;
            waiter.suspends = done.suspends;
            return;
        }
        self.end_wait(accepted.index, cycle);
        let Some(entry) = self.entries.get_mut(&key) else { return };
        entry.is_completion_observed = true;
        // A wait that returns true while phase 0 is open is for the phase before phase 0: an early
        // wait.
        if entry.phase == 0 {
            let has_arrived = entry.arrived.iter().any(|arrival| arrival.warp == Some(accepted.warp));
            entry.history.early_waits.entry(accepted.warp).or_insert((accepted.place.clone(), accepted.cycle, has_arrived));
        }
        let mut again = None;
        for lane in super::super::warp::threads::bits(lanes) {
            let unseen = entry.unseen.entry((accepted.warp, lane)).or_insert(0);
            // An early wait in phase 0 is not a repeated wait, because no lane has observed the
            // completion of the phase before phase 0.
            if *unseen == entry.phase && entry.phase > 0 {
                again = Some(entry.phase - 1);
            }
            *unseen = entry.phase;
        }
        if again.is_none() && entry.phase > 0 {
            entry.history.waits_rightly(accepted.warp, accepted.cycle);
        }
        if let Some(over) = again {
            entry.history.stale_waits.entry(accepted.warp).or_insert((accepted.place.clone(), accepted.cycle));
            let (object, parity) = (self.named(key.0, key.1), over & 1);
            let sentence = format!(
                "lanes wait at {object} again for phase {over} (parity {parity}), whose completion they have already observed: the wait returns at once"
            );
            let sentence = sentence + &self.state(key.0, key.1);
            self.report(misuse("mbarrier_stale_phase", sentence, None));
        }
    }

    /// Ends the wait of warp `index`, whether or not the awaited phase is complete.
    pub fn end_wait(&mut self, index: usize, cycle: u64) -> Option<Waiter> {
        let waiter = self.waiters.remove(&index)?;
        *self.waited.entry(index).or_default() += cycle - waiter.since;
        Some(waiter)
    }

    /// Records that a suspended warp gets its answer; `value` is true if the awaited phase is complete.
    pub fn end_suspension(&mut self, index: usize, (cta, warp): (usize, usize), value: bool, cycle: u64) {
        if !value {
            return;
        }
        let Some(waiter) = self.end_wait(index, cycle) else { return };
        if let Some(entry) = self.entries.get_mut(&(cta, waiter.address)) {
            entry.is_completion_observed = true;
            entry.history.waits_rightly(warp, cycle);
            for lane in super::super::warp::threads::bits(waiter.lanes) {
                entry.unseen.insert((warp, lane), entry.phase);
            }
        }
    }
}

/// The early waits of one mbarrier, with its name.
fn early_waits(name: ObjectName, cta: usize, entry: &Entry) -> Vec<EarlyWait> {
    let History { early_waits, stale_waits, right_waits, arrivers, .. } = &entry.history;
    let early_wait = |(warp, place, cycle, stale): (&usize, &Place, &u64, bool)| EarlyWait {
        cta,
        warp: *warp,
        place: place.clone(),
        cycle: *cycle,
        object: name.clone(),
        stale,
        until: right_waits.get(warp).copied(),
        arrivers: arrivers.iter().copied().collect(),
    };
    // A warp that arrives only after its early wait is omitted: it may have waited for a free
    // buffer, and may free the buffer itself later, which is correct.
    let waits_for_others = |warp: &usize, has_arrived: bool| has_arrived || !arrivers.contains(warp);
    let early = early_waits.iter().filter(|(warp, (.., has_arrived))| waits_for_others(warp, *has_arrived));
    let early = early.map(|(warp, (place, cycle, _))| (warp, place, cycle, false));
    early.chain(stale_waits.iter().map(|(warp, (place, cycle))| (warp, place, cycle, true))).map(early_wait).collect()
}
