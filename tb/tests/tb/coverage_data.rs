// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Coverage as data: merged files, and the report.

use bcu_isa::config::named;
use bcu_tb::coverage::data::{Data, DataError};
use bcu_tb::coverage::html::html;
use bcu_tb::coverage::runs::Run;
use bcu_tb::coverage::{Hits, Point, RunHits, Table};

/// The coverage of `grid` at `tiny` after a run from `seed`, with these hits.
fn data(seed: u64, cycles: u64, hits: &[(&str, u64)]) -> Data {
    let mut table = Table::for_unit(&named("tiny").unwrap(), "grid").unwrap();
    let hits: Hits = hits.iter().map(|(name, hits)| (name.to_string(), *hits)).collect();
    table.add(&RunHits { run: Run { seed, cycles }, hits });
    Data::new("file", vec![table]).unwrap()
}

fn merged(files: &[&Data]) -> Result<Data, DataError> {
    Data::merge(files.iter().enumerate().map(|(at, data)| (format!("{at}.json"), (*data).clone())).collect())
}

/// The name of a point of `grid` at `tiny`.
fn name() -> String {
    data(0, 0, &[]).tables()[0].points[0].name.clone()
}

#[test]
fn what_is_written_is_read_again() {
    let data = data(u64::MAX, 5_000, &[(&name(), u64::MAX), ("a \"quoted\" point", 1)]);
    let text = data.to_json().unwrap();
    assert_eq!(Data::parse("file", &text).unwrap(), data);
    assert_eq!(text.lines().filter(|line| line.contains("\"hits\"")).count(), data.tables()[0].points.len());
}

#[test]
fn hits_add_up_in_any_order() {
    let name = name();
    let files = [data(4, 10_000, &[(&name, 3)]), data(6, 5_000, &[]), data(1, 15_000, &[(&name, 4)])];
    let all = merged(&[&files[0], &files[1], &files[2]]).unwrap();
    let table = &all.tables()[0];
    assert_eq!(table.point(&name).unwrap().hits, 7);
    assert_eq!((&table.runs[..], table.cycles()), (&[Run { seed: 1, cycles: 30_000 }][..], 30_000));
    assert_eq!(merged(&[&files[2], &files[1], &files[0]]).unwrap(), all);
    let joined = merged(&[&files[0], &files[1]]).unwrap();
    assert_eq!(merged(&[&joined, &files[2]]).unwrap(), all);
}

#[test]
fn runs_that_do_not_continue_each_other_remain_apart() {
    let runs = |files: &[&Data]| merged(files).unwrap().tables()[0].runs.clone();
    let (whole, broken_off, gap) = (data(0, 5_000, &[]), data(0, 4_000, &[]), data(2, 5_000, &[]));
    let next = data(1, 5_000, &[]);
    assert_eq!(runs(&[&whole, &next]), [Run { seed: 0, cycles: 10_000 }]);
    assert_eq!(runs(&[&next, &broken_off]).len(), 2);
    assert_eq!(runs(&[&whole, &gap]).len(), 2);
}

#[test]
fn a_seed_that_two_runs_have_is_refused() {
    let run = |seed, cycles| data(seed, cycles, &[]);
    for (one, other, seed) in [
        (run(3, 5_000), run(3, 5_000), 3),
        (run(0, 20_000), run(3, 10_000), 3),
        (run(3, 10_000), run(0, 20_000), 3),
        (run(3, 1), run(0, 100_000), 3),
        (run(u64::MAX, 10_000), run(0, 5_000), 0),
    ] {
        let error = merged(&[&one, &run(7_000, 5_000), &other]).unwrap_err();
        assert_eq!(error.to_string(), format!("0.json and 2.json: both have the seed {seed} of grid/tiny"));
    }
    assert!(merged(&[&run(0, 4_000), &run(1, 5_000), &run(u64::MAX, 5_000)]).is_ok());
}

/// Files can be merged even if only some of them have hits of a point that the unit does not list.
#[test]
fn a_point_that_is_not_listed_is_merged() {
    let (with, without, again) = (data(0, 5_000, &[("surprise", 2)]), data(1, 5_000, &[]), data(2, 5_000, &[("surprise", 2)]));
    for files in [[&with, &without], [&without, &with]] {
        let all = merged(&files).unwrap();
        assert_eq!(all.tables()[0].contradicted(), ["surprise"]);
    }
    let twice = merged(&[&with, &without, &again]).unwrap();
    assert_eq!(twice.tables()[0].point("surprise").unwrap().hits, 4);
}

#[test]
fn hits_beyond_the_largest_number_are_that_number() {
    let name = name();
    let most = |seed| data(seed, u64::MAX, &[(&name, u64::MAX)]);
    let all = merged(&[&most(0), &most(u64::MAX / 2)]).unwrap();
    assert_eq!((all.tables()[0].point(&name).unwrap().hits, all.tables()[0].cycles()), (u64::MAX, u64::MAX));
    assert!(html(&all, "bcu coverage").contains("18,446,744,073,709,551,615"));
}

/// A table whose texts contain HTML markup, which the report must escape.
fn hostile() -> Table {
    let point = |name: &str, hits, unreachable: Option<&str>| Point {
        name: name.to_string(),
        meaning: "</td><script>alert('1')</script> & more".to_string(),
        hits,
        unreachable: unreachable.map(str::to_string),
    };
    let points = vec![
        point("\"", 0, Some("<i>never</i>")),
        point("<!-- tables -->", 1_234_567, None),
        point("<b>\u{1b}", 0, None),
        point("z", 1, Some("never")),
    ];
    Table { unit: "a\" onclick=\"x".to_string(), config: "<svg>".to_string(), runs: vec![], points }
}

#[test]
fn the_report_is_one_file_in_which_every_text_is_escaped() {
    let text = html(&Data::new("file", vec![hostile()]).unwrap(), "bcu coverage");
    assert_eq!(text.matches("<script").count(), 1);
    for markup in ["<b></td>", "<i>never", "<svg", "onclick=\"", "<!-- tables", "<!-- verdict", "alert('1')", "\u{1b}"] {
        assert!(!text.contains(markup), "{markup}");
    }
    for shown in
        ["&lt;!-- tables --&gt;", "&lt;i&gt;never&lt;/i&gt;", "alert(&#39;1&#39;)", "&amp; more", "a&quot; onclick=&quot;x"]
    {
        assert!(text.contains(shown), "{shown}");
    }
    for elsewhere in ["http:", "https:", "src=", "<link", "@import", "url("] {
        assert!(!text.contains(elsewhere), "{elsewhere}");
    }
}

#[test]
fn the_report_shows_counts_states_and_reasons() {
    let text = html(&Data::new("file", vec![hostile()]).unwrap(), "bcu coverage");
    assert!(text.contains("<b>1 point is missing</b>, <b>1 point was reached although unreachable</b>"), "{text}");
    for part in ["1,234,567", "MISSING", "REACHED although unreachable", "Unreachable: never", "<b>1/2</b>", "width:50%"] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let empty = data(0, 0, &[]);
    let reachable: Vec<(&str, u64)> = empty.tables()[0].uncovered().into_iter().map(|name| (name, 1)).collect();
    let text = html(&data(7, 12_500, &reachable), "bcu coverage");
    assert!(text.contains("every reachable point was reached") && text.contains("12,500 cycles, seeds 7 to 9"), "{text}");
}

#[test]
fn merged_data_and_its_report_name_the_builds_and_the_command() {
    let build = |seed: u64, name: &str| data(seed, 5_000, &[]).of_build(name.to_string());
    let all = merged(&[&build(2, "bcu-tb 2"), &build(1, "bcu-tb <1>"), &build(0, "bcu-tb 2"), &data(3, 5_000, &[])]).unwrap();
    assert_eq!(all.builds().collect::<Vec<_>>(), ["bcu-tb 2", "bcu-tb <1>"]);
    assert_eq!(Data::parse("file", &all.to_json().unwrap()).unwrap(), all);
    let text = html(&all, "bcu coverage 'a & b'");
    assert!(
        text.contains("with <code>bcu coverage &#39;a &amp; b&#39;</code>, from runs of bcu-tb 2; bcu-tb &lt;1&gt;. "),
        "{text}"
    );
    assert!(html(&data(0, 5_000, &[]), "").contains("from runs of builds that the data does not name. "));
}
