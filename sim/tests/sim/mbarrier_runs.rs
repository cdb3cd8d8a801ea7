// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Programs with mbarriers on the machine: tokens per lane, lanes with different operands, copies that arrive, waits, and every fault.

use crate::runs::{bcu, ptx, races, stopped, try_run, Run};
use bcu_machine::{RunError, Verdict};
use bcu_program::ptx::Launch;
use bcu_program::Kind;

/// The words of global memory from an address up.
fn words(run: &Run, from: u32, count: u32) -> Vec<u32> {
    let held = run.global();
    let at = |address: u32| held.iter().find(|(at, _)| *at == address).map(|(_, value)| *value);
    (0..count).map(|i| at(from + 4 * i).unwrap_or_else(|| panic!("nothing at {:#x}: {held:?}", from + 4 * i))).collect()
}

/// The pending arrivals and the phase in the high half of a word.
fn high_word(word: u32) -> (u32, bool) {
    ((word >> 11).wrapping_neg() & 0xf_ffff, word >> 31 == 1)
}

#[test]
fn each_lane_has_the_token_of_its_own_arrival() {
    let text = "MOV R4, 0x100\nSETP P0, 1\n@P0 MBAR.INIT [R4], 64\nSHL R2, LANEID, 2\nMBAR.ARRIVE R6, [R4], 2\n\
                ST.GLOBAL [R2], R6\nST.GLOBAL [R2+0x80], R7\nMBAR.TEST P1, [R4], R7\n@P1 ST.GLOBAL [R2+0x100], R2";
    let run = bcu(text);
    assert_eq!(run.report.verdict, Verdict::Completed, "{}", run.report);
    let before: Vec<u32> = words(&run, 0x80, 32).into_iter().map(|word| high_word(word).0).collect();
    assert_eq!(before, (0..32).map(|lane| 64 - 2 * lane).collect::<Vec<_>>());
    // All 64 expected arrivals have come, so the phase of every token is complete.
    assert_eq!(words(&run, 0x100, 32), (0..32).map(|lane| 4 * lane).collect::<Vec<_>>());
}

#[test]
fn lanes_that_differ_go_one_group_after_the_other() {
    // Lanes of the same parity share an mbarrier; their addresses are in a register.
    let text = "AND R4, LANEID, 1\nSHL R4, R4, 3\nSETP P0, 3\n@P0 MBAR.INIT [R4+0x40], 16\nMBAR.ARRIVE RZ, [R4+0x40], 1\n\
                MOV R5, 0\nMBAR.TEST.PARITY P1, [R4+0x40], R5\nSHL R2, LANEID, 2\n@P1 ST.GLOBAL [R2], R2";
    let run = bcu(text);
    assert_eq!(run.report.verdict, Verdict::Completed, "{}", run.report);
    let lanes: Vec<u64> = run.instructions.iter().map(|taken| taken.active & taken.guard).collect();
    let (even, odd) = (0x5555_5555, 0xaaaa_aaaa);
    assert_eq!(lanes, [1, 2, even, odd, even, odd]);
    assert_eq!(words(&run, 0, 32), (0..32).map(|lane| 4 * lane).collect::<Vec<_>>());
}

#[test]
fn a_wait_suspends_until_the_phase_is_over_or_the_limit_has_passed() {
    let text = |hint: u32, late: u32| {
        format!(
            ".cta_warps 2\n.warps all\nMOV R4, 8\nMOV R5, 0\nSETP P0, 1\n.warps 0\n@P0 MBAR.INIT [R4], 1\nBAR.SYNC 0\nNOP {late}\n\
             @P0 MBAR.ARRIVE RZ, [R4], 1\n.warps 1\nBAR.SYNC 0\nMBAR.TRY.PARITY P1, [R4], R5, {hint}\nMOV R6, 0\n@P1 MOV R6, 1\n\
             ST.GLOBAL [0x10], R6"
        )
    };
    let answer = |hint: u32, late: u32| words(&bcu(&text(hint, late)), 0x10, 1)[0];
    assert_eq!((answer(0, 300), answer(10, 300), answer(1, 300)), (1, 1, 0));
    // Without a hint the machine's limit applies.
    let limited = |machine: &str| {
        let run = try_run(Kind::Bcu, "default", machine, &text(0, 300), &Launch::new(32)).unwrap();
        words(&run, 0x10, 1)[0]
    };
    assert_eq!((limited("wait_limit = 2"), limited("wait_limit = 20")), (0, 1));
}

#[test]
fn a_configuration_without_mbarriers_says_so_where_one_is_used() {
    let run = |text: &str| try_run(Kind::Bcu, "named_only", "", text, &Launch::new(32));
    let text = "BAR.SYNC 0\nMOV R4, 8\nSETP P0, 1\n@P0 MBAR.INIT [R4], 1";
    let Err(RunError::Program { stopped, .. }) = run(text) else { panic!("it runs") };
    let found = &stopped.diagnostic;
    assert_eq!(found.message, "the configuration `named_only` has no mbarriers");
    assert!(text[found.span.clone()].contains("MBAR.INIT") && !stopped.is_wrong());
    // An MBAR.INIT that is not executed has no effect.
    let report = run("BAR.SYNC 0\nSETP P0, 0\nMOV R4, 8\nEXIT\nMBAR.INIT [R4], 1").unwrap().report;
    assert_eq!(report.verdict, Verdict::Completed, "{report}");
}

/// The code and the sentence of a program's fault.
fn fault(text: &str) -> (String, String) {
    let run = bcu(text);
    let [fault] = &run.report.faults[..] else { panic!("{}", run.report) };
    (fault.code.clone(), fault.sentence.clone())
}

#[test]
fn every_fault_at_an_mbarrier_is_told_with_its_numbers() {
    let cases = [
        ("MOV R4, 0x01000000\nMBAR.ARRIVE.CLUSTER RZ, [R4], 1", "rank_out_of_range", "the address 0x1000000 names rank 1, which the cluster does not have"),
        ("MOV R4, 0x01000000\nMBAR.TEST.PARITY P1, [R4], RZ", "wait_remote", "the address 0x1000000 names an mbarrier of another CTA, of rank 1"),
        ("MOV R4, 4\n@P0 MBAR.INIT [R4], 1", "address_misaligned", "the address 0x4 is not a multiple of 8"),
        ("MOV R4, 0xfffff8\n@P0 MBAR.INIT [R4], 1", "address_out_of_range", "the address 0xfffff8 is outside"),
        ("MOV R4, 8\nMOV R5, 0\n@P0 MBAR.INIT [R4], R5", "mbarrier_count", "a count of 0 at the mbarrier 0x8"),
        ("MOV R4, 8\nMOV R5, 0x100000\n@P0 MBAR.INIT [R4], R5", "mbarrier_count", "a count of 1048576 or more"),
        ("MOV R4, 8\nMBAR.ARRIVE RZ, [R4], 1", "mbarrier_invalid", "the mbarrier 0x8 is not initialised: the word there is 0"),
        (
            "MOV R4, 8\n@P0 MBAR.INIT [R4], 1\nMBAR.ARRIVE RZ, [R4], 1",
            "mbarrier_over_arrival",
            "32 arrivals by one instruction at the mbarrier 0x8, whose count is 1 (lanes 0-31); the mbarrier is in phase 0 (parity 0): 1 of 1 arrivals pending",
        ),
        (
            "MOV R4, 8\nMOV R5, 0xfffff\n@P0 MBAR.INIT [R4], 1\n@P0 MBAR.EXPECT [R4], R5\n@P0 MBAR.EXPECT [R4], 1",
            "mbarrier_tx_range",
            "1 byte by lane 0 at the mbarrier 0x8, where 1048575 are outstanding",
        ),
        (
            "MOV R4, 8\n@P0 MBAR.INIT [R4], 2\n@P0 MBAR.ARRIVE RZ, [R4], 1\n@P0 MBAR.EXPECT [R4], 8\n@P0 MBAR.DROP RZ, [R4], 1\n\
             @P0 MBAR.COMPLETE [R4], 8\n@P0 MBAR.EXPECT [R4], 8\n@P0 MBAR.DROP RZ, [R4], 1",
            "mbarrier_drop_to_zero",
            "1 drop by lane 0 at the mbarrier 0x8, which expects 1 arrival a phase",
        ),
        (
            "MOV R4, 8\n@P0 MBAR.INIT [R4], 1\n@P0 MBAR.ARRIVE.NOCOMPLETE RZ, [R4], 1",
            "mbarrier_completes",
            "an arrival with noComplete by lane 0 would complete the phase",
        ),
        (
            "MOV R4, 8\n@P0 MBAR.INIT [R4], 1\n@P0 MBAR.COMPLETE [R4], 8\n@P0 MBAR.ARRIVE RZ, [R4], 1\n@P0 MBAR.EXPECT [R4], 8",
            "mbarrier_expect_late",
            "nothing would complete this phase",
        ),
    ];
    for (text, code, said) in cases {
        let text = format!("SETP P0, 1\n{text}");
        let (found, sentence) = fault(&text);
        assert_eq!(found, code, "{text}: {sentence}");
        assert!(sentence.contains(said), "{text}: {sentence}");
        // For a fault at an mbarrier, the report also names the init of that mbarrier.
        let object = bcu(&text).report.faults[0].object.clone();
        let init_place = object.and_then(|object| object.init).map(|(warp, place)| (warp, place.line));
        assert_eq!(init_place.is_some(), sentence.contains("; the mbarrier is in phase"), "{text}: {sentence}");
        assert!(init_place.is_none_or(|init_place| init_place == (0, 3) || init_place == (0, 4)), "{text}: {init_place:?}");
    }
}

#[test]
fn data_in_the_bytes_of_an_mbarrier_is_told() {
    const COMPLETES_TX: &str = ".mbarrier::complete_tx::bytes";
    let text = |line: &str| {
        format!(
            "// bcu: threads 32\n.shared .align 16 .b64 low[2];\n.shared .align 16 .b64 bar[2];\n.shared .align 16 .b64 other[2];\n\
             .reg .b64 g;\n.reg .b32 v;\n.reg .pred p;\nmov.u64 g, 1024;\nmov.u32 v, 5;\nst.shared.u32 [bar+4], v;\n\
             setp.ne.u32 p, %laneid, 0;\n@p bra READY;\nmbarrier.init.shared.b64 [bar], 3;\nmbarrier.init.shared.b64 [other], 1;\n\
             mbarrier.expect_tx.shared::cta.b64 [other], 64;\nfence.mbarrier_init.release.cluster;\nREADY:\nbar.warp.sync 0xffffffff;\n{line}\n"
        )
    };
    let misuses_of_line = |line: &str| {
        let run = ptx(&text(line));
        let of = |code: &str| code.starts_with("mbarrier_overlaid") || code.starts_with("mbarrier_loaded");
        let misuses_of_line: Vec<_> = run.report.misuses.into_iter().filter(|misuse| of(misuse.code)).collect();
        misuses_of_line.into_iter().map(|misuse| (misuse.code, misuse.sentence)).collect::<Vec<_>>()
    };
    for store in [
        "@!p st.shared.u32 [bar+4], v;",
        "@!p st.shared.v2.u32 [low+8], {v, v};\n@!p st.shared.u8 [bar+7], v;",
        "@!p atom.shared.add.u32 v, [bar], v;",
        "@!p cp.async.ca.shared.global [bar], [g], 4;",
        &format!("@!p cp.async.bulk.shared::cluster.global{COMPLETES_TX} [low], [g], 32, [other];"),
        &format!("@!p st.async.shared::cluster{COMPLETES_TX}.u32 [bar], v, [other];"),
    ] {
        let found = misuses_of_line(store);
        let [(code, sentence)] = &found[..] else { panic!("{store}: {found:?}") };
        assert_eq!(*code, "mbarrier_overlaid", "{store}");
        let said = "where the mbarrier `bar` (0x10) is; the mbarrier is in phase 0 (parity 0): 3 of 3 arrivals pending";
        assert!(sentence.starts_with("warp 0 stores data at 0x") && sentence.contains(said), "{store}: {sentence}");
    }
    for load in ["@!p ld.shared.u32 v, [bar+4];", "@!p cp.async.bulk.global.shared::cta.bulk_group [g], [bar], 16;"] {
        let found = misuses_of_line(load);
        assert!(matches!(&found[..], [("mbarrier_loaded", _)]), "{load}: {found:?}");
    }
    for good in [
        "@!p st.shared.v2.u32 [low+8], {v, v};",
        "@!p st.shared.u32 [bar+8], v;",
        "@!p ld.shared.u32 v, [bar+8];",
        "@!p mbarrier.inval.shared.b64 [bar];\nbar.sync 0;\n@!p st.shared.u32 [bar], v;",
        "@!p st.global.u32 [16], v;",
    ] {
        assert_eq!(misuses_of_line(good), [], "{good}");
    }
}

/// A ring of stages: a producer fills them by bulk copies, a warp of consumers reads them.
fn ring(stages: u32, rounds: u32, expected: u32) -> String {
    format!(
        "// bcu: threads 64\n.shared .align 8 .b64 full[8];\n.shared .align 8 .b64 empty[8];\n.shared .align 128 .b8 data[2048];\n\
         .reg .b64 from;\n.reg .b32 i, st, ph, k, a, v, n, to, sum;\n.reg .pred p, done;\nmov.u32 t, %tid.x;\nmov.u32 i, 0;\nmov.u32 sum, 0;\n\
         mov.u64 from, 0x10000;\nmov.u32 n, 0;\n\
         // What the copies bring.\nFILL:\nshl.b32 a, t, 2;\nshl.b32 v, n, 8;\nadd.u32 a, a, v;\nadd.u32 a, a, 0x10000;\nadd.u32 v, t, n;\n\
         st.global.u32 [a], v;\nadd.u32 n, n, 1;\nsetp.lt.u32 p, n, {rounds};\n@p bra FILL;\n\
         setp.ne.u32 p, t, 0;\n@p bra READY;\nMAKE:\nshl.b32 k, i, 3;\nadd.u32 a, k, full;\nmbarrier.init.shared.b64 [a], 1;\n\
         add.u32 a, k, empty;\nmbarrier.init.shared.b64 [a], 32;\nadd.u32 i, i, 1;\nsetp.lt.u32 p, i, {stages};\n@p bra MAKE;\n\
         fence.mbarrier_init.release.cluster;\nREADY:\nfence.proxy.async.global;\nmov.u32 i, 0;\nbar.sync 0;\nsetp.ge.u32 p, t, 32;\n@p bra CONSUMER;\nsetp.ne.u32 p, t, 0;\n@p bra END;\n\
         PRODUCER:\nrem.u32 st, i, {stages};\ndiv.u32 ph, i, {stages};\nand.b32 ph, ph, 1;\nxor.b32 ph, ph, 1;\nshl.b32 k, st, 3;\nadd.u32 a, k, empty;\n\
         W1:\nmbarrier.try_wait.parity.shared.b64 done, [a], ph;\n@!done bra W1;\nadd.u32 a, k, full;\n\
         mbarrier.arrive.expect_tx.shared.b64 _, [a], {expected};\nshl.b32 v, st, 8;\nadd.u32 v, v, data;\n\
         cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [v], [from], 256, [a];\nadd.u64 from, from, 256;\n\
         add.u32 i, i, 1;\nsetp.lt.u32 p, i, {rounds};\n@p bra PRODUCER;\nbra END;\n\
         CONSUMER:\nrem.u32 st, i, {stages};\ndiv.u32 ph, i, {stages};\nand.b32 ph, ph, 1;\nshl.b32 k, st, 3;\nadd.u32 a, k, full;\n\
         W2:\nmbarrier.try_wait.parity.shared.b64 done, [a], ph;\n@!done bra W2;\nshl.b32 v, st, 8;\nadd.u32 v, v, data;\n\
         and.b32 n, t, 31;\nshl.b32 to, n, 2;\nadd.u32 v, v, to;\nld.shared.u32 n, [v];\nadd.u32 sum, sum, n;\nld.shared.u32 n, [v+128];\n\
         add.u32 sum, sum, n;\nadd.u32 a, k, empty;\nmbarrier.arrive.shared.b64 _, [a];\nadd.u32 i, i, 1;\nsetp.lt.u32 p, i, {rounds};\n\
         @p bra CONSUMER;\nst.global.u32 [to], sum;\nEND:\nexit;\n"
    )
}

#[test]
fn a_ring_of_bulk_copies_brings_every_byte_in_every_schedule() {
    let (stages, rounds) = (3, 8);
    let sum = |lane: u32| (0..rounds).map(|round| lane + round + lane + 32 + round).sum::<u32>();
    let expected: Vec<u32> = (0..32).map(sum).collect();
    for seed in 0..12 {
        let machine = format!("policy = 'random'\nseed = {seed}\nissue_per_cycle = 2\n[latency]\nspread = 300\n");
        let run = try_run(Kind::Ptx, "default", &machine, &ring(stages, rounds, 256), &Launch::new(32)).unwrap();
        assert_eq!(run.report.verdict, Verdict::Completed, "seed {seed}: {}", run.report);
        assert_eq!(words(&run, 0, 32), expected, "seed {seed}");
        assert!(run.report.misuses.is_empty(), "seed {seed}: {:?}", run.report.misuses);
    }
    assert!(races(&ring(stages, rounds, 256)).is_empty());
}

#[test]
fn bytes_that_never_come_leave_a_waiter_that_is_told() {
    let machine = "max_cycles = 20000";
    let run = try_run(Kind::Ptx, "default", machine, &ring(2, 4, 512), &Launch::new(32)).unwrap();
    // The loops around the waits change no state, so the run cannot progress.
    assert_eq!(run.report.verdict, Verdict::Hung, "{}", run.report);
    assert!(run.report.cycles < 15_000, "{}", run.report);
    let hang = run.report.hang.unwrap();
    assert_eq!(hang.hung_ctas, [0]);
    // The producer also waits for the consumer.
    let [_, wait] = &hang.at_mbarriers[..] else { panic!("{hang:?}") };
    assert_eq!((wait.warp, wait.parity, wait.object.name.as_deref()), (1, 0, Some("full")), "{wait:?}");
    let object = &wait.object;
    assert_eq!((object.phase, object.expected, object.pending, object.bytes), (0, 1, 0, 256));
    assert_eq!(object.arrived.iter().map(|arrival| (arrival.warp, arrival.arrivals)).collect::<Vec<_>>(), [(Some(0), 1)]);
}

#[test]
fn copies_of_lanes_arrive_when_they_are_done() {
    let text = |modifier: &str, count: u32| {
        format!(
            "// bcu: threads 64\n.shared .align 8 .b64 bar;\n.shared .align 16 .b8 data[256];\n.reg .b64 s;\n.reg .pred p, done;\n\
             .reg .b32 t, a, v;\nmov.u32 t, %tid.x;\nshl.b32 a, t, 2;\nadd.u32 v, t, 100;\nadd.u32 a, a, 0x10000;\nst.global.u32 [a], v;\n\
             setp.ne.u32 p, t, 0;\n@p bra READY;\nmbarrier.init.shared.b64 [bar], {count};\nREADY:\nbar.sync 0;\nshl.b32 v, t, 2;\n\
             add.u32 v, v, data;\ncp.async.ca.shared.global [v], [a], 4;\ncp.async.mbarrier.arrive{modifier}.shared.b64 [bar];\n\
             mbarrier.arrive.shared.b64 s, [bar];\nW:\nmbarrier.test_wait.shared.b64 done, [bar], s;\n@!done bra W;\n\
             xor.b32 v, t, 63;\nshl.b32 v, v, 2;\nadd.u32 v, v, data;\nld.shared.u32 v, [v];\nshl.b32 a, t, 2;\nst.global.u32 [a], v;\n"
        )
    };
    let expected: Vec<u32> = (0..64).map(|thread| (thread ^ 63) + 100).collect();
    // Without `.noinc` the copies' arrivals are added to the pending count; with `.noinc` the init already counts these arrivals.
    for (modifier, count) in [("", 64), (".noinc", 128)] {
        for seed in 0..6 {
            let machine = format!("policy = 'random'\nseed = {seed}\n[latency]\nspread = 300\n");
            let text = text(modifier, count);
            let run = try_run(Kind::Ptx, "default", &machine, &text, &Launch::new(32)).unwrap_or_else(|e| panic!("{e:?}"));
            assert_eq!(run.report.verdict, Verdict::Completed, "{modifier} seed {seed}: {}", run.report);
            assert_eq!(words(&run, 0, 64), expected, "{modifier} seed {seed}");
        }
        assert!(races(&text(modifier, count)).is_empty(), "{modifier}");
    }
    let early = text("", 64).replace("@!done bra W;", "");
    assert!(races(&early).iter().any(|(_, copy)| *copy), "{early}");
}

#[test]
fn what_is_pending_is_read_from_a_token() {
    let text = "// bcu: threads 32\n.shared .align 8 .b64 bar;\n.reg .b64 s;\n.reg .b32 n, t;\n.reg .pred p;\nmov.u32 t, %laneid;\n\
                setp.ne.u32 p, t, 0;\n@!p mbarrier.init.shared.b64 [bar], 40;\nbar.warp.sync 0xffffffff;\n\
                mbarrier.arrive.noComplete.shared.b64 s, [bar], 1;\nmbarrier.pending_count.b64 n, s;\nshl.b32 t, t, 2;\nst.global.u32 [t], n;\n";
    assert_eq!(words(&ptx(text), 0, 32), (0..32).map(|lane| 40 - lane).collect::<Vec<_>>());
}

#[test]
fn generic_addresses_of_shared_memory_are_as_good() {
    let text = "// bcu: threads 32\n.shared .align 8 .b64 bar[2];\n.reg .b64 s, g;\n.reg .b32 t, a;\n.reg .pred p;\nmov.u32 t, %laneid;\n\
                mov.u32 a, bar;\ncvt.u64.u32 g, a;\ncvta.shared.u64 g, g;\nsetp.ne.u32 p, t, 0;\n@!p mbarrier.init.b64 [g+8], 32;\n\
                bar.warp.sync 0xffffffff;\nmbarrier.arrive.b64 s, [g+8];\nmbarrier.test_wait.b64 p, [g+8], s;\nshl.b32 t, t, 2;\n\
                selp.u32 a, 1, 0, p;\nst.global.u32 [t], a;\n";
    assert_eq!(words(&ptx(text), 0, 32), [1; 32]);
    let global = text.replace("cvta.shared.u64 g, g;", "");
    let found = stopped(&global).diagnostic;
    assert!(found.message.contains("is not in shared memory, where mbarriers are"), "{found:?}");
}

#[test]
fn what_nobody_knows_stops_the_run_with_its_name() {
    let text = |line: &str| {
        format!(".version 8.6\n.target sm_90\n.entry k() {{ .shared .align 8 .b64 bar; .reg .b32 n, a; .reg .b64 s; .reg .pred p;\n{line}\n}}\n// bcu: threads 32")
    };
    for (line, what) in [
        ("mbarrier.init.shared.b64 [a], 1;", "the address of this mbarrier"),
        ("mbarrier.init.shared.b64 [bar], n;", "the count of this mbarrier"),
        ("mbarrier.arrive.shared.b64 _, [bar], n;", "the number of this arrival"),
        ("mbarrier.expect_tx.shared::cta.b64 [bar], n;", "the number of bytes"),
        ("mbarrier.test_wait.shared.b64 p, [bar], s;", "the phase of this wait"),
        ("@p mbarrier.inval.shared.b64 [bar];", "whether this instruction is executed"),
    ] {
        let found = stopped(&text(line)).diagnostic;
        assert!(found.message.contains(what) && found.message.contains("is unknown"), "{line}: {found:?}");
    }
}
