// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The state of each CTA slot: warps launched, barriers declared, rows in use.
//!
//! *Reads:* the CTA slot of the entering operation; the counts of a launch; whether the row of the operation in its last cycle was
//! and is in use. *Writes:* the launch in the slot of the operation one cycle after entry; the slots with rows in use; whether a
//! release finds rows in use. *Latency:* 1. Implements the state of a CTA slot of `docs/contract/gateway.md`.
//!
//! No operation enters in the cycle in which a launch is written, so the entry that is read need not be forwarded. After reset the
//! entry of a slot is set to 0 when the first row of the slot is cleared; operations enter only after the last row is cleared.

use super::input_stage::Inside;
use super::next_row::{Ctrl, Used};
use crate::prelude::*;

/// The counts of the launch in a CTA slot.
#[payload]
pub struct Group<CW, IW> {
    /// Warps launched.
    pub warps: Bits<CW>,
    /// Barriers declared, at most the number that is built.
    pub barriers: Bits<IW>,
}

#[block]
pub struct Ctas<W, LW, CW, LC, S, IW> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// CTA slot of the operation or row that enters the pipeline.
    pub enters: Signal<In, Bits<LC>>,
    /// The operation one cycle after entry.
    pub inside: Signal<In, Inside<W, LW, CW, LC>>,
    /// The operation in its last cycle.
    pub ctrl: Signal<In, Ctrl<W, LW, LC>>,
    /// Whether the row of that operation was in use, and whether it still is.
    pub used: Signal<In, Used>,
    /// The launch in the CTA slot of the operation one cycle after entry.
    pub group: Signal<Out, Group<CW, IW>>,
    /// CTA slots with rows in use.
    pub open: Signal<Out, Bits<S>>,
    /// The CTA slot of the operation in its last cycle has rows in use.
    pub dirty: Signal<Out, Bit>,
    /// The launch in each CTA slot.
    ram: Ram<Packed<Group<CW, IW>>, LC>,
    /// Number of rows in use of each CTA slot.
    #[reset]
    counts: [DFF<Bits<IW>>; S],
    /// The entry that is written: the counts of a launch, or 0 after reset.
    launch: Signal<Local, Group<CW, IW>>,
    /// Change of the number of rows in use: 1, 0 or -1.
    step: Signal<Local, Bits<IW>>,
    /// One-hot: CTA slot of the operation in its last cycle.
    own: Signal<Local, Bits<S>>,
    nothing: Constant<Group<CW, IW>>,
    no_slot: Constant<Bits<S>>,
    #[init(Constant::new((config.ids() as u64).into()))]
    most: Constant<Bits<6>>,
    #[init(Constant::new(!Bits::<IW>::default()))]
    minus_one: Constant<Bits<IW>>,
}

#[block]
impl Logic for Ctas<W, LW, CW, LC, S, IW> {
    fn update(&mut self) {
        self.launch.next.warps = self.inside.val().warps;
        self.launch.next.barriers = bit_cast::<IW, 6>(self.inside.val().barriers);
        if self.inside.val().barriers > self.most.val() {
            self.launch.next.barriers = bit_cast::<IW, 6>(self.most.val());
        }
        if self.inside.val().blank {
            self.launch.next = self.nothing.val();
        }
        self.ram.write.next = self.inside.val().launches | (self.inside.val().blank & !self.inside.val().message.id.any());
        self.ram.write_address.next = self.inside.val().cta;
        self.ram.write_value.next = self.launch.val().into();
        self.ram.read.next = true;
        self.ram.read_address.next = self.enters.val();
        self.group.next = self.ram.read_value.val().into();

        // Rows in use.
        self.step.next = 0.into();
        if self.used.val().now & !self.used.val().before {
            self.step.next = 1.into();
        }
        if !self.used.val().now & self.used.val().before {
            self.step.next = self.minus_one.val();
        }
        self.own.next = self.no_slot.val().with(self.ctrl.val().cta, true);
        self.open.next = 0.into();
        for i in 0..S {
            self.open.next = self.open.val().replace_bit(i, self.counts[i].q.val().any());
            if self.own.val().get_bit(i) & self.ctrl.val().changes {
                self.counts[i].d.next = self.counts[i].q.val() + self.step.val();
            }
            if self.own.val().get_bit(i) & self.ctrl.val().leaves {
                self.counts[i].d.next = 0.into();
            }
        }
        self.dirty.next = (self.open.val() & self.own.val()).any();
    }
}
