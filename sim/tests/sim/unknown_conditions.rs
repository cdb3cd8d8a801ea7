// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Branches and stores whose conditions depend on values that were never written, on arguments without a value, and on results that are not
//! calculated: what the report names, and which bytes are unknown afterwards.

use super::runs::{ptx_with, Run};
use bcu_machine::report::ConditionCause;
use bcu_program::ptx::Launch;

/// A kernel of one warp. `out` and `other` are variables of global memory, `s` is one of shared memory.
fn run(body: &str, n: Option<u64>) -> Run {
    let text = format!(
        ".version 8.6\n.target sm_90\n.address_size 64\n.global .align 16 .b32 out[32];\n.global .align 16 .b32 other[32];\n\
         .visible .entry k(.param .u32 n)\n{{\n.shared .align 16 .b32 s[64];\n.reg .b32 %t, %n, %v, %u, %w, %never, %at;\n\
         .reg .b64 %o, %x, %y;\n.reg .pred %p, %q;\nmov.u32 %t, %tid.x;\nmul.wide.u32 %x, %t, 4;\nmov.u64 %o, out;\n\
         add.u64 %o, %o, %x;\nmov.u64 %y, other;\nshl.b32 %at, %t, 2;\nst.global.u32 [%o], 5;\nld.param.u32 %n, [n];\n{body}\nret;\n}}\n"
    );
    let params = n.map(|n| ("n".to_string(), n)).into_iter().collect();
    ptx_with(&text, &Launch { threads: Some([32, 1, 1]), params, ..Launch::new(32) })
}

/// The conditions of a run: the opcode of the instruction, that of the origin, and the cause.
fn conditions(run: &Run) -> Vec<(String, Option<String>, ConditionCause)> {
    let word = |text: &str| {
        let text = if text.starts_with('@') { text.split_once(' ').map_or("", |(_, rest)| rest) } else { text };
        text.split_whitespace().next().unwrap_or("").to_string()
    };
    let all = run.report.unknown_conditions.iter();
    all.map(|c| (word(&c.place.text), c.from.as_ref().map(|from| word(&from.text)), c.cause.clone())).collect()
}

/// The names of the variables with unknown stored bytes, with the number of these bytes.
fn unknown(run: &Run) -> Vec<(&str, u64)> {
    run.report.unknown_buffers.iter().map(|buffer| (buffer.name.as_str(), buffer.unknown)).collect()
}

const LOAD: &str = "ld.shared.u32 %v, [%at];\nsetp.eq.u32 %p, %v, 7;\n";

fn unwritten(instr: &str, from: &str) -> Vec<(String, Option<String>, ConditionCause)> {
    vec![(instr.to_string(), Some(from.to_string()), ConditionCause::Unwritten)]
}

#[test]
fn a_branch_on_unwritten_memory_is_reported_and_loses_only_the_stored_bytes() {
    let body = format!("{LOAD}@!%p bra END;\nmov.u32 %w, 1;\nst.global.u32 [%y], %w;\nEND:");
    let done = run(&body, Some(1));
    assert_eq!(conditions(&done), unwritten("bra", "ld.shared.u32"));
    assert_eq!(unknown(&done), [("other", 4)], "`out` stays known");
    assert_eq!(done.report.unknown_stores, 0);
    // The address is calculated on the path.
    let inside = body.replace("mov.u32 %w, 1;", "mov.u32 %w, 1;\nadd.u64 %y, %y, 8;\nadd.u64 %y, %y, %x;");
    let done = run(&inside, Some(1));
    assert_eq!((unknown(&done), done.report.unknown_stores), (vec![("other", 120)], 0), "30 words are inside of `other`");
    // A register that is written on one of two paths is unknown after both.
    let both = format!("{LOAD}mov.u32 %w, 3;\n@%p bra ELSE;\nmov.u32 %w, 4;\nbra END;\nELSE:\nst.shared.u32 [s], %w;\nEND:\nst.global.u32 [%y], %w;");
    assert_eq!(unknown(&run(&both, Some(1))), [("other", 4)]);
    // An address that depends on the path makes all bytes unknown.
    let lost = format!(
        "{LOAD}@%p bra ELSE;\nadd.u64 %y, %y, 8;\nbra END;\nELSE:\nst.global.u32 [%o], %t;\nEND:\nst.global.u32 [%y], 1;"
    );
    let done = run(&lost, Some(1));
    assert_eq!(done.report.unknown_stores, 32);
}

#[test]
fn every_kind_of_control_is_reported() {
    let guarded = |instr: &str| run(&format!("{LOAD}@%p {instr};"), Some(1));
    for (instr, opcode) in [
        ("st.global.u32 [%o], 9", "st.global.u32"),
        ("st.shared.u32 [s], 9", "st.shared.u32"),
        ("red.global.add.u32 [%o], 1", "red.global.add.u32"),
        ("exit", "exit"),
        ("ret", "ret"),
    ] {
        assert_eq!(conditions(&guarded(instr)), unwritten(opcode, "ld.shared.u32"), "{instr}");
    }
    assert_eq!(unknown(&guarded("st.global.u32 [%o], 9")), [("out", 128)]);
    // A load or a calculation has no effect but on its register.
    for instr in ["ld.global.u32 %w, [%o]", "mov.u32 %w, 3"] {
        assert_eq!(conditions(&guarded(instr)), [], "{instr}");
    }
    let switch = "ld.shared.u32 %v, [%at];\nLIST: .branchtargets A, B;\nbrx.idx %v, LIST;\nA:\nmov.u32 %w, 1;\nB:";
    assert_eq!(conditions(&run(switch, Some(1))), unwritten("brx.idx", "ld.shared.u32"));
    // Through a shuffle, a store and a load of another lane.
    let far = format!(
        "ld.shared.u32 %v, [%at];\nshfl.sync.bfly.b32 %v, %v, 1, 31, -1;\nst.shared.u32 [%at+128], %v;\nbar.warp.sync -1;\n\
        ld.shared.u32 %u, [%at+128];\nsetp.eq.u32 %p, %u, 7;\n@%p bra END;\nEND:"
    );
    assert_eq!(conditions(&run(&far, Some(1))), unwritten("bra", "ld.shared.u32"));
}

#[test]
fn a_register_that_was_never_written_is_reported() {
    let body = "setp.eq.u32 %p, %never, 7;\n@%p bra END;\nEND:";
    assert_eq!(conditions(&run(body, Some(1))), unwritten("bra", "setp.eq.u32"));
    let predicate = "@%q bra END;\nEND:";
    assert_eq!(conditions(&run(predicate, Some(1))), [("bra".to_string(), None, ConditionCause::Unwritten)]);
}

#[test]
fn arguments_and_results_that_are_not_calculated_are_no_errors() {
    let argument = "setp.ge.u32 %p, %t, %n;\n@%p bra END;\nst.global.u32 [%y], 1;\nEND:";
    let done = run(argument, None);
    assert_eq!(
        conditions(&done),
        [("bra".to_string(), Some("ld.param.u32".to_string()), ConditionCause::Argument("n".to_string()))]
    );
    assert_eq!(unknown(&done), [("other", 4)]);
    assert_eq!(conditions(&run(argument, Some(8))), []);
    let divided = "div.u32 %v, %t, %u;\nmov.u32 %u, 0;\nrem.u32 %v, %t, %u;\nsetp.eq.u32 %p, %v, 1;\n@%p bra END;\nEND:";
    assert_eq!(conditions(&run(&divided.replace("div.u32 %v, %t, %u;\n", ""), Some(1)))[0].2, ConditionCause::NotCalculated);
    // Without a value of the argument, unwritten memory may be a consequence.
    assert_eq!(conditions(&run(&format!("{LOAD}@%p bra END;\nEND:"), None))[0].2, ConditionCause::NotCalculated);
}

#[test]
fn known_bits_that_decide_a_condition_are_no_finding() {
    let body = "ld.shared.u32 %v, [%at];\nor.b32 %v, %v, 16;\nand.b32 %u, %v, 16;\nsetp.eq.u32 %p, %u, 16;\n@%p bra END;\n\
                st.global.u32 [%y], 1;\nEND:";
    let done = run(body, Some(1));
    assert_eq!((conditions(&done), unknown(&done)), (vec![], vec![]));
}
