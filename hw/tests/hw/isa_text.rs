// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Assembly text: the examples of the instruction set document, short spellings, and every diagnostic with its position.

use bcu_isa::asm::{assemble, Assembled};

fn ok(text: &str) -> Assembled {
    assemble(text, 32).unwrap_or_else(|e| panic!("{text}: {e:?}"))
}

/// Every example line of the document, in its order and as written (without remarks in prose), with the resulting instruction.
const EXAMPLES: &[(&str, &str)] = &[
    ("BAR.SYNC 0x0 ; //", "BAR_I BAR.SYNC 0x0, 0x0"),
    ("BAR.ARV 0x1, 0x80 ;", "BAR_I BAR.ARV 0x1, 0x80"),
    ("BAR.ARV 0x1, R5 ;", "BAR_RIR BAR.ARV 0x1, R5"),
    ("BAR.ARV R4, 0x80 ;", "BAR_RRI BAR.ARV R4, 0x80"),
    ("BAR.ARV R5, R5 ;    // => BAR.ARV R5, R5;", "BAR_RR BAR.ARV R5, R5 (one register)"),
    ("BAR.SYNC R7, R7 ;   // => BAR.SYNC R7, R7;", "BAR_RR BAR.SYNC R7, R7 (one register)"),
    ("BAR.SYNC R4 ;", "BAR_RRI BAR.SYNC R4, 0x0"),
    ("BAR.RED.OR 0x0, P0 ;", "BAR_RED_I BAR.RED.OR 0x0, 0x0, P0"),
    ("BAR.RED.AND 0x1, 0x80, P0 ;", "BAR_RED_I BAR.RED.AND 0x1, 0x80, P0"),
    ("BAR.RED.AND 0x1, R5, P0 ;", "BAR_RED_RIR BAR.RED.AND 0x1, R5, P0"),
    ("BAR.RED.AND R4, P0 ;", "BAR_RED_R BAR.RED.AND R4, P0"),
    ("BAR.RED.AND R4, 0x80, P0 ;", "BAR_RED_RRI BAR.RED.AND R4, 0x80, P0"),
    ("BAR.RED.AND R5, R5, P0 ;", "BAR_RED_R BAR.RED.AND R5, P0"),
    ("B2R.RESULT RZ, P0 ;", "B2R_RESULT_X B2R.RESULT RZ, P0"),
    ("B2R.RESULT R4 ;", "B2R_RESULT_X B2R.RESULT R4, PT"),
    ("B2R.BAR R4, 0x2;", "B2R_I B2R.BAR R4, 0x2"),
    ("B2R.WARP R4;", "B2R_I B2R.WARP R4, 0x0"),
    ("R2B.WARP R4;", "R2B_RI R2B.WARP 0x0, R4"),
    ("R2B.BAR 0x4, R4;", "R2B_RI R2B.BAR 0x4, R4"),
    ("BAR.SYNC 0x0, 0x40 ;", "BAR_I BAR.SYNC 0x0, 0x40"),
    ("BAR.SYNC  R0, R1   ;", "BAR_RR BAR.SYNC R0, R1"),
    ("BAR.ARV  0x0, R1   ;", "BAR_RIR BAR.ARV 0x0, R1"),
    ("BAR.RED.POPC 0x0, 0x40,  PT;", "BAR_RED_I BAR.RED.POPC 0x0, 0x40, PT"),
    ("BAR.RED.OR          R0, !P1;", "BAR_RED_R BAR.RED.OR R0, !P1"),
    ("B2R R0, 0x0;", "B2R_I B2R.BAR R0, 0x0"),
    ("B2R.WARP R0, 0x0;", "B2R_I B2R.WARP R0, 0x0"),
    ("B2R.BAR R0, 0x0;", "B2R_I B2R.BAR R0, 0x0"),
    ("BAR.RED.POPC 0x1, 0x40, PT;", "BAR_RED_I BAR.RED.POPC 0x1, 0x40, PT"),
    ("B2R.WARP R1, 0x4;", "B2R_I B2R.WARP R1, 0x4"),
    ("BAR.RED.POPC 0x0, 0x40, PT;", "BAR_RED_I BAR.RED.POPC 0x0, 0x40, PT"),
    ("BAR.RESULT R0, PT;", "B2R_RESULT_X B2R.RESULT R0, PT"),
    ("R2B 0x0, R0;", "R2B_RI R2B.BAR 0x0, R0"),
    ("R2B.WARP R0;", "R2B_RI R2B.WARP 0x0, R0"),
    ("R2B.BAR 0x0, R0;", "R2B_RI R2B.BAR 0x0, R0"),
    ("BAR.RED.POPC 0x1, 0x40, PT;", "BAR_RED_I BAR.RED.POPC 0x1, 0x40, PT"),
    ("R2B.WARP 0x4, R1;", "R2B_RI R2B.WARP 0x4, R1"),
];

#[test]
fn every_example_of_the_instruction_set_document_is_accepted_as_written() {
    for (text, meaning) in EXAMPLES {
        let found = ok(text);
        let warning = match &found.warnings[..] {
            [] => "",
            [w] if w.message == "id and count are read from the same register" => " (one register)",
            other => panic!("{text}: {other:?}"),
        };
        assert_eq!(format!("{} {}{warning}", found.instr.form().row().name, found.instr), *meaning, "{text}");
    }
}

#[test]
fn spellings_that_mean_the_same() {
    let pairs = [
        ("BAR.SYNC 3, 128", "BAR.SYNC 0x3, 0x80"),
        ("@PT BAR.SYNC 0xF;", "BAR.SYNC 15, 0"),
        ("@P0\tBAR.RED.OR 1 , ! P2 /* c */ ; # d", "@P0 BAR.RED.OR 0x1, 0x0, !P2"),
        ("@ ! P6 BAR.SYNC\nRZ", "@!P6 BAR.SYNC RZ, 0x0"),
        ("BAR.RED.AND R4, 0x0, P0", "BAR.RED.AND R4, 0, P0"),
        ("BAR.RESULT R0", "B2R.RESULT R0, PT"),
        ("BAR.SYNC 0x1 ; // 屏障", "BAR.SYNC 1"),
        ("@PT FENCE.MEM ; // all accesses", "FENCE.MEM"),
        ("@ !P3 FENCE.MEM", "@!P3 FENCE.MEM"),
        ("MBAR.INIT [ R4 + 8 ] , 0xc ;", "MBAR.INIT [R4+0x8], 12"),
        ("MBAR.INVAL [R4+0]", "MBAR.INVAL [R4]"),
        ("MBAR.TRY P0, [R4], R6", "MBAR.TRY P0, [R4], R6, 0"),
    ];
    pairs.iter().for_each(|(a, b)| assert_eq!(ok(a).instr, ok(b).instr, "{a}"));
}

/// Instructions on mbarriers, and their disassembly.
const MBAR: &[(&str, &str)] = &[
    ("MBAR.INIT [R4+8], 12", "MBAR_I MBAR.INIT [R4+0x8], 0xc"),
    ("MBAR.ADD [RZ], R5", "MBAR_R MBAR.ADD [RZ], R5"),
    ("MBAR.INVAL [R4]", "MBAR_INVAL_X MBAR.INVAL [R4]"),
    ("MBAR.EXPECT.CLUSTER [R4], 4096", "MBAR_TX_I MBAR.EXPECT.CLUSTER [R4], 0x1000"),
    ("MBAR.COMPLETE [R4], R5", "MBAR_TX_R MBAR.COMPLETE [R4], R5"),
    ("MBAR.ARRIVE RZ, [R4], 1", "MBAR_ARRIVE_I MBAR.ARRIVE RZ, [R4], 0x1"),
    ("MBAR.ARRIVE.EXPECT.RELAXED.CLUSTER R6, [R4], R5", "MBAR_ARRIVE_R MBAR.ARRIVE.EXPECT.RELAXED.CLUSTER R6, [R4], R5"),
    ("MBAR.ARRIVE.NOCOMPLETE R6, [R4], 65535", "MBAR_ARRIVE_I MBAR.ARRIVE.NOCOMPLETE R6, [R4], 0xffff"),
    ("MBAR.DROP.CLUSTER RZ, [R4], 2", "MBAR_ARRIVE_I MBAR.DROP.CLUSTER RZ, [R4], 0x2"),
    ("MBAR.DROP.EXPECT R6, [R4], 0", "MBAR_ARRIVE_I MBAR.DROP.EXPECT R6, [R4], 0x0"),
    ("MBAR.DROP.NOCOMPLETE.RELAXED R6, [R4], R5", "MBAR_ARRIVE_R MBAR.DROP.NOCOMPLETE.RELAXED R6, [R4], R5"),
    ("@!P1 MBAR.TEST P0, [R4], R7", "MBAR_TEST_R @!P1 MBAR.TEST P0, [R4], R7"),
    ("MBAR.TEST.PARITY PT, [R4], RZ", "MBAR_TEST_R MBAR.TEST.PARITY PT, [R4], RZ"),
    ("MBAR.TRY P0, [R4+0x10], R7", "MBAR_TRY_RI MBAR.TRY P0, [R4+0x10], R7, 0x0"),
    ("MBAR.TRY.PARITY P0, [R4], R6, 5", "MBAR_TRY_RI MBAR.TRY.PARITY P0, [R4], R6, 0x5"),
];

#[test]
fn instructions_on_mbarriers() {
    for (text, meaning) in MBAR {
        let found = ok(text);
        assert_eq!(format!("{} {}", found.instr.form().row().name, found.instr), *meaning, "{text}");
        assert!(found.warnings.is_empty(), "{text}: {:?}", found.warnings);
    }
}

#[test]
fn half_a_token_gets_a_warning() {
    let text = "MBAR.ARRIVE R254, [R4], 1";
    let [warning] = &ok(text).warnings[..] else { panic!("expected one warning") };
    assert_eq!((&text[warning.span.clone()], warning.message.as_str()), ("R254", "the high word of the token is not stored"));
    assert!(warning.help.as_deref().is_some_and(|help| help.contains("R0 to R253")), "{warning:?}");
}

#[test]
fn control_words_are_ignored_with_a_warning() {
    let found = ok("BAR.SYNC 0x0, 0x40 $sched $req ;");
    assert_eq!(found.instr, ok("BAR.SYNC 0x0, 0x40").instr);
    assert_eq!((found.warnings[0].message.as_str(), found.warnings[0].span.clone()), ("control words are ignored", 19..30));
    assert!(ok("B2R.WARP R4 $wsb").warnings.len() == 1);
}

/// A text, the part of it that is marked, a part of the message, and a part of the label or of the help.
#[rustfmt::skip]
const REFUSED: &[(&str, &str, &str, &str)] = &[
    ("BAR.SYNC 0x10, 0x40", "0x10", "barrier 0x10 does not exist", "0 to 15"),
    ("B2R.WARP R1, 16", "16", "barrier 16 does not exist", "0 to 15"),
    ("BAR.SYNC 99999999999999999999999", "99999999999999999999999", "barrier 99999999999999999999999 does not exist", "0 to 15"),
    ("BAR.SYNC 0, 4096", "4096", "does not fit the 12 bits of a count", "at most 4095"),
    ("BAR.SYNC 0, 0x1001", "0x1001", "count 0x1001 does not fit the 12 bits of a count", "at most 4095"),
    ("BAR.SYNC 0, 0x21", "0x21", "count 0x21 is not a multiple of the 32 lanes of a warp", "write 32 or 64"),
    ("BAR.SYNC 0, 100", "100", "count 100 is not a multiple of the 32 lanes of a warp", "write 96 or 128"),
    ("BAR.SYNC 0, 1", "1", "not a multiple", "write 32"),
    ("BAR.SYNC 0, 4095", "4095", "not a multiple", "write 4064"),
    ("BAR.ARV 1, 0", "0", "needs a count above 0", "use BAR.SYNC"),
    ("BAR.ARV R1, 0", "0", "needs a count above 0", "use BAR.SYNC"),
    ("BAR.ARV 1 ;", "", "needs a count above 0", "use BAR.SYNC"),
    ("BAR.SINC 1", "BAR.SINC", "unknown instruction `BAR.SINC`", "did you mean `BAR.SYNC`?"),
    ("bar.sync 1", "bar.sync", "unknown instruction", "did you mean `BAR.SYNC`?"),
    ("BAR.SYNC.DEFER_BLOCKING 0x0", "BAR.SYNC.DEFER_BLOCKING", "unknown modifier", "did you mean `BAR.SYNC`?"),
    ("BAR 0", "BAR", "BAR is not complete", "BAR.SYNC, BAR.ARV"),
    ("BAR.RED 0, P0", "BAR.RED", "not complete", "BAR.RED.AND, BAR.RED.OR, BAR.RED.POPC"),
    ("BAR.RED.XOR 0, P0", "BAR.RED.XOR", "unknown instruction", "did you mean `BAR.RED.OR`?"),
    ("IADD3 R1, R2", "IADD3", "unknown instruction", "the instructions are BAR.SYNC"),
    ("[R1]", "[", "is not an instruction", "comments start"),
    ("", "", "the instruction is missing", "BAR.SYNC"),
    ("@P1 ;", "", "the instruction is missing", "BAR.SYNC"),
    ("BAR.SYNC", "", "BAR.SYNC has too few operands", "expected a barrier id, 0 to 15 or a register"),
    ("BAR.SYNC P0", "P0", "operand 1 of BAR.SYNC cannot be a predicate", "`BAR.SYNC id, count`"),
    ("BAR.SYNC 1, P0", "P0", "operand 2 of BAR.SYNC cannot be a predicate", "a thread count or a register"),
    ("BAR.SYNC 1, 32, 5", "5", "too many operands", "expected no further operand"),
    ("BAR.RED.AND 1, 32", "", "too few operands", "expected a predicate"),
    ("BAR.RED.AND R4", "", "too few operands", "`BAR.RED.AND Rb, {!}pp`"),
    ("BAR.RED.AND R5, R6, P0", "R6", "no form with two registers", "write `BAR.RED.AND R5, …`"),
    ("B2R.BAR R4", "", "too few operands", "expected a barrier id"),
    ("B2R R4", "", "too few operands", "`B2R Rd, id`"),
    ("FENCE", "FENCE", "FENCE is not complete", "write one of FENCE.MEM"),
    ("FENCE.MEM 0x1", "0x1", "FENCE.MEM has too many operands", "write `FENCE.MEM`"),
    ("FENCE.MEM R4", "R4", "FENCE.MEM has too many operands", "expected no further operand"),
    ("FENCE.MEM.GPU", "FENCE.MEM.GPU", "unknown modifier", "did you mean `FENCE.MEM`?"),
    ("MBAR [R4], 1", "MBAR", "MBAR is not complete", "write one of MBAR.INIT, MBAR.ADD, MBAR.INVAL"),
    ("MBAR.ARIVE RZ, [R4], 1", "MBAR.ARIVE", "unknown instruction", "did you mean `MBAR.ARRIVE`?"),
    ("MBAR.ARRIVE.CLUSTER.RELAXED RZ, [R4], 1", "MBAR.ARRIVE.CLUSTER.RELAXED", "wrong order", "`MBAR.ARRIVE.RELAXED.CLUSTER`"),
    ("MBAR.RELAXED.DROP RZ, [R4], 1", "MBAR.RELAXED.DROP", "wrong order", "write `MBAR.DROP.RELAXED`"),
    ("MBAR.ARRIVE.RELAXED.RELAXED RZ, [R4], 1", "MBAR.ARRIVE.RELAXED.RELAXED", "wrong order", "`MBAR.ARRIVE.RELAXED`"),
    ("MBAR.EXPECT.RELAXED [R4], 1", "MBAR.EXPECT.RELAXED", "unknown modifier", "did you mean `MBAR.EXPECT`?"),
    ("MBAR.TRY.CLUSTER P0, [R4], R6", "MBAR.TRY.CLUSTER", "unknown modifier", "did you mean `MBAR.TRY`?"),
    ("MBAR.INIT R4, 1", "R4", "operand 1 of MBAR.INIT cannot be a register", "expected an address such as [R4+8]"),
    ("MBAR.INIT [R4], P0", "P0", "operand 2 of MBAR.INIT cannot be a predicate", "expected a number or a register"),
    ("MBAR.INIT [R4]", "", "MBAR.INIT has too few operands", "write `MBAR.INIT [Ra+offset], imm` or `MBAR.INIT [Ra+offset], Rb`"),
    ("MBAR.INVAL [R4], 1", "1", "MBAR.INVAL has too many operands", "write `MBAR.INVAL [Ra+offset]`"),
    ("MBAR.INIT [R4], 0", "0", "MBAR.INIT needs a number above 0", "1 to 1048575"),
    ("MBAR.DROP.RELAXED RZ, [R4], 0", "0", "MBAR.DROP.RELAXED needs a number above 0", "expected a number of arrivals"),
    ("MBAR.INIT [R4], 65536", "65536", "65536 does not fit the 16 bits of the operand", "load it into a register"),
    ("MBAR.INIT [R4+65536], 1", "[R4+65536]", "offset 0x10000 does not fit the 16 bits of the operand", "expected at most 65535"),
    ("MBAR.ARRIVE [R4], 1", "[R4]", "operand 1 of MBAR.ARRIVE cannot be an address", "expected a register"),
    ("MBAR.TEST !P0, [R4], R7", "!P0", "a destination cannot be negated", "P0 to P6 or PT"),
    ("MBAR.TEST P0, [R4], 1", "1", "operand 3 of MBAR.TEST cannot be a number", "expected a register"),
    ("MBAR.TRY P0, [R4], R6, R7", "R7", "operand 4 of MBAR.TRY cannot be a register", "expected a time in units of 64 cycles"),
    ("MBAR.TRY P0, [R4], R6, 65536", "65536", "does not fit the 16 bits of the operand", "at most 65535"),
    ("MBAR.INVAL [R4-8]", "[R4-8]", "invalid address", "[R4] or [R4+8]"),
    ("MBAR.INVAL [0x10]", "[0x10]", "invalid address", "into a register"),
    ("MBAR.INVAL [R4", "[R4", "invalid address", "[R4] or [R4+8]"),
    ("MBAR.INVAL [", "[", "invalid address", "[R4] or [R4+8]"),
    ("MBAR.INVAL [R4+8] R5", "[R4+8] R5", "invalid address", "[R4] or [R4+8]"),
    ("BAR.SYNC [R4]", "[R4]", "operand 1 of BAR.SYNC cannot be an address", "a barrier id, 0 to 15 or a register"),
    ("@[R4] BAR.SYNC 0", "[", "the guard is not a predicate", "P0 to P6"),
    ("B2R.WARP 0x1, R4", "0x1", "operand 1 of B2R.WARP cannot be a number", "expected a register"),
    ("R2B.BAR R4", "R4", "operand 1 of R2B.BAR cannot be a register", "expected a barrier id"),
    ("B2R.RESULT R1, !P0", "!P0", "a destination cannot be negated", "P0 to P6 or PT"),
    ("B2R.RESULT P0", "P0", "operand 1 of B2R.RESULT cannot be a predicate", "`B2R.RESULT Rd, pu`"),
    ("BAR.SYNC R255", "R255", "is not an operand", "written RZ"),
    ("BAR.SYNC R256", "R256", "is not an operand", "R0 to R254"),
    ("BAR.SYNC R01", "R01", "is not an operand", "R0 to R254"),
    ("BAR.RED.OR 1, P7", "P7", "is not an operand", "written PT"),
    ("BAR.RED.OR 1, !R7", "!R7", "a register cannot be negated", "P0 to P6"),
    ("BAR.SYNC -1", "-", "`-` is not an operand", "unsigned"),
    ("BAR.SYNC 1 32", "32", "`32` follows an operand", "expected `,`"),
    ("BAR.SYNC 1,", "", "an operand is missing", "expected a number"),
    ("BAR.SYNC , 1", "", "an operand is missing", "expected a number"),
    ("BAR.SYNC 0; BAR.SYNC 1", "BAR.SYNC", "after the end", "nothing after `;`"),
    ("BAR.SYNC $req, 0", ",", "follows a control word", "expected `;`"),
    ("@R1 BAR.SYNC 0", "R1", "the guard is not a predicate", "P0 to P6"),
    ("@ BAR.SYNC 0", "BAR.SYNC", "the guard is not a predicate", "P0 to P6"),
    ("@", "", "the guard is not a predicate", "P0 to P6"),
    ("BAR.SYNC 0 /* open", "/*", "not closed", "*/"),
];

#[test]
fn refusals_mark_the_place_and_say_what_to_do() {
    for (text, marked, message, hint) in REFUSED {
        let error = match assemble(text, 32) {
            Err(error) => error,
            Ok(found) => panic!("{text} is {}", found.instr),
        };
        assert_eq!(&text[error.span.clone()], *marked, "{text}: {error:?}");
        assert!(error.message.contains(message), "{text}: {error:?}");
        let advice = format!("{} {}", error.label, error.help.as_deref().unwrap_or(""));
        assert!(advice.contains(hint), "{text}: {error:?}");
    }
}

#[test]
fn counts_are_multiples_of_the_lanes_of_the_machine() {
    assert!(assemble("BAR.SYNC 0, 4", 4).is_ok());
    assert!(assemble("BAR.SYNC 0, 4", 8).is_err());
    // With 0 lanes per warp no count is legal, and no division by zero occurs.
    assert!(assemble("BAR.SYNC 0, 4", 0).is_err());
    assert!(assemble("BAR.SYNC 0, 0", 0).is_ok());
}

#[test]
fn mutated_text_never_panics_and_what_assembles_reads_back() {
    let alphabet: Vec<char> = "BARSYNCV.RED210x8,;!@P T#/*$[+]Mé\n\u{0}".chars().collect();
    let seed = 0x5eed_0002u64;
    let mut state = seed;
    let mut next = |n: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % n
    };
    let mut assembled = 0;
    for round in 0..60_000 {
        let from = [EXAMPLES, MBAR][next(2)];
        let mut text: Vec<char> = from[next(from.len())].0.chars().collect();
        for _ in 0..=next(3) {
            let at = next(text.len());
            match next(3) {
                0 => text[at] = alphabet[next(alphabet.len())],
                1 => text.insert(at, alphabet[next(alphabet.len())]),
                _ => drop(text.remove(at)),
            }
        }
        let text: String = text.into_iter().collect();
        match assemble(&text, 32) {
            Ok(found) => {
                assembled += 1;
                assert_eq!(ok(&found.instr.to_string()).instr, found.instr, "seed {seed:#x} round {round}: {text}");
            }
            Err(error) => assert!(text.get(error.span.clone()).is_some(), "seed {seed:#x} round {round}: {text}: {error:?}"),
        }
    }
    assert!(assembled > 2_000, "only {assembled} of the mutated texts assembled");
}
