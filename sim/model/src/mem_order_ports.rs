// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Cycle model of `mem_order`: a queue of two at the input, and the arbitration of the operation port (`docs/contract/mem_order.md`).

mod idle;

use super::gather::Carried;
use super::in_place::clone_in_place;
use super::mem_order::{Accesses, Decision, Look, Shown, WarpSets};
use super::sizes::{Sizes, MOST_ACCESSES};
use super::wire::{Clocked, Fields, PortAction, Walk};

/// The names of the strobes for issued and for performed accesses.
const ISSUES: [&str; MOST_ACCESSES] = ["issue_0", "issue_1", "issue_2", "issue_3"];
const PERFORMS: [&str; MOST_ACCESSES] = ["perform_0", "perform_1", "perform_2", "perform_3"];

/// The strobes of the memory system: accesses and asynchronous copies that are issued or performed in this cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Memory {
    /// The warps that issue accesses, one for each strobe.
    pub issue: [Option<u8>; MOST_ACCESSES],
    /// The warp and the epoch of each access that is performed.
    pub perform: [Option<(u8, bool)>; MOST_ACCESSES],
    /// The CTA slot of an asynchronous copy that is issued in this cycle.
    pub copy_issue: Option<u8>,
    /// The CTA slot of an asynchronous copy that is performed in this cycle.
    pub copy_perform: Option<u8>,
}

impl Memory {
    /// Visits the strobes `issue_*` and `perform_*`, `copy_issue_*` and `copy_perform_*`.
    pub fn ports(&mut self, at: &mut Walk<impl PortAction>) {
        let strobes = at.sizes().accesses_per_cycle();
        for (name, issue) in ISSUES.into_iter().zip(&mut self.issue).take(strobes) {
            at.strobe_in(name, issue, |warp, at| at.warp(warp));
        }
        for (name, perform) in PERFORMS.into_iter().zip(&mut self.perform).take(strobes) {
            at.strobe_in(name, perform, |(warp, epoch), at| {
                at.warp(warp);
                at.field("epoch", epoch, 1);
            });
        }
        at.strobe_in("copy_issue", &mut self.copy_issue, |cta, at| at.cta(cta));
        at.strobe_in("copy_perform", &mut self.copy_perform, |cta, at| at.cta(cta));
    }
}

/// Input ports of `mem_order`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MemOrderIn {
    pub reset: bool,
    pub offered: Option<Carried>,
    pub memory: Memory,
    pub op_ready: bool,
    /// Strobe, one bit per warp: in this cycle an operation of the warp takes effect or is refused, in a unit after `mem_order`.
    pub commit: u64,
}

/// Output ports of `mem_order`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemOrderOut {
    pub in_ready: bool,
    pub epoch: u64,
    pub outstanding: u64,
    pub op_valid: bool,
    /// The operation that is offered; its fields `from_instr` and `release` are no ports.
    pub op: Carried,
    /// Level, one bit per CTA slot: a copy is outstanding.
    pub copying: u64,
    /// Level, one bit per CTA slot: the maximum number of copies is outstanding.
    pub copies_full: u64,
    /// Level, one bit per warp: the warp may not issue.
    pub held: u64,
    /// Level, one bit per warp: the warp may exit but may not issue, because its present epoch may have no room for further accesses.
    pub access_limit: u64,
    /// Level, one bit per warp: the warp has a second operation parked.
    pub full: u64,
    /// Level, one bit per warp: the warp has an operation parked, is fenced, or is in `picked_pending`.
    pub parked: u64,
    /// Strobe, at most one bit: an operation of the warp was parked in the cycle before, or a fence of the warp left the queue then.
    pub op_done: u64,
    /// Level, one bit per warp: a parked operation of the warp was picked and has not taken effect.
    pub picked_pending: u64,
}

/// The purpose of a look-up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Turn {
    #[default]
    Nothing,
    Head,
    Scan,
}

/// The change of a warp's state in the last cycle.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Change {
    warp: u8,
    shown: Shown,
    /// A parked operation of the warp was picked.
    passes: bool,
    /// The warp was held when its parked operation was picked.
    holds: bool,
    op_done: bool,
}

/// The choice of warps to look up for parked operations.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Scan {
    /// Every warp was visited at least once since reset, so operations are accepted.
    open: bool,
    /// The warp of the next step without a hint.
    next: u8,
    /// The warp that the scan looks up next, because one of its accesses was performed.
    hint: Option<u8>,
    /// The last step of the scan looked up the hinted warp, so the next step ignores the hint.
    went: bool,
    /// Counts cycles modulo 4. While `some_wait`, one of four cycles is for the scan, the other three for the head.
    cycle: u8,
    /// In the cycle before, some warp had a bit in `parked` or `access_limit`.
    some_wait: bool,
}

clone_in_place! {
    /// The state of `mem_order`.
    #[derive(Debug, PartialEq)]
    pub struct MemOrder {
        sizes: Sizes,
        accesses: Accesses,
        /// The accesses that were issued in the cycle before, each with its warp and epoch.
        issued: [Option<(u8, bool)>; MOST_ACCESSES],
        /// The accesses that were performed in the cycle before, each with its warp and epoch.
        performed: [Option<(u8, bool)>; MOST_ACCESSES],
        in_ready: bool,
        /// The number of operations in the input queue, at most two.
        queued: usize,
        /// The input queue, the head first.
        places: [Carried; 2],
        /// The head was to be passed on in an earlier cycle, but the operation register was occupied.
        waits: bool,
        /// The warp that was looked up in the cycle before.
        look: Look,
        /// The purpose of the look-up in the cycle before. It is `Nothing` if the look-up is outdated, because the warp changed in that cycle.
        turn: Turn,
        scan: Scan,
        /// The picked operation. It leaves next, unless the head was to leave in an earlier cycle; then the head leaves first.
        picked: Option<Carried>,
        /// The operation that is offered.
        offered: Option<Carried>,
        change: Option<Change>,
        /// A warp that was found in the last cycle to have room for further accesses.
        below_limit: Option<u8>,
    }
}

impl MemOrder {
    /// The oldest operation of the queue.
    fn head(&self) -> Option<&Carried> {
        self.places.first().filter(|_| self.queued > 0)
    }

    /// The decision on the head, if it is made in this cycle.
    fn decision(&self) -> Option<Decision> {
        let head = self.head().filter(|_| self.turn == Turn::Head && !self.waits)?;
        Some(self.accesses.decide(head, &self.look))
    }

    /// Whether the head is the next operation that `mem_order` passes on.
    fn passes(&self) -> bool {
        self.waits || self.picked.is_none() && self.decision() == Some(Decision::Passes)
    }

    /// The next operation that `mem_order` passes on.
    fn next(&self) -> Option<&Carried> {
        if self.passes() {
            self.head()
        } else {
            self.picked.as_ref()
        }
    }

    /// Applies the decision on the warp that was looked up; returns its change, if any.
    fn decide(&mut self) -> Option<Change> {
        let look = self.look;
        let was_held = self.accesses.warp(look.warp).shows().held;
        let (passes, op_done) = match (self.turn, self.decision()) {
            (Turn::Head, Some(decision @ (Decision::Parks | Decision::Fences))) => {
                match decision {
                    Decision::Parks => self.accesses.park(self.places[0], &look),
                    _ => self.accesses.fence(&look),
                }
                self.leave();
                (false, true)
            }
            (Turn::Scan, _) => {
                let picked = if self.picked.is_none() { self.accesses.pick(&look) } else { None };
                if picked.is_none() && !self.accesses.end(&look) {
                    return None;
                }
                self.picked = self.picked.or(picked);
                (picked.is_some(), false)
            }
            _ => return None,
        };
        Some(Change {
            warp: look.warp,
            shown: self.accesses.warp(look.warp).shows(),
            passes,
            holds: passes && was_held,
            op_done,
        })
    }

    /// Removes the head from the queue.
    fn leave(&mut self) {
        self.queued -= 1;
        self.places[0] = self.places[1];
    }

    /// Chooses the warp to look up, and the purpose. `head` is the warp of the predicted head of the next cycle. Its look-up has priority
    /// over the scan, except in every fourth cycle while `some_wait`. Before any other look-up after a reset, every warp is visited once.
    fn turns(&mut self, head: Option<u8>) -> (u8, Turn) {
        let last = (self.sizes.warp_numbers() - 1) as u8;
        let Scan { open, next, cycle, some_wait, .. } = self.scan;
        self.scan.cycle = (cycle + 1) % 4;
        if !open {
            (self.scan.open, self.scan.next) = (next == last, (next + 1) & last);
            return (next, Turn::Nothing);
        }
        if let Some(head) = head.filter(|_| !(some_wait && cycle == 3)) {
            return (head & last, Turn::Head);
        }
        let hint = self.scan.hint.filter(|_| !self.scan.went);
        self.scan.went = hint.is_some();
        match hint {
            Some(_) => self.scan.hint = None,
            None => self.scan.next = (next + 1) & last,
        }
        (hint.unwrap_or(next), Turn::Scan)
    }
}

impl Clocked for MemOrder {
    type Inputs = MemOrderIn;
    type Outputs = MemOrderOut;

    fn new(sizes: Sizes) -> MemOrder {
        MemOrder {
            sizes,
            accesses: Accesses::new(sizes),
            issued: Default::default(),
            performed: Default::default(),
            in_ready: false,
            queued: 0,
            places: [Carried::default(); 2],
            waits: false,
            look: Look::default(),
            turn: Turn::Nothing,
            scan: Scan::default(),
            picked: None,
            offered: None,
            change: None,
            below_limit: None,
        }
    }

    fn ports(i: &mut MemOrderIn, o: &mut MemOrderOut, at: &mut Walk<impl PortAction>) {
        let warps = at.sizes().warps();
        at.input("reset", &mut i.reset, 1);
        at.channel_in("in", &mut i.offered, &mut o.in_ready, |carried, at: &mut Fields<_>| {
            carried.op.fields(at, true);
            at.field("from_instr", &mut carried.from_instr, 1);
            carried.request.fields(at);
            at.field("release", &mut carried.release, 1);
            at.field("all_live_lanes", &mut carried.all_live_lanes, 1);
            carried.destination(at);
        });
        i.memory.ports(at);
        at.output("epoch", &mut o.epoch, warps);
        at.channel_out("op", &mut o.op_valid, &mut i.op_ready, &mut o.op, |carried, at| {
            carried.op.fields(at, true);
            carried.request.fields(at);
            at.field("all_live_lanes", &mut carried.all_live_lanes, 1);
            carried.destination(at);
        });
        if at.sizes().has_clusters() || at.sizes().has_grids() {
            at.output("outstanding", &mut o.outstanding, warps);
        }
        at.output("copying", &mut o.copying, at.sizes().cta_slots());
        at.output("copies_full", &mut o.copies_full, at.sizes().cta_slots());
        at.output("held", &mut o.held, warps);
        at.output("access_limit", &mut o.access_limit, warps);
        at.output("full", &mut o.full, warps);
        at.output("parked", &mut o.parked, warps);
        at.output("op_done", &mut o.op_done, warps);
        at.output("picked_pending", &mut o.picked_pending, warps);
        at.input("commit", &mut i.commit, warps);
    }

    fn outputs(&self) -> MemOrderOut {
        let WarpSets { picked_pending, held_until_commit, access_limit, outstanding, epoch, parked, full, held } =
            *self.accesses.sets();
        let built = self.sizes.warp_mask();
        MemOrderOut {
            in_ready: self.in_ready,
            epoch: epoch & built,
            outstanding: outstanding & built,
            op_valid: self.offered.is_some(),
            op: self.offered.unwrap_or_default(),
            copying: self.accesses.copying(1),
            copies_full: self.accesses.copying(self.sizes.max_copies()),
            held: (held | held_until_commit) & built,
            access_limit: access_limit & built,
            full: full & built,
            parked: (parked | picked_pending) & built,
            op_done: self.change.filter(|change| change.op_done).map_or(0, |change| 1 << change.warp),
            picked_pending: picked_pending & built,
        }
    }

    fn clock(&mut self, inputs: &MemOrderIn) {
        if inputs.reset {
            *self = MemOrder::new(self.sizes);
            return;
        }
        let before = self.change.take();
        let queued = self.queued;
        let accepted = inputs.offered.filter(|_| self.in_ready);
        let passes = self.passes();
        // Predicts the head of the next cycle. The present head is assumed to leave if its decision is made in this cycle, or if it was to
        // be passed on earlier.
        let can_leave = self.waits || self.turn == Turn::Head;
        let mut line = self.places.iter().take(self.queued).chain(&accepted);
        let next = line.nth(usize::from(can_leave)).map(|carried| carried.op.warp);
        let WarpSets { parked, access_limit, .. } = self.accesses.sets();
        let some_wait = (parked | access_limit) & self.sizes.warp_mask() != 0;

        // Outstanding accesses. A warp that reaches its access limit and falls below it in the same cycle is at the limit.
        let look = self.look;
        let issues = self.issued.iter().flatten().any(|(warp, _)| self.accesses.look(*warp).warp == look.warp);
        let has_room = self.turn != Turn::Nothing && !issues && self.accesses.has_room(&look);
        let turned = before.filter(|change| change.shown.epoch != self.accesses.shown_epoch(change.warp));
        for warp in self.below_limit.into_iter().chain(turned.map(|change| change.warp)) {
            self.accesses.relieve(warp);
        }
        self.below_limit = has_room.then_some(look.warp);
        let strobes = self.sizes.accesses_per_cycle();
        self.accesses.account(&self.issued[..strobes], &self.performed[..strobes]);

        // The operation that leaves, and the change of the warp that was looked up.
        let moves = self.offered.is_none() || inputs.op_ready;
        let passed_on = if passes { None } else { self.picked.filter(|_| moves) };
        if moves {
            self.offered = self.next().copied();
        }
        self.change = self.decide();
        if passed_on.is_some() {
            self.picked = None;
        }
        if passes && moves {
            self.leave();
        }
        self.waits = passes && !moves;
        self.in_ready = self.scan.open && self.queued + usize::from(accepted.is_some()) < 2;
        let queue_unchanged = can_leave && self.queued == queued;
        if let Some(offered) = accepted {
            self.places[self.queued] = offered;
            self.queued += 1;
        }

        // The next look-up.
        let open = self.scan.open;
        let (warp, turn) = self.turns(next);
        self.look = self.accesses.look(warp);
        let turn = if turn == Turn::Head && queue_unchanged { Turn::Nothing } else { turn };
        let stale = [self.change, before].iter().flatten().any(|change| change.warp == warp);
        self.turn = if stale { Turn::Nothing } else { turn };
        self.scan.some_wait = some_wait;

        // The inputs of this cycle, and the outputs of the next one.
        for performed in self.performed[..strobes].iter().flatten() {
            self.scan.hint = Some(performed.0 & (self.sizes.warp_numbers() - 1) as u8);
        }
        for strobe in 0..strobes {
            let issue = inputs.memory.issue[strobe].filter(|_| open);
            self.issued[strobe] = issue.map(|warp| (warp, self.accesses.shown_epoch(warp)));
            self.performed[strobe] = inputs.memory.perform[strobe].filter(|_| open);
        }
        self.accesses.copy(inputs.memory.copy_issue, inputs.memory.copy_perform);
        self.accesses.commit(inputs.commit);
        if let Some(Change { warp, shown, passes, holds, .. }) = before {
            self.accesses.show(warp, shown, passes, holds);
        }
    }
}
