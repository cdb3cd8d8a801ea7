// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Instruction words: every code, every bit and every field value, encoded and decoded.

use bcu_isa::fields::{FormRow, Kind, DECODED_BITS, FIELDS, FORMS, OPTYPES};
use bcu_isa::ids::{FieldId, InstrForm, Optype};
use bcu_isa::instr::{decode, encode, join, split, Illegal, Instr, Op, RedOp, RedSource};
use bcu_isa::register::{Pred, Reg};
use bcu_isa::{asm, disasm};

const SEED: u64 = 0x5eed_0001;

/// A small generator (splitmix64), so that a failure repeats from its seed alone.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    fn word(&mut self) -> u128 {
        u128::from(self.next()) << 64 | u128::from(self.next())
    }

    /// A legal word of the form `form`, in which the ignored bits are 0.
    fn legal(&mut self, form: InstrForm) -> u128 {
        form.fields().fold(0, |word, field| {
            let value = match field.kind {
                Kind::Choice(names) => (self.next() % names.len() as u64) as u16,
                _ => self.next() as u16,
            };
            word | field.place(value)
        }) & !form.fixed().0
            | form.fixed().1
    }
}

#[test]
fn every_value_of_every_field_survives_a_round_trip() {
    let mut random = Random(SEED);
    for row in &FORMS {
        for field in row.form.fields().filter(|f| f.kind != Kind::Code) {
            // A narrow field is tried in several rounds, so that each of its values is combined with several random values of the
            // other fields. A wide field has enough values for that in one round.
            let rounds = if field.width > 12 { 1 } else { 8 };
            for value in 0..=field.max() {
                for _ in 0..rounds {
                    let word = random.legal(row.form) & !field.mask() | field.place(value);
                    match (field.kind, decode(split(word))) {
                        (Kind::Choice(names), Err(error)) if usize::from(value) >= names.len() => {
                            assert_eq!(error, Illegal::Value { form: row.name, field: field.name, value });
                        }
                        (_, decoded) => {
                            let instr = decoded.unwrap_or_else(|e| panic!("seed {SEED:#x}, {word:#034x}: {e}"));
                            assert_eq!(instr.form(), row.form);
                            assert_eq!(join(encode(&instr)), word, "seed {SEED:#x}, {instr}");
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn exactly_the_listed_codes_are_instructions() {
    for optype in 0..256u16 {
        for stype in 0..16 {
            let word = FieldId::Optype.field().place(optype) | FieldId::Stype.field().place(stype);
            let row = FORMS.iter().find(|f| f.form.fixed().1 == word);
            match decode(split(word)) {
                Ok(instr) => assert_eq!(Some(instr.form()), row.map(|r| r.form)),
                Err(Illegal::Optype(code)) => assert!(OPTYPES.iter().all(|o| o.code != code) && code == optype),
                Err(Illegal::Stype { .. }) => assert!(OPTYPES.iter().any(|o| o.code == optype) && row.is_none()),
                Err(other) => panic!("{word:#x}: {other}"),
            }
        }
    }
}

#[test]
fn a_bit_outside_the_fields_is_illegal_and_the_control_bits_are_ignored() {
    let mut random = Random(SEED);
    for row in &FORMS {
        for bit in 0..128 {
            let word = random.legal(row.form);
            let mask = 1u128 << bit;
            if row.form.allowed_mask() & mask != 0 {
                continue;
            }
            let decoded = decode(split(word | mask));
            if bit >= DECODED_BITS {
                assert_eq!(decoded, decode(split(word)), "{} bit {bit}", row.name);
            } else {
                assert_eq!(decoded, Err(Illegal::Bit { form: row.name, bit }), "seed {SEED:#x}");
            }
        }
    }
}

#[test]
fn random_words_decode_or_say_why_and_text_never_fails() {
    let mut random = Random(SEED);
    for _ in 0..200_000 {
        let mut word = random.word();
        // Nearly every random word has an unknown code, so half of the words get a known code.
        if random.next() & 1 == 0 {
            let row = &FORMS[(random.next() % FORMS.len() as u64) as usize];
            word = word & !row.form.fixed().0 | row.form.fixed().1;
        }
        if random.next() & 1 == 0 {
            word &= random.word() & random.word();
        }
        let text = disasm::text(split(word));
        match decode(split(word)) {
            Ok(instr) => {
                assert_eq!(join(encode(&instr)), word & ((1 << DECODED_BITS) - 1), "seed {SEED:#x}");
                assert_eq!(text, instr.to_string());
            }
            Err(why) => assert_eq!(text, format!("illegal {word:#034x}: {why}")),
        }
    }
}

#[test]
fn the_text_of_a_legal_word_assembles_to_that_word() {
    let mut random = Random(SEED);
    for row in &FORMS {
        for _ in 0..5000 {
            let count = FieldId::Cnt.field();
            let mut word = random.legal(row.form);
            if row.form.fields().any(|f| f.id == FieldId::Cnt) {
                // Assembly can only express counts of whole warps, above 0.
                word = word & !count.mask() | count.place((random.next() % 127 + 1) as u16 * 32);
            }
            if row.form.fields().any(|f| f.id == FieldId::Imm) {
                // Assembly cannot express 0 arrivals either.
                word |= FieldId::Imm.field().place(1);
            }
            // Assembly cannot express an id above 31, 0 threads, or type 3 of a named barrier either.
            for field in row.form.fields() {
                let value = match field.id {
                    FieldId::NbarId => random.next() % 32,
                    FieldId::Role => random.next() % 3,
                    FieldId::Threads | FieldId::Producers | FieldId::Consumers => random.next() % 255 + 1,
                    _ => continue,
                };
                word = word & !field.mask() | field.place(value as u16);
            }
            let text = disasm::text(split(word));
            let again = asm::assemble(&text, asm::DEFAULT_LANES).unwrap_or_else(|e| panic!("seed {SEED:#x}, {text}: {e:?}"));
            assert_eq!(join(encode(&again.instr)), word, "seed {SEED:#x}, {text}");
        }
    }
}

#[test]
fn positions_are_those_of_the_instruction_set_document() {
    let at = |name: &str| FIELDS.iter().find(|f| f.name == name).map(|f| (f.lsb, f.width)).unwrap();
    let table = [
        ("optype", 0, 8),
        ("stype", 8, 4),
        ("pg", 12, 3),
        ("pg.not", 15, 1),
        ("rd", 16, 8),
        ("ra", 24, 8),
        ("rb", 32, 8),
        ("rc", 32, 8),
        ("barid", 40, 4),
        ("cnt", 44, 12),
        ("mode", 80, 1),
        ("redop", 80, 2),
        ("pp", 98, 3),
        ("pp.not", 101, 1),
        ("pu", 106, 3),
    ];
    table.iter().for_each(|(name, lsb, width)| assert_eq!(at(name), (*lsb, *width), "{name}"));
}

#[test]
fn positions_of_the_mbarrier_instructions() {
    let at = |id: FieldId| (id.field().lsb, id.field().width);
    let table = [
        (FieldId::Token, 16, 8),
        (FieldId::Base, 24, 8),
        (FieldId::Number, 32, 8),
        (FieldId::Phase, 32, 8),
        (FieldId::Offset, 40, 16),
        (FieldId::Imm, 64, 16),
        (FieldId::Hint, 64, 16),
        (FieldId::MbarMode, 80, 1),
        (FieldId::TxMode, 80, 1),
        (FieldId::ArriveMode, 80, 3),
        (FieldId::TestMode, 80, 1),
        (FieldId::TryMode, 80, 1),
        (FieldId::Relaxed, 84, 1),
        (FieldId::Cluster, 85, 1),
        (FieldId::Pu, 106, 3),
    ];
    table.iter().for_each(|(id, lsb, width)| assert_eq!(at(*id), (*lsb, *width), "{id:?}"));
}

#[test]
fn words_by_hand() {
    let word = |text: &str| join(encode(&asm::assemble(text, 32).unwrap().instr));
    // The fields of this word: optype 0x1d, stype I 0xb, guard PT 7.
    assert_eq!(word("BAR.SYNC 0x0"), 0x7b1d);
    assert_eq!(word("@!P1 BAR.ARV 0x1, 0x80"), 1 << 80 | 0x80 << 44 | 1 << 40 | 0x9b1d);
    assert_eq!(word("BAR.SYNC R4, R5"), 5 << 32 | 4 << 24 | 0x731d);
    assert_eq!(word("BAR.RED.POPC 0x1, R5, !P2"), 1 << 101 | 2 << 98 | 2 << 80 | 1 << 40 | 5 << 32 | 0x79dd);
    assert_eq!(word("B2R.BAR RZ, 0x2"), 1 << 80 | 2 << 40 | 255 << 16 | 0x7b1c);
    assert_eq!(word("B2R.RESULT R4, P3"), 3 << 106 | 4 << 16 | 0x73dc);
    assert_eq!(word("R2B.WARP R9"), 9 << 24 | 0x731e);
    assert_eq!(word("FENCE.MEM"), 0x73e3);
    assert_eq!(word("@!P2 FENCE.MEM ;"), 0xa3e3);
    assert_eq!(word("MBAR.INIT [R4+8], 12"), 12 << 64 | 8 << 40 | 4 << 24 | 0x7be0);
    assert_eq!(word("MBAR.ADD [R4], R5"), 1 << 80 | 5 << 32 | 4 << 24 | 0x73e0);
    assert_eq!(word("MBAR.INVAL [RZ+0xfff8]"), 0xfff8 << 40 | 255 << 24 | 0x73e8);
    assert_eq!(word("MBAR.EXPECT [R1], 0"), 1 << 24 | 0x7be9);
    assert_eq!(word("MBAR.COMPLETE.CLUSTER [R1+1], R2"), 1 << 85 | 1 << 80 | 1 << 40 | 2 << 32 | 1 << 24 | 0x73e9);
    assert_eq!(word("@P1 MBAR.ARRIVE RZ, [R4], 1"), 1 << 64 | 4 << 24 | 255 << 16 | 0x1bea);
    let all = 1 << 85 | 1 << 84 | 1 << 80 | 5 << 32 | 4 << 24 | 6 << 16 | 0x73ea;
    assert_eq!(word("MBAR.ARRIVE.EXPECT.RELAXED.CLUSTER R6, [R4], R5"), all);
    assert_eq!(word("MBAR.DROP.NOCOMPLETE.RELAXED RZ, [R4], R5"), 1 << 84 | 5 << 80 | 5 << 32 | 4 << 24 | 255 << 16 | 0x73ea);
    assert_eq!(word("MBAR.TEST P2, [R4], R7"), 2 << 106 | 7 << 32 | 4 << 24 | 0x73eb);
    assert_eq!(word("MBAR.TRY.PARITY P0, [R4], R6, 5"), 1 << 80 | 5 << 64 | 6 << 32 | 4 << 24 | 0x73ec);
    assert_eq!(word("MBAR.TRY PT, [R4], R6"), 7 << 106 | 6 << 32 | 4 << 24 | 0x73ec);
}

#[test]
fn modes_of_an_arrival_without_a_name_are_illegal() {
    let row = InstrForm::MbarArriveR.row();
    for value in [6, 7] {
        let word = row.form.fixed().1 | FieldId::ArriveMode.field().place(value);
        let error = Illegal::Value { form: row.name, field: "mode", value };
        assert_eq!(decode(split(word)), Err(error));
    }
}

#[test]
fn registers_that_travel_with_the_word() {
    let reads = |text: &str| asm::assemble(text, 32).unwrap().instr.reads();
    assert_eq!(reads("BAR.SYNC R1, R2"), (Some(Reg(1)), Some(Reg(2))));
    assert_eq!(reads("BAR.SYNC R1, 0x20"), (None, Some(Reg(1))));
    assert_eq!(reads("BAR.RED.OR 0x1, R3, PT"), (None, Some(Reg(3))));
    assert_eq!(reads("R2B.BAR 0x1, RZ"), (Some(Reg::RZ), None));
    assert_eq!(reads("B2R.BAR R1, 0x1"), (None, None));
    assert_eq!(reads("FENCE.MEM"), (None, None));
    assert_eq!(reads("MBAR.INIT [R4+8], 12"), (Some(Reg(4)), None));
    assert_eq!(reads("MBAR.EXPECT [R4], R5"), (Some(Reg(4)), Some(Reg(5))));
    assert_eq!(reads("MBAR.TRY.PARITY P0, [R4], R6, 5"), (Some(Reg(4)), Some(Reg(6))));
    let packed = Op::Red { op: RedOp::Or, source: RedSource::Packed(Reg(6)), pp: Pred { index: 1, not: true } };
    assert_eq!(Instr { guard: Pred::PT, op: packed }.to_string(), "BAR.RED.OR R6, !P1");
}

#[test]
fn registers_and_predicates_that_are_written() {
    let instr = |text: &str| asm::assemble(text, 32).unwrap().instr;
    let writes = |text: &str| instr(text).writes();
    assert_eq!(writes("B2R.BAR R1, 0x1"), [Some(Reg(1)), None]);
    assert_eq!(writes("B2R.RESULT RZ, P0"), [None, None]);
    assert_eq!(writes("BAR.SYNC R1, R2"), [None, None]);
    assert_eq!(writes("MBAR.ARRIVE R6, [R4], 1"), [Some(Reg(6)), Some(Reg(7))]);
    assert_eq!(writes("MBAR.DROP RZ, [R4], R5"), [None, None]);
    assert_eq!(writes("MBAR.ARRIVE R254, [R4], 1"), [Some(Reg(254)), None]);
    assert_eq!(writes("MBAR.TEST P0, [R4], R7"), [None, None]);
    let decides = |text: &str| instr(text).decides();
    assert_eq!(decides("B2R.RESULT R1, P3"), Some(3));
    assert_eq!(decides("MBAR.TEST P0, [R4], R7"), Some(0));
    assert_eq!(decides("MBAR.TRY PT, [R4], R7"), None);
    assert_eq!(decides("MBAR.ARRIVE R6, [R4], 1"), None);
}

#[test]
fn tables_are_indexed_by_their_enums() {
    assert!(FIELDS.iter().enumerate().all(|(i, f)| f.id as usize == i && f.id.field() == f));
    assert!(OPTYPES.iter().enumerate().all(|(i, o)| o.optype as usize == i && o.optype.row() == o));
    assert!(FORMS.iter().enumerate().all(|(i, f)| f.form as usize == i && f.form.row() == f));
}

#[test]
fn no_two_fields_of_a_form_share_a_bit_and_all_are_decoded() {
    for FormRow { form, operands, .. } in &FORMS {
        let bits: u32 = form.fields().map(|f| f.width).sum();
        assert_eq!(form.allowed_mask().count_ones(), bits, "{form:?}");
        assert_eq!(form.allowed_mask() >> DECODED_BITS, 0, "{form:?}");
        assert!(operands.iter().all(|o| o.field().forms.contains(form)), "{form:?}");
    }
}

#[test]
fn codes_tell_all_forms_apart() {
    for (i, a) in FORMS.iter().enumerate() {
        assert!(FORMS[..i].iter().all(|b| a.form.fixed() != b.form.fixed()), "{}", a.name);
    }
    // The codes 0x1b and 0x1f, next to these, belong to other instructions of NVIDIA's instruction set.
    let codes: Vec<u16> = OPTYPES.iter().map(|o| o.code).collect();
    assert_eq!(codes, [0x1d, 0xdd, 0x1c, 0xdc, 0x1e, 0xe3, 0xe1, 0xe2, 0xe4, 0xe5, 0xe0, 0xe8, 0xe9, 0xea, 0xeb, 0xec]);
    // The project's own codes are exactly those from 0xe0 on.
    assert!(OPTYPES.iter().all(|o| o.optype.is_own() == (o.optype >= Optype::Fence) && o.code < 0xf0));
}
