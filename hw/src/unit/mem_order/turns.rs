// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Selects the warp that is looked up: that of the oldest operation, or the next one of a scan over all warps.
//!
//! *Reads:* whether there will be an oldest operation in the next cycle, and its warp; accesses that are performed; which warps
//! have a parked operation, and which are at their access limit. *Writes:* the warp to look up; one cycle later the reason; after
//! a reset the warp whose words are cleared. *Latency:* 0 and 1. Implements the look-up of `docs/contract/mem_order.md`.
//!
//! The scan searches for parked operations that may pass, and for warps that are no longer at their access limit; an access that
//! is performed causes a look-up of its warp out of turn. After a reset the scan clears the words of all warps.

use crate::prelude::*;

/// The reason of a look-up.
#[payload]
pub struct Turn {
    /// For the oldest operation.
    pub of_head: Bit,
    /// By the scan.
    pub of_scan: Bit,
    /// After a reset: its word is cleared.
    pub clears: Bit,
}

/// `W` warps of `LW` bits, `P` strobes.
#[block]
pub struct Turns<W, LW, P> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// Prediction: there will be an oldest operation in the next cycle.
    pub wanted: Signal<In, Bit>,
    /// The warp of that operation.
    pub head: Signal<In, Bits<LW>>,
    /// The prediction is right, and that operation is still to be decided about.
    pub guess_right: Signal<In, Bit>,
    /// By strobe: an access was performed.
    pub performed: [Signal<In, Bit>; P],
    /// By strobe: the warp of that access.
    pub performers: [Signal<In, Bits<LW>>; P],
    /// Warps with a parked operation, or fenced.
    pub parked: Signal<In, Bits<W>>,
    /// Warps at their access limit.
    pub access_limit: Signal<In, Bits<W>>,
    /// The warp to look up.
    pub asked: Signal<Out, Bits<LW>>,
    /// The reason of the look-up in the cycle before.
    pub turn: Signal<Out, Turn>,
    /// After a reset all words have been cleared.
    pub open: Signal<Out, Bit>,
    /// The next warp of the scan, whose words are cleared while `open` is 0.
    pub to_clear: Signal<Out, Bits<LW>>,
    /// After a reset all words have been cleared.
    #[reset]
    swept: DFF<Bit>,
    #[reset]
    now: DFF<Turn>,
    /// The next warp of the scan.
    #[reset]
    scan: DFF<Bits<LW>>,
    /// The scan is to look up the warp `hint` out of turn.
    #[reset]
    hint_valid: DFF<Bit>,
    /// The warp of the last access that was performed.
    hint: DFF<Bits<LW>>,
    /// The last step of the scan was out of turn.
    #[reset]
    last_was_hint: DFF<Bit>,
    /// Cycle counter.
    #[reset]
    count: DFF<Bits<2>>,
    /// A warp has an operation parked or is at its access limit.
    #[reset]
    some_wait: DFF<Bit>,
    waiters: Signal<Local, Bits<W>>,
    /// The look-up is for the oldest operation.
    of_head: Signal<Local, Bit>,
    /// A step of the scan would be out of turn.
    goes: Signal<Local, Bit>,
}

#[block]
impl Logic for Turns<W, LW, P> {
    fn update(&mut self) {
        // While a warp has a parked operation or is at its access limit, the scan gets at least every fourth cycle, and at least
        // every other step of the scan is in order.
        self.count.d.next = self.count.q.val() + 1;
        self.waiters.next = self.parked.val() | self.access_limit.val();
        self.some_wait.d.next = self.waiters.val().any();
        self.of_head.next = self.swept.q.val() & self.wanted.val() & !(self.some_wait.q.val() & self.count.q.val().all());
        self.goes.next = self.swept.q.val() & self.hint_valid.q.val() & !self.last_was_hint.q.val();
        self.asked.next = self.scan.q.val();
        if self.goes.val() {
            self.asked.next = self.hint.q.val();
        }
        if self.of_head.val() {
            self.asked.next = self.head.val();
        } else {
            self.last_was_hint.d.next = self.goes.val();
            if self.goes.val() {
                self.hint_valid.d.next = false;
            } else {
                self.scan.d.next = self.scan.q.val() + 1;
            }
        }
        for k in 0..P {
            if self.performed[k].val() {
                self.hint_valid.d.next = true;
                self.hint.d.next = self.performers[k].val();
            }
        }
        self.swept.d.next = self.swept.q.val() | self.scan.q.val().all();
        self.now.d.next.of_head = self.of_head.val() & self.guess_right.val();
        self.now.d.next.of_scan = self.swept.q.val() & !self.of_head.val();
        self.now.d.next.clears = !self.swept.q.val();
        self.turn.next = self.now.q.val();
        self.open.next = self.swept.q.val();
        self.to_clear.next = self.scan.q.val();
    }
}
