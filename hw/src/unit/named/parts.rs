// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The parts of `named` that the configuration builds.

use crate::prelude::*;

/// The parts that the configuration builds; other parts vanish in synthesis. State words are built only with faults.
#[payload]
pub struct Parts {
    pub reductions: Bit,
    pub faults: Bit,
    pub state_words: Bit,
    pub lose_faults: Bit,
}
