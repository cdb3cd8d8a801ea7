// SPDX-License-Identifier: Apache-2.0 OR MIT
//! PTX texts that are accepted: the project's examples, the examples of the PTX manual, and compiler output; and the behaviour of their
//! warps.

use super::runs::{ptx, ptx_with, stopped, Run};
use bcu_machine::Verdict;
use bcu_program::ptx::{lower, parse, Launch, Lowered};
use bcu_program::{Access, AccessKind, Op, Space};

pub fn lowered(text: &str, launch: &Launch) -> Lowered {
    lower(&parse(text).unwrap(), launch).unwrap()
}

/// The word of every arrival of a warp, with its values of ra and rb.
pub fn words(run: &Run, warp: usize) -> Vec<([u32; 4], u32, u32)> {
    run.arrivals(warp).into_iter().map(|taken| (taken.word, taken.ra, taken.rb)).collect()
}

pub fn all_words(run: &Run) -> Vec<Vec<([u32; 4], u32, u32)>> {
    (0..run.report.warps.len()).map(|warp| words(run, warp)).collect()
}

/// BAR.SYNC or BAR.ARV with immediate id and count.
pub fn bar(arrive: bool, id: u32, count: u32) -> ([u32; 4], u32, u32) {
    ([0x7b1d, id << 8 | count << 12, u32::from(arrive) << 16, 0], 0, 0)
}

const CTA_EXCHANGE: &str = include_str!("../../../examples/cta_exchange.ptx");
pub const PRODUCER_CONSUMER: &str = include_str!("../../../examples/producer_consumer.ptx");
const EXCHANGE: &str = include_str!("../../../examples/cuda/exchange.ptx");
const PIPELINE: &str = include_str!("../../../examples/cuda/pipeline.ptx");
const GROUPS: &str = include_str!("../../../examples/cuda/groups.ptx");

#[test]
fn the_cta_wide_exchange_runs_in_every_warp() {
    let lowered = lowered(CTA_EXCHANGE, &Launch::new(32));
    assert_eq!((lowered.warps.len(), lowered.threads, lowered.warnings.len()), (3, 96, 0));
    let run = ptx(CTA_EXCHANGE);
    for warp in 0..3 {
        assert_eq!(words(&run, warp), [bar(false, 1, 0), bar(false, 1, 96), bar(false, 0, 0)]);
        assert!([10, 11, 15, 16, 20, 21].iter().all(|line| run.lines(warp).contains(line)), "{:?}", run.states[warp]);
        assert_eq!(run.report.warps[warp].steps, 9 + 1);
    }
    assert_eq!(run.instructions[0].place, "l.11 bar.cta.sync 1");
}

#[test]
fn producer_and_consumer_take_different_warps() {
    let lowered = lowered(PRODUCER_CONSUMER, &Launch::new(32));
    assert_eq!((lowered.threads, &lowered.warnings[..]), (64, &[][..]));
    let [producer, consumer] = &lowered.warps[..] else { panic!("{} warps", lowered.warps.len()) };
    assert_eq!((producer.name.as_str(), consumer.name.as_str()), ("producer", "consumer"));
    let fetch = &producer.function().unwrap().instrs[2].op;
    assert!(matches!(fetch, Op::Access(Access { space: Space::Global, kind: AccessKind::Load, .. })), "{fetch:?}");
    let run = ptx(PRODUCER_CONSUMER);
    assert_eq!(words(&run, 0), [bar(true, 0, 64), bar(false, 1, 64)]);
    assert_eq!(words(&run, 1), [bar(false, 0, 64), bar(true, 1, 64)]);
    assert_eq!(run.report.verdict, Verdict::Completed);
}

#[test]
fn a_compiled_exchange_is_four_times_syncthreads() {
    let run = ptx(EXCHANGE);
    assert_eq!(run.report.verdict, Verdict::Completed);
    assert_eq!(all_words(&run), vec![vec![bar(false, 0, 0); 4]; 4]);
}

#[test]
fn a_compiled_pipeline_goes_round_its_loops_and_splits_its_roles() {
    let (full, empty) = (1, 2);
    let mut producer = vec![bar(true, full, 128)];
    let mut consumer = vec![bar(false, full, 128)];
    for _ in 1..4 {
        producer.extend([bar(false, empty, 128), bar(true, full, 128)]);
        consumer.extend([bar(true, empty, 128), bar(false, full, 128)]);
    }
    assert_eq!(all_words(&ptx(PIPELINE)), [producer.clone(), producer, consumer.clone(), consumer]);
}

#[test]
fn compiled_groups_take_id_and_count_from_registers() {
    let run = ptx(GROUPS);
    assert_eq!(run.report.warps.len(), 4);
    for warp in 0..4 {
        // Register form: ra holds the id, rb the count; strides 32, 16, 8, 4, 2, 1, then all warps.
        let mut expected = vec![([0x731d, 1, 0, 0], 1 + warp as u32 / 2, 64); 6];
        expected.push(bar(false, 0, 0));
        assert_eq!(words(&run, warp), expected, "warp {warp}");
    }
}

/// All examples of the manual's page on bar/barrier, verbatim.
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
    // The reduced predicate depends on unwritten memory.
    let why = stopped(&format!("// bcu: threads 96\n{MANUAL}"));
    assert_eq!(why.diagnostic.message, "the predicate to reduce in warp 0 of CTA 0 is unknown");
    assert!(!why.is_wrong());
    let written = format!("mov.u32 r0, 0; mov.u32 r1, 8; mov.u32 r2, 0; mov.u32 r3, 0;\n{MANUAL}");
    let run = ptx_with(&written, &Launch { threads: Some([96, 1, 1]), ..Launch::new(32) });
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
    assert_eq!(all_words(&run), vec![expected.to_vec(); 3]);
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
    setp.eq.u32 p, a, 3;
    setp.eq.u32 q, a, 4;
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
    let run = ptx(FORMS);
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
    let low: Vec<_> = words(&run, 1).iter().map(|w| (w.0[0] & 0xfff, w.1, w.2)).collect();
    assert_eq!((low, run.report.verdict), (expected.to_vec(), Verdict::Completed));
}

#[test]
fn the_unaligned_form_is_the_aligned_one_up_to_sm_6x() {
    let aligned = |sm: u32| {
        let text = FORMS.replace("sm_80", &format!("sm_{sm}"));
        let lowered = lowered(&text, &Launch::new(32));
        let aligned = |op: &Op| match op {
            Op::Barrier(barrier) => Some(barrier.aligned),
            _ => None,
        };
        lowered.warps[0].function().unwrap().instrs.iter().filter_map(|i| aligned(&i.op)).collect::<Vec<_>>()
    };
    assert_eq!(aligned(62), [true; 10]);
    assert_eq!(aligned(70), [true, true, true, true, true, false, true, true, true, true]);
}
