// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `.version` and `.target`: the requirements of each barrier instruction (the PTX ISA notes and target ISA notes of bar/barrier).

use bcu_program::ptx::parse;

/// The single error of `instruction` under this version and target, with the text that it marks.
fn refusal(version: &str, target: &str, instruction: &str) -> Option<(String, String)> {
    let text = format!(".version {version}\n.target {target}\n{instruction}\n");
    let errors = parse(&text).err()?;
    assert_eq!(errors.len(), 1, "{errors:?}");
    Some((errors[0].message.clone(), text[errors[0].span.clone()].to_string()))
}

#[test]
fn each_feature_begins_with_its_version_and_target() {
    // The instruction, the last version and target without this instruction, the first with it, and the marked text.
    let table = [
        ("bar.sync r;", ("1.5", "sm_13"), ("2.0", "sm_20"), "r"),
        ("bar.sync 0, 64;", ("1.5", "sm_13"), ("2.0", "sm_20"), "64"),
        ("bar.arrive 0, 64;", ("1.5", "sm_13"), ("2.0", "sm_20"), ".arrive"),
        ("bar.red.popc.u32 d, 0, p;", ("1.5", "sm_13"), ("2.0", "sm_20"), ".red"),
        ("barrier.sync 0;", ("5.0", "sm_20"), ("6.0", "sm_30"), "barrier"),
        ("bar.cta.sync 0;", ("7.7", "sm_10"), ("7.8", "sm_10"), ".cta"),
        ("barrier.cta.arrive 0, 32;", ("7.7", "sm_30"), ("7.8", "sm_30"), ".cta"),
    ];
    for (instruction, old, new, marked) in table {
        assert_eq!(refusal(new.0, new.1, instruction), None, "{instruction}");
        let (message, at) = refusal(old.0, new.1, instruction).expect(instruction);
        assert!(message.contains(&format!("needs PTX {}", new.0)), "{instruction}: {message}");
        assert_eq!(at, marked, "{instruction}");
        if old.1 != new.1 {
            let (message, at) = refusal(new.0, old.1, instruction).expect(instruction);
            assert!(
                message.contains(&format!("needs {}, the target of this text is {}", new.1, old.1)),
                "{instruction}: {message}"
            );
            assert_eq!(at, marked, "{instruction}");
        }
    }
}

#[test]
fn the_oldest_form_runs_on_the_oldest_target() {
    assert_eq!(refusal("1.0", "sm_10", "bar.sync 15;"), None);
}

#[test]
fn without_a_header_everything_is_there() {
    assert!(parse("barrier.cta.red.or.aligned.pred p, r, n, !q;").is_ok());
}

#[test]
fn headers_are_checked_themselves() {
    for (text, message, marked) in [
        (".target sm_80\n.version 7.0\nbar.sync 0;", "`.version` is misplaced", ".version"),
        (".version 7\nbar.sync 0;", "found `7`, expected a version like 9.4", "7"),
        (".version 7.0 .target compute_80\nbar.sync 0;", "`compute_80` is not a target", "compute_80"),
        (".version 7.0 .target sm_80, debugging\nbar.sync 0;", "`debugging` is not a target", "debugging"),
    ] {
        let errors = parse(text).unwrap_err();
        assert_eq!((errors[0].message.as_str(), &text[errors[0].span.clone()]), (message, marked));
    }
}
