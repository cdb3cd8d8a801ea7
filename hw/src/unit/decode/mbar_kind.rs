// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The kind of the mbarrier operation that an MBAR word encodes.
//!
//! *Reads:* the MBAR instruction in the word, and its mode. *Writes:* the kind of the operation of the last word taken; it is
//! meaningless if that word is not an MBAR instruction. *Latency:* 1. Implements the modes of the MBAR instructions in
//! `docs/contract/isa.md`.

use super::payloads::MbarFlags;
use crate::prelude::*;

#[block]
pub struct MbarKind {
    pub clock: Signal<In, Clock>,
    /// Read only in exports in which all registers have a reset.
    pub reset: Signal<In, Bit>,
    /// The word is taken: the register changes.
    pub enable: Signal<In, Bit>,
    pub instruction: Signal<In, MbarFlags>,
    /// The lowest bit of the mode: bit 80 of the word.
    pub mode: Signal<In, Bit>,
    /// ARRIVE or DROP: the upper two bits of the mode (bits 82:81 of the word), of which at most one is 1.
    pub arrival_mode: Signal<In, Bits<2>>,
    pub kind: Signal<Out, MbarrierKind>,
    kind_q: DFF<MbarrierKind>,
}

#[block]
impl Logic for MbarKind {
    fn update(&mut self) {
        let instruction = self.instruction.val();
        if self.enable.val() {
            self.kind_q.d.next = MbarrierKind::Init;
            if instruction.is_local & self.mode.val() {
                self.kind_q.d.next = MbarrierKind::AddPending;
            }
            if instruction.inval {
                self.kind_q.d.next = MbarrierKind::Inval;
            }
            if instruction.bytes {
                self.kind_q.d.next = MbarrierKind::Expect;
                if self.mode.val() {
                    self.kind_q.d.next = MbarrierKind::Complete;
                }
            }
            if instruction.arrive {
                self.kind_q.d.next = MbarrierKind::Arrive;
                if self.mode.val() {
                    self.kind_q.d.next = MbarrierKind::ArriveExpect;
                }
                if self.arrival_mode.val().get_bit(0) {
                    self.kind_q.d.next = MbarrierKind::ArriveNoComplete;
                    if self.mode.val() {
                        self.kind_q.d.next = MbarrierKind::Drop;
                    }
                }
                if self.arrival_mode.val().get_bit(1) {
                    self.kind_q.d.next = MbarrierKind::DropExpect;
                    if self.mode.val() {
                        self.kind_q.d.next = MbarrierKind::DropNoComplete;
                    }
                }
            }
            if instruction.test {
                self.kind_q.d.next = MbarrierKind::TestWait;
            }
            if instruction.try_wait {
                self.kind_q.d.next = MbarrierKind::TryWait;
            }
        }
        self.kind.next = self.kind_q.q.val();
    }
}
