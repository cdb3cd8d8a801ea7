// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Classifies the operation at the port: one bit for each kind of operation that the pipeline handles differently.
//!
//! *Reads:* the kind of the operation and the kind of its state word, whether or not the operation is taken. *Writes:* the class of
//! the operation. *Latency:* 0, no state. Implements the kinds of operations, and which of them occupy two cycles, of
//! `docs/contract/named.md`.

use super::entering_payloads::OpClass;
use super::parts::Parts;
use crate::prelude::*;

#[block]
pub struct OpClassifier {
    pub parts: Signal<In, Parts>,
    pub kind: Signal<In, OpKind>,
    pub state: Signal<In, StateWord>,
    pub class: Signal<Out, OpClass>,
    /// The operation is a Write. Always 0 in a configuration without state words.
    is_write: Signal<Local, Bit>,
}

#[block]
impl Logic for OpClassifier {
    fn update(&mut self) {
        self.class.next.is_wait = (self.kind.val() == OpKind::Sync) | (self.kind.val() == OpKind::Reduce);
        self.class.next.is_arrival = self.class.val().is_wait | (self.kind.val() == OpKind::Arrive);
        self.class.next.is_read = self.parts.val().state_words & (self.kind.val() == OpKind::Read);
        self.is_write.next = self.parts.val().state_words & (self.kind.val() == OpKind::Write);
        self.class.next.is_row_write = self.is_write.val() & (self.state.val() == StateWord::Barrier);
        self.class.next.is_warp_write = self.is_write.val() & (self.state.val() == StateWord::Warp);
        self.class.next.is_exit = self.kind.val() == OpKind::Exit;
        self.class.next.is_launch = self.kind.val() == OpKind::Launch;
        self.class.next.is_release = self.kind.val() == OpKind::Release;
        self.class.next.needs_two_slots = self.class.val().is_warp_write
            | self.class.val().is_exit
            | self.class.val().is_launch
            | self.class.val().is_release;
    }
}
