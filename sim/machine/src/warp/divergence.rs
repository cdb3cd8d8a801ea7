// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Why only some lanes of a warp execute an instruction.

use super::super::sentence;
use bcu_program::Place;
use std::fmt;

/// Why only some lanes execute an instruction; displayed as the end of a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) enum Divergence {
    /// All lanes execute it.
    None,
    /// The guard is false in the other lanes.
    Guard,
    /// The lanes diverged at this branch.
    Branch(Place),
}

impl fmt::Display for Divergence {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Divergence::None => Ok(()),
            Divergence::Guard => f.write_str("; the guard is false in other lanes"),
            Divergence::Branch(place) => write!(f, "; the lanes diverged at {}", sentence::place(place)),
        }
    }
}
