// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The events that the random stimulus reaches, and its compliance with the channel rules, on the model alone.

use bcu_isa::config::named;
use bcu_isa::ports::{Dir, Port};
use bcu_isa::units::{SEVERAL, UNITS, WHOLE};
use bcu_model::dut::NoPort;
use bcu_model::{by_name, Sizes};
use bcu_tb::lockstep::channels::{channels, pins, Event};
use bcu_tb::lockstep::rules::{first_breach, BrokenRule};
use bcu_tb::lockstep::units::{compared, shape};
use bcu_tb::lockstep::{record, Recording};
use bcu_tb::stimulus::error::StimulusError;
use bcu_tb::stimulus::for_unit;
use std::collections::BTreeMap;

const SEEDS: u64 = 60;

fn play(unit: &str, config: &str, seed: u64, cycles: usize) -> Recording {
    let config = named(config).unwrap();
    let mut model = by_name(unit, Sizes::try_from(&config).unwrap()).unwrap();
    let ports = model.ports().to_vec();
    let mut stimulus = for_unit(unit, &ports, shape(&config), seed).unwrap();
    record(&ports, model.as_mut(), stimulus.as_mut(), cycles)
}

/// A small configuration that has this unit.
fn small(unit: &str) -> &'static str {
    let has = |config: &&str| named(config).is_some_and(|config| config.has_unit(unit));
    ["small", "intel_tiny"].into_iter().find(has).unwrap()
}

/// Counts how often each channel had a transfer, by kind, fault code and number of released warps.
fn count(recording: &Recording, into: &mut BTreeMap<String, usize>) {
    let channels = channels(&recording.ports);
    let shown = [
        "entry_waits",
        "op_absorbed",
        "waits_for_memory",
        "gathering",
        "exit_pending",
        "epoch",
        "held",
        "full",
        "parked",
        "op_done",
        "picked_pending",
    ];
    let shown: Vec<_> = pins(&recording.ports).into_iter().filter(|p| shown.contains(&p.port.name.as_str())).collect();
    for cycle in 1..recording.cycles() {
        let (inputs, outputs) = (recording.input(cycle), recording.output(cycle));
        for pin in shown.iter().filter(|p| p.read(inputs, outputs) != 0) {
            *into.entry(pin.port.name.clone()).or_default() += 1;
        }
        for channel in &channels {
            let event = channel.event(inputs, outputs);
            let mut add = |what: String| *into.entry(format!("{} {what}", channel.name)).or_default() += 1;
            match event {
                Event::Idle => continue,
                Event::Waits => add("waits".into()),
                Event::Passes => add("passes".into()),
            }
            for pin in channel.payload.iter().filter(|_| event == Event::Passes) {
                let value = pin.read(inputs, outputs);
                match pin.port.name.as_str() {
                    "taken_kind" | "taken_fault" => add(pin.show(value)),
                    "lanes_leaders" if value != 0 => add("leads".into()),
                    "lanes_retry" if value != 0 => add("retries".into()),
                    "op_kind" | "op_fault" | "fault_code" | "release_reduction" => add(pin.show(value)),
                    "release_warps" => add(["of 0", "of 1", "of more"][value.count_ones().min(2) as usize].into()),
                    _ => (),
                }
            }
        }
    }
}

#[test]
fn a_seed_always_gives_the_same_run_and_another_seed_another() {
    for unit in UNITS {
        let [first, again, second] = [5, 5, 6].map(|seed| play(unit, small(unit), seed, 500).inputs);
        assert!(first == again && first != second, "{unit}");
    }
}

#[test]
fn every_input_fits_its_port_and_every_channel_keeps_the_rules() {
    let unit_configs =
        UNITS.into_iter().flat_map(|u| [(u, "tiny"), (u, "intel_tiny"), (u, "small"), (u, "intel"), (u, "large")]);
    for (unit, config) in
        unit_configs.filter(|(unit, config)| compared(&named(config).unwrap()).any(|compared| compared == *unit))
    {
        // Every lockstep run checks the channel rules as well.
        for seed in 0..SEEDS / 3 {
            let recording = play(unit, config, seed, 1000);
            let ports: Vec<&Port> = recording.ports.iter().filter(|p| p.dir == Dir::In).collect();
            for row in recording.inputs.chunks(ports.len()) {
                for (port, value) in ports.iter().zip(row) {
                    let fits = port.width == 64 || value >> port.width == 0;
                    let named = port.values.is_empty() || (*value as usize) < port.values.len();
                    assert!(fits && named, "{unit}/{config} seed {seed}: {} = {value:#x}", port.name);
                }
            }
            assert_eq!(first_breach(&recording), None, "{unit}/{config} seed {seed}");
        }
    }
}

/// An input that a generator does not drive stays 0.
#[test]
fn every_input_is_driven() {
    for unit in UNITS {
        let mut still: Vec<_> = pins(by_name(unit, Sizes::try_from(&named(small(unit)).unwrap()).unwrap()).unwrap().ports());
        still.retain(|pin| pin.port.dir == Dir::In);
        for seed in 0..SEEDS {
            let run = play(unit, small(unit), seed, 3000);
            still.retain(|pin| (1..run.cycles()).all(|c| run.input(c)[pin.index] == run.input(c - 1)[pin.index]));
            if still.is_empty() {
                break;
            }
        }
        let names: Vec<_> = still.iter().map(|pin| &pin.port.name).collect();
        assert!(names.is_empty(), "{unit}: {names:?} never change");
    }
}

#[test]
fn a_recording_that_breaks_a_rule_is_found() {
    let mut recording = play("named", "small", 1, 1000);
    let channel = channels(&recording.ports).into_iter().find(|c| c.name == "op").unwrap();
    let waits = |c: &usize| channel.event(recording.input(*c), recording.output(*c)) == Event::Waits;
    // The search begins after the reset at the start of the run.
    let cycle = (8..999).find(|c| waits(c) && waits(&(c + 1))).unwrap() + 1;
    let width = recording.width(Dir::In);
    recording.inputs[cycle * width + channel.payload[5].index] ^= 1;
    let what = "an offer must hold, with its payload, until it is taken; ";
    let BrokenRule { cycle: found, channel: of, what: said } = first_breach(&recording).unwrap();
    assert_eq!((found, of.as_str()), (cycle, "op"));
    let changed = format!("{what}`{}` changes from ", channel.payload[5].port.name);
    assert!(said.starts_with(&changed), "{said}");
}

#[test]
fn an_output_that_is_valid_right_after_the_first_reset_is_found() {
    let mut recording = play("named", "small", 1, 10);
    assert_eq!(first_breach(&recording), None);
    let channel = channels(&recording.ports).into_iter().find(|channel| channel.name == "release").unwrap();
    let width = recording.width(Dir::Out);
    recording.outputs[width + channel.valid.index] = 1;
    let BrokenRule { cycle, channel, what } = first_breach(&recording).unwrap();
    assert_eq!((cycle, channel.as_str(), what.as_str()), (1, "release", "valid must be 0 after a reset"));
}

/// The events `wanted` must occur at least `least` times in all seeds together. Seeds run only until this is reached.
fn reaches(unit: &str, least: usize, wanted: &[&str]) {
    for config in ["tiny", "small", "default"] {
        let mut counts_of_points = BTreeMap::new();
        // In the whole unit a warp has at most one instruction in flight and issues the next one only after it has taken effect, so more
        // cycles are needed.
        let cycles = if unit == WHOLE { 16_000 } else { 3000 };
        let is_rare =
            |counts_of_points: &BTreeMap<String, usize>, what: &str| counts_of_points.get(what).copied().unwrap_or(0) < least;
        for seed in 0..SEEDS {
            count(&play(unit, config, seed, cycles), &mut counts_of_points);
            if !wanted.iter().any(|what| is_rare(&counts_of_points, what)) {
                break;
            }
        }
        for what in wanted {
            assert!(
                !is_rare(&counts_of_points, what),
                "{unit}/{config}: `{what}` less than {least} times: {counts_of_points:#?}"
            );
        }
    }
}

#[test]
fn named_sees_every_operation_and_every_fault() {
    let kinds = ["op Sync", "op Arrive", "op Reduce", "op Read", "op Write", "op Exit", "op Launch", "op Release"];
    let local = ["fault IdOutOfRange", "fault OperandNotUniform", "fault CountZeroArrive"];
    let counts = ["fault CountNotWarpMultiple", "fault CountExceedsCta", "fault DoubleArrival", "fault CountMismatch"];
    let state = ["fault KindMismatch", "fault NoResult", "fault BadStateWord", "read passes", "implicit_conflict passes"];
    let results = ["release And", "release Or", "release Popc"];
    let other_points = ["fault BarrierLeftOpen", "op waits", "fault waits", "release of 0", "release of 1", "release of more"];
    reaches("named", 20, &[&kinds[..], &local, &counts, &state, &results, &other_points].concat());
    // Faults found upstream pass through `named`.
    reaches(
        "named",
        1,
        &[
            "fault IllegalInstruction",
            "fault NotResident",
            "fault Deadlock",
            "fault PartialMask",
            "op SlotOccupied",
            "op WarpBlocked",
        ],
    );
}

#[test]
fn decode_sees_words_of_every_kind() {
    let passed = ["op Sync", "op Arrive", "op Reduce", "op Read", "op Write", "op None", "op waits", "instr passes"];
    let faults = ["op NotResident", "op WarpBlocked", "op IllegalInstruction"];
    reaches("decode", 50, &[&passed[..], &faults].concat());
}

#[test]
fn gather_sees_pieces_exits_and_every_fault_of_lanes() {
    let kinds = ["op Sync", "op Arrive", "op Reduce", "op Read", "op Write", "op Exit", "op Launch", "op Release"];
    let faults = ["op NotResident", "op WarpBlocked", "op OperandNotUniform", "op PartialMask", "op GatherMismatch"];
    let strobes = [
        "lanes passes",
        "lanes leads",
        "warp_exited passes",
        "op_absorbed",
        "gathering",
        "exit_pending",
        "op waits",
        "entry_waits",
        "full",
    ];
    reaches("gather", 20, &[&kinds[..], &faults, &strobes].concat());
}

#[test]
fn a_third_group_of_lanes_is_sent_back() {
    // With four lanes a third group is impossible.
    let mut counts_of_points = BTreeMap::new();
    (0..SEEDS).for_each(|seed| count(&play("gather", "default", seed, 3000), &mut counts_of_points));
    assert!(counts_of_points["lanes retries"] >= 20, "{counts_of_points:#?}");
}

#[test]
fn mem_order_sees_full_warps_and_late_accesses() {
    let kinds = ["op Sync", "op Arrive", "op Reduce", "op Read", "op Write", "op Exit", "op Launch", "op Release"];
    let other_points = [
        "held",
        "full",
        "parked",
        "op_done",
        "picked_pending",
        "epoch",
        "op waits",
        "in waits",
        "issue_0 passes",
        "perform_0 passes",
    ];
    reaches("mem_order", 20, &[&kinds[..], &other_points].concat());
}

#[test]
fn deadlock_detector_sees_deadlocks_and_conflicts() {
    reaches("deadlock_detector", 20, &["dead passes", "dead waits", "taken Release", "implicit_conflict passes"]);
}

#[test]
fn grids_see_messages_both_ways() {
    let ops = ["op LaunchDependents", "op Wait", "op IllegalInstruction", "fault NotResident", "fault waits"];
    let traffic = ["grid_out passes", "grid_out waits", "grid_in passes", "opened passes", "release of 1", "release of more"];
    reaches("grid", 20, &[&ops[..], &traffic].concat());
    let requests = ["open passes", "opened passes", "close passes", "closed passes", "flush passes", "flush waits"];
    reaches("grid_hub", 20, &[&requests[..], &["from_0 passes", "from_1 passes", "to_1 passes", "flushed passes"]].concat());
}

#[test]
fn cta_table_sees_good_and_bad_requests() {
    let kinds = ["op Exit", "op Release", "op Launch", "op None", "op waits"];
    let faults = ["op NotResident", "op WarpBlocked", "op SlotOccupied"];
    let channels = ["launch passes", "launch waits", "retire passes", "retire waits", "exit passes", "exit waits"];
    reaches("cta_table", 20, &[&kinds[..], &faults, &channels].concat());
}

#[test]
fn the_whole_unit_sees_every_fault_it_can_find() {
    let issue = ["fault NotResident", "fault WarpBlocked", "fault SlotOccupied", "fault IllegalInstruction"];
    let operands = ["fault IdOutOfRange", "fault OperandNotUniform", "fault CountZeroArrive", "fault CountNotWarpMultiple"];
    let rows = ["fault CountExceedsCta", "fault DoubleArrival", "fault KindMismatch", "fault CountMismatch"];
    let state = ["fault BarrierLeftOpen", "fault NoResult", "fault BadStateWord", "writeback passes", "release Popc"];
    let traffic = ["release of 0", "release of 1", "release of more", "fault waits", "instr waits", "exit passes"];
    let lanes = ["fault PartialMask", "fault GatherMismatch", "lanes passes", "lanes leads", "gathering"];
    let mem_order = [
        "fault Deadlock",
        "waits_for_memory",
        "issue_0 passes",
        "perform_0 passes",
        "copy_issue passes",
        "copy_perform passes",
    ];
    let objects = ["token passes", "wake passes", "tx passes", "net_in passes", "net_out passes", "mem_request passes"];
    reaches("bcu", 10, &[&issue[..], &operands, &rows, &state, &traffic, &lanes, &mem_order, &objects].concat());
}

/// The largest number of consecutive cycles in which no multiprocessor takes an instruction and no CTA launches or retires.
fn stands(recording: &Recording) -> usize {
    let moving = ["instr", "launched", "retired"];
    let of_warps = |name: &str| moving.iter().any(|known| name == *known || name.ends_with(&format!("_{known}")));
    let channels: Vec<_> = channels(&recording.ports).into_iter().filter(|channel| of_warps(&channel.name)).collect();
    let moves = |cycle: &usize| {
        let (inputs, outputs) = (recording.input(*cycle), recording.output(*cycle));
        channels.iter().any(|channel| channel.event(inputs, outputs) == Event::Passes)
    };
    let moved: Vec<usize> = (0..recording.cycles()).filter(moves).chain([recording.cycles()]).collect();
    moved.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or(recording.cycles())
}

#[test]
fn traffic_hardly_ever_stands_still() {
    const CYCLES: usize = 6000;
    for (unit, config, seeds) in [(WHOLE, "tiny", 40), (WHOLE, "small", 40), (SEVERAL, "tiny", 20)] {
        let still = (0..seeds).filter(|seed| stands(&play(unit, config, *seed, CYCLES)) > CYCLES / 3);
        let still: Vec<u64> = still.collect();
        assert!(still.len() as u64 <= seeds / 20, "{unit} at {config}: seeds {still:?}");
    }
}

#[test]
fn seeds_have_profiles() {
    let share = |unit: &str, what: &str| {
        let has = |seed| {
            let mut counts_of_points = BTreeMap::new();
            count(&play(unit, "small", seed, 2000), &mut counts_of_points);
            counts_of_points.contains_key(what)
        };
        (0..SEEDS).filter(|seed| has(*seed)).count() as u64
    };
    for what in ["fault passes", "fault waits", "op Exit", "op Arrive", "fault BarrierLeftOpen"] {
        let with = share("named", what);
        assert!((SEEDS / 10..=SEEDS * 99 / 100).contains(&with), "`{what}` in {with} of {SEEDS} seeds");
    }
}

#[test]
fn an_unknown_unit_or_a_missing_port_is_named() {
    let config = named("tiny").unwrap();
    let ports = by_name("named", Sizes::try_from(&config).unwrap()).unwrap().ports().to_vec();
    assert_eq!(for_unit("nothing", &ports, shape(&config), 0).err(), Some(StimulusError::UnknownUnit("nothing".into())));
    let missing = StimulusError::NoPort(NoPort { direction: "input", name: "instr_valid".into() });
    assert_eq!(for_unit("decode", &ports, shape(&config), 0).err(), Some(missing));
}
