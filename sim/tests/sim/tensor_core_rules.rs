// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The rules of `tcgen05`: allocation and its waits, the order of uses of tensor memory, and operands that no hardware accepts.

use crate::ptx_tensor::launched_with;
use crate::tensor_core::kernel;
use bcu_machine::{Machine, RunError, Verdict};

const LAUNCH: &str = "[buffers.out]\ntype = \"u32\"\nshape = [128, 64]\nfill = \"iota\"\n[[launch]]\nargs = [\"out\"]\n";

/// The codes of the misuses of a run, each once, and whether the first cell of the buffer is known.
fn misuses(text: &str) -> (Vec<&'static str>, bool) {
    let done = launched_with(LAUNCH, text, Machine { races: true, ..Machine::default() });
    let run = done.unwrap().unwrap_or_else(|e| panic!("{e:?}\n{text}"));
    let mut codes: Vec<&str> = run.reports[0].misuses.iter().map(|misuse| misuse.code).collect();
    codes.dedup();
    (codes, run.after[0].get(0).is_some())
}

fn stopped(text: &str) -> String {
    let done = launched_with(LAUNCH, text, Machine { races: true, ..Machine::default() });
    match done.unwrap().map(|run| run.reports[0].to_string()) {
        Err(RunError::Program { stopped, .. }) => stopped.diagnostic.message.clone(),
        other => panic!("{other:?}\n{text}"),
    }
}

/// A product of zeros with M = 128, N = 16.
fn product(to: &str) -> String {
    let descriptor: u64 = 1024 >> 4 | 2048 >> 4 << 16 | 128 >> 4 << 32 | 1 << 46;
    let instruction = 1 << 4 | 2 << 17 | 8 << 24;
    format!(
        "setp.ne.u32 %p5, 0, 0;\nmov.b64 %rd5, {descriptor};\nmov.u32 %r20, {instruction};\n\
         tcgen05.mma.cta_group::1.kind::f16 [{to}], %rd5, %rd5, %r20, %p5;"
    )
}

fn good() -> String {
    kernel(&[0; 4096], "", &product("%r0"), "")
}

#[test]
fn a_product_that_is_waited_for_has_no_finding() {
    assert_eq!(misuses(&good()), (vec![], true));
}

#[test]
fn a_load_before_the_wait_for_the_commit_is_found_and_unknown() {
    // Thread 0 commits, and no thread waits. A long time alone is no order either.
    let wait = "mbarrier.try_wait.parity.shared.b64 %p4, [done], 0;\n@!%p4 bra WAIT;";
    assert!(good().contains(wait));
    let spin = "mov.u32 %r30, 0;\nSPIN:\nadd.u32 %r30, %r30, 1;\nsetp.lt.u32 %p6, %r30, 500;\n@%p6 bra SPIN;";
    for instead in ["", spin] {
        let (codes, is_known) = misuses(&good().replace(wait, instead));
        assert!(codes.contains(&"tcgen05_not_ordered") && !is_known, "{instead}: {codes:?}");
    }
}

#[test]
fn a_warp_that_does_not_wait_is_found_although_another_waits() {
    // Only warp 0 waits, and the others go on without a barrier.
    let text = good().replace("WAIT:\nmbarrier", "WAIT:\n@!%p2 bra ON;\nmbarrier").replace("bar.warp.sync 0xffffffff;", "ON:");
    assert!(misuses(&text).0.contains(&"tcgen05_not_ordered"));
    let ordered = text.replace("ON:", "ON:\nbar.sync 1;");
    assert_eq!(misuses(&ordered), (vec![], true));
}

/// Warp 1 stores to an operand and meets only warp 0, which starts the product. Warp 3 waits only for the commit, and overwrites the operand.
#[test]
fn a_wait_for_a_commit_is_ordered_after_the_stores_that_the_product_reads() {
    let store = "setp.eq.u32 %p7, %r5, 1;\nsetp.le.u32 %p8, %r5, 1;\nshl.b32 %r30, %r1, 2;\nmov.u32 %r31, s;\nadd.u32 %r30, %r30, %r31;\n\
                 @%p7 st.shared.u32 [%r30+1024], %r1;\nfence.proxy.async.shared::cta;\n@!%p8 bra ALONE;\nbar.sync 1, 64;\nALONE:";
    let after = "setp.eq.u32 %p7, %r5, 3;\n@%p7 st.shared.u32 [%r30+768], %r1;";
    let meets = "tcgen05.fence::before_thread_sync;\nbar.sync 0;\ntcgen05.fence::after_thread_sync;\n@!%p1 bra WAIT;";
    let text = kernel(&[0; 4096], store, &product("%r0"), after);
    assert!(text.contains(meets));
    let text = text.replace(meets, "@!%p1 bra WAIT;");
    let races = |text: &str| {
        let done = launched_with(LAUNCH, text, Machine { races: true, ..Machine::default() });
        let run = done.unwrap().unwrap_or_else(|e| panic!("{e:?}\n{text}"));
        run.reports[0].races.len()
    };
    assert_eq!(races(&text), 0);
    let without_wait = text
        .replace("WAIT:\nmbarrier", "WAIT:\nsetp.eq.u32 %p7, %r5, 3;\n@%p7 bra ON;\nmbarrier")
        .replace("bar.warp.sync 0xffffffff;", "ON:");
    assert!(races(&without_wait) > 0);
}

#[test]
fn tensor_memory_is_freed_after_its_last_use() {
    let text = good().replace("bar.sync 0;\n@!%p2 bra END;", "@!%p2 bra END;");
    assert_eq!(misuses(&text).0, ["tcgen05_not_ordered"]);
}

#[test]
fn a_store_is_waited_for_before_another_warp_or_the_tensor_core_uses_it() {
    let store = "mov.u32 %v0, 1;\ntcgen05.st.sync.aligned.32x32b.x1.b32 [%r6], {%v0};\ntcgen05.wait::st.sync.aligned;";
    assert_eq!(misuses(&kernel(&[0; 4096], store, &product("%r0"), "")), (vec![], true));
    let not_waited = store.replace("tcgen05.wait::st.sync.aligned;", "");
    assert_eq!(misuses(&kernel(&[0; 4096], &not_waited, &product("%r0"), "")).0, ["tcgen05_not_ordered"]);
}

#[test]
fn a_register_has_no_value_before_the_wait() {
    let text = good().replacen("tcgen05.wait::ld.sync.aligned;\n", "", 1);
    let store = "st.global.b32 [%rd3+0], %v0;";
    let text = text.replacen(store, &format!("{store}\nbra.uni LATER;\nLATER:"), 1);
    assert_eq!(misuses(&text), (vec!["tcgen05_not_waited"], false));
}

#[test]
fn a_use_may_precede_the_wait_in_the_same_block() {
    let wait = "tcgen05.wait::ld.sync.aligned;\n";
    let late = good().replacen(wait, "", 1).replacen(
        "st.global.b32 [%rd3+0], %v0;",
        &format!("st.global.b32 [%rd3+0], %v0;\n{wait}"),
        1,
    );
    assert_eq!(misuses(&late), (vec![], true));
}

#[test]
fn a_copied_register_gets_its_value_at_the_wait() {
    let text = good().replacen("tcgen05.wait::ld.sync.aligned;\n", "mov.b32 %r35, %v0;\ntcgen05.wait::ld.sync.aligned;\n", 1);
    let text = text.replacen("st.global.b32 [%rd3+0], %v0;", "st.global.b32 [%rd3+0], %r35;", 1);
    assert_eq!(misuses(&text), (vec![], true));
}

#[test]
fn what_no_hardware_accepts_ends_the_run_with_its_reason() {
    let one = |from: &str, to: &str| kernel(&[0; 4096], "", &product("%r0").replace(from, to), "");
    let all = |line: &str| kernel(&[0; 4096], line, &product("%r0"), "");
    let bits = |bit: u64| format!("mov.b64 %rd5, {};", (1024u64 >> 4 | 2048 >> 4 << 16 | 128 >> 4 << 32 | 1 << 46) ^ bit);
    let descriptor = bits(0);
    for (text, said) in [
        (good().replace("[tensor], 128", "[tensor], 48"), "48 columns of tensor memory; expected 32, 64, 128, 256 or 512"),
        (good().replace("%r0, 128;", "%r0, 64;"), "no allocation of 64 columns of tensor memory at 0x0"),
        (good().replace("[tensor], 128;", "[tensor], 32;\ntcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;\ntcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [tensor], 128;"), "has relinquished"),
        (one("[%r0]", "[%r0+128]"), "column 128 of tensor memory is not allocated"),
        (one("[%r0]", "[%r0+120]"), "column 128 of tensor memory is not allocated"),
        (one("[%r0]", "[%r0+65536]"), "matrix D begins at lane 1"),
        (one(&descriptor, &bits(1 << 46)), "bits 48:46 are 0"),
        (one(&descriptor, &bits(3 << 61)), "bits 63:61 are 3"),
        (one(&descriptor, &bits(1 << 12)), "outside of the"),
        (one("mov.u32 %r20, ", "mov.u32 %r20, 4; //"), "the instruction descriptor 0x4 is wrong"),
        (all("tcgen05.ld.sync.aligned.32x32b.x1.b32 {%v0}, [%r0];"), "only, 32 of them from a multiple of 32 on"),
        (all("tcgen05.ld.sync.aligned.16x64b.x1.b32 {%v0}, [%r6+524288];"), "from a multiple of 16 on"),
        (all("tcgen05.ld.sync.aligned.32x32b.x8.b32 {%v0, %v1, %v2, %v3, %v4, %v5, %v6, %v7}, [%r6+124];"), "column 128 of tensor memory is not allocated"),
        (all("@%p1 tcgen05.ld.sync.aligned.32x32b.x1.b32 {%v0}, [%r6];"), "only 1 of 32 lanes"),
        (all("add.u32 %r30, %r6, %r1;\ntcgen05.ld.sync.aligned.32x32b.x1.b32 {%v0}, [%r30];"), "in other lanes of the warp"),
    ] {
        let message = stopped(&text);
        assert!(message.contains(said), "{message}, expected {said}");
    }
}

#[test]
fn a_cta_waits_for_the_columns_of_another_one() {
    // Both CTAs need all columns; the second one gets them when the first one has freed them.
    let text = good().replace("[tensor], 128;", "[tensor], 512;").replace("%r0, 128;", "%r0, 512;");
    let launch = LAUNCH.replace("args", "grid = [3]\nargs");
    let done = launched_with(&launch, &text, Machine { races: true, ..Machine::default() });
    let run = done.unwrap().unwrap_or_else(|e| panic!("{e:?}\n{text}"));
    let report = &run.reports[0];
    let codes: Vec<&str> = report.misuses.iter().map(|misuse| misuse.code).collect();
    assert_eq!((report.verdict, codes), (Verdict::Completed, vec![]), "{report}");
    let known = (0..128 * 64).filter(|i| run.after[0].get(*i).is_some()).count();
    assert_eq!(known, 128 * 16);
    // A CTA that never frees them has a finding, and the next one goes on after its end.
    let (codes, _) = misuses(&text.replace("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r0, 512;", ""));
    assert_eq!(codes, ["tcgen05_not_freed"]);
}

#[test]
fn a_wait_for_columns_that_never_ends_stops_the_run() {
    let twice = "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [tensor], 512;\n";
    let text = good().replace("[tensor], 128;\n", &format!("[tensor], 128;\n{twice}"));
    assert!(stopped(&text).contains("waits for 512 free columns of tensor memory"));
}

#[test]
fn other_kinds_are_unknown_and_named() {
    let i8 = product("%r0").replace("kind::f16", "kind::i8");
    assert_eq!(misuses(&kernel(&[0; 4096], "", &i8, "")), (vec!["tcgen05_not_checked"], false));
}
