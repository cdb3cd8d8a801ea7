// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The parts of `named` that the configuration builds.

use crate::prelude::*;

/// A bit is 1 if the configuration builds the part. Synthesis removes the logic of a part that is not built. State words are
/// built only with faults.
#[payload]
pub struct Parts {
    pub reductions: Bit,
    pub faults: Bit,
    pub state_words: Bit,
    pub lose_faults: Bit,
}
