// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The decoder of the RTL writes bit positions as literals, since rust-hdl slices take nothing else; here they are held against the
//! field table of the instruction set: every fixed bit, every stray bit, every operand.

use bcu_hw::isa::fields::FORMS;
use bcu_hw::isa::instr::{decode, encode, join, split, BarMode, Instr, Op, Pred, Reg, Source};
use bcu_hw::ports::{Dir, Unit};
use bcu_hw::unit::op::{FaultCode, OpKind};
use bcu_hw::{catalog, config};

/// The decoder of `default`, clocked by hand.
struct Decoder {
    unit: Box<dyn Unit>,
    inputs: Vec<(String, u64)>,
    outputs: Vec<String>,
}

impl Decoder {
    fn new() -> Self {
        let unit = catalog::build(&config::named("default").unwrap(), "decode").unwrap();
        let (inputs, outputs): (Vec<_>, Vec<_>) = unit.ports().into_iter().partition(|p| p.dir == Dir::In);
        let mut decoder = Decoder {
            unit,
            inputs: inputs.into_iter().map(|p| (p.name, 0)).collect(),
            outputs: outputs.into_iter().map(|p| p.name).collect(),
        };
        for (name, value) in
            [("reset", 1), ("live", !0), ("instr_active", !0), ("instr_guard", !0), ("instr_uniform", 1), ("op_ready", 1)]
        {
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

    /// Offers one word; gives fault, kind, id and count of the operation that it becomes.
    fn decode(&mut self, word: [u32; 4], ra: u32, rb: u32) -> (FaultCode, OpKind, u64, u64) {
        for (i, part) in word.iter().enumerate() {
            self.set(&format!("instr_word_{i}"), u64::from(*part));
        }
        self.set("instr_ra", u64::from(ra));
        self.set("instr_rb", u64::from(rb));
        self.set("instr_valid", 1);
        self.cycle();
        self.set("instr_valid", 0);
        let outputs = self.cycle();
        let of = |name: &str| outputs[self.outputs.iter().position(|o| o == name).unwrap()];
        assert_eq!(of("op_valid"), 1);
        (FaultCode::ALL[of("op_fault") as usize], OpKind::ALL[of("op_kind") as usize], of("op_id"), of("op_count"))
    }
}

/// What the table says the operation is: of the instructions only BAR is built.
fn expected(word: [u32; 4], ra: u32, rb: u32) -> (FaultCode, OpKind, u64, u64) {
    let Ok(Instr { op: Op::Bar { mode, source }, .. }) = decode(word) else {
        return (FaultCode::IllegalInstruction, OpKind::Sync, 0, 0);
    };
    let kind = if mode == BarMode::Sync { OpKind::Sync } else { OpKind::Arrive };
    let (id, count) = match source {
        Source::I { id, count } => (u32::from(id), u32::from(count)),
        Source::Rr { .. } => (ra & 15, rb & 0xfff),
        Source::Rri { count, .. } => (rb & 15, u32::from(count)),
        Source::Rir { id, .. } => (u32::from(id), rb & 0xfff),
    };
    (FaultCode::None, kind, u64::from(id), u64::from(count))
}

fn sources() -> [Source; 4] {
    [
        Source::I { id: 13, count: 0x9a5 },
        Source::Rr { id: Reg(0x5a), count: Reg(0xa5) },
        Source::Rri { id: Reg(0xc3), count: 0x65a },
        Source::Rir { id: 10, count: Reg(0x3c) },
    ]
}

#[test]
fn every_single_bit_of_every_form_is_decoded_as_the_table_says() {
    let mut decoder = Decoder::new();
    let (ra, rb) = (0xdead_bee6, 0x1234_5a79);
    let mut legal = 0;
    for mode in [BarMode::Sync, BarMode::Arv] {
        for source in sources() {
            let word = encode(&Instr { guard: Pred { index: 3, not: true }, op: Op::Bar { mode, source } });
            assert_eq!(decoder.decode(word, ra, rb), expected(word, ra, rb));
            for bit in 0..128 {
                let flipped = split(join(word) ^ (1u128 << bit));
                let table = expected(flipped, ra, rb);
                assert_eq!(decoder.decode(flipped, ra, rb), table, "{mode:?} {source:?} bit {bit}");
                legal += usize::from(table.0 == FaultCode::None);
            }
        }
    }
    // Fields of the forms and the 19 ignored bits: were none legal, the comparison would say little.
    assert!(legal > 8 * 19);
}

#[test]
fn forms_that_are_not_built_are_illegal_and_so_is_every_other_code() {
    let mut decoder = Decoder::new();
    for form in FORMS {
        let word = split(form.form.fixed().1);
        assert_eq!(decoder.decode(word, 1, 32), expected(word, 1, 32), "{form:?}");
    }
    for code in 0..4096 {
        let word = [code | 0x7000, 0, 0, 0];
        assert_eq!(decoder.decode(word, 1, 32), expected(word, 1, 32), "{code:#x}");
    }
}
