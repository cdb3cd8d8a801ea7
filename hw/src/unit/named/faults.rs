// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The fault queue: keeps faults while the fault channel is not ready. While the queue is full, the stream stops; with
//! `lose_faults` faults are lost instead, and counted.
//!
//! *Reads:* the fault of the operation in the commit stage; whether the lookup and the commit stage will be occupied in the next
//! cycle. *Writes:* the fault channel (its payload is a gate); whether the queue has space for the fault of an operation that
//! enters in the next cycle, even if all operations in the pipeline have faults; in a configuration that loses faults, the number of
//! faults lost. *Latency:* 1. Implements the fault queue of `docs/contract/named.md`, *op_ready*, and the faults that a configuration
//! may lose.

use super::commit_payloads::Verdict;
use super::lookup_payloads::Origin;
use super::parts::Parts;
use crate::prelude::*;

/// A queue of four faults: one is at the port, two are of the operations in the pipeline, and one is of an operation taken
/// before `fault_space_next` fell. Sizes: warp numbers of `LW` bits, CTA slot numbers of `LC` bits.
#[block]
pub struct Faults<LW, LC> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub parts: Signal<In, Parts>,
    /// The lookup stage is occupied in the next cycle.
    pub lookup_valid_next: Signal<In, Bit>,
    /// The commit stage is occupied in the next cycle.
    pub commit_valid_next: Signal<In, Bit>,
    /// The source of the operation in the commit stage; `warp` is 0 for a clear step.
    pub commit_origin: Signal<In, Origin<LW, LC>>,
    pub verdict: Signal<In, Verdict>,
    pub fault: Source<NamedFault<LW, LC>>,
    /// In the next cycle the queue has space for the fault of an operation or clear step that enters. Combinational.
    pub fault_space_next: Signal<Out, Bit>,
    /// Number of faults lost since reset because the fault queue was full; it stops at 65535. Always 0 without `lose_faults` in
    /// the configuration.
    pub lost_faults: Signal<Out, Bits<16>>,
    queue: Ring<Packed<NamedFault<LW, LC>>>,
    /// The fault of the operation in the commit stage.
    record: Signal<Local, NamedFault<LW, LC>>,
    /// Operations that will be in the lookup and commit stages in the next cycle: at least one, both.
    any_op_next: Signal<Local, Bit>,
    both_ops_next: Signal<Local, Bit>,
    /// The queue has no space for the fault of the next operation, provided that no fault is pushed in this cycle.
    full_without_push: Signal<Local, Bit>,
    /// The queue has no space for the fault of the next operation, provided that a fault is pushed in this cycle.
    full_with_push: Signal<Local, Bit>,
    /// A fault is lost in this cycle.
    loses_fault: Signal<Local, Bit>,
    /// Register of `lost_faults`.
    #[reset]
    lost_count: DFF<Bits<16>>,
    count_change: Signal<Local, Bits<16>>,
    no_fault: Constant<NamedFault<LW, LC>>,
}

#[block]
impl Logic for Faults {
    fn update(&mut self) {
        let parts = self.parts.val();
        let origin = self.commit_origin.val();
        let verdict = self.verdict.val();

        self.record.next.refusal.code = verdict.fault;
        self.record.next.refusal.has_warp = origin.has_warp;
        self.record.next.refusal.warp = origin.warp;
        self.record.next.refusal.cta = origin.cta;
        self.record.next.id = origin.id;
        // If faults are not built, the record is constant, so that synthesis removes it.
        if !parts.faults {
            self.record.next = self.no_fault.val();
        }
        self.loses_fault.next = parts.lose_faults & verdict.pushes_fault & self.queue.full.val();
        self.count_change.next = 0.into();
        if self.loses_fault.val() & !self.lost_count.q.val().all() {
            self.count_change.next = 1.into();
        }
        self.lost_count.d.next = self.lost_count.q.val() + self.count_change.val();
        self.lost_faults.next = self.lost_count.q.val();
        self.queue.push.next = verdict.pushes_fault & !self.loses_fault.val();
        self.queue.data.next = self.record.val().into();
        self.queue.pop.next = self.fault.ready.val() & self.queue.valid.val();
        self.fault.valid.next = self.queue.valid.val() & parts.faults;
        self.fault.payload.next = self.queue.head.val().into();

        // The next operation may enter if the queue has a free entry for its fault, and one more for each operation in the
        // pipeline. Bit k of `filled_after_pop` is 1 if more than k entries are in use. The result is computed with and without
        // a push in this cycle, because the input `pushes_fault` comes last in the cycle.
        self.full_without_push.next = self.queue.filled_after_pop.val().get_bit(3);
        self.full_with_push.next = self.queue.filled_after_pop.val().get_bit(2);
        self.any_op_next.next = self.lookup_valid_next.val() | self.commit_valid_next.val();
        self.both_ops_next.next = self.lookup_valid_next.val() & self.commit_valid_next.val();
        if self.any_op_next.val() {
            self.full_without_push.next = self.queue.filled_after_pop.val().get_bit(2);
            self.full_with_push.next = self.queue.filled_after_pop.val().get_bit(1);
        }
        if self.both_ops_next.val() {
            self.full_without_push.next = self.queue.filled_after_pop.val().get_bit(1);
            self.full_with_push.next = self.queue.filled_after_pop.val().get_bit(0);
        }
        self.fault_space_next.next = !self.full_without_push.val();
        if verdict.pushes_fault {
            self.fault_space_next.next = !self.full_with_push.val();
        }
        if parts.lose_faults | !parts.faults {
            self.fault_space_next.next = true;
        }
    }
}
