// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Selects the warp that is looked up: the warp of the oldest operation in the queue, or the next warp of a scan over all warps.
//!
//! *Reads:* whether there will be an oldest operation in the next cycle, and its warp; accesses that are performed; masks of the
//! warps with a parked operation, and of the warps at their access limit. *Writes:* the warp to look up; one cycle later the
//! reason of the look-up; after a reset the warp whose words are cleared. *Latency:* 0 and 1. Implements *Look-up and scan* of
//! `docs/contract/mem_order.md`.
//!
//! The scan searches for parked operations that may pass, for fences that end, and for warps that are no longer at their access
//! limit; an access that is performed causes a look-up of its warp out of turn. After a reset the scan clears the words of all
//! warps.

use super::payloads::Turn;
use crate::prelude::*;

/// `W` warps with numbers of `LW` bits, `P` strobes of performed accesses.
#[block]
pub struct Turns<W, LW, P> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// Prediction: there will be an oldest operation in the next cycle.
    pub predicted_valid: Signal<In, Bit>,
    /// Prediction: the warp of that oldest operation.
    pub predicted_warp: Signal<In, Bits<LW>>,
    /// The prediction is right: the operation under decision leaves, or no operation is under decision.
    pub prediction_right: Signal<In, Bit>,
    /// By strobe: an access was performed.
    pub performed: [Signal<In, Bit>; P],
    /// By strobe: the warp of the access that was performed.
    pub performers: [Signal<In, Bits<LW>>; P],
    /// Warps with a parked operation, or fenced.
    pub parked: Signal<In, Bits<W>>,
    /// Warps at their access limit.
    pub access_limit: Signal<In, Bits<W>>,
    /// The warp to look up.
    pub lookup_warp: Signal<Out, Bits<LW>>,
    /// The reason of the look-up in the previous cycle.
    pub turn: Signal<Out, Turn>,
    /// All words have been cleared since the last reset.
    pub words_cleared: Signal<Out, Bit>,
    /// The next warp of the scan, whose words are cleared while `words_cleared` is 0.
    pub warp_to_clear: Signal<Out, Bits<LW>>,
    /// All words have been cleared since the last reset.
    #[reset]
    words_cleared_q: DFF<Bit>,
    #[reset]
    turn_q: DFF<Turn>,
    /// The next warp of the scan in order.
    #[reset]
    scan_warp: DFF<Bits<LW>>,
    /// The warp `hint` is still to be looked up out of turn.
    #[reset]
    hint_valid: DFF<Bit>,
    /// The warp of the latest access that was performed.
    hint: DFF<Bits<LW>>,
    /// The latest step of the scan was out of turn.
    #[reset]
    last_was_hint: DFF<Bit>,
    /// Cycle counter, modulo 4.
    #[reset]
    cycle_count: DFF<Bits<2>>,
    /// A warp has a parked operation, is fenced, or is at its access limit.
    #[reset]
    any_waiter: DFF<Bit>,
    waiters: Signal<Local, Bits<W>>,
    /// The look-up is for the oldest operation.
    of_head: Signal<Local, Bit>,
    /// If the look-up of this cycle is by the scan, the scan looks up the warp `hint`, out of turn.
    uses_hint: Signal<Local, Bit>,
}

#[block]
impl Logic for Turns {
    fn update(&mut self) {
        // While a warp has a parked operation, is fenced or is at its access limit, at least every fourth look-up is by the scan.
        // At least every second step of the scan is in order, not out of turn.
        self.cycle_count.d.next = self.cycle_count.q.val() + 1;
        self.waiters.next = self.parked.val() | self.access_limit.val();
        self.any_waiter.d.next = self.waiters.val().any();
        self.of_head.next = self.words_cleared_q.q.val()
            & self.predicted_valid.val()
            & !(self.any_waiter.q.val() & self.cycle_count.q.val().all());
        self.uses_hint.next = self.words_cleared_q.q.val() & self.hint_valid.q.val() & !self.last_was_hint.q.val();

        // The warp to look up. A step of the scan uses the hint or advances the warp in order.
        self.lookup_warp.next = self.scan_warp.q.val();
        if self.uses_hint.val() {
            self.lookup_warp.next = self.hint.q.val();
        }
        if self.of_head.val() {
            self.lookup_warp.next = self.predicted_warp.val();
        } else {
            self.last_was_hint.d.next = self.uses_hint.val();
            if self.uses_hint.val() {
                self.hint_valid.d.next = false;
            } else {
                self.scan_warp.d.next = self.scan_warp.q.val() + 1;
            }
        }

        // The hint: the warp of the latest access that was performed. Of several strobes the last strobe wins.
        for k in 0..P {
            if self.performed[k].val() {
                self.hint_valid.d.next = true;
                self.hint.d.next = self.performers[k].val();
            }
        }
        self.words_cleared_q.d.next = self.words_cleared_q.q.val() | self.scan_warp.q.val().all();
        self.turn_q.d.next.of_head = self.of_head.val() & self.prediction_right.val();
        self.turn_q.d.next.of_scan = self.words_cleared_q.q.val() & !self.of_head.val();
        self.turn_q.d.next.clears_words = !self.words_cleared_q.q.val();
        self.turn.next = self.turn_q.q.val();
        self.words_cleared.next = self.words_cleared_q.q.val();
        self.warp_to_clear.next = self.scan_warp.q.val();
    }
}
