// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Values that travel between the blocks of `decode`.

use crate::prelude::*;

/// The instruction in a word, if `forms` decodes that instruction. At most one bit is 1; for any other word all bits are 0.
#[payload]
pub struct InstructionFlags {
    /// BAR in any form.
    pub bar: Bit,
    /// BAR_RED in any form.
    pub red: Bit,
    pub b2r: Bit,
    pub b2r_result: Bit,
    pub r2b: Bit,
    pub fence: Bit,
    pub cluster: Bit,
    pub grid: Bit,
}

/// The form of a BAR or BAR_RED, which determines the sources of the barrier id and of the count. At most one bit is 1.
#[payload]
pub struct SourceFlags {
    /// BAR: id and count in the word.
    pub bar_i: Bit,
    /// BAR: id in ra, count in rb.
    pub bar_rr: Bit,
    /// BAR: id in rb, count in the word.
    pub bar_rri: Bit,
    /// BAR: id in the word, count in rb.
    pub bar_rir: Bit,
    /// BAR_RED: id and count in the word.
    pub red_i: Bit,
    /// BAR_RED: id and count packed in rb.
    pub red_r: Bit,
    /// BAR_RED: id in rb, count in the word.
    pub red_rri: Bit,
    /// BAR_RED: id in the word, count in rb.
    pub red_rir: Bit,
}

/// The fields that `forms` decodes for an operation.
#[payload]
pub struct FormFields {
    pub kind: OpKind,
    pub redop: RedOp,
    pub state: StateWord,
    pub id: Bits<4>,
    pub count: Bits<12>,
    pub destination: Destination,
}

/// The MBAR instruction in a word; at most one bit is 1.
#[payload]
pub struct MbarFlags {
    /// MBAR.INIT or MBAR.ADD.
    pub is_local: Bit,
    /// MBAR.INVAL.
    pub inval: Bit,
    /// MBAR.EXPECT or MBAR.COMPLETE.
    pub bytes: Bit,
    /// MBAR.ARRIVE or MBAR.DROP.
    pub arrive: Bit,
    /// MBAR.TEST.
    pub test: Bit,
    /// MBAR.TRY.
    pub try_wait: Bit,
}

/// The fields of an MBAR instruction that its operation has.
#[payload]
pub struct MbarFields {
    pub request: MbarrierRequest,
    /// 1 = the operation is an arrival that waits for earlier memory accesses of its warp.
    pub release: Bit,
    pub destination: Destination,
}

/// The operation in the second register. Two fields share their bits if no kind of operation uses both.
#[payload]
pub struct StoredOp<LW, LC, L, LD> {
    pub kind: OpKind,
    pub fault: FaultCode,
    pub uniform: Bit,
    pub cta: Bits<LC>,
    pub id: Bits<4>,
    pub redop: RedOp,
    pub state: StateWord,
    pub form: Form,
    pub warp: Bits<LW>,
    pub lanes: Bits<L>,
    /// The votes for a Reduce, the members for a WarpSync or Elect, and the data for all others.
    pub shared_bits: Bits<LD>,
    /// The mbarrier fields; for a Sync, Arrive or Reduce `number` holds the count.
    pub mbarrier_request: MbarrierRequest,
    pub release: Bit,
    pub destination: Destination,
}
