// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The operations of a run whose order another schedule may reverse.

use crate::schedule_file::Constraint;
use bcu_program::Place;

/// An operation of a run that another schedule may order differently, which may change the result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unordered {
    pub change: Change,
    pub operation: Operation,
    /// The other operation, if the order of two operations matters.
    pub other: Option<Operation>,
}

/// What another schedule may change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Two stores to the same bytes are performed in the other order.
    Stores,
    /// A store is performed before a load that came first.
    StoreBeforeLoad,
    /// A load is performed before a store that came first.
    LoadBeforeStore,
    /// An arrival at a named barrier counts in the generation before.
    Generation,
    /// An arrival or bytes at an mbarrier count in the phase before.
    Phase,
    /// An expectation of bytes or arrivals comes after the end of its phase.
    Expectation,
    /// A wait is performed while the phase before is open.
    WaitEarlier,
    /// A wait is performed when the phase after is complete.
    WaitLater,
    /// An operation is performed before the init of its mbarrier.
    BeforeInit,
    /// A wait that is not repeated has the other answer.
    Answer,
    /// An arrival returns another state of the mbarrier.
    State,
    /// An invalidation, or another init, is performed before an earlier operation.
    Invalidation,
    /// The last participant of an mbarrier drops out, for which there is no rule.
    LastDrop,
    /// The transaction count of an mbarrier leaves its range.
    Range,
    /// An access is performed before its CTA has waited for the earlier grids.
    WaitForGrids,
    /// A CTA exits before an access or operation of another CTA reaches its shared memory.
    ExitOfCta,
}

/// Two executions that another schedule may reverse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The constraint that reverses them: `delayed` came first in the run.
    pub reversal: Constraint,
    pub change: Change,
}

/// What a run of an exploration records about its schedule.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scheduled {
    /// The pairs of operations that another schedule may reverse, each in the order in which its operations took effect, by the time of the
    /// later one.
    pub pairs: Vec<Pair>,
    /// Whether there are such pairs that a constraint cannot reverse.
    pub has_other_pairs: bool,
    /// The number of constraints of the schedule that the run could not follow.
    pub given_up_constraints: usize,
    /// The number of constraints of the schedule that no run can follow, because a loop that waits for a value does not end before.
    pub infeasible_constraints: usize,
    /// The number of constraints of the schedule that the run has not followed: those that were given up, and those whose executions did not
    /// occur or cannot occur in this order.
    pub unfollowed_constraints: usize,
    /// The number of operations of all warps, with their exits.
    pub operations: u64,
}

impl Pair {
    /// The pair of the same executions in the other order.
    pub(in super::super) fn reverse(self) -> Pair {
        let Constraint { delayed, after } = self.reversal;
        let change = match self.change {
            Change::StoreBeforeLoad => Change::LoadBeforeStore,
            Change::LoadBeforeStore => Change::StoreBeforeLoad,
            change => change,
        };
        Pair { reversal: Constraint { delayed: after, after: delayed }, change }
    }
}

impl Change {
    /// The change of two accesses to the same bytes that are performed in the other order; whether the first and the second access stores.
    pub(in super::super) fn of_accesses(first: bool, second: bool) -> Change {
        match (first, second) {
            (true, true) => Change::Stores,
            (false, _) => Change::StoreBeforeLoad,
            (true, false) => Change::LoadBeforeStore,
        }
    }

    /// One sentence without a full stop.
    pub fn sentence(self) -> &'static str {
        match self {
            Change::Stores => {
                "another schedule may perform the two stores or atomic operations on the same bytes in the other order"
            }
            Change::StoreBeforeLoad => "another schedule may perform this store before that load of the same bytes",
            Change::LoadBeforeStore => "another schedule may perform this load before that store to the same bytes",
            Change::Generation => {
                "another schedule may count this arrival in the generation of that arrival, which is complete here"
            }
            Change::Phase => "another schedule may count this operation in the phase of that operation, which is complete here",
            Change::Expectation => "another schedule may complete the phase before this expectation of bytes or arrivals",
            Change::WaitEarlier => "another schedule may perform this wait while the phase of that operation is open",
            Change::WaitLater => "another schedule may perform this wait after that operation has completed the next phase",
            Change::BeforeInit => "another schedule may perform this operation before the init of the mbarrier",
            Change::Answer => {
                "another schedule may give the other answer to this wait, which no loop repeats until the answer is true"
            }
            Change::State => "another schedule may return another state of the mbarrier, which the program uses",
            Change::Invalidation => "another schedule may invalidate the mbarrier before that operation",
            Change::LastDrop => "the last participant of the mbarrier drops out, for which there is no rule",
            Change::Range => "another schedule may leave the range of the transaction count of the mbarrier",
            Change::WaitForGrids => "another schedule may perform this access before its CTA has waited for the earlier grids",
            Change::ExitOfCta => {
                "another schedule may perform this operation after the exit of the CTA in whose shared memory it is"
            }
        }
    }
}

/// An operation of a warp.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation {
    pub cta: usize,
    /// The number of the warp in its CTA.
    pub warp: usize,
    pub place: Place,
}
