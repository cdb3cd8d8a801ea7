// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Instructions that signal an mbarrier while their thread continues: `st.async`, `red.async`, `cp.async.bulk.tensor` and
//! `tcgen05.commit`. Also clusters of one CTA.

use crate::ptx_tensor::{done, kernel, launched, launched_with, Done};
use crate::runs::ptx;
use bcu_machine::{Machine, RunError, Verdict};

const LAUNCH: &str = "[buffers.out]\ntype = \"u32\"\nshape = [32]\nfill = \"iota\"\n[[launch]]\nargs = [\"out\"]\n";

const COMPLETES_TX: &str = ".shared::cluster.mbarrier::complete_tx::bytes";

/// Two warps: lane 0 of the first initialises the mbarrier, expects `bytes` and arrives; all its lanes execute `body`; the
/// second warp waits for the phase and stores the 32 words of `data` to global memory.
fn kernel_text(bytes: u32, body: &str, wait: bool) -> String {
    let wait = if wait { "mbarrier.try_wait.parity.shared.b64 done, [bar], 0;\n@!done bra W;\n" } else { "" };
    format!(
        ".version 8.6\n.target sm_100a\n.address_size 64\n.visible .entry k(.param .u64 k_out)\n.reqntid 64\n{{\n\
         .shared .align 8 .b64 bar;\n.shared .align 128 .b32 data[32];\n.reg .b64 %rd<9>;\n.reg .b32 %r<9>;\n.reg .b16 %h<3>;\n\
         .reg .pred p, q, done;\nld.param.u64 %rd1, [k_out];\nmov.u32 %r1, %tid.x;\nshl.b32 %r2, %r1, 2;\nmov.u32 %r3, data;\nadd.u32 %r3, %r3, %r2;\n\
         mov.u32 %r4, bar;\nsetp.ge.u32 p, %r1, 32;\n@!p st.shared.u32 [%r3], 5;\nsetp.ne.u32 q, %r1, 0;\n@q bra READY;\n\
         mbarrier.init.shared.b64 [bar], 1;\nfence.mbarrier_init.release.cluster;\nREADY:\nbar.sync 0;\n@p bra WAITS;\n\
         @!q mbarrier.arrive.expect_tx.shared.b64 _, [bar], {bytes};\n{body}\nbra END;\nWAITS:\n\
         W:\n{wait}sub.u32 %r3, %r3, 128;\nld.shared.u32 %r5, [%r3];\n\
         sub.u32 %r2, %r2, 128;\ncvt.u64.u32 %rd2, %r2;\nadd.u64 %rd1, %rd1, %rd2;\nst.global.u32 [%rd1], %r5;\n\
         END:\nret;\n}}\n"
    )
}

fn run(text: &str) -> Done {
    launched(LAUNCH, text, "").unwrap().unwrap_or_else(|e| panic!("{e:?}\n{text}"))
}

/// The words that the second warp has read, the same in every schedule.
fn stored_words(bytes: u32, body: &str) -> Vec<u32> {
    let text = kernel_text(bytes, body, true);
    let mut all: Option<Vec<u32>> = None;
    for seed in 0..6 {
        let machine = format!("policy = 'random'\nseed = {seed}\n[latency]\nspread = 200\n");
        let run = launched(LAUNCH, &text, &machine).unwrap().unwrap_or_else(|e| panic!("{e:?}\n{text}"));
        let report = &run.reports[0];
        assert_eq!(report.verdict, Verdict::Completed, "{report}\n{text}");
        assert!(report.misuses.is_empty(), "{:?}", report.misuses);
        let now: Vec<u32> = (0..32).map(|i| u32::from_le_bytes(run.after[0].get(i).unwrap().try_into().unwrap())).collect();
        assert_eq!(*all.get_or_insert(now.clone()), now, "seed {seed}\n{text}");
    }
    assert_eq!(races(&text), <[[String; 2]; 0]>::default(), "{text}");
    assert_ne!(races(&kernel_text(bytes, body, false)).len(), 0, "{text}");
    all.unwrap()
}

/// The source texts of the two accesses of each race.
fn races(text: &str) -> Vec<[String; 2]> {
    let done = launched_with(LAUNCH, text, Machine { races: true, ..Machine::default() });
    let run = done.unwrap().unwrap_or_else(|e| panic!("{e:?}\n{text}"));
    let races = run.reports[0].races.iter();
    races.map(|race| [race.first.place.text.to_string(), race.second.place.text.to_string()]).collect()
}

#[test]
fn a_store_tells_its_bytes_when_they_are_there() {
    // Each lane stores a separate word.
    let one = format!("add.u32 %r6, %r1, 100;\nst.async.weak{COMPLETES_TX}.u32 [%r3], %r6, [%r4];");
    assert_eq!(stored_words(128, &one), (100..132).collect::<Vec<_>>());
    // Only lane 0 stores, with every width of a store. A word without a store keeps its value, 5.
    let first = |line: &str| format!("mov.u64 %rd3, 0x100000002;\nmov.u32 %r6, 7;\n@!q {line}");
    let with = |words: &[u32]| words.iter().copied().chain(std::iter::repeat(5)).take(32).collect::<Vec<u32>>();
    let cases: [(&str, u32, &[u32]); 4] = [
        (".b64 [%r3], %rd3, [bar];", 8, &[2, 1]),
        (".v2.u32 [data], {%r6, 9}, [%r4];", 8, &[7, 9]),
        (".v4.b32 [data+0], {%r6, 9, %r6, 11}, [bar];", 16, &[7, 9, 7, 11]),
        (".v2.f64 [%r3], {0d3FF0000000000000, 0d4000000000000000}, [%r4];", 16, &[0, 0x3ff0_0000, 0, 0x4000_0000]),
    ];
    for (line, bytes, words) in cases {
        assert_eq!(stored_words(bytes, &first(&format!("st.async{COMPLETES_TX}{line}"))), with(words), "{line}");
    }
    // The same store, with generic addresses.
    let generic = "cvt.u64.u32 %rd4, %r3;\ncvta.shared.u64 %rd4, %rd4;\ncvt.u64.u32 %rd5, %r4;\ncvta.shared.u64 %rd5, %rd5;\n\
                   st.async.mbarrier::complete_tx::bytes.u32 [%rd4], %r1, [%rd5];";
    assert_eq!(stored_words(128, generic), (0..32).collect::<Vec<_>>());
}

#[test]
fn a_reduction_tells_its_bytes_when_it_is_done() {
    let all = |op: &str| format!("mov.u32 %r6, data;\nred.async.relaxed.cluster{COMPLETES_TX}{op} [%r6], %r1, [%r4];");
    for (op, bytes, first) in [
        (".add.u32", 128, 5 + (0..32).sum::<u32>()),
        (".max.s32", 128, 31),
        (".min.u32", 128, 0),
        (".xor.b32", 128, 5),
        (".or.b32", 128, 31),
        (".and.b32", 128, 0),
    ] {
        assert_eq!(stored_words(bytes, &all(op))[0], first, "{op}");
    }
    let wide = format!(
        "mov.u64 %rd3, 0xffffffff;\nmov.u32 %r6, data;\n@!q red.async.relaxed.cluster{COMPLETES_TX}.add.u64 [%r6], %rd3, [bar];"
    );
    assert_eq!(stored_words(8, &wide)[..3], [4, 6, 5]);
    let counts = format!("mov.u32 %r6, 5;\n@!q red.async.relaxed.cluster{COMPLETES_TX}.inc.u32 [data], %r6, [bar];");
    assert_eq!(stored_words(4, &counts)[0], 0);
}

#[test]
fn bytes_that_nobody_expects_are_left_over() {
    // One word too many arrives: the next phase has bytes for which no thread waits.
    let text = kernel_text(124, &format!("st.async{COMPLETES_TX}.u32 [%r3], %r1, [%r4];"), true);
    let run = run(&text);
    let codes: Vec<&str> = run.reports[0].misuses.iter().map(|misuse| misuse.code).collect();
    assert_eq!(codes, ["mbarrier_bytes_left"], "{}", run.reports[0]);
}

#[test]
fn a_commit_of_the_tensor_core_arrives_once() {
    let commit = |modifiers: &str, operands: &str| {
        let line = format!("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster{modifiers}.b64 [%r4]{operands};");
        kernel_text(0, &format!("@!q {line}"), true).replace("@!q mbarrier.arrive.expect_tx.shared.b64 _, [bar], 0;\n", "")
    };
    for text in [commit("", ""), commit(".multicast::cluster", ", 1")] {
        let run = run(&text);
        assert_eq!(run.reports[0].verdict, Verdict::Completed, "{}", run.reports[0]);
    }
    // With an empty multicast mask no CTA is signalled, so the wait never ends.
    let nobody = run(&commit(".multicast::cluster", ", 0"));
    assert_eq!(nobody.reports[0].verdict, Verdict::Hung);
    // If every lane executes the commit, each lane arrives once.
    let all = commit("", "").replace("@!q tcgen05", "tcgen05").replace("[bar], 1;", "[bar], 32;");
    assert_eq!(run(&all).reports[0].verdict, Verdict::Completed);
}

/// The message with which a run of the text stops.
fn stop_message(text: &str) -> String {
    match launched(LAUNCH, text, "").unwrap() {
        Err(RunError::Program { stopped, .. }) => stopped.diagnostic.message,
        Err(other) => panic!("{other:?}\n{text}"),
        Ok(run) => panic!("{}\n{text}", run.reports[0]),
    }
}

#[test]
fn a_copy_goes_to_the_own_cta_alone() {
    let copy = |mask: &str| {
        let line = format!("cp.async.bulk{COMPLETES_TX}.multicast::cluster [data], [%rd1], 128, [bar], {mask};")
            .replace(".shared::cluster.mbarrier", ".shared::cluster.global.mbarrier");
        format!("mov.u16 %h1, 1;\n@!q {line}")
    };
    let verdict = |mask: &str| run(&kernel_text(128, &copy(mask), true)).reports[0].verdict;
    assert_eq!((verdict("1"), verdict("%h1"), verdict("0")), (Verdict::Completed, Verdict::Completed, Verdict::Hung));
    let found = stop_message(&kernel_text(128, &copy("3"), true));
    assert!(found.contains("the mask 0x3 of the destination CTAs names ranks other than 0"), "{found}");
    let unknown = stop_message(&kernel_text(128, &copy("%h2"), true));
    assert!(unknown.contains("the mask of the destination CTAs") && unknown.contains("is unknown"), "{unknown}");
}

#[test]
fn a_cluster_has_one_cta() {
    // `mapa` to rank 0, the only rank, returns the same address, and `getctarank` returns 0. The second kernel does the same with generic
    // addresses.
    let mapped = format!(
        "mapa.shared::cluster.u32 %r5, %r3, 0;\nmapa.shared::cluster.u32 %r6, %r4, %cluster_ctarank;\n\
         getctarank.shared::cluster.u32 %r7, %r5;\nadd.u32 %r7, %r7, 40;\nst.async{COMPLETES_TX}.u32 [%r5], %r7, [%r6];"
    );
    assert_eq!(stored_words(128, &mapped), [40; 32]);
    let generic = "cvt.u64.u32 %rd4, %r3;\ncvta.shared.u64 %rd4, %rd4;\nmapa.u64 %rd6, %rd4, 0;\nxor.b64 %rd6, %rd6, %rd4;\n\
                   getctarank.u64 %r7, %rd4;\ncvt.u32.u64 %r6, %rd6;\nadd.u32 %r7, %r7, %r6;\n";
    let stored = format!("{generic}st.async{COMPLETES_TX}.u32 [%r3], %r7, [%r4];");
    assert_eq!(stored_words(128, &stored), [0; 32]);
    // Another rank gives another address, which no CTA here has.
    let rank = format!("mapa.shared::cluster.u32 %r5, %r3, 2;\ngetctarank.shared::cluster.u32 %r7, %r5;\nst.async{COMPLETES_TX}.u32 [%r3], %r7, [%r4];");
    assert_eq!(stored_words(128, &rank), [2; 32]);
    let far = |line: &str| format!("mapa.shared::cluster.u32 %r5, %r3, 1;\nmapa.shared::cluster.u32 %r6, %r4, 1;\n{line}");
    let at = stop_message(&kernel_text(128, &far(&format!("st.async{COMPLETES_TX}.u32 [%r5], %r1, [%r4];")), true));
    assert!(at.contains("names the CTA of rank 1 (bits 31:24), but the launch has no clusters"), "{at}");
    let mbarrier = stop_message(&kernel_text(128, &far(&format!("st.async{COMPLETES_TX}.u32 [%r3], %r1, [%r6];")), true));
    assert!(mbarrier.contains("the address 0x1000000 of the mbarrier names rank 1"), "{mbarrier}");
    let noinc = stop_message(&kernel_text(128, &far("cp.async.mbarrier.arrive.noinc.shared.b64 [%r6];"), true));
    assert!(noinc.contains("the address 0x1000000 of the mbarrier names rank 1"), "{noinc}");
    // An arrival at an mbarrier of an absent rank is a fault of the unit.
    let text =
        "// bcu: threads 32\n.shared .align 8 .b64 bar;\n.reg .b32 a;\nmov.u32 a, bar;\nmapa.shared::cluster.u32 a, a, 1;\n\
                mbarrier.arrive.shared::cluster.b64 _, [a];\n";
    assert_eq!(ptx(text).report.faults[0].code, "rank_out_of_range");
}

#[test]
fn what_a_store_must_know_is_known() {
    for (line, said) in [
        ("st.async{COMPLETES_TX}.u32 [%r8], %r1, [%r4];", "the destination address of this store"),
        ("st.async{COMPLETES_TX}.u32 [%r3], %r1, [%r8];", "the address of the mbarrier of this copy"),
        ("@done st.async{COMPLETES_TX}.u32 [%r3], %r1, [%r4];", "whether this instruction is executed"),
    ] {
        let found = stop_message(&kernel_text(128, &line.replace("{COMPLETES_TX}", COMPLETES_TX), true));
        assert!(found.contains(said) && found.contains("is unknown"), "{line}: {found}");
    }
    for (line, said) in [
        ("st.async{COMPLETES_TX}.u32 [%r3+2], %r1, [%r4];", "is not a multiple of 4"),
        ("st.async{COMPLETES_TX}.v2.u32 [%r3], {%r1, %r1}, [%r4];", "is not a multiple of 8"),
        ("st.async{COMPLETES_TX}.u32 [%r3+4096], %r1, [%r4];", "is outside of the 256 bytes of shared memory"),
        ("st.async{COMPLETES_TX}.u32 [%r3], %r1, [%r4+4];", "of the mbarrier is not a multiple of 8"),
        ("st.async.mbarrier::complete_tx::bytes.u32 [%rd1], %r1, [%r4];", "is not in shared memory"),
    ] {
        let found = stop_message(&kernel_text(128, &line.replace("{COMPLETES_TX}", COMPLETES_TX), true));
        assert!(found.contains(said), "{line}: {found}");
    }
    let value = kernel_text(128, &format!("st.async{COMPLETES_TX}.u32 [%r3], %r8, [%r4];"), true);
    let run = run(&value);
    assert_eq!(run.reports[0].verdict, Verdict::Completed, "an unknown value is stored as any other");
}

/// A box of a tensor, partly out of bounds, is copied into shared memory, and from there to the second buffer.
#[test]
fn a_box_of_a_tensor_comes_into_shared_memory() {
    let launch = "[buffers.from]\ntype = \"u32\"\nshape = [4, 8]\nfill = \"iota\"\n\
                  [buffers.to]\ntype = \"u32\"\nshape = [3, 4]\nfill = 99\n\
                  [[launch]]\nshared = 256\nargs = [{ tensor = { buffer = \"from\", box = [4, 3] } }, \"to\"]\n";
    let body = |map: &str, tell: &str, after: &str| {
        format!(
            "add.u32 %r20, %r1, 128;\nmbarrier.init.shared.b64 [%r20], 1;\nfence.mbarrier_init.release.cluster;\n\
             mbarrier.arrive.expect_tx.shared.b64 %rd9, [%r20], 48;\n\
             cp.async.bulk.tensor.2d.shared::{tell} [%r1], [%rd1, {map}], [%r20]{after};\n\
             W:\nmbarrier.try_wait.shared.b64 %p5, [%r20], %rd9;\n@!%p5 bra W;\nmov.u32 %r21, 0;\n\
             OUT:\nadd.u32 %r22, %r1, %r21;\nld.shared.u32 %r23, [%r22];\ncvt.u64.u32 %rd5, %r21;\nadd.u64 %rd5, %rd5, %rd2;\n\
             st.global.u32 [%rd5], %r23;\nadd.u32 %r21, %r21, 4;\nsetp.lt.u32 %p6, %r21, 48;\n@%p6 bra OUT;"
        )
    };
    let words = |body: &str| {
        let run = done(launch, &kernel(false, 0, body));
        assert!(run.reports[0].misuses.is_empty(), "{:?}", run.reports[0].misuses);
        let word = |i: usize| u32::from_le_bytes(run.after[1].get(i).unwrap().try_into().unwrap());
        (0..12).map(word).collect::<Vec<_>>()
    };
    let element = |x: i64, y: i64| if (0..8).contains(&x) && (0..4).contains(&y) { (8 * y + x) as u32 } else { 0 };
    for (x, y) in [(0, 0), (2, 1), (6, 2), (-2, -1), (8, 0)] {
        let wanted: Vec<u32> = (0..3).flat_map(|j| (0..4).map(move |i| element(x + i, y + j))).collect();
        let map = format!("{{{x}, {y}}}");
        assert_eq!(words(&body(&map, "cluster.global.tile.mbarrier::complete_tx::bytes", "")), wanted, "{map}");
        assert_eq!(words(&body(&map, "cta.global.mbarrier::complete_tx::bytes", "")), wanted, "{map}");
    }
    let several = body("{0, 0}", "cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster", ", 1");
    assert_eq!(words(&several)[..4], [0, 1, 2, 3]);
    for (body, said) in [
        (body("{0, %r39}", "cta.global.tile.mbarrier::complete_tx::bytes", ""), "the coordinate of this copy"),
        (
            body("{0, 0}", "cta.global.tile.mbarrier::complete_tx::bytes", "").replace("[%r1], [%rd1", "[%r39], [%rd1"),
            "the destination address",
        ),
        (several.replace("[%rd1,", "[%rd39,"), "the address of the tensor map of this copy"),
        (several.replace(", 1;", ", 4;"), "the mask 0x4 of the destination CTAs names ranks other than 0"),
    ] {
        let found = launched(launch, &kernel(false, 0, &body), "").unwrap().map(|_| ()).unwrap_err();
        let RunError::Program { stopped, .. } = found else { panic!("{found:?}") };
        assert!(stopped.diagnostic.message.contains(said), "{body}: {stopped:?}");
    }
}

/// 24 arrivals that are due in one cycle complete three phases of eight arrivals.
#[test]
fn deferred_arrivals_of_lanes_complete_one_phase_after_another() {
    for line in [
        "cp.async.mbarrier.arrive.noinc.shared.b64 [bar];",
        "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [bar];",
    ] {
        let text = format!(
            ".version 8.6\n.target sm_100a\n.address_size 64\n.visible .entry k(.param .u64 k_out)\n.reqntid 32\n{{\n\
             .shared .align 8 .b64 bar;\n.reg .pred p;\n.reg .b32 t;\nmov.u32 t, %laneid;\nsetp.eq.u32 p, t, 0;\n\
             @p mbarrier.init.shared.b64 [bar], 8;\nbar.warp.sync 0xffffffff;\nsetp.lt.u32 p, t, 24;\n@p {line}\n\
             W:\nmbarrier.test_wait.parity.shared.b64 p, [bar], 0;\n@!p bra W;\nret;\n}}\n"
        );
        let run = run(&text);
        let report = &run.reports[0];
        assert!(report.verdict == Verdict::Completed && report.faults.is_empty(), "{line}: {report}");
    }
}
