// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Registers, predicates, reductions, state words and fault policies on the machine, in programs of BCU assembly and PTX; and
//! the detection of a unit with wrong outputs.

use super::runs::model;
use bcu_isa::config::named;
use bcu_isa::ports::{Dir, Port};
use bcu_machine::report::arrival::{ArrivalForm, Reduction};
use bcu_machine::report::missing::Whereabouts;
use bcu_machine::report::stop::Stop;
use bcu_machine::{run, Cycle, Machine, Report, RunError, Verdict};
use bcu_model::dut::Dut;
use bcu_model::meaning::Meaning;
use bcu_program::{load, Kind};
use std::collections::BTreeSet;

fn run_with(
    dut: &mut dyn Dut,
    kind: Kind,
    machine: &str,
    text: &str,
    observe: &mut dyn FnMut(&Cycle),
) -> Result<Report, RunError> {
    let config = named("tiny").unwrap();
    let mut machine = Machine::parse(machine).unwrap();
    let loaded = load(kind, text, &machine.launch(config.lanes)).unwrap();
    machine.size(loaded.threads);
    run(dut, &config, &machine, &loaded.programs, observe)
}

/// Runs BCU assembly on `tiny`, which has 4 warps of 4 lanes and 4 barriers.
fn report(machine: &str, text: &str) -> Report {
    run_with(model(&named("tiny").unwrap()).as_mut(), Kind::Bcu, machine, text, &mut |_| ()).unwrap()
}

fn results(report: &Report) -> Vec<(Reduction, u32)> {
    report.generations.iter().filter_map(|g| g.reduction.zip(g.value)).collect()
}

#[test]
fn a_report_shows_reductions_in_both_forms() {
    let report = report("", ".cta_warps 2\nSETP P0, 0x5\nBAR.RED.POPC 0x1, P0\nBAR.RED.AND 0x2, P0\nBAR.SYNC 0x0");
    assert_eq!(report.verdict, Verdict::Completed, "{report}");
    assert_eq!(results(&report), [(Reduction::Popc, 4), (Reduction::And, 0)]);
    assert_eq!(report.generations[0].arrivals[0].form, ArrivalForm::Red);
    let text = report.to_string();
    assert!(text.contains("popc = 4") && text.contains("and = 0") && text.contains("0 red@"), "{text}");
    let json = serde_json::to_value(&report).unwrap();
    assert_eq!((&json["generations"][0]["reduction"], &json["generations"][0]["value"]), (&"popc".into(), &4.into()));
    assert!(json["generations"][2]["reduction"].is_null() && json["generations"][2]["value"].is_null());
}

#[test]
fn who_needs_a_loaded_value_waits_for_it_and_others_do_not() {
    // The cycles that the line after a load of 50 cycles takes.
    let words_after = |behind: &str| {
        let text = format!("MOV R5, 3\nMOV R6, 0\nSETP P1, 1\nLD.SHARED R4, [0x0]\n{behind}\nNOP 9");
        let (mut cycle, mut issued, mut reached) = (0, 0, 0);
        let report = run_with(model(&named("tiny").unwrap()).as_mut(), Kind::Bcu, "latency.shared = 50", &text, &mut |seen| {
            issued = if issued == 0 && seen.warp(0).starts_with("l.5 ") { cycle } else { issued };
            reached = if reached == 0 && seen.warp(0).starts_with("l.6 ") { cycle } else { reached };
            cycle += 1;
        });
        assert_ne!(report.unwrap().verdict, Verdict::Hung);
        assert!(issued > 0 && reached > 0, "{issued} {reached}");
        reached - issued
    };
    for waits in [
        "MOV R6, R4",
        "ADD R4, R5, 1",
        "SETP.EQ P0, R4, 4",
        "ST.SHARED [R4], R5",
        "ST.SHARED [0x8], R4",
        "LD.SHARED R4, [0x8]",
        "BAR.SYNC R4",
        "R2B.WARP R4",
        "B2R.WARP R4",
    ] {
        assert!(words_after(waits) > 45, "{waits}");
    }
    for goes_on in ["MOV R6, R5", "NOP", "ST.SHARED [0x0], R5", "SETP P0, 1", "BAR.ARV 0x2, 4", "@P1 NOP"] {
        assert!(words_after(goes_on) < 20, "{goes_on}");
    }
}

#[test]
fn results_steer_what_follows_in_every_lane() {
    let text = ".cta_warps 2\nSETP.EQ P0, LANEID, 2\nBAR.RED.POPC 0x1, P0\nB2R.RESULT R4\nBAR.SYNC R4\n\
                ACTIVE 0x3\nBAR.RED.OR 0x1, P0\nB2R.RESULT RZ, P1\nEND\nSETP.LT P1, LANEID, 5\nACTIVE 0x6\nBAR.RED.AND 0x3, P0\n\
                B2R.RESULT RZ, P1\nEND\nBAR.RED.POPC 0x0, P1";
    let report = report("", text);
    assert_eq!(report.verdict, Verdict::Completed, "{report}");
    let ids: Vec<u8> = report.generations.iter().map(|g| g.id).collect();
    assert_eq!(ids, [1, 2, 1, 3, 0]);
    // The AND is false in the two lanes that requested it; in the other lanes the predicate stays true.
    assert_eq!(results(&report), [(Reduction::Popc, 2), (Reduction::Or, 0), (Reduction::And, 0), (Reduction::Popc, 4)]);
}

#[test]
fn a_warp_saves_and_restores_what_it_waits_for() {
    // The state word makes warp 0 wait at barrier 1, at which warp 0 has arrived. Warp 0 resumes with the arrival of warp 1.
    let text = ".cta_warps 2\n.warps 0\nBAR.ARV 0x1, 8\nMOV R4, 0xf000\nR2B.WARP R4\nB2R.WARP R5\nR2B.BAR 0x2, R5\n\
                .warps 1\nNOP 40\nBAR.ARV 0x1, 8";
    let report = report("", text);
    let generation = &report.generations[0];
    assert_eq!(
        (generation.waits.len(), generation.waits[0].warp, generation.arrivals[0].form),
        (1, 0, ArrivalForm::Arv),
        "{report}"
    );
    // The state word of warp 0 after the wait, 0x3000, only states that there was no reduction. It is not a legal state of a barrier.
    assert_eq!(report.faults.iter().map(|f| (f.code.as_str(), f.warp)).collect::<Vec<_>>(), [("bad_state_word", Some(0))]);
    assert!(report.faults[0].sentence.starts_with("0x00003000"), "{}", report.faults[0].sentence);
}

#[test]
fn arrivals_that_come_with_a_state_word_are_told_apart() {
    // According to the state word one of two warps has arrived; the machine has not recorded that arrival.
    let report = report("", ".cta_warps 2\n.warps 0\nMOV R4, 0x4101\nR2B.BAR 0x1, R4\nBAR.SYNC 0x1, 8");
    let generation = &report.generations[0];
    assert_eq!((generation.restored, generation.arrivals.len(), generation.threads), (1, 1, Some(8)), "{report}");
    assert!(report.to_string().contains("1 restored"), "{report}");
}

#[test]
fn policies_stop_the_warp_where_it_is_refused() {
    let text = ".cta_warps 3\n.warps 0\nBAR.SYNC 0x3, 4\nBAR.ARV 0x1, 16\nBAR.SYNC 0x1\n.warps 1-2\nNOP 30\nBAR.SYNC 0x1";
    let free = report("", text);
    assert_eq!((free.verdict, free.faults.len(), free.faults[0].stopped), (Verdict::Fault, 1, None), "{free}");
    for (policy, how, words) in [("trap", Stop::Trapped, "is trapped"), ("hang", Stop::Hangs, "hangs")] {
        let held = report(&format!("fault_policy = '{policy}'"), text);
        assert_eq!(held.faults[1].code, "deadlock");
        assert_eq!((held.verdict, held.faults.len(), held.faults[0].stopped), (Verdict::Hung, 2, Some(how)), "{held}");
        let hang = held.hang.as_ref().unwrap();
        assert_eq!((hang.stopped.len(), hang.stopped[0].warp, hang.stopped[0].place.line), (1, 0, 4));
        assert_eq!(hang.blocked.iter().map(|b| b.warp).collect::<Vec<_>>(), [1, 2]);
        let missing = &hang.blocked[0].missing;
        assert!(
            matches!(missing[..], [ref m] if matches!(m.whereabouts, Whereabouts::Stopped { .. }) && m.next.is_none()),
            "{missing:?}"
        );
        let text = held.to_string();
        assert!(text.contains(&format!("; the warp {words}")) && text.contains(&format!("CTA 0 warp 0 {words}")), "{text}");
    }
}

#[test]
fn the_next_arrival_is_foreseen_with_the_registers_of_the_warp() {
    let text = ".cta_warps 2\n.warps 0\nBAR.SYNC 0x1, 8\n.warps 1\nMOV R4, 0\nBAR.SYNC 0x2, 8\nLOOP 3\nADD R4, R4, 1\n\
                SETP.EQ P0, R4, 1\n@!P0 BAR.SYNC R4, 8\n@P0 BAR.SYNC R4, 8\nEND";
    let hung = report("", text);
    let blocked = &hung.hang.as_ref().unwrap().blocked;
    let next = blocked[0].missing[0].next.as_ref().unwrap();
    assert_eq!((blocked[0].id, next.line), (1, 11), "{hung}");
}

/// A device that inverts one bit of one output, either in the cycles in which the port is meaningful or in all other cycles.
struct Wrong {
    inner: Box<dyn Dut>,
    meaning: Meaning,
    output: usize,
    bit: u32,
    where_it_means_something: bool,
    cycle: u64,
    turned: bool,
}

impl Dut for Wrong {
    fn ports(&self) -> &[Port] {
        self.inner.ports()
    }

    fn cycle(&mut self, inputs: &[u64], outputs: &mut [u64]) {
        self.inner.cycle(inputs, outputs);
        // Outputs are undefined before the first reset.
        if self.cycle > 0 && self.meaning.holds(self.output, inputs, outputs) == self.where_it_means_something {
            outputs[self.output] ^= 1 << self.bit;
            self.turned = true;
        }
        self.cycle += 1;
    }
}

#[test]
fn a_unit_that_is_wrong_at_any_port_is_contradicted() {
    let config = named("tiny").unwrap();
    // The two mbarriers share an entry, so one is written back and read again; the wait lasts until its limit.
    let text = "MOV R6, 0\nMBAR.INIT [R6], 64\nMBAR.INIT [R6+72], 64\nMBAR.ARRIVE R8, [R6], 1\n\
                MBAR.TRY.PARITY P2, [R6], RZ\nSETP P0, 3\nWARPSYNC 0xf\nBAR.RED.POPC 0x1, P0\nB2R.RESULT R4, P1\n\
                MOV R5, R4\nBAR.SYNC 0x3, R5";
    // Four lanes arrive when their copies are done, although they have no copies.
    let copies = "// bcu: threads 4\n.shared .align 8 .b64 bar;\n.reg .pred p;\n.reg .b32 t;\nmov.u32 t, %tid.x;\n\
                  setp.ne.u32 p, t, 0;\n@p bra READY;\nmbarrier.init.shared.b64 [bar], 4;\nREADY:\nbar.sync 0;\n\
                  cp.async.mbarrier.arrive.noinc.shared.b64 [bar];";
    // This machine has neither a network nor a hub, so their ports are never meaningful.
    let absent = |p: &Port| ["net_", "cluster_", "grid_"].iter().any(|of| p.name.starts_with(of));
    let means = |p: &Port| !absent(p) || p.when.is_empty();
    let ports: Vec<Port> = model(&config).ports().iter().filter(|p| p.dir == Dir::Out).cloned().collect();
    for (output, port) in ports.iter().enumerate().filter(|(_, port)| means(port)) {
        for (bit, where_it_means_something) in [(0, true), (port.width as u32 - 1, true), (0, false)] {
            let meaning = Meaning::new(model(&config).ports());
            let (inner, cycle, turned) = (model(&config), 0, false);
            let mut wrong = Wrong { inner, meaning, output, bit, where_it_means_something, cycle, turned };
            let name = &port.name;
            // A trapped warp never exits, so its CTA does not retire.
            let (kind, machine, text, verdict) = if name.starts_with("retired") {
                (Kind::Bcu, "[[cta]]\ncount = 2", text, Verdict::Fault)
            } else if name.starts_with("tx_done") {
                (Kind::Ptx, "", copies, Verdict::Completed)
            } else {
                (Kind::Bcu, "fault_policy = 'trap'", text, Verdict::Hung)
            };
            let run = run_with(&mut wrong, kind, machine, text, &mut |_| ());
            match run {
                Err(RunError::Contradiction(found)) if where_it_means_something => {
                    let said = found.to_string();
                    assert!(said.contains(&format!("`{name}` is ")) && said.contains("the model of the unit has"), "{said}");
                }
                Ok(report) if !where_it_means_something => assert_eq!(report.verdict, verdict, "{name}"),
                other => panic!("{name}, bit {bit}: {other:?}"),
            }
            assert!(wrong.turned || port.when.is_empty(), "{name} never does what the test is about");
        }
    }
}

#[test]
fn ptx_reduces_by_lane_and_lanes_that_are_not_there_add_nothing() {
    let text = "// bcu: threads 6
        mov.u32 t, %tid.x;
        setp.gt.u32 p, t, 0;
        bar.red.popc.u32 n, 1, p;
        bar.red.and.pred q, 1, p;
        bar.red.or.pred q, 2, !p;
        setp.eq.u32 o, t, 5;
        @o barrier.red.popc.u32 n, 3, 4, p;
        st.global.u32 [a], n;";
    let report = run_with(model(&named("tiny").unwrap()).as_mut(), Kind::Ptx, "", text, &mut |_| ()).unwrap();
    assert_eq!(report.verdict, Verdict::Completed, "{report}");
    let popc = Reduction::Popc;
    assert_eq!(results(&report), [(popc, 5), (Reduction::And, 0), (Reduction::Or, 1), (popc, 1)]);
}

#[test]
fn of_a_long_list_a_report_shows_the_ends() {
    let report = report("", ".cta_warps 2\nLOOP 40\nBAR.SYNC 0x1\nEND");
    let rows = |text: &str| text.lines().filter(|line| line.starts_with("  0    1  ")).count();
    let (short, long) = (report.to_string(), format!("{report:#}"));
    assert_eq!((rows(&short), rows(&long)), (13, 41), "{short}");
    assert!(short.contains("  ... 28 more; `--full` shows them\n") && !long.contains("more;"), "{short}");
}

#[test]
fn several_warps_issue_in_a_cycle_but_one_to_the_unit() {
    let text = ".cta_warps 4\nMOV R4, 0\nMOV R5, 0\nMOV R6, 0\nLOOP 50\nADD R4, R4, 1\nADD R5, R5, 1\nADD R6, R6, 1\nEND\nBAR.SYNC 0x1\nST.GLOBAL [WARPID], R4";
    let runs = [1, 2, 4].map(|width| report(&format!("issue_per_cycle = {width}"), text));
    let cycles = runs.each_ref().map(|report| report.cycles);
    assert!(cycles[1] * 4 < cycles[0] * 3 && cycles[2] * 4 < cycles[1] * 3, "{cycles:?}");
    for report in &runs {
        let arrivals: BTreeSet<u64> = report.generations[0].arrivals.iter().map(|arrival| arrival.cycle).collect();
        assert_eq!((arrivals.len(), &report.memory), (4, &runs[0].memory), "one instruction of the unit in a cycle");
    }
}
