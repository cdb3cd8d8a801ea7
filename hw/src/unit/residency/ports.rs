// SPDX-License-Identifier: Apache-2.0 OR MIT
//! How `residency` is built, and its port table.

use super::Residency;
use bcu_derive::block;
use rust_hdl::prelude::*;

#[block]
impl Residency<W, LW, CW, LC, S, L> {
    /// `cta_slots` that are built, at most `S`.
    pub fn new(cta_slots: usize) -> Self {
        assert!(W == 1 << LW && S == 1 << LC && (1 << CW) > W && cta_slots <= S);
        Residency { built: Constant::new(((1u64 << cta_slots) - 1).into()), ..Default::default() }
    }
}
