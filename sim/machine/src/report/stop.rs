// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Why a warp does not go on.

use serde::Serialize;

/// Why a warp does not go on although no barrier holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, serde::Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Stop {
    /// By the fault policy `trap`, or because a state word said so.
    Trapped,
    /// By the fault policy `hang`.
    Hangs,
}
