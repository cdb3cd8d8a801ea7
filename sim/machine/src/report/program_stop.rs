// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Why a program stopped the run.

use crate::execute::Stopped;
use serde::Serialize;

/// The error of a program that stopped the run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ProgramStop {
    pub cta: usize,
    pub warp: usize,
    #[serde(flatten)]
    pub stopped: Box<Stopped>,
}
