// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `docs/evidence/spec-003.md` and `docs/evidence/spec-004.md` name only existing tests.

use std::path::Path;

#[test]
fn every_test_that_the_pages_name_exists() {
    assert!(sentences("docs/evidence/spec-003.md") > 70);
    assert!(sentences("docs/evidence/spec-004.md") > 20);
}

/// The sentences of a page, each of which has its test.
fn sentences(page: &str) -> usize {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = std::fs::read_to_string(root.join(page)).unwrap();
    let mut rows = 0;
    for line in page.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| sentence ")) {
        let cells: Vec<&str> = line.split(" | ").collect();
        let [_, test, _] = cells[..] else { panic!("three columns: {line}") };
        let mut names = test.split('`').skip(1).step_by(2);
        let (Some(file), Some(function), None) = (names.next(), names.next(), names.next()) else {
            panic!("file and test: {line}")
        };
        let text = std::fs::read_to_string(root.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
        let is = |(before, name): (&str, &str)| before.ends_with("]\n") && name.starts_with(&format!("fn {function}()"));
        let starts = text.match_indices("fn ").map(|(at, _)| text.split_at(at));
        assert!(starts.into_iter().any(is), "{file} has no test `{function}`");
        rows += 1;
    }
    rows
}
