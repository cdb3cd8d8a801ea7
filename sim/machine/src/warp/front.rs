// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The next instruction of a warp as the scheduler sees it. Every ready warp is examined in every cycle, so this is kept from the first
//! examination of the instruction on.

use super::threads::At;
use super::{Chosen, Warp};
use bcu_program::{Instr, Op};

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
}

/// The examined instruction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Front {
    at: At,
    needs: Needs,
    is_untimed: bool,
}

impl Needs {
    fn of(instr: &Instr) -> Needs {
        match &instr.op {
            Op::Mbarrier(op) if op.later() => Needs::PortAndCopy,
            Op::Word(_) | Op::Barrier(_) | Op::Mbarrier(_) | Op::Meet { .. } | Op::Result(_) | Op::Fence(_) => Needs::Port,
            Op::Exit | Op::Return => Needs::Exit,
            Op::Access(access) if access.asynchronous() => Needs::Copy { release: access.order.release },
            Op::Access(access) => Needs::Access { release: access.order.release },
            Op::WaitCopies(_) => Needs::PerformedCopies,
            Op::Warpgroup(_) | Op::Registers { grows: true, .. } => Needs::OtherWarps,
            _ => Needs::Nothing,
        }
    }
}

impl Warp {
    /// What the instruction of `chosen` needs, and whether it takes no time.
    pub fn front(&mut self, chosen: Chosen) -> (Needs, bool) {
        if let Some(front) = self.front.filter(|front| front.at == chosen.at) {
            return (front.needs, front.is_untimed);
        }
        let instr = self.instr(chosen.at);
        let needs = instr.map_or(Needs::End, Needs::of);
        let is_untimed = instr.is_some_and(|instr| instr.is_untimed);
        self.front = Some(Front { at: chosen.at, needs, is_untimed });
        (needs, is_untimed)
    }
}
