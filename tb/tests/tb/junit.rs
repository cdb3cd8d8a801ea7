// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Results as JUnit XML.

use bcu_tb::junit;
use bcu_tb::regress::result::TestResult;

#[test]
fn failures_carry_text_and_command() {
    let result = |name: &str, failure: Option<&str>| TestResult {
        name: name.to_string(),
        seed: 7,
        seconds: 1.5,
        failure: failure.map(str::to_string),
        command: format!("bcu regress {name}"),
        missing: vec![],
        coverage: None,
    };
    let incomplete = TestResult { missing: vec![3, 5], ..result("scenario/d", None) };
    let xml = junit::xml(
        &[
            result("lockstep/a", None),
            result("scenario/b", Some("x < y\u{ffff}\u{1b}\nmore\u{fffe}\0")),
            result("scenario/c", None),
            incomplete,
        ],
        &[("bcu", "1.0".to_string())],
    )
    .unwrap();
    assert!(!xml.contains(['\u{fffe}', '\u{ffff}', '\u{1b}', '\0']), "characters that XML does not have");
    assert!(xml.contains(r#"tests="4""#) && xml.contains(r#"failures="1""#), "{xml}");
    assert!(xml.contains("x &lt; y") && xml.contains("repeat with: bcu regress scenario/b"), "{xml}");
    assert_eq!(xml.matches("<testsuite ").count(), 2);
    for part in [
        r#"<error message="no result of 2 of its parts""#,
        r#"name="scenario/b" classname="scenario" time="1.500""#,
        r#"<property name="seed" value="7"/>"#,
        r#"<property name="version of bcu" value="1.0"/>"#,
    ] {
        assert!(xml.contains(part), "{part}: {xml}");
    }
}
