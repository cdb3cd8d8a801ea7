// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Runs schedules on several threads.

use crate::exploration::Explored;
use crate::run_error::RunError;
use crate::schedule_file::Schedule;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{scope, ScopedJoinHandle};

/// The result of a run.
pub(super) type Ran = Result<Explored, RunError>;

/// Runs the session with a schedule.
pub(super) type Run<'a> = dyn Fn(&Schedule) -> Ran + Sync + 'a;

/// Runs all schedules. The results are in the order of the schedules, whatever the number of threads.
pub(super) fn run_all(run: &Run, schedules: &[Schedule], threads: NonZeroUsize) -> Vec<Ran> {
    let threads = threads.get().min(schedules.len());
    if threads < 2 {
        return schedules.iter().map(run).collect();
    }
    let next = AtomicUsize::new(0);
    let work = || -> Vec<(usize, Ran)> {
        let numbers = std::iter::repeat_with(|| next.fetch_add(1, Ordering::Relaxed));
        numbers.map_while(|number| Some((number, run(schedules.get(number)?)))).collect()
    };
    let joined =
        |worker: ScopedJoinHandle<Vec<(usize, Ran)>>| worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    let mut ran: Vec<(usize, Ran)> = scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(joined).collect()
    });
    ran.sort_by_key(|(number, _)| *number);
    ran.into_iter().map(|(_, ran)| ran).collect()
}
