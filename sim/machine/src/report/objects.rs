// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What a run tells of mbarriers: who waits at one when the run ends, and what no unit can see to be wrong.

use super::missing::{ClusterMissing, Missing};
use bcu_program::Place;
use serde::Serialize;

/// A warp that waits at an mbarrier, or asks it again and again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ObjectWait {
    pub cta: usize,
    pub warp: usize,
    /// Its lanes, one bit each.
    pub lanes: u64,
    pub place: Place,
    /// The cycle since which it has had no other answer than that the phase is not over.
    pub since: u64,
    /// How often it has asked since then.
    pub times: u64,
    pub object: Object,
    /// Parity of the phase whose end it waits for.
    pub asked: u8,
    /// Warps of the CTA other than those that wait there, with where they would arrive.
    pub missing: Vec<Missing>,
    /// Warps of other CTAs of the cluster that would arrive there.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub remote: Vec<ClusterMissing>,
    /// Where the warp itself would arrive next, after this wait.
    #[serde(skip)]
    pub next: Option<Place>,
    #[serde(skip)]
    pub history: ObjectHistory,
}

/// What an mbarrier has been through, as seen by the lanes of one wait.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ObjectHistory {
    /// Warp and place of its init.
    pub made: Option<(usize, Place)>,
    /// The first phase that these lanes have not seen complete.
    pub unseen: u64,
    /// The first wait of the warp there for a phase that it had already seen complete, with its cycle.
    pub stale_wait: Option<(Place, u64)>,
    /// The last phases that ended, the newest last.
    pub ended: Vec<EndedPhase>,
    /// Of the open phase: the bytes that operations expect, and those that have come.
    pub expected_bytes: u64,
    pub received_bytes: u64,
}

/// A phase of an mbarrier that is complete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndedPhase {
    pub number: u64,
    pub cycle: u64,
    pub arrived: Vec<ObjectArrival>,
}

/// A wait at an mbarrier that returned at once for the phase before the first or, if `stale`, for one that the lanes had seen complete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EarlyWait {
    pub cta: usize,
    pub warp: usize,
    pub place: Place,
    pub cycle: u64,
    /// The mbarrier in words.
    pub object: String,
    pub stale: bool,
    /// When a wait of the warp there was true next for a phase that it had not seen.
    pub until: Option<u64>,
    /// The warps that have arrived there or have sent copies that signal it.
    pub arrivers: Vec<usize>,
}

/// An mbarrier as it stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Object {
    /// In shared memory.
    pub address: u32,
    /// The variable that it is in, with bytes behind it, if one is declared there.
    pub name: Option<String>,
    /// The phase that is open, from 0.
    pub phase: u64,
    pub expected: u32,
    pub pending: u32,
    /// Bytes that are still to come.
    pub bytes: i32,
    /// Who has arrived in the open phase.
    pub arrived: Vec<ObjectArrival>,
}

/// Arrivals by one instruction; `warp` is `None` for those of copies and of other CTAs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ObjectArrival {
    /// Another CTA of the cluster, whose arrivals they are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cta: Option<usize>,
    pub warp: Option<usize>,
    pub arrivals: u32,
    pub cycle: u64,
    pub place: Option<Place>,
}

/// Something wrong at an mbarrier that is no fault of the unit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Misuse {
    /// Name as in `docs/guide/check.md`.
    pub code: &'static str,
    pub cta: usize,
    pub warp: Option<usize>,
    pub cycle: u64,
    pub place: Option<Place>,
    /// What happened, in one sentence.
    pub sentence: String,
    /// What it has to do with, and where that stands.
    pub related: Option<(usize, Place, String)>,
}

impl Object {
    /// ``the mbarrier `full+8` (0x108)``, or `the mbarrier 0x108`.
    pub fn named(&self) -> String {
        named(self.address, self.name.as_deref())
    }

    /// `phase 3 (parity 1): 1 of 2 arrivals pending, 64 bytes outstanding`
    pub fn state(&self) -> String {
        let Object { phase, expected, pending, bytes, .. } = self;
        let bytes = match bytes {
            0 => String::new(),
            bytes if *bytes > 0 => format!(", {bytes} bytes outstanding"),
            bytes => format!(", {} bytes have come that nobody expected", -bytes),
        };
        format!("phase {phase} (parity {}): {pending} of {expected} arrivals pending{bytes}", phase & 1)
    }
}

pub(in super::super) fn named(address: u32, name: Option<&str>) -> String {
    match name {
        Some(name) => format!("the mbarrier `{name}` ({address:#x})"),
        None => format!("the mbarrier {address:#x}"),
    }
}
