// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Cooperative launches: the CTAs of a grid wait for each other at a word of their workspace, must all be resident, and a hang there names
//! the grid barrier. Reserved shared memory is 0, and exists only in kernels that read where it is.

use bcu_isa::config::named;
use bcu_isa::diag::Diagnostic;
use bcu_machine::report::{Report, Whereabouts};
use bcu_machine::{run_with, Cycle, Machine, Observer, RunError, Verdict};
use bcu_program::launch::LaunchFile;
use bcu_program::ptx::Launch;
use bcu_program::{load, runs, Kind, Variable};

/// Waits at the grid barrier, as nvcc compiles `grid.sync()`; lanes other than the first one wait at barrier 0.
fn sync(number: usize) -> String {
    format!(
        "barrier.sync 0;\n@lanes bra MET{number};\natom.add.release.gpu.u32 old, [word+4], count;\nPOLL{number}:\n\
         ld.acquire.gpu.u32 now, [word+4];\nxor.b32 now, now, old;\nsetp.ge.s32 p, now, 0;\n@p bra POLL{number};\n\
         MET{number}:\nbarrier.sync 0;\n"
    )
}

/// CTA i stores i + 1 to `a`, adds what CTA i + 1 has stored there, and stores the sum to `out`; `early` is executed before the first wait.
fn kernel(early: &str) -> String {
    format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n.global .align 4 .u32 a[64];\n.global .align 4 .u32 out[64];\n.entry k() {{\n\
         .reg .u32 high, low, cta, ctas, t, v, w, old, now, count; .reg .u64 word, at, mine, other; .reg .pred p, lanes, first;\n\
         mov.u32 cta, %ctaid.x; mov.u32 ctas, %nctaid.x; mov.u32 t, %tid.x; setp.ne.u32 lanes, t, 0;\n\
         mov.u32 high, %envreg1; mov.u32 low, %envreg2; mov.b64 word, {{low, high}};\n\
         setp.eq.u32 first, cta, 0; sub.u32 count, 0x80000001, ctas; selp.u32 count, count, 1, first;\n\
         mov.u64 at, a; mul.wide.u32 mine, cta, 4; add.u64 mine, at, mine;\n\
         add.u32 v, cta, 1; rem.u32 w, v, ctas; mul.wide.u32 other, w, 4; add.u64 other, at, other;\n\
         @!lanes st.global.u32 [mine], v;\n{early}\n{}\
         ld.global.u32 w, [other];\nadd.u32 v, v, w;\n{}\
         mov.u64 at, out; mul.wide.u32 mine, cta, 4; add.u64 mine, at, mine;\n@!lanes st.global.u32 [mine], v;\nEND:\nret;\n}}\n",
        sync(0),
        sync(1)
    )
}

/// Runs a kernel `times` times, one launch after the other, on `machine`. Returns the last report and `out`.
fn run(text: &str, base: &Launch, machine: &str, times: usize) -> Result<(Report, Vec<Option<u32>>), RunError> {
    let config = named("default").unwrap();
    let launch = Launch { threads: Some([64, 1, 1]), ..base.clone() };
    let loaded = load(Kind::Ptx, text, &launch).unwrap_or_else(|e| panic!("{e:#?}\n{text}"));
    let mut variables: Vec<Variable> = vec![];
    let mut last = None;
    for run in runs(&vec![loaded; times]) {
        let machine = Machine { races: true, ..Machine::parse(machine).unwrap().of_run(&run) };
        let observer = &mut |_: &Cycle| {};
        last = Some(run_with(None, &config, &machine, &run.programs, &mut variables, Observer::of_all(observer))?);
    }
    let out = variables.iter().find(|variable| variable.name == "out").map_or(vec![], |out| out.bytes.values());
    let word = |bytes: &[Option<u8>]| bytes.iter().rev().try_fold(0, |word, byte| Some(word << 8 | u32::from((*byte)?)));
    Ok((last.unwrap(), out.chunks(4).map(word).collect()))
}

fn cooperative(ctas: u32) -> Launch {
    Launch { grid: [ctas, 1, 1], cooperative: true, ..Launch::new(32) }
}

fn diagnostic(error: RunError) -> Diagnostic {
    match error {
        RunError::Misfit(diagnostic) => diagnostic,
        RunError::Program { stopped, .. } => stopped.diagnostic,
        other => panic!("{other}"),
    }
}

#[test]
fn ctas_wait_for_each_other_at_the_grid_barrier() {
    for ctas in [1, 4, 8] {
        // The second launch begins with a workspace of zeros, too.
        let (report, out) = run(&kernel(""), &cooperative(ctas), "", 2).unwrap();
        assert_eq!((report.verdict, report.races.len()), (Verdict::Completed, 0), "{report}");
        let expected: Vec<Option<u32>> = (0..ctas).map(|cta| Some(cta + 1 + (cta + 1) % ctas + 1)).collect();
        assert_eq!(out[..ctas as usize], expected);
    }
    // Without the acquire nothing orders the store of one CTA before the load of another.
    let (report, _) = run(&kernel("").replace("ld.acquire", "ld.relaxed"), &cooperative(4), "", 1).unwrap();
    assert!(!report.races.is_empty());
}

#[test]
fn the_whole_grid_must_be_resident() {
    // Eight CTA slots on each of four multiprocessors.
    assert_eq!(run(&kernel(""), &cooperative(9), "", 1).unwrap().0.verdict, Verdict::Completed);
    let error = diagnostic(run(&kernel(""), &cooperative(9), "sms = 1", 1).unwrap_err());
    let message =
        "a cooperative launch of 9 CTAs of 2 warps does not fit at once: 1 multiprocessor of 8 CTA slots and 32 warp slots of \
                   `default` hold 8";
    assert_eq!(error.message, message);
    assert!(error.help.unwrap().contains(
        "launch at most 8 CTAs, or smaller ones, and let each do more of the work, or use more multiprocessors: `--sms 2`"
    ));
    let error = diagnostic(run(&kernel(""), &cooperative(33), "", 1).unwrap_err());
    assert!(
        error.message.ends_with("4 multiprocessors of 8 CTA slots and 32 warp slots of `default` hold 32"),
        "{}",
        error.message
    );
    assert!(!error.help.unwrap().contains("--sms"));
}

#[test]
fn another_launch_has_no_workspace() {
    let launch = Launch { cooperative: false, ..cooperative(4) };
    let error = diagnostic(run(&kernel("setp.eq.u64 p, word, 0;\n@p trap;"), &launch, "", 1).unwrap_err());
    let help = error.help.unwrap();
    assert!(help.contains("launch the kernel with `--cooperative`, or with `cooperative = true` in a launch file"), "{help}");
}

#[test]
fn a_hang_at_the_grid_barrier_names_it_with_the_missing_ctas() {
    let early = "setp.eq.u32 p, cta, 2;\n@p bra END;";
    let (report, _) = run(&kernel(early), &cooperative(4), "", 1).unwrap();
    assert_eq!(report.verdict, Verdict::Hung);
    let hang = report.hang.as_ref().unwrap();
    let waits: Vec<_> = hang.at_grid_barriers.iter().map(|w| (w.cta, w.warp, w.generation, w.expected)).collect();
    assert_eq!(waits, [(0, 0, 1, 4), (1, 0, 1, 4), (3, 0, 1, 4)]);
    let wait = &hang.at_grid_barriers[0];
    let mut arrived: Vec<usize> = wait.arrived.iter().map(|arrival| arrival.cta).collect();
    arrived.sort_unstable();
    assert_eq!((arrived, wait.missing_ctas()), (vec![0, 1, 3], vec![2]));
    assert!(wait.arrived.iter().all(|arrival| arrival.place.text.starts_with("atom.add.release.gpu.u32")));
    assert!(matches!(wait.missing[0].warp.whereabouts, Whereabouts::Exited { .. }));
    assert!(hang.spinning.is_empty());
    let causes: Vec<&str> = hang.causes.iter().map(|cause| cause.code).collect();
    assert_eq!(causes, ["grid_barrier_wait"], "{report}");
    let sentence = &hang.causes[0].sentence;
    assert!(sentence.starts_with("CTAs 0, 1, 3 wait for ever at the grid barrier, since cycle "), "{sentence}");
    assert!(sentence.ends_with(": 3 of 4 CTAs arrived, CTA 2 did not"), "{sentence}");
    assert!(report.to_string().contains("grid barrier, generation 1: 3 arrived of 4 CTAs"), "{report}");
}

#[test]
fn a_wait_that_holds_up_an_arrival_is_the_cause() {
    // Warp 1 of CTA 1 waits for a flag that CTA 0 sets after the grid barrier.
    let text = kernel(
        "setp.ne.u32 p, cta, 1;\n@p bra GO;\nSPIN:\nld.volatile.global.u32 w, [out];\nsetp.eq.u32 p, w, 0;\n@p bra SPIN;\nGO:",
    );
    let (report, _) = run(&text, &cooperative(2), "", 1).unwrap();
    let hang = report.hang.as_ref().unwrap_or_else(|| panic!("{report}"));
    let cause = &hang.causes[0];
    // Whether CTA 0 would set the flag depends on its second wait, so the cycle is not certain.
    assert_eq!((hang.causes.len(), cause.code), (1, "grid_barrier_wait"), "{report}");
    let start = "warp 0 of CTA 0 waits at the grid barrier, warp 0 of CTA 1 spins on `out`";
    assert!(cause.sentence.starts_with(start), "{}", cause.sentence);
}

#[test]
fn a_launch_file_asks_for_all_ctas_at_once() {
    let file = LaunchFile::parse("[[launch]]\n[[launch]]\ncooperative = true\n").unwrap();
    assert_eq!(file.launches.iter().map(|launch| launch.cooperative).collect::<Vec<_>>(), [false, true]);
    let text = "[[launch]]\n[[launch]]\nprogrammatic = true\ncooperative = true\n";
    let error = &LaunchFile::parse(text).unwrap_err()[0];
    let message = "a launch with `programmatic` and `cooperative`";
    assert_eq!((error.message.as_str(), &text[error.span.clone()]), (message, "true"));
}

/// Stores to `out` what `load` loads into `v`, with the address of reserved shared memory in `at`.
fn reserved(load: &str) -> String {
    format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n.shared .align 4 .b8 mine[40];\n.global .align 4 .u32 out[4];\n.entry k() {{\n\
         .reg .u32 at, end, size, v, t; .reg .pred p;\nmov.u32 at, %reserved_smem_offset_1;\nmov.u32 end, %reserved_smem_offset_end;\n\
         mov.u32 size, %reserved_smem_offset_cap;\nmov.u32 t, %tid.x;\nsetp.ne.u32 p, t, 0;\n@p bra END;\n{load}\n\
         st.global.u32 [out], v;\nst.global.u32 [out+4], size;\nEND:\nret;\n}}\n"
    )
}

#[test]
fn reserved_shared_memory_is_zero_and_bounded() {
    for load in ["ld.shared.u32 v, [at];", "ld.shared.u32 v, [at+284];", "ld.shared.u32 v, [end+-4];"] {
        let (_, out) = run(&reserved(load), &Launch::new(32), "", 1).unwrap();
        assert_eq!(out[..2], [Some(0), Some(1024)], "{load}");
    }
    for load in ["ld.shared.u32 v, [end];", "ld.shared.u32 v, [end+-1028];", "ld.shared.u32 v, [mine+40];"] {
        let error = diagnostic(run(&reserved(load), &Launch::new(32), "", 1).unwrap_err());
        assert!(error.message.contains("is outside of the 40 bytes of shared memory of the CTA"), "{load}: {}", error.message);
    }
    let old = reserved("").replace(".version 8.0", ".version 7.5").replace("sm_90", "sm_80");
    let error = load(Kind::Ptx, &old, &Launch::new(32)).unwrap_err().remove(0);
    assert!(error.message.contains("needs PTX 7.6"), "{}", error.message);
}
