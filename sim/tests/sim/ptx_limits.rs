// SPDX-License-Identifier: Apache-2.0 OR MIT
//! PTX texts that would take minutes or gigabytes without the limits of `docs/guide/ptx.md` (*Limits*).

use super::runs::{ptx, stopped};
use bcu_isa::diag::Diagnostic;
use bcu_program::ptx::{lower, parse, Launch, Lowered};

fn lowered(text: &str) -> Result<Lowered, Vec<Diagnostic>> {
    parse(text).and_then(|module| lower(&module, &Launch::new(32)))
}

fn errors(text: &str) -> Vec<Diagnostic> {
    match lowered(text) {
        Ok(_) => panic!("accepted: {text:.60}"),
        Err(errors) => errors,
    }
}

#[test]
fn a_place_quotes_the_beginning_of_a_long_instruction() {
    let address = "1+".repeat(500_000);
    let text = format!("// bcu: threads 32\nld.shared.u32 r1, [x+{address}1];\n");
    let found = lowered(&text).unwrap();
    let quoted = &found.warps[0].function().unwrap().instrs[0].place.text;
    assert!(quoted.starts_with("ld.shared.u32 r1, [x+1+") && quoted.chars().count() == 201, "{quoted}");
}

#[test]
fn vectors_and_operands_have_a_number() {
    let vector = |registers: usize| format!("// bcu: threads 32\nmma.sync {{{}}};\n", vec!["a"; registers].join(", "));
    assert!(lowered(&vector(128)).is_ok());
    assert_eq!(errors(&vector(130))[0].message, "a vector of more than 128 registers");
    let operands = |count: usize| format!("// bcu: threads 32\nadd.u32 {};\n", vec!["a"; count].join(", "));
    assert!(lowered(&operands(64)).is_ok());
    assert_eq!(errors(&operands(65))[0].message, "an instruction with more than 64 operands");
}

#[test]
fn scopes_have_a_depth_and_a_number() {
    let nested = |depth: usize| format!("// bcu: threads 32\nret;{}{}", "{".repeat(depth), "}".repeat(depth));
    assert!(lowered(&nested(32)).is_ok());
    assert_eq!(errors(&nested(33))[0].message, "scopes nest deeper than 32 levels");
    let row = |count: usize| format!("// bcu: threads 32\nret;{}", "{}".repeat(count));
    assert!(lowered(&row(1 << 20)).is_ok());
    assert_eq!(errors(&row((1 << 20) + 1))[0].message, "more than 1048576 scopes");
}

#[test]
fn warnings_end_at_20() {
    let text = format!("// bcu: threads 32\n{}", "bar.sync 0, 64;\n".repeat(1000));
    assert_eq!(lowered(&text).unwrap().warnings.len(), 20);
}

#[test]
fn among_very_many_names_none_is_guessed_and_few_are_listed() {
    let labels = |count: usize| (0..count).map(|i| format!("label{i}:")).collect::<String>();
    let text = |count: usize| format!("// bcu: threads 32\n{}ret;\nbra labl7;\n", labels(count));
    assert_eq!(errors(&text(1000))[0].help.as_deref(), Some("did you mean `label7`?"));
    assert_eq!(errors(&text(1001))[0].help, None);
    let kernels: String = (0..1001).map(|i| format!(".entry kernel{i}() {{ ret; }}\n")).collect();
    let help = errors(&format!("// bcu: warps 0 run other\n{kernels}"))[0].help.clone().unwrap();
    assert!(help.contains("`kernel9`") && !help.contains("kernel10"), "{help}");
}

#[test]
fn a_parameter_or_function_with_an_overlong_name_is_not_looked_up() {
    let name = |length: usize| "n".repeat(length);
    let text = |name: &str| format!("// bcu: threads 32\n// bcu: param {name} 3\nld.param.u32 r, [{name}];\nbar.sync r;\n");
    assert_eq!(ptx(&text(&name(4096))).instructions[0].rb, 3);
    assert_eq!(stopped(&text(&name(4097))).diagnostic.message, "the barrier id in warp 0 of CTA 0 is unknown");
    let call = |callee: &str| format!("// bcu: threads 32\ncall {callee};\nret;\n.func {callee}() {{ bar.sync 0; ret; }}\n");
    assert_eq!(ptx(&call(&name(4096))).instructions.len(), 1);
    assert_eq!(ptx(&call(&name(4097))).instructions.len(), 0);
}
