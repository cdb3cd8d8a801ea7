// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What leaves the pipeline: the release strobe, and who waits.
//!
//! *Reads:* whose wait begins (`blocks`, from what enters); of the operation inside whether it completes a barrier and who goes on, whether it
//! is refused, whether it is a row's turn to be cleared. *Writes:* the release strobe, `blocked`. *Latency:* 1.
//! Implements "restarted without delay" of spec 000.

use rust_hdl::prelude::*;

/// `W` warps, slots of `LC` bits.
#[derive(LogicBlock, Default)]
pub struct Leave<const W: usize, const LC: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub blocks: Signal<In, Bits<W>>,
    pub complete: Signal<In, Bit>,
    pub go: Signal<In, Bits<W>>,
    pub cta: Signal<In, Bits<LC>>,
    pub id: Signal<In, Bits<4>>,
    /// The operation inside is a Sync with a fault that was found here.
    pub refused: Signal<In, Bit>,
    pub warp_mask: Signal<In, Bits<W>>,
    pub turn: Signal<In, Bit>,
    pub waiting: Signal<In, Bits<W>>,
    pub release_valid: Signal<Out, Bit>,
    pub release_cta: Signal<Out, Bits<LC>>,
    pub release_id: Signal<Out, Bits<4>>,
    pub release_warps: Signal<Out, Bits<W>>,
    pub blocked: Signal<Out, Bits<W>>,
    strobe: DFF<Bit>,
    strobe_cta: DFF<Bits<LC>>,
    strobe_id: DFF<Bits<4>>,
    strobe_warps: DFF<Bits<W>>,
    waits: DFF<Bits<W>>,
    unblock: Signal<Local, Bits<W>>,
}

impl<const W: usize, const LC: usize> Logic for Leave<W, LC> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, strobe, strobe_cta, strobe_id, strobe_warps, waits);
        self.strobe.d.next = self.complete.val();
        self.strobe_warps.d.next = 0.into();
        self.unblock.next = 0.into();
        if self.complete.val() {
            self.strobe_cta.d.next = self.cta.val();
            self.strobe_id.d.next = self.id.val();
            self.strobe_warps.d.next = self.go.val();
            self.unblock.next = self.go.val();
        }
        if self.turn.val() {
            self.unblock.next = self.waiting.val();
        }
        if self.refused.val() {
            self.unblock.next = self.warp_mask.val();
        }
        self.waits.d.next = (self.waits.q.val() & !self.unblock.val()) | self.blocks.val();

        if self.reset.val() {
            self.strobe.d.next = false;
            self.strobe_cta.d.next = 0.into();
            self.strobe_id.d.next = 0.into();
            self.strobe_warps.d.next = 0.into();
            self.waits.d.next = 0.into();
        }
        self.release_valid.next = self.strobe.q.val();
        self.release_cta.next = self.strobe_cta.q.val();
        self.release_id.next = self.strobe_id.q.val();
        self.release_warps.next = self.strobe_warps.q.val();
        self.blocked.next = self.waits.q.val();
    }
}
