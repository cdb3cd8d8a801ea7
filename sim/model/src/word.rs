// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A decoder of instruction words, written from the encodings in the instruction set and, for FENCE, CLUSTER, GRID, NBAR and MBAR, in
//! `docs/contract/isa.md`.
//!
//! It does not use the instruction table of the assembler, so that an error in that table shows up as a difference.

use super::mbarrier_object::MbarrierKind;
use super::op::{Kind, RedOp, StateWord};

/// The source of the barrier id or of the count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    Immediate(u32),
    /// The register of bits 31:24.
    Ra,
    /// The register of bits 39:32.
    Rb,
    /// The upper part of the register of bits 39:32, from bit `pack_lsb` on.
    Packed,
}

/// A decoded instruction: the kind of its operation, and the sources of its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instr {
    pub kind: Kind,
    pub id: Source,
    pub count: Source,
    pub redop: RedOp,
    pub state: StateWord,
    /// The predicate that is reduced is negated first.
    pub negated: bool,
    /// Number of the destination register; 255: none.
    pub rd: u8,
    /// Number of the destination predicate; 7: none.
    pub pu: u8,
    pub mbarrier: Mbar,
    pub nbar: Nbar,
}

/// The fields of an MBAR; all 0 for other instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mbar {
    pub kind: MbarrierKind,
    /// An offset added to the address.
    pub offset: u32,
    pub number: Source,
    /// Waits: the bit that names the phase, in the register of bits 39:32.
    pub phase_bit: Option<u32>,
    pub cluster: bool,
    pub release: bool,
}

/// The fields of an NBAR; all 0 for other instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nbar {
    pub waits: bool,
    /// The message itself, or the register of bits 31:24 that holds it: bits 31:24 consumers, 23:16 producers, 15:14 type, 7:0 id.
    pub message: Source,
}

impl Instr {
    /// An instruction without operands and destinations.
    pub fn plain(kind: Kind) -> Instr {
        let none = Source::Immediate(0);
        let (redop, state) = (RedOp::And, StateWord::Warp);
        let mbarrier =
            Mbar { kind: MbarrierKind::Init, offset: 0, number: none, phase_bit: None, cluster: false, release: false };
        let nbar = Nbar { waits: false, message: none };
        Instr { kind, id: none, count: none, redop, state, negated: false, rd: 255, pu: 7, mbarrier, nbar }
    }

    /// Whether an operand comes from a register, so that its value may differ between lanes.
    pub fn has_registers(&self) -> bool {
        matches!(self.kind, Kind::Write | Kind::Mbarrier)
            || self.nbar.message == Source::Ra
            || !matches!((self.id, self.count), (Source::Immediate(_), Source::Immediate(_)))
    }
}

const OPTYPE: Field = Field { low: 0, width: 8 };
const STYPE: Field = Field { low: 8, width: 4 };
const PG: Field = Field { low: 12, width: 3 };
const PG_NOT: Field = Field { low: 15, width: 1 };
const RD: Field = Field { low: 16, width: 8 };
const RA: Field = Field { low: 24, width: 8 };
const RB: Field = Field { low: 32, width: 8 };
const BARID: Field = Field { low: 40, width: 4 };
const CNT: Field = Field { low: 44, width: 12 };
const MODE: Field = Field { low: 80, width: 1 };
const OFFSET: Field = Field { low: 40, width: 16 };
const NBAR_ID: Field = Field { low: 40, width: 8 };
const PRODUCERS: Field = Field { low: 64, width: 8 };
const CONSUMERS: Field = Field { low: 72, width: 8 };
const ROLE: Field = Field { low: 80, width: 2 };
const IMM: Field = Field { low: 64, width: 16 };
const ARRIVE_MODE: Field = Field { low: 80, width: 3 };
const RELAXED: Field = Field { low: 84, width: 1 };
const TO_CLUSTER: Field = Field { low: 85, width: 1 };
const REDOP: Field = Field { low: 80, width: 2 };
const CLUSTER_MODE: Field = Field { low: 80, width: 2 };
const PP: Field = Field { low: 98, width: 3 };
const PP_NOT: Field = Field { low: 101, width: 1 };
const PU: Field = Field { low: 106, width: 3 };
/// The bits that the unit decodes; it ignores the bits above.
const LOOKED_AT: Field = Field { low: 0, width: 109 };

/// The values of `optype`.
const BAR: u32 = 0x1d;
const BAR_RED: u32 = 0xdd;
const B2R: u32 = 0x1c;
const B2R_RESULT: u32 = 0xdc;
const R2B: u32 = 0x1e;
const FENCE: u32 = 0xe3;
const CLUSTER: u32 = 0xe1;
const GRID: u32 = 0xe2;
const NBAR_SIGNAL: u32 = 0xe4;
const NBAR_WAIT: u32 = 0xe5;
const MBAR: u32 = 0xe0;
const MBAR_INVAL: u32 = 0xe8;
const MBAR_TX: u32 = 0xe9;
const MBAR_ARRIVE: u32 = 0xea;
const MBAR_TEST: u32 = 0xeb;
const MBAR_TRY: u32 = 0xec;

/// The values of `stype`.
const I: u32 = 0xb;
const N: u32 = 0xd;
const R: u32 = 0x3;
const RRI: u32 = 0x5;
const RIR: u32 = 0x9;
const X: u32 = 0x3;
const RI: u32 = 0x3;

#[derive(Clone, Copy)]
struct Field {
    low: u32,
    width: u32,
}

impl Field {
    const fn mask(self) -> u128 {
        ((1 << self.width) - 1) << self.low
    }

    fn extract(self, word: u128) -> u32 {
        ((word & self.mask()) >> self.low) as u32
    }
}

/// Decodes a word (bits 31:0 first); `None` if it is no legal instruction.
pub fn decode(word: [u32; 4]) -> Option<Instr> {
    let word = word.iter().rev().fold(0u128, |word, part| word << 32 | u128::from(*part));
    let (instr, fields): (_, &[Field]) = match OPTYPE.extract(word) {
        BAR => bar(word)?,
        BAR_RED => bar_red(word)?,
        B2R if STYPE.extract(word) == I => {
            let rd = RD.extract(word) as u8;
            (Instr { rd, ..mode(word, Kind::Read) }, &[RD, BARID, MODE])
        }
        B2R_RESULT if STYPE.extract(word) == X => {
            let (rd, pu) = (RD.extract(word) as u8, PU.extract(word) as u8);
            (Instr { state: StateWord::Result, rd, pu, ..Instr::plain(Kind::Read) }, &[RD, PU])
        }
        R2B if STYPE.extract(word) == RI => (mode(word, Kind::Write), &[RA, BARID, MODE]),
        MBAR => {
            let kind = if MODE.extract(word) == 0 { MbarrierKind::Init } else { MbarrierKind::AddPending };
            with_number(word, kind, &[RA, OFFSET, MODE, IMM], &[RA, OFFSET, MODE, RB])?
        }
        MBAR_INVAL if STYPE.extract(word) == X => (mbar(word, MbarrierKind::Inval, Source::Immediate(0)), &[RA, OFFSET]),
        MBAR_TX => {
            let kind = if MODE.extract(word) == 0 { MbarrierKind::Expect } else { MbarrierKind::Complete };
            with_number(word, kind, &[RA, OFFSET, MODE, TO_CLUSTER, IMM], &[RA, OFFSET, MODE, TO_CLUSTER, RB])?
        }
        MBAR_ARRIVE => mbar_arrive(word)?,
        MBAR_TEST if STYPE.extract(word) == R => (mbar_wait(word, MbarrierKind::TestWait, 0), &[RA, OFFSET, RB, MODE, PU]),
        MBAR_TRY if STYPE.extract(word) == RI => {
            (mbar_wait(word, MbarrierKind::TryWait, IMM.extract(word)), &[RA, OFFSET, RB, IMM, MODE, PU])
        }
        FENCE if STYPE.extract(word) == X => (Instr::plain(Kind::Fence), &[]),
        CLUSTER if STYPE.extract(word) == X => {
            let kinds = [Kind::ClusterArrive, Kind::ClusterArriveRelaxed, Kind::ClusterWait];
            (Instr::plain(*kinds.get(CLUSTER_MODE.extract(word) as usize)?), &[CLUSTER_MODE])
        }
        GRID if STYPE.extract(word) == X => {
            let kind = if MODE.extract(word) == 0 { Kind::GridLaunch } else { Kind::GridWait };
            (Instr::plain(kind), &[MODE])
        }
        NBAR_SIGNAL => nbar_signal(word)?,
        NBAR_WAIT => match STYPE.extract(word) {
            I => (nbar(true, Source::Immediate(NBAR_ID.extract(word))), &[NBAR_ID]),
            R => (nbar(true, Source::Ra), &[RA]),
            _ => return None,
        },
        _ => return None,
    };
    let known = [OPTYPE, STYPE, PG, PG_NOT].iter().chain(fields).fold(0, |known, field| known | field.mask());
    (word & LOOKED_AT.mask() & !known == 0).then_some(instr)
}

fn nbar(waits: bool, message: Source) -> Instr {
    Instr { nbar: Nbar { waits, message }, ..Instr::plain(Kind::Gateway) }
}

/// NBAR_SIGNAL, and the fields of its encoding. With `stype` N, one number is both the number of producers and that of consumers.
fn nbar_signal(word: u128) -> Option<(Instr, &'static [Field])> {
    let packed = |role: u32, producers: u32, consumers: u32| {
        Source::Immediate(consumers << 24 | producers << 16 | role << 14 | NBAR_ID.extract(word))
    };
    let threads = PRODUCERS.extract(word);
    Some(match STYPE.extract(word) {
        N => (nbar(false, packed(0, threads, threads)), &[NBAR_ID, PRODUCERS]),
        I => {
            (nbar(false, packed(ROLE.extract(word), threads, CONSUMERS.extract(word))), &[NBAR_ID, PRODUCERS, CONSUMERS, ROLE])
        }
        R => (nbar(false, Source::Ra), &[RA]),
        _ => return None,
    })
}

/// BAR, and the fields of its encoding.
fn bar(word: u128) -> Option<(Instr, &'static [Field])> {
    let kind = if MODE.extract(word) == 0 { Kind::Sync } else { Kind::Arrive };
    let (id, count) = (Source::Immediate(BARID.extract(word)), Source::Immediate(CNT.extract(word)));
    let (id, count, fields): (_, _, &[Field]) = match STYPE.extract(word) {
        I => (id, count, &[MODE, BARID, CNT]),
        R => (Source::Ra, Source::Rb, &[MODE, RA, RB]),
        RRI => (Source::Rb, count, &[MODE, RB, CNT]),
        RIR => (id, Source::Rb, &[MODE, RB, BARID]),
        _ => return None,
    };
    Some((Instr { id, count, ..Instr::plain(kind) }, fields))
}

/// BAR_RED, and the fields of its encoding.
fn bar_red(word: u128) -> Option<(Instr, &'static [Field])> {
    let redop = *RedOp::ALL.get(REDOP.extract(word) as usize)?;
    let (id, count) = (Source::Immediate(BARID.extract(word)), Source::Immediate(CNT.extract(word)));
    let (id, count, fields): (_, _, &[Field]) = match STYPE.extract(word) {
        I => (id, count, &[REDOP, PP, PP_NOT, BARID, CNT]),
        R => (Source::Rb, Source::Packed, &[REDOP, PP, PP_NOT, RB]),
        RRI => (Source::Rb, count, &[REDOP, PP, PP_NOT, RB, CNT]),
        RIR => (id, Source::Rb, &[REDOP, PP, PP_NOT, RB, BARID]),
        _ => return None,
    };
    let negated = PP_NOT.extract(word) != 0;
    Some((Instr { id, count, redop, negated, ..Instr::plain(Kind::Reduce) }, fields))
}

/// B2R or R2B on the state word of the warp, for which the id is ignored, or on the state word of a barrier.
fn mode(word: u128, kind: Kind) -> Instr {
    match MODE.extract(word) {
        0 => Instr { state: StateWord::Warp, ..Instr::plain(kind) },
        _ => Instr { state: StateWord::Barrier, id: Source::Immediate(BARID.extract(word)), ..Instr::plain(kind) },
    }
}

/// An MBAR with the address in the register of bits 31:24 plus the offset.
fn mbar(word: u128, kind: MbarrierKind, number: Source) -> Instr {
    let plain = Instr::plain(Kind::Mbarrier);
    let mbarrier =
        Mbar { kind, offset: OFFSET.extract(word), number, cluster: TO_CLUSTER.extract(word) != 0, ..plain.mbarrier };
    Instr { mbarrier, ..plain }
}

/// An MBAR whose number is in the word or in a register, and the fields of its encoding.
fn with_number(
    word: u128,
    kind: MbarrierKind,
    given: &'static [Field],
    in_register: &'static [Field],
) -> Option<(Instr, &'static [Field])> {
    match STYPE.extract(word) {
        I => Some((mbar(word, kind, Source::Immediate(IMM.extract(word))), given)),
        R => Some((mbar(word, kind, Source::Rb), in_register)),
        _ => None,
    }
}

/// MBAR_ARRIVE, and the fields of its encoding.
fn mbar_arrive(word: u128) -> Option<(Instr, &'static [Field])> {
    use MbarrierKind::{Arrive, ArriveExpect, ArriveNoComplete, Drop, DropExpect, DropNoComplete};
    let kinds = [Arrive, ArriveExpect, ArriveNoComplete, Drop, DropExpect, DropNoComplete];
    let kind = *kinds.get(ARRIVE_MODE.extract(word) as usize)?;
    let given = &[RD, RA, OFFSET, ARRIVE_MODE, RELAXED, TO_CLUSTER, IMM];
    let in_register = &[RD, RA, OFFSET, ARRIVE_MODE, RELAXED, TO_CLUSTER, RB];
    let (instr, fields) = with_number(word, kind, given, in_register)?;
    let mbarrier = Mbar { release: RELAXED.extract(word) == 0, ..instr.mbarrier };
    Some((Instr { mbarrier, rd: RD.extract(word) as u8, ..instr }, fields))
}

/// MBAR_TEST or MBAR_TRY. Its phase is bit 0 of the register in bits 39:32 if MODE is 1 (parity), and bit 31 if MODE is 0 (token).
fn mbar_wait(word: u128, kind: MbarrierKind, hint: u32) -> Instr {
    let instr = mbar(word, kind, Source::Immediate(hint));
    let phase_bit = Some(if MODE.extract(word) == 0 { 31 } else { 0 });
    Instr { mbarrier: Mbar { phase_bit, ..instr.mbarrier }, pu: PU.extract(word) as u8, ..instr }
}
