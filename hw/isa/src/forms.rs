// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The tables of operation types and of forms: numbers, names and operands. Bit positions are in [`fields`](super::fields).

use super::ids::{FieldId, InstrForm, Optype};

/// The codes and the assembly operands of one form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FormRow {
    pub form: InstrForm,
    /// Name in the instruction set document, or a similar name for this project's own forms.
    pub name: &'static str,
    pub optype: Optype,
    /// Name and number of its source type.
    pub stype: (&'static str, u16),
    /// The operands in assembly order.
    pub operands: &'static [FieldId],
}

/// The number and the assembly stem of one operation type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OptypeRow {
    pub optype: Optype,
    /// Name in the instruction set document.
    pub name: &'static str,
    pub code: u16,
    /// The mnemonic without its mode.
    pub stem: &'static str,
}

/// Every operation type, in the order of [`Optype`].
pub const OPTYPES: [OptypeRow; 16] = [
    OptypeRow { optype: Optype::Bar, name: "BAR", code: 0x1d, stem: "BAR" },
    OptypeRow { optype: Optype::BarRed, name: "BAR_RED", code: 0xdd, stem: "BAR.RED" },
    OptypeRow { optype: Optype::B2r, name: "B2R", code: 0x1c, stem: "B2R" },
    OptypeRow { optype: Optype::B2rResult, name: "B2R_RESULT", code: 0xdc, stem: "B2R.RESULT" },
    OptypeRow { optype: Optype::R2b, name: "R2B", code: 0x1e, stem: "R2B" },
    OptypeRow { optype: Optype::Fence, name: "FENCE", code: 0xe3, stem: "FENCE.MEM" },
    OptypeRow { optype: Optype::Cluster, name: "CLUSTER", code: 0xe1, stem: "CLUSTER" },
    OptypeRow { optype: Optype::Grid, name: "GRID", code: 0xe2, stem: "GRID" },
    OptypeRow { optype: Optype::NbarSignal, name: "NBAR_SIGNAL", code: 0xe4, stem: "NBAR.SIGNAL" },
    OptypeRow { optype: Optype::NbarWait, name: "NBAR_WAIT", code: 0xe5, stem: "NBAR.WAIT" },
    OptypeRow { optype: Optype::Mbar, name: "MBAR", code: 0xe0, stem: "MBAR" },
    OptypeRow { optype: Optype::MbarInval, name: "MBAR_INVAL", code: 0xe8, stem: "MBAR.INVAL" },
    OptypeRow { optype: Optype::MbarTx, name: "MBAR_TX", code: 0xe9, stem: "MBAR" },
    OptypeRow { optype: Optype::MbarArrive, name: "MBAR_ARRIVE", code: 0xea, stem: "MBAR" },
    OptypeRow { optype: Optype::MbarTest, name: "MBAR_TEST", code: 0xeb, stem: "MBAR" },
    OptypeRow { optype: Optype::MbarTry, name: "MBAR_TRY", code: 0xec, stem: "MBAR" },
];

const I: (&str, u16) = ("I", 0xb);
const N: (&str, u16) = ("N", 0xd);
const R: (&str, u16) = ("R", 0x3);
const RRI: (&str, u16) = ("RRI", 0x5);
const RIR: (&str, u16) = ("RIR", 0x9);
const X: (&str, u16) = ("X", 0x3);
const RI: (&str, u16) = ("RI", 0x3);

const fn form(
    form: InstrForm,
    name: &'static str,
    optype: Optype,
    stype: (&'static str, u16),
    operands: &'static [FieldId],
) -> FormRow {
    FormRow { form, name, optype, stype, operands }
}

/// Every form, in the order of [`InstrForm`].
pub const FORMS: [FormRow; 28] = [
    form(InstrForm::BarI, "BAR_I", Optype::Bar, I, &[FieldId::Barid, FieldId::Cnt]),
    form(InstrForm::BarRr, "BAR_RR", Optype::Bar, R, &[FieldId::Ra, FieldId::Rb]),
    form(InstrForm::BarRri, "BAR_RRI", Optype::Bar, RRI, &[FieldId::Rb, FieldId::Cnt]),
    form(InstrForm::BarRir, "BAR_RIR", Optype::Bar, RIR, &[FieldId::Barid, FieldId::Rc]),
    form(InstrForm::BarRedI, "BAR_RED_I", Optype::BarRed, I, &[FieldId::Barid, FieldId::Cnt, FieldId::Pp]),
    form(InstrForm::BarRedR, "BAR_RED_R", Optype::BarRed, R, &[FieldId::Rb, FieldId::Pp]),
    form(InstrForm::BarRedRri, "BAR_RED_RRI", Optype::BarRed, RRI, &[FieldId::Rb, FieldId::Cnt, FieldId::Pp]),
    form(InstrForm::BarRedRir, "BAR_RED_RIR", Optype::BarRed, RIR, &[FieldId::Barid, FieldId::Rc, FieldId::Pp]),
    form(InstrForm::B2rI, "B2R_I", Optype::B2r, I, &[FieldId::Rd, FieldId::Barid]),
    form(InstrForm::B2rResultX, "B2R_RESULT_X", Optype::B2rResult, X, &[FieldId::Rd, FieldId::Pu]),
    form(InstrForm::R2bRi, "R2B_RI", Optype::R2b, RI, &[FieldId::Barid, FieldId::Ra]),
    form(InstrForm::FenceX, "FENCE_X", Optype::Fence, X, &[]),
    form(InstrForm::ClusterX, "CLUSTER_X", Optype::Cluster, X, &[]),
    form(InstrForm::GridX, "GRID_X", Optype::Grid, X, &[]),
    form(InstrForm::NbarSignalN, "NBAR_SIGNAL_N", Optype::NbarSignal, N, &[FieldId::NbarId, FieldId::Threads]),
    form(
        InstrForm::NbarSignalI,
        "NBAR_SIGNAL_I",
        Optype::NbarSignal,
        I,
        &[FieldId::NbarId, FieldId::Role, FieldId::Producers, FieldId::Consumers],
    ),
    form(InstrForm::NbarSignalR, "NBAR_SIGNAL_R", Optype::NbarSignal, R, &[FieldId::Ra]),
    form(InstrForm::NbarWaitI, "NBAR_WAIT_I", Optype::NbarWait, I, &[FieldId::NbarId]),
    form(InstrForm::NbarWaitR, "NBAR_WAIT_R", Optype::NbarWait, R, &[FieldId::Ra]),
    form(InstrForm::MbarI, "MBAR_I", Optype::Mbar, I, &[FieldId::Base, FieldId::Imm]),
    form(InstrForm::MbarR, "MBAR_R", Optype::Mbar, R, &[FieldId::Base, FieldId::Number]),
    form(InstrForm::MbarInvalX, "MBAR_INVAL_X", Optype::MbarInval, X, &[FieldId::Base]),
    form(InstrForm::MbarTxI, "MBAR_TX_I", Optype::MbarTx, I, &[FieldId::Base, FieldId::Imm]),
    form(InstrForm::MbarTxR, "MBAR_TX_R", Optype::MbarTx, R, &[FieldId::Base, FieldId::Number]),
    form(InstrForm::MbarArriveI, "MBAR_ARRIVE_I", Optype::MbarArrive, I, &[FieldId::Token, FieldId::Base, FieldId::Imm]),
    form(InstrForm::MbarArriveR, "MBAR_ARRIVE_R", Optype::MbarArrive, R, &[FieldId::Token, FieldId::Base, FieldId::Number]),
    form(InstrForm::MbarTestR, "MBAR_TEST_R", Optype::MbarTest, R, &[FieldId::Pu, FieldId::Base, FieldId::Phase]),
    form(
        InstrForm::MbarTryRi,
        "MBAR_TRY_RI",
        Optype::MbarTry,
        RI,
        &[FieldId::Pu, FieldId::Base, FieldId::Phase, FieldId::Hint],
    ),
];
