// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Timelines and their pictures: the recording matches the report, and the SVG is well-formed, reproducible, and inside its frame.

use super::runs::model;
use bcu_isa::config;
use bcu_machine::timeline::{Interval, Recorder, State, Timeline};
use bcu_machine::view::svg;
use bcu_machine::view::title::Title;
use bcu_machine::{run, Machine, Report, Verdict};
use bcu_program::{load, Kind, Launch};
use quick_xml::events::Event;
use quick_xml::Reader;

const HANG: &str = include_str!("../../../examples/hang.bcu");
const PIPE: &str = include_str!("../../../examples/producer_consumer.bcu");

pub fn record(text: &str, machine: &str, config: &str, recorder: Recorder) -> (Report, Timeline) {
    let config = config::named(config).unwrap();
    let mut machine = Machine::parse(machine).unwrap();
    let loaded = load(Kind::Bcu, text, &Launch::new(config.lanes as u32)).unwrap();
    machine.size(loaded.threads);
    let mut dut = model(&config);
    let mut recorder = recorder;
    let report = run(&mut *dut, &config, &machine, &loaded.programs, &mut |cycle| recorder.cycle(cycle)).unwrap();
    (report, recorder.finish())
}

/// The numbers of a picture: width and height, the rectangles, all texts.
pub struct Seen {
    pub size: (f64, f64),
    pub rects: Vec<(f64, f64, f64, f64)>,
    pub texts: Vec<String>,
}

/// Parses the picture as XML, and fails if it is malformed.
pub fn look(text: &str) -> Seen {
    let mut reader = Reader::from_str(text);
    let mut drawn = Seen { size: (0.0, 0.0), rects: vec![], texts: vec![] };
    let mut pattern = false;
    loop {
        let event = reader.read_event().unwrap();
        let (element, open) = match &event {
            Event::Start(e) => (e, true),
            Event::Empty(e) => (e, false),
            Event::End(e) => {
                pattern &= e.name().as_ref() != b"pattern";
                continue;
            }
            Event::Text(t) => {
                drawn.texts.push(t.decode().unwrap().into_owned());
                continue;
            }
            Event::Eof => return drawn,
            _ => continue,
        };
        let number = |name: &str| -> f64 {
            let value = element.try_get_attribute(name).unwrap().unwrap_or_else(|| panic!("no {name} in {element:?}"));
            std::str::from_utf8(&value.value).unwrap().parse().unwrap()
        };
        match element.name().as_ref() {
            b"svg" => drawn.size = (number("width"), number("height")),
            b"pattern" => pattern = open,
            b"rect" if !pattern => {
                let at = |name| if element.try_get_attribute(name).unwrap().is_some() { number(name) } else { 0.0 };
                drawn.rects.push((at("x"), at("y"), number("width"), number("height")));
            }
            b"text" => assert!((0.0..=drawn.size.0).contains(&number("x")) && (0.0..=drawn.size.1).contains(&number("y"))),
            // The pattern contains no paths.
            b"path" => {
                let d = element.try_get_attribute("d").unwrap().unwrap();
                let d = std::str::from_utf8(&d.value).unwrap().replace(['M', 'L', 'Z'], " ");
                let points: Vec<f64> = d.split_whitespace().map(|n| n.parse().unwrap()).collect();
                let inside = |p: &[f64]| (0.0..=drawn.size.0).contains(&p[0]) && (0.0..=drawn.size.1).contains(&p[1]);
                assert!(points.chunks(2).all(inside), "{d} in {:?}", drawn.size);
            }
            b"script" => panic!("a script"),
            _ => {}
        }
    }
}

fn picture(report: &Report, timeline: &Timeline) -> Seen {
    let title = Title { program: "<p> & \"q\".bcu", config: "default" };
    let text = svg(&title, report, timeline);
    assert_eq!(text, svg(&title, report, timeline));
    assert!(!text.contains("href") && !text.contains("NaN") && !text.contains("inf"));
    let seen = look(&text);
    for (x, y, w, h) in &seen.rects {
        let inside = *x >= 0.0 && *y >= 0.0 && *w > 0.0 && *h > 0.0 && x + w <= seen.size.0 && y + h <= seen.size.1;
        assert!(inside, "{x} {y} {w} {h} in {:?}", seen.size);
    }
    seen
}

/// Asserts that every interval follows the previous one, and that the waits match the report.
fn agrees(report: &Report, timeline: &Timeline) {
    assert_eq!(timeline.rows.len(), report.warps.len());
    for (row, warp) in timeline.rows.iter().zip(&report.warps) {
        assert_eq!((row.cta, row.warp), (warp.cta, warp.warp));
        assert!(row.intervals.windows(2).all(|pair| pair[0].to == pair[1].from), "{row:?}");
        assert!(row.intervals.iter().all(|i| i.from < i.to), "{row:?}");
        let waits = |i: &&Interval| matches!(i.state, State::Waiting(_) | State::Memory);
        let waited: u64 = row.intervals.iter().filter(waits).map(|i| i.to - i.from).sum();
        assert_eq!(waited, warp.waited, "{row:?}");
        let exit = row.intervals.iter().find(|i| i.state == State::Exited);
        assert_eq!(exit.map(|i| i.from), warp.exited.map(|c| c + 1));
    }
}

#[test]
fn intervals_tile_the_run_and_agree_with_the_report() {
    for (text, machine) in [
        (PIPE, ""),
        (HANG, ""),
        (PIPE, "policy = 'random'\n[[cta]]\ncount = 20\n"),
        (".cta_warps 3\n.warps 0-1\nBAR.SYNC 0x0\n.warps 2\nNOP 50\n", ""),
        (".cta_warps 2\nNOP 5\nNOP 5\nST.SHARED\nBAR.SYNC 0x0\nLD.GLOBAL\nNOP\nBAR.SYNC 0x1\n", "[latency]\nshared = 1\n"),
    ] {
        let (report, timeline) = record(text, machine, "default", Recorder::default());
        agrees(&report, &timeline);
        picture(&report, &timeline);
    }
}

#[test]
fn busy_steps_and_held_barriers_have_their_lengths_and_places() {
    let text = ".cta_warps 1\nNOP 7\nNOP 9\nST.SHARED\nBAR.SYNC 0x0\n";
    let (_, timeline) = record(text, "[latency]\nshared = 30\n", "tiny", Recorder::default());
    let row = &timeline.rows[0];
    let of = |state| {
        row.intervals.iter().filter(move |i| i.state == state).map(|i| (i.to - i.from, i.first.line)).collect::<Vec<_>>()
    };
    // The unit counts the access before the warp may issue the next one.
    assert_eq!(of(State::Busy), [(7, 2), (9, 3), (2, 4)]);
    let (memory, waits) = (of(State::Memory), of(State::Waiting(0)));
    // The arrival is parked until it has its effects, which complete the barrier.
    assert_eq!((memory.len(), memory[0].1, waits.len()), (1, 5, 1));
    // The warp is held for 30 cycles from the access on, then for the latency of the arrival through the unit.
    let held: u64 = memory.iter().chain(&waits).map(|(cycles, _)| cycles).sum();
    assert!((30..40).contains(&held) && memory[0].0 > 20, "{held} {memory:?}");
}

#[test]
fn a_picture_says_what_happened() {
    let (report, timeline) = record(PIPE, "", "default", Recorder::default());
    let drawn = picture(&report, &timeline);
    let all = drawn.texts.join("\n");
    for part in [
        "completed after",
        "CTA 0",
        " producer",
        " consumer",
        "1 #2",
        "waits at barrier 1, generation 2",
        "line 20: BAR.SYNC 0x0, 0x80",
    ] {
        assert!(all.contains(part), "{part} in\n{all}");
    }
    for g in &report.generations {
        assert!(all.contains(&format!("CTA 0, barrier {}, generation {}: 128 threads", g.id, g.number)));
        assert!(all.contains(&format!("released in cycle {}", g.released)));
    }
    assert!(!all.contains("hung") && !all.contains("not recorded"));
}

#[test]
fn who_waits_for_ever_waits_to_the_right_edge() {
    let (report, timeline) = record(HANG, "", "default", Recorder::default());
    assert_eq!(report.verdict, Verdict::Hung);
    let blocked = timeline.rows.iter().filter_map(|r| r.intervals.last());
    assert!(
        blocked.clone().count() == 4 && blocked.clone().all(|i| matches!(i.state, State::Waiting(_)) && i.to == report.cycles)
    );
    let all = picture(&report, &timeline).texts.join("\n");
    assert!(all.contains("hung") && all.contains("for ever: 3 of 4 arrived, missing: warp 3"), "{all}");
}

/// The lines of all tooltips and texts about a wait that never ends.
fn waits(report: &Report, timeline: &Timeline) -> Vec<String> {
    let all = picture(report, timeline).texts.into_iter();
    all.flat_map(|text| text.lines().map(str::to_string).collect::<Vec<_>>()).filter(|line| line.starts_with("cta")).collect()
}

#[test]
fn arrows_lead_from_those_who_wait_for_ever_to_those_who_are_missing() {
    let (report, timeline) = record(HANG, "", "default", Recorder::default());
    let waits = waits(&report, &timeline);
    // For each barrier the picture has a line, and at the ends of the line a mark for each waiting warp and each missing warp.
    let expected = [
        "cta0.w0, cta0.w1, cta0.w2 wait at barrier 1 for cta0.w3",
        "cta0.w0 waits at barrier 1 for cta0.w3",
        "cta0.w1 waits at barrier 1 for cta0.w3",
        "cta0.w2 waits at barrier 1 for cta0.w3",
        "cta0.w0, cta0.w1, cta0.w2 wait at barrier 1 for cta0.w3",
        "cta0.w3 waits at barrier 2 for cta0.w0, cta0.w1, cta0.w2",
        "cta0.w3 waits at barrier 2 for cta0.w0, cta0.w1, cta0.w2",
        "cta0.w3 waits at barrier 2 for cta0.w0",
        "cta0.w3 waits at barrier 2 for cta0.w1",
        "cta0.w3 waits at barrier 2 for cta0.w2",
    ];
    assert_eq!(waits, expected);
    let all = picture(&report, &timeline).texts.join("\n");
    assert_eq!(all.matches("these warps wait for each other: a circular wait").count(), expected.len(), "{all}");
    assert!(all.contains("wait for each other") && !all.contains("waits for ever for"), "{all}");
    let text = svg(&Title { program: "hang", config: "default" }, &report, &timeline);
    // The mark of a missing warp occurs five times: for four warps and in the legend.
    assert_eq!(text.matches("Z\" fill=\"#c81e1e\"").count(), 5);
}

#[test]
fn a_wait_for_one_who_has_exited_is_no_circle() {
    let text = ".cta_warps 3\n.warps 0-1 left\nBAR.SYNC 0x1, 0x60\n.warps 2 gone\nEXIT\n";
    let (report, timeline) = record(text, "", "default", Recorder::default());
    assert_eq!(waits(&report, &timeline).len(), 4);
    let all = picture(&report, &timeline).texts.join("\n");
    assert!(all.contains("cta0.w0 waits at barrier 1 for cta0.w2") && all.contains("waits for ever for"), "{all}");
    assert!(!all.contains("each other"), "{all}");
    // A completed run has no endless wait.
    let (report, timeline) = record(PIPE, "", "default", Recorder::default());
    assert_eq!(waits(&report, &timeline), [""; 0]);
}

#[test]
fn neighbours_who_wait_for_the_same_are_one_arrow() {
    let text = ".cta_warps 16\n.warps 0-6 here\nBAR.SYNC 0x1\n.warps 7 other\nBAR.SYNC 0x2\n.warps 8-15 here\nBAR.SYNC 0x1\n";
    let (report, timeline) = record(text, "", "default", Recorder::default());
    let seen = waits(&report, &timeline);
    // For each of the two barriers the picture has the line, a bracket on both sides of warp 7, and warp 7.
    assert_eq!(seen.len(), 8, "{seen:#?}");
    assert!(seen
        .contains(&"cta0.w0, cta0.w1, cta0.w2, cta0.w3, cta0.w4, cta0.w5, cta0.w6 wait at barrier 1 for cta0.w7".to_string()));
    // Several CTAs that hang in the same way need no more space than one.
    let width = |count: usize| {
        let (report, timeline) = record(HANG, &format!("[[cta]]\ncount = {count}\n"), "default", Recorder::default());
        picture(&report, &timeline).size.0
    };
    assert_eq!(width(6), width(1));
}

#[test]
fn faults_have_a_mark_with_their_sentence() {
    let (report, timeline) = record(".cta_warps 2\nBAR.SYNC 0x1, 0x60\n", "", "default", Recorder::default());
    let all = picture(&report, &timeline).texts.join("\n");
    assert!(all.contains("count_exceeds_cta, reported in cycle") && all.contains("line 2: BAR.SYNC 0x1, 0x60"), "{all}");
}

#[test]
fn a_long_run_of_many_warps_is_a_picture_of_bounded_size() {
    let mut text = ".cta_warps 64\n".to_string();
    for round in 0..60 {
        text += &format!("NOP {}\nST.SHARED\nBAR.SYNC {:#x}\n", 2 + round % 9, round % 16);
    }
    let (report, timeline) = record(&text, "", "large", Recorder::default());
    agrees(&report, &timeline);
    let intervals: usize = timeline.rows.iter().map(|r| r.intervals.len()).sum();
    let seen = picture(&report, &timeline);
    // On a thousand pixels, every 32 pixels form a block of at most two colours.
    assert!(intervals > 20_000 && seen.rects.len() < 64 * 120, "{intervals} {}", seen.rects.len());
    // A warp that is idle for a million cycles is one bar.
    let (report, timeline) = record(".cta_warps 1\nNOP 1000000\n", "max_cycles = 2000000", "tiny", Recorder::default());
    assert!(picture(&report, &timeline).rects.len() < 20);
}

#[test]
fn too_many_intervals_are_cut_with_a_note() {
    let (report, whole) = record(PIPE, "", "default", Recorder::default());
    let (_, cut) = record(PIPE, "", "default", Recorder::with_limit(12));
    let stopped = cut.stopped.unwrap();
    assert!(stopped < report.cycles && whole.stopped.is_none());
    let kept: usize = cut.rows.iter().map(|r| r.intervals.len()).sum();
    assert!((12..=12 + 4).contains(&kept), "{kept}");
    let all = picture(&report, &cut).texts.join("\n");
    assert!(all.contains(&format!("shown up to cycle {stopped} only")) && all.contains("not recorded"), "{all}");
}
