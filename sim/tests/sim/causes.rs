// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The cause of a hang is the first finding and the only error; its consequences are notes.

use bcu_isa::config::named;
use bcu_machine::check::finding::{Finding, Subject};
use bcu_machine::check::{check_run, CheckVerdict, Severity};
use bcu_machine::issued::Issued;
use bcu_machine::{run, Machine, Report, Verdict};
use bcu_model::{by_name, Sizes};
use bcu_program::{load, Kind, Launch, Run};

/// Two mbarriers, a buffer, and the registers that most kernels need; line 1 of `body` is line 14 of the text.
fn kernel(body: &str) -> String {
    format!(
        ".version 8.6\n.target sm_90\n.address_size 64\n.global .align 4 .u32 flag;\n.visible .entry k()\n{{\n\
         .shared .align 8 .b64 full, empty;\n.shared .align 4 .b32 data[64];\n\
         .reg .b32 %t, %w, %i, %parity, %r<9>;\n.reg .b64 %st;\n.reg .pred %p, %q, %first, %lead, %done;\n\
         mov.u32 %t, %tid.x;\nshr.u32 %w, %t, 5;\n{body}\nret;\n}}\n"
    )
}

/// Initialises both mbarriers. `%lead` is true in lane 0 of each warp, and `%p` is false in warp 0.
fn ring(full: u32, empty: u32) -> String {
    format!(
        "setp.eq.u32 %first, %t, 0;\nand.b32 %r1, %t, 31;\nsetp.eq.u32 %lead, %r1, 0;\n\
         @%first mbarrier.init.shared.b64 [full], {full};\n@%first mbarrier.init.shared.b64 [empty], {empty};\nbar.sync 0;\n\
         setp.ne.u32 %p, %w, 0;\n"
    )
}

fn wait(object: &str, parity: &str, label: &str) -> String {
    format!("{label}: mbarrier.test_wait.parity.shared.b64 %done, [{object}], {parity};\n@!%done bra {label};\n")
}

fn arrive(object: &str) -> String {
    format!("bar.warp.sync 0xffffffff;\n@%lead mbarrier.arrive.shared.b64 %st, [{object}];\n")
}

struct Checked {
    text: String,
    report: Report,
    found: Vec<Finding>,
}

impl Checked {
    /// The text of the line of a finding.
    fn line(&self, finding: &Finding) -> &str {
        finding.at.as_ref().map_or("", |at| &self.text[at.span()])
    }

    /// The only error; it is the first finding.
    fn cause(&self) -> &Finding {
        let errors = self.found.iter().filter(|f| f.severity == Severity::Error).count();
        let all: Vec<_> = self.found.iter().map(|f| (f.severity, f.code.name, &f.message)).collect();
        assert_eq!(errors, 1, "{all:#?}\n{}\n{}", self.report, self.text);
        assert_eq!(self.found[0].severity, Severity::Error);
        assert_eq!(CheckVerdict::from_findings(&self.found), CheckVerdict::Fail);
        &self.found[0]
    }

    fn is_caused(&self, code: &str, line: &str, words: &[&str]) {
        let cause = self.cause();
        assert_eq!(cause.code.name, code, "{}\n{}", cause.message, self.report);
        assert!(self.line(cause).contains(line), "{}: {}", self.line(cause), cause.message);
        for word in words {
            let all = format!("{} {}", cause.message, cause.help);
            assert!(all.contains(word), "`{word}` is not in: {all}");
        }
    }
}

fn checked_with(body: &str, machine: &str, launch: Launch) -> Checked {
    let (config, text) = (named("default").unwrap(), kernel(body));
    let loaded = Run::of_one(load(Kind::Ptx, &text, &launch).unwrap_or_else(|e| panic!("{e:?}\n{text}")));
    let machine = Machine { races: true, ..Machine::parse(machine).unwrap() }.of_run(&loaded);
    let mut model = by_name("bcu", Sizes::try_from(&config).unwrap()).unwrap();
    let mut issued = Issued::new(model.ports()).unwrap();
    let report = run(&mut *model, &config, &machine, &loaded.programs, &mut |cycle| issued.cycle(cycle)).unwrap();
    let owners = vec![0; loaded.programs.len()];
    let (files, warnings, programs, machine, config) = (&[&*text], &[], &loaded.programs, &machine, &config);
    let subject = Subject { files, programs, earlier: vec![], owners: &owners, warnings, machine, config, strict: false };
    let found = check_run(&subject, &report, &issued).unwrap().findings;
    Checked { report, found, text }
}

fn checked(body: &str, threads: u32) -> Checked {
    checked_with(body, "", Launch { threads: Some([threads, 1, 1]), ..Launch::new(32) })
}

/// A producer that waits first for `producer_parity` and a consumer that waits for `consumer_parity`, four rounds; with `flip` the consumer
/// flips its parity.
fn rounds(producer_parity: u32, consumer_parity: u32, flip: bool) -> String {
    let turn = |label: &str| format!("add.u32 %i, %i, 1;\nsetp.lt.u32 %q, %i, 4;\n@%q bra {label};\n");
    ring(1, 1)
        + &format!("mov.u32 %i, 0;\n@%p bra CONSUMER;\nmov.u32 %parity, {producer_parity};\nP:\n")
        + &wait("empty", "%parity", "PW")
        + "@%lead st.shared.u32 [data], %i;\nxor.b32 %parity, %parity, 1;\n"
        + &arrive("full")
        + &turn("P")
        + &format!("bra END;\nCONSUMER:\nmov.u32 %parity, {consumer_parity};\nC:\n")
        + &wait("full", "%parity", "CW")
        + "ld.shared.u32 %r2, [data];\n"
        + if flip { "xor.b32 %parity, %parity, 1;\n" } else { "" }
        + &arrive("empty")
        + &turn("C")
        + "END:"
}

#[test]
fn a_ring_with_the_right_parities_has_no_finding() {
    let good = checked(&rounds(1, 0, true), 64);
    assert_eq!((good.report.verdict, good.found.len()), (Verdict::Completed, 0), "{:#?}", good.found);
    assert_eq!(CheckVerdict::from_findings(&good.found), CheckVerdict::Pass);
}

#[test]
fn two_warps_at_each_others_mbarrier_are_a_cycle_with_the_hint_about_the_producer() {
    let hung = checked(&rounds(0, 0, true), 64);
    hung.is_caused(
        "wait_cycle",
        "[empty]",
        &["warp 0 waits at the mbarrier `empty`", "which waits at the mbarrier `full`", "parity 1"],
    );
    assert_eq!(hung.report.hang.unwrap().circle.len(), 2);
}

#[test]
fn a_cycle_goes_over_named_barriers_and_mbarriers() {
    let body = ring(1, 1)
        + "@%p bra OTHER;\nbar.sync 1, 64;\n"
        + &arrive("full")
        + "bra END;\nOTHER:\n"
        + &wait("full", "0", "W")
        + "bar.sync 1, 64;\nEND:";
    checked(&body, 64).is_caused("wait_cycle", "bar.sync 1, 64", &["barrier 1 for warp 1", "`full`"]);
}

#[test]
fn a_warp_that_waits_itself_is_no_cause() {
    // Warp 1 waits for warp 0, which waits at a barrier that warp 2 omits.
    let body = ring(1, 1)
        + "@%p bra OTHERS;\nbar.sync 1, 96;\n"
        + &arrive("full")
        + "bra END;\nOTHERS:\nsetp.ne.u32 %p, %w, 1;\n@%p bra END;\n"
        + &wait("full", "0", "W")
        + "END:";
    let hung = checked(&body, 96);
    hung.is_caused("counted_exit", "bar.sync 1, 96", &["barrier 1"]);
    let note = hung.found.iter().find(|f| f.code.name == "mbarrier_wait").unwrap();
    assert!(
        note.severity == Severity::Note && note.help.contains("follows from the finding `counted_exit` in line"),
        "{}",
        note.help
    );
    // The note lists warps that wait as awaited, but no warp that has exited.
    let related: Vec<&str> = note.related.iter().map(|r| r.note.as_str()).collect();
    assert!(related.iter().any(|r| r.starts_with("awaited: warp 0 waits at barrier 1")), "{related:#?}");
    assert!(!related.iter().any(|r| r.contains("warp 2 exited")), "{related:#?}");
}

#[test]
fn a_phase_that_came_and_went_has_its_cycles_and_the_arrival_that_began_the_next() {
    let body = ring(1, 1)
        + "@%p bra LATE;\n"
        + &arrive("full")
        + &wait("full", "0", "W")
        + &arrive("full")
        + "bra END;\nLATE:\nmov.u32 %i, 0;\nL: add.u32 %i, %i, 1;\nsetp.lt.u32 %q, %i, 200;\n@%q bra L;\n"
        + &wait("full", "0", "V")
        + "END:";
    let hung = checked(&body, 64);
    hung.is_caused(
        "mbarrier_wait",
        "[full], 0",
        &["phase 0 (parity 0), which was complete from cycle", "this wait is for phase 2"],
    );
    let began = hung.cause().related.iter().find(|r| r.note.contains("begins phase 1 here")).unwrap();
    assert!(hung.text[began.at.as_ref().unwrap().span()].contains("mbarrier.arrive"));
}

#[test]
fn a_wrong_parity_is_one_error_at_its_wait() {
    let wrong = checked(&rounds(1, 1, true), 64);
    wrong.is_caused("mbarrier_wrong_parity", "[full], %parity", &["parity 1 in the first phase"]);
    assert!(wrong.found.iter().any(|f| f.code.name == "race" && f.severity == Severity::Note), "{:#?}", wrong.found);
    let never = checked(&rounds(1, 0, false), 64);
    never.is_caused("mbarrier_stale_phase", "[full], %parity", &["flip the parity"]);
    // The phase before the awaited one is complete, and no warp has waited for it.
    let body = ring(1, 1)
        + "@%p bra LATE;\n"
        + &arrive("full")
        + "bra END;\nLATE:\nmov.u32 %i, 0;\nL: add.u32 %i, %i, 1;\n"
        + "setp.lt.u32 %q, %i, 200;\n@%q bra L;\n"
        + &wait("full", "1", "V")
        + "END:";
    checked(&body, 64).is_caused("mbarrier_wrong_parity", "[full], 1", &["not for parity 0", "complete since cycle"]);
}

#[test]
fn counts_that_cannot_be_met_are_reported_at_the_init() {
    let once = ring(32, 1) + "@%p bra C;\n" + &arrive("full") + "bra END;\nC:\n" + &wait("full", "0", "W") + "END:";
    checked(&once, 64).is_caused("mbarrier_wait", "mbarrier.init.shared.b64 [full], 32", &["32 arrivals", "only 1 arrives"]);
    // The consumer of the ring would arrive again in later rounds, but never 96 times.
    let ring_of_96 = rounds(1, 0, true).replace("[empty], 1;", "[empty], 96;");
    checked(&ring_of_96, 64).is_caused(
        "mbarrier_wait",
        "mbarrier.init.shared.b64 [empty], 96",
        &["96 arrivals", "only 1 arrives"],
    );
}

#[test]
fn bytes_that_no_copy_brings_are_reported_where_they_are_expected() {
    let body = ring(1, 1)
        + "@%p bra C;\n@%lead mbarrier.arrive.expect_tx.shared.b64 %st, [full], 256;\nbra END;\nC:\n"
        + &wait("full", "0", "W")
        + "END:";
    checked(&body, 64).is_caused("mbarrier_wait", "expect_tx", &["expects 256 bytes", "no copy has signalled bytes"]);
}

#[test]
fn a_warp_that_waits_before_it_arrives_waits_for_itself() {
    let body = ring(1, 1) + "@%p bra END;\n" + &wait("full", "0", "W") + &arrive("full") + "END:";
    checked(&body, 64).is_caused("mbarrier_wait", "[full], 0", &["arrives only after this wait"]);
}

#[test]
fn a_count_that_is_too_small_is_to_be_raised() {
    checked("bar.sync 1, 64;", 160).is_caused("deadlock", "bar.sync 1, 64", &["5 warps use it", "160 threads"]);
    // One warp makes one round more than the other.
    let body = "setp.ne.u32 %p, %w, 0;\nmov.u32 %i, 0;\nL:\nbar.sync 1, 64;\nadd.u32 %i, %i, 1;\nadd.u32 %r1, %w, 3;\nsetp.lt.u32 %q, %i, %r1;\n@%q bra L;";
    checked(body, 64).is_caused(
        "counted_exit",
        "bar.sync 1, 64",
        &["warp 0 arrived 3 times in earlier generations, and then exited", "the same number of loop iterations"],
    );
}

#[test]
fn spinning_on_what_nothing_changes_is_a_hang() {
    let spin = |set: &str| {
        format!("setp.ne.u32 %p, %w, 0;\n@%p bra SPIN;\n{set}bra END;\nSPIN: ld.acquire.gpu.global.u32 %r1, [flag];\nsetp.eq.u32 %q, %r1, 0;\n@%q bra SPIN;\nEND:")
    };
    let hung = checked(&spin(""), 64);
    hung.is_caused("spin_wait", "[flag]", &["warp 1 of CTA 0 spins", "`flag`", "which is 0"]);
    assert_eq!(hung.report.verdict, Verdict::Hung);
    // The warp that would set the flag waits for the warp that spins on the flag.
    let waits = spin("bar.sync 1, 64;\nst.release.gpu.global.u32 [flag], 1;\n").replace("END:", "bar.sync 1, 64;\nEND:");
    checked(&waits, 64).is_caused(
        "wait_cycle",
        "bar.sync 1, 64",
        &["warp 0 waits at barrier 1 for warp 1", "which spins on `flag`"],
    );
    checked("setp.eq.u32 %q, %t, %t;\nL: @%q bra L;", 32).is_caused("spin_wait", "bra L", &["warp 0 of CTA 0 spins for ever"]);
    // A lock that no warp releases.
    let lock = "setp.ne.u32 %p, %w, 0;\nSPIN: atom.global.cas.b32 %r1, [flag], 0, 1;\nsetp.ne.u32 %q, %r1, 0;\n@%q bra SPIN;";
    let locked = checked(lock, 64);
    locked.is_caused("spin_wait", "atom.global.cas", &["which is 1"]);
    assert!(locked.cause().related.iter().any(|r| r.note.contains("wrote `flag`")), "{:#?}", locked.cause());
}

#[test]
fn a_loop_that_ends_does_not_spin() {
    let delay = "mov.u32 %i, 0;\nL: add.u32 %i, %i, 1;\nsetp.lt.u32 %q, %i, 3000;\n@%q bra L;\n";
    let body = |set: &str, loops: &str| format!("setp.ne.u32 %p, %w, 0;\n@%p bra SPIN;\n{set}bra END;\n{loops}END:");
    let spin = "SPIN: ld.acquire.gpu.global.u32 %r1, [flag];\nsetp.eq.u32 %q, %r1, 0;\n@%q bra SPIN;\n";
    let store = "st.release.gpu.global.u32 [flag], 1;\n";
    let timed = "SPIN: mov.u32 %r2, %clock;\nsetp.lt.u32 %q, %r2, 9000;\n@%q bra SPIN;\n";
    let counted = "SPIN: mov.u32 %r3, 0;\nAGAIN: ld.acquire.gpu.global.u32 %r1, [flag];\nadd.u32 %r3, %r3, 1;\nsetp.lt.u32 %q, %r3, 400;\n@%q bra AGAIN;\n";
    let slow = "max_cycles = 200000\n[latency]\nglobal = 6000\n";
    let cases = [
        (body(&(delay.to_string() + store), spin), ""),
        (body(store, spin), slow),
        (body("", timed), ""),
        (body("", counted), ""),
    ];
    for (body, machine) in cases {
        let launch = Launch { threads: Some([64, 1, 1]), ..Launch::new(32) };
        let done = checked_with(&body, machine, launch);
        assert_eq!(done.report.verdict, Verdict::Completed, "{}\n{body}", done.report);
        // In the last case nothing writes the flag.
        let others = done.found.iter().filter(|finding| finding.code.name != "variable_not_set");
        assert_eq!(others.count(), 0, "{:#?}", done.found);
    }
}

#[test]
fn a_grid_that_does_not_fit_names_the_ctas_that_never_come() {
    let body =
        "setp.eq.u32 %first, %t, 0;\n@!%first bra JOIN;\nmov.u32 %r2, %nctaid.x;\nred.release.gpu.global.add.u32 [flag], 1;\n\
        SPIN: ld.acquire.gpu.global.u32 %r1, [flag];\nsetp.lt.u32 %q, %r1, %r2;\n@%q bra SPIN;\nJOIN: bar.sync 0;";
    let launch = |ctas: u32| Launch { threads: Some([64, 1, 1]), grid: [ctas, 1, 1], ..Launch::new(32) };
    let hung = checked_with(body, "", launch(16));
    hung.is_caused("grid_not_resident", "[flag]", &["CTAs 8 to 15 are never launched", "CTAs 0 to 7", "`flag`"]);
    assert!(hung.cause().related.iter().any(|r| r.note.contains("wrote `flag`")));
    assert_eq!(checked_with(body, "", launch(8)).report.verdict, Verdict::Completed);
}

#[test]
fn a_run_that_its_limit_cuts_is_unknown() {
    let body = "mov.u32 %i, 0;\nL: bar.sync 0;\nadd.u32 %i, %i, 1;\nsetp.lt.u32 %q, %i, 100000;\n@%q bra L;";
    let launch = Launch { threads: Some([64, 1, 1]), ..Launch::new(32) };
    let cut = checked_with(body, "max_cycles = 3000", launch);
    assert_eq!(CheckVerdict::from_findings(&cut.found), CheckVerdict::Unknown, "{:#?}", cut.found);
    assert!(cut.found[0].help.contains("--max-cycles"), "{}", cut.found[0].help);
}

#[test]
fn a_count_below_the_arrivals_of_all_warps_is_noted_with_its_init() {
    // Warps 0, 1 and 2 arrive at `full` and wait for each phase, but a phase takes two arrivals.
    let round = format!(
        "mov.u32 %i, 0;\nLOOP:\n{}@!%lead bra NEXT;\nWAIT: mbarrier.test_wait.shared.b64 %done, [full], %st;\n\
         @!%done bra WAIT;\nNEXT: add.u32 %i, %i, 1;\nsetp.lt.u32 %q, %i, 5;\n@%q bra LOOP;",
        arrive("full")
    );
    let done = checked(&(ring(2, 1) + &round), 96);
    let note =
        "is initialised for 2 arrivals in each phase, but these arrive there: warp 0 with 1, warp 1 with 1, warp 2 with 1";
    let related = |finding: &Finding| finding.related.iter().any(|related| related.note.contains(note));
    let found = done.found.iter().find(|finding| related(finding));
    let found = found.unwrap_or_else(|| panic!("{:#?}\n{}", done.found, done.report));
    assert!(found.help.contains("initialise the mbarrier `full`") && found.help.contains("for 3 arrivals"), "{}", found.help);
    // The same with the right count completes.
    assert_eq!(checked(&(ring(3, 1) + &round), 96).report.verdict, Verdict::Completed);
}

#[test]
fn a_count_above_the_arrivals_of_all_warps_is_noted_in_a_ring() {
    // All lanes of both warps arrive at `full`. Warp 1 waits for it and then frees the buffer, for which warp 0 waits before it arrives again.
    let all = |object: &str| format!("bar.warp.sync 0xffffffff;\nmbarrier.arrive.shared.b64 %st, [{object}];\n");
    let body = all("full")
        + "@%p bra CONSUMER;\n"
        + &wait("empty", "0", "PW")
        + &all("full")
        + "bra END;\nCONSUMER:\n"
        + &wait("full", "0", "CW")
        + &all("empty")
        + "END:";
    let done = checked(&(ring(65, 32) + &body), 64);
    let note = "is initialised for 65 arrivals in each phase, but these arrive there: warp 0 with 32, warp 1 with 32";
    let related = |finding: &Finding| finding.related.iter().any(|related| related.note.contains(note));
    assert!(done.found.iter().any(related), "{:#?}\n{}", done.found, done.report);
    assert_eq!(done.report.verdict, Verdict::Hung);
    assert_eq!(checked(&(ring(64, 32) + &body), 64).report.verdict, Verdict::Completed);
}
