// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What the gateway knows of each thread group: warps launched, barriers declared, rows in use.
//!
//! *Reads:* the slot of what enters; what a launch says; of the operation in its last cycle whether its row was and is in use. *Writes:* the entry of the
//! operation inside; the slots with rows in use; whether a release finds some. *Latency:* 1. Implements the state of a CTA slot of `docs/gateway.md`.
//!
//! Nothing enters in the cycle in which a launch writes its entry, so entries are not forwarded. After reset the entry of a slot is written with 0 in
//! the turn of its first row: what enters behind the last one may read it.

use super::input_stage::Inside;
use super::next_row::{Ctrl, Used};
use crate::prelude::*;

/// What was launched.
#[payload]
pub struct Group<CW, IW> {
    pub warps: Bits<CW>,
    pub barriers: Bits<IW>,
}

#[block]
pub struct Ctas<W, LW, CW, LC, S, IW> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub enters: Signal<In, Bits<LC>>,
    pub inside: Signal<In, Inside<W, LW, CW, LC>>,
    pub ctrl: Signal<In, Ctrl<W, LW, LC>>,
    pub used: Signal<In, Used>,
    pub group: Signal<Out, Group<CW, IW>>,
    pub open: Signal<Out, Bits<S>>,
    pub dirty: Signal<Out, Bit>,
    ram: Ram<Packed<Group<CW, IW>>, LC>,
    #[reset]
    counts: [DFF<Bits<IW>>; S],
    launch: Signal<Local, Group<CW, IW>>,
    step: Signal<Local, Bits<IW>>,
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
