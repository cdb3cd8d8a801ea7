// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One BCU instruction as a value, and its 128-bit word: encode and decode by the table of [`fields`](super::fields).
//!
//! A word is four 32-bit numbers, bits 31:0 first, as at the instruction port of `bcu`.

use super::fields::{Kind, Values, DECODED_BITS, FORMS, NO_VALUES, OPTYPES};
use super::ids::{FieldId, InstrForm};
use super::mbar::{self, Mbar, MbarOp};
use super::nbar::{self, Nbar};
use super::register::{Pred, Reg};

/// What a BAR does after its arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BarMode {
    Sync,
    Arv,
}

/// How a BAR.RED combines the predicates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RedOp {
    And,
    Or,
    Popc,
}

/// The owner of the state word that B2R reads and R2B writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StateMode {
    Warp,
    Bar,
}

/// The sources of barrier id and count. An `id` is 0 to 15, a `count` 0 to 4095 threads; [`encode`] cuts larger numbers to 4 and 12 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Source {
    I {
        id: u8,
        count: u16,
    },
    /// Two registers. A BAR.RED has no such form: it has [`RedSource::Packed`] instead.
    Rr {
        id: Reg,
        count: Reg,
    },
    Rri {
        id: Reg,
        count: u16,
    },
    Rir {
        id: u8,
        count: Reg,
    },
}

/// The sources of barrier id and count of a reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RedSource {
    I {
        id: u8,
        count: u16,
    },
    /// One register, with the id in its lowest 4 bits and the count in the 12 bits from bit `pack_lsb` of the configuration on.
    Packed(Reg),
    Rri {
        id: Reg,
        count: u16,
    },
    Rir {
        id: u8,
        count: Reg,
    },
}

/// What a warp does at its cluster's barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ClusterOp {
    Arrive,
    /// The warp arrives, and the arrival does not wait until earlier accesses of the warp are performed.
    ArriveRelaxed,
    Wait,
}

/// Operations on grids that depend on each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GridOp {
    /// The grids that depend on this grid may start.
    Launch,
    /// The warp waits for the grids that this grid depends on.
    Wait,
}

/// What an instruction does, without its guard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    Bar {
        mode: BarMode,
        source: Source,
    },
    Red {
        op: RedOp,
        source: RedSource,
        pp: Pred,
    },
    /// `id` is kept as written and has no effect in WARP mode.
    B2r {
        mode: StateMode,
        rd: Reg,
        id: u8,
    },
    /// `pu` is the destination predicate: 0 to 6, or 7 for PT.
    Result {
        rd: Reg,
        pu: u8,
    },
    /// `id` is kept as written and has no effect in WARP mode.
    R2b {
        mode: StateMode,
        id: u8,
        ra: Reg,
    },
    /// The warp waits until its memory accesses are performed.
    Fence,
    Cluster(ClusterOp),
    Grid(GridOp),
    Nbar(Nbar),
    Mbar(Mbar),
}

/// One instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Instr {
    pub guard: Pred,
    pub op: Op,
}

/// Why a word is not an instruction: the cause of the fault `illegal_instruction`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Illegal {
    #[error("no instruction has optype {0:#04x}")]
    Optype(u16),
    #[error("{optype} has no form with stype {stype:#x}")]
    Stype { optype: &'static str, stype: u16 },
    #[error("{form} has no {field} {value}")]
    Value { form: &'static str, field: &'static str, value: u16 },
    #[error("{form} has no field at bit {bit}, which is set")]
    Bit { form: &'static str, bit: u32 },
}

/// Encodes an instruction; the ignored bits are 0.
pub fn encode(instr: &Instr) -> [u32; 4] {
    let (form, values) = to_values(instr);
    let operands = form.fields().filter(|f| f.kind != Kind::Code);
    split(operands.fold(form.fixed().1, |word, f| word | f.place(values[f.id as usize])))
}

/// Decodes a word. Bits [127:109] are ignored.
pub fn decode(word: [u32; 4]) -> Result<Instr, Illegal> {
    let word = join(word);
    let (code, stype) = (FieldId::Optype.field().extract(word), FieldId::Stype.field().extract(word));
    let optype = OPTYPES.iter().find(|o| o.code == code).ok_or(Illegal::Optype(code))?;
    let row = FORMS.iter().find(|f| f.optype == optype.optype && f.stype.1 == stype);
    let row = row.ok_or(Illegal::Stype { optype: optype.name, stype })?;
    let mut values = NO_VALUES;
    for field in row.form.fields() {
        let value = field.extract(word);
        if matches!(field.kind, Kind::Choice(names) if usize::from(value) >= names.len()) {
            return Err(Illegal::Value { form: row.name, field: field.name, value });
        }
        values[field.id as usize] = value;
    }
    let stray = word & !row.form.allowed_mask() & ((1u128 << DECODED_BITS) - 1);
    match stray {
        0 => Ok(from_values(row.form, &values)),
        _ => Err(Illegal::Bit { form: row.name, bit: stray.trailing_zeros() }),
    }
}

/// Splits a word into 32-bit numbers, bits 31:0 first.
pub fn split(word: u128) -> [u32; 4] {
    [word as u32, (word >> 32) as u32, (word >> 64) as u32, (word >> 96) as u32]
}

/// The inverse of [`split`].
pub fn join(word: [u32; 4]) -> u128 {
    word.iter().rev().fold(0, |all, part| all << 32 | u128::from(*part))
}

impl Instr {
    /// The form of the encoded word.
    pub fn form(&self) -> InstrForm {
        to_values(self).0
    }

    /// The registers whose values accompany the word at the instruction port: the register in field `ra`, and the register in field `rb` or
    /// `rc`.
    pub fn reads(&self) -> (Option<Reg>, Option<Reg>) {
        let (form, values) = to_values(self);
        let named = |id: FieldId| form.fields().any(|f| f.id == id).then(|| Reg(values[id as usize] as u8));
        let one_of = |ids: &[FieldId]| ids.iter().find_map(|id| named(*id));
        let rb = [FieldId::Rb, FieldId::Rc, FieldId::Number, FieldId::Phase];
        (one_of(&[FieldId::Ra, FieldId::Base]), one_of(&rb))
    }

    /// The registers that the instruction writes, without RZ: one, or the two of a token, low word first.
    pub fn writes(&self) -> [Option<Reg>; 2] {
        let written = |register: u8| Some(Reg(register)).filter(|r| *r != Reg::RZ);
        match self.op {
            Op::B2r { rd, .. } | Op::Result { rd, .. } => [written(rd.0), None],
            Op::Mbar(Mbar { does: MbarOp::Arrive { rd, .. }, .. }) => [written(rd.0), written(rd.0.saturating_add(1))],
            _ => [None; 2],
        }
    }

    /// The predicate that the instruction writes; PT is left out.
    pub fn decides(&self) -> Option<u8> {
        let pu = match self.op {
            Op::Result { pu, .. } => pu,
            Op::Mbar(Mbar { does: MbarOp::Test { pu, .. } | MbarOp::Try { pu, .. }, .. }) => pu,
            _ => return None,
        };
        Some(pu).filter(|pu| *pu != Pred::PT.index)
    }
}

/// The form of an instruction, and the values of the fields of that form.
pub(crate) fn to_values(instr: &Instr) -> (InstrForm, Values) {
    let mut values = NO_VALUES;
    let mut put = |pairs: &[(FieldId, u16)]| pairs.iter().for_each(|(id, v)| values[*id as usize] = *v);
    put(&[(FieldId::Pg, instr.guard.index.into()), (FieldId::PgNot, instr.guard.not.into())]);
    let form = match instr.op {
        Op::Bar { mode, source } => {
            put(&[(FieldId::BarMode, mode as u16)]);
            match source {
                Source::I { id, count } => (InstrForm::BarI, (FieldId::Barid, id.into()), (FieldId::Cnt, count)),
                Source::Rr { id, count } => (InstrForm::BarRr, (FieldId::Ra, id.0.into()), (FieldId::Rb, count.0.into())),
                Source::Rri { id, count } => (InstrForm::BarRri, (FieldId::Rb, id.0.into()), (FieldId::Cnt, count)),
                Source::Rir { id, count } => (InstrForm::BarRir, (FieldId::Barid, id.into()), (FieldId::Rc, count.0.into())),
            }
        }
        Op::Red { op, source, pp } => {
            put(&[(FieldId::Redop, op as u16), (FieldId::Pp, pp.index.into())]);
            let not = (FieldId::PpNot, pp.not.into());
            put(&[not]);
            match source {
                RedSource::I { id, count } => (InstrForm::BarRedI, (FieldId::Barid, id.into()), (FieldId::Cnt, count)),
                RedSource::Packed(r) => (InstrForm::BarRedR, (FieldId::Rb, r.0.into()), not),
                RedSource::Rri { id, count } => (InstrForm::BarRedRri, (FieldId::Rb, id.0.into()), (FieldId::Cnt, count)),
                RedSource::Rir { id, count } => {
                    (InstrForm::BarRedRir, (FieldId::Barid, id.into()), (FieldId::Rc, count.0.into()))
                }
            }
        }
        Op::B2r { mode, rd, id } => {
            put(&[(FieldId::B2rMode, mode as u16)]);
            (InstrForm::B2rI, (FieldId::Rd, rd.0.into()), (FieldId::Barid, id.into()))
        }
        Op::Result { rd, pu } => (InstrForm::B2rResultX, (FieldId::Rd, rd.0.into()), (FieldId::Pu, pu.into())),
        Op::R2b { mode, id, ra } => {
            put(&[(FieldId::B2rMode, mode as u16)]);
            (InstrForm::R2bRi, (FieldId::Barid, id.into()), (FieldId::Ra, ra.0.into()))
        }
        Op::Fence => return (InstrForm::FenceX, values),
        Op::Cluster(op) => {
            put(&[(FieldId::ClusterMode, op as u16)]);
            return (InstrForm::ClusterX, values);
        }
        Op::Grid(op) => {
            put(&[(FieldId::GridMode, op as u16)]);
            return (InstrForm::GridX, values);
        }
        Op::Nbar(nbar) => return (nbar::to_values(&nbar, &mut values), values),
        Op::Mbar(mbar) => return (mbar::to_values(&mbar, &mut values), values),
    };
    put(&[form.1, form.2]);
    (form.0, values)
}

/// The instruction of the form `form` with these field values. The caller guarantees that each enumeration field holds a value that has a
/// name.
pub(crate) fn from_values(form: InstrForm, values: &Values) -> Instr {
    let at = |id: FieldId| values[id as usize];
    let (reg, id, count) = (|id| Reg(at(id) as u8), at(FieldId::Barid) as u8, at(FieldId::Cnt));
    let pred = |id, not| Pred { index: at(id) as u8, not: at(not) != 0 };
    let bar = |source| Op::Bar { mode: if at(FieldId::BarMode) == 0 { BarMode::Sync } else { BarMode::Arv }, source };
    let red = |source| {
        let op = [RedOp::And, RedOp::Or].get(usize::from(at(FieldId::Redop))).copied().unwrap_or(RedOp::Popc);
        Op::Red { op, source, pp: pred(FieldId::Pp, FieldId::PpNot) }
    };
    let mode = if at(FieldId::B2rMode) == 0 { StateMode::Warp } else { StateMode::Bar };
    let op = match form {
        InstrForm::BarI => bar(Source::I { id, count }),
        InstrForm::BarRr => bar(Source::Rr { id: reg(FieldId::Ra), count: reg(FieldId::Rb) }),
        InstrForm::BarRri => bar(Source::Rri { id: reg(FieldId::Rb), count }),
        InstrForm::BarRir => bar(Source::Rir { id, count: reg(FieldId::Rc) }),
        InstrForm::BarRedI => red(RedSource::I { id, count }),
        InstrForm::BarRedR => red(RedSource::Packed(reg(FieldId::Rb))),
        InstrForm::BarRedRri => red(RedSource::Rri { id: reg(FieldId::Rb), count }),
        InstrForm::BarRedRir => red(RedSource::Rir { id, count: reg(FieldId::Rc) }),
        InstrForm::B2rI => Op::B2r { mode, rd: reg(FieldId::Rd), id },
        InstrForm::B2rResultX => Op::Result { rd: reg(FieldId::Rd), pu: at(FieldId::Pu) as u8 },
        InstrForm::R2bRi => Op::R2b { mode, id, ra: reg(FieldId::Ra) },
        InstrForm::FenceX => Op::Fence,
        InstrForm::ClusterX => Op::Cluster(
            [ClusterOp::Arrive, ClusterOp::ArriveRelaxed]
                .get(usize::from(at(FieldId::ClusterMode)))
                .copied()
                .unwrap_or(ClusterOp::Wait),
        ),
        InstrForm::GridX => Op::Grid(if at(FieldId::GridMode) == 0 { GridOp::Launch } else { GridOp::Wait }),
        _ => match nbar::from_values(form, values) {
            Some(nbar) => Op::Nbar(nbar),
            None => Op::Mbar(mbar::from_values(form, values)),
        },
    };
    Instr { guard: pred(FieldId::Pg, FieldId::PgNot), op }
}
