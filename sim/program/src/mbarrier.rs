// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Operations on mbarriers whose addresses and numbers are operands, and the words that stand for them at the unit.

use super::operand::Operand;
use super::Space;
use bcu_isa::instr::{self, encode, Instr};
use bcu_isa::mbar::{Address, ArriveMode, Mbar, MbarOp, Number, Phase, TxMode};
use bcu_isa::register::{Pred, Reg};

/// Most arrivals of an mbarrier, and most bytes that one may wait for.
pub const MAX_NUMBER: u64 = (1 << 20) - 1;
/// Bits 63:43 of a word are the phase and what is pending, negated.
pub const PENDING_AT: u32 = 43;

/// An operation of each executing lane on the mbarrier that its address names.
#[derive(Clone, Debug)]
pub struct Mbarrier {
    pub op: MbarrierOp,
    /// Shared, or generic.
    pub space: Space,
    pub address: Operand,
    pub offset: i64,
    /// The address has 32 bits.
    pub narrow: bool,
    /// It may be that of another CTA of the cluster.
    pub cluster: bool,
}

#[derive(Clone, Debug)]
pub enum MbarrierOp {
    Init(Operand),
    Inval,
    Tx {
        mode: TxMode,
        bytes: Operand,
    },
    /// The number is one of arrivals, or of bytes in the modes that expect them.
    Arrive {
        mode: ArriveMode,
        relaxed: bool,
        number: Operand,
    },
    Wait(MbarrierWait),
    /// An arrival when the copies of the lane so far are done; with `counted` it is pending from now on.
    Copies {
        counted: bool,
    },
    /// An arrival when the work of the tensor core is done: nothing here runs any. `ctas` are those of the cluster that it goes to, one
    /// bit each.
    Commit {
        ctas: Option<Operand>,
    },
}

#[derive(Clone, Debug)]
pub struct MbarrierWait {
    /// A token of 64 bits, or a parity.
    pub phase: Operand,
    pub parity: bool,
    /// The warp may be suspended, for so many nanoseconds if a hint says so.
    pub suspends: bool,
    pub hint: Option<Operand>,
    /// Once it is true, what others did before they arrived is seen.
    pub acquires: bool,
}

/// Where the operands of the words stand.
const ADDRESS: Reg = Reg(0);
const SECOND: Reg = Reg(1);
const TOKEN: Reg = Reg(2);
const ANSWER: u8 = 2;

/// Cycles in a unit of a hint. A clock of 1 GHz makes a nanosecond a cycle.
const CYCLES: u64 = 64;

impl Mbarrier {
    /// It arrives later, without its lane.
    pub fn later(&self) -> bool {
        matches!(self.op, MbarrierOp::Copies { .. } | MbarrierOp::Commit { .. })
    }

    /// The operands beside the address.
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

    /// The word of lanes whose number, or phase, is this one; `None` where the unit has nothing to do yet. `writes` says whether
    /// somebody wants the result.
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
