// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The outputs of the input stage of `named`.

use super::parts::Parts;
use crate::prelude::*;

/// The operation or clear step that enters the pipeline in this cycle.
#[payload]
pub struct Entering<LC, LI> {
    /// Kind of the operation at the port, whether or not it is taken: Sync, Arrive or Reduce.
    pub is_arrival: Bit,
    /// Kind of the operation at the port, whether or not it is taken: Write to Barrier.
    pub is_row_write: Bit,
    /// Kind of the operation at the port, whether or not it is taken: Write to Warp.
    pub is_warp_write: Bit,
    /// The lookup stage is occupied in the next cycle: an operation or clear step enters, or an operation begins its second slot.
    pub lookup_valid_next: Bit,
    /// A clear step enters.
    pub scrubs: Bit,
    /// The operation that enters makes its warp wait: Sync, Reduce, or a Write to Warp with that state.
    pub will_wait: Bit,
    /// A Release without a fault is in the pipeline, before the cycle that determines whether it finds open rows.
    pub releasing: Bit,
    /// If a clear step enters, it is one after a reset, for all CTA slots.
    pub all_slots: Bit,
    /// CTA slot of the row that is read.
    pub slot: Bits<LC>,
    /// Barrier id of the row that is read.
    pub read_row_id: Bits<LI>,
    /// The barrier id unless an Exit is in its first slot; available early in the cycle.
    pub row_id_early: Bits<LI>,
    /// The barrier id if an Exit is in its first slot; available late in the cycle.
    pub exit_row_id: Bits<LI>,
    /// CTA slot of the operation at the port or of the clear step, for tables that are read once per operation.
    pub entry_slot: Bits<LC>,
}

/// The actions of the operation in the lookup stage; with all bits 0 it has no effect.
#[payload]
pub struct Actions {
    /// An operation is in its last or only slot, with or without a fault.
    pub last_slot: Bit,
    /// `last_slot`, and no operation of its warp is in flight afterwards: no Launch, no Release, no Exit with a fault from upstream.
    pub warp_done: Bit,
    /// Sync, Arrive or Reduce without a fault from upstream.
    pub arrives: Bit,
    /// Write to Barrier without a fault from upstream.
    pub writes_row: Bit,
    /// Read without a fault from upstream.
    pub reads: Bit,
    /// Write to Warp without a fault from upstream, in its second slot.
    pub writes_warp: Bit,
    /// Exit without a fault from upstream, in its second slot.
    pub exits: Bit,
    /// Launch without a fault from upstream, in its second slot.
    pub launches: Bit,
    /// Release without a fault from upstream, in its second slot.
    pub releases: Bit,
    /// Sync or Reduce without a fault from upstream: its warp is output as waiting.
    pub waiter: Bit,
    /// The operation's id must be a declared one.
    pub needs_declared_id: Bit,
    /// A clear step, not an operation: its row is cleared.
    pub is_scrub: Bit,
    /// A clear step after a reset: the entry of its CTA slot is cleared too.
    pub clears_cta_entry: Bit,
    /// An operation in the first of its two slots.
    pub first_slot: Bit,
    /// An Exit without a fault in its first slot.
    pub first_slot_exit: Bit,
    /// A Launch without a fault in its first slot.
    pub first_slot_launch: Bit,
}

/// The operation in the lookup stage: its fields.
#[payload]
pub struct Op<LW, LC> {
    /// The warp is that of the operation directly before.
    pub same_warp: Bit,
    /// Fault from upstream, or none.
    pub fault_code: FaultCode,
    /// The fault policy does not apply to the operation: fault `not_resident`, Launch, Release.
    pub exempt: Bit,
    /// The operation belongs to a warp: no Launch, no Release.
    pub has_warp: Bit,
    pub state: StateWord,
    pub warp: Bits<LW>,
    /// CTA slot as given, for a fault.
    pub cta: Bits<LC>,
    /// CTA slot for tables: as given, or 0 if one slot is built.
    pub table_slot: Bits<LC>,
    /// Barrier id as given, for a fault.
    pub id: Bits<4>,
    /// Barrier id of the row that the operation looks up.
    pub row_id: Bits<4>,
    /// Release: the CTA was saved, so open rows are no fault.
    pub saved: Bit,
    /// Clear step: an open row is no fault.
    pub silent: Bit,
}

/// The entering operation or clear step, and the operation in the lookup stage.
#[payload]
pub struct Front<LW, LC, LI> {
    pub parts: Parts,
    pub entering: Entering<LC, LI>,
    pub actions: Actions,
    pub op: Op<LW, LC>,
}
