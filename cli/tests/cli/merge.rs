// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `bcu merge`: the records of shards give the results of the whole run.

use crate::common::Bench;

#[test]
fn shards_merge_to_the_result_of_the_whole_run() {
    let bench = Bench::new();
    // The run of `cta_table` is too short to reach all coverage points.
    let runs = [("lockstep/warp_status/tiny", 1_600_000, 0), ("scenario/exit", 1, 0), ("lockstep/cta_table/tiny", 1_000, 1)];
    for (filter, cycles, code) in runs {
        let line = format!("regress {filter} --cycles {cycles} --engine compiled --coverage");
        let whole = bench.run(&format!("{line} --junit whole.xml"));
        assert_eq!(whole.code, code, "{whole:?}");
        for shard in 1..=3 {
            let done = bench.run(&format!("{line} --shard {shard}/3 --record {shard}.jsonl"));
            assert_eq!(done.code, 0, "a shard cannot lack a coverage point: {done:?}");
            assert!(!done.stdout.contains("coverage of "), "{done:?}");
            assert!(done.stdout.contains(&format!("shard {shard}/3: ")), "{done:?}");
        }
        let merged = bench.run("merge 2.jsonl 3.jsonl 1.jsonl --junit merged.xml");
        assert_eq!((merged.code, &merged.stdout), (code, &whole.stdout), "{merged:?}");
        let without_times = |name: &str| {
            let text = bench.text(name);
            let mut words: Vec<&str> = text.split(' ').collect();
            words.retain(|word| !["time=", "timestamp=", "uuid="].iter().any(|key| word.starts_with(key)));
            words.join(" ")
        };
        assert_eq!(without_times("merged.xml"), without_times("whole.xml"));
        let properties =
            ["engine\" value=\"compiled\"", "program\" value=\"bcu-tb 0.1.0, CRC ", "host\"", "version of iverilog\""];
        for part in properties.map(str::to_string).into_iter().chain([format!("cycles\" value=\"{cycles}\"")]) {
            let part = format!("<property name=\"{part}");
            assert_eq!(bench.text("merged.xml").matches(&part).count(), 1, "{part}: {}", bench.text("merged.xml"));
        }
        for shard in 1..=3 {
            std::fs::remove_file(bench.path(&format!("{shard}.jsonl"))).unwrap();
        }
    }
}

/// The records of machines with different names and tools.
#[test]
fn a_merge_has_the_machines_of_the_shards_as_properties() {
    let bench = Bench::new();
    for shard in 1..=2 {
        let line = format!("regress scenario/exit/completes --engine compiled --shard {shard}/2 --record {shard}.jsonl");
        assert_eq!(bench.run(&line).code, 0);
        let record = bench.text(&format!("{shard}.jsonl"));
        let (head, rest) = record.split_once("\"origin\":").unwrap();
        let origin =
            format!("{{\"host\":\"node{shard}\",\"tools\":{{\"g++\":\"g++ 12\",\"verilator\":\"Verilator {shard}\"}}}}");
        let rest = rest.split_once("}}").unwrap().1;
        bench.file(&format!("{shard}.jsonl"), format!("{head}\"origin\":{origin}{rest}"));
    }
    assert_eq!(bench.run("merge 2.jsonl 1.jsonl --junit j.xml").code, 0);
    let xml = bench.text("j.xml");
    for (name, value) in [
        ("host of shard 1/2", "node1"),
        ("host of shard 2/2", "node2"),
        ("version of verilator of shard 2/2", "Verilator 2"),
        ("version of g++", "g++ 12"),
        ("version of iverilog", "not recorded"),
    ] {
        assert!(xml.contains(&format!("<property name=\"{name}\" value=\"{value}\"/>")), "{name}: {xml}");
    }
}

#[test]
fn a_merge_names_the_shards_that_lack_results() {
    let bench = Bench::new();
    let line = "regress scenario/exit --engine compiled";
    for shard in 1..=3 {
        bench.run(&format!("{line} --shard {shard}/3 --record {shard}.jsonl"));
    }
    let whole = bench.run(line);
    let done = bench.run("merge 1.jsonl 3.jsonl");
    assert!(done.code == 2 && done.stderr.contains("error: no record of shard 2/3 was given"), "{done:?}");
    let second = bench.text("2.jsonl");
    bench.file("2.jsonl", second.lines().next().unwrap().to_string() + "\n");
    let done = bench.run("merge 1.jsonl 2.jsonl 3.jsonl");
    assert!(done.code == 2 && done.stdout.contains("??    ") && done.stdout.contains(" incomplete\n"), "{done:?}");
    assert!(done.stderr.contains("error: the run of 2.jsonl is not complete; continue it with `--resume`"), "{done:?}");
    let done = bench.run(&format!("{line} --shard 2/3 --record 2.jsonl --resume"));
    assert_eq!(done.code, 0, "{done:?}");
    assert_eq!(bench.run("merge 1.jsonl 2.jsonl 3.jsonl").stdout, whole.stdout);
    for (wrong, part) in [
        ("merge 1.jsonl 1.jsonl", "1.jsonl and 1.jsonl are both records of shard 1/3"),
        ("merge nothing.jsonl", "cannot read nothing.jsonl: "),
    ] {
        let done = bench.run(wrong);
        assert!(done.code == 2 && done.stderr.contains(part), "{wrong}: {done:?}");
    }
}

/// If a part failed in one shard, the test fails in the merged result, as in a run without shards.
#[test]
fn a_failed_part_of_a_shard_fails_the_merged_test() {
    let bench = Bench::new();
    let line = "regress lockstep/warp_status/tiny --engine compiled --cycles 1500000";
    for shard in 1..=2 {
        assert_eq!(bench.run(&format!("{line} --shard {shard}/2 --record {shard}.jsonl")).code, 0);
    }
    let record = bench.text("2.jsonl");
    bench.file("2.jsonl", record.replacen("\"failure\":null", "\"failure\":\"as recorded\"", 1));
    let done = bench.run("merge 1.jsonl 2.jsonl");
    assert_eq!(done.code, 1, "{done:?}");
    assert!(
        done.stdout.starts_with("FAIL  lockstep/warp_status/tiny\n      as recorded\n      repeat with: bcu regress"),
        "{done:?}"
    );
    assert!(done.stdout.ends_with("0 passed, 1 failed\n") && done.stderr.is_empty(), "{done:?}");
}
