// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Which warps are whose: CTA slots of which all live warps have arrived, and the warps of slots of which a phase is completed.
//!
//! *Reads:* who is live and who has arrived, each warp's CTA slot; slots of which a phase is completed. *Writes:* in the same cycle those
//! slots, and those warps. *Latency:* 0, no state. Implements the first sentence of *Phases* of `docs/clusters.md`.

use crate::prelude::*;

/// `W` warps, `S` CTA slots of `LC` bits.
#[block]
pub struct Homes<W, LC, S> {
    pub live: Signal<In, Bits<W>>,
    pub warp_cta: [Signal<In, Bits<W>>; LC],
    pub arrived: Signal<In, Bits<W>>,
    pub completed: Signal<In, Bits<S>>,
    /// All live warps have arrived, and there is one.
    pub full: Signal<Out, Bits<S>>,
    pub over: Signal<Out, Bits<W>>,
    /// Warps of other slots.
    elsewhere: [Signal<Local, Bits<W>>; S],
    there: [Signal<Local, Bits<W>>; S],
    missing: [Signal<Local, Bits<W>>; S],
    #[init(std::array::from_fn(|slot| Constant::new((slot as u64).into())))]
    number: [Constant<Bits<LC>>; S],
}

#[block]
impl Logic for Homes<W, LC, S> {
    fn update(&mut self) {
        self.full.next = 0.into();
        self.over.next = 0.into();
        for i in 0..S {
            self.elsewhere[i].next = 0.into();
            for b in 0..LC {
                if self.number[i].val().get_bit(b) {
                    self.elsewhere[i].next = self.elsewhere[i].val() | !self.warp_cta[b].val();
                } else {
                    self.elsewhere[i].next = self.elsewhere[i].val() | self.warp_cta[b].val();
                }
            }
            self.there[i].next = self.live.val() & !self.elsewhere[i].val();
            self.missing[i].next = self.there[i].val() & !self.arrived.val();
            self.full.next = self.full.val().replace_bit(i, self.there[i].val().any() & !self.missing[i].val().any());
            if self.completed.val().get_bit(i) {
                self.over.next = self.over.val() | !self.elsewhere[i].val();
            }
        }
    }
}
