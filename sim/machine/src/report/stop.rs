// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Why a warp is stopped.

use serde::Serialize;

/// Why a warp is stopped although it waits at no barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, serde::Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Stop {
    /// By the fault policy `trap`, or by a state word.
    Trapped,
    /// By the fault policy `hang`.
    Hangs,
}
