// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Time-outs of suspended warps (`docs/contract/mbarrier.md`, Time).

mod idle;

use super::in_place::clone_in_place;
use super::sizes::Sizes;

/// The length of a tick in cycles.
const TICK: u64 = 64;

/// A time-out: a warp, and the entry at which the warp was suspended last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeOut {
    pub warp: u8,
    pub entry: usize,
}

clone_in_place! {
    #[derive(Debug, PartialEq)]
    pub struct Ticks {
        sizes: Sizes,
        /// The number of cycles counted; the counter pauses during time-outs.
        passed: u64,
        /// For each warp that was suspended, the tick of its time-out, and the entry at which it was suspended last.
        due: Vec<Option<(u64, usize)>>,
        /// The warp that was checked in the cycle before, with the tick of that cycle.
        looked: Option<(u8, u64)>,
        /// The suspension decided in the cycle before: warp, limit in ticks, entry.
        suspended: Option<(u8, u64, usize)>,
        /// A time-out that is not yet in the queue.
        pub late: Option<TimeOut>,
    }
}

impl Ticks {
    pub fn new(sizes: Sizes) -> Ticks {
        Ticks { sizes, passed: 0, due: vec![None; sizes.warp_numbers()], looked: None, suspended: None, late: None }
    }

    fn tick(&self) -> u64 {
        self.passed / TICK % (1 << self.sizes.limit_bits())
    }

    /// Advances by one cycle. `runs`: the clearing of the entries after reset is complete; `item_taken`: a time-out has entered the queue;
    /// `suspends`: warp, limit in ticks and entry of a suspension that is decided in this cycle; `waiting`: the warps in the output
    /// `suspended`.
    pub fn clock(&mut self, runs: bool, item_taken: bool, suspends: Option<(u8, u64, usize)>, waiting: u64) {
        let tick = self.tick();
        let written = self.suspended.take();
        let waits = |warp: u8| waiting >> warp & 1 != 0;
        // The time-out of the warp that was checked in the cycle before is due under three conditions: the warp is still suspended; the
        // check was in the tick of the time-out; no newer suspension of the warp is being written.
        let due = self.looked.take().filter(|(warp, _)| waits(*warp)).and_then(|(warp, then)| {
            let (due, entry) = self.due[usize::from(warp)]?;
            let written_last_cycle = written.is_some_and(|(written_warp, ..)| written_warp == warp);
            (due == then && !written_last_cycle).then_some(TimeOut { warp, entry })
        });
        let stopped = due.is_some() || self.late.is_some() || item_taken;
        if let Some((warp, limit, entry)) = written {
            self.due[usize::from(warp)] = Some(((tick + limit) % (1 << self.sizes.limit_bits()), entry));
        }
        // In the first cycles of a tick, the warps are checked, one per cycle. A warp whose entry in `due` is written now is not checked.
        if runs && !stopped {
            let place = self.passed % TICK;
            let looks = place < self.sizes.warp_numbers() as u64 && written.is_none_or(|(warp, ..)| u64::from(warp) != place);
            self.looked = looks.then_some((place as u8, tick));
            self.passed += 1;
        }
        // A warp that resumes loses its time-out.
        self.late = self.late.filter(|late| waits(late.warp)).or(due);
        self.suspended = suspends;
    }
}
