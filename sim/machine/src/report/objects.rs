// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Mbarriers in the report: the warps that wait at one when the run ends, and misuses that no unit can detect.

use super::missing::{ClusterMissing, Missing};
use bcu_program::Place;
use serde::Serialize;

/// A warp that waits at an mbarrier, or polls it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ObjectWait {
    pub cta: usize,
    pub warp: usize,
    /// Its lanes, one bit each.
    pub lanes: u64,
    pub place: Place,
    /// The cycle of its first wait in a row of waits that returned false.
    pub since: u64,
    /// The number of waits since then.
    pub times: u64,
    pub object: Object,
    /// The parity of the awaited phase.
    #[serde(rename = "asked")]
    pub parity: u8,
    /// Warps of the CTA that do not wait there, with the locations where they would arrive.
    pub missing: Vec<Missing>,
    /// Warps of other CTAs of the cluster that would arrive there.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub remote: Vec<ClusterMissing>,
    /// The location where the warp itself would arrive next, after this wait.
    #[serde(skip)]
    pub next: Option<Place>,
    #[serde(skip)]
    pub history: ObjectHistory,
}

/// The history of an mbarrier, as seen by the lanes of one wait.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ObjectHistory {
    /// Warp and location of its init.
    pub init: Option<(usize, Place)>,
    /// The first phase that these lanes have not seen complete.
    pub unseen: u64,
    /// The first wait of the warp there for a phase that it had already seen complete, with its cycle.
    pub stale_wait: Option<(Place, u64)>,
    /// The last completed phases, the newest last.
    pub ended: Vec<EndedPhase>,
    /// For the open phase: the bytes that operations expect, and the completed bytes.
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

/// A wait at an mbarrier that returned at once for the phase before the first or, if `stale`, for a phase that the lanes had seen complete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EarlyWait {
    pub cta: usize,
    pub warp: usize,
    pub place: Place,
    pub cycle: u64,
    /// The name of the mbarrier in sentences.
    pub object: String,
    pub stale: bool,
    /// The cycle of the warp's next wait there that returned true for a phase that it had not seen complete.
    pub until: Option<u64>,
    /// The warps that have arrived there or have sent copies that signal it.
    pub arrivers: Vec<usize>,
}

/// The state of an mbarrier.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Object {
    /// The address in shared memory.
    pub address: u32,
    /// The variable that contains it, with the offset in bytes, if one is declared there.
    pub name: Option<String>,
    /// The open phase, from 0.
    pub phase: u64,
    pub expected: u32,
    pub pending: u32,
    /// The number of outstanding bytes.
    pub bytes: i32,
    /// The arrivals of the open phase.
    pub arrived: Vec<ObjectArrival>,
}

/// Arrivals by one instruction; `warp` is `None` for arrivals of copies and of other CTAs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ObjectArrival {
    /// The other CTA of the cluster that sent the arrivals.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cta: Option<usize>,
    pub warp: Option<usize>,
    pub arrivals: u32,
    pub cycle: u64,
    pub place: Option<Place>,
}

/// A misuse of an mbarrier that is no fault of the unit.
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
    /// A related event: its warp, its location and a note.
    pub related: Option<(usize, Place, String)>,
}

impl Object {
    /// Text such as ``the mbarrier `full+8` (0x108)``, or `the mbarrier 0x108`.
    pub fn named(&self) -> String {
        named(self.address, self.name.as_deref())
    }

    /// Text such as `phase 3 (parity 1): 1 of 2 arrivals pending, 64 bytes outstanding`.
    pub fn state(&self) -> String {
        let Object { phase, expected, pending, bytes, .. } = self;
        let bytes = match bytes {
            0 => String::new(),
            bytes if *bytes > 0 => format!(", {bytes} bytes outstanding"),
            bytes => format!(", {} bytes received without an expect", -bytes),
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
