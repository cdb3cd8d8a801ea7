// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `bcu check --picture`: the run and the run of the schedule that fails in one picture, with the two operations that differ in order.

use crate::common::{example, Bench, Done};
use quick_xml::events::Event;
use quick_xml::Reader;
use serde_json::Value;

const FLAG: &str = "schedules/flag_read_once.ptx --fill zero";

/// A check of an example with the options `options`.
fn check(bench: &Bench, program: &str, options: &str) -> Done {
    bench.run(&format!("check {} {options}", example(program)))
}

/// The texts of the picture, each element of text as one; fails if the picture is malformed XML.
fn texts(svg: &str) -> Vec<String> {
    let mut reader = Reader::from_str(svg);
    let (mut texts, mut open) = (vec![], None::<String>);
    loop {
        match reader.read_event().unwrap() {
            Event::Start(element) if matches!(element.name().as_ref(), b"text" | b"title") => open = Some(String::new()),
            Event::End(element) if matches!(element.name().as_ref(), b"text" | b"title") => texts.extend(open.take()),
            Event::Text(text) => open.iter_mut().for_each(|open| *open += &text.decode().unwrap()),
            Event::GeneralRef(_) => open.iter_mut().for_each(|open| *open += "&"),
            Event::Eof => return texts,
            _ => {}
        }
    }
}

/// The tooltips of the marks, in the order in which they are drawn: number, cycle and instruction.
fn marks(texts: &[String]) -> Vec<&str> {
    texts.iter().map(String::as_str).filter(|text| text.contains(": takes effect in cycle ")).collect()
}

#[test]
fn the_picture_of_the_page_is_fresh() {
    let bench = Bench::new();
    let done = check(&bench, FLAG, "--schedules 10 --picture t.svg");
    assert_eq!(done.code, 1, "{done:?}");
    assert!(done.stdout.ends_with("picture: t.svg\n"), "{done:?}");
    assert_eq!(bench.files(), ["t.svg"]);
    let committed = std::fs::read_to_string(example("../docs/pictures/two_orders.svg")).unwrap_or_default();
    assert!(bench.text("t.svg") == committed, "docs/pictures/two_orders.svg is stale: cargo xtask regen");
}

#[test]
fn both_runs_have_a_title_and_both_operations_in_their_order() {
    let bench = Bench::new();
    for (program, other, [first, second]) in [
        (FLAG, "other schedule: hangs; ", ["line 25: @%lead st.relaxed", "line 35: ld.relaxed"]),
        (
            "schedules/phase_missed.ptx",
            "other schedule: hangs; ",
            ["line 44: mbarrier.try_wait", "line 40: @%lead mbarrier.arrive"],
        ),
        ("schedules/arrive_twice.ptx", "other schedule: hangs; ", ["line 27: bar.sync", "line 24: bar.arrive"]),
    ] {
        let done = check(&bench, program, "--reverse 4 --picture t.svg");
        assert_eq!(done.code, 1, "{program}: {done:?}");
        let texts = texts(&bench.text("t.svg"));
        let title = |begin: &str| texts.iter().any(|text| text.starts_with(begin));
        assert!(title("this run: completed after ") && title(other), "{program}: {texts:?}");
        let found = marks(&texts);
        let expected = [("1", first), ("2", second), ("1", second), ("2", first)];
        assert_eq!(found.len(), expected.len(), "{program}: {found:?}");
        let cycle = |mark: &str| -> u64 {
            let (_, rest) = mark.split_once("cycle ").unwrap();
            rest.lines().next().unwrap().parse().unwrap()
        };
        for (mark, (number, instruction)) in found.iter().zip(expected) {
            assert!(mark.starts_with(number) && mark.contains(instruction), "{program}: {mark}, expected {instruction}");
            let in_list = format!("cycle {}, {}", cycle(mark), &instruction[..7]);
            assert!(texts.iter().any(|text| text.contains(&in_list)), "{program}: no `{in_list}` in {texts:?}");
        }
        assert!(found.chunks(2).all(|run| cycle(run[0]) < cycle(run[1])), "{program}: {found:?}");
    }
}

#[test]
fn a_result_that_differs_is_in_the_picture_and_in_the_finding() {
    let bench = Bench::new();
    let done = check(&bench, "schedules/ticket.ptx", "--schedules 3 --picture t.svg");
    assert_eq!(done.code, 0, "{done:?}");
    let message =
        "another schedule gives another result, the first of 2 that differ from that of the run: warp 1 of CTA 0 performs its \
                   atomic operation before warp 0 of CTA 0 performs its atomic operation\n";
    assert!(done.stdout.contains(message), "{done:?}");
    let texts = texts(&bench.text("t.svg"));
    for part in ["other schedule: gives another result; completed", "the contents of `out` differ"] {
        assert!(texts.iter().any(|text| text.starts_with(part)), "{part}: {texts:?}");
    }
    let only = check(&bench, "schedules/ticket.ptx", "--schedules 2");
    assert!(only.stdout.contains("another schedule gives another result: warp 1"), "{only:?}");
}

#[test]
fn of_many_ctas_only_those_with_a_mark_are_shown() {
    let bench = Bench::new();
    let done = check(&bench, FLAG, "--grid 24 --schedules 2 --picture t.svg");
    assert_eq!(done.code, 1, "{done:?}");
    let texts = texts(&bench.text("t.svg"));
    assert!(texts.iter().filter(|text| *text == "46 warps of CTAs without a mark are not shown").count() == 2, "{texts:?}");
    assert!(texts.iter().any(|text| text == "CTA 0") && texts.iter().all(|text| text != "CTA 1"), "{texts:?}");
}

#[test]
fn json_has_the_paths_of_the_files_that_are_written() {
    let bench = Bench::new();
    let explored = |options: &str| -> Value {
        let done = check(&bench, FLAG, &format!("{options} --format json"));
        let checked: Value = serde_json::from_str(&done.stdout).unwrap_or_else(|e| panic!("{options}: {e}\n{done:?}"));
        checked["schedules"]["explored"].clone()
    };
    let files = explored("--schedules 2 --save-schedule s.toml --picture p.svg");
    assert_eq!((&files["schedule_file"], &files["picture"]), (&"s.toml".into(), &"p.svg".into()));
    let none = explored("--schedules 2");
    assert_eq!((&none["schedule_file"], &none["picture"]), (&Value::Null, &Value::Null));
    assert_eq!(none["runs"], 2);
}

#[test]
fn a_picture_without_another_result_is_not_written() {
    let bench = Bench::new();
    let done = check(&bench, "schedules/counter.ptx", "--schedules 4 --picture p.svg");
    assert!(
        done.stdout.contains("picture: every executed schedule has the same result, so p.svg was not written\n"),
        "{done:?}"
    );
    assert!(bench.files().is_empty());
    for (options, part) in [
        ("--picture p.svg", "--picture needs an exploration"),
        ("--schedules 2 --picture p.png", "name it like `out.svg`"),
        ("--schedules 2 --picture missing/p.svg", "there is no folder missing"),
        ("--schedules 2 --picture p.svg --save-schedule p.svg", "--picture: p.svg is also --save-schedule"),
    ] {
        let done = check(&bench, FLAG, options);
        assert_eq!((done.code, done.stdout.as_str()), (2, ""), "{options}: {done:?}");
        assert!(done.stderr.contains(part), "{options}: {}", done.stderr);
        assert!(bench.files().is_empty(), "{options}");
    }
}

/// The wait that hangs is repeated until the end of the run, and the picture ends soon after its beginning.
#[test]
fn a_wait_at_an_mbarrier_is_drawn() {
    let bench = Bench::new();
    check(&bench, "schedules/phase_missed.ptx", "--fill zero --schedules 20 --picture t.svg");
    let texts = texts(&bench.text("t.svg"));
    assert!(texts.iter().any(|text| text == "waits at an mbarrier"), "{texts:?}");
    let shown = texts.iter().find_map(|text| text.split_once("cycles, shown up to cycle ").map(|(_, cycle)| cycle.to_string()));
    assert!(shown.is_some_and(|cycle| cycle.parse::<u64>().unwrap() < 1000), "{texts:?}");
}
