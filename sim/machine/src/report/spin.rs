// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Warps that read memory in a loop until other warps change it.

use bcu_program::Place;
use serde::Serialize;

/// A warp in a loop that only reads memory, of which no warp changes the words that it reads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SpinWait {
    pub cta: usize,
    pub warp: usize,
    /// The instruction that reads.
    pub place: Place,
    /// The words that it reads in each round, up to a maximum.
    pub words: Vec<SpinWord>,
    /// Warps that would store to one of the words if they were not blocked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub writers: Vec<NextWriter>,
    /// A CTA that may have been meant to write one of the words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub absent: Option<Absent>,
}

/// A CTA that has exited without the store that other CTAs have made to the same buffer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Absent {
    pub cta: usize,
    pub warp: usize,
    /// Its last instruction.
    pub exit: Place,
    /// The store of another CTA.
    pub store_cta: usize,
    pub store_warp: usize,
    pub store: Place,
}

/// A word that a warp reads repeatedly.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SpinWord {
    /// The CTA whose shared memory it is in; `None`: global memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shared: Option<usize>,
    pub address: u64,
    pub bytes: u64,
    /// The buffer or variable that contains it, with the offset in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// `None`: the value is unknown.
    pub value: Option<u64>,
    /// The last store to it, if stores are recorded (`bcu check`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub writer: Option<LastWriter>,
}

/// The last store to a word.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LastWriter {
    pub cta: usize,
    pub warp: usize,
    pub cycle: u64,
    pub place: Place,
}

/// A warp that would store to a word if it were not blocked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NextWriter {
    pub cta: usize,
    pub warp: usize,
    /// `None`: the location depends on values that only the run provides.
    pub place: Option<Place>,
}

impl SpinWord {
    /// Text such as ``\`flag\` (0x7f00000000)``.
    pub fn named(&self) -> String {
        match (&self.name, self.shared) {
            (Some(name), _) => format!("`{name}` ({:#x})", self.address),
            (None, Some(_)) => format!("{:#x} in shared memory", self.address),
            (None, None) => format!("{:#x} in global memory", self.address),
        }
    }
}
