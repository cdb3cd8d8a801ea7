// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Memory ordering: an arrival passes once the memory accesses that its warp issued before it are performed, and a warp at a fence
//! resumes under the same condition.
//!
//! *Reads:* the operation channel `in`; the strobes of the memory system, `issue` and `perform` of accesses and of copies; the
//! warps whose operation takes effect. *Writes:* the operation channel `op`; the epoch of each warp; masks of the warps that must
//! not issue, and of the warps with a parked operation; the CTA slots with copies outstanding. *Latency:* 2 from `in` to `op` if
//! there is no wait. Implements the memory ordering of `barrier` in spec 000 and of BAR in spec 001; the exact ports and cycles are
//! in `docs/contract/mem_order.md`.
//!
//! An operation that has to wait is parked, as the last of its warp's parked operations. A warp counts its accesses in two
//! epochs. When an operation becomes the first parked operation of its warp, the warp's epoch flips. So the operation waits
//! only for accesses of the epoch before the flip. In each cycle one warp is looked up, and in the next cycle the decision on
//! its operations is made.
//!
//! ```text
//!  in ──► head ─────────► op          turns: which warp is looked up
//!         │  ▲  ▲                       │
//!         ▼  │  └──── decide ◄── warps ◄┴── access counters ◄── issue, perform
//!        parked ◄───────┘  └─► change ─┘
//! ```

pub mod access_counters_ram;
pub mod access_counters_reg;
pub mod access_counts;
pub mod accesses;
pub mod copies;
pub mod decide;
pub mod folded;
pub mod front;
pub mod head;
pub mod limit_mask;
pub mod outstanding;
pub mod parked;
pub mod parked_form;
pub mod payloads;
pub mod port_states;
pub mod strobes;
pub mod turns;
pub mod warps;

use crate::prelude::*;
use access_counters_ram::AccessCountersRam;
use access_counters_reg::AccessCountersReg;
use accesses::Accesses;
use copies::Copies;
use decide::Decide;
use head::Head;
use outstanding::Outstanding;
use parked::Parked;
use strobes::Strobes;
use turns::Turns;
use warps::Warps;

/// `W` warps with numbers of `LW` bits and counts of `CW = LW + 1` bits, `S` CTA slots with numbers of `LC` bits, contributions to
/// a reduction of `VW` bits, addresses of parked operations of `PW = LW + 2` bits, counts of accesses of `OB` bits, `P` strobes of
/// accesses that are issued, and `P` of accesses that are performed.
#[block(unit = "mem_order")]
pub struct MemOrder<W, LW, CW, LC, S, VW, PW, OB, P> {
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    #[group("input")]
    pub in_: Sink<WarpOp<W, LW, LC, VW>>,
    #[group("memory")]
    pub issue: [StrobeIn<Issue<LW>>; P],
    #[group("memory")]
    pub perform: [StrobeIn<Perform<LW>>; P],
    #[group("memory")]
    pub copy_issue: StrobeIn<CopyIssue<LC>>,
    #[group("memory")]
    pub copy_perform: StrobeIn<CopyPerform<LC>>,
    /// The present epoch of each warp: the epoch of the accesses that it issues.
    pub epoch: Signal<Out, Bits<W>>,
    #[group("operation")]
    pub op: Source<OrderedOp<W, LW, LC, VW>>,
    /// Warps with an access outstanding, in either epoch.
    #[group("warps")]
    #[built(config.has_clusters() || config.has_grids())]
    pub outstanding: Signal<Out, Bits<W>>,
    /// CTA slots with a copy outstanding.
    #[group("CTAs")]
    pub copying: Signal<Out, Bits<S>>,
    /// CTA slots that must not issue another copy.
    pub copies_full: Signal<Out, Bits<S>>,
    /// Warps that must not issue: they are fenced, or wait for a parked operation.
    #[group("warps")]
    pub held: Signal<Out, Bits<W>>,
    /// Warps that must not issue because too many of their accesses are outstanding; they may exit.
    pub access_limit: Signal<Out, Bits<W>>,
    /// Warps with two or more parked operations.
    pub full: Signal<Out, Bits<W>>,
    /// Warps with a parked operation, warps in `picked_pending`, and fenced warps.
    pub parked: Signal<Out, Bits<W>>,
    /// For one cycle, one-hot: the warp of an operation that was parked, or of a fence that left the queue.
    pub op_done: Signal<Out, Bits<W>>,
    /// Warps whose first parked operation was picked to pass and has not taken effect.
    pub picked_pending: Signal<Out, Bits<W>>,
    /// For one cycle: warps with an operation that takes effect; at most one warp from each downstream unit.
    pub commit: Signal<In, Bits<W>>,

    #[init(Head::new(config))]
    head: Head<W, LW, LC, VW>,
    #[init(Parked::new(config))]
    parked_ops: Parked<LW, LC, VW, PW>,
    warps: Warps<W, LW>,
    turns: Turns<W, LW, P>,
    decide: Decide<LW>,
    accesses: [Accesses<W, LW>; P],
    /// Numbers of outstanding accesses: in a RAM (this block) if there is one strobe of each kind, in registers if
    /// there are several.
    #[init(AccessCountersRam::up_to(config.max_outstanding))]
    #[built(config.accesses_per_cycle == 1)]
    access_counters_ram: AccessCountersRam<W, LW, OB>,
    #[built(config.accesses_per_cycle == 1 && (config.has_clusters() || config.has_grids()))]
    any_outstanding: Outstanding<W, LW, OB>,
    #[built(config.accesses_per_cycle > 1)]
    strobes: [Strobes<W, LW>; P],
    #[init(std::array::from_fn(|_| AccessCountersReg::up_to(config.max_outstanding, 2 * P)))]
    #[built(config.accesses_per_cycle > 1)]
    access_counters_reg: [AccessCountersReg<W, LW, OB, P>; 2],
    #[init(Copies::up_to(config.max_copies))]
    copies: Copies<S, LC>,
    /// In the previous cycle, the warp that was looked up issued an access.
    issue_during_lookup: Signal<Local, Bit>,
}

#[block]
impl Logic for MemOrder {
    fn update(&mut self) {
        let ports = self.warps.port_state.val();
        let lookup = self.warps.warp_lookup.val();
        let issues = self.accesses[0].issues.val();
        let performs = self.accesses[0].performs.val();
        let issued = self.accesses[0].issued.val();
        let performed = self.accesses[0].performed.val();
        Channel::join(&mut self.in_, &mut self.head.in_);
        Channel::join(&mut self.parked_ops.op, &mut self.head.picked);
        Channel::join(&mut self.head.op, &mut self.op);
        Strobe::join(&mut self.head.parks, &mut self.parked_ops.parks);

        // The accesses.
        self.issue_during_lookup.next = false;
        for i in 0..P {
            self.accesses[i].issue.valid.next = self.issue[i].valid.val();
            self.accesses[i].issue.payload.next = self.issue[i].payload.val();
            self.accesses[i].perform.valid.next = self.perform[i].valid.val();
            self.accesses[i].perform.payload.next = self.perform[i].payload.val();
            self.accesses[i].epochs.next = ports.epochs;
            self.accesses[i].words_cleared.next = self.turns.words_cleared.val();
            self.accesses[i].warp_to_clear.next = self.turns.warp_to_clear.val();
            self.accesses[i].looked_up_warp.next = lookup.warp;
            self.issue_during_lookup.next = self.issue_during_lookup.val() | self.accesses[i].issue_during_lookup.val();
            self.turns.performed[i].next = self.accesses[i].any_performed.val();
            self.turns.performers[i].next = self.accesses[i].performer.val();
            self.strobes[i].issued.next = self.accesses[i].issued.val();
            self.strobes[i].performed.next = self.accesses[i].performed.val();
            for k in 0..2 {
                self.access_counters_reg[k].issuer_mask[i].next = self.strobes[i].issuer_mask[k].val();
                self.access_counters_reg[k].performer_mask[i].next = self.strobes[i].performer_mask[k].val();
            }
        }
        self.access_counters_ram.issues.next = issues;
        self.access_counters_ram.performs.next = performs;
        self.access_counters_ram.issued.next = issued;
        self.access_counters_ram.performed.next = performed;
        self.access_counters_ram.lookup_warp.next = self.turns.lookup_warp.val();
        self.any_outstanding.performer.next = performs.warp;
        self.any_outstanding.issued.next = issued;
        self.any_outstanding.performed.next = performed;
        self.any_outstanding.issued_next.next = self.access_counters_ram.issued_next.val();
        self.any_outstanding.issuer_performed.next = self.access_counters_ram.issuer_performed.val();
        self.any_outstanding.performed_next.next = self.access_counters_ram.performed_next.val();

        // The warp that is looked up, and the decision on its operations.
        self.turns.predicted_valid.next = self.head.predicted_valid.val();
        self.turns.predicted_warp.next = self.head.predicted_warp.val();
        self.turns.prediction_right.next = self.head.prediction_right.val();
        self.turns.parked.next = ports.parked;
        self.turns.access_limit.next = ports.access_limit;
        self.head.words_cleared.next = self.turns.words_cleared.val();
        self.warps.lookup_warp.next = self.turns.lookup_warp.val();
        for j in 0..2 {
            self.access_counters_reg[j].looked_up_warp.next = lookup.warp;
            self.decide.epoch_busy[j].next = self.access_counters_ram.busy[j].val() | self.access_counters_reg[j].busy.val();
            self.warps.near_limit[j].next =
                self.access_counters_ram.near_limit[j].val() | self.access_counters_reg[j].near_limit.val();
        }
        self.warps.issue_during_lookup.next = self.issue_during_lookup.val();
        self.warps.reach_limit.next = self.access_counters_ram.reach_limit.val()
            | self.access_counters_reg[0].reach_limit.val()
            | self.access_counters_reg[1].reach_limit.val();
        self.warps.commit.next = self.commit.val();
        self.decide.warp_lookup.next = lookup;
        self.decide.turn.next = self.turns.turn.val();
        self.decide.head_op.next = self.head.head_op.val();
        self.decide.picked.next = self.parked_ops.picked.val();
        self.head.decision.next = self.decide.decision.val();
        self.head.decided.next = self.decide.decided.val();
        Strobe::join(&mut self.decide.change, &mut self.warps.change);
        self.parked_ops.park_word.next = self.decide.park_word.val();
        self.parked_ops.picks.next = self.decide.picks.val();
        self.parked_ops.warp.next = lookup.warp;
        self.parked_ops.picked_word.next = lookup.warp_state.first_word;

        // The copies.
        Strobe::join(&mut self.copy_issue, &mut self.copies.issue);
        Strobe::join(&mut self.copy_perform, &mut self.copies.perform);
        self.copying.next = self.copies.copying.val();
        self.copies_full.next = self.copies.full.val();

        self.epoch.next = ports.epochs;
        self.outstanding.next = self.any_outstanding.outstanding.val()
            | self.access_counters_reg[0].outstanding.val()
            | self.access_counters_reg[1].outstanding.val();
        self.held.next = ports.held_warps | (ports.picked_pending & ports.held_until_commit);
        self.access_limit.next = ports.access_limit;
        self.full.next = ports.two_parked;
        self.parked.next = ports.parked | ports.picked_pending;
        self.op_done.next = self.warps.op_done.val();
        self.picked_pending.next = ports.picked_pending;
    }
}
