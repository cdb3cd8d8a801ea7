// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `cp.async.bulk` and `cp.reduce.async.bulk` with groups: the times of their reads and stores, the effect of a missing
//! wait, reductions, and invalid forms.

use crate::runs::{ptx, races, stopped, try_run};
use bcu_program::ptx::{parse, Launch};
use bcu_program::Kind;
use std::collections::BTreeSet;

/// A warp stores 1 to 32 to shared memory; then lane 0 executes `body`.
fn fragment(body: &str) -> String {
    format!(
        "// bcu: threads 32\n.shared .align 16 .b32 s[32];\n.reg .b64 %rd<4>;\nmov.u32 t, %laneid;\nshl.b32 a, t, 2;\nadd.u32 v, t, 1;\n\
         st.shared.u32 [a], v;\nfence.proxy.async.shared::cta;\nbar.sync 0;\nmov.u64 %rd1, 1024;\nsetp.ne.u32 p, t, 0;\n@p bra END;\n\
         {body}\nEND:\nexit;\n"
    )
}

const COPY: &str = "cp.async.bulk.global.shared::cta.bulk_group [%rd1], [s], 64;\ncp.async.bulk.commit_group;\n";

/// The values of the word at this address of global memory in many schedules.
fn observed_values(body: &str, address: u32) -> BTreeSet<Option<u32>> {
    let one = |seed: u64| {
        let machine = format!("policy = 'random'\nseed = {seed}\n[latency]\nspread = 800\n");
        let run = try_run(Kind::Ptx, "default", &machine, &fragment(body), &Launch::new(32))
            .unwrap_or_else(|e| panic!("{e:?}\n{body}"));
        run.global().into_iter().find(|(at, _)| *at == address).map(|(_, value)| value)
    };
    (0..24).map(one).collect()
}

#[test]
fn a_copy_is_there_when_it_was_waited_for() {
    let all = ptx(&fragment(&format!("{COPY}cp.async.bulk.wait_group 0;"))).global();
    assert_eq!(all, (0..16).map(|i| (1024 + 4 * i, i + 1)).collect::<Vec<_>>());
    let read = |wait: &str| format!("{COPY}{wait}\nld.global.u32 r, [%rd1+60];\nst.global.u32 [0], r;");
    assert_eq!(observed_values(&read("cp.async.bulk.wait_group 0;"), 0), [Some(16)].into());
    // Neither the end of the reads nor the groups of other copies guarantee that the data is stored.
    for wait in
        ["", "cp.async.bulk.wait_group.read 0;", "cp.async.bulk.wait_group 1;", "cp.async.wait_all;", "cp.async.wait_group 0;"]
    {
        assert!(observed_values(&read(wait), 0).contains(&None), "{wait}");
    }
}

#[test]
fn what_is_overwritten_too_early_is_copied() {
    let overwrite = |wait: &str| format!("{COPY}{wait}\nst.shared.u32 [s+4], 77;");
    assert_eq!(observed_values(&overwrite("cp.async.bulk.wait_group.read 0;"), 1028), [Some(2)].into());
    assert_eq!(observed_values(&overwrite("cp.async.bulk.wait_group 0;"), 1028), [Some(2)].into());
    assert!(observed_values(&overwrite(""), 1028).contains(&Some(77)));
    assert!(observed_values(&overwrite("cp.async.wait_all;"), 1028).contains(&Some(77)));
}

#[test]
fn without_a_proxy_fence_a_copy_may_miss_what_its_thread_stored() {
    let store = |fence: &str| format!("st.shared.u32 [s+4], 77;\n{fence}\n{COPY}cp.async.bulk.wait_group 0;");
    assert_eq!(observed_values(&store("fence.proxy.async.shared::cta;"), 1028), [Some(77)].into());
    assert!(observed_values(&store(""), 1028).contains(&Some(2)));
}

#[test]
fn groups_are_waited_for_but_the_last_ones() {
    let two = |left: u32| {
        format!(
            "{COPY}cp.async.bulk.global.shared::cta.bulk_group [%rd1+64], [s+64], 64;\ncp.async.bulk.commit_group;\n\
             cp.async.bulk.wait_group {left};\nld.global.u32 r, [%rd1];\nld.global.u32 q, [%rd1+64];\nst.global.u32 [0], r;\nst.global.u32 [4], q;"
        )
    };
    assert_eq!((observed_values(&two(0), 0), observed_values(&two(0), 4)), ([Some(1)].into(), [Some(17)].into()));
    assert_eq!(observed_values(&two(1), 0), [Some(1)].into());
    assert!(observed_values(&two(1), 4).contains(&None) && observed_values(&two(2), 0).contains(&None));
}

#[test]
fn every_lane_has_copies_of_its_own() {
    let text = fragment("").replace(
        "setp.ne.u32 p",
        "setp.ge.u32 q, t, 8;\n@q bra END;\nshl.b32 f, t, 4;\ncvt.u64.u32 %rd2, f;\nadd.u64 %rd2, %rd2, %rd1;\n\
         cp.async.bulk.global.shared::cta.bulk_group [%rd2], [f], 16;\ncp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\nsetp.ne.u32 p",
    );
    assert_eq!(ptx(&text).global(), (0..32).map(|i| (1024 + 4 * i, i + 1)).collect::<Vec<_>>());
}

#[test]
fn a_mask_says_which_of_sixteen_bytes_are_copied() {
    let copy = "st.global.v4.u32 [%rd1], {0x11111111, 0x22222222, 0x33333333, 0x44444444};\nmembar.gl;\n\
                cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%rd1], [s], 16, 0x90f1;\ncp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;";
    let wanted = [(1024, 0x1111_1101), (1028, 2), (1032, 0x3333_3333), (1036, 0x0044_4404)];
    // Byte 12 is the lowest byte of the number 4; byte 15 of that number is 0.
    assert_eq!(ptx(&fragment(copy)).global(), wanted);
}

/// The words in global memory after a bulk reduction of 16 bytes: `before` are the words in global memory, `by` the words
/// in shared memory that are combined with them.
fn reduced(op: &str, before: [u32; 4], by: [u32; 4]) -> Vec<u32> {
    let list = |words: [u32; 4]| words.map(|word| format!("{word:#x}")).join(", ");
    let body = format!(
        "st.global.v4.u32 [%rd1], {{{}}};\nst.shared.v4.u32 [s], {{{}}};\nfence.proxy.async;\n\
         cp.reduce.async.bulk.global.shared::cta.bulk_group.{op} [%rd1], [s], 16;\ncp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;",
        list(before),
        list(by)
    );
    ptx(&fragment(&body)).global().into_iter().map(|(_, value)| value).collect()
}

#[test]
fn reductions_of_words_combine_element_by_element() {
    let (before, by) = ([5, 0xffff_fff0, 0x8000_0000, 9], [7, 0x20, 0x7fff_ffff, 9]);
    type Word = fn(u32, u32) -> u32;
    let cases: [(&str, Word); 12] = [
        ("add.u32", u32::wrapping_add),
        ("add.s32", u32::wrapping_add),
        ("min.u32", |a, b| a.min(b)),
        ("max.u32", |a, b| a.max(b)),
        ("min.s32", |a, b| (a as i32).min(b as i32) as u32),
        ("max.s32", |a, b| (a as i32).max(b as i32) as u32),
        ("and.b32", |a, b| a & b),
        ("or.b32", |a, b| a | b),
        ("xor.b32", |a, b| a ^ b),
        ("inc.u32", |a, b| if a >= b { 0 } else { a + 1 }),
        ("dec.u32", |a, b| if a == 0 || a > b { b } else { a - 1 }),
        ("add.f32", |a, b| (f32::from_bits(a) + f32::from_bits(b)).to_bits()),
    ];
    for (op, word) in cases {
        let (before, by) = match op {
            "add.f32" => ([1.5f32, -2.0, 1e30, 0.1].map(f32::to_bits), [0.25f32, 2.0, 1e30, 0.2].map(f32::to_bits)),
            _ => (before, by),
        };
        let wanted: Vec<u32> = before.iter().zip(by).map(|(a, b)| word(*a, b)).collect();
        assert_eq!(reduced(op, before, by), wanted, "{op}");
    }
}

#[test]
fn reductions_of_long_and_short_elements() {
    let words = |numbers: [u64; 2]| {
        let [a, b] = numbers;
        [a as u32, (a >> 32) as u32, b as u32, (b >> 32) as u32]
    };
    type Long = fn(u64, u64) -> u64;
    let cases: [(&str, Long); 8] = [
        ("add.u64", u64::wrapping_add),
        ("min.u64", |a, b| a.min(b)),
        ("max.s64", |a, b| (a as i64).max(b as i64) as u64),
        ("min.s64", |a, b| (a as i64).min(b as i64) as u64),
        ("and.b64", |a, b| a & b),
        ("or.b64", |a, b| a | b),
        ("xor.b64", |a, b| a ^ b),
        ("add.f64", |a, b| (f64::from_bits(a) + f64::from_bits(b)).to_bits()),
    ];
    for (op, long) in cases {
        let (before, by) = match op {
            "add.f64" => ([1.5f64.to_bits(), (-3.0f64).to_bits()], [0.25f64.to_bits(), 1e-3f64.to_bits()]),
            _ => ([0xffff_ffff_0000_0001, 1 << 63 | 5], [0x0000_0000_ffff_ffff, 7]),
        };
        let wanted = words([long(before[0], by[0]), long(before[1], by[1])]).to_vec();
        assert_eq!(reduced(op, words(before), words(by)), wanted, "{op}");
    }
    // The two halves of each word are 1.5 and 2.0, or as bf16 1.0 and 3.0.
    assert_eq!(reduced("add.noftz.f16", [0x3e00_4000; 4], [0x4000_3e00; 4]), [0x4300_4300; 4]);
    assert_eq!(reduced("max.f16", [0x3e00_4000; 4], [0x4000_3e00; 4]), [0x4000_4000; 4]);
    assert_eq!(reduced("add.noftz.bf16", [0x3f80_4040; 4], [0x3f80_3f80; 4]), [0x4000_4080; 4]);
    assert_eq!(reduced("min.bf16", [0x3f80_4040; 4], [0x3f80_3f80; 4]), [0x3f80_3f80; 4]);
}

/// Two warps: the first warp copies, both warps meet at a barrier, then the second warp executes `second`.
fn two(before: &str, behind: &str, second: &str) -> String {
    format!(
        ".shared .align 16 .b32 s[64];\n.global .align 16 .b32 g[64];\n.visible .entry k()\n.maxntid 64\n{{\n.reg .b32 %r<9>;\n.reg .b64 %rd<4>;\n\
         .reg .pred %p<3>;\nmov.u32 %r1, %tid.x;\nshl.b32 %r2, %r1, 2;\nmov.u32 %r4, s;\nadd.u32 %r2, %r2, %r4;\nst.shared.u32 [%r2], %r1;\n\
         fence.proxy.async.shared::cta;\nbar.sync 0;\nmov.u64 %rd1, g;\nsetp.ne.u32 %p1, %r1, 0;\nsetp.ge.u32 %p2, %r1, 32;\n@%p1 bra REST;\n\
         cp.async.bulk.global.shared::cta.bulk_group [%rd1], [s], 256;\ncp.async.bulk.commit_group;\n{before}\n\
         REST:\nbar.sync 0;\n@%p1 bra SECOND;\n{behind}\nSECOND:\n@!%p2 bra END;\n{second}\nEND:\nret;\n}}\n"
    )
}

#[test]
fn overwriting_before_the_wait_is_a_race() {
    const WRITE: &str = "st.shared.u32 [%r2], 5;";
    const READ: &str = "ld.shared.u32 %r3, [%r2];";
    let wait = "cp.async.bulk.wait_group.read 0;";
    assert_eq!(races(&two(wait, "", WRITE)), []);
    assert_eq!(races(&two("cp.async.bulk.wait_group 0;", "", WRITE)), []);
    assert_eq!(races(&two("", wait, READ)), []);
    // A wait after the barrier is too late, and a wait for other copies has no effect.
    for (before, behind) in [("", wait), ("cp.async.wait_all;", ""), ("cp.async.bulk.wait_group.read 1;", "")] {
        let found = races(&two(before, behind, WRITE));
        let [(sides, copy)] = &found[..] else { panic!("{before} {behind} {found:?}") };
        assert!(sides[0].1.starts_with("cp.async.bulk.global") && sides[1].1.starts_with("st.shared"), "{sides:?}");
        assert!(*copy && sides[0].0 == 0);
    }
    // The copying thread has to wait as well, and its source must be stored and visible to the copy.
    let own = races(&two("st.shared.u32 [s], 3;", "", ""));
    assert!(matches!(&own[..], [(_, true)]), "{own:?}");
    let early = two(wait, "", "").replacen("fence.proxy.async.shared::cta;\nbar.sync 0;\n", "", 1);
    assert!(races(&early).iter().any(|(sides, copy)| sides[1].1.starts_with("cp.async.bulk.global") && !copy));
}

#[test]
fn a_copy_lies_inside_of_both_memories_at_multiples_of_sixteen() {
    let kernel = |copy: &str| {
        two("", "", "").replace("[%rd1], [s], 256;", copy).replace("mov.u64 %rd1", "mov.u32 %r5, 24;\nmov.u64 %rd1")
    };
    for (copy, message) in [
        ("[%rd1], [s+240], 32;", "outside of the 256 bytes of shared memory"),
        ("[%rd1+16], [s], 256;", "is outside of all variables and buffers"),
        ("[%rd1+8], [s], 16;", "is not a multiple of 16"),
        ("[%rd1], [s+4], 16;", "is not a multiple of 16"),
        ("[%rd1], [s], %r5;", "24 bytes is not a multiple of 16 bytes"),
    ] {
        let found = stopped(&kernel(copy));
        assert!(found.is_wrong() && found.diagnostic.message.contains(message), "{copy}: {found:?}");
    }
    let large = fragment("mov.u32 n, 0x200000;\ncp.async.bulk.global.shared::cta.bulk_group [%rd1], [s], n;");
    assert!(stopped(&large).diagnostic.message.contains("exceed the maximum of a bulk copy, 1048576"), "{:?}", stopped(&large));
}

#[test]
fn a_prefetch_has_no_effect_but_its_bytes_are_there() {
    let kernel = |from: &str| {
        two("", "", "").replace("cp.async.bulk.commit_group;", &format!("cp.async.bulk.prefetch.L2.global {from};"))
    };
    assert_eq!(races(&kernel("[%rd1], 256")), []);
    for (from, message) in
        [("[%rd1+4], 16", "not a multiple of 16"), ("[%rd1+16], 256", "is outside of all variables and buffers")]
    {
        assert!(stopped(&kernel(from)).diagnostic.message.contains(message), "{from}");
    }
}

#[test]
fn of_an_unknown_size_nobody_knows_where_it_goes() {
    let run = ptx(&fragment(
        "st.global.u32 [0], 1;\nmembar.gl;\nld.global.u32 n, [512];\ncp.async.bulk.global.shared::cta.bulk_group [%rd1], [s], n;\n\
         cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\nst.global.u32 [8], 3;",
    ));
    assert_eq!((run.global(), run.report.unknown_stores), (vec![(8, 3)], 1));
}

#[test]
fn wrong_operands_are_told() {
    for (line, message, label) in [
        (
            "cp.async.bulk.global.shared::cta.bulk_group [%rd1], [s], 24;",
            "a bulk copy of 24 bytes",
            "expected a multiple of 16",
        ),
        ("cp.async.bulk.global.shared::cta.bulk_group [%rd1], [s];", "has 2 operands", "expected `[to], [from], bytes`"),
        ("cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%rd1], [s], 16;", "has 3 operands", "then a mask"),
        ("cp.async.bulk.prefetch.L2.global [%rd1];", "has 1 operands", "expected `[from], bytes`"),
        (
            "cp.reduce.async.bulk.global.shared::cta.bulk_group.inc.s32 [%rd1], [s], 16;",
            "without a known operation",
            "like .add.u32",
        ),
        (
            "cp.reduce.async.bulk.global.shared::cta.bulk_group.u32 [%rd1], [s], 16;",
            "without a known operation",
            "like .add.u32",
        ),
        ("cp.async.bulk.wait_group;", "expected a constant, the number of groups that may remain in flight", ""),
    ] {
        let found = parse(&fragment(line)).unwrap_err();
        assert!(found[0].message.contains(message) && found[0].label.contains(label), "{line}: {found:?}");
    }
}
