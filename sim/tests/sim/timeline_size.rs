// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Pictures of long runs, of many warps, and of a window of the cycles: readable, small, and with what they leave out.

use super::timeline::{look, record};
use bcu_machine::report::Report;
use bcu_machine::timeline::{Recorder, State, Timeline};
use bcu_machine::view::title::Title;
use bcu_machine::view::{svg, svg_of};
use bcu_machine::window::Window;

const TITLE: Title = Title { program: "p.bcu", config: "default" };

/// Eight warps that meet at a named barrier and at an mbarrier in each round.
fn rounds(rounds: usize) -> String {
    format!(
        ".cta_warps 8\n.warps 0-7\nMOV R4, 0x100\nSETP P0, 0x1\nMOV R9, 0\nSHL R2, LANEID, 2\n.warps 0\n@P0 MBAR.INIT [R4], 256\n\
         .warps 0-7\nBAR.SYNC 0x0\nLOOP {rounds}\n  ST.SHARED [R2+0x200], R9\n  NOP 7\n  BAR.SYNC 0x1\n  LD.GLOBAL R3, [R2]\n\
         ADD R3, R3, 1\n  MBAR.ARRIVE RZ, [R4], 1\n  MBAR.TRY.PARITY P1, [R4], R9\n  XOR R9, R9, 1\nEND\n"
    )
}

fn ran(text: &str, machine: &str) -> (Report, Timeline) {
    record(text, machine, "default", Recorder::default())
}

#[test]
fn a_hundred_thousand_cycles_are_a_small_picture_with_shares() {
    let (report, timeline) = ran(&rounds(300), "max_cycles = 400000\n[latency]\nspread = 50\n");
    assert!(report.cycles > 100_000 && timeline.stopped.is_none(), "{}", report.cycles);
    let text = svg(&TITLE, &report, &timeline);
    assert!(text.len() < 200_000, "{} bytes", text.len());
    let seen = look(&text);
    // Every bar is wide enough to be pointed at.
    let plot: Vec<_> = seen.rects.iter().filter(|(x, _, w, _)| *x > 200.0 && *w < 1000.0).collect();
    assert!(plot.len() > 100 && plot.iter().filter(|(_, _, w, _)| *w < 2.0).count() <= 16, "{}", plot.len());
    let blocks: Vec<&String> = seen.texts.iter().filter(|text| text.contains(" intervals\n")).collect();
    assert!(blocks.len() > 100, "{}", blocks.len());
    for block in blocks {
        let shares = block.lines().filter_map(|line| line.split_once(" % ")?.0.parse::<u64>().ok());
        let sum: u64 = shares.sum();
        assert!(block.starts_with("cycles ") && (90..=104).contains(&sum), "{block}");
    }
    assert!(seen.texts.iter().any(|text| text.contains("more at this place")));
}

#[test]
fn a_window_shows_its_cycles_alone() {
    let (report, timeline) = ran(&rounds(20), "");
    let window = Window { from: 2000, to: Some(2500) };
    let text = svg_of(&TITLE, &report, &timeline, window);
    let seen = look(&text);
    let has = |part: &str| seen.texts.iter().any(|text| text.contains(part));
    assert!(has("cycles 2000 to 2499") && has("completed after"), "{:?}", seen.texts);
    let ticks: Vec<u64> = seen.texts.iter().filter_map(|text| text.parse().ok()).filter(|n| *n >= 100).collect();
    assert!(!ticks.is_empty() && ticks.iter().all(|tick| (2000..=2500).contains(tick)), "{ticks:?}");
    // The releases in the window have lines, the others have none.
    let released = |cycle: u64| seen.texts.iter().any(|text| text.contains(&format!("\nreleased in cycle {cycle}:")));
    for generation in &report.generations {
        let is_inside = (2000..2500).contains(&(generation.released + 1));
        assert_eq!(released(generation.released), is_inside, "{}", generation.released);
    }
    for (x, _, w, _) in &seen.rects {
        assert!(x + w <= seen.size.0, "{x} {w}");
    }
    // A recorder of the window keeps what the picture needs, and nothing else.
    let (_, cut) = record(&rounds(20), "", "default", Recorder::of_window(window));
    assert!(cut.rows.iter().flat_map(|row| &row.intervals).all(|i| i.to > 2000 && i.from < 2500));
    let intervals = |timeline: &Timeline| timeline.rows.iter().map(|row| row.intervals.len()).sum::<usize>();
    assert!(intervals(&cut) > 20 && intervals(&cut) * 3 < intervals(&timeline), "{}", intervals(&cut));
    let bars = |timeline: &Timeline| look(&svg_of(&TITLE, &report, timeline, window)).rects.len();
    assert_eq!(bars(&cut), bars(&timeline));
}

#[test]
fn a_window_before_the_end_of_a_hang_has_no_arrows() {
    let text = ".cta_warps 2\n.warps 0 a\nBAR.SYNC 0x1\n.warps 1 b\nBAR.SYNC 0x2\n";
    let (report, timeline) = ran(text, "");
    let texts = |to: Option<u64>| look(&svg_of(&TITLE, &report, &timeline, Window { from: 300, to })).texts.join("\n");
    let (early, late) = (texts(Some(400)), texts(None));
    assert!(
        early.contains("hung: ") && !early.contains("wait for each other") && late.contains("wait for each other"),
        "{early}"
    );
    // A window that is longer than the run ends with it.
    assert_eq!(texts(Some(1_000_000)), late);
}

#[test]
fn of_many_warps_those_that_hang_are_shown_first() {
    let text = ".cta_warps 1\nBAR.SYNC 0x0\n";
    let (report, timeline) = ran(text, "[[cta]]\ncount = 300\n");
    let texts = look(&svg(&TITLE, &report, &timeline)).texts;
    assert!(texts.iter().any(|text| text.starts_with("128 of 300 warps are shown")), "{:?}", &texts[..8]);
    assert!(texts.contains(&"CTA 127".to_string()) && !texts.contains(&"CTA 128".to_string()));
    let hangs = "[[cta]]\ncount = 200\nprograms = [\"a\"]\n[[cta]]\nprograms = [\"b\"]\n";
    let two = ".cta_warps 2\n.warps 0 a\nBAR.SYNC 0x0\n.warps 1 b\nBAR.SYNC 0x1, 0x40\n";
    let (report, timeline) = ran(two, hangs);
    let texts = look(&svg(&TITLE, &report, &timeline)).texts;
    assert!(texts.contains(&"CTA 200".to_string()) && texts.contains(&"CTA 126".to_string()), "{texts:?}");
    assert!(!texts.contains(&"CTA 128".to_string()));
    assert!(timeline.rows.iter().any(|row| row.intervals.iter().any(|i| i.state == State::Waiting(1))));
}
