// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A group of copies.

/// A group of copies of a lane. Those of `cp.async` and bulk copies are counted apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) struct Group {
    pub bulk: bool,
    pub number: u32,
}
