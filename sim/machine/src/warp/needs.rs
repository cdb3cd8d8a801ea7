// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What an instruction needs at its issue in addition to its registers.

use bcu_program::{Instr, Op, TensorCore};

/// What an instruction needs at its issue in addition to its registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Needs {
    Nothing,
    /// The instruction port.
    Port,
    /// The instruction port, and a copy that the CTA may start.
    PortAndCopy,
    /// The exit channel.
    Exit,
    /// The end of a function: the exit channel, unless the lanes return to a caller.
    End,
    /// A strobe for an access.
    Access {
        release: bool,
    },
    /// A strobe for an access, and a copy that the CTA may start.
    Copy {
        release: bool,
    },
    /// Copies that have been performed.
    PerformedCopies,
    /// Other warps of the CTA.
    OtherWarps,
    /// Free columns of tensor memory, and a strobe for the store of their address.
    Columns,
}

impl Needs {
    /// `None`: the end of a function.
    pub fn of(instr: Option<&Instr>) -> Needs {
        let Some(instr) = instr else { return Needs::End };
        match &instr.op {
            Op::Mbarrier(op) if op.later() => Needs::PortAndCopy,
            Op::Word(_) | Op::Barrier(_) | Op::Mbarrier(_) | Op::Meet { .. } | Op::Result(_) | Op::Fence(_) => Needs::Port,
            Op::Exit | Op::Return => Needs::Exit,
            Op::Access(access) if access.asynchronous() => Needs::Copy { release: access.order.release },
            Op::Access(access) => Needs::Access { release: access.order.release },
            Op::WaitCopies(_) => Needs::PerformedCopies,
            Op::Warpgroup(_) | Op::Registers { grows: true, .. } => Needs::OtherWarps,
            Op::TensorCore(TensorCore::Allocate { .. }) => Needs::Columns,
            _ => Needs::Nothing,
        }
    }
}
