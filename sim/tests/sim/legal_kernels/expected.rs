// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The final contents of global memory, calculated thread by thread without a machine.

use super::kernel::{Access, Barrier, Guard, Kernel, Kind, Reduction, Segment, Value, CELLS, SHARED, WORDS};

/// A thread of a CTA.
#[derive(Clone, Debug)]
struct Thread {
    number: u32,
    cells: [u32; WORDS as usize],
    shared_cells: [u32; SHARED as usize],
    accumulator: u32,
    /// The sum of the words that the present burst has loaded.
    loaded: u32,
    /// The sum of the words that the present burst has copied.
    copied: u32,
}

/// The state of a CTA.
struct Cta<'a> {
    kernel: &'a Kernel,
    threads: Vec<Thread>,
    /// The counter in global memory.
    total: u32,
    /// The counter in shared memory.
    counter: u32,
}

fn executes(kernel: &Kernel, thread: &Thread, guard: Guard) -> bool {
    match guard {
        Guard::All => true,
        Guard::OddLanes => thread.number % kernel.lanes % 2 == 1,
        Guard::LaterWarps => thread.number / kernel.lanes >= kernel.split,
    }
}

impl Cta<'_> {
    /// Executes a burst, in round `round`, in the threads of the warps in `warps`.
    fn burst(&mut self, burst: &[Access], round: u32, warps: std::ops::Range<u32>) {
        for thread in self.threads.iter_mut().filter(|thread| warps.contains(&(thread.number / self.kernel.lanes))) {
            for access in burst {
                if !executes(self.kernel, thread, access.guard) {
                    continue;
                }
                let value = match access.value {
                    Value::Accumulator => thread.accumulator,
                    Value::Thread => thread.number,
                    Value::Round => round,
                };
                let cells = access.cell as usize..(access.cell + access.width) as usize;
                let sum = |words: &[u32]| words.iter().fold(0u32, |sum, word| sum.wrapping_add(*word));
                let loaded = match access.kind {
                    Kind::StoreGlobal => {
                        thread.cells[cells].fill(value);
                        0
                    }
                    Kind::LoadGlobal => sum(&thread.cells[cells]),
                    Kind::StoreShared => {
                        thread.shared_cells[cells].fill(value);
                        0
                    }
                    Kind::LoadShared => sum(&thread.shared_cells[cells]),
                    Kind::AddGlobal => {
                        let cell = &mut thread.cells[access.cell as usize];
                        let old = *cell;
                        *cell = old.wrapping_add(value);
                        old
                    }
                    Kind::ExchangeShared => std::mem::replace(&mut thread.shared_cells[access.cell as usize], value),
                    Kind::CountGlobal => {
                        self.total = self.total.wrapping_add(thread.number);
                        0
                    }
                    Kind::CountShared => {
                        self.counter = self.counter.wrapping_add(thread.number);
                        0
                    }
                    Kind::Copy => {
                        thread.copied = thread.copied.wrapping_add(thread.cells[(CELLS + access.cell) as usize]);
                        0
                    }
                };
                thread.loaded = thread.loaded.wrapping_add(loaded);
            }
        }
    }

    fn takes_up(&mut self, warps: std::ops::Range<u32>) {
        for thread in self.threads.iter_mut().filter(|thread| warps.contains(&(thread.number / self.kernel.lanes))) {
            let sum = thread.accumulator.wrapping_add(thread.loaded).wrapping_add(thread.copied);
            thread.accumulator = sum.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (thread.loaded, thread.copied) = (0, 0);
        }
    }

    fn segment(&mut self, segment: &Segment, round: u32) {
        let all = 0..self.kernel.warps;
        self.burst(&segment.burst, round, all.clone());
        let given: Vec<u32> = self.threads.iter().map(|thread| thread.accumulator).collect();
        match &segment.barrier {
            Barrier::Reduce { reduction, salt, modulus, .. } => {
                let votes = |thread: &Thread| (thread.number + round + salt).is_multiple_of(*modulus);
                let count = self.threads.iter().filter(|thread| votes(thread)).count();
                let value = match reduction {
                    Reduction::And => u32::from(count == self.threads.len()),
                    Reduction::Or => u32::from(count > 0),
                    Reduction::Popc => count as u32,
                };
                self.threads.iter_mut().for_each(|thread| thread.accumulator = thread.accumulator.wrapping_add(value));
            }
            Barrier::Handshake { producers, between, .. } => self.burst(between, round, 0..*producers),
            Barrier::Cluster { between, .. } => self.burst(between, round, all.clone()),
            Barrier::Sync { .. } | Barrier::Warp | Barrier::Object { .. } | Barrier::Fence(_) => {}
        }
        self.takes_up(all);
        if segment.exchanges {
            let (count, distance) = (self.threads.len(), self.kernel.distance as usize);
            for (number, thread) in self.threads.iter_mut().enumerate() {
                thread.accumulator ^= given[(number + distance) % count];
            }
        }
    }
}

/// The words of the buffer after the kernel: first the words of every thread, CTA by CTA, then a counter for each CTA.
pub fn expected(kernel: &Kernel, before: &[u32]) -> Vec<u32> {
    let (mut cells, mut totals) = (vec![], vec![]);
    for cta in 0..kernel.ctas {
        let thread = |number: u32| {
            let global = cta * kernel.threads + number;
            let first = (global * WORDS) as usize;
            let mut cells = [0; WORDS as usize];
            cells.copy_from_slice(&before[first..first + WORDS as usize]);
            Thread { number, cells, shared_cells: [0; SHARED as usize], accumulator: global, loaded: 0, copied: 0 }
        };
        let threads = (0..kernel.threads).map(thread).collect();
        let total = before[(kernel.ctas * kernel.threads * WORDS + cta) as usize];
        let mut of = Cta { kernel, threads, total, counter: 0 };
        for round in 0..kernel.rounds {
            kernel.body.iter().for_each(|segment| of.segment(segment, round));
        }
        let counter = of.counter;
        for thread in &mut of.threads {
            thread.accumulator = thread.accumulator.wrapping_add(counter);
            thread.cells[0] = thread.accumulator;
        }
        of.burst(&kernel.last[0], kernel.rounds, 0..kernel.staying);
        of.takes_up(0..kernel.staying);
        of.burst(&kernel.last[1], kernel.rounds, 0..kernel.warps);
        of.threads.iter_mut().for_each(|thread| thread.cells[1] = thread.accumulator);
        cells.extend(of.threads.iter().flat_map(|thread| thread.cells));
        totals.push(of.total);
    }
    cells.extend(totals);
    cells
}
