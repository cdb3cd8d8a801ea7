// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Runs the parts of a plan in parallel.

use super::plan::Plan;
use super::result::Done;
use super::{parts, Part};
use std::collections::BTreeMap;
use std::io;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, Builder};

/// The stack of a thread in bytes: a build without optimisation moves whole units over the stack.
const STACK: usize = 32 << 20;

/// Receives the progress of a run, from any thread.
pub trait Progress: Sync {
    /// A part starts.
    fn started(&self, part: &Part);

    /// A part has a result. `is_new` is false for a result of an earlier run.
    fn ended(&self, part: &Part, done: &Done, is_new: bool);

    /// A part is not run, because an earlier part of its test has failed.
    fn skipped(&self, part: &Part);

    /// A part has no result, because the host cannot run it, for the reason `why`.
    fn prevented(&self, part: &Part, why: String);

    /// Whether no more parts are to start.
    fn is_stopped(&self) -> bool {
        false
    }
}

/// Runs the parts of the plan's shard except those whose results are `known`. Parts start in order, so that the results of the first tests
/// come first.
///
/// # Errors
/// If the threads cannot be created.
pub fn run(plan: &Plan, known: &[Done], progress: &dyn Progress) -> io::Result<()> {
    let known: BTreeMap<(&str, usize), &Done> = known.iter().map(|d| ((d.name.as_str(), d.first), d)).collect();
    let parts = parts(plan);
    // The first cycle of the earliest failed part of each test.
    let failed: BTreeMap<&str, AtomicUsize> =
        parts.iter().map(|p| (p.test.name.as_str(), AtomicUsize::new(usize::MAX))).collect();
    let run_part = |part: &Part| {
        let name = part.test.name.as_str();
        let before = known.get(&(name, part.first));
        if before.is_none() && failed[name].load(Ordering::Relaxed) < part.first {
            return progress.skipped(part);
        }
        let done = match before {
            Some(done) => (*done).clone(),
            None => {
                progress.started(part);
                match part.run(plan) {
                    Ok(done) => done,
                    Err(why) => return progress.prevented(part, why),
                }
            }
        };
        if done.failure.is_some() {
            failed[name].fetch_min(part.first, Ordering::Relaxed);
        }
        progress.ended(part, &done, before.is_none());
    };
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some(part) = parts.get(next.fetch_add(1, Ordering::Relaxed)).filter(|_| !progress.is_stopped()) {
            run_part(part);
        }
    };
    let jobs = match plan.jobs {
        0 => thread::available_parallelism().map_or(1, NonZeroUsize::get),
        jobs => jobs,
    };
    thread::scope(|scope| {
        let start = || Builder::new().stack_size(STACK).spawn_scoped(scope, work).map(drop);
        (0..jobs.min(parts.len())).try_for_each(|_| start())
    })
}
