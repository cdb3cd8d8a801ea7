// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Warps that read memory in a loop until another warp changes the memory.

use bcu_program::Place;
use serde::Serialize;

/// A warp in a loop that only reads memory, while no warp changes the words that the loop reads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SpinWait {
    pub cta: usize,
    pub warp: usize,
    /// The instruction of the loop that reads memory.
    pub place: Place,
    /// The words that the warp reads in each round of the loop, up to a maximum number.
    pub words: Vec<SpinWord>,
    /// Warps that would store to one of the words if they were not blocked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub writers: Vec<NextWriter>,
    /// A CTA that has exited, and that may have been meant to write one of the words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub absent: Option<Absent>,
}

/// A CTA that has exited and has stored nothing to a buffer, while other CTAs have stored to this buffer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Absent {
    pub cta: usize,
    pub warp: usize,
    /// The last instruction of the exited CTA.
    pub exit: Place,
    /// A store to the buffer by another CTA.
    pub store_cta: usize,
    pub store_warp: usize,
    pub store: Place,
}

/// A word that a warp reads repeatedly.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SpinWord {
    /// The CTA whose shared memory contains the word; `None`: the word is in global memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shared: Option<usize>,
    pub address: u64,
    pub bytes: u64,
    /// The name of the buffer or variable that contains the word, with the offset in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The value of the word; `None` if it is unknown.
    pub value: Option<u64>,
    /// The last store to the word, if stores are recorded (`bcu check`).
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
    /// The location of the store; `None` if it depends on values that only the run provides.
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
