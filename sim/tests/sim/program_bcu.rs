// SPDX-License-Identifier: Apache-2.0 OR MIT
//! BCU assembly programs: sections, registers, steps, and what is refused.

use bcu_hw::isa::asm::assemble;
use bcu_hw::isa::instr::{encode, Pred, Reg};
use bcu_sim::program::bcu::{parse, parse_for, Parsed, MAX_BYTES, MAX_NESTING, MAX_REPORTS};
use bcu_sim::program::{Action, Alu, Compare, Form, Source, Space, Truth, Write};

fn ok(text: &str, warps: Option<usize>) -> Parsed {
    parse(text, warps).unwrap_or_else(|e| panic!("{e:#?}"))
}

/// The steps of every warp as short words.
fn shape(parsed: &Parsed) -> Vec<String> {
    let word = |action: &Action| match action {
        Action::Barrier { word, .. } => bcu_hw::isa::disasm::text(*word),
        Action::Write(write) => format!("{write:?}"),
        Action::Busy { cycles } => format!("busy {cycles}"),
        Action::Access { space, write, .. } => {
            format!("{} {}", if *write { "store" } else { "load" }, if *space == Space::Shared { "shared" } else { "global" })
        }
        Action::Meet { members, elect } => format!("meet {members:#x} {elect:?}"),
        Action::Exit => "exit".to_string(),
    };
    let warp = |w: &bcu_sim::program::WarpProgram| w.steps.iter().map(|s| word(&s.action)).collect::<Vec<_>>().join("; ");
    parsed.warps.iter().map(warp).collect()
}

#[test]
fn sections_append_and_say_how_many_warps_there_are() {
    let text = "NOP 5\n.warps 0, 2-3 left ; \n".replace(" ;", "") + "BAR.SYNC 1\n.warps 3\nEXIT ;\n.warps all\nNOP\n";
    let parsed = ok(&text, None);
    let sync = "busy 5; BAR.SYNC 0x1, 0x0; busy 1";
    assert_eq!(shape(&parsed), [sync, "busy 5; busy 1", sync, "busy 5; BAR.SYNC 0x1, 0x0; exit"]);
    let names: Vec<&str> = parsed.warps.iter().map(|w| w.name.as_str()).collect();
    assert_eq!(names, ["left", "warp 1", "left", "left"]);
    assert_eq!(parsed.warnings.len(), 1, "{:?}", parsed.warnings);
    assert_eq!(parsed.warnings[0].message, "warp 3 has exited before this line");
}

#[test]
fn the_number_of_warps_comes_from_the_machine_then_the_directive_then_the_highest_named() {
    let text = ".warps 1\nNOP\n.cta_warps 4\n";
    assert_eq!(ok(text, None).warps.len(), 4);
    assert_eq!(ok(text, Some(8)).warps.len(), 8);
    assert_eq!(ok(".warps 6\nNOP", None).warps.len(), 7);
    assert_eq!(ok("NOP", None).warps.len(), 1);
}

#[test]
fn registers_and_predicates_are_written_as_the_lines_say() {
    let text = "MOV R1, 3\nADD R2, R1, 0x40\nBAR.SYNC R1, R2\nMOV R2, LANEID\nSETP P0, 0xff\n@!P0 SHL R2, WARPID, R1\n\
                SETP.LE P1, R2, 7\nSETP P2, !P1\nBAR.RED.OR R1, P0\nB2R.RESULT R5, P3\n@P3 R2B.BAR 2, R5\nMOV RZ, R5";
    let parsed = ok(text, Some(1));
    let (r1, r2, r5) = (Reg(1), Reg(2), Reg(5));
    let found: Vec<(Action, Pred)> = parsed.warps[0].steps.iter().map(|s| (s.action.clone(), s.guard)).collect();
    let word = |text: &str| {
        let word = encode(&assemble(text, 32).unwrap().instr);
        Action::Barrier { word, form: Form::Raw, presets: vec![] }
    };
    let guard = |index, not| Pred { index, not };
    let always = |action| (action, Pred::PT);
    let write = |write| always(Action::Write(write));
    let register = Source::Register;
    assert_eq!(
        found,
        [
            write(Write::Mov { to: r1, from: Source::Number(3) }),
            write(Write::Alu { to: r2, alu: Alu::Add, a: register(r1), b: Source::Number(0x40) }),
            always(word("BAR.SYNC R1, R2")),
            write(Write::Mov { to: r2, from: Source::LaneId }),
            write(Write::Predicate { to: 0, from: Truth::Mask(0xff) }),
            (Action::Write(Write::Alu { to: r2, alu: Alu::Shl, a: Source::WarpId, b: register(r1) }), guard(0, true)),
            write(Write::Predicate { to: 1, from: Truth::Compare(Compare::Le, register(r2), Source::Number(7)) }),
            write(Write::Predicate { to: 2, from: Truth::Predicate(guard(1, true)) }),
            always(word("BAR.RED.OR R1, P0")),
            always(word("B2R.RESULT R5, P3")),
            (word("@P3 R2B.BAR 2, R5"), guard(3, false)),
            write(Write::Mov { to: Reg::RZ, from: register(r5) }),
        ]
    );
}

#[test]
fn loops_unroll_and_parts_have_their_lanes() {
    let text = "LOOP 2\nNOP 2\n  ACTIVE 0xff\n  LOOP 3 // inner\n NOP 3\nEND\nACTIVE 0xf0f\nEXIT\nEND ;\nEND\nEND\nNOP 4";
    let warp = &ok(text, Some(1)).warps[0];
    let found: Vec<(usize, u64)> = warp.steps.iter().map(|s| (s.place.line, s.active)).collect();
    let round = [(2, u64::MAX), (5, 0xff), (5, 0xff), (5, 0xff), (8, 0xf)];
    assert_eq!(found, [&round[..], &round, &[(12, u64::MAX)]].concat());
    // Lanes that exit in parts end the warp with the last of them.
    let parted = ok("ACTIVE 0xffff\nEXIT\nEND\nNOP\nACTIVE 0xffff0000\nEXIT\nEND\nNOP", Some(1));
    assert_eq!((parted.warps[0].steps.len(), parted.warnings.len()), (3, 1));
}

#[test]
fn registers_change_from_round_to_round() {
    let parsed = ok("MOV R1, 14\nLOOP 3\nBAR.SYNC R1\nADD R1, R1, 1\nEND", Some(1));
    assert_eq!(parsed.warnings.iter().map(|w| w.message.as_str()).collect::<Vec<_>>(), ["R1 holds 0x10, too large for an id"]);
}

#[test]
fn a_word_is_taken_as_it_stands() {
    let parsed = ok("SETP P0, 1\nWORD 0x8b1d, 0x100, 0, 0x20000000\nWORD 0xffffffff, 0, 0, 0", Some(1));
    let steps = &parsed.warps[0].steps[1..];
    let word = |step: &bcu_sim::program::Step| match step.action {
        Action::Barrier { word, .. } => (word, step.guard),
        _ => panic!("{step:?}"),
    };
    assert_eq!(word(&steps[0]), ([0x8b1d, 0x100, 0, 0x2000_0000], Pred { index: 0, not: true }));
    assert_eq!(word(&steps[1]), ([0xffff_ffff, 0, 0, 0], Pred { index: 7, not: true }));
}

#[test]
fn places_name_the_line_and_the_text_without_comment() {
    let parsed = ok("/* two\nlines */\n  BAR.SYNC 0x1 /* id */ ; // why\r\n@PT EXIT # end", Some(1));
    let places: Vec<_> = parsed.warps[0].steps.iter().map(|s| (s.place.line, s.place.text.as_str())).collect();
    assert_eq!(places, [(3, "BAR.SYNC 0x1"), (4, "@PT EXIT")]);
}

#[test]
fn values_that_the_hardware_would_cut_are_warned_about_once() {
    let parsed = ok("MOV R1, 17\nMOV R2, 0x1020\nBAR.SYNC R1, R2", Some(4));
    let found: Vec<_> = parsed.warnings.iter().map(|w| (w.message.as_str(), w.label.as_str())).collect();
    assert_eq!(
        found,
        [
            ("R1 holds 0x11, too large for an id", "takes effect as 1: only 4 bits count"),
            ("R2 holds 0x1020, too large for a count", "takes effect as 32: only 12 bits count"),
        ]
    );
}

/// Program, number of warps of the machine, the marked part, a part of the message, a part of the label or the help.
type Refusal = (&'static str, Option<usize>, &'static str, &'static str, &'static str);

#[rustfmt::skip]
const REFUSED: &[Refusal] = &[
    (".warps 4\nNOP", Some(4), "4", "there is no warp 4", "the machine has 4 warps"),
    (".warps 0-4", Some(4), "4", "there is no warp 4", "numbered from 0"),
    (".cta_warps 2\n.warps 2", None, "2", "there is no warp 2", ".cta_warps says 2 warps"),
    (".warps 0-0x40", None, "0x40", "there is no warp 0x40", "a program can name 64"),
    (".warps 64", None, "64", "there is no warp 64", "a program can name 64"),
    (".warps 0-99999999999999999999", None, "99999999999999999999", "there is no warp", "64"),
    (".warps 3-2", None, "3-2", "runs backwards", "expected 2-3"),
    (".warps 1, 0-2", None, "0-2", "warp 1 is named twice", "once"),
    (".warps", None, "", "names no warps", "write `.warps 0, 2-3`"),
    (".warps 0,,1", None, "", "names no warps", "ranges"),
    (".warps every", None, "every", "names no warps", "`all`"),
    (".cta_warps 0", None, "0", "wrong number of warps", "1 to 64"),
    (".cta_warps 4 4", None, "4", "wrong number of warps", "one number"),
    (".cta_warps", None, "", "wrong number of warps", "one number"),
    (".cta_warps 4\n.cta_warps 4", None, ".cta_warps 4", "stands twice", "once"),
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
    ("MOV R256, 2", None, "R256", "`R256` is no operand", "R0 to R254"),
    ("ACTIVE 0\nNOP\nEND", None, "0", "a mask without a lane", "at least one"),
    ("ACTIVE 0x1ffffffff\nNOP\nEND", None, "0x1ffffffff", "has lanes that", "0xffffffff"),
    ("ACTIVE\nNOP\nEND", None, "", "wrong operand of ACTIVE", "ACTIVE 0xffff"),
    ("LOOP 0\nNOP\nEND", None, "0", "wrong operand of LOOP", "times, 1 to"),
    ("LOOP\nNOP\nEND", None, "", "wrong operand of LOOP", "times, 1 to"),
    ("LOOP 2\nNOP", None, "LOOP 2", "does not end", "END in the same section"),
    ("LOOP 2\n.warps all\nNOP", None, "LOOP 2", "does not end", "same section"),
    ("NOP\nEND ;", None, "END ;", "ends nothing", "LOOP or ACTIVE"),
    ("LOOP 2\nEND", None, "LOOP 2", "nothing in this block", "lines before its END"),
    ("SETP P0, 1\n@P0 LOOP 2\nNOP\nEND", None, "@P0 ", "LOOP takes no guard", "inside of the block"),
    ("LOOP 4294967295\nLOOP 4294967295\nNOP\nEND\nEND", None, "", "more than 1000000 steps", "its loops"),
    ("  BAR.SYNC 16 ;", None, "16", "there is no barrier 16", "0 to 15"),
    ("\n BAR.SYNC 0, 33", None, "33", "not a multiple of 32", "32 or 64"),
    ("MOV R1, -1", None, "-", "no operand", "a number is unsigned"),
    ("EXITT", None, "EXITT", "unknown instruction", "did you mean `EXIT`?"),
    ("LD 4", None, "LD", "LD is not complete", "LD.SHARED, LD.GLOBAL"),
    ("BRA loop", None, "BRA", "unknown instruction", "known are BAR.SYNC"),
    ("label: NOP", None, "label", "unknown instruction", "known are BAR.SYNC"),
    ("@P0 BAR.SYNC 0", None, "@P0 BAR.SYNC 0", "P0 has no value in warp 0", "SETP P0, 0xffff"),
    ("@R0 EXIT", None, "R0", "a guard names a predicate", "P0 to P6"),
    ("@", None, "", "a guard names a predicate", "P0 to P6"),
    ("@PT", None, "@PT", "there is no instruction", "before `;`"),
    (";", None, ";", "there is no instruction", "before `;`"),
    ("NOP ; NOP", None, "NOP", "text behind the end", "one instruction per line"),
    ("NOP 0", None, "0", "wrong operand of NOP", "cycles, 1 to"),
    ("NOP 1 2", None, "2", "too many operands", "end of the line"),
    ("EXIT 1", None, "1", "too many operands", "end of the line"),
    ("MOV 1, 2", None, "1", "wrong operand of MOV", "expected a register"),
    ("MOV R1 2", None, "2", "`2` follows an operand", "expected `,`"),
    ("MOV R1, 0x100000000 ;", None, "0x100000000", "wrong operand of MOV", "at most 32 bits"),
    ("MOV R1, ;", None, "", "wrong operand of MOV", "write it like `MOV R4, 0x80`"),
    ("NOP /* ", None, "/*", "never closed", "*/"),
    ("", None, "", "this text has no instruction to run", "as short as `BAR.SYNC 0x0`"),
    ("// only words\n.cta_warps 2\n.warps 1 consumer\n", None, "", "this text has no instruction to run", "`EXIT`"),
    ("NOP\n\u{0}", None, "\u{0}", "control character U+0000", "another kind"),
];

#[test]
fn refusals_mark_the_place_and_say_what_to_do() {
    for (text, warps, marked, message, hint) in REFUSED {
        let errors = match parse(text, *warps) {
            Err(errors) => errors,
            Ok(found) => panic!("{text:?} is {:?}", shape(&found)),
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
    assert!(parse(&nested(MAX_NESTING + 1), None).unwrap_err()[0].message.contains("more than 16 blocks"));
    assert!(parse(&nested(100_000), None).is_err());
    let wide = ".cta_warps 64\n".to_string() + &"NOP\n".repeat(20_000);
    assert!(parse(&wide, None).unwrap_err()[0].message.contains("more than 1000000 steps"));
}

#[test]
fn counts_follow_the_lanes_of_the_machine() {
    assert!(parse_for("BAR.SYNC 0, 8", Some(4), 4).is_ok());
    assert!(parse_for("BAR.SYNC 0, 8", Some(4), 32).is_err());
}

#[test]
fn the_examples_are_programs_for_four_warps_without_warnings() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/");
    for (name, steps) in [("exchange", [18, 17, 17, 17]), ("producer_consumer", [8; 4]), ("hang", [4, 4, 4, 5])] {
        let text = std::fs::read_to_string(format!("{folder}{name}.bcu")).unwrap();
        let parsed = ok(&text, None);
        assert_eq!(parsed.warnings, [], "{name}");
        assert_eq!(parsed.warps.iter().map(|w| w.steps.len()).collect::<Vec<_>>(), steps, "{name}");
    }
}
