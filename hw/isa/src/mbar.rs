// SPDX-License-Identifier: Apache-2.0 OR MIT
//! This project's own instructions on mbarriers, as values, and their field numbers in the word.

use super::fields::Values;
use super::ids::{FieldId, InstrForm};
use super::register::Reg;

/// An instruction on one mbarrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Mbar {
    pub address: Address,
    pub does: MbarOp,
}

/// The shared address of an mbarrier: the value of a register plus a number of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Address {
    pub base: Reg,
    pub offset: u16,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MbarOp {
    /// Initialises the mbarrier for this number of arrivals per phase.
    Init(Number),
    /// Adds this number to the pending count.
    Add(Number),
    Inval,
    Tx {
        mode: TxMode,
        cluster: bool,
        bytes: Number,
    },
    /// The token is written to `rd` and the next register; `number` is an arrival count, or a byte count in the modes that expect bytes.
    Arrive {
        mode: ArriveMode,
        relaxed: bool,
        cluster: bool,
        rd: Reg,
        number: Number,
    },
    /// `pu` is the destination predicate: 0 to 6, or 7 for PT.
    Test {
        pu: u8,
        phase: Phase,
    },
    /// Like `Test`, but the warp may wait. A hint other than 0 limits the wait to 64 cycles times the hint.
    Try {
        pu: u8,
        phase: Phase,
        hint: u16,
    },
}

/// The source of a number of arrivals or bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Number {
    Imm(u16),
    Reg(Reg),
}

/// How an operation changes the tx-count, the bytes that the present phase still needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TxMode {
    Expect,
    Complete,
}

/// How a lane arrives at an mbarrier; a drop also removes the arrival from later phases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ArriveMode {
    Arrive,
    ArriveExpect,
    ArriveNoComplete,
    Drop,
    DropExpect,
    DropNoComplete,
}

/// How a wait names its phase: by bit 31 of the register, as in the high register of a token, or by bit 0, a parity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Phase {
    Token(Reg),
    Parity(Reg),
}

impl ArriveMode {
    /// All modes, indexed by their numbers in the word.
    pub const ALL: [ArriveMode; 6] = [
        ArriveMode::Arrive,
        ArriveMode::ArriveExpect,
        ArriveMode::ArriveNoComplete,
        ArriveMode::Drop,
        ArriveMode::DropExpect,
        ArriveMode::DropNoComplete,
    ];

    /// Whether the operation's number is a byte count.
    pub fn expects(self) -> bool {
        matches!(self, ArriveMode::ArriveExpect | ArriveMode::DropExpect)
    }
}

impl Number {
    /// The form of the instruction (`imm` for an immediate, `reg` for a register), and the field of the number with its value.
    fn placed(self, [imm, reg]: [InstrForm; 2]) -> (InstrForm, (FieldId, u16)) {
        match self {
            Number::Imm(n) => (imm, (FieldId::Imm, n)),
            Number::Reg(r) => (reg, (FieldId::Number, r.0.into())),
        }
    }
}

/// Encodes an instruction: writes the values of its fields to `values`, and returns its form.
pub(crate) fn to_values(mbar: &Mbar, values: &mut Values) -> InstrForm {
    let mut put = |id: FieldId, value: u16| values[id as usize] = value;
    put(FieldId::Base, mbar.address.base.0.into());
    put(FieldId::Offset, mbar.address.offset);
    let phase = |phase| match phase {
        Phase::Token(r) => (0, r.0.into()),
        Phase::Parity(r) => (1, r.0.into()),
    };
    let (form, (id, value)) = match mbar.does {
        MbarOp::Inval => return InstrForm::MbarInvalX,
        MbarOp::Init(n) => n.placed([InstrForm::MbarI, InstrForm::MbarR]),
        MbarOp::Add(n) => {
            put(FieldId::MbarMode, 1);
            n.placed([InstrForm::MbarI, InstrForm::MbarR])
        }
        MbarOp::Tx { mode, cluster, bytes } => {
            put(FieldId::TxMode, mode as u16);
            put(FieldId::Cluster, cluster.into());
            bytes.placed([InstrForm::MbarTxI, InstrForm::MbarTxR])
        }
        MbarOp::Arrive { mode, relaxed, cluster, rd, number } => {
            put(FieldId::ArriveMode, mode as u16);
            put(FieldId::Relaxed, relaxed.into());
            put(FieldId::Cluster, cluster.into());
            put(FieldId::Token, rd.0.into());
            number.placed([InstrForm::MbarArriveI, InstrForm::MbarArriveR])
        }
        MbarOp::Test { pu, phase: asked } => {
            let (mode, word) = phase(asked);
            put(FieldId::TestMode, mode);
            put(FieldId::Pu, pu.into());
            (InstrForm::MbarTestR, (FieldId::Phase, word))
        }
        MbarOp::Try { pu, phase: asked, hint } => {
            let (mode, word) = phase(asked);
            put(FieldId::TryMode, mode);
            put(FieldId::Pu, pu.into());
            put(FieldId::Hint, hint);
            (InstrForm::MbarTryRi, (FieldId::Phase, word))
        }
    };
    put(id, value);
    form
}

/// Decodes an instruction of the form `form`, which must be a form of an mbarrier instruction.
pub(crate) fn from_values(form: InstrForm, values: &Values) -> Mbar {
    let at = |id: FieldId| values[id as usize];
    let (reg, is) = (|id| Reg(at(id) as u8), |id| at(id) != 0);
    let number = || match form {
        InstrForm::MbarR | InstrForm::MbarTxR | InstrForm::MbarArriveR => Number::Reg(reg(FieldId::Number)),
        _ => Number::Imm(at(FieldId::Imm)),
    };
    let phase = |parity| if parity { Phase::Parity(reg(FieldId::Phase)) } else { Phase::Token(reg(FieldId::Phase)) };
    let does = match form {
        InstrForm::MbarI | InstrForm::MbarR if is(FieldId::MbarMode) => MbarOp::Add(number()),
        InstrForm::MbarI | InstrForm::MbarR => MbarOp::Init(number()),
        InstrForm::MbarInvalX => MbarOp::Inval,
        InstrForm::MbarTxI | InstrForm::MbarTxR => MbarOp::Tx {
            mode: if is(FieldId::TxMode) { TxMode::Complete } else { TxMode::Expect },
            cluster: is(FieldId::Cluster),
            bytes: number(),
        },
        InstrForm::MbarArriveI | InstrForm::MbarArriveR => MbarOp::Arrive {
            mode: ArriveMode::ALL.get(usize::from(at(FieldId::ArriveMode))).copied().unwrap_or(ArriveMode::Arrive),
            relaxed: is(FieldId::Relaxed),
            cluster: is(FieldId::Cluster),
            rd: reg(FieldId::Token),
            number: number(),
        },
        InstrForm::MbarTestR => MbarOp::Test { pu: at(FieldId::Pu) as u8, phase: phase(is(FieldId::TestMode)) },
        _ => MbarOp::Try { pu: at(FieldId::Pu) as u8, phase: phase(is(FieldId::TryMode)), hint: at(FieldId::Hint) },
    };
    Mbar { address: Address { base: reg(FieldId::Base), offset: at(FieldId::Offset) }, does }
}
