// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The payloads of the cycle in which an operation or a clear step enters the pipeline of `named`.

use crate::prelude::*;

/// The class of an operation, derived from its kind and from the kind of its state word.
#[payload]
pub struct OpClass {
    /// The operation is a Sync or Reduce: its warp waits for the barrier.
    pub is_wait: Bit,
    /// The operation is a Sync, Arrive or Reduce.
    pub is_arrival: Bit,
    /// The operation is a Read. Always 0 in a configuration without state words.
    pub is_read: Bit,
    /// The operation is a Write to Barrier. Always 0 in a configuration without state words.
    pub is_row_write: Bit,
    /// The operation is a Write to Warp. Always 0 in a configuration without state words.
    pub is_warp_write: Bit,
    /// The operation is an Exit.
    pub is_exit: Bit,
    /// The operation is a Launch.
    pub is_launch: Bit,
    /// The operation is a Release.
    pub is_release: Bit,
    /// The operation takes two lookup cycles: Exit, Launch, Release, Write to Warp.
    pub needs_two_slots: Bit,
}

/// The row and the CTA entry that are read in this cycle.
#[payload]
pub struct ReadPlace<LC, LI> {
    /// CTA slot of the row that is read.
    pub slot: Bits<LC>,
    /// Barrier id of the row that is read.
    pub read_row_id: Bits<LI>,
    /// If no Exit is in its first lookup cycle: the barrier id of the row that is read. Available early in the cycle.
    pub row_id_early: Bits<LI>,
    /// If an Exit is in its first lookup cycle: the barrier id of the row that is read. Available late in the cycle.
    pub exit_row_id: Bits<LI>,
    /// CTA slot of the operation at the port, or of the clear step: the address at which the CTA entry is read.
    pub entry_slot: Bits<LC>,
}

/// The row addresses (CTA slot, barrier id) of the pipeline stages.
#[payload]
pub struct RowAddresses<RA> {
    /// Row address of the entering operation or clear step.
    pub entering: Bits<RA>,
    /// Row address of the operation in the lookup stage.
    pub lookup: Bits<RA>,
    /// Row address of the operation in the commit stage.
    pub commit: Bits<RA>,
    /// `entering` equals `lookup`; meaningless if the row of an Exit is addressed.
    pub matches_lookup: Bit,
    /// `entering` equals `commit`; meaningless if the row of an Exit is addressed.
    pub matches_commit: Bit,
}
