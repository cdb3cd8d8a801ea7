// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Warps that read memory in a loop until others change it.

use bcu_program::Place;
use serde::Serialize;

/// A warp that goes round in a loop in which it only reads memory, and nothing changes what it reads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SpinWait {
    pub cta: usize,
    pub warp: usize,
    /// The instruction that reads.
    pub place: Place,
    /// What it reads in each round, the first words of them.
    pub words: Vec<SpinWord>,
    /// Warps that would store to one of the words if nothing held them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub writers: Vec<NextWriter>,
    /// Who may have been meant to write one of the words.
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

/// What a warp reads again and again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SpinWord {
    /// Of the CTA in whose shared memory it is; `None`: global memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shared: Option<usize>,
    pub address: u64,
    pub bytes: u64,
    /// The buffer or variable that it is in, with the bytes after its start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// `None`: it is not known.
    pub value: Option<u64>,
    /// The last store to it, where that is kept (`bcu check`).
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

/// A warp that would store to a word if nothing held it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NextWriter {
    pub cta: usize,
    pub warp: usize,
    /// `None`: where depends on what only the run can show.
    pub place: Option<Place>,
}

impl SpinWord {
    /// ``\`flag\` (0x7f00000000)``
    pub fn named(&self) -> String {
        match (&self.name, self.shared) {
            (Some(name), _) => format!("`{name}` ({:#x})", self.address),
            (None, Some(_)) => format!("{:#x} in shared memory", self.address),
            (None, None) => format!("{:#x} in global memory", self.address),
        }
    }
}
