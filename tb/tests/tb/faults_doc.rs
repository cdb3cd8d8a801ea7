// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `docs/contract/faults.md` names every fault code with its value, an existing example program, and a test of the code.

use bcu_isa::op::FaultCode;
use bcu_machine::NO_PROGRAM;
use bcu_tb::scenario::text::Suite;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The cells of the table's rows, without their back quotes.
fn rows() -> Vec<Vec<String>> {
    let page = std::fs::read_to_string(root().join("docs/contract/faults.md")).unwrap();
    let cells = |line: &str| line.trim_matches('|').split('|').map(|cell| cell.trim().trim_matches('`').to_string()).collect();
    let rows = page.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| value"));
    rows.map(cells).collect()
}

#[test]
fn the_table_names_every_code_with_its_value_in_order() {
    let rows = rows();
    let named: Vec<(String, String)> = rows.iter().map(|row| (row[0].clone(), row[1].clone())).collect();
    let codes = FaultCode::ALL.iter().skip(1).map(|code| ((*code as usize).to_string(), code.name()));
    assert_eq!(named, codes.collect::<Vec<_>>());
    assert!(rows.iter().all(|row| row.len() == 6 && row.iter().all(|cell| !cell.is_empty())), "a cell is empty");
}

#[test]
fn every_code_has_its_example() {
    for row in rows() {
        let (code, example) = (&row[1], &row[4]);
        if NO_PROGRAM.iter().any(|known| known.name() == *code) {
            assert_eq!(example, "no program can", "{code}");
            continue;
        }
        assert!(root().join("examples").join(example).is_file(), "{code}: examples/{example} does not exist");
        let stem = Path::new(example).file_stem().unwrap().to_str().unwrap();
        assert_eq!(stem, code, "an example is named after its code, which `bcu check` must find in it");
    }
}

#[test]
fn every_code_has_a_test_that_is_about_it() {
    let suite = Suite::compiled_in();
    for row in rows() {
        let (code, test) = (&row[1], &row[5]);
        if test.ends_with(".rs") {
            let text = std::fs::read_to_string(root().join(test)).unwrap_or_else(|e| panic!("{code}: {test}: {e}"));
            let camel: String = code.split('_').map(|word| word[..1].to_uppercase() + &word[1..]).collect();
            assert!(text.contains(code.as_str()) || text.contains(&camel), "{test} is not about {code}");
            continue;
        }
        let entry = suite.entries.iter().find(|entry| entry.name == *test);
        let entry = entry.unwrap_or_else(|| panic!("scenario {test} does not exist"));
        let scenario = entry.scenario.as_ref().unwrap_or_else(|e| panic!("{e}"));
        assert!(scenario.faults().contains(code), "{test} expects no {code}");
    }
}
