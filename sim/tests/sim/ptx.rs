// SPDX-License-Identifier: Apache-2.0 OR MIT
//! PTX texts that are accepted: the examples, the manual's own, and what compilers write; and the steps they become.

use bcu_hw::isa::disasm;
use bcu_sim::program::ptx::{lower, parse, Launch, Lowered, Op, Role};
use bcu_sim::program::{Action, Source, Space, Step, Truth, WarpProgram, Write};

fn run(text: &str, launch: &Launch) -> Lowered {
    lower(&parse(text).unwrap(), launch).unwrap()
}

fn run32(text: &str) -> Lowered {
    run(text, &Launch::new(32))
}

/// What each barrier of a warp says in its source, in order.
fn barriers(warp: &WarpProgram) -> Vec<&str> {
    warp.steps.iter().filter(|s| matches!(s.action, Action::Barrier { .. })).map(|s| s.place.text.as_str()).collect()
}

/// The word of every arrival, with what R0 and R1 hold.
fn words(warp: &WarpProgram) -> Vec<([u32; 4], u32, u32)> {
    let held = |presets: &[Write], register: u8| {
        let value = presets.iter().find_map(|write| match write {
            Write::Mov { to, from: Source::Number(value) } if to.0 == register => Some(*value),
            _ => None,
        });
        value.unwrap_or(0)
    };
    let word = |action: &Action| match action {
        Action::Barrier { word, .. } if word[0] & 0xff == 0xdc => None,
        Action::Barrier { word, presets, .. } => Some((*word, held(presets, 0), held(presets, 1))),
        _ => None,
    };
    warp.steps.iter().filter_map(|s| word(&s.action)).collect()
}

/// Every BCU instruction as assembly, with its form, its lanes where they are not all, and what its predicates hold.
fn steps(warp: &WarpProgram) -> Vec<String> {
    let step = |step: &Step| match &step.action {
        Action::Barrier { word, form, presets } => {
            let mut text = format!("{} {form:?}", disasm::text(*word));
            if step.active != u64::MAX {
                text += &format!(" in {:#x}", step.active);
            }
            for preset in presets {
                text += &match preset {
                    Write::Predicate { to, from: Truth::Mask(mask) } => format!(" P{to}={mask:#x}"),
                    Write::Mov { to, from: Source::Number(value) } => format!(" {to:?}={value}"),
                    Write::Mov { to, from: Source::Lanes(values) } => format!(" {to:?}={values:?}"),
                    other => panic!("{other:?}"),
                };
            }
            Some(text)
        }
        _ => None,
    };
    warp.steps.iter().filter_map(step).collect()
}

/// BAR.SYNC or BAR.ARV with immediate id and count.
fn bar(arrive: bool, id: u32, count: u32) -> ([u32; 4], u32, u32) {
    ([0x7b1d, id << 8 | count << 12, u32::from(arrive) << 16, 0], 0, 0)
}

const CTA_EXCHANGE: &str = include_str!("../../../examples/cta_exchange.ptx");
const PRODUCER_CONSUMER: &str = include_str!("../../../examples/producer_consumer.ptx");
const EXCHANGE: &str = include_str!("../../../examples/cuda/exchange.ptx");
const PIPELINE: &str = include_str!("../../../examples/cuda/pipeline.ptx");
const GROUPS: &str = include_str!("../../../examples/cuda/groups.ptx");

#[test]
fn the_cta_wide_exchange_runs_in_every_warp() {
    let lowered = run32(CTA_EXCHANGE);
    assert_eq!((lowered.warps.len(), lowered.threads, lowered.warnings.len()), (3, 96, 0));
    for warp in &lowered.warps {
        assert_eq!(words(warp), [bar(false, 1, 0), bar(false, 1, 96), bar(false, 0, 0)]);
        assert_eq!(warp.steps[0].action, Action::Access { space: Space::Shared, write: true, cell: None });
        assert_eq!(warp.steps[2].action, Action::Access { space: Space::Shared, write: false, cell: None });
    }
    let place = &lowered.warps[0].steps[1].place;
    assert_eq!((place.line, place.text.as_str()), (11, "bar.cta.sync 1"));
}

#[test]
fn producer_and_consumer_take_different_warps() {
    let lowered = run32(PRODUCER_CONSUMER);
    assert_eq!(lowered.threads, 64);
    assert_eq!(lowered.warnings, []);
    let [producer, consumer] = &lowered.warps[..] else { panic!("{} warps", lowered.warps.len()) };
    assert_eq!((producer.name.as_str(), consumer.name.as_str()), ("producer", "consumer"));
    assert_eq!(words(producer), [bar(true, 0, 64), bar(false, 1, 64)]);
    assert_eq!(words(consumer), [bar(false, 0, 64), bar(true, 1, 64)]);
    assert_eq!(producer.steps[2].action, Action::Access { space: Space::Global, write: false, cell: None });
}

#[test]
fn a_compiled_exchange_is_four_times_syncthreads() {
    let lowered = run32(EXCHANGE);
    assert_eq!((lowered.warps.len(), lowered.threads), (4, 128));
    for warp in &lowered.warps {
        assert_eq!(words(warp), [bar(false, 0, 0); 4]);
        assert_eq!(warp.steps.last().unwrap().action, Action::Exit);
    }
}

#[test]
fn a_compiled_pipeline_unrolls_its_loops_and_splits_its_roles() {
    let lowered = run32(PIPELINE);
    let (full, empty) = (1, 2);
    let mut producer = vec![bar(true, full, 128)];
    let mut consumer = vec![bar(false, full, 128)];
    for _ in 1..4 {
        producer.extend([bar(false, empty, 128), bar(true, full, 128)]);
        consumer.extend([bar(true, empty, 128), bar(false, full, 128)]);
    }
    assert_eq!(lowered.warps.iter().map(words).collect::<Vec<_>>(), [producer.clone(), producer, consumer.clone(), consumer]);
}

#[test]
fn compiled_groups_take_id_and_count_from_registers() {
    let lowered = run32(GROUPS);
    assert_eq!(lowered.warps.len(), 4);
    for (warp, program) in lowered.warps.iter().enumerate() {
        // Register form: ra holds the id, rb the count; strides 32, 16, 8, 4, 2, 1, then all warps.
        let mut expected = vec![([0x731d, 1, 0, 0], 1 + warp as u32 / 2, 64); 6];
        expected.push(bar(false, 0, 0));
        assert_eq!(words(program), expected, "warp {warp}");
    }
}

/// All examples of the manual's page on bar/barrier, as they stand there.
const MANUAL: &str = r"
// Use bar.sync to arrive at a pre-computed barrier number and
// wait for all threads in CTA to also arrive:
    st.shared [r0],r1;  // write my result to shared memory
    bar.cta.sync  1;    // arrive, wait for others to arrive
    ld.shared r2,[r3];  // use shared results from other threads

// Use bar.sync to arrive at a pre-computed barrier number and
// wait for fixed number of cooperating threads to arrive:
    #define CNT1 (8*12) // Number of cooperating threads

    st.shared [r0],r1;     // write my result to shared memory
    bar.cta.sync  1, CNT1; // arrive, wait for others to arrive
    ld.shared r2,[r3];     // use shared results from other threads

// Use bar.red.and to compare results across the entire CTA:
    setp.eq.u32 p,r1,r2;         // p is True if r1==r2
    bar.cta.red.and.pred r3,1,p; // r3=AND(p) forall threads in CTA

// Use bar.red.popc to compute the size of a group of threads
// that have a specific condition True:
    setp.eq.u32 p,r1,r2;         // p is True if r1==r2
    bar.cta.red.popc.u32 r3,1,p; // r3=SUM(p) forall threads in CTA

// Examples of barrier.cta.sync
    st.shared         [r0],r1;
    barrier.cta.sync  0;
    ld.shared         r1, [r0];

/* Producer/consumer model. The producer deposits a value in
 * shared memory, signals that it is complete but does not wait
 * using bar.arrive, and begins fetching more data from memory.
 * Once the data returns from memory, the producer must wait
 * until the consumer signals that it has read the value from
 * the shared memory location. In the meantime, a consumer
 * thread waits until the data is stored by the producer, reads
 * it, and then signals that it is done (without waiting).
 */
    // Producer code places produced value in shared memory.
    st.shared   [r0],r1;
    bar.arrive  0,64;
    ld.global   r1,[r2];
    bar.sync    1,64;
    ...

    // Consumer code, reads value from shared memory
    bar.sync   0,64;
    ld.shared  r1,[r0];
    bar.arrive 1,64;
    ...
";

#[test]
fn the_manuals_examples_are_taken_as_written() {
    let lowered = run(MANUAL, &Launch { threads: Some([96, 1, 1]), ..Launch::new(32) });
    let expected = [
        bar(false, 1, 0),
        bar(false, 1, 96),
        ([0x7bdd, 0x100, 0, 1 << 2], 0, 0),
        ([0x7bdd, 0x100, 2 << 16, 1 << 2], 0, 0),
        bar(false, 0, 0),
        bar(true, 0, 64),
        bar(false, 1, 64),
        bar(false, 0, 64),
        bar(true, 1, 64),
    ];
    assert_eq!(lowered.warps.iter().map(words).collect::<Vec<_>>(), vec![expected.to_vec(); 3]);
    // What is reduced there comes from memory.
    let [and, popc] = &lowered.warnings[..] else { panic!("{:?}", lowered.warnings) };
    assert_eq!((and.message.as_str(), &MANUAL[popc.span.clone()]), ("the predicate `p` is not known before the run", "p"));
}

/// One line of every form in the syntax of the manual.
const FORMS: &str = "
.version 7.8
.target sm_80
.entry k()
.reqntid 64
{
    .reg .pred p, q;
    .reg .u32 d, a, b;
    mov.u32 a, 3;
    mov.u32 b, 64;
    bar.sync 0;
    bar.sync a, b;
    bar.cta.arrive a, 64;
    bar.red.popc.u32 d, 1, p;
    bar.cta.red.or.pred p, a, b, !q;
    barrier.sync 2;
    barrier.cta.sync.aligned 2, b;
    barrier.arrive.aligned 2, 64;
    barrier.cta.red.popc.aligned.u32 d, 3, 64, !p;
    barrier.red.aligned.and.pred p, 3, q;
    ret;
}";

#[test]
fn every_form_of_the_syntax_is_taken() {
    let lowered = run32(FORMS);
    let low = |warp: &WarpProgram| words(warp).iter().map(|w| (w.0[0] & 0xfff, w.1, w.2)).collect::<Vec<_>>();
    let expected = [
        (0xb1d, 0, 0),
        (0x31d, 3, 64),
        (0x51d, 0, 3),
        (0xbdd, 0, 0),
        (0x5dd, 0, 3),
        (0xb1d, 0, 0),
        (0x91d, 0, 64),
        (0xb1d, 0, 0),
        (0xbdd, 0, 0),
        (0xbdd, 0, 0),
    ];
    assert_eq!(low(&lowered.warps[1]), expected);
}

#[test]
fn the_unaligned_form_is_the_aligned_one_up_to_sm_6x() {
    let aligned = |sm: u32| {
        let text = FORMS.replace("sm_80", &format!("sm_{sm}"));
        let module = parse(&text).unwrap();
        let aligned = |op: &Op| match op {
            Op::Barrier(barrier) => Some(barrier.aligned),
            _ => None,
        };
        module.codes[0].instrs.iter().filter_map(|i| aligned(&i.op)).collect::<Vec<_>>()
    };
    assert_eq!(aligned(62), [true; 10]);
    assert_eq!(aligned(70), [true, true, true, true, true, false, true, true, true, true]);
}

/// What compilers write around the instructions: scopes with the same names, calls, debug lines, literals.
const COMPILED: &str = r#"
//
// Generated by NVIDIA NVVM Compiler
//
.version 9.5
.target sm_90a, debug
.address_size 64
.extern .func  (.param .b32 func_retval0) vprintf
(
	.param .b64 vprintf_param_0,
	.param .b64 vprintf_param_1
)
;
.extern .func __assertfail
(
	.param .b64 __assertfail_param_0
)
.noreturn;
.global .align 1 .b8 $str[4] = {37, 100, 10, 0};
.visible .entry kernel(
	.param .u64 .ptr .global .align 4 kernel_param_0,
	.param .u32 kernel_param_1
)
.maxntid 64, 1, 1
.minnctapersm 2
{
	.loc	1 3 0
	.local .align 8 .b8 	__local_depot0[8];
	.reg .b64 	%SP;
	.reg .pred 	%p<3>;
	.reg .f32 	%f<4>;
	.reg .b32 	%r<9>;
	.reg .b64 	%rd<5>;
	.loc	1 5 3, function_name $L__info_string0, inlined_at 1 9 2
	mov.u64 	%SP, __local_depot0;
	mov.f32 	%f1, 0f3F800000;
	mov.s32 	%r1, %tid.x;
	vote.ballot.sync.b32 	%r2, %p1, -1;
	{ .reg .b16 %tmp; .reg .u32 %r1; mov.u32 %r1, 3; LOOP: sub.u32 %r1, %r1, 1; setp.ne.u32 %p1, %r1, 0; bar.sync 1; @%p1 bra LOOP; }
	{ .reg .u32 %r1; mov.u32 %r1, 2; LOOP: sub.u32 %r1, %r1, 1; setp.ne.u32 %p1, %r1, 0; bar.sync 2; @%p1 bra.uni LOOP; }
	{ // callseq 0, 0
	.param .b64 param0;
	st.param.b64 	[param0+0], %rd2;
	.param .b32 retval0;
	call.uni (retval0), 
	vprintf, 
	(
	param0, 
	param0
	);
	ld.param.b32 	%r3, [retval0+0];
	} // callseq 0
	ld.global.v4.f32 	{%f1, %f2, %f3, _}, [%rd1+-16];
	atom.shared.add.u32 	%r4, [%rd2], 1;
	cp.async.cg.shared.global [%r4], [%rd1], 16;
	.pragma "nounroll";
$L__BB0_2:
	setp.lt.s32 	%p2, %r1, 32;
	selp.b32 	%r5, 3, 4, %p2;
	// begin inline asm
	barrier.sync.aligned %r5, 32;
	// end inline asm
	ret;

}
	.section	.debug_str
	{
$L__info_string0:
	.b8 102
	.b8 0
	}
	.file	1 "kernel.cu"
"#;

#[test]
fn what_compilers_write_is_taken() {
    let lowered = run32(COMPILED);
    for (warp, program) in lowered.warps.iter().enumerate() {
        assert_eq!(
            words(program)[..5],
            [bar(false, 1, 0), bar(false, 1, 0), bar(false, 1, 0), bar(false, 2, 0), bar(false, 2, 0)]
        );
        assert_eq!(words(program)[5..], [([0x751d, 32 << 12 | 1, 0, 0], 0, 3 + warp as u32)]);
        let accesses = program.steps.iter().filter(|s| matches!(s.action, Action::Access { .. })).count();
        assert_eq!(accesses, 3);
    }
}

#[test]
fn the_lanes_of_a_warp_go_their_ways_and_meet_again() {
    let text = "
// bcu: threads 32
    mov.u32 t, %tid.x;
    setp.lt.u32 p, t, 16;
    @p bra ELSE;
    ld.global.u32 x, [a];
    mov.u32 n, 7;
    bra.uni JOIN;
ELSE:
    st.shared.u32 [a], x;
    mov.u32 n, 7;
JOIN:
    bar.sync n;
    @p ret;
    add.u32 x, x, 1;
";
    let warp = &run32(text).warps[0];
    let lines: Vec<usize> = warp.steps.iter().map(|s| s.place.line).collect();
    assert_eq!(lines, [3, 4, 5, 6, 7, 8, 10, 11, 13, 14, 15]);
    assert_eq!(warp.steps[3].action, Action::Access { space: Space::Global, write: false, cell: None });
    assert_eq!((warp.steps[3].active, warp.steps[6].active, warp.steps[8].active), (0xffff_0000, 0xffff, u64::MAX));
    assert_eq!(words(warp), [([0x751d, 1, 0, 0], 0, 7)]);
    assert_eq!((warp.steps[9].action.clone(), warp.steps[9].active), (Action::Exit, 0xffff));
    // The others are all that is left.
    assert_eq!(warp.steps[10].active, 0xffff_0000);
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
    let warp = &run32(text).warps[0];
    let lines: Vec<usize> = warp.steps.iter().map(|s| s.place.line).collect();
    assert_eq!(lines, [3, 4, 5, 6, 7, 8, 10, 12, 13]);
    let error = lower(&parse(&text.replace("bar.sync m", "bar.sync n")).unwrap(), &Launch::new(32)).unwrap_err();
    assert!(error[0].help.as_ref().unwrap().contains("line 7"), "{error:?}");
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
    st.shared.u32 [a], n;
";
    let lowered = run32(text);
    let all = |last: &str| {
        vec![
            "@P0 BAR.SYNC 0x1, 0x0 Aligned P0=0xff".to_string(),
            "@!P0 BAR.ARV 0x2, 0x40 Aligned P0=0xff".to_string(),
            "@P0 BAR.RED.POPC 0x3, 0x40, !P1 Aligned P0=0xff P1=0x8".to_string(),
            format!("B2R.RESULT R{}, PT Raw in 0xff", 2 + 3),
            "BAR.RED.AND 0x4, 0x0, P1 Aligned P1=0x8".to_string(),
            format!("B2R.RESULT RZ, P{last} Raw"),
            "BAR.RED.OR 0x5, 0x0, PT Aligned".to_string(),
            format!("B2R.RESULT RZ, P{last} Raw"),
        ]
    };
    assert_eq!(steps(&lowered.warps[0]), all("6"));
    assert_eq!(steps(&lowered.warps[1]), steps(&lowered.warps[0]));
    assert_eq!(lowered.warnings, []);
}

#[test]
fn diverged_lanes_arrive_in_pieces_and_wait_for_each_other() {
    let text = "
// bcu: threads 32
    mov.u32 t, %laneid;
    setp.lt.u32 p, t, 8;
    setp.ge.u32 q, t, 24;
    @q exit;
    @p bra LOW;
    barrier.red.popc.u32 n, 1, p;
    st.shared.u32 [a], n;
    bra.uni END;
LOW:
    barrier.red.popc.u32 n, 1, p;
END:
    exit;
";
    let warp = &run32(text).warps[0];
    let result = "B2R.RESULT R5, PT Raw in";
    assert_eq!(
        steps(warp),
        [
            "BAR.RED.POPC 0x1, 0x0, P1 Gathered in 0xffff00 P1=0x0".to_string(),
            "BAR.RED.POPC 0x1, 0x0, P1 Gathered in 0xff P1=0xff".to_string(),
            format!("{result} 0xffff00"),
            format!("{result} 0xff"),
        ]
    );
    let store = warp.steps.iter().position(|s| s.place.text.starts_with("st.")).unwrap();
    let last = warp.steps.iter().rposition(|s| matches!(s.action, Action::Barrier { .. })).unwrap();
    assert!(store > last, "nobody goes on before all have arrived");
}

#[test]
fn loops_with_other_rounds_in_every_lane_end_lane_by_lane() {
    let text = "
// bcu: threads 32
    mov.u32 n, %laneid;
    and.b32 n, n, 1;
LOOP:
    st.shared.u32 [a], n;
    sub.s32 n, n, 1;
    setp.ge.s32 p, n, 0;
    @p bra LOOP;
    bar.sync 0;
";
    let warp = &run32(text).warps[0];
    let stores = warp.steps.iter().filter(|s| matches!(s.action, Action::Access { .. })).map(|s| s.active);
    assert_eq!(stores.collect::<Vec<_>>(), [u64::MAX, 0xaaaa_aaaa]);
    assert_eq!(steps(warp), ["BAR.SYNC 0x0, 0x0 Aligned"]);
}

#[test]
fn lanes_may_name_different_barriers_which_is_a_matter_of_the_unit() {
    let text = "// bcu: threads 4\nmov.u32 t, %laneid; and.b32 t, t, 1;\nadd.u32 c, t, 1; shl.b32 c, c, 2; bar.sync t, c;";
    let launch = Launch { threads: Some([4, 1, 1]), ..Launch::new(4) };
    let lowered = run(text, &launch);
    assert_eq!(steps(&lowered.warps[0]), ["BAR.SYNC R0, R1 Aligned Reg(0)=[0, 1, 0, 1] Reg(1)=[4, 8, 4, 8]"]);
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
    let lowered = run32(text);
    assert_eq!(
        lowered.warps.iter().map(barriers).collect::<Vec<_>>(),
        [["bar.arrive 2, 64"], ["bar.sync 1, 32"], ["bar.arrive 2, 64"]]
    );
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
    @!p st.global.u32 [a], t;
";
    let lowered = run32(text);
    assert_eq!(words(&lowered.warps[0]), [([0x751d, 64 << 12 | 1, 1 << 16, 0], 0, 1)]);
    assert_eq!(words(&lowered.warps[1]), [([0x751d, 1, 0, 0], 0, 2)]);
    assert_eq!(lowered.warps[0].steps[6].action, Action::Access { space: Space::Global, write: true, cell: None });
    assert_eq!(lowered.warps[1].steps[6].action, Action::Busy { cycles: 1 });
}

#[test]
fn the_last_warp_may_be_partial_and_lanes_may_be_few() {
    let text = "setp.lt.u32 p, t, 36; mov.u32 t, %tid.x; setp.lt.u32 p, t, 36; @p bar.sync 0;";
    let launch = |lanes, threads| Launch { threads: Some([threads, 1, 1]), ..Launch::new(lanes) };
    assert_eq!(run(text, &launch(32, 36)).warps.len(), 2);
    // 4 lanes: a count of 8 is two whole warps.
    let lowered = run("bar.sync 0, 8;", &launch(4, 8));
    assert_eq!(lowered.warps.iter().map(words).collect::<Vec<_>>(), [[bar(false, 0, 8)], [bar(false, 0, 8)]]);
}

#[test]
fn parameters_come_from_directives_and_from_the_launch() {
    let text = "
// bcu: param k_param_0 3
.entry k(.param .u32 k_param_0) .reqntid 32
{
    .reg .u32 %r<3>; .reg .pred %p;
    ld.param.u32 %r1, [k_param_0];
AGAIN:
    bar.sync 0;
    sub.u32 %r1, %r1, 1;
    setp.ne.u32 %p, %r1, 0;
    @%p bra AGAIN;
    ret;
}";
    assert_eq!(barriers(&run32(text).warps[0]).len(), 3);
    let launch = Launch { params: vec![("k_param_0".to_string(), 5)], ..Launch::new(32) };
    assert_eq!(barriers(&run(text, &launch).warps[0]).len(), 5);
}

#[test]
fn roles_of_the_launch_replace_those_of_the_text() {
    let kernels = ".entry a() { bar.sync 1, 64; ret; } .entry b() { bar.arrive 1, 64; ret; }";
    let role = |entry: &str, first, last| Role { entry: entry.to_string(), first, last };
    let names = |text: &str, roles: Vec<Role>| {
        let lowered = run(text, &Launch { roles, ..Launch::new(32) });
        lowered.warps.iter().map(|w| w.name.clone()).collect::<Vec<_>>()
    };
    assert_eq!(names(kernels, vec![role("b", 1, 1), role("a", 0, 0)]), ["a", "b"]);
    let directed = format!("// bcu: warps 0, 2-3 run a\n// bcu: warps 1 run b\n{kernels}");
    assert_eq!(names(&directed, vec![]), ["a", "b", "a", "a"]);
    assert_eq!(names(&directed, vec![role("b", 0, 2)]), ["b", "b", "b"]);
    assert_eq!(names(PRODUCER_CONSUMER, vec![role("consumer", 0, 0), role("producer", 1, 1)]), ["consumer", "producer"]);
}

#[test]
fn a_count_above_the_cta_is_a_warning_once() {
    let lowered = run32("// bcu: threads 64\nbar.sync 0, 128;");
    let [warning] = &lowered.warnings[..] else { panic!("{:?}", lowered.warnings) };
    assert_eq!(warning.message, "a barrier of 128 threads in a CTA of 64");
    assert_eq!(lowered.warps.len(), 2);
}
