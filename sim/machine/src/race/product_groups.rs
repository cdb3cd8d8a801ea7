// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The groups into which a warp puts its products.

/// The products that a warp has started, by group.
#[derive(Debug, Default)]
pub(super) struct ProductGroups {
    /// The number of products.
    pub(super) started: u32,
    /// For each committed group, the number of products up to its end.
    pub(super) groups: Vec<u32>,
}
