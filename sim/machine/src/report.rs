// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What a run tells: verdict, generations, waits, faults, and for a hang who waits for whom. Serialises to JSON, format version 1.
//!
//! Warps are counted within their CTA, CTAs in the order of the machine description, cycles from the reset cycle, which is 0.

pub mod arrival;
mod cause;
mod gateway;
mod grid;
mod hang;
pub mod missing;
mod objects;
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
pub use hang::{Blocked, BlockedLanes, ClusterWait, Going, Hang, HangCause, Stopped};
pub use missing::{ClusterMissing, Missing, Whereabouts};
pub(super) use objects::named;
pub use objects::{EarlyWait, EndedPhase, Misuse, Object, ObjectArrival, ObjectHistory, ObjectWait};
use program_stop::ProgramStop;
use serde::Serialize;
pub use spin::{Absent, LastWriter, NextWriter, SpinWait, SpinWord};
pub(crate) use stop::Stop;
pub use unknown::{UnknownAddress, UnknownBuffer, UnknownValue};
pub(super) use wait::Wait;

/// The version of the JSON form of a [`Report`]: goes up when a key changes its meaning or goes away.
pub const FORMAT_VERSION: u32 = 1;

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, serde::Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Every CTA ended, without a fault.
    Completed,
    /// Every CTA ended, with at least one fault.
    Fault,
    /// Nothing can change any more, but not every CTA ended; there may be faults as well.
    Hung,
    /// The limit of cycles stopped the run, which is not known to hang; there may be faults as well.
    Unfinished,
    /// A program stopped the run: it does what no hardware can carry out, or a decision hangs on what is not known.
    Stopped,
}

impl Verdict {
    /// As in JSON and in scenarios.
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
    /// Cycles of the run from reset on: until it was stopped or found to hang, or for a few after the last CTA had ended.
    pub cycles: u64,
    pub policy: Policy,
    pub seed: u64,
    /// What played the unit, if whoever ran it says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub engine: Option<&'static str>,
    /// Generations that completed, in the order of their release.
    pub generations: Vec<Generation>,
    /// Phases of the barriers of Intel's gateway, in the order of their completion.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub phases: Vec<GatewayPhase>,
    /// Faults in the order in which the unit reported them.
    pub faults: Vec<Fault>,
    /// Faults that found the unit's queue full and were lost, where the configuration has `lose_faults`.
    #[serde(skip_serializing_if = "is_zero")]
    pub lost_faults: u64,
    /// The grids of a run of several that may overlap, in their order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub grids: Vec<GridTotal>,
    /// Every warp of every launched CTA.
    pub warps: Vec<WarpTotal>,
    /// The words of memory that were stored and whose value is known: global memory, then shared memory CTA by CTA.
    pub memory: Vec<Word>,
    /// Stores by lanes whose address is unknown: after one nothing is known of that memory.
    pub unknown_stores: u64,
    /// Accesses of shared memory that nothing orders, one pair of places each; only looked for by `bcu check`.
    pub races: Vec<Race>,
    /// What is wrong at mbarriers although no operation was refused.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub misuses: Vec<Misuse>,
    /// Waits at mbarriers that were true at once, which is right only for those that wait for a free buffer.
    #[serde(skip)]
    pub early_waits: Vec<EarlyWait>,
    /// Guards that were taken to be true or false where nobody knows, as the options of the run say.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub assumed: Vec<Assumed>,
    /// Values that nobody knows in global memory at the end, the lowest 256 addresses.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unknown_values: Vec<UnknownValue>,
    /// Buffers and variables with bytes that were stored and are not known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unknown_buffers: Vec<UnknownBuffer>,
    /// Accesses at addresses that depend on memory that was never written, one for each instruction.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unknown_addresses: Vec<UnknownAddress>,
    /// How buffers are not as they are expected to be.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub mismatches: Vec<String>,
    /// For the verdict `stopped`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop: Option<ProgramStop>,
    /// For the verdicts `hung` and `unfinished`.
    pub hang: Option<Hang>,
}

impl Report {
    /// The run was interrupted from outside.
    pub fn is_interrupted(&self) -> bool {
        self.hang.as_ref().is_some_and(|hang| hang.cause == HangCause::Interrupted)
    }

    /// What several multiprocessors tell comes in the order of time, or of warps.
    pub(super) fn merge(&mut self) {
        self.warps.sort_by_key(|warp| (warp.cta, warp.warp));
        self.generations.sort_by_key(|generation| generation.released);
        self.faults.sort_by_key(|fault| fault.cycle);
        self.unknown_values.sort_by_key(|value| value.address);
        self.unknown_values.dedup_by_key(|value| value.address);
        let mut places: Vec<Place> = vec![];
        self.unknown_addresses.retain(|one| {
            !places.contains(&one.place) && {
                places.push(one.place.clone());
                true
            }
        });
        self.races.sort_by_key(|race| race.cycle);
        let assumed = std::mem::take(&mut self.assumed);
        for one in assumed {
            match self.assumed.iter_mut().find(|known| known.place == one.place) {
                Some(known) => (known.taken, known.not) = (known.taken + one.taken, known.not + one.not),
                None => self.assumed.push(one),
            }
        }
    }
}

/// Two accesses to a byte of shared memory, one of them a store, that nothing orders.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Race {
    pub cta: usize,
    /// Of the byte.
    pub address: u64,
    /// In which the second was issued.
    pub cycle: u64,
    pub first: Toucher,
    pub second: Toucher,
    /// The first is an asynchronous copy that nobody has waited for.
    pub copy: bool,
}

/// One side of a race.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Toucher {
    pub warp: usize,
    pub lane: usize,
    /// It stores; else it loads.
    pub store: bool,
    pub place: Place,
}

/// The guard of an instruction that was taken for granted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Assumed {
    pub place: Place,
    /// It is a branch, else another instruction with a guard.
    pub branch: bool,
    /// How often a warp came by with the guard unknown and it was taken to be true, ...
    pub taken: u64,
    /// ... or false.
    pub not: u64,
}

/// A word of memory at the end of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Word {
    /// Of shared memory; `None`: global.
    pub cta: Option<usize>,
    /// Of its first byte.
    pub address: u32,
    pub value: u32,
}

/// One use of one barrier, from its first arrival to its release.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Generation {
    pub cta: usize,
    pub id: u8,
    /// Which use of this barrier in this CTA, from 1.
    pub number: usize,
    /// The count of the arrivals in threads; `None`: all warps of the CTA that have not exited.
    pub threads: Option<u32>,
    /// How the predicates of the arrivals were combined; `None`: it was no reduction.
    pub reduction: Option<Reduction>,
    /// What came out: 0 or 1 of `and` and `or`, the number of lanes of `popc`.
    pub value: Option<u32>,
    pub arrivals: Vec<Arrival>,
    /// Arrivals that came with a state word (R2B) and are not in `arrivals`.
    pub restored: usize,
    /// The warp whose exit completed the generation; `None`: the last arrival did.
    pub exited: Option<usize>,
    /// The cycle in which the unit showed the release.
    pub released: u64,
    /// Who waited, in the order of arrival.
    pub waits: Vec<Wait>,
}

/// One fault.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Fault {
    /// The cycle in which the unit reported it at the fault channel and the machine took it.
    pub cycle: u64,
    /// Name as in `docs/contract/faults.md`.
    pub code: String,
    pub cta: usize,
    /// The offending warp; `None` where the CTA as a whole is at fault.
    pub warp: Option<usize>,
    /// The barrier that it is about; `None` where it is about none, or about several, which the sentence names.
    pub id: Option<u8>,
    pub place: Option<Place>,
    /// What happened, in one sentence.
    pub sentence: String,
    /// What the fault policy did to the warp; `None`: it goes on.
    pub stopped: Option<Stop>,
    /// Of an mbarrier that is one: which warp has made it, and where.
    #[serde(skip)]
    pub made: Option<(usize, Place)>,
    /// Of an operation on an mbarrier of `cta` that another CTA has sent: that one, and the address of the mbarrier.
    #[serde(skip)]
    pub sent: Option<(usize, u32)>,
}

/// What one warp did in all.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WarpTotal {
    pub cta: usize,
    /// Of the CTA, where there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub multiprocessor: Option<usize>,
    pub warp: usize,
    pub program: String,
    /// Steps issued.
    pub steps: usize,
    /// Cycles in completed waits, at barriers and at that of the cluster.
    pub waited: u64,
    /// The cycle in which the unit took its exit.
    pub exited: Option<u64>,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}
