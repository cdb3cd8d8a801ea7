// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Draws legal instructions together with the operations that `decode` must produce. The meaning is drawn first, and the assembler encodes
//! it.

use crate::stimulus::shape::Shape;
use crate::stimulus::Rng;
use bcu_hw::unit::mbarrier::kind::MbarrierKind;
use bcu_isa::instr::{encode, BarMode, ClusterOp, GridOp, Instr, Op, RedOp, RedSource, Source, StateMode};
use bcu_isa::mbar::{Address, ArriveMode, Mbar, MbarOp, Number, Phase, TxMode};
use bcu_isa::nbar::{Message, Nbar, Signal, Wait};
use bcu_isa::op::{Form, OpKind, StateWord};
use bcu_isa::register::{Pred, Reg};

/// Fields of the operation with their required values. A field that is not in the list is don't care.
pub type Fields = Vec<(&'static str, u64)>;

/// An instruction word with its registers, and the operation that `decode` must produce from it for any warp and lanes.
pub struct Issue {
    /// Bits 31:0 first.
    pub word: [u64; 4],
    pub ra: u64,
    pub rb: u64,
    pub fields: Fields,
    /// The instruction reads a register, so `instr_uniform` is significant.
    pub has_registers: bool,
    /// The instruction reads or writes a state word, so `full` is significant and `blocked` is not.
    pub is_state_access: bool,
    /// `instr_form` is significant.
    pub has_form: bool,
    /// For a reduction: whether its predicate is negated; `None`: no reduction.
    pub votes_negated: Option<bool>,
}

/// The highest value of a number field of an operation.
const MOST: u64 = (1 << 21) - 1;

/// Source registers; values are drawn into their lowest bits.
struct Registers {
    ra: u64,
    rb: u64,
}

fn reg(rng: &mut Rng) -> Reg {
    Reg(rng.below(256) as u8)
}

/// Sets the `bits` bits of `register` from bit `lsb` on to `value`; the other bits keep their values.
fn put(register: &mut u64, lsb: u64, bits: u64, value: u64) {
    let mask = (1 << bits) - 1;
    *register = *register & !(mask << lsb) | (value & mask) << lsb;
}

/// Draws any legal instruction that the units of a configuration support.
pub fn draw(rng: &mut Rng, shape: Shape) -> Issue {
    let mut registers = Registers { ra: rng.draw() & 0xffff_ffff, rb: rng.draw() & 0xffff_ffff };
    let mut kinds = vec![0];
    kinds.extend(if shape.gateway_ids > 0 { vec![1, 1, 1] } else { vec![2, 2, 3, 3, 4, 5] });
    kinds.extend(if shape.mbarriers { vec![6, 6, 6, 6] } else { vec![] });
    kinds.extend(if shape.cluster_size > 1 { vec![7] } else { vec![] });
    kinds.extend(if shape.has_grids { vec![8] } else { vec![] });
    let kind = rng.pick(&kinds).unwrap_or(0);
    let mut votes_negated = None;
    let (op, fields, has_registers) = match kind {
        0 => (Op::Fence, vec![("kind", OpKind::Fence as u64)], false),
        1 => gateway(rng, &mut registers),
        2 => bar(rng, &mut registers),
        3 => {
            let not = rng.chance(500);
            votes_negated = Some(not);
            let pp = Pred { index: rng.below(8) as u8, not };
            reduction(rng, &mut registers, shape.pack_lsb, pp)
        }
        4 => read(rng),
        5 => {
            let (state, mode) =
                if rng.chance(500) { (StateWord::Warp, StateMode::Warp) } else { (StateWord::Barrier, StateMode::Bar) };
            let id = rng.below(16);
            let mut fields = vec![("kind", OpKind::Write as u64), ("state", state as u64), ("data", registers.ra)];
            fields.push(("id", if state == StateWord::Warp { 0 } else { id }));
            (Op::R2b { mode, id: id as u8, ra: reg(rng) }, fields, true)
        }
        6 => mbar(rng, &mut registers),
        7 => {
            let kinds = [
                (ClusterOp::Arrive, OpKind::ClusterArrive),
                (ClusterOp::ArriveRelaxed, OpKind::ClusterArriveRelaxed),
                (ClusterOp::Wait, OpKind::ClusterWait),
            ];
            let (op, kind) = kinds[rng.below(3) as usize];
            (Op::Cluster(op), vec![("kind", kind as u64)], false)
        }
        _ => {
            let (op, kind) =
                if rng.chance(500) { (GridOp::Launch, OpKind::GridLaunch) } else { (GridOp::Wait, OpKind::GridWait) };
            (Op::Grid(op), vec![("kind", kind as u64)], false)
        }
    };
    let guard = Pred { index: rng.below(8) as u8, not: rng.chance(500) };
    let mut word = encode(&Instr { guard, op }).map(u64::from);
    // Bits [127:109] are ignored.
    word[3] |= rng.draw() & 0xffff_e000;
    let Registers { ra, rb } = registers;
    let is_state_access = matches!(op, Op::B2r { .. } | Op::Result { .. } | Op::R2b { .. });
    let has_form = matches!(op, Op::Bar { .. } | Op::Red { .. } | Op::Cluster(_));
    Issue { word, ra, rb, fields, has_registers, is_state_access, has_form, votes_negated }
}

/// A random word for lanes that meet; the unit ignores it.
pub fn meeting(rng: &mut Rng) -> Issue {
    let word = [(); 4].map(|()| rng.draw() & 0xffff_ffff);
    let [ra, rb] = [rng.draw() & 0xffff_ffff, rng.draw() & 0xffff_ffff];
    let fields = vec![("kind", OpKind::Sync as u64)];
    let (has_registers, is_state_access) = (false, false);
    Issue { word, ra, rb, fields, has_registers, is_state_access, has_form: true, votes_negated: None }
}

fn bar(rng: &mut Rng, registers: &mut Registers) -> (Op, Fields, bool) {
    let (id, count) = (rng.below(16), rng.below(4096));
    let (mode, kind) = if rng.chance(500) { (BarMode::Sync, OpKind::Sync) } else { (BarMode::Arv, OpKind::Arrive) };
    let source = match rng.below(4) {
        0 => Source::I { id: id as u8, count: count as u16 },
        1 => {
            put(&mut registers.ra, 0, 4, id);
            put(&mut registers.rb, 0, 12, count);
            Source::Rr { id: reg(rng), count: reg(rng) }
        }
        2 => {
            put(&mut registers.rb, 0, 4, id);
            Source::Rri { id: reg(rng), count: count as u16 }
        }
        _ => {
            put(&mut registers.rb, 0, 12, count);
            Source::Rir { id: id as u8, count: reg(rng) }
        }
    };
    let has_registers = !matches!(source, Source::I { .. });
    (Op::Bar { mode, source }, vec![("kind", kind as u64), ("id", id), ("count", count)], has_registers)
}

fn reduction(rng: &mut Rng, registers: &mut Registers, pack_lsb: u64, pp: Pred) -> (Op, Fields, bool) {
    let (id, count) = (rng.below(16), rng.below(4096));
    let (op, redop) = [(RedOp::And, 0), (RedOp::Or, 1), (RedOp::Popc, 2)][rng.below(3) as usize];
    let source = match rng.below(4) {
        0 => RedSource::I { id: id as u8, count: count as u16 },
        1 => {
            put(&mut registers.rb, 0, 4, id);
            put(&mut registers.rb, pack_lsb, 12, count);
            RedSource::Packed(reg(rng))
        }
        2 => {
            put(&mut registers.rb, 0, 4, id);
            RedSource::Rri { id: reg(rng), count: count as u16 }
        }
        _ => {
            put(&mut registers.rb, 0, 12, count);
            RedSource::Rir { id: id as u8, count: reg(rng) }
        }
    };
    let has_registers = !matches!(source, RedSource::I { .. });
    let fields = vec![("kind", OpKind::Reduce as u64), ("id", id), ("count", count), ("redop", redop)];
    (Op::Red { op, source, pp }, fields, has_registers)
}

fn read(rng: &mut Rng) -> (Op, Fields, bool) {
    let (rd, id) = (reg(rng), rng.below(16));
    let mut fields = vec![("kind", OpKind::Read as u64), ("rd", rd.0.into())];
    let op = match rng.below(3) {
        0 => {
            let pu = rng.below(8);
            fields.extend([("state", StateWord::Result as u64), ("pu", pu)]);
            Op::Result { rd, pu: pu as u8 }
        }
        1 => {
            fields.extend([("state", StateWord::Warp as u64), ("pu", 7), ("id", 0)]);
            Op::B2r { mode: StateMode::Warp, rd, id: id as u8 }
        }
        _ => {
            fields.extend([("state", StateWord::Barrier as u64), ("pu", 7), ("id", id)]);
            Op::B2r { mode: StateMode::Bar, rd, id: id as u8 }
        }
    };
    (op, fields, false)
}

fn gateway(rng: &mut Rng, registers: &mut Registers) -> (Op, Fields, bool) {
    let message = Message {
        id: rng.below(256) as u8,
        role: rng.below(3) as u8,
        producers: rng.below(256) as u8,
        consumers: rng.below(256) as u8,
    };
    let Message { id, role, producers, consumers } = message;
    let packed = u64::from(consumers) << 24 | u64::from(producers) << 16 | u64::from(role) << 14 | u64::from(id);
    let wait = 1 << 13 | u64::from(id);
    let (nbar, data, has_registers) = match rng.below(5) {
        0 => {
            let threads = u64::from(producers);
            let data = threads << 24 | threads << 16 | u64::from(id);
            (Nbar::Signal(Signal::Threads { id, threads: producers }), data, false)
        }
        1 => (Nbar::Signal(Signal::Message(message)), packed, false),
        2 => {
            // Bits 13:8 of the register are ignored.
            registers.ra = packed | (rng.draw() & 0x3f) << 8;
            (Nbar::Signal(Signal::Packed(reg(rng))), packed, true)
        }
        3 => (Nbar::Wait(Wait::Id(id)), wait, false),
        _ => {
            put(&mut registers.ra, 0, 8, id.into());
            (Nbar::Wait(Wait::Packed(reg(rng))), wait, true)
        }
    };
    (Op::Nbar(nbar), vec![("kind", OpKind::Gateway as u64), ("data", data)], has_registers)
}

fn mbar(rng: &mut Rng, registers: &mut Registers) -> (Op, Fields, bool) {
    let offset = if rng.chance(500) { rng.below(1 << 16) } else { 8 * rng.below(4) };
    let address = registers.ra + offset & 0xffff_ffff;
    let small = rng.below(1 << 16);
    let (number, value) = if rng.chance(400) {
        (Number::Imm(small as u16), small)
    } else {
        // `rb` is drawn again: near `MOST`, the highest number that the field holds, or small; or it keeps its random value.
        registers.rb = rng.pick(&[registers.rb, MOST - 1, MOST, MOST + 1, small]).unwrap_or(small);
        (Number::Reg(reg(rng)), registers.rb.min(MOST))
    };
    let (cluster, relaxed) = (rng.chance(300), rng.chance(300));
    let (phase, parity, token) = (rng.below(2), rng.chance(500), reg(rng));
    let count_of_register = |registers: &mut Registers| {
        put(&mut registers.rb, if parity { 0 } else { 31 }, 1, phase);
        if parity {
            Phase::Parity(token)
        } else {
            Phase::Token(token)
        }
    };
    let mut more = vec![];
    let (does, kind, number, of_phase, of_cluster, release) = match rng.below(8) {
        0 => (MbarOp::Init(number), MbarrierKind::Init, value, 0, false, false),
        1 => (MbarOp::Add(number), MbarrierKind::AddPending, value, 0, false, false),
        2 => (MbarOp::Inval, MbarrierKind::Inval, 0, 0, false, false),
        3 => {
            let (mode, kind) = if rng.chance(500) {
                (TxMode::Expect, MbarrierKind::Expect)
            } else {
                (TxMode::Complete, MbarrierKind::Complete)
            };
            (MbarOp::Tx { mode, cluster, bytes: number }, kind, value, 0, cluster, false)
        }
        4 => {
            let pu = rng.below(8);
            more.push(("pu", pu));
            let phase_of = count_of_register(registers);
            (MbarOp::Test { pu: pu as u8, phase: phase_of }, MbarrierKind::TestWait, 0, phase, false, false)
        }
        5 => {
            let pu = rng.below(8);
            more.push(("pu", pu));
            let phase_of = count_of_register(registers);
            let does = MbarOp::Try { pu: pu as u8, phase: phase_of, hint: small as u16 };
            (does, MbarrierKind::TryWait, small, phase, false, false)
        }
        _ => {
            let (rd, which) = (reg(rng), rng.below(6) as usize);
            more.push(("rd", rd.0.into()));
            let kinds = [
                MbarrierKind::Arrive,
                MbarrierKind::ArriveExpect,
                MbarrierKind::ArriveNoComplete,
                MbarrierKind::Drop,
                MbarrierKind::DropExpect,
                MbarrierKind::DropNoComplete,
            ];
            let does = MbarOp::Arrive { mode: ArriveMode::ALL[which], relaxed, cluster, rd, number };
            (does, kinds[which], value, 0, cluster, !relaxed)
        }
    };
    let mut fields = vec![("kind", OpKind::Mbarrier as u64), ("mbarrier", kind as u64), ("data", address)];
    fields.extend([("number", number), ("phase", of_phase), ("cluster", of_cluster.into()), ("release", release.into())]);
    fields.extend([("redop", 2)].into_iter().chain(more));
    (Op::Mbar(Mbar { address: Address { base: reg(rng), offset: offset as u16 }, does }), fields, true)
}

/// A random form: one with an instruction word, or that of a rendezvous, which has none.
pub fn form(rng: &mut Rng) -> Form {
    let forms = [Form::Raw, Form::Raw, Form::Aligned, Form::Aligned, Form::Gathered, Form::WarpSync, Form::Elect];
    rng.pick(&forms).unwrap_or(Form::Raw)
}
