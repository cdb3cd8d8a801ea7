// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `watch` in cycles: one CTA slot after the other is looked at for a deadlock (`docs/interface.md`, `watch`).

use super::op::{Code, Kind};
use super::sizes::Sizes;
use super::warp_cta::WarpCta;
use super::wire::{Clocked, Fields, Walk};
use bcu_hw::ports::Dir;

/// An operation that `named` took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Taken {
    pub kind: Kind,
    pub fault: Code,
    pub cta: u8,
}

impl Taken {
    fn fields(&mut self, at: &mut Fields) {
        at.choice("kind", &mut self.kind);
        at.choice("fault", &mut self.fault);
        at.cta(&mut self.cta);
    }
}

/// Input ports of `watch`.
#[derive(Clone, Copy, Debug, Default)]
pub struct WatchIn {
    pub reset: bool,
    pub live: u64,
    pub warp_cta: WarpCta,
    pub stalled: u64,
    pub moving: u64,
    pub taken: Option<Taken>,
    /// The CTA slot of a tangle.
    pub tangle: Option<u8>,
    pub dead_ready: bool,
}

impl WatchIn {
    /// A slot has live warps, and none of them can issue.
    fn waits(&self, slot: u8) -> bool {
        let live = self.live & self.warp_cta.all_of(slot);
        live != 0 && live & !self.stalled == 0
    }
}

/// Output ports of `watch`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WatchOut {
    pub dead_valid: bool,
    pub dead_cta: u8,
}

/// The state of `watch`; sets of CTA slots are vectors.
#[derive(Clone, Debug)]
pub struct Watch {
    sizes: Sizes,
    /// The slot to look at.
    next: u8,
    tangled: u64,
    reported: u64,
    /// The slot that was found dead at the last edge.
    found: Option<u8>,
    out: WatchOut,
}

impl Watch {
    /// More than one barrier without a count has been open at once in this CTA slot.
    pub fn is_tangled(&self, slot: u8) -> bool {
        self.tangled >> slot & 1 != 0
    }

    /// The slot that was found dead at the last edge.
    pub fn found(&self) -> Option<u8> {
        self.found
    }

    /// Nothing that a slot's warps, which all wait, wait for can come any more.
    fn is_dead(slot: u8, i: &WatchIn) -> bool {
        i.waits(slot) && i.warp_cta.all_of(slot) & i.moving == 0
    }

    /// Looks at the slot whose turn it is, and reports it if that is news.
    fn look(&mut self, inputs: &WatchIn) {
        let (slot, bit) = (self.next, 1 << self.next);
        self.next = (slot + 1) % self.sizes.cta_slots() as u8;
        let tangled = self.tangled & bit != 0;
        if self.reported & bit != 0 {
            // What its warps read or write meanwhile lets none of them go, so it is still the same hang.
            self.reported &= if tangled || inputs.waits(slot) { !0 } else { !bit };
        } else if tangled || Watch::is_dead(slot, inputs) {
            self.out = WatchOut { dead_valid: true, dead_cta: slot };
            self.reported |= bit;
            self.found = Some(slot);
        }
    }
}

impl Clocked for Watch {
    type Inputs = WatchIn;
    type Outputs = WatchOut;

    fn new(sizes: Sizes) -> Watch {
        Watch { sizes, next: 0, tangled: 0, reported: 0, found: None, out: WatchOut::default() }
    }

    fn ports(i: &mut WatchIn, o: &mut WatchOut, at: &mut Walk) {
        let warps = at.sizes().warps();
        at.input("reset", &mut i.reset, 1);
        at.input("live", &mut i.live, warps);
        i.warp_cta.ports(Dir::In, at);
        at.input("stalled", &mut i.stalled, warps);
        at.input("moving", &mut i.moving, warps);
        at.strobe_in("taken", &mut i.taken, Taken::fields);
        at.strobe_in("tangle", &mut i.tangle, |cta, at| at.cta(cta));
        at.channel_out("dead", &mut o.dead_valid, &mut i.dead_ready, &mut o.dead_cta, |cta, at| at.cta(cta));
    }

    fn outputs(&self) -> WatchOut {
        self.out
    }

    fn clock(&mut self, inputs: &WatchIn) {
        if inputs.reset {
            *self = Watch::new(self.sizes);
            return;
        }
        let taken = inputs.taken.map_or(0, |taken| 1 << taken.cta);
        self.found = None;
        if self.out.dead_valid {
            self.out.dead_valid = !inputs.dead_ready;
        } else {
            self.look(inputs);
        }
        let tangled = self.tangled;
        self.tangled |= inputs.tangle.map_or(0, |cta| 1 << cta);
        match inputs.taken.filter(|taken| taken.fault == Code::None).map(|taken| taken.kind) {
            Some(Kind::Release) => (self.tangled, self.reported) = (self.tangled & !taken, self.reported & !taken),
            // Whoever does this went on, though it may wait again before its slot is looked at.
            Some(Kind::Sync | Kind::Arrive | Kind::Reduce | Kind::Gateway | Kind::Exit) => self.reported &= !taken | tangled,
            _ => (),
        }
    }
}
