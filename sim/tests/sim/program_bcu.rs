// SPDX-License-Identifier: Apache-2.0 OR MIT
//! BCU assembly programs: sections, registers, blocks, and the results of their runs.

use super::runs::{bcu, Run};
use bcu_isa::disasm;
use bcu_machine::Verdict;
use bcu_program::bcu::{parse, parse_for, Parsed};
use bcu_program::WarpProgram;

fn ok(text: &str, warps: Option<usize>) -> Parsed {
    parse(text, warps).unwrap_or_else(|e| panic!("{e:#?}"))
}

/// The lines that a warp executes, in order.
fn lines(warp: &WarpProgram) -> Vec<&str> {
    warp.function().unwrap().instrs.iter().map(|instr| &*instr.place.text).collect()
}

/// The assembly of the first warp's instructions that the unit accepted, with their values of ra and rb.
fn instructions_of_warp_0(run: &Run) -> Vec<(String, u32, u32)> {
    run.instructions
        .iter()
        .filter(|taken| taken.warp == 0)
        .map(|taken| (disasm::text(taken.word), taken.ra, taken.rb))
        .collect()
}

#[test]
fn sections_append_and_say_how_many_warps_there_are() {
    let text = "NOP 5\n.warps 0, 2-3 left\nBAR.SYNC 1\n.warps 3\nEXIT ;\n.warps all\nNOP\n";
    let parsed = ok(text, None);
    let sync = ["NOP 5", "BAR.SYNC 1", "NOP"];
    let found: Vec<Vec<&str>> = parsed.warps.iter().map(lines).collect();
    assert_eq!(found, [&sync[..], &["NOP 5", "NOP"], &sync, &["NOP 5", "BAR.SYNC 1", "EXIT", "NOP"]]);
    let names: Vec<&str> = parsed.warps.iter().map(|w| w.name.as_str()).collect();
    assert_eq!(names, ["left", "warp 1", "left", "left"]);
    assert_eq!(parsed.warnings.len(), 1, "{:?}", parsed.warnings);
    assert_eq!(parsed.warnings[0].message, "warp 3 has exited before this line");
    let run = bcu(text);
    assert_eq!((run.report.verdict, run.lines(1), run.report.warps[3].steps), (Verdict::Completed, vec![1, 7], 3));
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
    let text = ".cta_warps 2\nMOV R1, 3\nADD R2, R1, 0x3d\nBAR.SYNC R1, R2\nMOV R2, LANEID\nSETP P0, 0xff\n\
                @!P0 SHL R2, WARPID, R1\nSETP.LE P1, R2, 4\nSETP P2, !P1\nBAR.RED.POPC R1, P1\nB2R.RESULT R5, P3\n\
                MOV RZ, R5\nSHL R6, LANEID, 2\n@P2 ST.GLOBAL [R6], R2\n@!P2 ST.GLOBAL [R6+0x80], R5\n\
                @P2 ST.GLOBAL [0x200], RZ";
    let run = bcu(text);
    assert_eq!(run.report.verdict, Verdict::Completed, "{}", run.report);
    let expected = [("BAR.SYNC R1, R2", 3, 0x40), ("BAR.RED.POPC R1, P1", 0, 3), ("B2R.RESULT R5, P3", 0, 0)];
    assert_eq!(instructions_of_warp_0(&run), expected.map(|(text, ra, rb)| (text.to_string(), ra, rb)));
    // P1 is true if R2 is at most 4: in warp 0 in lanes 0 to 4 and 8 to 31, in warp 1 in lanes 0 to 4. From lane 8 on, R2 is 8 * warp.
    let [low, high] = [0, 1].map(|warp| run.arrivals(warp)[1].predicate);
    assert_eq!((low, high), (0xffff_ff1f, 0x1f));
    // The lanes of both warps store to the same addresses.
    let stored = |lane: u32| (lane * 4, if lane < 8 { lane } else { 8 });
    let sums = (0..32).map(|lane| (0x80 + lane * 4, 5 + 29)).filter(|(at, _)| !(0x94..0xa0).contains(at));
    let expected: Vec<_> = (5..32).map(stored).chain(sums).chain([(0x200, 0)]).collect();
    assert_eq!(run.global(), expected);
}

#[test]
fn loops_have_their_rounds_and_parts_their_lanes() {
    let text =
        "SHL R2, LANEID, 2\nMOV R1, 0\nLOOP 2\nADD R1, R1, 1\n  ACTIVE 0xff\n  LOOP 3 // inner\n ADD R1, R1, 0x10\nEND\n\
                ACTIVE 0xf0f\nST.GLOBAL [R2], R1\nEXIT\nEND ;\nEND\nEND\nST.GLOBAL [R2], R1";
    let of = |lane: u32| match lane {
        0..4 => 0x31,
        4..8 => 0x62,
        _ => 2,
    };
    let run = bcu(text);
    assert_eq!(run.global(), (0..32).map(|lane| (4 * lane, of(lane))).collect::<Vec<_>>());
    // Blocks take no time; in the second round no lane executes the store in the middle, and each part has an exit.
    assert_eq!(run.report.warps[0].steps, 2 + (1 + 3 + 2) + (1 + 3) + 1 + 1);
    // When lanes exit in parts, the last part ends the warp.
    let parted = "ACTIVE 0xffff\nEXIT\nEND\nNOP\nACTIVE 0xffff0000\nEXIT\nEND\nNOP";
    assert_eq!((bcu(parted).report.warps[0].steps, ok(parted, Some(1)).warnings.len()), (3, 1));
}

#[test]
fn registers_change_from_round_to_round() {
    let text = "MOV R1, 14\nLOOP 3\nBAR.SYNC R1\nADD R1, R1, 1\nEND";
    let ids: Vec<u32> = instructions_of_warp_0(&bcu(text)).into_iter().map(|(_, _, rb)| rb).collect();
    // There is no warning before the run for a line with several values.
    assert_eq!((ids, ok(text, Some(1)).warnings.len()), (vec![14, 15, 16], 0));
    assert_eq!(ok("MOV R1, 16\nLOOP 3\nBAR.SYNC R1\nEND", Some(1)).warnings.len(), 1);
}

#[test]
fn a_word_is_taken_as_it_stands() {
    let run = bcu("SETP P0, 1\nWORD 0x8b1d, 0x100, 0, 0x20000000\nWORD 0xffffffff, 0, 0, 0\nWORD 0x7fff, 1, 2, 3");
    let found: Vec<_> = run.instructions.iter().map(|taken| (taken.word, taken.guard)).collect();
    let never = ([0xffff_ffff, 0, 0, 0], 0);
    assert_eq!(found, [([0x8b1d, 0x100, 0, 0x2000_0000], 0xffff_fffe), never, ([0x7fff, 1, 2, 3], 0xffff_ffff)]);
}

#[test]
fn places_name_the_line_and_the_text_without_comment() {
    let parsed = ok("/* two\nlines */\n  BAR.SYNC 0x1 /* id */ ; // why\r\n@PT EXIT # end", Some(1));
    let instrs = &parsed.warps[0].function().unwrap().instrs;
    let places: Vec<_> = instrs.iter().map(|instr| (instr.place.line, &*instr.place.text)).collect();
    assert_eq!(places, [(3, "BAR.SYNC 0x1"), (4, "@PT EXIT")]);
}

#[test]
fn values_that_the_hardware_would_cut_are_warned_about_once() {
    let parsed = ok("MOV R1, 17\nMOV R2, 0x1020\nBAR.SYNC R1, R2", Some(4));
    let found: Vec<_> = parsed.warnings.iter().map(|w| (w.message.as_str(), w.label.as_str())).collect();
    assert_eq!(
        found,
        [
            ("R1 holds 0x11, which is too large for an id", "the unit uses 1, the lowest 4 bits"),
            ("R2 holds 0x1020, which is too large for a count", "the unit uses 32, the lowest 12 bits"),
        ]
    );
}

#[test]
fn counts_follow_the_lanes_of_the_machine() {
    assert!(parse_for("BAR.SYNC 0, 8", Some(4), 4).is_ok());
    assert!(parse_for("BAR.SYNC 0, 8", Some(4), 32).is_err());
}

#[test]
fn the_examples_are_programs_for_four_warps_without_warnings() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/");
    for (name, verdict, steps) in [
        ("exchange", Verdict::Completed, [18, 17, 17, 17]),
        ("producer_consumer", Verdict::Completed, [8; 4]),
        ("hang", Verdict::Hung, [2, 2, 2, 3]),
    ] {
        let text = std::fs::read_to_string(format!("{folder}{name}.bcu")).unwrap();
        assert_eq!(ok(&text, None).warnings, [], "{name}");
        let report = bcu(&text).report;
        assert_eq!(report.verdict, verdict, "{name}: {report}");
        assert_eq!(report.warps.iter().map(|w| w.steps).collect::<Vec<_>>(), steps, "{name}");
    }
}
