// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The result of a run: verdict, generations, waits, faults, and for a hang the waits of each warp. It serialises to JSON, format version
//! 1.
//!
//! Warps are counted within their CTA, CTAs in the order of the machine description, and cycles from the reset cycle, which is 0.

pub mod arrival;
mod cause;
mod gateway;
mod grid;
mod grid_barrier;
mod hang;
pub mod missing;
mod objects;
mod order;
pub mod program_stop;
mod spin;
pub mod stop;
mod unknown;
pub mod wait;

use super::schedule::Policy;
pub(super) use arrival::{Arrival, Reduction};
use bcu_program::Place;
pub use cause::{Cause, Evidence};
pub use gateway::{GatewayMissing, GatewayPhase, GatewayWait, Role, Signal};
pub use grid::{GridBefore, GridTotal, GridWait};
pub use grid_barrier::{GridBarrierArrival, GridBarrierMissing, GridBarrierWait};
pub use hang::{Blocked, BlockedLanes, ClusterWait, Hang, HangCause, ResumableWarp, Stopped};
pub use missing::{ClusterMissing, Missing, Whereabouts};
pub use objects::{
    EarlyWait, EndedPhase, FaultObject, Misuse, Object, ObjectArrival, ObjectHistory, ObjectName, ObjectWait, UnwaitedObject,
    UNEXPECTED,
};
pub use order::{Change, Operation, Pair, Scheduled, Unordered};
use program_stop::ProgramStop;
use serde::Serialize;
pub use spin::{Absent, LastWriter, NextWriter, SpinWait, SpinWord};
pub(crate) use stop::Stop;
pub use unknown::{ConditionCause, UnknownAddress, UnknownBuffer, UnknownCondition, UnknownValue, UnsetRead};
pub(super) use wait::Wait;

/// The version of the JSON form of a [`Report`]: increases when a key changes its meaning or is removed.
pub const FORMAT_VERSION: u32 = 1;

/// The verdict of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, serde::Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Every CTA ended, without a fault.
    Completed,
    /// Every CTA ended, with at least one fault.
    Fault,
    /// No further change is possible, but not every CTA ended; there may be faults as well.
    Hung,
    /// The cycle limit or an interrupt stopped the run; whether it hangs is unknown. There may be faults as well.
    Unfinished,
    /// A program stopped the run: no hardware can execute its operation, or a decision depends on an unknown value.
    Stopped,
}

impl Verdict {
    /// The name in JSON and in scenarios.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Completed => "completed",
            Verdict::Fault => "fault",
            Verdict::Hung => "hung",
            Verdict::Unfinished => "unfinished",
            Verdict::Stopped => "stopped",
        }
    }
}

/// The result of one run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Report {
    pub format_version: u32,
    pub verdict: Verdict,
    /// The number of cycles from the reset until the run was stopped or found to hang, or until a few cycles after the last CTA ended.
    pub cycles: u64,
    pub policy: Policy,
    pub seed: u64,
    /// The engine that ran the unit, if the caller sets it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub engine: Option<&'static str>,
    /// Completed generations, in order of release.
    pub generations: Vec<Generation>,
    /// Phases of the barriers of Intel's gateway, in order of completion.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub phases: Vec<GatewayPhase>,
    /// Faults in the order in which the unit reported them.
    pub faults: Vec<Fault>,
    /// The number of faults that were lost because the unit's queue was full; only a configuration with `lose_faults` loses faults.
    #[serde(skip_serializing_if = "is_zero")]
    pub lost_faults: u64,
    /// The grids in order, if the run has several grids that may overlap.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub grids: Vec<GridTotal>,
    /// The totals of every warp of every launched CTA.
    pub warps: Vec<WarpTotal>,
    /// The stored words of memory with known values: global memory, then shared memory CTA by CTA.
    pub memory: Vec<Word>,
    /// The number of stores of lanes to unknown addresses. After such a store all contents of that memory are unknown.
    pub unknown_stores: u64,
    /// Unordered accesses, one for each kind and pair of locations; only `bcu check` detects them.
    pub races: Vec<Race>,
    /// What another schedule may change, one entry for each pair of locations; only `bcu check` detects it.
    #[serde(skip)]
    pub unordered: Vec<Unordered>,
    /// What a run of an exploration records about its schedule.
    #[serde(skip)]
    pub scheduled: Scheduled,
    /// Whether some accesses were not compared with each other, because too many accesses to one word were not ordered.
    #[serde(skip)]
    pub has_dropped_accesses: bool,
    /// Misuses of mbarriers, and in `bcu check` of instructions of warpgroups, for which the unit has no fault.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub misuses: Vec<Misuse>,
    /// For each mbarrier and warp, the first wait that returned true at once, of two kinds: for the phase before phase 0, and for a phase
    /// whose completion the warp had already observed. A warp that arrives only after its wait for the phase before phase 0 is omitted,
    /// because it may have waited for a free buffer.
    #[serde(skip)]
    pub early_waits: Vec<EarlyWait>,
    /// Mbarriers at which no thread has waited.
    #[serde(skip)]
    pub unwaited: Vec<UnwaitedObject>,
    /// Instructions with an unknown guard for which an option of the run assumed a value.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub assumed: Vec<Assumed>,
    /// Unknown values in global memory at the end of the run; of each multiprocessor at most 256, those at the lowest addresses.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unknown_values: Vec<UnknownValue>,
    /// Buffers and variables with stored bytes that are unknown.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unknown_buffers: Vec<UnknownBuffer>,
    /// Accesses at addresses that depend on memory that was never written, one for each instruction.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unknown_addresses: Vec<UnknownAddress>,
    /// Branches and accesses with unknown conditions, one for each instruction, with which the run has continued.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unknown_conditions: Vec<UnknownCondition>,
    /// Reads of variables that have neither an initial value nor data from a launch; only `bcu check` detects them.
    #[serde(skip)]
    pub unset_reads: Vec<UnsetRead>,
    /// Differences between buffers and their expected contents.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub mismatches: Vec<String>,
    /// The reason for the stop, if the verdict is `stopped`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop: Option<ProgramStop>,
    /// The waits at the end, if the verdict is `hung` or `unfinished`.
    pub hang: Option<Hang>,
}

impl Report {
    /// Whether the run was interrupted from outside.
    pub fn is_interrupted(&self) -> bool {
        self.hang.as_ref().is_some_and(|hang| hang.cause == HangCause::Interrupted)
    }

    /// Adds what was found in the earlier runs of a session, whose report is `earlier`. Cycles are those of each run.
    pub(super) fn after(mut self, earlier: Option<Report>) -> Report {
        let Some(earlier) = earlier else { return self };
        self.races.splice(0..0, earlier.races);
        self.unordered.splice(0..0, earlier.unordered);
        self.misuses.splice(0..0, earlier.misuses);
        self.early_waits.splice(0..0, earlier.early_waits);
        self.unwaited.splice(0..0, earlier.unwaited);
        self.unknown_addresses.splice(0..0, earlier.unknown_addresses);
        self.unknown_conditions.splice(0..0, earlier.unknown_conditions);
        let is_new = |read: &UnsetRead| !earlier.unset_reads.iter().any(|known| known.address == read.address);
        self.unset_reads.retain(is_new);
        self.unset_reads.splice(0..0, earlier.unset_reads);
        self.unknown_stores += earlier.unknown_stores;
        self.has_dropped_accesses |= earlier.has_dropped_accesses;
        self
    }

    /// Merges the entries of several multiprocessors: sorts them by time, by warp or by address,
    /// and removes duplicates.
    pub(super) fn merge(&mut self) {
        self.warps.sort_by_key(|warp| (warp.cta, warp.warp));
        self.generations.sort_by_key(|generation| generation.released);
        self.faults.sort_by_key(|fault| fault.cycle);
        self.unknown_values.sort_by_key(|value| value.address);
        self.unknown_values.dedup_by_key(|value| value.address);
        let mut places: Vec<Place> = vec![];
        self.unknown_addresses.retain(|entry| {
            !places.contains(&entry.place) && {
                places.push(entry.place.clone());
                true
            }
        });
        let mut places: Vec<Place> = vec![];
        self.unknown_conditions.retain(|entry| {
            !places.contains(&entry.place) && {
                places.push(entry.place.clone());
                true
            }
        });
        self.races.sort_by_key(|race| race.cycle);
        let assumed = std::mem::take(&mut self.assumed);
        for entry in assumed {
            match self.assumed.iter_mut().find(|known| known.place == entry.place) {
                Some(known) => {
                    (known.times_true, known.times_false) =
                        (known.times_true + entry.times_true, known.times_false + entry.times_false)
                }
                None => self.assumed.push(entry),
            }
        }
    }
}

/// Two unordered accesses to a byte of shared or global memory, at least one of them a store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Race {
    pub memory: RaceMemory,
    /// The address of the byte.
    pub address: u64,
    /// The variable or buffer that contains the byte, with the offset of the byte in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variable: Option<RaceVariable>,
    /// The cycle in which the second access was issued.
    pub cycle: u64,
    pub first: Toucher,
    pub second: Toucher,
    pub kind: RaceKind,
}

/// The variable or buffer of a race.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RaceVariable {
    pub name: String,
    pub offset: u64,
}

/// The memory of a race.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RaceMemory {
    Global,
    /// The shared memory of a CTA.
    Shared {
        cta: usize,
    },
}

/// Why two accesses race.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RaceKind {
    /// Nothing orders the accesses.
    Unordered,
    /// The first access is an asynchronous copy that is not ordered before the second access by a wait.
    Copy,
    /// The second access is an asynchronous copy that is ordered after a store, but without a fence of the asynchronous proxy.
    ProxyFence,
    /// The second access is an asynchronous copy that is ordered after a load, but without a fence of the asynchronous proxy.
    ProxyFenceAfterLoad,
    /// The second access is the read of a tensor map by a copy that is ordered after a store to the map, but without the fences of tensor
    /// maps.
    MapFence,
    /// Two stores of the same value are not ordered.
    SameValue,
    /// Two stores are not ordered, and a value is unknown: a race unless the values are equal.
    IfDifferent,
    /// Two lanes store different values with one instruction.
    SameInstruction,
    /// Both accesses are strong, but the scope of one does not include the other thread.
    Scope,
    /// A volatile load and a volatile store are not ordered.
    Volatile,
    /// One access is strong and the other is not, and nothing orders them.
    WeakAndStrong,
    /// A thread stores to bytes that are loaded by `ld.global.nc`, before or after the store.
    ReadOnly,
}

impl RaceKind {
    /// Whether only `bcu check --strict` reports races of this kind.
    pub fn needs_strict(self) -> bool {
        matches!(self, RaceKind::ProxyFenceAfterLoad | RaceKind::SameValue)
    }
}

/// One access of a race.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Toucher {
    pub cta: usize,
    pub warp: usize,
    pub lane: usize,
    /// True for a store, false for a load.
    pub store: bool,
    pub place: Place,
}

/// An instruction with an unknown guard for which a value was assumed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Assumed {
    pub place: Place,
    /// True for a branch, false for another guarded instruction.
    pub branch: bool,
    /// How often the unknown guard was assumed to be true.
    #[serde(rename = "taken")]
    pub times_true: u64,
    /// How often the unknown guard was assumed to be false.
    #[serde(rename = "not")]
    pub times_false: u64,
}

/// A word of memory at the end of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Word {
    /// The CTA whose shared memory contains the word; `None`: the word is in global memory.
    pub cta: Option<usize>,
    /// The address of the first byte of the word.
    pub address: u32,
    pub value: u32,
}

/// One use of one barrier, from its first arrival to its release.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Generation {
    pub cta: usize,
    pub id: u8,
    /// The number of this generation of the barrier in its CTA, from 1.
    pub number: usize,
    /// The count that the arrivals give, in threads; `None`: the generation needs all warps of the CTA that have not exited.
    pub threads: Option<u32>,
    /// How the predicates of the arrivals are combined; `None` if the generation is no reduction.
    pub reduction: Option<Reduction>,
    /// The result of the reduction: 0 or 1 for `and` and `or`, the number of lanes for `popc`.
    pub value: Option<u32>,
    pub arrivals: Vec<Arrival>,
    /// The number of arrivals that a state word (R2B) has restored; they are not in `arrivals`.
    pub restored: usize,
    /// The warp whose exit completed the generation; `None` if an arrival or a state word completed
    /// it.
    pub exited: Option<usize>,
    /// Warp and lane of a thread that had exited when the generation completed; `None` if there was no such thread.
    #[serde(skip)]
    pub exited_thread: Option<(usize, usize)>,
    /// The cycle in which the unit output the release.
    pub released: u64,
    /// The waits for the generation, in order of arrival.
    pub waits: Vec<Wait>,
}

/// A fault that the unit has reported.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Fault {
    /// The cycle of the transfer of the fault on the fault channel.
    pub cycle: u64,
    /// The name of the fault, as in `docs/contract/faults.md`.
    pub code: String,
    pub cta: usize,
    /// The offending warp; `None` if the CTA as a whole is at fault.
    pub warp: Option<usize>,
    /// The id of the barrier of the fault. `None` if the fault concerns no barrier, or several barriers; `sentence` names these.
    pub id: Option<u8>,
    pub place: Option<Place>,
    /// Why the operation was refused, one sentence without a full stop.
    pub sentence: String,
    /// The effect of the fault policy on the warp; `None`: the warp resumes.
    pub stopped: Option<Stop>,
    /// The mbarrier, if the fault is at one.
    #[serde(skip)]
    pub object: Option<FaultObject>,
    /// If another CTA sent the refused operation to an mbarrier of `cta`: the CTA that sent it, and the address of the mbarrier.
    #[serde(skip)]
    pub remote_sender: Option<(usize, u32)>,
}

/// The totals of one warp.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WarpTotal {
    pub cta: usize,
    /// The multiprocessor of the CTA; `None` if there is only one multiprocessor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub multiprocessor: Option<usize>,
    pub warp: usize,
    pub program: String,
    /// The number of instructions that the warp has issued.
    pub steps: usize,
    /// The number of cycles that the warp waited, at barriers of any kind and for grids; a wait that has not ended counts up to the end of
    /// the run.
    pub waited: u64,
    /// The cycle in which the unit accepted the exit of the warp.
    pub exited: Option<u64>,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}
