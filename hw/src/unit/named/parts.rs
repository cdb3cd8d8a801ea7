// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What the configuration builds of `named`.

use crate::prelude::*;

/// What the configuration builds; what is not built vanishes in synthesis. State words are built only with faults.
#[payload]
pub struct Parts {
    pub reductions: Bit,
    pub faults: Bit,
    pub state_words: Bit,
    pub lose_faults: Bit,
}
