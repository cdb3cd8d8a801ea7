// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Cycle model of `deadlock_detector`: checks one CTA slot after the other for a deadlock, with two walks over all warps per slot
//! (`docs/contract/deadlock_detector.md`).

mod idle;
mod look;
mod walked;

use super::op::{Code, Kind};
use super::sizes::Sizes;
use super::wire::{Clocked, Fields, PortAction, Walk};
use look::Look;
pub(crate) use walked::Walked;

/// An operation that `named` accepted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Taken {
    pub kind: Kind,
    pub fault: Code,
    pub cta: u8,
}

impl Taken {
    fn fields(&mut self, at: &mut Fields<impl PortAction>) {
        at.choice("kind", &mut self.kind);
        at.choice("fault", &mut self.fault);
        at.cta(&mut self.cta);
    }
}

/// A step of the walk over the warps, which `cta_table` makes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    pub warp: u8,
    /// The CTA slot of the warp.
    pub cta: u8,
    pub live: bool,
    /// An operation of the warp is in flight.
    pub in_flight: bool,
}

impl Seen {
    pub fn fields(&mut self, at: &mut Fields<impl PortAction>) {
        at.warp(&mut self.warp);
        at.cta(&mut self.cta);
        at.field("live", &mut self.live, 1);
        at.field("in_flight", &mut self.in_flight, 1);
    }
}

/// Input ports of `deadlock_detector`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DeadlockDetectorIn {
    pub reset: bool,
    pub seen: Option<Seen>,
    pub stalled: u64,
    /// The CTA slot of an operation that enters the stream.
    pub entered: Option<u8>,
    pub taken: Option<Taken>,
    /// The CTA slot of an implicit conflict.
    pub implicit_conflict: Option<u8>,
    pub dead_ready: bool,
}

/// Output ports of `deadlock_detector`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeadlockDetectorOut {
    pub dead_valid: bool,
    pub dead_cta: u8,
}

/// The state of `deadlock_detector`; sets of CTA slots are bit vectors.
#[derive(Clone, Debug, PartialEq)]
pub struct DeadlockDetector {
    sizes: Sizes,
    /// The CTA slot that is being checked.
    slot: u8,
    /// The present walk is the second walk for `slot`.
    second: bool,
    look: Look,
    /// The CTA slot on which to decide next, and the observations about it.
    seen: Option<(u8, Look)>,
    /// The CTA slot of the operation that entered the stream in the cycle before.
    entered: Option<u8>,
    in_conflict: u64,
    reported: u64,
    /// The CTA slot whose deadlock was reported at the last edge.
    found: Option<u8>,
    out: DeadlockDetectorOut,
}

impl DeadlockDetector {
    /// Whether more than one barrier without a count has been open at once in this CTA slot.
    pub fn is_in_conflict(&self, slot: u8) -> bool {
        self.in_conflict >> slot & 1 != 0
    }

    /// The CTA slot whose deadlock was reported at the last edge.
    pub fn found(&self) -> Option<u8> {
        self.found
    }

    /// Whether the decision on a CTA slot after its two walks ends a deadlock that was reported for it, or reports a new one.
    fn is_decisive(&self, slot: u8, look: Look) -> bool {
        let bit = 1 << slot;
        let in_conflict = self.in_conflict & bit != 0;
        match self.reported & bit != 0 {
            // `moved` does not matter here: blocked warps can still execute Reads and Writes, but these let no warp resume, so the reported
            // deadlock persists.
            true => !(in_conflict || look.waits()),
            false => in_conflict || look.waits() && !look.moved,
        }
    }

    /// Decides on a CTA slot after its two walks.
    fn decide(&mut self, slot: u8, look: Look, is_report_free: bool) {
        let bit = 1 << slot;
        if !self.is_decisive(slot, look) {
            return;
        }
        if self.reported & bit != 0 {
            self.reported &= !bit;
        } else if is_report_free {
            self.out = DeadlockDetectorOut { dead_valid: true, dead_cta: slot };
            self.reported |= bit;
            self.found = Some(slot);
        }
    }

    /// Adds one step of the walk to the observations. Each CTA slot gets two walks; then the first walk for the next slot begins.
    fn walk(&mut self, inputs: &DeadlockDetectorIn) {
        self.look.moved |= self.entered == Some(self.slot);
        let Some(seen) = inputs.seen else { return };
        if seen.cta == self.slot {
            self.look.present |= seen.live && self.second;
            self.look.awake |= seen.live && inputs.stalled >> seen.warp & 1 == 0;
            self.look.moved |= seen.in_flight;
        }
        if usize::from(seen.warp) + 1 == self.sizes.warps() {
            self.end_walk();
        }
    }

    /// Ends a walk: the first walk over a CTA slot is followed by the second one, the second one by the first walk over the next slot.
    fn end_walk(&mut self) {
        if self.second {
            self.seen = Some((self.slot, std::mem::take(&mut self.look)));
            self.slot = (self.slot + 1) % self.sizes.cta_slots() as u8;
        }
        self.second = !self.second;
    }
}

impl Clocked for DeadlockDetector {
    type Inputs = DeadlockDetectorIn;
    type Outputs = DeadlockDetectorOut;

    fn new(sizes: Sizes) -> DeadlockDetector {
        DeadlockDetector {
            sizes,
            slot: 0,
            second: false,
            look: Look::default(),
            seen: None,
            entered: None,
            in_conflict: 0,
            reported: 0,
            found: None,
            out: DeadlockDetectorOut::default(),
        }
    }

    fn ports(i: &mut DeadlockDetectorIn, o: &mut DeadlockDetectorOut, at: &mut Walk<impl PortAction>) {
        let warps = at.sizes().warps();
        at.input("reset", &mut i.reset, 1);
        at.strobe_in("seen", &mut i.seen, Seen::fields);
        at.input("stalled", &mut i.stalled, warps);
        at.strobe_in("entered", &mut i.entered, |cta, at| at.cta(cta));
        at.strobe_in("taken", &mut i.taken, Taken::fields);
        at.strobe_in("implicit_conflict", &mut i.implicit_conflict, |cta, at| at.cta(cta));
        at.channel_out("dead", &mut o.dead_valid, &mut i.dead_ready, &mut o.dead_cta, |cta, at| at.cta(cta));
    }

    fn outputs(&self) -> DeadlockDetectorOut {
        self.out
    }

    fn clock(&mut self, inputs: &DeadlockDetectorIn) {
        if inputs.reset {
            *self = DeadlockDetector::new(self.sizes);
            return;
        }
        let taken_slot = inputs.taken.map_or(0, |transfer| 1 << transfer.cta);
        self.found = None;
        let in_conflict = self.in_conflict;
        let is_report_free = !self.out.dead_valid;
        self.out.dead_valid &= !inputs.dead_ready;
        if let Some((slot, look)) = self.seen.take() {
            self.decide(slot, look, is_report_free);
        }
        self.walk(inputs);
        self.entered = inputs.entered;
        self.in_conflict |= inputs.implicit_conflict.map_or(0, |cta| 1 << cta);
        match inputs.taken.filter(|transfer| transfer.fault == Code::None).map(|transfer| transfer.kind) {
            Some(Kind::Release) => {
                (self.in_conflict, self.reported) = (self.in_conflict & !taken_slot, self.reported & !taken_slot)
            }
            // A warp that sends an operation of this kind has resumed, although it may wait again before its CTA slot is checked.
            Some(Kind::Sync | Kind::Arrive | Kind::Reduce | Kind::Gateway | Kind::Exit) => {
                self.reported &= !taken_slot | in_conflict
            }
            _ => (),
        }
    }
}
