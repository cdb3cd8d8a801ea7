// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Why a run stopped early.

use crate::execute::Stopped;
use serde::Serialize;

/// A program that stopped the run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ProgramStop {
    pub cta: usize,
    pub warp: usize,
    #[serde(flatten)]
    pub stopped: Box<Stopped>,
}
