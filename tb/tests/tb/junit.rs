// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Results as JUnit XML.

use bcu_tb::junit;
use bcu_tb::regress::result::TestResult;

/// The elements of a JUnit file: name, required attributes, further attributes, and the elements in it, in the order that Maven Surefire
/// requires. These are what the schemas of Surefire and of Jenkins' xUnit plugin both accept.
const SCHEMA: [(&str, &[&str], &[&str], &[&str]); 8] = [
    ("testsuites", &["name", "tests", "failures", "errors", "time"], &[], &["testsuite"]),
    ("testsuite", &["name", "tests", "failures", "errors", "skipped", "time"], &[], &["properties", "testcase"]),
    ("properties", &[], &[], &["property"]),
    ("property", &["name", "value"], &[], &[]),
    ("testcase", &["name", "time"], &["classname"], &["failure", "error", "system-out"]),
    ("failure", &["type"], &["message"], &[]),
    ("error", &["type"], &["message"], &[]),
    ("system-out", &[], &[], &[]),
];

/// The attributes of a tag, whose values contain no `"`.
fn attributes(tag: &str) -> Vec<(&str, &str)> {
    let pair = |word: &'_ str| -> Option<(usize, usize)> { Some((word.rfind(' ')? + 1, word.len())) };
    let parts: Vec<&str> = tag.split('"').collect();
    parts.chunks_exact(2).map(|p| (&p[0][pair(p[0]).unwrap().0..].trim_end_matches('=')[..], p[1])).collect()
}

/// Asserts that the elements are those of [`SCHEMA`], and that the time of each suite is that of its tests.
fn check_schema(xml: &str) {
    let mut open: Vec<(&str, Vec<usize>)> = vec![];
    let (mut all, mut of_suite, mut of_cases) = (0, 0, 0);
    let millis = |time: &str| time.replace('.', "").parse::<u64>().unwrap();
    for part in xml.split('<').skip(1).filter(|part| !part.starts_with('?')) {
        let tag = part.split('>').next().unwrap();
        if tag.starts_with('/') {
            let (name, _) = open.pop().unwrap();
            match name {
                "testsuite" => assert_eq!(std::mem::take(&mut of_cases), of_suite, "{xml}"),
                "testsuites" => assert_eq!(all, 0, "{xml}"),
                _ => (),
            }
            continue;
        }
        let name = tag.split([' ', '/']).next().unwrap();
        let (_, required, further, _) = SCHEMA.iter().find(|(known, ..)| *known == name).expect(name);
        let found = attributes(tag);
        let names: Vec<&str> = found.iter().map(|(name, _)| *name).collect();
        assert!(required.iter().all(|key| names.contains(key)), "{tag}");
        assert!(names.iter().all(|key| required.contains(key) || further.contains(key)), "{tag}");
        if let Some((parent, before)) = open.last_mut() {
            let (.., children) = SCHEMA.iter().find(|(known, ..)| known == parent).unwrap();
            let position = children.iter().position(|child| *child == name).expect(tag);
            assert!(before.iter().all(|earlier| *earlier <= position), "{tag}");
            before.push(position);
        }
        let time = found.iter().find(|(name, _)| *name == "time").map_or(0, |(_, time)| millis(time));
        match name {
            "testsuites" => all = time,
            "testsuite" => (all, of_suite) = (all - time, time),
            "testcase" => of_cases += time,
            _ => (),
        }
        if !tag.ends_with('/') {
            open.push((name, vec![]));
        }
    }
    assert!(open.is_empty(), "{xml}");
}

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
    let incomplete = TestResult { missing: vec![3, 5], seconds: 0.0004, ..result("scenario/d", None) };
    let xml = junit::xml(
        &[
            result("lockstep/a", None),
            result("scenario/b", Some("x < y\u{ffff}\u{1b}\nmore\u{fffe}\0")),
            result("scenario/c", None),
            incomplete,
        ],
        &[("engine".to_string(), "compiled\u{ffff}".to_string())],
    )
    .unwrap();
    assert!(!xml.contains(['\u{fffe}', '\u{ffff}', '\u{1b}', '\0']), "characters that XML does not have");
    assert!(xml.contains(r#"tests="4""#) && xml.contains(r#"failures="1""#), "{xml}");
    assert!(xml.contains("x &lt; y") && xml.contains("repeat with: bcu regress scenario/b"), "{xml}");
    assert_eq!(xml.matches("<testsuite ").count(), 2);
    for part in [
        r#"<testsuites name="bcu regress" tests="4" failures="1" errors="1" time="4.500">"#,
        r#"<failure message="x &lt; y" type="failed">"#,
        r#"<error message="no result of 2 of its parts" type="incomplete"/>"#,
        r#"name="scenario/b" classname="scenario" time="1.500""#,
        "<system-out>seed 7</system-out>",
        r#"<property name="engine" value="compiled"/>"#,
    ] {
        assert!(xml.contains(part), "{part}: {xml}");
    }
    check_schema(&xml);
}
