// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A group of copies.

/// A group of copies of a lane. Groups of `cp.async` and groups of bulk copies are numbered separately.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) struct Group {
    pub bulk: bool,
    pub number: u32,
}
