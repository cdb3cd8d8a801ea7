// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The decoder of the RTL has bit positions as literals, because rust-hdl slices accept only literals. This test compares them with the
//! field table of the instruction set: every fixed bit, every stray bit, every operand, both positions of a packed count.

use bcu_hw::catalog;
use bcu_hw::ports::Unit;
use bcu_hw::unit::mbarrier::kind::MbarrierKind;
use bcu_hw::unit::op::{FaultCode, OpKind, RedOp, StateWord};
use bcu_isa::config;
use bcu_isa::config::Config;
use bcu_isa::fields::FORMS;
use bcu_isa::instr::{self, decode, encode, join, split, BarMode, ClusterOp, GridOp, Instr, Op, RedSource, Source, StateMode};
use bcu_isa::mbar::{Address, ArriveMode, Mbar, MbarOp, Number, Phase, TxMode};
use bcu_isa::nbar::{Message, Nbar, Signal, Wait};
use bcu_isa::ports::Dir;
use bcu_isa::register::{Pred, Reg};

const LANES: u64 = 0xffff_ffff;
const EXECUTING: u64 = 0x0ff0_f00f;
const PREDICATE: u64 = 0x5555_3333;

/// The inputs of decoding other than the instruction word.
#[derive(Clone, Copy, Debug)]
struct Values {
    ra: u32,
    rb: u32,
    uniform: bool,
}

const VALUES: Values = Values { ra: 0xdead_bee6, rb: 0x1234_5a79, uniform: false };

/// The operation at the port, without warp and CTA.
#[derive(Debug, PartialEq)]
struct Operation {
    fault: FaultCode,
    kind: OpKind,
    uniform: bool,
    id: u64,
    count: u64,
    redop: RedOp,
    state: StateWord,
    data: u64,
    votes: u64,
    rd: u64,
    pu: u64,
    mbarrier: ObjectFields,
}

/// The operation on an mbarrier; all 0 for other kinds.
#[derive(Debug, Default, PartialEq)]
struct ObjectFields {
    kind: u64,
    /// Arrivals, bytes or hint.
    number: u64,
    phase: u64,
    cluster: bool,
    release: bool,
}

/// An operation with all fields at the values that mean "not used".
fn unused(fault: FaultCode, kind: OpKind) -> Operation {
    let (redop, state) = (RedOp::And, StateWord::Warp);
    Operation {
        fault,
        kind,
        uniform: true,
        id: 0,
        count: 0,
        redop,
        state,
        data: 0,
        votes: 0,
        rd: 255,
        pu: 7,
        mbarrier: ObjectFields::default(),
    }
}

impl Operation {
    /// This operation, with each field that its kind does not use set to the value that means "not used".
    fn meant(self) -> Operation {
        use OpKind::{Arrive, Gateway, Mbarrier, Read, Reduce, Sync, Write};
        let unused_fields = unused(self.fault, self.kind);
        let is = |kinds: &[OpKind]| kinds.contains(&self.kind);
        let (counts, reduces, moves) = (is(&[Sync, Arrive, Reduce]), is(&[Reduce, Mbarrier]), is(&[Read, Write]));
        let results = is(&[Read, Mbarrier]);
        Operation {
            count: if counts { self.count } else { unused_fields.count },
            redop: if reduces { self.redop } else { unused_fields.redop },
            state: if moves { self.state } else { unused_fields.state },
            data: if is(&[Write, Mbarrier, Gateway]) { self.data } else { unused_fields.data },
            votes: if reduces { self.votes } else { unused_fields.votes },
            rd: if results { self.rd } else { unused_fields.rd },
            pu: if results { self.pu } else { unused_fields.pu },
            mbarrier: if is(&[Mbarrier]) { self.mbarrier } else { unused_fields.mbarrier },
            ..self
        }
    }
}

/// A decoder that the test clocks.
struct Decoder {
    unit: Box<dyn Unit>,
    config: Config,
    inputs: Vec<(String, u64)>,
    outputs: Vec<String>,
}

impl Decoder {
    fn new(config: &str) -> Self {
        let config = config::named(config).unwrap();
        let unit = catalog::build(&config, "decode").unwrap();
        let (inputs, outputs): (Vec<_>, Vec<_>) = unit.ports().into_iter().partition(|p| p.dir == Dir::In);
        let mut decoder = Decoder {
            unit,
            config,
            inputs: inputs.into_iter().map(|p| (p.name, 0)).collect(),
            outputs: outputs.into_iter().map(|p| p.name).collect(),
        };
        let fixed_inputs =
            [("live", !0), ("instr_active", EXECUTING | 1 << 31), ("instr_guard", LANES & !(1 << 31)), ("op_ready", 1)];
        for (name, value) in fixed_inputs.into_iter().chain([("reset", 1), ("instr_predicate", PREDICATE)]) {
            decoder.set(name, value);
        }
        decoder.cycle();
        decoder.set("reset", 0);
        decoder.cycle();
        decoder
    }

    fn set(&mut self, name: &str, value: u64) {
        self.inputs.iter_mut().find(|i| i.0 == name).unwrap().1 = value;
    }

    fn settle(&mut self, clock: bool) {
        self.unit.set_clock(clock);
        for _ in 0..1000 {
            self.unit.block_mut().update_all();
            if !self.unit.block().has_changed() {
                return;
            }
        }
        panic!("the decoder does not settle");
    }

    fn cycle(&mut self) -> Vec<u64> {
        let values: Vec<u64> = self.inputs.iter().map(|i| i.1).collect();
        self.unit.drive(&values);
        self.settle(false);
        let mut outputs = vec![0; self.outputs.len()];
        self.unit.sample(&mut outputs);
        self.settle(true);
        outputs
    }

    /// Offers one word. Returns the resulting operation.
    fn decode(&mut self, word: [u32; 4], values: Values) -> Operation {
        for (i, part) in word.iter().enumerate() {
            self.set(&format!("instr_word_{i}"), u64::from(*part));
        }
        self.set("instr_ra", u64::from(values.ra));
        self.set("instr_rb", u64::from(values.rb));
        self.set("instr_uniform", u64::from(values.uniform));
        self.set("instr_valid", 1);
        self.cycle();
        self.set("instr_valid", 0);
        self.cycle();
        let outputs = self.cycle();
        let output = |name: &str| outputs[self.outputs.iter().position(|o| o == name).unwrap()];
        assert_eq!((output("op_valid"), output("op_lanes")), (1, EXECUTING & self.lanes()));
        Operation {
            fault: FaultCode::ALL[output("op_fault") as usize],
            kind: OpKind::ALL[output("op_kind") as usize],
            uniform: output("op_uniform") == 1,
            id: output("op_id"),
            count: output("op_count"),
            redop: RedOp::ALL[output("op_redop") as usize],
            state: StateWord::ALL[output("op_state") as usize],
            data: output("op_data"),
            votes: output("op_votes"),
            rd: output("op_rd"),
            pu: output("op_pu"),
            mbarrier: ObjectFields {
                kind: output("op_mbarrier"),
                number: output("op_number"),
                phase: output("op_phase"),
                cluster: output("op_cluster") == 1,
                release: output("op_release") == 1,
            },
        }
        .meant()
    }

    /// The mask of all lanes of a warp.
    fn lanes(&self) -> u64 {
        LANES >> (32 - self.config.lanes)
    }

    /// Whether the configuration has a unit for the operation.
    fn is_built(&self, op: &Op) -> bool {
        match op {
            Op::Fence => true,
            Op::Nbar(_) => self.config.has_gateway(),
            _ => self.config.has_named(),
        }
    }

    /// The expected operation, computed from the field table.
    fn expected(&self, word: [u32; 4], values: Values) -> Operation {
        self.operation(word, values).meant()
    }

    fn operation(&self, word: [u32; 4], values: Values) -> Operation {
        let Some(Instr { op, .. }) = decode(word).ok().filter(|instr| self.is_built(&instr.op)) else {
            return unused(FaultCode::IllegalInstruction, OpKind::Sync);
        };
        let (id_of, count_of) = (|register: u32| u64::from(register & 15), |register: u32| u64::from(register & 0xfff));
        let unused_fields = |kind| unused(FaultCode::None, kind);
        match op {
            Op::Bar { mode, source } => {
                let kind = if mode == BarMode::Sync { OpKind::Sync } else { OpKind::Arrive };
                let (id, count, registers) = match source {
                    Source::I { id, count } => (id.into(), count.into(), false),
                    Source::Rr { .. } => (id_of(values.ra), count_of(values.rb), true),
                    Source::Rri { count, .. } => (id_of(values.rb), count.into(), true),
                    Source::Rir { id, .. } => (id.into(), count_of(values.rb), true),
                };
                Operation { id, count, uniform: values.uniform || !registers, ..unused_fields(kind) }
            }
            Op::Red { op, source, pp } => {
                let (id, count, registers) = match source {
                    RedSource::I { id, count } => (id.into(), count.into(), false),
                    RedSource::Packed(_) => (id_of(values.rb), count_of(values.rb >> self.config.pack_lsb), true),
                    RedSource::Rri { count, .. } => (id_of(values.rb), count.into(), true),
                    RedSource::Rir { id, .. } => (id.into(), count_of(values.rb), true),
                };
                let redop = match op {
                    instr::RedOp::And => RedOp::And,
                    instr::RedOp::Or => RedOp::Or,
                    instr::RedOp::Popc => RedOp::Popc,
                };
                let votes = EXECUTING & if pp.not { !PREDICATE } else { PREDICATE };
                Operation { id, count, redop, votes, uniform: values.uniform || !registers, ..unused_fields(OpKind::Reduce) }
            }
            Op::B2r { mode: StateMode::Warp, rd, .. } => Operation { rd: rd.0.into(), ..unused_fields(OpKind::Read) },
            Op::B2r { mode: StateMode::Bar, rd, id } => {
                Operation { rd: rd.0.into(), id: id.into(), state: StateWord::Barrier, ..unused_fields(OpKind::Read) }
            }
            Op::Result { rd, pu } => {
                Operation { rd: rd.0.into(), pu: pu.into(), state: StateWord::Result, ..unused_fields(OpKind::Read) }
            }
            Op::R2b { mode, id, .. } => {
                let written = Operation { data: values.ra.into(), uniform: values.uniform, ..unused_fields(OpKind::Write) };
                match mode {
                    StateMode::Warp => written,
                    StateMode::Bar => Operation { id: id.into(), state: StateWord::Barrier, ..written },
                }
            }
            Op::Fence => unused_fields(OpKind::Fence),
            Op::Cluster(ClusterOp::Arrive) => unused_fields(OpKind::ClusterArrive),
            Op::Cluster(ClusterOp::ArriveRelaxed) => unused_fields(OpKind::ClusterArriveRelaxed),
            Op::Cluster(ClusterOp::Wait) => unused_fields(OpKind::ClusterWait),
            Op::Grid(GridOp::Launch) => unused_fields(OpKind::GridLaunch),
            Op::Grid(GridOp::Wait) => unused_fields(OpKind::GridWait),
            Op::Nbar(nbar) => {
                let packed = |word: u32| Message::unpack(word).pack();
                let (message, registers) = match nbar {
                    Nbar::Signal(Signal::Threads { id, threads }) => {
                        (Message { id, role: 0, producers: threads, consumers: threads }.pack(), false)
                    }
                    Nbar::Signal(Signal::Message(message)) => (message.pack(), false),
                    Nbar::Signal(Signal::Packed(_)) => (packed(values.ra), true),
                    // Bit 13 is 1 for a wait.
                    Nbar::Wait(Wait::Id(id)) => (u32::from(id) | 1 << 13, false),
                    Nbar::Wait(Wait::Packed(_)) => (values.ra & 0xff | 1 << 13, true),
                };
                let uniform = values.uniform || !registers;
                Operation { data: message.into(), uniform, ..unused_fields(OpKind::Gateway) }
            }
            Op::Mbar(mbar) => self.expected_of_mbar(&mbar, values),
        }
    }

    fn expected_of_mbar(&self, mbar: &Mbar, values: Values) -> Operation {
        const MOST: u64 = (1 << 21) - 1;
        let number_value = |number| match number {
            Number::Imm(n) => n.into(),
            Number::Reg(_) => u64::from(values.rb).min(MOST),
        };
        let object_fields = |kind: MbarrierKind| ObjectFields { kind: kind as u64, ..ObjectFields::default() };
        let waits = |kind, phase| match phase {
            Phase::Token(_) => ObjectFields { phase: u64::from(values.rb >> 31), ..object_fields(kind) },
            Phase::Parity(_) => ObjectFields { phase: u64::from(values.rb & 1), ..object_fields(kind) },
        };
        let (mut rd_of, mut pu_of) = (255, 7);
        let mbarrier = match mbar.does {
            MbarOp::Init(n) => ObjectFields { number: number_value(n), ..object_fields(MbarrierKind::Init) },
            MbarOp::Add(n) => ObjectFields { number: number_value(n), ..object_fields(MbarrierKind::AddPending) },
            MbarOp::Inval => object_fields(MbarrierKind::Inval),
            MbarOp::Tx { mode, cluster, bytes } => {
                let kind = if mode == TxMode::Expect { MbarrierKind::Expect } else { MbarrierKind::Complete };
                ObjectFields { number: number_value(bytes), cluster, ..object_fields(kind) }
            }
            MbarOp::Arrive { mode, relaxed, cluster, rd, number } => {
                rd_of = rd.0.into();
                let kind = match mode {
                    ArriveMode::Arrive => MbarrierKind::Arrive,
                    ArriveMode::ArriveExpect => MbarrierKind::ArriveExpect,
                    ArriveMode::ArriveNoComplete => MbarrierKind::ArriveNoComplete,
                    ArriveMode::Drop => MbarrierKind::Drop,
                    ArriveMode::DropExpect => MbarrierKind::DropExpect,
                    ArriveMode::DropNoComplete => MbarrierKind::DropNoComplete,
                };
                ObjectFields { number: number_value(number), cluster, release: !relaxed, ..object_fields(kind) }
            }
            MbarOp::Test { pu, phase } => {
                pu_of = pu.into();
                waits(MbarrierKind::TestWait, phase)
            }
            MbarOp::Try { pu, phase, hint } => {
                pu_of = pu.into();
                ObjectFields { number: hint.into(), ..waits(MbarrierKind::TryWait, phase) }
            }
        };
        let data = values.ra.wrapping_add(mbar.address.offset.into()).into();
        let kind = OpKind::Mbarrier;
        // For an operation on an mbarrier the executing lanes are counted.
        let (votes, redop) = (EXECUTING, RedOp::Popc);
        Operation {
            data,
            uniform: values.uniform,
            votes,
            redop,
            rd: rd_of,
            pu: pu_of,
            mbarrier,
            ..unused(FaultCode::None, kind)
        }
    }
}

/// One instruction of every form, mode and reduction.
fn instructions() -> Vec<Op> {
    let (r1, r2) = (Reg(0x5a), Reg(0xa5));
    let mut ops = vec![];
    for mode in [BarMode::Sync, BarMode::Arv] {
        let sources = [
            Source::I { id: 13, count: 0x9a5 },
            Source::Rr { id: r1, count: r2 },
            Source::Rri { id: Reg(0xc3), count: 0x65a },
            Source::Rir { id: 10, count: Reg(0x3c) },
        ];
        ops.extend(sources.map(|source| Op::Bar { mode, source }));
    }
    for (op, not) in [(instr::RedOp::And, false), (instr::RedOp::Or, true), (instr::RedOp::Popc, false)] {
        let sources = [
            RedSource::I { id: 13, count: 0x9a5 },
            RedSource::Packed(r1),
            RedSource::Rri { id: Reg(0xc3), count: 0x65a },
            RedSource::Rir { id: 10, count: Reg(0x3c) },
        ];
        ops.extend(sources.map(|source| Op::Red { op, source, pp: Pred { index: 5, not } }));
    }
    for mode in [StateMode::Warp, StateMode::Bar] {
        ops.push(Op::B2r { mode, rd: r1, id: 9 });
        ops.push(Op::R2b { mode, id: 6, ra: r2 });
    }
    ops.push(Op::Result { rd: r2, pu: 3 });
    ops.push(Op::Fence);
    ops.extend([ClusterOp::Arrive, ClusterOp::ArriveRelaxed, ClusterOp::Wait].map(Op::Cluster));
    ops.extend([GridOp::Launch, GridOp::Wait].map(Op::Grid));
    let message = Message { id: 0xa5, role: 1, producers: 0x3c, consumers: 0xc3 };
    let signals = [Signal::Threads { id: 0x5a, threads: 0x99 }, Signal::Message(message), Signal::Packed(r1)];
    ops.extend(signals.map(|signal| Op::Nbar(Nbar::Signal(signal))));
    ops.extend([Wait::Id(0xa5), Wait::Packed(r2)].map(|wait| Op::Nbar(Nbar::Wait(wait))));
    // The sum of address and offset carries into the upper half of the address, and the number in the
    // register is above 21 bits.
    let mut on_mbarrier = |does| ops.push(Op::Mbar(Mbar { address: Address { base: r2, offset: 0x5a3c }, does }));
    for number in [Number::Imm(0xa5c3), Number::Reg(r1)] {
        on_mbarrier(MbarOp::Init(number));
        on_mbarrier(MbarOp::Add(number));
        for cluster in [false, true] {
            on_mbarrier(MbarOp::Tx { mode: TxMode::Expect, cluster, bytes: number });
            on_mbarrier(MbarOp::Tx { mode: TxMode::Complete, cluster, bytes: number });
            for mode in ArriveMode::ALL {
                on_mbarrier(MbarOp::Arrive { mode, relaxed: cluster, cluster: !cluster, rd: Reg(0xc3), number });
            }
        }
    }
    on_mbarrier(MbarOp::Inval);
    for phase in [Phase::Token(r1), Phase::Parity(r1)] {
        on_mbarrier(MbarOp::Test { pu: 5, phase });
        on_mbarrier(MbarOp::Try { pu: 2, phase, hint: 0xc35a });
    }
    ops
}

#[test]
fn every_single_bit_of_every_form_is_decoded_as_the_table_says() {
    for (config, built) in [("default", 72), ("large", 72), ("intel", 6)] {
        let mut decoder = Decoder::new(config);
        let (mut legal, mut words) = (0, 0);
        let built_here: Vec<Op> = instructions().into_iter().filter(|op| decoder.is_built(op)).collect();
        for op in built_here {
            let word = encode(&Instr { guard: Pred { index: 3, not: true }, op });
            let table = decoder.expected(word, VALUES);
            assert_eq!(table.fault, FaultCode::None, "{op:?}");
            assert_eq!(decoder.decode(word, VALUES), table, "{op:?}");
            let uniform = Values { uniform: true, ..VALUES };
            assert_eq!(decoder.decode(word, uniform), decoder.expected(word, uniform), "{op:?}");
            for bit in 0..128 {
                let flipped = split(join(word) ^ (1u128 << bit));
                let table = decoder.expected(flipped, VALUES);
                assert_eq!(decoder.decode(flipped, VALUES), table, "{config} {op:?} bit {bit}");
                legal += usize::from(table.fault == FaultCode::None);
            }
            words += 1;
        }
        // Bits in fields of the forms and the 19 ignored bits give legal words. Without legal words the comparison would prove little.
        assert!(words == built && legal > words * 19);
    }
}

#[test]
fn every_form_and_no_other_code_is_decoded() {
    ["default", "intel"].iter().for_each(|config| codes(config));
}

fn codes(config: &str) {
    let mut decoder = Decoder::new(config);
    let is_built = |decoder: &Decoder, word: [u32; 4]| decode(word).is_ok_and(|instr| decoder.is_built(&instr.op));
    for form in FORMS {
        let word = split(form.form.fixed().1);
        if !is_built(&decoder, word) {
            continue;
        }
        let table = decoder.expected(word, VALUES);
        assert_eq!(table.fault, FaultCode::None);
        assert_eq!(decoder.decode(word, VALUES), table, "{form:?}");
    }
    for code in 0..4096 {
        let word = [code | 0x7000, 0, 0, 0];
        assert_eq!(decoder.decode(word, VALUES), decoder.expected(word, VALUES), "{code:#x}");
    }
}
