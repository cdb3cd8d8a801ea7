// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Litmus programs: the values that warps may load from words that other warps store. An outcome that PTX's memory model forbids never
//! occurs.
//! An allowed outcome that needs accesses out of order occurs in some run; otherwise the runs would prove nothing.
//!
//! `BCU_SEED=N BCU_ROUNDS=M cargo test -p bcu-engine --test sim litmus` runs every program M times from seed N.

mod atomics;
pub(super) mod harness;

use harness::{litmus, Litmus};

/// The word `x` is at address 64 of the memory `.X`, the word `y` at address 128 of the memory `.Y`. The outcome has the final `r0` and
/// `r1` of each warp.
const WRITER: &str = "st.X.u32 [64], 1; FENCE st.relaxed.cta.Y.u32 [128], 1;";
const READER: &str = "ld.relaxed.cta.Y.u32 r0, [128]; FENCE ld.X.u32 r1, [64];";

fn with(text: &str, fence: &str) -> String {
    text.replace("FENCE", fence)
}

/// The reader has loaded the new flag but the old data.
fn stale(seen: &Litmus) -> bool {
    seen.registers[1] == [1, 0]
}

#[test]
fn messages_pass_with_fences_on_both_sides() {
    for fence in ["fence.acq_rel.cta;", "fence.sc.gpu;", "membar.cta;", "membar.gl;", "fence.acq_rel.sys;"] {
        litmus(&[&with(WRITER, fence), &with(READER, fence)], 1, stale).never();
    }
}

#[test]
fn messages_pass_with_a_release_and_an_acquire() {
    let (writer, reader) = (with(WRITER, "").replace("relaxed", "release"), with(READER, "").replace("relaxed", "acquire"));
    litmus(&[&writer, &reader], 1, stale).never();
    litmus(&[&with(WRITER, "fence.acq_rel.cta;"), &reader], 1, stale).never();
    litmus(&[&writer, &with(READER, "fence.acq_rel.cta;")], 1, stale).never();
    // An atomic operation sets and reads the flag.
    let writer = "st.X.u32 [64], 1; atom.release.cta.Y.exch.b32 r0, [128], 1;";
    let reader = "atom.acquire.cta.Y.or.b32 r0, [128], 0; ld.X.u32 r1, [64];";
    litmus(&[writer, reader], 1, stale).never();
    litmus(&["st.X.u32 [64], 1; red.release.cta.Y.add.u32 [128], 1;", reader], 1, stale).never();
}

#[test]
fn messages_may_be_lost_without_a_fence_on_either_side() {
    let fence = "fence.acq_rel.cta;";
    litmus(&[&with(WRITER, ""), &with(READER, "")], 1, stale).sometimes();
    litmus(&[&with(WRITER, fence), &with(READER, "")], 1, stale).sometimes();
    litmus(&[&with(WRITER, ""), &with(READER, fence)], 1, stale).sometimes();
}

#[test]
fn messages_pass_from_lane_to_lane_to_warp() {
    // Lane 1 stores the data, lane 0 of the same warp sets the flag.
    let writer = "setp.eq.u32 p1, r9, 1; setp.eq.u32 p2, r9, 0; @p1 st.X.u32 [64], 1; bar.warp.sync 3;
        @p2 fence.acq_rel.cta; @p2 st.relaxed.cta.Y.u32 [128], 1;";
    let reader = with(READER, "fence.acq_rel.cta;");
    litmus(&[writer, &reader], 2, stale).never();
    let apart =
        "setp.eq.u32 p1, r9, 1; @p1 bra ONE; bar.warp.sync 3; fence.acq_rel.cta; st.relaxed.cta.Y.u32 [128], 1; bra END;
        ONE: st.X.u32 [64], 1; bar.warp.sync 3; END:";
    for writer in [writer, apart] {
        litmus(&[writer, &reader], 2, stale).never();
        let releases = writer.replace("fence.acq_rel.cta;", "").replace("@p2  @p2", "@p2").replace("st.relaxed", "st.release");
        litmus(&[&releases, &reader], 2, stale).never();
    }
}

#[test]
fn messages_pass_from_warp_to_lane_to_lane() {
    // Lane 0 reads the flag, lane 1 of the same warp reads the data.
    let writer = with(WRITER, "fence.acq_rel.cta;");
    let reader = "setp.eq.u32 p1, r9, 1; @p1 bra ONE; ld.acquire.cta.Y.u32 r0, [128]; bar.warp.sync 3; bra END;
        ONE: bar.warp.sync 3; FENCE ld.X.u32 r1, [64]; END: shfl.sync.idx.b32 r1, r1, 1, 31, 3;";
    litmus(&[&writer, &with(reader, "")], 2, stale).never();
    let reader = with(reader, "fence.acq_rel.cta;").replace("acquire", "relaxed");
    litmus(&[&writer, &reader], 2, stale).never();
}

#[test]
fn messages_pass_with_barriers() {
    // These programs use no flag: a load after the barrier returns the value stored before the barrier.
    let old = |seen: &Litmus| seen.registers[1][1] == 0;
    litmus(&["st.X.u32 [64], 1; bar.arrive 1, 64;", "bar.sync 1, 64; ld.X.u32 r1, [64];"], 1, old).never();
    litmus(&["st.X.u32 [64], 1; bar.sync 1;", "bar.sync 1; ld.X.u32 r1, [64];"], 1, old).never();
    // A load before the barrier returns the value from before the store.
    let new = |seen: &Litmus| seen.registers[1][1] == 1;
    litmus(&["bar.sync 1; st.X.u32 [64], 1;", "ld.X.u32 r1, [64]; bar.sync 1;"], 1, new).never();
}

#[test]
fn messages_pass_by_a_third_warp() {
    let first = "st.relaxed.cta.X.u32 [64], 1;";
    let second = "ld.relaxed.cta.X.u32 r0, [64]; FENCE st.relaxed.cta.Y.u32 [128], 1;";
    let lost = |seen: &Litmus| seen.registers[1][0] == 1 && seen.registers[2] == [1, 0];
    let fence = "fence.acq_rel.cta;";
    litmus(&[first, &with(second, fence), &with(READER, fence)], 1, lost).never();
}

#[test]
fn stores_are_buffered_without_a_fence() {
    let threads = |fence: &str| {
        [
            "st.relaxed.cta.X.u32 [64], 1; FENCE ld.relaxed.cta.Y.u32 r0, [128];",
            "st.relaxed.cta.Y.u32 [128], 1; FENCE ld.relaxed.cta.X.u32 r0, [64];",
        ]
        .map(|text| with(text, fence))
    };
    let both_old = |seen: &Litmus| seen.registers[0][0] == 0 && seen.registers[1][0] == 0;
    let [a, b] = threads("");
    litmus(&[&a, &b], 1, both_old).sometimes();
    let [a, b] = threads("fence.sc.cta;");
    litmus(&[&a, &b], 1, both_old).never();
}

#[test]
fn loads_are_buffered_without_a_fence() {
    let threads = |fence: &str, value: &str| {
        [
            "ld.relaxed.cta.X.u32 r0, [64]; FENCE st.relaxed.cta.Y.u32 [128], VALUE;",
            "ld.relaxed.cta.Y.u32 r0, [128]; FENCE st.relaxed.cta.X.u32 [64], VALUE;",
        ]
        .map(|text| with(text, fence).replace("VALUE", value))
    };
    let both_new = |seen: &Litmus| seen.registers[0][0] == 1 && seen.registers[1][0] == 1;
    let [a, b] = threads("", "1");
    litmus(&[&a, &b], 1, both_new).sometimes();
    let [a, b] = threads("fence.acq_rel.cta;", "1");
    litmus(&[&a, &b], 1, both_new).never();
    // No value appears out of thin air.
    let [a, b] = threads("", "r0");
    litmus(&[&a, &b], 1, |seen| seen.registers[0][0] != 0 || seen.registers[1][0] != 0).never();
}

#[test]
fn one_location_is_coherent() {
    let reads = "ld.relaxed.cta.X.u32 r0, [64]; ld.relaxed.cta.X.u32 r1, [64];";
    litmus(&["st.relaxed.cta.X.u32 [64], 1;", reads], 1, stale).never();
    let reads = "ld.volatile.X.u32 r0, [64]; ld.volatile.X.u32 r1, [64];";
    litmus(&["st.volatile.X.u32 [64], 1;", reads], 1, stale).never();
    // Unordered reads by different lanes of a warp may differ; reads by one lane may not.
    let two = "st.relaxed.cta.X.u32 [64], 1; st.relaxed.cta.X.u32 [64], 2;";
    litmus(&[two, "ld.relaxed.cta.X.u32 r0, [64];"], 1, |seen| seen.x != 2).never();
    let other = "st.relaxed.cta.X.u32 [64], 2;";
    let after = "st.relaxed.cta.X.u32 [64], 1; ld.relaxed.cta.X.u32 r0, [64];";
    let wrong = |seen: &Litmus| seen.registers[0][0] == 0 || seen.registers[0][0] == 2 && seen.x == 1;
    litmus(&[after, other], 1, wrong).never();
    let before = "ld.relaxed.cta.X.u32 r0, [64]; st.relaxed.cta.X.u32 [64], 1;";
    let wrong = |seen: &Litmus| seen.registers[0][0] == 1 || seen.registers[0][0] == 2 && seen.x == 2;
    litmus(&[before, other], 1, wrong).never();
}

#[test]
fn weak_reads_of_one_location_may_differ() {
    let reads = "ld.weak.X.u32 r0, [64]; ld.weak.X.u32 r1, [64];";
    litmus(&["st.weak.X.u32 [64], 1;", reads], 1, stale).sometimes();
}

#[test]
fn two_and_two_stores() {
    let threads = |fence: &str| {
        [
            "st.relaxed.cta.X.u32 [64], 1; FENCE st.relaxed.cta.Y.u32 [128], 2;",
            "st.relaxed.cta.Y.u32 [128], 1; FENCE st.relaxed.cta.X.u32 [64], 2;",
        ]
        .map(|text| with(text, fence))
    };
    let both_first = |seen: &Litmus| (seen.x, seen.y) == (1, 1);
    let [a, b] = threads("");
    litmus(&[&a, &b], 1, both_first).sometimes();
    let [a, b] = threads("fence.sc.cta;");
    litmus(&[&a, &b], 1, both_first).never();
}

#[test]
fn two_readers_agree_on_the_order_of_two_stores() {
    let (x, y) = ("st.relaxed.cta.X.u32 [64], 1;", "st.relaxed.cta.Y.u32 [128], 1;");
    let threads = |fence: &str| {
        [
            "ld.relaxed.cta.X.u32 r0, [64]; FENCE ld.relaxed.cta.Y.u32 r1, [128];",
            "ld.relaxed.cta.Y.u32 r0, [128]; FENCE ld.relaxed.cta.X.u32 r1, [64];",
        ]
        .map(|text| with(text, fence))
    };
    let differ = |seen: &Litmus| seen.registers[2] == [1, 0] && seen.registers[3] == [1, 0];
    let [a, b] = threads("fence.sc.cta;");
    litmus(&[x, y, &a, &b], 1, differ).never();
}
