// SPDX-License-Identifier: Apache-2.0 OR MIT
//! BCU assembly programs with errors: the messages, the marked places, and the limits of programs.

use bcu_program::bcu::{parse, MAX_BYTES, MAX_NESTING, MAX_REPORTS};

/// The program, the number of warps of the machine, the marked text, a part of the message, a part of the label or the help.
type Refusal = (&'static str, Option<usize>, &'static str, &'static str, &'static str);

#[rustfmt::skip]
const REFUSED: &[Refusal] = &[
    (".warps 4\nNOP", Some(4), "4", "warp 4 does not exist", "the machine has 4 warps"),
    (".warps 0-4", Some(4), "4", "warp 4 does not exist", "numbered from 0"),
    (".cta_warps 2\n.warps 2", None, "2", "warp 2 does not exist", ".cta_warps declares 2 warps"),
    (".warps 0-0x40", None, "0x40", "warp 0x40 does not exist", "a program can have 64"),
    (".warps 64", None, "64", "warp 64 does not exist", "a program can have 64"),
    (".warps 0-99999999999999999999", None, "99999999999999999999", "warp 99999999999999999999 does not exist", "64"),
    (".warps 3-2", None, "3-2", "is reversed", "expected 2-3"),
    (".warps 1, 0-2", None, "0-2", "warp 1 is given twice", "once"),
    (".warps", None, "", "no warps are given", "write `.warps 0, 2-3`"),
    (".warps 0,,1", None, "", "no warps are given", "ranges"),
    (".warps every", None, "every", "no warps are given", "`all`"),
    (".cta_warps 0", None, "0", "wrong number of warps", "1 to 64"),
    (".cta_warps 4 4", None, "4", "wrong number of warps", "one number"),
    (".cta_warps", None, "", "wrong number of warps", "one number"),
    (".cta_warps 4\n.cta_warps 4", None, ".cta_warps 4", "is given twice", "once"),
    (".warp 0", None, ".warp 0", "unknown directive", ".warps or .cta_warps"),
    ("BAR.SYNC R5", None, "BAR.SYNC R5", "R5 has no value in warp 0", "MOV R5"),
    (".warps 1\nMOV R5, 1\n.warps all\nMOV R6, R5", None, "MOV R6, R5", "R5 has no value in warp 0", "MOV R5"),
    ("LD.GLOBAL R1, [R2]", None, "LD.GLOBAL R1, [R2]", "R2 has no value", "write it first"),
    ("ST.GLOBAL [R2, 1", None, "[R2", "wrong operand of ST.GLOBAL", "ST.SHARED [R0+4], R1"),
    ("ELECT PT, 1", None, "PT", "wrong operand of ELECT", "ELECT P0, 0xff"),
    ("BAR.RED.OR 0, P2", None, "BAR.RED.OR 0, P2", "P2 has no value in warp 0", "SETP P2, 0xffff"),
    ("SETP P1, P2", None, "SETP P1, P2", "P2 has no value in warp 0", "SETP P2, 0xffff"),
    ("SETP.LT P1, R4, 3", None, "SETP.LT P1, R4, 3", "R4 has no value", "MOV R4"),
    ("SETP P1, 0x100000000", None, "0x100000000", "has lanes that a warp of 32 lanes does not have", "at most 0xffffffff"),
    ("SETP PT, 1", None, "PT", "wrong operand of SETP", "P0 to P6"),
    ("SETP P1, R4", None, "R4", "wrong operand of SETP", "lane mask"),
    ("SETP.LT P1, P0, 3", None, "P0", "wrong operand of SETP.LT", "a register, a number"),
    ("SETP.NEQ P1, R4, 3", None, "SETP.NEQ", "unknown", "did you mean"),
    ("WORD 1, 2, 3", None, "", "wrong operand of WORD", "WORD 0x7b1d, 0, 0, 0"),
    ("WORD 0x7b1d, R4, 0, 0", None, "R4", "wrong operand of WORD", "a number"),
    ("WORD 0x0b1d, 0, 0, 0", None, "WORD 0x0b1d, 0, 0, 0", "P0 has no value", "SETP P0"),
    ("SETP P0, 1\n@P0 WORD 0x7b1d, 0, 0, 0", None, "@P0 ", "WORD takes no guard", "bits 15:12"),
    ("ADD R1, 2", None, "", "wrong operand of ADD", "expected 3 operands"),
    ("MOV R256, 2", None, "R256", "`R256` is not an operand", "R0 to R254"),
    ("ACTIVE 0\nNOP\nEND", None, "0", "the mask selects no lane", "at least one"),
    ("ACTIVE 0x1ffffffff\nNOP\nEND", None, "0x1ffffffff", "has lanes that", "0xffffffff"),
    ("ACTIVE\nNOP\nEND", None, "", "wrong operand of ACTIVE", "ACTIVE 0xffff"),
    ("LOOP 0\nNOP\nEND", None, "0", "wrong operand of LOOP", "times, 1 to"),
    ("LOOP\nNOP\nEND", None, "", "wrong operand of LOOP", "times, 1 to"),
    ("LOOP 2\nNOP", None, "LOOP 2", "is not closed", "END in the same section"),
    ("LOOP 2\n.warps all\nNOP", None, "LOOP 2", "is not closed", "same section"),
    ("NOP\nEND ;", None, "END ;", "closes no block", "LOOP or ACTIVE"),
    ("LOOP 2\nEND", None, "LOOP 2", "this block is empty", "lines before its END"),
    ("SETP P0, 1\n@P0 LOOP 2\nNOP\nEND", None, "@P0 ", "LOOP takes no guard", "inside the block"),
    ("  BAR.SYNC 16 ;", None, "16", "barrier 16 does not exist", "0 to 15"),
    ("\n BAR.SYNC 0, 33", None, "33", "not a multiple of the 32 lanes", "32 or 64"),
    ("MOV R1, -1", None, "-", "not an operand", "a number is unsigned"),
    ("EXITT", None, "EXITT", "unknown instruction", "did you mean `EXIT`?"),
    ("LD 4", None, "LD", "LD is not complete", "LD.SHARED, LD.GLOBAL"),
    ("BRA loop", None, "BRA", "unknown instruction", "the instructions are BAR.SYNC"),
    ("label: NOP", None, "label", "unknown instruction", "the instructions are BAR.SYNC"),
    ("@P0 BAR.SYNC 0", None, "@P0 BAR.SYNC 0", "P0 has no value in warp 0", "SETP P0, 0xffff"),
    ("@R0 EXIT", None, "R0", "the guard is not a predicate", "P0 to P6"),
    ("@", None, "", "the guard is not a predicate", "P0 to P6"),
    ("@PT", None, "@PT", "the instruction is missing", "before `;`"),
    (";", None, ";", "the instruction is missing", "before `;`"),
    ("NOP ; NOP", None, "NOP", "text after the end", "one instruction per line"),
    ("NOP 0", None, "0", "wrong operand of NOP", "cycles, 1 to"),
    ("NOP 1 2", None, "2", "too many operands", "end of the line"),
    ("EXIT 1", None, "1", "too many operands", "end of the line"),
    ("MOV 1, 2", None, "1", "wrong operand of MOV", "expected a register"),
    ("MOV R1 2", None, "2", "`2` follows an operand", "expected `,`"),
    ("MOV R1, 0x100000000 ;", None, "0x100000000", "wrong operand of MOV", "at most 32 bits"),
    ("MOV R1, ;", None, "", "wrong operand of MOV", "write it like `MOV R4, 0x80`"),
    ("NOP /* ", None, "/*", "not closed", "*/"),
    ("", None, "", "this text has no instruction to run", "the shortest program is `BAR.SYNC 0x0`"),
    ("// only words\n.cta_warps 2\n.warps 1 consumer\n", None, "", "this text has no instruction to run", "`EXIT`"),
    ("NOP\n\u{0}", None, "\u{0}", "control character U+0000", "a binary, or in another encoding"),
];

#[test]
fn refusals_mark_the_place_and_say_what_to_do() {
    for (text, warps, marked, message, hint) in REFUSED {
        let errors = match parse(text, *warps) {
            Err(errors) => errors,
            Ok(_) => panic!("{text:?} is accepted"),
        };
        let error = &errors[0];
        assert_eq!(errors.len(), 1, "{text:?}: {errors:?}");
        assert_eq!(&text[error.span.clone()], *marked, "{text:?}: {error:?}");
        assert!(error.message.contains(message), "{text:?}: {error:?}");
        let advice = format!("{} {}", error.label, error.help.as_deref().unwrap_or(""));
        assert!(advice.contains(hint), "{text:?}: {error:?}");
    }
}

#[test]
fn every_faulty_line_is_reported_up_to_a_limit() {
    let errors = parse("NOPE\nBAR.SYNC 16\nNOP\nBAR.SYNC R1", None).unwrap_err();
    assert_eq!(errors.iter().map(|e| e.span.start).collect::<Vec<_>>(), [0, 14, 21]);
    let errors = parse(&"NOPE\n".repeat(1000), None).unwrap_err();
    assert_eq!(errors.len(), MAX_REPORTS + 1);
    assert!(errors[MAX_REPORTS].message.contains("the rest is not shown"));
}

#[test]
fn size_is_limited() {
    let long = " ".repeat(MAX_BYTES - 2) + "NOP";
    assert!(parse(&long, None).unwrap_err()[0].label.contains("expected at most 1048576"));
    assert!(parse(&long[1..], None).is_ok());
    let nested = |depth: usize| "LOOP 1\n".repeat(depth) + "NOP\n" + &"END\n".repeat(depth);
    assert!(parse(&nested(MAX_NESTING), None).is_ok());
    assert!(parse(&nested(MAX_NESTING + 1), None).unwrap_err()[0].message.contains("nested more than 16 deep"));
    assert!(parse(&nested(100_000), None).is_err());
    // No loop is unrolled, whatever the number of rounds and warps.
    assert!(parse("LOOP 4294967295\nLOOP 4294967295\nNOP\nEND\nEND", None).is_ok());
    assert!(parse(&(".cta_warps 64\n".to_string() + &"NOP\n".repeat(20_000)), None).is_ok());
}
