// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `bcu coverage`: merges the coverage of regressions and reports it. Also makes the text of `bcu
//! regress --coverage-data`.

use bcu_cli::cmd::coverage::Args;
use bcu_cli::failure::{print, Failure, Outcome, Result};
use bcu_cli::files::{read, Batch};
use bcu_cli::outputs::{are_distinct, are_writable, NamedFile};
use bcu_tb::coverage::data::{Data, DataError};
use bcu_tb::coverage::html::html;
use bcu_tb::coverage::{percent, Gaps, Table};
use bcu_tb::regress::result::TestResult;
use bcu_tb::shell;
use std::path::Path;

pub fn run(args: Args) -> Result {
    let html_file: Vec<NamedFile> = args.html.iter().map(|path| ("`--html`", path.as_path())).collect();
    let output: Vec<NamedFile> = args.output.iter().map(|path| ("`--output`", path.as_path())).collect();
    are_writable(&[&output[..], &html_file[..]].concat(), &[])?;
    // The data may replace one of the files that it is merged from. A report is no data.
    let inputs: Vec<NamedFile> = args.data.iter().map(|path| ("a file of coverage data", path.as_path())).collect();
    are_distinct(&html_file, &inputs)?;
    let files = args.data.iter().map(|path| {
        let shown = path.display().to_string();
        let data = Data::parse(&shown, &read(path, &shown)?).map_err(refused)?;
        data.check_points(&shown).map_err(refused)?;
        Ok((shown, data))
    });
    let data = Data::merge(files.collect::<Result<Vec<_>>>()?).map_err(refused)?;
    let mut batch = Batch::default();
    if let Some(path) = &args.output {
        batch.add(path, json(path, &data)?)?;
    }
    if let Some(path) = &args.html {
        let words = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned());
        batch.add(path, html(&data, &format!("bcu {}", shell::line(words))))?;
    }
    batch.commit()?;
    print(&(data.tables().iter().map(|table| shown(table, args.all)).collect::<String>() + &summary(&data)))?;
    let is_closed = |table: &Table| table.uncovered().is_empty() && table.contradicted().is_empty();
    Ok(if data.tables().iter().all(is_closed) { Outcome::Good } else { Outcome::CheckFailed })
}

/// The coverage of the tests of a regression as data, for the file at `path`; `build` is the program that ran them.
pub fn of_results(path: &Path, results: &[TestResult], build: String) -> Result<String> {
    let tables = results.iter().filter_map(|result| result.coverage.clone()).collect();
    json(path, &Data::new(&path.display().to_string(), tables).map_err(refused)?.of_build(build))
}

/// A table as text: its summary, and the missing points or all points.
pub fn shown(table: &Table, all: bool) -> String {
    if all {
        format!("{table}\n")
    } else {
        Gaps(table).to_string()
    }
}

fn json(path: &Path, data: &Data) -> Result<String> {
    data.to_json().map_err(|error| Failure::plain(format!("cannot write {}: {error}", path.display()), None))
}

fn refused(error: DataError) -> Failure {
    Failure::plain(&error, Some(error.help()))
}

/// The sum of all tables, in one line.
fn summary(data: &Data) -> String {
    let covered = data.total();
    format!("coverage of all: {} of {} points, {} %\n", covered.0, covered.1, percent(covered))
}
