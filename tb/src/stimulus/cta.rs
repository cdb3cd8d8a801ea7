// SPDX-License-Identifier: Apache-2.0 OR MIT
//! An abstract state of one CTA: its warps, and the progress of each generation of its barriers.

use super::transaction::{Access, Arrival, Launch, Place};
use bcu_isa::op::{RedOp, StateWord};

/// A generation in progress.
#[derive(Clone, Copy, Debug, Default)]
pub struct Plan {
    /// Warps whose next arrival in this generation would be a fault, because they have arrived already; one bit per warp.
    pub arrived: u64,
    /// The warps among `arrived` that wait; one bit per warp.
    pub waiting: u64,
    /// The number of arrivals; 0: no generation is open.
    pub count: u64,
    /// The number of arrivals that complete the generation; 0: all live warps.
    pub expected: u64,
    /// The reduction operator; `None`: the generation is no reduction.
    pub redop: Option<RedOp>,
}

impl Plan {
    /// The generation that a legal `BARState` describes. The masks `arrived` and `waiting` are empty, because the word does not hold them.
    fn of_word(word: u64) -> Plan {
        let redop = if word >> 14 & 3 == 2 { RedOp::ALL.get(word as usize >> 16 & 3).copied() } else { None };
        Plan { count: word & 0x7f, expected: word >> 7 & 0x7f, redop, ..Plan::default() }
    }
}

/// A CTA and its barriers.
#[derive(Clone, Debug)]
pub struct Cta {
    /// The CTA's warps, one bit per warp.
    pub launched: u64,
    /// The live warps of the CTA, one bit per warp.
    pub live: u64,
    /// The number of declared warps in addition to `launched`.
    more: u64,
    /// Number of barriers that the launch declared.
    pub barriers: u64,
    /// Number of barriers of the CTA that are built: the smaller of `barriers` and the number of barriers per CTA of the unit.
    pub declared: u64,
    pub plans: [Plan; 16],
    /// Warps that have the result of a reduction; one bit per warp.
    pub reduced: u64,
    /// The id of the last generation without a count.
    pub last: usize,
    /// Number of operations until the CTA ends.
    pub life: u64,
    pub place: Place,
}

impl Cta {
    /// Creates the CTA of launch `l`, with at most `built` barriers.
    pub fn new(l: &Launch, built: u64, life: u64) -> Cta {
        Cta {
            launched: l.warps,
            live: l.warps & !l.exited,
            more: l.more,
            barriers: l.barriers,
            declared: l.barriers.min(built),
            plans: [Plan::default(); 16],
            reduced: 0,
            last: 0,
            life,
            place: l.place,
        }
    }

    /// The number of warps that the unit counts as launched in this CTA.
    pub fn size(&self) -> u64 {
        u64::from(self.launched.count_ones()) + self.more
    }

    /// Whether the unit counts warps of this CTA that do not exist.
    pub fn is_crowded(&self) -> bool {
        self.more > 0
    }

    /// The number of warps that the unit counts as live in this CTA.
    pub fn present(&self) -> u64 {
        u64::from(self.live.count_ones()) + self.more
    }

    /// A launch that creates an equal CTA in the CTA slot `slot`, with the warps `warps`.
    pub fn again(&self, slot: usize, warps: u64, exited: u64) -> Launch {
        Launch { slot, warps, exited, barriers: self.barriers, more: self.more, place: self.place }
    }

    /// All warps that wait at a barrier of the CTA.
    pub fn waiting(&self) -> u64 {
        self.plans.iter().fold(0, |mask, plan| mask | plan.waiting)
    }

    /// Completes the generation of barrier `id`.
    fn complete(&mut self, id: usize) {
        let plan = std::mem::take(&mut self.plans[id]);
        if plan.redop.is_some() {
            self.reduced |= plan.waiting;
        }
    }

    pub fn arrive(&mut self, a: &Arrival, lanes: u64) {
        let (id, bit, live) = (a.id as usize & 15, 1 << a.warp, self.present());
        let plan = &mut self.plans[id];
        let waiting = plan.waiting | if a.sync { bit } else { 0 };
        let expected = a.count / lanes;
        *plan = Plan { arrived: plan.arrived | bit, waiting, count: plan.count + 1, expected, redop: a.redop };
        if plan.count == if expected == 0 { live } else { expected } {
            self.complete(id);
        }
        if expected == 0 {
            self.last = id;
        }
        self.life = self.life.saturating_sub(1);
    }

    pub fn exit(&mut self, warp: usize) {
        self.live &= !(1 << warp);
        let plan = &self.plans[self.last];
        if plan.count != 0 && plan.expected == 0 && plan.count == self.present() {
            self.complete(self.last);
        }
    }

    /// Applies a written state word, if it is legal.
    pub fn write(&mut self, a: &Access) {
        let (id, bit) = (a.id as usize & 15, 1u64 << a.warp);
        match a.state {
            StateWord::Barrier => {
                let before = self.plans[id];
                let arrived = before.arrived & !bit | if a.data >> 31 & 1 == 1 { bit } else { 0 };
                let plan = Plan { arrived, ..Plan::of_word(a.data) };
                self.plans[id] = if plan.count == 0 { Plan::default() } else { plan };
                if plan.count != 0 && plan.expected == 0 {
                    self.last = id;
                    if plan.count == self.present() {
                        self.complete(id);
                    }
                }
            }
            _ => {
                let has_result = a.data >> 12 & 3 != 3;
                self.reduced = self.reduced & !bit | if has_result { bit } else { 0 };
                if a.data >> 14 & 1 == 1 {
                    self.plans[a.data as usize >> 15 & 15].waiting |= bit;
                }
            }
        }
        self.life = self.life.saturating_sub(1);
    }
}
