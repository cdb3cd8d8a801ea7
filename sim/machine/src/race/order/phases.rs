// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The rules of mbarriers. Another schedule may complete a phase by another operation, so the rules speak of what contributes to a phase:
//! arrivals, completed bytes, and expectations of bytes or arrivals.
//!
//! - Every contribution to a phase is ordered after every arrival and all bytes of the phase before it.
//! - Every expectation without an arrival is ordered before an arrival that may complete its phase.
//! - A wait for a phase is ordered after every arrival and all bytes of the phase before it, and before an arrival or bytes of the phase
//!   after it, if that phase is complete.
//! - A wait that is not repeated until it returns true is ordered after all contributions to its phase.

use super::super::clock::{Clock, Source};
use super::before::{Before, Mark};
use crate::report::Change;
use bcu_model::mbarrier_object::MbarrierKind;
use bcu_program::mbarrier::MAX_NUMBER;

/// The maximum number of contributions to a phase that are kept.
const MOST_OPERATIONS: usize = 64;

/// What contributed to one phase.
#[derive(Debug, Default)]
struct Contributions {
    /// The arrivals and bytes.
    clock: Clock,
    /// Each operation, and for one that takes effect later than its issue, the source and the step of its effect.
    operations: Vec<(Mark, Option<(Source, u32)>)>,
    /// Whether the only contribution is the init of the mbarrier.
    is_init: bool,
}

/// The phases of one mbarrier.
#[derive(Debug)]
pub(in super::super) struct Phases {
    /// The number of completed phases.
    completed: u64,
    /// The phase before the last completed phase.
    before_last: Contributions,
    /// The last completed phase; the init, before phase 0 is complete.
    last: Contributions,
    open: Contributions,
    /// The expectations of the open phase that are not ordered before any of its arrivals so far.
    expectations: Vec<Mark>,
    /// The waits for the last completed phase that are not ordered before any arrival or bytes of the open phase so far.
    waits: Vec<Mark>,
    /// The bytes that operations and copies of the open phase have expected, and completed.
    bytes: [u64; 2],
    /// Whether the open phase has all arrivals, and its bytes are not those expected.
    pub(in super::super) waits_for_bytes: bool,
    /// The waits for the open phase whose warps are suspended.
    suspended: Vec<Mark>,
}

/// A wait and its answer.
#[derive(Clone, Copy)]
pub(in super::super) struct Answered<'a> {
    pub(in super::super) before: &'a Before,
    pub(in super::super) answer: bool,
    pub(in super::super) suspends: bool,
    /// Whether a loop repeats the wait until it returns true.
    pub(in super::super) is_repeated: bool,
}

/// What another schedule may change, and the two operations.
pub(in super::super) struct Violation {
    pub(in super::super) change: Change,
    pub(in super::super) operation: Mark,
    pub(in super::super) other: Option<Mark>,
    /// Whether `operation` came first in the run.
    pub(in super::super) came_first: bool,
}

/// A contribution to the open phase.
#[derive(Clone, Copy)]
pub(in super::super) struct Contribution<'a> {
    pub(in super::super) before: &'a Before,
    pub(in super::super) kind: MbarrierKind,
    /// For a contribution that takes effect later than its issue, such as the bytes of a copy: the source and the step by which a wait for
    /// the phase is ordered after it.
    pub(in super::super) later: Option<(Source, u32)>,
    /// Whether the drop was the last: no later phase expects arrivals.
    pub(in super::super) drops_last: bool,
}

impl Violation {
    /// An operation that is performed before the init of its mbarrier in this run too.
    pub(in super::super) fn before_init(operation: Mark) -> Violation {
        Violation { change: Change::BeforeInit, operation, other: None, came_first: true }
    }

    /// An operation that came after others in the run.
    fn after_others(change: Change, operation: &Mark, others: Vec<Option<Mark>>) -> Vec<Violation> {
        let violation = |other| Violation { change, operation: operation.clone(), other, came_first: false };
        others.into_iter().map(violation).collect()
    }
}

impl Contributions {
    fn add(&mut self, mark: &Mark, later: Option<(Source, u32)>) {
        add_effect(mark, later, &mut self.clock);
        if self.operations.len() < MOST_OPERATIONS {
            self.operations.push((mark.clone(), later));
        }
    }

    /// The contributions that are not ordered before an operation. `None` is one that is not among those that are kept.
    fn unordered(&self, before: &Before) -> Vec<Option<Mark>> {
        if before.executed.includes(&self.clock) {
            return vec![];
        }
        let is_unordered = |(mark, later): &&(Mark, Option<(Source, u32)>)| {
            let mut clock = Clock::default();
            add_effect(mark, *later, &mut clock);
            !before.executed.includes(&clock)
        };
        let kept = self.operations.iter().filter(is_unordered).map(|(mark, _)| Some(mark.clone()));
        kept.chain((self.operations.len() == MOST_OPERATIONS).then_some(None)).collect()
    }

    fn marks(&self) -> impl DoubleEndedIterator<Item = &Mark> {
        self.operations.iter().map(|(mark, _)| mark)
    }
}

/// Adds the effect of an operation to a clock. `later`: as for [`Contribution`].
fn add_effect(mark: &Mark, later: Option<(Source, u32)>, clock: &mut Clock) {
    match later {
        Some((source, step)) => clock.raise_all(source, step),
        None => mark.add_to(clock),
    }
}

impl Phases {
    /// The phases of an mbarrier after its init.
    pub(in super::super) fn new(init: &Mark) -> Phases {
        let mut last = Contributions { is_init: true, ..Contributions::default() };
        last.add(init, None);
        let (before_last, open) = (Contributions::default(), Contributions::default());
        Phases {
            completed: 0,
            before_last,
            last,
            open,
            expectations: vec![],
            waits: vec![],
            suspended: vec![],
            bytes: [0; 2],
            waits_for_bytes: false,
        }
    }

    /// Records a contribution to the open phase.
    pub(in super::super) fn contribute(
        &mut self,
        Contribution { before, kind, later, drops_last }: Contribution,
    ) -> Vec<Violation> {
        let mark = &before.mark;
        let unordered = self.last.unordered(before);
        let is_init = self.last.is_init;
        let counts = kind.arrives() || kind == MbarrierKind::Complete;
        if counts {
            self.open.add(mark, later);
            self.waits.retain(|wait| !before.is_after(wait));
        }
        if kind.arrives() && kind.completes() {
            self.expectations.retain(|expectation| !before.is_after(expectation));
        }
        let expects = matches!(
            kind,
            MbarrierKind::Expect | MbarrierKind::AddPending | MbarrierKind::ArriveNoComplete | MbarrierKind::DropNoComplete
        );
        if expects {
            self.expectations.push(mark.clone());
        }
        let change = if is_init { Change::BeforeInit } else { Change::Phase };
        let mut violations = Violation::after_others(change, mark, unordered);
        if drops_last {
            violations.push(Violation { change: Change::LastDrop, operation: mark.clone(), other: None, came_first: false });
        }
        violations
    }

    /// Records that the open phase is complete.
    pub(in super::super) fn complete(&mut self) -> Vec<Violation> {
        let last = std::mem::take(&mut self.last);
        self.before_last = last;
        self.last = std::mem::take(&mut self.open);
        self.completed += 1;
        self.bytes = [0; 2];
        let (expectations, waits) = (std::mem::take(&mut self.expectations), std::mem::take(&mut self.waits));
        self.waits = std::mem::take(&mut self.suspended);
        let by = self.last.marks().last().cloned();
        let violation = |change: Change| {
            let by = by.clone();
            move |operation: Mark| Violation { change, operation, other: by.clone(), came_first: true }
        };
        let expectations = expectations.into_iter().map(violation(Change::Expectation));
        expectations.chain(waits.into_iter().map(violation(Change::WaitLater))).collect()
    }

    /// Counts the bytes of an operation or a copy of the open phase. If all expectations or all completions together leave the range of the
    /// transaction count, an order of the operations may leave it.
    pub(in super::super) fn count(&mut self, mark: &Mark, kind: MbarrierKind, bytes: u64) -> Option<Violation> {
        let side = match kind {
            kind if kind.expects() => 0,
            MbarrierKind::Complete => 1,
            _ => return None,
        };
        self.bytes[side] += bytes;
        let is_in_range = self.bytes[side] <= MAX_NUMBER;
        (!is_in_range).then(|| Violation { change: Change::Range, operation: mark.clone(), other: None, came_first: true })
    }

    /// At the end of the run or of the CTA: an expectation of the open phase that no arrival follows, or bytes of the open phase with which
    /// it is not complete. In another schedule the phase may be complete before.
    pub(in super::super) fn finish(&mut self) -> Option<Violation> {
        // Without completed bytes, all arrivals together leave expected bytes in every order.
        let bytes = self.open.marks().last().filter(|_| self.waits_for_bytes && self.bytes[1] > 0).cloned();
        let operation = std::mem::take(&mut self.expectations).into_iter().next().or(bytes)?;
        let other = self.open.marks().chain(self.last.marks()).last().cloned();
        Some(Violation { change: Change::Expectation, operation, other, came_first: false })
    }

    /// Records a wait with its answer.
    pub(in super::super) fn wait(&mut self, Answered { before, answer, suspends, is_repeated }: Answered) -> Vec<Violation> {
        let mark = &before.mark;
        // After the answer true the wait is for the last completed phase, otherwise for the open phase.
        let previous = if answer && self.completed > 0 { &self.before_last } else { &self.last };
        let change = if previous.is_init { Change::BeforeInit } else { Change::WaitEarlier };
        let mut violations = Violation::after_others(change, mark, previous.unordered(before));
        let waits = if answer { Some(&mut self.waits) } else { Some(&mut self.suspended).filter(|_| suspends) };
        if let Some(waits) = waits {
            // A later wait of the same lanes is ordered after the earlier one.
            waits.retain(|wait| wait.source != mark.source || wait.lanes & !mark.lanes != 0);
            waits.push(mark.clone());
        }
        if !is_repeated {
            let others = if answer { self.last.unordered(before) } else { vec![None] };
            violations.extend(Violation::after_others(Change::Answer, mark, others));
        }
        violations
    }

    /// The operations that are not ordered before an invalidation, or before a new init.
    pub(in super::super) fn end(&self, before: &Before) -> Vec<Violation> {
        let of_phases = [&self.last, &self.open].into_iter().flat_map(|phase| phase.unordered(before));
        let of_waits = self.waits.iter().chain(&self.expectations).filter(|mark| !before.is_after(mark)).cloned().map(Some);
        Violation::after_others(Change::Invalidation, &before.mark, of_phases.chain(of_waits).collect())
    }
}
