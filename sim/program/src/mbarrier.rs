// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Operations on mbarriers whose addresses and numbers are operands, and the corresponding instruction words for the unit.

use super::operand::Operand;
use super::Space;
use bcu_isa::instr::{self, encode, Instr};
use bcu_isa::mbar::{Address, ArriveMode, Mbar, MbarOp, Number, Phase, TxMode};
use bcu_isa::register::{Pred, Reg};

/// Maximum number of arrivals of an mbarrier, and of bytes that an mbarrier may wait for.
pub const MAX_NUMBER: u64 = (1 << 20) - 1;

/// An operation of each executing lane on the mbarrier at its address.
#[derive(Clone, Debug)]
pub struct Mbarrier {
    pub op: MbarrierOp,
    /// Shared or generic memory.
    pub space: Space,
    pub address: Operand,
    pub offset: i64,
    /// Whether the address has 32 bits.
    pub narrow: bool,
    /// Whether the mbarrier may be in another CTA of the cluster.
    pub cluster: bool,
}

/// The effect of an operation on its mbarrier.
#[derive(Clone, Debug)]
pub enum MbarrierOp {
    Init(Operand),
    Inval,
    Tx {
        mode: TxMode,
        bytes: Operand,
    },
    /// `number` is the number of arrivals, or a number of bytes in the modes that expect bytes.
    Arrive {
        mode: ArriveMode,
        relaxed: bool,
        number: Operand,
    },
    Wait(MbarrierWait),
    /// An arrival when the previous copies of the lane are complete. `counted`: the instruction itself adds 1 to the pending count, so that
    /// the phase also waits for this arrival.
    Copies {
        counted: bool,
    },
    /// An arrival when the work of the tensor core is complete; no such work is simulated. `ctas` are the destination CTAs of the cluster,
    /// one bit each.
    Commit {
        ctas: Option<Operand>,
    },
}

#[derive(Clone, Debug)]
pub struct MbarrierWait {
    /// A 64-bit token, or a parity.
    pub phase: Operand,
    pub parity: bool,
    /// The warp may be suspended; a hint limits the time, in nanoseconds.
    pub suspends: bool,
    pub hint: Option<Operand>,
    /// After a successful wait, accesses that other threads made before they arrived are visible.
    pub acquires: bool,
}

/// The registers that the instruction words name for their operands.
const ADDRESS: Reg = Reg(0);
const SECOND: Reg = Reg(1);
const TOKEN: Reg = Reg(2);
const ANSWER: u8 = 2;

/// Cycles per tick, the unit of a hint. At a clock of 1 GHz, one cycle is one nanosecond.
const CYCLES: u64 = 64;

impl Mbarrier {
    /// False only for a relaxed wait: accesses before the arrivals of its phase are visible to the lane only after a fence.
    pub fn acquires_phase(&self) -> bool {
        !matches!(self.op, MbarrierOp::Wait(MbarrierWait { acquires: false, .. }))
    }

    /// Whether the operation is an arrival that takes effect later, when copies or other work complete, while the lane continues.
    pub fn later(&self) -> bool {
        matches!(self.op, MbarrierOp::Copies { .. } | MbarrierOp::Commit { .. })
    }

    /// The operands, the address first.
    pub fn operands(&self) -> impl Iterator<Item = &Operand> {
        let (first, second) = match &self.op {
            MbarrierOp::Init(operand) | MbarrierOp::Tx { bytes: operand, .. } | MbarrierOp::Arrive { number: operand, .. } => {
                (Some(operand), None)
            }
            MbarrierOp::Wait(wait) => (Some(&wait.phase), wait.hint.as_ref()),
            MbarrierOp::Commit { ctas } => (ctas.as_ref(), None),
            MbarrierOp::Inval | MbarrierOp::Copies { .. } => (None, None),
        };
        std::iter::once(&self.address).chain(first).chain(second)
    }

    pub fn operands_mut(&mut self) -> impl Iterator<Item = &mut Operand> {
        let (first, second) = match &mut self.op {
            MbarrierOp::Init(operand) | MbarrierOp::Tx { bytes: operand, .. } | MbarrierOp::Arrive { number: operand, .. } => {
                (Some(operand), None)
            }
            MbarrierOp::Wait(wait) => (Some(&mut wait.phase), wait.hint.as_mut()),
            MbarrierOp::Commit { ctas } => (ctas.as_mut(), None),
            MbarrierOp::Inval | MbarrierOp::Copies { .. } => (None, None),
        };
        std::iter::once(&mut self.address).chain(first).chain(second)
    }

    /// The instruction word for lanes whose number or phase is `number`; `None` if the unit has no operation to execute yet. `hint` is in
    /// nanoseconds; `writes` states whether the result is used.
    pub fn word(&self, number: u64, hint: u64, writes: bool) -> Option<[u32; 4]> {
        let number = u16::try_from(number).map_or(Number::Reg(SECOND), Number::Imm);
        let does = match &self.op {
            MbarrierOp::Init(_) => MbarOp::Init(number),
            MbarrierOp::Inval => MbarOp::Inval,
            MbarrierOp::Tx { mode, .. } => MbarOp::Tx { mode: *mode, cluster: self.cluster, bytes: number },
            MbarrierOp::Arrive { mode, relaxed, .. } => {
                let rd = if writes { TOKEN } else { Reg::RZ };
                MbarOp::Arrive { mode: *mode, relaxed: *relaxed, cluster: self.cluster, rd, number }
            }
            MbarrierOp::Wait(wait) => {
                let phase = if wait.parity { Phase::Parity(SECOND) } else { Phase::Token(SECOND) };
                let pu = if writes { ANSWER } else { Pred::PT.index };
                match wait.suspends {
                    true => MbarOp::Try { pu, phase, hint: hint.div_ceil(CYCLES).min(u16::MAX.into()) as u16 },
                    false => MbarOp::Test { pu, phase },
                }
            }
            MbarrierOp::Copies { counted: true } => MbarOp::Add(Number::Imm(1)),
            MbarrierOp::Copies { counted: false } | MbarrierOp::Commit { .. } => return None,
        };
        let op = instr::Op::Mbar(Mbar { address: Address { base: ADDRESS, offset: 0 }, does });
        Some(encode(&Instr { guard: Pred::PT, op }))
    }
}
