// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A race between an earlier access and the present one, before it is reported.

use super::judge::Conflict;
use super::shadow::Touch;
use crate::memory::Bank;

/// A race before it is reported: address, the earlier access and whether it is a store, and the present access.
pub(super) struct Found {
    pub(super) bank: Bank,
    pub(super) at: u64,
    pub(super) earlier: (Touch, bool),
    pub(super) touch: Touch,
    pub(super) stores: bool,
    pub(super) kind: Conflict,
}
