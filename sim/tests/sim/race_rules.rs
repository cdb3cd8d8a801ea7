// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Each row of the table of docs/guide/races.md, *What orders two accesses*: a kernel with the order and one without it. The kernel with
//! the order has no race in any schedule, and never loads an old value. The kernel without it has a race in some schedule and, if the
//! machine can show an old value, loads one in some schedule.

use super::litmus::harness::setting;
use super::runs::model;
use super::visa_runs::a_signal_waits_for_no_accesses_so_fences_are_needed;
use bcu_isa::config::named;
use bcu_machine::report::RaceKind;
use bcu_machine::{run, Machine, Report};
use bcu_model::{by_name, Sizes};
use bcu_program::{load, Kind, Launch, Run};
use std::collections::BTreeSet;
use std::path::Path;

/// The number of schedules of each kernel.
const SEEDS: u64 = 12;

/// The start of each kernel, of 64 threads: `s`, `d` and `flag` are 0 and `g` is 7. Thread 0 is the reader, thread 32 the writer.
const HEAD: &str = ".version 8.6
.target sm_90
.address_size 64
.global .align 16 .b32 g[4] = {7, 7, 7, 7};
.global .align 16 .b32 d[4];
.visible .entry k()
{
.shared .align 8 .b64 bar;
.shared .align 16 .b32 s[4];
.shared .align 4 .b32 stale;
.shared .align 4 .u32 flag;
.reg .b32 %t, %v, %r<5>;
.reg .b64 %g, %d;
.reg .pred %p, %reader, %writer;
mov.u64 %g, g;
mov.u64 %d, d;
mov.u32 %t, %tid.x;
setp.eq.u32 %reader, %t, 0;
setp.eq.u32 %writer, %t, 32;
@%reader mbarrier.init.shared.b64 [bar], 1;
@%reader st.shared.v4.u32 [s], {0, 0, 0, 0};
@%reader st.shared.u32 [flag], 0;
fence.proxy.async;
bar.sync 0;
";

/// The value in `stale` if the reader has not loaded 7.
const STALE: u32 = 0xbad;
const CHECK: &str = "setp.ne.u32 %p, %v, 7;\n@%p st.shared.u32 [stale], 0xbad;\n";

/// Whether the machine loads old values where the order is missing.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shows {
    OldValue,
    /// The machine performs the accesses of one warp to one word in program order.
    RaceOnly,
}

struct Row {
    /// The first column of the table.
    event: &'static str,
    ctas: u32,
    ordered: String,
    unordered: String,
    shows: Shows,
}

impl Row {
    /// A row whose kernel without the order lacks the texts `dropped`.
    fn new(event: &'static str, ordered: impl Into<String>, dropped: &[&str], shows: Shows) -> Row {
        let ordered = ordered.into();
        let unordered = dropped.iter().fold(ordered.clone(), |text, dropped| {
            assert!(text.contains(dropped), "{dropped}\n{text}");
            text.replace(dropped, "")
        });
        Row { event, ctas: 1, ordered, unordered, shows }
    }
}

/// The writer stores 7 to `s`, then executes `write`; the reader executes `read` and loads it.
fn message(write: &str, read: &str) -> String {
    format!(
        "@%writer bra WRITER;\n@!%reader bra END;\n{read}ld.shared.u32 %v, [s];\n{CHECK}bra END;\n\
         WRITER: st.shared.u32 [s], 7;\n{write}END:\n"
    )
}

/// The reader executes `code`, and loads from `s`.
fn alone(code: &str) -> String {
    format!("@!%reader bra END;\n{code}ld.shared.u32 %v, [s];\n{CHECK}END:\n")
}

const WAIT: &str = "WAIT: mbarrier.try_wait.parity.shared.b64 %p, [bar], 0;\n@!%p bra WAIT;\n";
const MEET: &str = "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n";
const FENCE: &str = "fence.acq_rel.cluster;\n";
const COPY: &str = "cp.async.ca.shared.global [s], [%g], 4;\n";

/// The writer of CTA 1 stores to `s` of CTA 0, whose reader loads it after `meet`.
fn across(meet: &str) -> String {
    format!(
        "{MEET}mov.u32 %r1, s;\nmapa.shared::cluster.u32 %r2, %r1, 0;\nmov.u32 %r3, %cluster_ctarank;\n\
         setp.eq.and.u32 %writer, %r3, 1, %writer;\nsetp.eq.and.u32 %reader, %r3, 0, %reader;\n\
         @%writer st.shared::cluster.u32 [%r2], 7;\n{meet}@!%reader bra END;\nld.shared.u32 %v, [s];\n{CHECK}END:\n{MEET}"
    )
}

fn rows() -> Vec<Row> {
    use Shows::{OldValue, RaceOnly};
    // The flag is in shared memory, which is faster than the global memory of the data.
    let flag = "WAIT: ld.ORDER.gpu.shared.u32 %r1, [flag];\nsetp.eq.u32 %p, %r1, 0;\n@%p bra WAIT;\n";
    let global = |text: String| {
        text.replace("st.shared.u32 [s], 7", "st.global.u32 [%d], 7").replace("ld.shared.u32 %v, [s]", "ld.global.u32 %v, [%d]")
    };
    let relaxed = flag.replace("ORDER", "relaxed");
    let gpu = "fence.acq_rel.gpu;\n";
    let released = global(message("st.release.gpu.shared.u32 [flag], 1;\n", &flag.replace("ORDER", "acquire")));
    let bulk_out = "@!%reader bra END;\nst.shared.v4.u32 [s], {7, 7, 7, 7};\nfence.proxy.async.shared::cta;\n\
                    cp.async.bulk.global.shared::cta.bulk_group [%d], [s], 16;\ncp.async.bulk.commit_group;\n";
    let of_clusters = |event, ordered: String, dropped: &[&str]| Row { ctas: 2, ..Row::new(event, ordered, dropped, OldValue) };
    vec![
        Row {
            unordered: alone(&format!("{COPY}st.global.u32 [%g], 9;\ncp.async.wait_all;\n")),
            ..Row::new("program order", alone(&format!("st.global.u32 [%g], 7;\n{COPY}cp.async.wait_all;\n")), &[], OldValue)
        },
        Row::new(
            "`bar.warp.sync`, `elect.sync`",
            format!(
                "setp.eq.u32 %writer, %t, 1;\n@%writer st.shared.u32 [s], 7;\nbar.warp.sync -1;\n@!%reader bra END;\n\
                 ld.shared.u32 %v, [s];\n{CHECK}END:\n"
            ),
            &["bar.warp.sync -1;\n"],
            RaceOnly,
        ),
        Row::new(
            "`bar.sync`, `barrier.sync`, `bar.red`, `bar.arrive`",
            format!("@%writer st.shared.u32 [s], 7;\nbar.sync 1;\n@!%reader bra END;\nld.shared.u32 %v, [s];\n{CHECK}END:\n"),
            &["bar.sync 1;\n"],
            OldValue,
        ),
        Row::new("`mbarrier.arrive`", message("mbarrier.arrive.shared.b64 _, [bar];\n", WAIT), &[WAIT], OldValue),
        Row::new(
            "`mbarrier.arrive.relaxed`",
            message(&format!("{FENCE}mbarrier.arrive.relaxed.cta.shared.b64 _, [bar];\n"), WAIT),
            &[FENCE],
            OldValue,
        ),
        of_clusters(
            "`barrier.cluster.arrive`, `.wait`",
            across(&MEET.replace(".aligned", "")),
            &["barrier.cluster.arrive;\n", "barrier.cluster.wait;\n"],
        ),
        of_clusters(
            "`barrier.cluster.arrive.relaxed`",
            across(&format!("{FENCE}{}", MEET.replace("arrive", "arrive.relaxed"))),
            &[FENCE],
        ),
        Row {
            unordered: released.replace("release", "relaxed"),
            ..Row::new("release, then acquire (below)", released.clone(), &[], OldValue)
        },
        Row::new(
            "an atomic operation or strong load that reads a strong store",
            format!(
                "@%writer bra WRITER;\n@!%reader bra END;\n\
                 WAIT: ld.relaxed.gpu.shared.u32 %r1, [s];\nsetp.ne.u32 %p, %r1, 7;\n@%p bra WAIT;\n\
                 ld.shared.u32 %v, [s];\n{CHECK}bra END;\nWRITER: st.relaxed.gpu.shared.u32 [s], 7;\nEND:\n"
            ),
            &["WAIT: ld.relaxed.gpu.shared.u32 %r1, [s];\n", "setp.ne.u32 %p, %r1, 7;\n@%p bra WAIT;\n"],
            OldValue,
        ),
        Row::new(
            "relaxed and volatile accesses without fences",
            global(message(&format!("{gpu}st.relaxed.gpu.shared.u32 [flag], 1;\n"), &format!("{relaxed}{gpu}"))),
            &[gpu],
            OldValue,
        ),
        Row::new(
            "`cp.async.wait_group`, `.wait_all`",
            alone(&format!("{COPY}cp.async.commit_group;\ncp.async.wait_group 0;\n")),
            &["cp.async.wait_group 0;\n"],
            OldValue,
        ),
        Row::new(
            "`cp.async.bulk.wait_group`",
            format!("{bulk_out}cp.async.bulk.wait_group 0;\nst.shared.u32 [s], 9;\nld.global.u32 %v, [%d];\n{CHECK}END:\n"),
            &["cp.async.bulk.wait_group 0;\n"],
            OldValue,
        ),
        Row::new(
            "bytes that a copy signals to an mbarrier",
            alone(&format!(
                "mbarrier.arrive.expect_tx.shared.b64 _, [bar], 16;\n\
                 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%g], 16, [bar];\n{WAIT}"
            )),
            &[WAIT],
            OldValue,
        ),
        Row::new(
            "`cp.async.mbarrier.arrive`",
            alone(&format!("{COPY}cp.async.mbarrier.arrive.noinc.shared.b64 [bar];\n{WAIT}")),
            &[WAIT],
            OldValue,
        ),
        Row::new(
            "`fence.proxy.async`",
            format!("{bulk_out}cp.async.bulk.wait_group 0;\nld.global.u32 %v, [%d];\n{CHECK}END:\n"),
            &["fence.proxy.async.shared::cta;\n"],
            OldValue,
        ),
    ]
}

/// Whether a kernel has a race in a schedule, and whether its reader loads an old value.
fn outcome(row: &Row, body: &str, seed: u64) -> (bool, bool) {
    let (config, text) = (named("default").unwrap(), format!("{HEAD}{body}ret;\n}}\n"));
    let launch =
        Launch { threads: Some([64, 1, 1]), grid: [row.ctas, 1, 1], cluster: Some([row.ctas, 1, 1]), ..Launch::new(32) };
    let loaded = Run::of_one(load(Kind::Ptx, &text, &launch).unwrap_or_else(|e| panic!("{e:?}\n{text}")));
    let latency = "[latency]\nshared = 5\nglobal = 15\nspread = 400\n";
    let machine = Machine::parse(&format!("policy = 'random'\nseed = {seed}\n{latency}")).unwrap();
    let machine = Machine { races: true, ..machine }.of_run(&loaded);
    let mut unit = if row.ctas == 1 { model(&config) } else { by_name("gpu", Sizes::try_from(&config).unwrap()).unwrap() };
    let report = run(&mut *unit, &config, &machine, &loaded.programs, &mut |_| ());
    let report: Report = report.unwrap_or_else(|e| panic!("{}: seed {seed}: {e:?}\n{text}", row.event));
    let is_race = report.races.iter().any(|race| race.kind != RaceKind::SameValue);
    (is_race, report.memory.iter().any(|word| word.value == STALE))
}

#[test]
fn each_rule_orders_and_without_it_there_is_a_race() {
    let (first, seeds) = (setting("BCU_SEED", 1), setting("BCU_ROUNDS", SEEDS));
    let mut wrong = vec![];
    for row in rows() {
        let (mut races, mut stale) = (0, 0);
        for seed in first..first + seeds {
            let ordered = outcome(&row, &row.ordered, seed);
            if ordered != (false, false) {
                let repeat = format!("BCU_SEED={seed} BCU_ROUNDS=1 cargo test -p bcu-engine --test sim race_rules");
                wrong.push(format!("{}: race and old value {ordered:?}; repeat with: {repeat}\n{}", row.event, row.ordered));
                break;
            }
            let (is_race, is_stale) = outcome(&row, &row.unordered, seed);
            (races, stale) = (races + u64::from(is_race), stale + u64::from(is_stale));
        }
        // Few schedules need not show what some schedule shows.
        if seeds >= SEEDS && (races == 0 || (stale > 0) != (row.shows == Shows::OldValue)) {
            let counts = format!("a race in {races}, an old value in {stale} of {seeds} runs");
            wrong.push(format!("{}: without the order, {counts}\n{}", row.event, row.unordered));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The rows about instructions that PTX does not have, with the test of each.
const NOT_PTX: [(&str, fn()); 2] = [
    ("FENCE, `lsc_fence`", a_signal_waits_for_no_accesses_so_fences_are_needed),
    ("a signal of Intel's gateway", a_signal_waits_for_no_accesses_so_fences_are_needed),
];

/// The rows about products of warpgroups, each with the pair of kernels in examples/races that shows it.
const PAIRS: [(&str, &str); 2] = [("`wgmma.mma_async`", "wgmma/stored_tile"), ("`wgmma.wait_group`", "wgmma/bulk_tile")];

/// The rows about tensor maps, each with its test.
const MAPS: [(&str, fn()); 1] = [(
    "`fence.proxy.tensormap::generic`, `tensormap.cp_fenceproxy`",
    super::ptx_tensormap::a_changed_map_is_released_and_then_acquired,
)];

#[test]
fn each_row_of_the_page_has_a_test() {
    let page = include_str!("../../../docs/guide/races.md");
    let table = page.split("## What orders two accesses").nth(1).unwrap().split("\n\n").nth(1).unwrap();
    let events: BTreeSet<&str> = table.lines().skip(2).map(|row| row.split('|').nth(1).unwrap().trim()).collect();
    let rows = rows();
    let tested = rows
        .iter()
        .map(|row| row.event)
        .chain(NOT_PTX.map(|(event, _)| event))
        .chain(MAPS.map(|(event, _)| event))
        .chain(PAIRS.map(|(event, _)| event));
    for file in PAIRS.iter().flat_map(|(_, pair)| [format!("{pair}.ptx"), format!("{pair}.wrong.ptx")]) {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/races").join(file);
        assert!(path.is_file(), "{}", path.display());
    }
    assert_eq!(events, tested.collect());
}
