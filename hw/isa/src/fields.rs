// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The table of fields of the 128-bit BCU instruction word: the only place where a bit position is written.
//!
//! Positions, forms and the order of operands are those of the instruction set document. That document leaves open the numbers of the
//! operation types and of the source types, and the values of enumerations. This table chooses the numbers; enumeration values are in order
//! of declaration.
//! Operation types from [`OWN_OPTYPES`] on are this project's own, for operations without an instruction in that document.
//! Bits [127:109] carry no meaning and are ignored; every other bit outside a form's fields must be 0.

pub use super::forms::{FormRow, OptypeRow, FORMS, OPTYPES};
use super::ids::{FieldId, InstrForm, Optype};

/// Bits that a decoder reads; the bits above are reserved for scheduling control and are ignored.
pub const DECODED_BITS: u32 = 109;

/// Operation types of this number and above, up to 0xef, are this project's own.
pub const OWN_OPTYPES: u16 = 0xe0;

/// The kind of value in a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A code that distinguishes forms.
    Code,
    /// A general register; the highest number is RZ.
    Reg,
    /// A predicate register; the highest number is PT.
    Pred,
    /// A bit that negates the predicate operand before it.
    Not,
    /// A general register with an address; the number in the given field is added to the address.
    Address(FieldId),
    /// An unsigned number.
    Number,
    /// One of the named values, counted from 0; a number without a name is illegal.
    Choice(&'static [&'static str]),
    /// A bit that is set if the mnemonic has the given word after its mode.
    Flag(&'static str),
}

/// A row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    pub id: FieldId,
    /// Name in the instruction set document.
    pub name: &'static str,
    /// Lowest bit in the 128-bit word.
    pub lsb: u32,
    /// Width in bits, 1 to 16.
    pub width: u32,
    pub kind: Kind,
    /// The forms that have this field.
    pub forms: &'static [InstrForm],
    /// The meaning, in a few words.
    pub doc: &'static str,
}

const BAR: &[InstrForm] = &[InstrForm::BarI, InstrForm::BarRr, InstrForm::BarRri, InstrForm::BarRir];
const RED: &[InstrForm] = &[InstrForm::BarRedI, InstrForm::BarRedR, InstrForm::BarRedRri, InstrForm::BarRedRir];
const STATE: &[InstrForm] = &[InstrForm::B2rI, InstrForm::R2bRi];
const WITH_ID: &[InstrForm] =
    &[InstrForm::BarI, InstrForm::BarRir, InstrForm::BarRedI, InstrForm::BarRedRir, InstrForm::B2rI, InstrForm::R2bRi];
const WITH_COUNT: &[InstrForm] = &[InstrForm::BarI, InstrForm::BarRri, InstrForm::BarRedI, InstrForm::BarRedRri];
const WITH_RB: &[InstrForm] = &[InstrForm::BarRr, InstrForm::BarRri, InstrForm::BarRedR, InstrForm::BarRedRri];
const MBAR: &[InstrForm] = &[InstrForm::MbarI, InstrForm::MbarR];
const TX: &[InstrForm] = &[InstrForm::MbarTxI, InstrForm::MbarTxR];
const ARRIVE: &[InstrForm] = &[InstrForm::MbarArriveI, InstrForm::MbarArriveR];
const TO_CLUSTER: &[InstrForm] = &[InstrForm::MbarTxI, InstrForm::MbarTxR, InstrForm::MbarArriveI, InstrForm::MbarArriveR];
const WAITS: &[InstrForm] = &[InstrForm::MbarTestR, InstrForm::MbarTryRi];
const WITH_NUMBER: &[InstrForm] = &[InstrForm::MbarR, InstrForm::MbarTxR, InstrForm::MbarArriveR];
const WITH_IMM: &[InstrForm] = &[InstrForm::MbarI, InstrForm::MbarTxI, InstrForm::MbarArriveI];
const WITH_ADDRESS: &[InstrForm] = &[
    InstrForm::MbarI,
    InstrForm::MbarR,
    InstrForm::MbarInvalX,
    InstrForm::MbarTxI,
    InstrForm::MbarTxR,
    InstrForm::MbarArriveI,
    InstrForm::MbarArriveR,
    InstrForm::MbarTestR,
    InstrForm::MbarTryRi,
];
const ALL: &[InstrForm] = &{
    let mut all = [FORMS[0].form; FORMS.len()];
    let mut at = 0;
    while at < all.len() {
        all[at] = FORMS[at].form;
        at += 1;
    }
    all
};
const ARRIVALS: &[&str] = &["ARRIVE", "ARRIVE.EXPECT", "ARRIVE.NOCOMPLETE", "DROP", "DROP.EXPECT", "DROP.NOCOMPLETE"];

const fn row(
    id: FieldId,
    name: &'static str,
    at: (u32, u32),
    kind: Kind,
    forms: &'static [InstrForm],
    doc: &'static str,
) -> Field {
    Field { id, name, lsb: at.0, width: at.1, kind, forms, doc }
}

/// Every field, indexed by its [`FieldId`]: name, (lowest bit, width), kind, forms.
pub const FIELDS: [Field; 37] = [
    row(FieldId::Optype, "optype", (0, 8), Kind::Code, ALL, "operation type"),
    row(FieldId::Stype, "stype", (8, 4), Kind::Code, ALL, "source type: which operands are registers"),
    row(FieldId::Pg, "pg", (12, 3), Kind::Pred, ALL, "guard predicate"),
    row(FieldId::PgNot, "pg.not", (15, 1), Kind::Not, ALL, "1: execute where the guard is false"),
    row(FieldId::Rd, "rd", (16, 8), Kind::Reg, &[InstrForm::B2rI, InstrForm::B2rResultX], "destination register"),
    row(FieldId::Token, "rd", (16, 8), Kind::Reg, ARRIVE, "first of the two registers of the token; RZ: none"),
    row(
        FieldId::Ra,
        "ra",
        (24, 8),
        Kind::Reg,
        &[InstrForm::BarRr, InstrForm::R2bRi, InstrForm::NbarSignalR, InstrForm::NbarWaitR],
        "register with the id (BAR), the state word (R2B) or the message (NBAR)",
    ),
    row(
        FieldId::Base,
        "ra",
        (24, 8),
        Kind::Address(FieldId::Offset),
        WITH_ADDRESS,
        "register with the shared address of an mbarrier",
    ),
    row(FieldId::Rb, "rb", (32, 8), Kind::Reg, WITH_RB, "register with the count (RR), the id (RRI), or both (BAR_RED_R)"),
    row(FieldId::Rc, "rc", (32, 8), Kind::Reg, &[InstrForm::BarRir, InstrForm::BarRedRir], "register with the count"),
    row(FieldId::Number, "rb", (32, 8), Kind::Reg, WITH_NUMBER, "register with the number of arrivals or bytes"),
    row(
        FieldId::Phase,
        "rb",
        (32, 8),
        Kind::Reg,
        WAITS,
        "register with the phase: bit 31, as in a token's high register; PARITY: bit 0",
    ),
    row(FieldId::Barid, "barid", (40, 4), Kind::Number, WITH_ID, "barrier id; ignored in WARP mode"),
    row(FieldId::Cnt, "cnt", (44, 12), Kind::Number, WITH_COUNT, "expected count in threads; 0: all warps of the CTA"),
    row(FieldId::Offset, "offset", (40, 16), Kind::Number, WITH_ADDRESS, "bytes added to the address, modulo 2^32"),
    row(
        FieldId::NbarId,
        "id",
        (40, 8),
        Kind::Number,
        &[InstrForm::NbarSignalN, InstrForm::NbarSignalI, InstrForm::NbarWaitI],
        "id of a named barrier of the thread group",
    ),
    row(FieldId::Imm, "imm", (64, 16), Kind::Number, WITH_IMM, "number of arrivals or bytes"),
    row(
        FieldId::Hint,
        "imm",
        (64, 16),
        Kind::Number,
        &[InstrForm::MbarTryRi],
        "maximum time to wait, in units of 64 cycles; 0: no hint",
    ),
    row(
        FieldId::Threads,
        "num_threads",
        (64, 8),
        Kind::Number,
        &[InstrForm::NbarSignalN],
        "participating threads, each both producer and consumer",
    ),
    row(FieldId::Producers, "num_producers", (64, 8), Kind::Number, &[InstrForm::NbarSignalI], "participating producers"),
    row(FieldId::Consumers, "num_consumers", (72, 8), Kind::Number, &[InstrForm::NbarSignalI], "participating consumers"),
    row(
        FieldId::Role,
        "type",
        (80, 2),
        Kind::Number,
        &[InstrForm::NbarSignalI],
        "0 producer and consumer, 1 producer, 2 consumer; 3 is refused when it is executed",
    ),
    row(FieldId::BarMode, "mode", (80, 1), Kind::Choice(&["SYNC", "ARV"]), BAR, "wait, or only arrive"),
    row(FieldId::B2rMode, "mode", (80, 1), Kind::Choice(&["WARP", "BAR"]), STATE, "state word of the warp, or of a barrier"),
    row(
        FieldId::ClusterMode,
        "mode",
        (80, 2),
        Kind::Choice(&["ARRIVE", "ARRIVE.RELAXED", "WAIT"]),
        &[InstrForm::ClusterX],
        "arrive after the previous accesses, arrive without waiting for them, or wait; 3 is illegal",
    ),
    row(
        FieldId::GridMode,
        "mode",
        (80, 1),
        Kind::Choice(&["LAUNCH", "WAIT"]),
        &[InstrForm::GridX],
        "let dependent grids start, or wait for the prerequisite grids",
    ),
    row(
        FieldId::MbarMode,
        "mode",
        (80, 1),
        Kind::Choice(&["INIT", "ADD"]),
        MBAR,
        "initialise the mbarrier, or add to its pending count",
    ),
    row(
        FieldId::TxMode,
        "mode",
        (80, 1),
        Kind::Choice(&["EXPECT", "COMPLETE"]),
        TX,
        "expect bytes, or report bytes as arrived",
    ),
    row(FieldId::ArriveMode, "mode", (80, 3), Kind::Choice(ARRIVALS), ARRIVE, "kind of arrival; 6 and 7 are illegal"),
    row(
        FieldId::TestMode,
        "mode",
        (80, 1),
        Kind::Choice(&["TEST", "TEST.PARITY"]),
        &[InstrForm::MbarTestR],
        "position of the phase in the register: bit 31 or bit 0",
    ),
    row(
        FieldId::TryMode,
        "mode",
        (80, 1),
        Kind::Choice(&["TRY", "TRY.PARITY"]),
        &[InstrForm::MbarTryRi],
        "position of the phase in the register: bit 31 or bit 0",
    ),
    row(FieldId::Redop, "redop", (80, 2), Kind::Choice(&["AND", "OR", "POPC"]), RED, "reduction; 3 is illegal"),
    row(FieldId::Relaxed, "relaxed", (84, 1), Kind::Flag("RELAXED"), ARRIVE, "1: does not wait for previous accesses"),
    row(FieldId::Cluster, "cluster", (85, 1), Kind::Flag("CLUSTER"), TO_CLUSTER, "1: an mbarrier of any CTA of the cluster"),
    row(FieldId::Pp, "pp", (98, 3), Kind::Pred, RED, "predicate to reduce"),
    row(FieldId::PpNot, "pp.not", (101, 1), Kind::Not, RED, "1: reduce the negated predicate"),
    row(
        FieldId::Pu,
        "pu",
        (106, 3),
        Kind::Pred,
        &[InstrForm::B2rResultX, InstrForm::MbarTestR, InstrForm::MbarTryRi],
        "destination predicate",
    ),
];

/// For each form, its fields: one bit for each entry of [`FIELDS`].
const FIELDS_OF: [u64; FORMS.len()] = {
    let mut fields_of = [0; FORMS.len()];
    let mut number = 0;
    while number < FIELDS.len() {
        let mut form = 0;
        while form < FIELDS[number].forms.len() {
            fields_of[FIELDS[number].forms[form] as usize] |= 1 << number;
            form += 1;
        }
        number += 1;
    }
    fields_of
};

impl FieldId {
    pub const COUNT: usize = FIELDS.len();

    pub fn field(self) -> &'static Field {
        &FIELDS[self as usize]
    }
}

impl Optype {
    pub fn row(self) -> &'static OptypeRow {
        &OPTYPES[self as usize]
    }

    /// Whether the operation type is this project's own: the instruction set document has no such instruction.
    pub fn is_own(self) -> bool {
        self.row().code >= OWN_OPTYPES
    }

    /// The field that selects the mode of this operation type, if it has modes.
    pub fn choice(self) -> Option<&'static Field> {
        let form = FORMS.iter().find(|f| f.optype == self)?.form;
        form.fields().find(|f| matches!(f.kind, Kind::Choice(_)))
    }

    /// The words that may follow the mode, each with its field, in order.
    pub fn flags(self) -> impl Iterator<Item = (FieldId, &'static str)> {
        let form = FORMS.iter().find(|f| f.optype == self).map(|f| f.form);
        let flag = |field: &Field| match field.kind {
            Kind::Flag(word) => Some((field.id, word)),
            _ => None,
        };
        form.into_iter().flat_map(InstrForm::fields).filter_map(flag)
    }
}

impl Field {
    /// The largest value of the field. In a register field this is RZ, in a predicate field PT.
    pub fn max(&self) -> u16 {
        ((1u32 << self.width) - 1) as u16
    }

    /// The mask of the field in the word.
    pub fn mask(&self) -> u128 {
        u128::from(self.max()) << self.lsb
    }

    /// The value of the field in `word`.
    pub fn extract(&self, word: u128) -> u16 {
        ((word & self.mask()) >> self.lsb) as u16
    }

    /// `value` shifted to the field's position; bits above the field's width are cut.
    pub fn place(&self, value: u16) -> u128 {
        (u128::from(value) << self.lsb) & self.mask()
    }

    /// The bit range in Verilog notation: `[55:44]`, `[80]`.
    pub fn range(&self) -> String {
        match self.width {
            1 => format!("[{}]", self.lsb),
            _ => format!("[{}:{}]", self.lsb + self.width - 1, self.lsb),
        }
    }
}

impl InstrForm {
    pub fn row(self) -> &'static FormRow {
        &FORMS[self as usize]
    }

    /// The fields of this form, lowest bit first.
    pub fn fields(self) -> impl Iterator<Item = &'static Field> {
        let fields = FIELDS_OF[self as usize];
        FIELDS.iter().enumerate().filter(move |(number, _)| fields >> number & 1 == 1).map(|(_, field)| field)
    }

    /// Mask of the bits that may be 1 in a legal word of this form; the ignored bits are 0 in the mask.
    pub fn allowed_mask(self) -> u128 {
        self.fields().map(Field::mask).fold(0, |a, b| a | b)
    }

    /// (mask, value) of the bits in the word that identify this form: those of its operation type and source type.
    pub fn fixed(self) -> (u128, u128) {
        let (optype, stype) = (FieldId::Optype.field(), FieldId::Stype.field());
        let value = optype.place(self.row().optype.row().code) | stype.place(self.row().stype.1);
        (optype.mask() | stype.mask(), value)
    }
}

/// The number in each field, indexed by [`FieldId`]; 0 where the form has no such field.
pub(crate) type Values = [u16; FieldId::COUNT];

pub(crate) const NO_VALUES: Values = [0; FieldId::COUNT];
