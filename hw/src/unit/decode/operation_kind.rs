// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Decodes the kind of the operation that a word encodes, the kind of its reduction, and the kind of state word that the operation
//! reads or writes.
//!
//! *Reads:* the instruction in the word, and its mode. *Writes:* for the last word taken the kind of the operation, the kind of
//! reduction and the kind of state word. An output is meaningless if the instruction does not have it, or if the word is
//! illegal. *Latency:* 1. Implements `op_kind`, `op_redop` and `op_state` of `docs/contract/decode.md`, without MBAR and NBAR.

use super::payloads::InstructionFlags;
use crate::prelude::*;

#[block]
pub struct OperationKind {
    pub clock: Signal<In, Clock>,
    /// Read only in exports in which all registers have a reset.
    pub reset: Signal<In, Bit>,
    /// The word is taken: the registers change.
    pub enable: Signal<In, Bit>,
    pub instruction: Signal<In, InstructionFlags>,
    /// The lower bit of the mode: bit 80 of the word.
    pub mode: Signal<In, Bit>,
    /// The upper bit of the mode: bit 81 of the word.
    pub upper_mode: Signal<In, Bit>,
    pub kind: Signal<Out, OpKind>,
    pub redop: Signal<Out, RedOp>,
    pub state: Signal<Out, StateWord>,
    kind_q: DFF<OpKind>,
    redop_q: DFF<RedOp>,
    state_q: DFF<StateWord>,
}

#[block]
impl Logic for OperationKind {
    fn update(&mut self) {
        let instruction = self.instruction.val();
        if self.enable.val() {
            self.kind_q.d.next = OpKind::Sync;
            if instruction.bar & self.mode.val() {
                self.kind_q.d.next = OpKind::Arrive;
            }
            if instruction.red {
                self.kind_q.d.next = OpKind::Reduce;
            }
            if instruction.b2r | instruction.b2r_result {
                self.kind_q.d.next = OpKind::Read;
            }
            if instruction.r2b {
                self.kind_q.d.next = OpKind::Write;
            }
            if instruction.fence {
                self.kind_q.d.next = OpKind::Fence;
            }
            if instruction.cluster {
                self.kind_q.d.next = OpKind::ClusterArrive;
                if self.mode.val() {
                    self.kind_q.d.next = OpKind::ClusterArriveRelaxed;
                }
                if self.upper_mode.val() {
                    self.kind_q.d.next = OpKind::ClusterWait;
                }
            }
            if instruction.grid {
                self.kind_q.d.next = OpKind::GridLaunch;
                if self.mode.val() {
                    self.kind_q.d.next = OpKind::GridWait;
                }
            }
            self.redop_q.d.next = RedOp::And;
            if self.mode.val() {
                self.redop_q.d.next = RedOp::Or;
            }
            if self.upper_mode.val() {
                self.redop_q.d.next = RedOp::Popc;
            }
            self.state_q.d.next = StateWord::Warp;
            if self.mode.val() {
                self.state_q.d.next = StateWord::Barrier;
            }
            if instruction.b2r_result {
                self.state_q.d.next = StateWord::Result;
            }
        }
        self.kind.next = self.kind_q.q.val();
        self.redop.next = self.redop_q.q.val();
        self.state.next = self.state_q.q.val();
    }
}
