// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `order` in cycles: a queue of two in front, and whose turn it is at the operation port (`docs/interface.md`, `order`).

use super::gather::Carried;
use super::order::{Accesses, Verdict};
use super::sizes::{Sizes, MOST_ACCESSES};
use super::wire::{Clocked, Fields, Walk};

/// What happens in memory.
#[derive(Clone, Copy, Debug, Default)]
pub struct Memory {
    /// The warps that issue accesses, by strobe.
    pub issue: [Option<u8>; MOST_ACCESSES],
    /// The warp and the epoch of each access that is performed.
    pub perform: [Option<(u8, bool)>; MOST_ACCESSES],
    /// The CTA slot of an asynchronous copy that is issued, and of one that is performed.
    pub copy_issue: Option<u8>,
    pub copy_perform: Option<u8>,
}

impl Memory {
    /// `issue_*` and `perform_*`, `copy_issue_*` and `copy_perform_*`.
    pub fn ports(&mut self, at: &mut Walk) {
        let strobes = at.sizes().accesses_per_cycle();
        for (number, issue) in self.issue.iter_mut().take(strobes).enumerate() {
            at.strobe_in(&format!("issue_{number}"), issue, |warp, at| at.warp(warp));
        }
        for (number, perform) in self.perform.iter_mut().take(strobes).enumerate() {
            at.strobe_in(&format!("perform_{number}"), perform, |(warp, epoch), at| {
                at.warp(warp);
                at.field("epoch", epoch, 1);
            });
        }
        at.strobe_in("copy_issue", &mut self.copy_issue, |cta, at| at.cta(cta));
        at.strobe_in("copy_perform", &mut self.copy_perform, |cta, at| at.cta(cta));
    }
}

/// Input ports of `order`.
#[derive(Clone, Copy, Debug, Default)]
pub struct OrderIn {
    pub reset: bool,
    pub offered: Option<Carried>,
    pub memory: Memory,
    pub op_ready: bool,
    /// The warp whose operation has its effects.
    pub commit: u64,
}

/// Output ports of `order`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OrderOut {
    pub in_ready: bool,
    pub epoch: u64,
    pub outstanding: u64,
    pub op_valid: bool,
    /// `counted` and `release` stay inside.
    pub op: Carried,
    pub copying: u64,
    pub copies_full: u64,
    pub held: u64,
    pub full: u64,
    pub parked: u64,
    pub settled: u64,
    pub passed: u64,
}

/// Whose operation stands at the operation port, or will.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Turn {
    /// The head's, if it passes.
    #[default]
    Open,
    /// The head's, since it was offered and not taken; then that of the picked warp.
    Head { picked: Option<u8> },
    /// The first parked operation of this warp.
    Parked(u8),
}

/// The state of `order`.
#[derive(Clone, Debug)]
pub struct Order {
    sizes: Sizes,
    accesses: Accesses,
    /// The accesses that were issued in the cycle before, and those that were performed then: warps and epochs.
    issued: [Option<(u8, bool)>; MOST_ACCESSES],
    performed: [Option<(u8, bool)>; MOST_ACCESSES],
    /// How many of the two places in front are taken.
    queued: usize,
    places: [Carried; 2],
    /// What becomes of the oldest, decided in the cycle before.
    verdict: Verdict,
    turn: Turn,
    /// The warp whose operation was parked in the last cycle, or that came to a fence then.
    settled: u64,
}

impl Order {
    /// The oldest operation in front.
    fn head(&self) -> Option<&Carried> {
        self.places.first().filter(|_| self.queued > 0)
    }

    fn offered(&self) -> Option<&Carried> {
        match self.turn {
            Turn::Open => self.head().filter(|_| self.verdict == Verdict::Passes),
            Turn::Head { .. } => self.head(),
            Turn::Parked(warp) => self.accesses.warp(warp).parked[0].as_ref(),
        }
    }

    /// What is to be done, as things stand, with the oldest operation in front, and with the one behind it; one that comes in may be either.
    fn verdicts(&self, coming: Option<&Carried>) -> [Verdict; 2] {
        let mut line = self.places.iter().take(self.queued).chain(coming).map(|operation| self.accesses.judge(operation));
        std::array::from_fn(|_| line.next().unwrap_or(Verdict::Stays))
    }

    /// The head leaves the queue, passed on.
    fn pass(&mut self) {
        self.queued -= 1;
        self.places[0] = self.places[1];
    }

    /// The head leaves the queue, parked or as a fence.
    fn withdraw(&mut self, head: Carried, verdict: Verdict) {
        match verdict {
            Verdict::Fences => self.accesses.fence(head.op.warp),
            _ => self.accesses.park(head),
        }
        self.settled = 1 << head.op.warp;
        self.pass();
    }

    /// The warps of which something is true.
    fn warps(&self, is: impl Fn(u8) -> bool) -> u64 {
        (0..self.sizes.warps() as u8).filter(|warp| is(*warp)).fold(0, |all, warp| all | 1 << warp)
    }
}

impl Clocked for Order {
    type Inputs = OrderIn;
    type Outputs = OrderOut;

    fn new(sizes: Sizes) -> Order {
        Order {
            sizes,
            accesses: Accesses::new(sizes),
            issued: Default::default(),
            performed: Default::default(),
            queued: 0,
            places: [Carried::default(); 2],
            verdict: Verdict::Stays,
            turn: Turn::Open,
            settled: 0,
        }
    }

    fn ports(i: &mut OrderIn, o: &mut OrderOut, at: &mut Walk) {
        let warps = at.sizes().warps();
        at.input("reset", &mut i.reset, 1);
        at.channel_in("in", &mut i.offered, &mut o.in_ready, |carried, at: &mut Fields| {
            carried.op.fields(at, true);
            at.field("counted", &mut carried.counted, 1);
            carried.request.fields(at);
            at.field("release", &mut carried.release, 1);
            at.field("whole", &mut carried.whole, 1);
            carried.destination(at);
        });
        i.memory.ports(at);
        at.output("epoch", &mut o.epoch, warps);
        at.channel_out("op", &mut o.op_valid, &mut i.op_ready, &mut o.op, |carried, at| {
            carried.op.fields(at, true);
            carried.request.fields(at);
            at.field("whole", &mut carried.whole, 1);
            carried.destination(at);
        });
        at.output("outstanding", &mut o.outstanding, warps);
        at.output("copying", &mut o.copying, at.sizes().cta_slots());
        at.output("copies_full", &mut o.copies_full, at.sizes().cta_slots());
        at.output("held", &mut o.held, warps);
        at.output("full", &mut o.full, warps);
        at.output("parked", &mut o.parked, warps);
        at.output("settled", &mut o.settled, warps);
        at.output("passed", &mut o.passed, warps);
        at.input("commit", &mut i.commit, warps);
    }

    fn outputs(&self) -> OrderOut {
        let offered = self.offered();
        OrderOut {
            in_ready: self.queued < 2,
            epoch: self.warps(|warp| self.accesses.warp(warp).epoch),
            outstanding: self.warps(|warp| self.accesses.warp(warp).outstanding != [0, 0]),
            op_valid: offered.is_some(),
            op: offered.copied().unwrap_or_default(),
            copying: self.accesses.copying(1),
            copies_full: self.accesses.copying(self.sizes.max_copies()),
            held: self.warps(|warp| self.accesses.holds(warp)),
            full: self.warps(|warp| self.accesses.warp(warp).parked[1].is_some()),
            parked: self.warps(|warp| self.accesses.warp(warp).parked[0].is_some() || self.accesses.warp(warp).fenced),
            settled: self.settled,
            passed: self.warps(|warp| self.accesses.warp(warp).passed),
        }
    }

    fn clock(&mut self, inputs: &OrderIn) {
        if inputs.reset {
            *self = Order::new(self.sizes);
            return;
        }
        // Everything is decided on what stands in this cycle; only then does it change.
        let in_ready = self.queued < 2;
        let offered = self.offered().copied();
        let taken = offered.is_some() && inputs.op_ready;
        let picks = self.accesses.eligible();
        let judged = self.head().map(|head| (*head, self.verdict));
        let withdrawn = judged.filter(|(_, verdict)| matches!(verdict, Verdict::Parks | Verdict::Fences));
        let verdicts = self.verdicts(inputs.offered.as_ref().filter(|_| in_ready));
        let queued = self.queued;
        let ending = self.accesses.ending();
        self.settled = 0;

        self.accesses.account(&self.issued, &self.performed);
        self.issued = inputs.memory.issue.map(|issue| issue.map(|warp| (warp, self.accesses.warp(warp).epoch)));
        self.performed = inputs.memory.perform;
        self.accesses.copy(inputs.memory.copy_issue, inputs.memory.copy_perform);
        self.accesses.commit(inputs.commit);
        self.accesses.end(ending);
        match self.turn {
            Turn::Parked(warp) => {
                if taken {
                    self.accesses.pass(warp);
                    self.turn = Turn::Open;
                }
                if let Some((head, verdict)) = withdrawn {
                    self.withdraw(head, verdict);
                }
            }
            Turn::Open | Turn::Head { .. } => {
                let picked = if let Turn::Head { picked: Some(warp) } = self.turn { Some(warp) } else { picks };
                if offered.is_some() {
                    self.turn = if taken { picked.map_or(Turn::Open, Turn::Parked) } else { Turn::Head { picked } };
                    if taken {
                        self.pass();
                    }
                } else {
                    self.turn = picked.map_or(Turn::Open, Turn::Parked);
                    if let Some((head, verdict)) = withdrawn {
                        self.withdraw(head, verdict);
                    }
                }
            }
        }
        let left = queued - self.queued;
        if let Some(offered) = inputs.offered.filter(|_| in_ready) {
            self.places[self.queued] = offered;
            self.queued += 1;
        }
        // Of two of one warp in a row the second is looked at again when what became of the first is seen.
        let follows = left == 1 && self.settled != 0 && self.settled == 1 << self.places[0].op.warp;
        self.verdict = if follows { Verdict::Stays } else { verdicts[left] };
    }
}
