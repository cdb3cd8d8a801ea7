// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Diverging lanes of a warp in PTX: the instructions that each lane issues, and the values that each lane stores.

use super::ptx::{bar, words};
use super::runs::{ptx, stopped, try_run, Run, Taken};
use bcu_program::ptx::Launch;
use bcu_program::Kind;

/// The instructions of a warp that the unit accepted: assembly, form, active lanes, executing lanes, and lanes that vote true.
fn shown(run: &Run, warp: usize) -> Vec<String> {
    let line = |t: &Taken| format!("{} {:?} in {:#x} if {:#x} vote {:#x}", t.text(), t.form, t.active, t.guard, t.predicate);
    run.instructions.iter().filter(|taken| taken.warp == warp).map(line).collect()
}

/// The values that the lanes of a warp stored at consecutive words from `first` up.
fn stored(run: &Run, first: u32) -> Vec<Option<u32>> {
    let all = run.global();
    (0..32).map(|lane| all.iter().find(|(at, _)| *at == first + 4 * lane).map(|(_, value)| *value)).collect()
}

#[test]
fn the_lanes_of_a_warp_go_their_ways_and_meet_again() {
    let text = "
// bcu: threads 32
    mov.u32 t, %tid.x; shl.b32 a, t, 2;
    setp.lt.u32 p, t, 16;
    @p bra ELSE;
    mov.u32 x, 1;
    mov.u32 n, 7;
    bra.uni JOIN;
ELSE:
    mov.u32 x, 2;
    mov.u32 n, 7;
JOIN:
    bar.sync n;
    st.global.u32 [a], x;
    @p ret;
    st.global.u32 [a+128], x;
";
    let run = ptx(text);
    assert_eq!(run.lines(0), [3, 3, 4, 5, 6, 7, 8, 10, 11, 13, 15, 16]);
    assert_eq!(words(&run, 0), [([0x751d, 1, 0, 0], 0, 7)]);
    assert_eq!((run.instructions[0].active, run.instructions[0].guard), (0xffff_ffff, 0xffff_ffff));
    assert_eq!(stored(&run, 0), (0..32).map(|lane| Some(if lane < 16 { 2 } else { 1 })).collect::<Vec<_>>());
    assert_eq!(stored(&run, 128), (0..32).map(|lane| (lane >= 16).then_some(1)).collect::<Vec<_>>());
}

#[test]
fn what_nobody_knows_is_gone_through_once() {
    let text = "
// bcu: threads 32
    mov.u32 n, 1;
    ld.global.u32 t, [a];
    setp.lt.u32 p, t, 16;
    @p bra ELSE;
    mov.u32 n, 7;
    bra.uni JOIN;
ELSE:
    st.shared.u32 [a], t;
JOIN:
    mov.u32 m, 2;
    bar.sync m;
";
    assert_eq!(ptx(text).lines(0), [3, 4, 5, 6, 7, 8, 10, 12, 13]);
    let why = stopped(&text.replace("bar.sync m", "bar.sync n"));
    assert_eq!(why.diagnostic.message, "the barrier id in warp 0 of CTA 0 is unknown");
    assert!(why.diagnostic.help.as_ref().unwrap().contains("line 4, `ld.global.u32 t, [a]`"), "{why:?}");
}

#[test]
fn barriers_have_guards_and_predicates_by_lane() {
    let text = "
// bcu: threads 48
    mov.u32 t, %laneid;
    setp.lt.u32 p, t, 8;
    setp.eq.u32 q, t, 3;
    @p bar.sync 1;
    @!p bar.arrive 2, 64;
    @p bar.red.popc.u32 n, 3, 64, !q;
    barrier.red.aligned.and.pred r, 4, q;
    bar.red.or.pred r, 5, 1;
    st.shared.u32 [0], n;
";
    let run = ptx(text);
    let of = |all: u64| {
        let rest = all & !0xff;
        [
            format!("@P0 BAR.SYNC 0x1, 0x0 Aligned in {all:#x} if 0xff vote 0x0"),
            format!("@!P0 BAR.ARV 0x2, 0x40 Aligned in {all:#x} if {rest:#x} vote 0x0"),
            // The unit negates the predicate.
            format!("@P0 BAR.RED.POPC 0x3, 0x40, !P1 Aligned in {all:#x} if 0xff vote 0x8"),
            "B2R.RESULT R2, PT Raw in 0xff if 0xff vote 0x0".to_string(),
            format!("BAR.RED.AND 0x4, 0x0, P1 Aligned in {all:#x} if {all:#x} vote 0x8"),
            format!("B2R.RESULT RZ, P2 Raw in {all:#x} if {all:#x} vote 0x0"),
            format!("BAR.RED.OR 0x5, 0x0, P1 Aligned in {all:#x} if {all:#x} vote {all:#x}"),
            format!("B2R.RESULT RZ, P2 Raw in {all:#x} if {all:#x} vote 0x0"),
        ]
    };
    assert_eq!(shown(&run, 0), of(0xffff_ffff));
    assert_eq!(shown(&run, 1), of(0xffff));
    // The unit refuses `.aligned` arrivals of some of the lanes. So the reduction of barrier 3 has no result, and no lane stores a count.
    let faults = |code: &str| run.report.faults.iter().filter(|fault| fault.code == code).count();
    assert_eq!((faults("partial_mask"), faults("no_result")), (6, 2), "{}", run.report);
    assert_eq!(run.report.generations.iter().filter_map(|g| g.value).collect::<Vec<_>>(), [0, 1]);
    assert_eq!(run.shared(), []);
}

#[test]
fn diverged_lanes_arrive_in_pieces_and_wait_for_each_other() {
    let text = "
// bcu: threads 32
    mov.u32 t, %laneid; shl.b32 a, t, 2;
    setp.lt.u32 p, t, 8;
    setp.ge.u32 q, t, 24;
    @q exit;
    @p bra LOW;
    barrier.red.popc.u32 n, 1, p;
    st.global.u32 [a], n;
    bra.uni END;
LOW:
    barrier.red.popc.u32 n, 1, p;
END:
    exit;
";
    let run = ptx(text);
    let mut found = shown(&run, 0);
    assert_eq!(
        found[..2],
        [
            "BAR.RED.POPC 0x1, 0x0, P1 Gathered in 0xffff00 if 0xffff00 vote 0x0",
            "BAR.RED.POPC 0x1, 0x0, P1 Gathered in 0xff if 0xff vote 0xff",
        ]
    );
    found[2..].sort();
    let result = |lanes: &str| format!("B2R.RESULT R2, PT Raw in {lanes} if {lanes} vote 0x0");
    assert_eq!(found[2..], [result("0xff"), result("0xffff00")]);
    // No lane resumes before all have arrived.
    assert_eq!(stored(&run, 0), (0..32).map(|lane| (8..24).contains(&lane).then_some(8)).collect::<Vec<_>>());
    let line = |line: usize| run.lines(0).iter().position(|l| *l == line).unwrap();
    assert!(line(9) > line(12), "{:?}", run.lines(0));
}

#[test]
fn loops_with_other_rounds_in_every_lane_end_lane_by_lane() {
    let text = "
// bcu: threads 32
    mov.u32 n, %laneid; shl.b32 a, n, 2;
    and.b32 n, n, 1;
    mov.u32 rounds, 0;
LOOP:
    add.u32 rounds, rounds, 1;
    sub.s32 n, n, 1;
    setp.ge.s32 p, n, 0;
    @p bra LOOP;
    bar.sync 0;
    st.global.u32 [a], rounds;
";
    let run = ptx(text);
    assert_eq!(stored(&run, 0), (0..32).map(|lane| Some(1 + lane % 2)).collect::<Vec<_>>());
    assert_eq!(shown(&run, 0), ["BAR.SYNC 0x0, 0x0 Aligned in 0xffffffff if 0xffffffff vote 0x0"]);
    assert_eq!(run.lines(0).iter().filter(|line| **line == 7).count(), 2);
}

#[test]
fn lanes_may_name_different_barriers_which_is_a_matter_of_the_unit() {
    let text = "mov.u32 t, %laneid; and.b32 t, t, 1;\nadd.u32 c, t, 1; shl.b32 c, c, 2; bar.sync t, c;";
    let launch = Launch { threads: Some([4, 1, 1]), ..Launch::new(4) };
    let run = try_run(Kind::Ptx, "tiny", "", text, &launch).unwrap();
    let [taken] = &run.instructions[..] else { panic!("{:?}", run.instructions) };
    assert_eq!((taken.text().as_str(), taken.ra, taken.rb, taken.uniform), ("BAR.SYNC R0, R1", 0, 4, false));
    assert_eq!(run.report.faults[0].code, "operand_not_uniform");
}

#[test]
fn a_warp_index_through_a_shuffle_stays_known() {
    let text = "
// bcu: threads 96
    mov.u32 t, %tid.x;
    shr.u32 w, t, 5;
    shfl.sync.idx.b32 u|q, w, 0, 31, -1;
    setp.eq.s32 p, u, 1;
    @!p bra OTHERS;
    bar.sync 1, 32;
    bra.uni END;
OTHERS:
    bar.arrive 2, 64;
END:
    exit;
";
    let run = ptx(text);
    assert_eq!([0, 1, 2].map(|warp| words(&run, warp)), [[bar(true, 2, 64)], [bar(false, 1, 32)], [bar(true, 2, 64)]]);
}

#[test]
fn guards_decide_by_lane_and_skipped_barriers_are_time() {
    let text = "
// bcu: threads 64
    mov.u32 t, %tid.x;
    mov.u32 id, 1;
    setp.ge.u32 p|q, t, 32;
    @p mov.u32 id, 2;
    @p bar.sync id;
    @q bar.arrive id, 64;
    @!p st.global.u32 [64], t;
";
    let run = ptx(text);
    assert_eq!(words(&run, 0), [([0x751d, 64 << 12 | 1, 1 << 16, 0], 0, 1)]);
    assert_eq!(words(&run, 1), [([0x751d, 1, 0, 0], 0, 2)]);
    assert_eq!(run.lines(0), [3, 4, 5, 6, 7, 8, 9]);
    assert_eq!(run.global(), [(64, 31)]);
}

/// The minimum and maximum of f32 over lanes, and of three numbers.
#[test]
fn extremes_of_numbers() {
    let text = "
// bcu: threads 32
    mov.u32 t, %tid.x; shl.b32 a, t, 2;
    cvt.rn.f32.u32 x, t;
    sub.f32 x, x, 0f40a00000;
    redux.sync.min.f32 y, x, -1; st.global.u32 [a], y;
    redux.sync.max.f32 y, x, -1; st.global.u32 [a+128], y;
    redux.sync.min.abs.f32 y, x, -1; st.global.u32 [a+256], y;
    setp.eq.u32 p, t, 3;
    @p mov.b32 x, 0x7fc00000;
    redux.sync.max.f32 y, x, -1; st.global.u32 [a+384], y;
    redux.sync.max.NaN.f32 y, x, -1; st.global.u32 [a+512], y;
    max.f32 y, 0f3f800000, 0f40400000, 0f40000000; st.global.u32 [a+640], y;
    min.f32 y, 0f40400000, 0f40000000, 0f3f800000; st.global.u32 [a+768], y;
    max.NaN.f32 y, 0f3f800000, 0f7fc00000, 0f40000000; st.global.u32 [a+896], y;
";
    let run = ptx(text);
    let expected =
        [-5f32, 26.0, 0.0, 26.0].map(f32::to_bits).into_iter().chain([0x7fff_ffff]).chain([3f32, 1.0].map(f32::to_bits));
    for (number, expected) in expected.chain([0x7fff_ffff]).enumerate() {
        assert_eq!(stored(&run, 128 * number as u32), [Some(expected); 32], "result {number}");
    }
}
