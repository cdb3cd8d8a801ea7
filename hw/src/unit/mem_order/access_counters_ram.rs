// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The numbers of outstanding accesses of each warp by epoch, for at most one issued and one performed access a cycle: in memory.
//!
//! *Reads:* the access that is issued and the access that is performed, in this cycle and again one cycle later; the warp to look
//! up. *Writes:* for each epoch of the warp that was looked up in the previous cycle, whether accesses are outstanding, and whether
//! their number is near the limit (the page calls such a number *high*); the warp that reaches its access limit; the numbers from
//! which the mask of warps with an access outstanding is computed, if that mask is built. *Latency:* 1 from the look-up to its
//! result, 2 from a strobe to `reach_limit`. Implements the numbers of accesses in `docs/contract/mem_order.md`.
//!
//! Accesses issued and accesses performed are counted separately; the difference is the number outstanding. After a reset all words
//! are cleared one after another: each is written with the value that was written last, which is 0 after a reset.

use super::access_counts::AccessCounts;
use super::limit_mask::LimitMask;
use super::payloads::{Access, Numbers};
use crate::prelude::*;

/// `W` warps with numbers of `LW` bits, counts of accesses of `OB` bits.
#[block]
pub struct AccessCountersRam<W, LW, OB> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// The access that is issued in this cycle.
    pub issues: Signal<In, Access<LW>>,
    /// The access that is performed in this cycle.
    pub performs: Signal<In, Access<LW>>,
    /// The access issued in the previous cycle.
    pub issued: Signal<In, Access<LW>>,
    /// The access performed in the previous cycle.
    pub performed: Signal<In, Access<LW>>,
    /// The warp to look up.
    pub lookup_warp: Signal<In, Bits<LW>>,
    /// For the warp looked up in the previous cycle, by epoch: an access is outstanding.
    pub busy: [Signal<Out, Bit>; 2],
    /// For the warp looked up in the previous cycle, by epoch: the number of outstanding accesses is near the limit, so further
    /// accesses may exceed the limit.
    pub near_limit: [Signal<Out, Bit>; 2],
    /// The warp named in `issued`, one-hot, if it reaches its access limit with this access; else 0.
    pub reach_limit: Signal<Out, Bits<W>>,
    /// For the warp named in `issued`, by epoch: number of accesses issued so far, including this access.
    pub issued_next: Signal<Out, Numbers<OB>>,
    /// For the warp named in `issued`, by epoch: number of accesses performed so far, before the access in `performed` is counted.
    pub issuer_performed: Signal<Out, Numbers<OB>>,
    /// For the warp named in `performed`, by epoch: number of accesses performed so far, including this access.
    pub performed_next: Signal<Out, Numbers<OB>>,
    /// Numbers of accesses issued; read for the warp that issues, and for the warp that is looked up.
    issued_counts: AccessCounts<LW, OB, 1>,
    /// Numbers of accesses performed; read for the warp whose access is performed, for the warp that issues, and for the warp that
    /// is looked up.
    performed_counts: AccessCounts<LW, OB, 2>,
    limit_mask: LimitMask<W, LW>,
    /// For the warp named in `issued`, by epoch: number of outstanding accesses before this access is counted.
    issuer_outstanding: Signal<Local, Numbers<OB>>,
    /// For the warp that was looked up, by epoch: number of outstanding accesses.
    lookup_outstanding: Signal<Local, Numbers<OB>>,
    /// For the warp and the epoch named in `issued`: the number of outstanding accesses, including this access, is near the limit.
    is_near_limit: Signal<Local, Bit>,
    /// The highest number of outstanding accesses that is not near the limit.
    last_safe_count: Constant<Bits<OB>>,
}

#[block]
impl AccessCountersRam {
    /// Makes the counters for a limit of `most` outstanding accesses of a warp in one epoch. A warp is near the limit from
    /// `most - 1` outstanding accesses on.
    pub fn up_to(most: usize) -> Self {
        AccessCountersRam { last_safe_count: Constant::new((most as u64 - 2).into()), ..Default::default() }
    }
}

#[block]
impl Logic for AccessCountersRam {
    fn update(&mut self) {
        let issuer_issued = self.issued_counts.entered_counts.val();
        let issuer_performed = self.performed_counts.read_counts[0].val();
        let lookup_issued = self.issued_counts.read_counts[0].val();
        let lookup_performed = self.performed_counts.read_counts[1].val();

        // The numbers of accesses issued, and of accesses performed.
        self.issued_counts.entering.next = self.issues.val();
        self.issued_counts.entered.next = self.issued.val();
        self.issued_counts.read_warps[0].next = self.lookup_warp.val();
        self.performed_counts.entering.next = self.performs.val();
        self.performed_counts.entered.next = self.performed.val();
        self.performed_counts.read_warps[0].next = self.issues.val().warp;
        self.performed_counts.read_warps[1].next = self.lookup_warp.val();
        self.issued_next.next = self.issued_counts.next_counts.val();
        self.issuer_performed.next = issuer_performed;
        self.performed_next.next = self.performed_counts.next_counts.val();

        // The look-up.
        self.lookup_outstanding.next.even = lookup_issued.even - lookup_performed.even;
        self.lookup_outstanding.next.odd = lookup_issued.odd - lookup_performed.odd;
        self.busy[0].next = lookup_issued.even != lookup_performed.even;
        self.busy[1].next = lookup_issued.odd != lookup_performed.odd;
        self.near_limit[0].next = self.lookup_outstanding.val().even > self.last_safe_count.val();
        self.near_limit[1].next = self.lookup_outstanding.val().odd > self.last_safe_count.val();

        // The warp in `issued` reaches its limit if its number of outstanding accesses, plus 1, is near the limit. The sum
        // wraps: a number with all bits 1 becomes 0, which is not near the limit.
        self.issuer_outstanding.next.even = issuer_issued.even - issuer_performed.even;
        self.issuer_outstanding.next.odd = issuer_issued.odd - issuer_performed.odd;
        self.is_near_limit.next =
            (self.issuer_outstanding.val().even >= self.last_safe_count.val()) & !self.issuer_outstanding.val().even.all();
        if self.issued.val().epoch {
            self.is_near_limit.next =
                (self.issuer_outstanding.val().odd >= self.last_safe_count.val()) & !self.issuer_outstanding.val().odd.all();
        }
        self.limit_mask.valid.next = self.issued.val().valid;
        self.limit_mask.warp.next = self.issued.val().warp;
        self.limit_mask.is_near_limit.next = self.is_near_limit.val();
        self.reach_limit.next = self.limit_mask.reach_limit.val();
    }
}
