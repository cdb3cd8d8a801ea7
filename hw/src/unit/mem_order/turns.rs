// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Which warp is looked up: that of the operation that is the oldest one next, or one of which something may be parked.
//!
//! *Reads:* whether there is such an operation, and its warp; accesses that are performed; for whom something is parked; who is crowded. *Writes:* the warp to
//! look up; for what the one of the cycle before was looked up; the warp to clear behind a reset. *Latency:* 0 and 1. Implements the look-up of `docs/interface.md`, section `mem_order`.
//!
//! A scan over all warps looks for parked operations that may go, and for warps that are no more crowded; an access that is performed points it at
//! its warp. Behind a reset the scan clears the words of all warps.

use crate::prelude::*;

/// What a warp was looked up for.
#[payload]
pub struct Turn {
    pub of_head: Bit,
    pub of_scan: Bit,
    /// Its word is cleared.
    pub clears: Bit,
}

/// `W` warps of `LW` bits, `P` strobes.
#[block]
pub struct Turns<W, LW, P> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// An operation is thought to be the oldest one next; its warp; it will be, and has not been offered then.
    pub wanted: Signal<In, Bit>,
    pub head: Signal<In, Bits<LW>>,
    pub as_thought: Signal<In, Bit>,
    pub performed: [Signal<In, Bit>; P],
    pub performers: [Signal<In, Bits<LW>>; P],
    pub parked: Signal<In, Bits<W>>,
    pub crowded: Signal<In, Bits<W>>,
    pub asked: Signal<Out, Bits<LW>>,
    pub turn: Signal<Out, Turn>,
    /// All words have been cleared; the warp that comes next, whose words are cleared before that.
    pub open: Signal<Out, Bit>,
    pub to_clear: Signal<Out, Bits<LW>>,
    #[reset]
    swept: DFF<Bit>,
    #[reset]
    now: DFF<Turn>,
    /// The warp that comes next in the scan; the one that an access points at; the last step was there.
    #[reset]
    scan: DFF<Bits<LW>>,
    #[reset]
    pointed: DFF<Bit>,
    hint: DFF<Bits<LW>>,
    #[reset]
    went: DFF<Bit>,
    #[reset]
    count: DFF<Bits<2>>,
    #[reset]
    some_wait: DFF<Bit>,
    waiters: Signal<Local, Bits<W>>,
    of_head: Signal<Local, Bit>,
    goes: Signal<Local, Bit>,
}

#[block]
impl Logic for Turns<W, LW, P> {
    fn update(&mut self) {
        // While something is parked or somebody crowded, the scan has every fourth turn at least, and every other one of its steps is one in a row.
        self.count.d.next = self.count.q.val() + 1;
        self.waiters.next = self.parked.val() | self.crowded.val();
        self.some_wait.d.next = self.waiters.val().any();
        self.of_head.next = self.swept.q.val() & self.wanted.val() & !(self.some_wait.q.val() & self.count.q.val().all());
        self.goes.next = self.swept.q.val() & self.pointed.q.val() & !self.went.q.val();
        self.asked.next = self.scan.q.val();
        if self.goes.val() {
            self.asked.next = self.hint.q.val();
        }
        if self.of_head.val() {
            self.asked.next = self.head.val();
        } else {
            self.went.d.next = self.goes.val();
            if self.goes.val() {
                self.pointed.d.next = false;
            } else {
                self.scan.d.next = self.scan.q.val() + 1;
            }
        }
        for k in 0..P {
            if self.performed[k].val() {
                self.pointed.d.next = true;
                self.hint.d.next = self.performers[k].val();
            }
        }
        self.swept.d.next = self.swept.q.val() | self.scan.q.val().all();
        self.now.d.next.of_head = self.of_head.val() & self.as_thought.val();
        self.now.d.next.of_scan = self.swept.q.val() & !self.of_head.val();
        self.now.d.next.clears = !self.swept.q.val();
        self.turn.next = self.now.q.val();
        self.open.next = self.swept.q.val();
        self.to_clear.next = self.scan.q.val();
    }
}
