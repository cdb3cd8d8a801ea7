// SPDX-License-Identifier: Apache-2.0 OR MIT
//! How `named` is built, and what it shows to the outside: its port table.

use super::operands::Operands;
use super::Named;
use bcu_derive::block;
use rust_hdl::prelude::Constant;

/// What can be left out; state words only stand with checks.
#[derive(Clone, Copy, Debug)]
pub struct Parts {
    pub reductions: bool,
    pub faults: bool,
    pub state_words: bool,
}

#[block]
impl Named<W, LW, CW, LC, S, LI, RA, IW, AW, VW> {
    /// `lanes` of a warp, a power of two of at most 32.
    pub fn new(lanes: usize, parts: Parts) -> Self {
        assert!(S == 1 << LC && (parts.faults || !parts.state_words));
        Named {
            operands: Operands::new(lanes),
            reduces: Constant::new(parts.reductions),
            checks: Constant::new(parts.faults),
            words: Constant::new(parts.state_words),
            ..Default::default()
        }
    }
}
