// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Mbarriers in the report: the warps that wait at an mbarrier when the run ends, and misuses for which the unit has no fault.

use super::missing::{ClusterMissing, Missing};
use bcu_program::Place;
use serde::Serialize;
use std::fmt;

/// A warp that waits at an mbarrier, or polls it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ObjectWait {
    pub cta: usize,
    pub warp: usize,
    /// The lanes of the warp that wait, one bit each.
    pub lanes: u64,
    pub place: Place,
    /// The cycle of the first of the consecutive waits that returned false.
    pub since: u64,
    /// The number of waits since that cycle.
    pub times: u64,
    pub object: Object,
    /// The parity of the awaited phase.
    #[serde(rename = "asked")]
    pub parity: u8,
    /// The warps of the CTA that do not wait at this mbarrier, with the locations where they would arrive at it.
    pub missing: Vec<Missing>,
    /// The warps of other CTAs of the cluster that would arrive at this mbarrier.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub remote: Vec<ClusterMissing>,
    /// The location where the waiting warp would itself arrive at this mbarrier, after this wait.
    #[serde(skip)]
    pub next: Option<Place>,
    #[serde(skip)]
    pub history: ObjectHistory,
}

/// The history of an mbarrier, as observed by the lanes of one wait.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ObjectHistory {
    /// The warp that initialised the mbarrier, and the location of the init.
    pub init: Option<(usize, Place)>,
    /// The first phase whose completion these lanes have not observed.
    pub unseen: u64,
    /// Location and cycle of the warp's first wait at this mbarrier for a phase whose completion the warp had already observed.
    pub stale_wait: Option<(Place, u64)>,
    /// The last completed phases, the newest last.
    pub ended: Vec<EndedPhase>,
    /// The bytes that operations expect in the open phase.
    pub expected_bytes: u64,
    /// The bytes that have been completed in the open phase.
    pub received_bytes: u64,
}

/// A phase of an mbarrier that is complete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndedPhase {
    pub number: u64,
    pub cycle: u64,
    pub arrived: Vec<ObjectArrival>,
}

/// The name of an mbarrier. In sentences it is a text such as ``the mbarrier `full+8` (0x108)``, or `the mbarrier 0x108`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectName {
    /// The address of the mbarrier in shared memory.
    pub address: u32,
    /// The variable that contains the mbarrier, with the offset in bytes; `None` if no variable is declared there.
    pub variable: Option<String>,
}

impl ObjectName {
    /// Whether both are mbarriers of one variable, or the same mbarrier outside of variables.
    pub fn shares_variable(&self, other: &ObjectName) -> bool {
        let variable = |name: &ObjectName| name.variable.as_deref().and_then(|text| text.split('+').next()).map(str::to_string);
        match (variable(self), variable(other)) {
            (None, None) => self.address == other.address,
            (one, two) => one == two,
        }
    }
}

impl fmt::Display for ObjectName {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match &self.variable {
            Some(name) => write!(f, "the mbarrier `{name}` ({:#x})", self.address),
            None => write!(f, "the mbarrier {:#x}", self.address),
        }
    }
}

/// The mbarrier of a refused operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaultObject {
    pub name: ObjectName,
    /// The warp that initialised the mbarrier, and the location of the init.
    pub init: Option<(usize, Place)>,
}

/// A wait at an mbarrier that returned at once. If `stale`, it was for a phase whose completion the lanes had observed; otherwise for the
/// phase before phase 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EarlyWait {
    pub cta: usize,
    pub warp: usize,
    pub place: Place,
    pub cycle: u64,
    pub object: ObjectName,
    pub stale: bool,
    /// The cycle of the warp's next correct wait at this mbarrier: a wait that returned true, for a phase whose completion the warp had not
    /// observed before.
    pub until: Option<u64>,
    /// The warps that have arrived at this mbarrier, or have sent copies that signal it.
    pub arrivers: Vec<usize>,
}

/// An mbarrier at which warps have arrived and no thread has waited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnwaitedObject {
    pub cta: usize,
    pub object: ObjectName,
    /// The warps that have arrived, or have sent copies that signal the mbarrier.
    pub arrivers: Vec<usize>,
}

/// The state of an mbarrier.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Object {
    /// The address of the mbarrier in shared memory.
    pub address: u32,
    /// The name of the variable that contains the mbarrier, with the offset in bytes; `None` if no variable is declared there.
    pub name: Option<String>,
    /// The number of the open phase, from 0.
    pub phase: u64,
    pub expected: u32,
    pub pending: u32,
    /// The number of bytes that the open phase still needs; negative if bytes have been completed that no operation has expected yet.
    pub bytes: i32,
    /// The arrivals of the open phase.
    pub arrived: Vec<ObjectArrival>,
}

/// Arrivals by one instruction; `warp` is `None` for arrivals of copies and of other CTAs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ObjectArrival {
    /// The CTA that sent the arrivals, if it is not the CTA of the mbarrier.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cta: Option<usize>,
    pub warp: Option<usize>,
    pub arrivals: u32,
    pub cycle: u64,
    pub place: Option<Place>,
}

/// Part of the sentence of a misuse whose mbarrier has received more bytes than were expected; the check of consequences selects by it.
pub const UNEXPECTED: &str = "that no thread has expected";

/// A misuse of an mbarrier for which the unit has no fault.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Misuse {
    /// The name of the code, as in `docs/guide/check.md`.
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
    /// The name of the mbarrier as text, in the form of [`ObjectName`].
    pub fn named(&self) -> String {
        ObjectName { address: self.address, variable: self.name.clone() }.to_string()
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
