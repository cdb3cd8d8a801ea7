// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Several multiprocessors and clusters of several CTAs on the machine: BCU assembly on the unit `gpu` and on its model.

use bcu_engine::Engine;
use bcu_hw::catalog;
use bcu_isa::config::{named, Config};
use bcu_jit::Compiled;
use bcu_machine::{run, unit, Machine, Report, RunError, Verdict};
use bcu_model::dut::Dut;
use bcu_model::{by_name, Sizes};
use bcu_program::WarpProgram;
use bcu_program::{load, Kind};

/// The programs of a text with their machine, for a configuration.
struct Case {
    config: Config,
    machine: Machine,
    programs: Vec<WarpProgram>,
}

fn case(config: &str, machine: &str, text: &str) -> Case {
    let config = named(config).unwrap();
    let machine = Machine::parse(machine).unwrap_or_else(|e| panic!("{e:?}"));
    let loaded = load(Kind::Bcu, text, &machine.launch(config.lanes)).unwrap_or_else(|e| panic!("{e:#?}\n{text}"));
    Case { config, machine, programs: loaded.programs }
}

impl Case {
    fn on(&self, dut: &mut dyn Dut) -> Result<Report, RunError> {
        run(dut, &self.config, &self.machine, &self.programs, &mut |_| ())
    }

    fn unit(&self) -> &'static str {
        unit(&self.machine, &self.config, &self.programs).unwrap_or_else(|e| panic!("{e:?}"))
    }

    fn on_model(&self) -> Result<Report, RunError> {
        self.on(&mut *by_name(self.unit(), Sizes::try_from(&self.config).unwrap()).unwrap())
    }
}

fn report(config: &str, machine: &str, text: &str) -> Report {
    case(config, machine, text).on_model().unwrap_or_else(|e| panic!("{e:?}\n{text}"))
}

/// The address and value of the words of global memory, or of the shared memory of a CTA.
fn words(report: &Report, cta: Option<usize>) -> Vec<(u32, u32)> {
    report.memory.iter().filter(|word| word.cta == cta).map(|word| (word.address, word.value)).collect()
}

/// Checks that the machine code of the unit, the rust-hdl block and the model give the same report, and returns it.
fn everywhere(case: &Case) -> Report {
    let unit = || catalog::build(&case.config, case.unit()).unwrap();
    let on_model = case.on_model().unwrap();
    let mut code = Compiled::new(unit()).unwrap();
    assert_eq!(case.on(&mut code).unwrap(), on_model);
    let mut engine = Engine::new(unit());
    assert_eq!(case.on(&mut engine).unwrap(), on_model);
    assert_eq!(engine.failure(), None);
    on_model
}

/// The cycle limit with which a failing run ends soon.
const LIMIT: &str = "max_cycles = 5000\n";

fn clusters(count: usize, size: usize, warps: usize) -> String {
    format!("[[cta]]\ncount = {count}\nwarps = {warps}\ncluster = {size}\n")
}

/// Each CTA stores the number of the phase in the shared memory of the next one, and after the barrier sums up the words that it
/// has received. Each CTA stores its sum in global memory at 4 times its rank.
fn ring(size: usize, phases: usize) -> String {
    let last = size - 1;
    format!(
        "SETP P0, 1\nMOV R5, 0\nMOV R7, 0\nSHL R1, CTARANK, 24\nADD R3, CTARANK, 1\nAND R3, R3, {last}\nSHL R3, R3, 24\n\
         CLUSTER.ARRIVE\nCLUSTER.WAIT\nLOOP {phases}\n  ADD R5, R5, 1\n  @P0 ST.SHARED [R3+0x40], R5\n  CLUSTER.ARRIVE\n  CLUSTER.WAIT\n\
         @P0 LD.SHARED R6, [R1+0x40]\n  @P0 ADD R7, R7, R6\n  CLUSTER.ARRIVE\n  CLUSTER.WAIT\nEND\nSHL R2, CTARANK, 2\n@P0 ST.GLOBAL [R2], R7\n"
    )
}

#[test]
fn what_a_cta_stores_in_anothers_shared_memory_is_there_behind_the_barrier() {
    for (size, warps) in [(2, 1), (2, 4), (4, 1), (4, 4)] {
        let report = report("small", &clusters(size, size, warps), &ring(size, 6));
        assert_eq!(report.verdict, Verdict::Completed, "{report}");
        let sums: Vec<(u32, u32)> = (0..size as u32).map(|rank| (4 * rank, 21)).collect();
        assert_eq!(words(&report, None), sums, "{report}");
        // Every warp waits 13 times, each time for at least the message of the hub, so for at least one cycle.
        assert!(report.warps.iter().all(|warp| warp.waited >= 13), "{report}");
        // CTAs are spread over the multiprocessors.
        let on = |sm: usize| report.warps.iter().filter(|warp| warp.multiprocessor == Some(sm)).count();
        assert_eq!((on(0), on(1)), (size * warps / 2, size * warps / 2));
    }
}

#[test]
fn the_unit_in_every_form_gives_the_same_report() {
    let report = everywhere(&case("tiny", &clusters(2, 2, 2), &ring(2, 3)));
    assert_eq!(words(&report, None), [(0, 6), (4, 6)], "{report}");
    let alone = everywhere(&case("tiny", "sms = 2\n[[cta]]\ncount = 4\nwarps = 2", "BAR.SYNC 0\nBAR.SYNC 1"));
    let on: Vec<Option<usize>> = alone.warps.iter().map(|warp| warp.multiprocessor).collect();
    assert_eq!((alone.verdict, &on[..4]), (Verdict::Completed, &[Some(0), Some(0), Some(1), Some(1)][..]), "{alone}");
    assert_eq!(alone.generations.len(), 8);
}

#[test]
fn more_clusters_than_fit_are_launched_one_after_the_other() {
    // Four CTAs fit: two multiprocessors have two CTA slots each. Four cluster slots serve all clusters in turn.
    for (count, size, warps) in [(12, 2, 2), (12, 4, 4), (8, 4, 2)] {
        let report = report("small", &clusters(count, size, warps), &ring(size, 2));
        assert_eq!(report.verdict, Verdict::Completed, "{report}");
        assert_eq!(report.warps.len(), count * warps);
        // All CTAs of a cluster meet, so no CTA can end before all CTAs of its cluster have begun.
        assert_eq!(words(&report, None), (0..size as u32).map(|rank| (4 * rank, 3)).collect::<Vec<_>>());
    }
    // The run mixes CTAs without a cluster and clusters of two sizes.
    let mixed = format!("[[cta]]\ncount = 3\nwarps = 1\n{}{}", clusters(4, 4, 2), clusters(2, 2, 4));
    assert_eq!(report("small", &mixed, &ring(1, 1)).verdict, Verdict::Completed);
}

#[test]
fn random_schedules_lose_no_phase() {
    for seed in 1..=10 {
        let machine = format!("policy = 'random'\nseed = {seed}\n[latency]\nspread = 30\n{}", clusters(4, 4, 4));
        let report = report("small", &machine, &ring(4, 20));
        assert_eq!(report.verdict, Verdict::Completed, "seed {seed}: {report}");
        assert_eq!(words(&report, None), (0..4).map(|rank| (4 * rank, 210)).collect::<Vec<_>>(), "seed {seed}");
    }
}

#[test]
fn who_has_exited_holds_nobody_up() {
    // Warp 1 of each CTA exits after one phase, and the whole CTA of rank 1 after two phases.
    let text =
        ".cta_warps 2\n.warps 1\nCLUSTER.ARRIVE\nCLUSTER.WAIT\nEXIT\n.warps 0\nLOOP 2\nCLUSTER.ARRIVE\nCLUSTER.WAIT\nEND\n\
                SETP.EQ P1, CTARANK, 1\n@P1 EXIT\nLOOP 5\nNOP 7\nCLUSTER.ARRIVE\nCLUSTER.WAIT\nEND\n";
    let report = report("small", &clusters(2, 2, 2), text);
    assert_eq!(report.verdict, Verdict::Completed, "{report}");
    let exits: Vec<u64> = report.warps.iter().map(|warp| warp.exited.unwrap()).collect();
    assert!(exits[1] < exits[2] && exits[3] < exits[2] && exits[2] < exits[0], "{exits:?}");
}

#[test]
fn a_hang_at_the_barrier_of_a_cluster_names_who_is_missing() {
    let text = ".cta_warps 2\n.warps 0\nCLUSTER.ARRIVE\nCLUSTER.WAIT\nCLUSTER.ARRIVE\nCLUSTER.WAIT\n\
                .warps 1\nSETP.EQ P1, CTARANK, 1\nCLUSTER.ARRIVE\nCLUSTER.WAIT\n@P1 BAR.SYNC 0x1, 0x8\nCLUSTER.ARRIVE\nCLUSTER.WAIT\n";
    let report = everywhere(&case("small", &(LIMIT.to_string() + &clusters(2, 2, 2)), text));
    assert_eq!(report.verdict, Verdict::Hung, "{report}");
    let hang = report.hang.as_ref().unwrap();
    let waits: Vec<_> = hang.at_clusters.iter().map(|w| (w.cta, w.warp, w.rank, w.multiprocessor, w.phase)).collect();
    assert_eq!(waits, [(0, 0, 0, Some(0), 2), (0, 1, 0, Some(0), 2), (1, 0, 1, Some(1), 2)], "{report}");
    for wait in &hang.at_clusters {
        let [missing] = &wait.missing[..] else { panic!("{report}") };
        assert_eq!((missing.cta, missing.rank, missing.multiprocessor, missing.warp.warp), (1, 1, Some(1), 1));
        assert_eq!(missing.warp.next.as_ref().map(|place| place.line), Some(12), "{report}");
    }
    let text = report.to_string();
    let messages = [
        "the cluster of CTAs 0, 1, phase 2 of its barrier",
        "waiting: CTA 0 (rank 0, multiprocessor 0) warp 1 (line 13: CLUSTER.WAIT)",
        "missing: CTA 1 (rank 1, multiprocessor 1) warp 1 waits at barrier 1",
    ];
    messages.iter().for_each(|messages| assert!(text.contains(messages), "{messages}\n{text}"));
    let json = serde_json::to_value(&report).unwrap();
    let of_warp = &json["hang"]["at_clusters"][0]["missing"][0];
    assert_eq!(
        (&of_warp["rank"], &of_warp["multiprocessor"], &of_warp["now"]["state"]),
        (&1.into(), &1.into(), &"blocked".into())
    );
}

/// Rank 0 has an mbarrier at which every warp of the cluster arrives once, with its lane 0.
fn remote(size: usize, warps: usize, arrivals: &str) -> String {
    let count = size * warps;
    format!(
        ".cta_warps {warps}\n.warps all\nSETP P0, 1\nMOV R4, 0x48\nMOV R8, 0\nSETP.EQ P1, CTARANK, 0\nSETP.EQ P2, WARPID, 0\n\
         MOV R9, 0\n@P1 MOV R9, 1\nSETP.EQ P3, WARPID, 0\nMOV R10, 0\n@P3 MOV R10, R9\nSETP.EQ P4, R10, 1\nACTIVE 1\n@P4 MBAR.INIT [R4], {count}\nEND\n\
         CLUSTER.ARRIVE\nCLUSTER.WAIT\nACTIVE 1\n{arrivals}\nEND\n@P1 MBAR.TRY.PARITY P5, [R4], R8, 100\nSETP P6, 0\n\
         SHL R2, WARPID, 2\n@P5 ST.GLOBAL [R2], 7\nCLUSTER.ARRIVE\nCLUSTER.WAIT\n"
    )
}

#[test]
fn arrivals_from_other_ctas_complete_a_phase() {
    for (size, warps) in [(2, 1), (2, 2), (4, 2)] {
        let text = remote(size, warps, "MBAR.ARRIVE.CLUSTER RZ, [R4], 1");
        let case = case("small", &(LIMIT.to_string() + &clusters(size, size, warps)), &text);
        let report = if warps == 1 { everywhere(&case) } else { case.on_model().unwrap() };
        assert_eq!(report.verdict, Verdict::Completed, "{report}");
        assert_eq!(words(&report, None), (0..warps as u32).map(|warp| (4 * warp, 7)).collect::<Vec<_>>(), "{report}");
        assert!(report.misuses.is_empty(), "{report}");
    }
}

#[test]
fn a_waiter_that_only_another_cta_can_help_is_helped_however_late() {
    // The spinning warp resumes only with the arrival from the other CTA, which is late.
    let text = remote(2, 1, "@!P1 NOP 900\nMBAR.ARRIVE.CLUSTER RZ, [R4], 1").replace(", 100\n", "\n");
    let report = report("small", &(LIMIT.to_string() + &clusters(2, 2, 1)), &text);
    assert_eq!(report.verdict, Verdict::Completed, "{report}");
}

#[test]
fn an_operation_for_a_cta_that_has_exited_is_a_fault() {
    let text = "SETP P0, 1\nMOV R4, 0x48\nSETP.EQ P1, CTARANK, 0\n@P1 EXIT\nNOP 400\n@P0 MBAR.ARRIVE.CLUSTER RZ, [R4], 1\n";
    let report = report("small", &(LIMIT.to_string() + &clusters(2, 2, 1)), text);
    assert_eq!(report.verdict, Verdict::Fault, "{report}");
    let [fault] = &report.faults[..] else { panic!("{report}") };
    assert_eq!((fault.code.as_str(), fault.cta, fault.warp), ("rank_absent", 1, Some(0)), "{report}");
    assert_eq!(fault.place.as_ref().map(|place| place.line), Some(6), "{report}");
    let told = "an operation of warp 0 names an mbarrier of the CTA of rank 0, but that CTA has exited";
    assert_eq!(fault.sentence, told, "{report}");
}

#[test]
fn an_access_to_the_shared_memory_of_a_cta_that_has_exited_is_told() {
    let text =
        "SETP P0, 1\nMOV R4, 0x40\nSETP.EQ P1, CTARANK, 0\n@P1 EXIT\nNOP 400\n@P0 ST.SHARED [R4], 5\nLD.SHARED R6, [R4]\n";
    let report = report("small", &(LIMIT.to_string() + &clusters(2, 2, 1)), text);
    assert_eq!(report.verdict, Verdict::Completed, "{report}");
    let told: Vec<_> = report.misuses.iter().map(|m| (m.code, m.cta, m.place.as_ref().map(|place| place.line))).collect();
    assert_eq!(told, [("cluster_cta_exited", 1, Some(6)), ("cluster_cta_exited", 1, Some(7))], "{report}");
    assert!(report.misuses[0]
        .sentence
        .contains("stores to the shared memory of CTA 0 (rank 0 of the cluster), which has exited"));
}

#[test]
fn a_rank_that_the_cluster_has_not_is_refused_with_its_place() {
    let text = "SETP P0, 1\nMOV R4, 0x02000040\n@P0 ST.SHARED [R4], 5\n";
    let Err(RunError::Program { stopped, .. }) = case("small", &clusters(2, 2, 1), text).on_model() else { panic!("it runs") };
    assert!(stopped.is_wrong());
    let found = &stopped.diagnostic;
    assert!(
        found.message.contains("names the CTA of rank 2 (bits 31:24), but the cluster has ranks 0 to 1"),
        "{}",
        found.message
    );
    assert!(text[found.span.clone()].contains("ST.SHARED"));
    // The unit refuses the operation on an mbarrier.
    let fault = |line: &str| {
        let report = report("small", &clusters(2, 2, 1), &format!("SETP P0, 1\n{line}\n"));
        let fault = report.faults.first().unwrap_or_else(|| panic!("{report}")).clone();
        (fault.code, fault.sentence)
    };
    let (code, sentence) = fault("MOV R4, 0x02000048\n@P0 MBAR.ARRIVE.CLUSTER RZ, [R4], 1");
    assert_eq!(code, "rank_out_of_range");
    assert!(sentence.contains("rank 2, which the cluster does not have: its ranks are 0 to 1"), "{sentence}");
    let (_, sentence) = fault("ADD R4, CTARANK, 1\nAND R4, R4, 1\nSHL R4, R4, 24\n@P0 MBAR.ARRIVE RZ, [R4+0x48], 1");
    assert!(sentence.contains("names another CTA of the cluster, of rank"), "{sentence}");
}

#[test]
fn what_no_unit_can_do_is_refused_with_the_key() {
    let refused = |config: &str, machine: &str| {
        let case = case(config, machine, "BAR.SYNC 0");
        unit(&case.machine, &case.config, &case.programs).unwrap_err()
    };
    let error = refused("named_only", "sms = 2");
    assert!(
        error.message.contains("2 multiprocessors need a configuration with clusters")
            && error.message.contains("`named_only`")
    );
    assert!(error.message.contains("`cluster_size`") && error.help.as_ref().unwrap().contains("`default` (4)"), "{error:?}");
    assert!(refused("small", "sms = 3").message.contains("the configuration `small` has 2 (its key `sms`)"));
    assert!(refused("tiny", &clusters(4, 4, 2)).message.contains("never launched"));
    assert!(refused("small", "[[cta]]\ncount = 3\ncluster = 2")
        .message
        .contains("3 CTAs cannot be divided into clusters of 2"));
    let case = case("small", &clusters(2, 2, 1), "BAR.SYNC 0");
    let mut bcu = by_name("bcu", Sizes::try_from(&case.config).unwrap()).unwrap();
    assert!(matches!(case.on(&mut *bcu), Err(RunError::Misfit(error)) if error.message.contains("need the unit `gpu`")));
}

#[test]
fn sixteen_ctas_on_four_multiprocessors_meet_whatever_the_links_take() {
    for (stages, seed) in [(0, 1), (1, 2), (7, 3), (50, 4)] {
        let machine = format!("policy = 'random'\nseed = {seed}\n{}", clusters(32, 16, 2));
        let mut case = case("default", &machine, &ring(16, 5));
        case.config.link_stages = stages;
        let report = case.on_model().unwrap();
        assert_eq!(report.verdict, Verdict::Completed, "{stages} stages: {report}");
        assert_eq!(words(&report, None), (0..16).map(|rank| (4 * rank, 15)).collect::<Vec<_>>(), "{stages} stages");
        let on = |sm: usize| report.warps.iter().filter(|warp| warp.multiprocessor == Some(sm)).count();
        assert_eq!([0, 1, 2, 3].map(on), [16; 4]);
    }
}

#[test]
fn a_warp_that_polls_while_a_phase_ends_is_no_hang() {
    // Rank 0 arrives and then polls. The other rank arrives at the mbarrier of rank 0 only after the cluster barrier, whose message takes
    // long.
    let text = "SETP P0, 1\nMOV R4, 0x48\nMOV R8, 0\nSETP.EQ P1, CTARANK, 0\n@P1 SETP P2, 1\n@!P1 SETP P2, 0\nACTIVE 1\n@P1 MBAR.INIT [R4], 1\nEND\n\
                CLUSTER.ARRIVE\nCLUSTER.WAIT\nCLUSTER.ARRIVE\nACTIVE 1\nLOOP 60\n@P1 MBAR.TEST.PARITY P5, [R4], R8\nEND\n\
                END\n@P1 CLUSTER.WAIT\n@!P1 CLUSTER.WAIT\nACTIVE 1\n\
                @!P1 MBAR.ARRIVE.CLUSTER RZ, [R4], 1\nEND\nCLUSTER.ARRIVE\nCLUSTER.WAIT\n";
    let mut case = case("small", &(LIMIT.to_string() + &clusters(2, 2, 1)), text);
    case.config.link_stages = 50;
    let report = case.on_model().unwrap();
    assert_eq!(report.verdict, Verdict::Completed, "{report}");
}

#[test]
fn random_exits_of_warps_and_ctas_lose_no_phase() {
    // Each warp takes part in as many phases as its number in the cluster, and exits.
    for seed in 1..=8 {
        let text = format!(
            "SHL R2, CTARANK, 1\nADD R2, R2, WARPID\nXOR R2, R2, {}\nMOV R3, 0\nLOOP 9\n  SETP.LT P0, R2, R3\n  @P0 EXIT\n  CLUSTER.ARRIVE\n  CLUSTER.WAIT\n  ADD R3, R3, 1\nEND\n\
             SETP P1, 1\nSHL R2, R2, 2\n@P1 ST.GLOBAL [R2], R3\n",
            seed & 7
        );
        let machine = format!("policy = 'random'\nseed = {seed}\n{LIMIT}{}", clusters(8, 4, 2));
        let report = report("small", &machine, &text);
        assert_eq!(report.verdict, Verdict::Completed, "seed {seed}: {report}");
        assert!(report.warps.iter().all(|warp| warp.exited.is_some()));
    }
}

#[test]
fn clusters_that_do_not_fit_wait_behind_one_that_hangs() {
    let text = ".cta_warps 2\n.warps 0\nCLUSTER.ARRIVE\nCLUSTER.WAIT\n.warps 1\nBAR.SYNC 0x1, 0x8\n";
    let report = report("tiny", &(LIMIT.to_string() + &clusters(6, 2, 2)), text);
    assert_eq!(report.verdict, Verdict::Hung, "{report}");
    let hang = report.hang.unwrap();
    assert_eq!((hang.not_launched, hang.at_clusters.len(), hang.hung_ctas), (4, 2, vec![0, 1]));
}
