// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Instruction words for the stimulus: every legal form, and words with one wrong bit.

use super::rng::Rng;
use super::signals::Message;
use bcu_hw::unit::mbarrier::kind::MbarrierKind;
use bcu_isa::op::{OpKind, RedOp, StateWord};

/// The meaning of an instruction, independent of its form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    Bar {
        sync: bool,
        id: u64,
        count: u64,
    },
    Reduce {
        redop: RedOp,
        id: u64,
        count: u64,
    },
    Read {
        state: StateWord,
        id: u64,
    },
    Write {
        state: StateWord,
        id: u64,
        data: u64,
    },
    /// An instruction of this kind without operands: a fence, or an operation at the cluster barrier or on the grid.
    Plain(OpKind),
    Mbar(Mbar),
    Nbar(Message),
}

/// The operands of an MBAR.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mbar {
    pub kind: MbarrierKind,
    pub address: u64,
    /// The number of arrivals or bytes, or the hint of a try_wait. In forms that take the number from a register it has 32 bits.
    pub number: u64,
    pub phase: bool,
    pub cluster: bool,
    pub relaxed: bool,
}

/// An instruction word with the values of its register operands.
#[derive(Clone, Copy, Debug)]
pub struct Issue {
    /// Bits 127:0 of the word.
    pub word: u128,
    pub ra: u64,
    pub rb: u64,
    /// Whether the form reads registers, so that lanes may have different operands.
    pub registers: bool,
    /// Mask of the word's bits that this form uses, without the bits that every form uses.
    fields: u128,
}

/// Operation types, in bits 7:0. If an operation has a single source type, bits 11:8 of its constant have that type. All other operations
/// have the four source types of `SOURCES`: immediate, registers, register and immediate, immediate and register.
const BAR: u128 = 0x1d;
const BAR_RED: u128 = 0xdd;
const B2R: u128 = 0xb1c;
const B2R_RESULT: u128 = 0x3dc;
const R2B: u128 = 0x31e;
const FENCE: u128 = 0x3e3;
const CLUSTER: u128 = 0x3e1;
const GRID: u128 = 0x3e2;
/// NBAR, by form: a signal with one number of threads (baseline), a signal with numbers of producers and consumers, a wait with the id as
/// immediate; then a signal and a wait whose operands are in a register. The constants after these are the fields of NBAR.
const NBAR_THREADS: u128 = 0xde4;
const NBAR_SIGNAL: u128 = 0xbe4;
const NBAR_WAIT: u128 = 0xbe5;
const FROM_REGISTER: [u128; 2] = [0x3e4, 0x3e5];
const NBAR_ID: u128 = 0xff << 40;
const PRODUCERS: u128 = 0xff << 64;
const CONSUMERS: u128 = 0xff << 72;
const ROLE: u128 = 3 << 80;
/// MBAR, by operation: init and add_pending, inval, bytes, arrivals, test_wait, try_wait.
const MBAR: u128 = 0xe0;
const MBAR_INVAL: u128 = 0x3e8;
const MBAR_TX: u128 = 0xe9;
const MBAR_ARRIVE: u128 = 0xea;
const MBAR_TEST: u128 = 0x3eb;
const MBAR_TRY: u128 = 0x3ec;
const SOURCES: [u128; 4] = [0xb, 0x3, 0x5, 0x9];

/// Fields of every form: type, source type and guard; bits above bit 108 are ignored.
const COMMON: u128 = 0xffff | !0 << 109;
/// Fields of BAR, B2R and R2B, of a reduction, and of registers.
const MODE: u128 = 1 << 80;
const REDUCE: u128 = 3 << 80 | 0xf << 98;
const BARID: u128 = 0xf << 40;
const CNT: u128 = 0xfff << 44;
const RD: u128 = 0xff << 16;
const RA: u128 = 0xff << 24;
const RB: u128 = 0xff << 32;
const PU: u128 = 7 << 106;
/// Fields of MBAR.
const OFFSET: u128 = 0xffff << 40;
const IMM: u128 = 0xffff << 64;
const ARRIVE_MODE: u128 = 7 << 80;
const RELAXED: u128 = 1 << 84;
const TO_CLUSTER: u128 = 1 << 85;
/// Fields of CLUSTER.
const CLUSTER_MODE: u128 = 3 << 80;

/// A legal word for an id below 16 and a count below 4096, in a random form. Don't-care bits are random.
pub fn issue(rng: &mut Rng, meaning: Meaning, pack_lsb: u64) -> Issue {
    let wide = |rng: &mut Rng| (rng.draw() as u128) << 64 | rng.draw() as u128;
    // A register with `value` in its lowest bits.
    let low = |rng: &mut Rng, value: u64, bits: u64| value | rng.draw() << bits;
    let (fixed, open_bits, fields, ra, rb) = match meaning {
        Meaning::Bar { sync, id, count } => {
            let source = rng.below(4) as usize;
            let (set, fields, ra, rb) = operands(rng, source, id, count);
            let mode = u128::from(!sync) << 80;
            (BAR | SOURCES[source] << 8 | mode | set, 0, fields | MODE, ra, rb)
        }
        Meaning::Reduce { redop, id, count } => {
            let source = rng.below(4) as usize;
            let (set, fields, ra, rb) = match source {
                1 => {
                    let packed = id | count << pack_lsb;
                    let used = 0xf | 0xfff << pack_lsb;
                    (0, RB, rng.draw(), packed | rng.draw() & !used)
                }
                _ => operands(rng, source, id, count),
            };
            (BAR_RED | SOURCES[source] << 8 | (redop as u128) << 80 | set, 0xf << 98, fields | REDUCE, ra, rb)
        }
        Meaning::Read { state: StateWord::Result, .. } => (B2R_RESULT, RD | PU, RD | PU, rng.draw(), rng.draw()),
        // In WARP mode the id is ignored.
        Meaning::Read { state: StateWord::Warp, .. } => (B2R, RD | BARID, RD | BARID | MODE, rng.draw(), rng.draw()),
        Meaning::Read { id, .. } => (B2R | MODE | (id as u128) << 40, RD, RD | BARID | MODE, rng.draw(), rng.draw()),
        Meaning::Write { state: StateWord::Barrier, id, data } => {
            (R2B | MODE | (id as u128) << 40, RA, RA | BARID | MODE, low(rng, data, 32), rng.draw())
        }
        Meaning::Plain(kind) => {
            let (fixed, fields) = match kind {
                OpKind::ClusterArrive => (CLUSTER, CLUSTER_MODE),
                OpKind::ClusterArriveRelaxed => (CLUSTER | 1 << 80, CLUSTER_MODE),
                OpKind::ClusterWait => (CLUSTER | 2 << 80, CLUSTER_MODE),
                OpKind::GridLaunch => (GRID, MODE),
                OpKind::GridWait => (GRID | MODE, MODE),
                _ => (FENCE, 0),
            };
            (fixed, 0, fields, rng.draw(), rng.draw())
        }
        Meaning::Mbar(asked) => mbar(rng, asked),
        Meaning::Nbar(message) => nbar(rng, message),
        Meaning::Write { data, .. } => (R2B, RA | BARID, RA | BARID | MODE, low(rng, data, 32), rng.draw()),
    };
    let registers = fixed & 0xfff == R2B
        || fields & RB != 0
        || matches!(meaning, Meaning::Mbar(_))
        || FROM_REGISTER.contains(&(fixed & 0xfff));
    // Bits that are random: register names, the guard, and ignored bits.
    let open = open_bits | fields & (RA | RB) | 0xf << 12 | !0 << 109;
    Issue { word: fixed | wide(rng) & open, ra: ra & 0xffff_ffff, rb: rb & 0xffff_ffff, registers, fields }
}

/// Id and count in one of the four forms. Returns the bits set, the form's fields, and the two registers.
fn operands(rng: &mut Rng, source: usize, id: u64, count: u64) -> (u128, u128, u64, u64) {
    let low = |rng: &mut Rng, value: u64, bits: u64| value | rng.draw() << bits;
    let (barid, cnt) = ((id as u128) << 40, (count as u128) << 44);
    match source {
        0 => (barid | cnt, BARID | CNT, rng.draw(), rng.draw()),
        1 => (0, RA | RB, low(rng, id, 4), low(rng, count, 12)),
        2 => (cnt, RB | CNT, rng.draw(), low(rng, id, 4)),
        _ => (barid, RB | BARID, rng.draw(), low(rng, count, 12)),
    }
}

/// An NBAR. Returns the bits set, the bits that are random, the form's fields, and the two registers.
fn nbar(rng: &mut Rng, message: Message) -> (u128, u128, u128, u64, u64) {
    let Message { wait, id, role, producers, consumers } = message;
    let at = (id as u128 & 0xff) << 40;
    let packed = (consumers & 0xff) << 24 | (producers & 0xff) << 16 | (role & 3) << 14 | (rng.draw() & 0x3f) << 8 | id & 0xff;
    match (wait, rng.chance(300)) {
        (true, true) => (FROM_REGISTER[1], RA, RA, packed | rng.draw() << 8, rng.draw()),
        (true, false) => (NBAR_WAIT | at, 0, NBAR_ID, rng.draw(), rng.draw()),
        (false, true) => (FROM_REGISTER[0], RA, RA, packed, rng.draw()),
        (false, false) if role == 0 && producers == consumers && rng.chance(500) => {
            (NBAR_THREADS | at | (producers as u128 & 0xff) << 64, 0, NBAR_ID | PRODUCERS, rng.draw(), rng.draw())
        }
        _ => {
            let numbers = (producers as u128 & 0xff) << 64 | (consumers as u128 & 0xff) << 72 | (role as u128 & 3) << 80;
            (NBAR_SIGNAL | at | numbers, 0, NBAR_ID | PRODUCERS | CONSUMERS | ROLE, rng.draw(), rng.draw())
        }
    }
}

/// An MBAR. Returns the bits set, the bits that are random, the form's fields, and the two registers.
fn mbar(rng: &mut Rng, wanted: Mbar) -> (u128, u128, u128, u64, u64) {
    use MbarrierKind::*;
    let Mbar { kind, address, number, phase, cluster, relaxed } = wanted;
    let offset = if rng.chance(500) { rng.below(1 << 16) } else { rng.below(9) };
    let ra = address.wrapping_sub(offset);
    let at = (offset as u128) << 40;
    let flags = if cluster { TO_CLUSTER } else { 0 };
    let (fixed, open_bits, fields) = match kind {
        Init | AddPending => (MBAR | u128::from(kind == AddPending) << 80, 0, MODE),
        Inval => return (MBAR_INVAL | at, RA, RA | OFFSET, ra, rng.draw()),
        Expect | Complete => (MBAR_TX | u128::from(kind == Complete) << 80 | flags, 0, MODE | TO_CLUSTER),
        TestWait | TryWait => {
            let parity = rng.chance(500);
            let bit = if parity { 0 } else { 31 };
            let rb = rng.draw() & !(1 << bit) | u64::from(phase) << bit;
            let (code, more, imm) = match kind {
                TestWait => (MBAR_TEST, 0, 0),
                _ => (MBAR_TRY, IMM, (number as u128 & 0xffff) << 64),
            };
            let fields = RA | OFFSET | RB | MODE | PU | more;
            return (code | at | imm | u128::from(parity) << 80, RA | RB | PU, fields, ra, rb);
        }
        _ => {
            let mode = kind as u128 - Arrive as u128;
            let order = if relaxed { RELAXED } else { 0 };
            (MBAR_ARRIVE | mode << 80 | order | flags, RD, RD | ARRIVE_MODE | RELAXED | TO_CLUSTER)
        }
    };
    match number < 1 << 16 && rng.chance(500) {
        true => {
            let set = SOURCES[0] << 8 | (number as u128) << 64;
            (fixed | at | set, open_bits | RA, fields | RA | OFFSET | IMM, ra, rng.draw())
        }
        false => (fixed | at | SOURCES[1] << 8, open_bits | RA | RB, fields | RA | OFFSET | RB, ra, number),
    }
}

/// The word with one wrong bit, outside the form's fields or in its type; or with a reserved encoding of the reduction, arrival or mode.
pub fn spoil(rng: &mut Rng, issue: Issue) -> Issue {
    if [BAR_RED, CLUSTER & 0xff].contains(&(issue.word & 0xff)) && rng.chance(200) {
        return Issue { word: issue.word | 3 << 80, ..issue };
    }
    if issue.word & 0xff == MBAR_ARRIVE && rng.chance(200) {
        return Issue { word: issue.word | 6 << 80, ..issue };
    }
    let bit = match rng.below(3) {
        0 => rng.below(12),
        _ => loop {
            let bit = rng.below(109);
            if (issue.fields | COMMON) >> bit & 1 == 0 {
                break bit;
            }
        },
    };
    Issue { word: issue.word ^ 1 << bit, ..issue }
}

/// Usually a source type that some form has.
fn source_type(rng: &mut Rng) -> u128 {
    match rng.chance(700) {
        true => rng.pick(&[0xb, 0x3, 0x5, 0x9, 0xd]).unwrap_or(0xb),
        false => rng.below(16) as u128,
    }
}

/// An instruction word of another operation type, or random bits.
pub fn draw_foreign_word(rng: &mut Rng, issue: Issue) -> Issue {
    let noise = (rng.draw() as u128) << 64 | rng.draw() as u128;
    let types = [
        BAR,
        BAR_RED,
        0x1c,
        0xdc,
        0x1e,
        0xe3,
        0x1b,
        0x1f,
        0xe1,
        0xe2,
        0xe4,
        0xe5,
        MBAR,
        0xe8,
        MBAR_TX,
        MBAR_ARRIVE,
        0xeb,
        0xec,
        0xed,
    ];
    let word = match rng.below(3) {
        0 => issue.word & !0xff | rng.below(256) as u128,
        1 => issue.word & !0xfff | rng.pick(&types).unwrap_or(BAR) | source_type(rng) << 8,
        _ => noise,
    };
    Issue { word, ..issue }
}

/// The values of the four 32-bit ports of a word, bits 31:0 first.
pub fn quarters(word: u128) -> [u64; 4] {
    [0, 32, 64, 96].map(|shift| (word >> shift) as u64 & 0xffff_ffff)
}
