// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The engine, and its waveforms as read by two external readers: wellen (which Surfer uses) and GTKWave's vcd2fst.

use crate::trace_unit::Sampler;
use bcu_engine::{Engine, UnitVcd};
use bcu_hw::catalog;
use bcu_hw::ports::Unit;
use bcu_isa::ports::{Dir, Port};
use bcu_isa::units;
use bcu_machine::trace::text::{Text, TextId, View};
use bcu_machine::trace::vcd::Vcd;
use bcu_machine::trace::{files, Mark};
use bcu_model::dut::Dut;
use std::cell::RefCell;
use std::collections::HashMap;
use std::process::Command;
use std::rc::Rc;
use wellen::simple::Waveform;
use wellen::{SignalEncoding, SignalValueRef};

const CYCLES: usize = 200;

/// xorshift64: the stream is the same on every machine.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}

/// One traced run: for each cycle the driven and sampled values and the texts, and the written file.
struct Run {
    ports: Vec<Port>,
    /// For each cycle one value per port, in port order.
    values: Vec<Vec<u64>>,
    texts: Vec<Vec<String>>,
    vcd: Vec<u8>,
}

impl Run {
    /// The values of port `at` in every cycle as a reader has them, and the names of its values. A payload without its `valid` is `z`.
    fn shown(&self, at: usize) -> (Vec<String>, Vec<String>) {
        let port = &self.ports[at];
        let channel = port.channel.as_ref().filter(|_| !port.when.is_empty());
        let valid =
            channel.map(|channel| self.ports.iter().position(|of| of.name == format!("{}_valid", channel.name)).unwrap());
        let has_meaning = |values: &&Vec<u64>| valid.is_none_or(|valid| values[valid] == 1);
        let name = |value: u64| port.values.get(value as usize).cloned().unwrap_or_default();
        let one = |values: &Vec<u64>| match has_meaning(&values) {
            true => (digits(values[at], port.width), name(values[at])),
            false => ("z".repeat(port.width), String::new()),
        };
        self.values.iter().map(one).unzip()
    }
}

fn texts() -> Vec<Text> {
    let text = |scope: &str, name: &str| Text { scope: scope.into(), name: name.into(), alias: None };
    vec![text("program", "instr_text"), text("warps", "warp_0"), text("warps", "warp_1")]
}

/// A random run of the sampler; with `deep` the trace includes internal signals.
fn run(deep: bool, seed: u64) -> Run {
    run_unit(Box::new(Sampler::default()), deep, seed, |cycle, _, random| {
        let mask = if random.next().is_multiple_of(3) { u32::MAX as u64 } else { random.next() & 0xffff_ffff };
        let id = if random.next().is_multiple_of(2) { 5 } else { random.next() % 32 };
        vec![(cycle == 0) as u64, random.next() % 2, id, mask, random.next()]
    })
}

fn run_unit(
    unit: Box<dyn Unit>,
    deep: bool,
    seed: u64,
    mut stimulus: impl FnMut(usize, &[Port], &mut Random) -> Vec<u64>,
) -> Run {
    let mut engine = Engine::new(unit);
    let ports = engine.ports().to_vec();
    let vcd = match deep {
        true => UnitVcd::new(vec![], engine.unit(), &texts()),
        false => Vcd::of_ports(vec![], engine.unit().name(), &ports, &texts()).map(UnitVcd::from),
    };
    let vcd = Rc::new(RefCell::new(vcd.unwrap()));
    if deep {
        let vcd = vcd.clone();
        engine.watch(move |block| vcd.borrow_mut().capture(block));
    }
    let mut random = Random(seed);
    let mut outputs = vec![0; ports.iter().filter(|p| p.dir == Dir::Out).count()];
    let (mut values, mut said) = (vec![], vec![]);
    for cycle in 0..CYCLES {
        let inputs = stimulus(cycle, &ports, &mut random);
        engine.cycle(&inputs, &mut outputs);
        assert_eq!(engine.failure(), None);
        let words = [
            if inputs[1] == 1 { format!("warp 3: BAR.SYNC {:#x}, 0x40", inputs[2]) } else { String::new() },
            ["running", "waiting on 1", "exited", "a\\b\tü"][cycle / 5 % 4].to_string(),
            "running".to_string(),
        ];
        let vcd = &mut vcd.borrow_mut().vcd;
        for (i, word) in words.iter().enumerate() {
            vcd.set_text(TextId(i), word);
        }
        vcd.cycle(&inputs, &outputs).unwrap();
        let (mut i, mut o) = (inputs.iter(), outputs.iter());
        let mut value = |port: &Port| match port.dir {
            Dir::In => *i.next().unwrap(),
            Dir::Out => *o.next().unwrap(),
        };
        values.push(ports.iter().map(&mut value).collect());
        said.push(words.to_vec());
    }
    drop(engine);
    let vcd = Rc::into_inner(vcd).unwrap().into_inner().vcd.finish().unwrap();
    Run { ports, values, texts: said, vcd }
}

/// The variable's value in every cycle, as text: bits as digits, strings unchanged.
fn per_cycle(wave: &mut Waveform, path: &[&str]) -> Vec<String> {
    let (name, scope) = path.split_last().unwrap();
    let var = wave.hierarchy().lookup_var(scope, *name).unwrap_or_else(|| panic!("no variable {path:?}"));
    let signal = wave.hierarchy()[var].signal_ref();
    wave.load_signals(&[signal]);
    let signal = wave.get_signal(signal).unwrap();
    let changes: HashMap<u64, String> = signal.iter_changes().map(|(t, v)| (wave.time_table()[t as usize], shown(v))).collect();
    let mut now = None;
    (0..CYCLES as u64)
        .map(|cycle| {
            for half in [0, 5] {
                if let Some(value) = changes.get(&(cycle * 10 + half)) {
                    // Only the clock changes in the middle of a cycle.
                    assert!(half == 0 || *name == "clock", "{path:?} changes in the middle of cycle {cycle}");
                    if half == 0 {
                        now = Some(value.clone());
                    }
                }
            }
            now.clone().unwrap_or_else(|| panic!("{path:?} has no value in cycle {cycle}"))
        })
        .collect()
}

fn shown(value: SignalValueRef) -> String {
    match value {
        SignalValueRef::BitVec(bits) => bits.bit_string(),
        SignalValueRef::String(text) => text.to_string(),
        other => panic!("unexpected kind of value {other:?}"),
    }
}

fn read(vcd: &[u8]) -> Waveform {
    wellen::simple::read_from_reader(std::io::Cursor::new(vcd.to_vec())).unwrap()
}

fn digits(value: u64, width: usize) -> String {
    format!("{value:0width$b}")
}

#[test]
fn wellen_reads_back_what_was_sampled() {
    for deep in [false, true] {
        let run = run(deep, 0x5eed);
        let mut wave = read(&run.vcd);
        for (p, port) in run.ports.iter().enumerate() {
            let read = per_cycle(&mut wave, &["sampler", &port.name]);
            let (expected, names) = run.shown(p);
            assert_eq!(read, expected, "port {} (deep: {deep})", port.name);
            if !port.values.is_empty() {
                let read = per_cycle(&mut wave, &["sampler", &format!("{}_name", port.name)]);
                assert_eq!(read, names, "names of {} (deep: {deep})", port.name);
                assert!(port.values.iter().all(|name| read.contains(name)), "the run reaches every value of {}", port.name);
            }
        }
        for (t, text) in texts().iter().enumerate() {
            let read = per_cycle(&mut wave, &[&text.scope, &text.name]);
            let expected: Vec<_> = run.texts.iter().map(|said| said[t].replace('ü', "?")).collect();
            assert_eq!(read, expected, "text {} (deep: {deep})", text.name);
        }
    }
}

/// The units of the product: every port of every unit of the smallest configuration, and the widest units of the largest configuration.
#[test]
fn wellen_reads_back_the_ports_of_the_barrier_unit() {
    let has = |config: &str, unit: &str| bcu_isa::config::named(config).is_some_and(|config| config.has_unit(unit));
    let smallest = units::UNITS.map(|unit| (if has("tiny", unit) { "tiny" } else { "intel_tiny" }, unit));
    let mut hidden = 0;
    for (configuration, unit) in smallest.into_iter().chain([("large", "named")]) {
        let config = bcu_isa::config::named(configuration).unwrap();
        let run = run_unit(catalog::build(&config, unit).unwrap(), true, 0x1234_5678, |cycle, ports, random| {
            let value = |port: &Port| match port.name.as_str() {
                "reset" => (cycle == 0) as u64,
                _ if port.values.is_empty() => random.next() >> (64 - port.width),
                _ => random.next() % port.values.len() as u64,
            };
            ports.iter().filter(|p| p.dir == Dir::In).map(value).collect()
        });
        let mut wave = read(&run.vcd);
        for (p, port) in run.ports.iter().enumerate() {
            let (expected, names) = run.shown(p);
            hidden += expected.iter().filter(|value| value.starts_with('z')).count();
            assert_eq!(per_cycle(&mut wave, &[unit, &port.name]), expected, "{configuration} {unit} {}", port.name);
            if !port.values.is_empty() {
                let read = per_cycle(&mut wave, &[unit, &format!("{}_name", port.name)]);
                assert_eq!(read, names, "{configuration} {unit} names of {}", port.name);
            }
        }
        // A trace whose internal signals never change would pass the checks above.
        let hierarchy = wave.hierarchy();
        let inside = hierarchy.all_vars().filter(|v| hierarchy[*v].full_name(hierarchy).matches('.').count() > 1).count();
        // `warp_status` consists of two registers and the gates before them.
        let least = if unit == "warp_status" { 5 } else { 20 };
        assert!(inside > least, "{configuration} {unit}: {inside} signals inside");
    }
    assert!(hidden > 1000, "{hidden} values without a meaning");
}

#[test]
fn header_has_scale_scopes_widths_and_kinds() {
    let run = run(true, 1);
    let wave = read(&run.vcd);
    let hierarchy = wave.hierarchy();
    let scale = hierarchy.timescale().unwrap();
    assert_eq!((scale.factor, scale.unit), (1, wellen::TimescaleUnit::NanoSeconds));
    let kinds: HashMap<String, SignalEncoding> =
        hierarchy.all_vars().map(|v| (hierarchy[v].full_name(hierarchy), hierarchy[v].signal_encoding(hierarchy))).collect();
    for (name, kind) in [
        ("sampler.clock", SignalEncoding::BitVector(1)),
        ("sampler.arrive", SignalEncoding::BitVector(1)),
        ("sampler.id", SignalEncoding::BitVector(5)),
        ("sampler.last_mask", SignalEncoding::BitVector(32)),
        ("sampler.last_word", SignalEncoding::BitVector(64)),
        ("sampler.count_1", SignalEncoding::BitVector(5)),
        ("sampler.phase", SignalEncoding::BitVector(2)),
        ("sampler.phase_name", SignalEncoding::String),
        ("sampler.entry_open", SignalEncoding::BitVector(1)),
        ("sampler.entry_id", SignalEncoding::BitVector(4)),
        ("sampler.five", SignalEncoding::BitVector(5)),
        ("sampler.counters_0.clock", SignalEncoding::BitVector(1)),
        ("sampler.counters_1.state.q", SignalEncoding::BitVector(5)),
        ("sampler.phase_state.d", SignalEncoding::BitVector(2)),
        ("sampler.phase_state.d_name", SignalEncoding::String),
        ("program.instr_text", SignalEncoding::String),
        ("warps.warp_1", SignalEncoding::String),
    ] {
        assert_eq!(kinds.get(name), Some(&kind), "{name}");
    }
    assert_eq!(
        hierarchy.scopes().map(|s| hierarchy[s].name(hierarchy).to_string()).collect::<Vec<_>>(),
        ["sampler", "program", "warps"]
    );
}

#[test]
fn signals_inside_have_the_values_of_their_cycle() {
    let run = run(true, 0xbeef);
    let mut wave = read(&run.vcd);
    let port = |name: &str| run.ports.iter().position(|p| p.name == name).unwrap();
    let same = |wave: &mut Waveform, path: &[&str], expected: &dyn Fn(&Vec<u64>) -> String| {
        assert_eq!(per_cycle(wave, path), run.values.iter().map(expected).collect::<Vec<_>>(), "{path:?}");
    };
    let (arrive, id, mask, phase) = (port("arrive"), port("id"), port("last_mask"), port("phase"));
    same(&mut wave, &["sampler", "entry_open"], &|v| digits(v[arrive], 1));
    same(&mut wave, &["sampler", "entry_id"], &|v| digits(v[id] & 15, 4));
    same(&mut wave, &["sampler", "five"], &|_| digits(5, 5));
    same(&mut wave, &["sampler", "counters_1", "enable"], &|v| digits((v[id] == 5) as u64, 1));
    same(&mut wave, &["sampler", "mask_state", "q"], &|v| digits(v[mask], 32));
    same(&mut wave, &["sampler", "phase_state", "q_name"], &|v| ["Idle", "Gathering", "Complete"][v[phase] as usize].into());
    // A register's input in one cycle is its output in the next.
    let (d, q) = (per_cycle(&mut wave, &["sampler", "word_state", "d"]), per_cycle(&mut wave, &["sampler", "word_state", "q"]));
    assert_eq!(d[..CYCLES - 1], q[1..]);
    assert!(q.iter().any(|word| word.starts_with('1')));
}

#[test]
fn file_has_rising_times_and_only_changes() {
    let text = String::from_utf8(run(true, 7).vcd).unwrap();
    let (header, body) = text.split_once("$enddefinitions $end\n").unwrap();
    assert!(header.starts_with("$version"));
    let (mut times, mut last) = (vec![], HashMap::new());
    for line in body.lines().filter(|l| !l.starts_with('$')) {
        if let Some(time) = line.strip_prefix('#') {
            times.push(time.parse::<u64>().unwrap());
            continue;
        }
        let (value, id) = if line.starts_with(['b', 's']) { line.split_once(' ').unwrap() } else { line.split_at(1) };
        assert_ne!(last.insert(id, value), Some(value), "`{line}` at {:?} changes nothing", times.last());
    }
    assert_eq!(times, (0..=2 * CYCLES as u64).map(|half| half * 5).collect::<Vec<_>>());
}

#[test]
fn gtkwave_converts_the_file_without_loss() {
    let run = run(true, 0xf57);
    let folder = std::env::temp_dir().join(format!("bcu-trace-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (vcd, fst) = (folder.join("run.vcd"), folder.join("run.fst"));
    std::fs::write(&vcd, &run.vcd).unwrap();
    let done = Command::new("vcd2fst").arg(&vcd).arg(&fst).output();
    let done = done.expect("vcd2fst is missing; it is part of GTKWave: apt-get install gtkwave");
    assert!(done.status.success(), "vcd2fst failed: {}", String::from_utf8_lossy(&done.stderr));
    let (mut before, mut after) = (read(&run.vcd), wellen::simple::read(&fst).unwrap());
    std::fs::remove_dir_all(&folder).unwrap();
    let names: Vec<String> =
        before.hierarchy().all_vars().map(|v| before.hierarchy()[v].full_name(before.hierarchy())).collect();
    assert!(names.len() > 40, "{names:?}");
    for name in names {
        let path: Vec<&str> = name.split('.').collect();
        assert_eq!(per_cycle(&mut before, &path), per_cycle(&mut after, &path), "{name}");
    }
}

#[test]
fn each_of_several_multiprocessors_has_groups_of_its_own() {
    let config = bcu_isa::config::named("tiny").unwrap();
    let unit = bcu_hw::catalog::build(&config, bcu_isa::units::SEVERAL).unwrap();
    let view = View { top: "gpu", ports: &unit.ports(), texts: &[], from: 0, to: 10, marks: &[] };
    let files: HashMap<String, String> = files("run", &view).into_iter().collect();
    let count = |group: &str| files["run.gtkw"].matches(&format!("@800200\n-{group}\n")).count();
    let groups = ["sm_0 launch", "sm_1 launch", "sm_1 fault", "grids", "launch"].map(count);
    assert_eq!(groups, [1, 1, 1, 1, 0], "{}", files["run.gtkw"]);
    assert!(files["run.sucl"].contains("divider_add sm_1_launch\n"));
}

#[test]
fn viewer_files_name_only_what_the_file_has() {
    let run = run(false, 3);
    let wave = read(&run.vcd);
    let hierarchy = wave.hierarchy();
    let known: Vec<String> = hierarchy.all_vars().map(|v| hierarchy[v].full_name(hierarchy)).collect();
    let view = View { top: "sampler", ports: &run.ports, texts: &texts(), from: 0, to: CYCLES as u64, marks: &[] };
    let files: HashMap<String, String> = files("run", &view).into_iter().collect();

    let gtkw: Vec<String> = files["run.gtkw"]
        .lines()
        .filter(|line| line.contains('.') && !line.starts_with(['[', '*', '-', '@']))
        .map(|line| line.rsplit("} ").next().unwrap().split('[').next().unwrap().to_string())
        .collect();
    let sucl: Vec<String> =
        files["run.sucl"].lines().filter_map(|line| line.strip_prefix("variable_add ")).map(str::to_string).collect();
    for shown in [&gtkw, &sucl] {
        assert_eq!(shown.len(), 1 + texts().len() + run.ports.len(), "{shown:?}");
        assert_eq!(shown.iter().find(|name| !known.contains(name)), None);
    }
    assert!(files["run.gtkw"].contains("\n-arrival in\n") && files["run.sucl"].contains("divider_add arrival_in\n"));
    // Surfer numbers all lines of its display in the letters a to p; the id has a decimal format.
    let lines: Vec<&str> =
        files["run.sucl"].lines().filter(|l| l.starts_with("variable_add") || l.starts_with("divider_add")).collect();
    let id = lines.iter().position(|line| *line == "variable_add sampler.id").unwrap();
    let letter = (b'a' + id as u8) as char;
    assert!(files["run.sucl"].contains(&format!("item_focus {letter}_\nitem_set_format Unsigned\n")), "{}", files["run.sucl"]);
    assert_eq!(
        files[".surfer/mappings/phase.txt"].lines().skip(1).collect::<Vec<_>>(),
        ["Name = phase", "Bits = 2", "0 Idle", "1 Gathering", "2 Complete"]
    );
}

/// The rows of a save file: flags, colour, alias, signal. Headings have no colour.
fn rows(gtkw: &str) -> Vec<(String, Option<u32>, Option<String>, String)> {
    let (mut rows, mut flags, mut colour) = (vec![], String::new(), None);
    for line in gtkw.lines() {
        if let Some(given) = line.strip_prefix('@') {
            (flags, colour) = (given.to_string(), None);
        } else if let Some(given) = line.strip_prefix("[color] ") {
            colour = Some(given.parse().unwrap());
        } else if !flags.is_empty() && !line.starts_with('[') {
            let aliased = line.strip_prefix("+{").map(|rest| rest.split_once("} ").unwrap());
            let (alias, signal) = aliased.map_or((None, line), |(alias, signal)| (Some(alias.to_string()), signal));
            rows.push((flags.clone(), colour, alias, signal.to_string()));
        }
    }
    rows
}

#[test]
fn viewers_open_at_the_first_launch_with_marks_names_and_colours() {
    let unit = catalog::build(&bcu_isa::config::named("tiny").unwrap(), "bcu").unwrap();
    let text =
        |slot: usize, alias: &str| Text { scope: "program".into(), name: format!("warp_{slot}"), alias: Some(alias.into()) };
    let texts = [text(0, "cta0.w0 producer"), text(1, "cta0.w1 {odd};#\u{e4}")];
    let mark = |cycle: u64, name: &str| Mark { cycle, name: name.into() };
    let marks = [mark(42, "deadlock"), mark(99, "hung")];
    let view = View { top: "bcu", ports: &unit.ports(), texts: &texts, from: 20, to: 100, marks: &marks };
    let files: HashMap<String, String> = files("run", &view).into_iter().collect();

    let gtkw = &files["run.gtkw"];
    assert!(gtkw.contains("[timestart] 200\n"), "{gtkw}");
    let times: Vec<i64> =
        gtkw.lines().find_map(|l| l.strip_prefix('*')).unwrap().split(' ').skip(1).map(|time| time.parse().unwrap()).collect();
    // The primary marker, and the markers from A to Z.
    assert_eq!((times.len(), &times[..4]), (27, &[420, 420, 990, -1][..]));
    assert!(gtkw.contains("[markername] Adeadlock\n[markername] Bhung\n"), "{gtkw}");
    let rows = rows(gtkw);
    let named = |name: &str| rows.iter().find(|row| row.3 == name).unwrap();
    // The rows of a group leave out what its heading says.
    for (signal, alias) in [
        ("bcu.instr_valid", Some("valid")),
        ("bcu.fault_code_name", Some("code")),
        ("bcu.release_warps[3:0]", Some("warps")),
        ("bcu.reset", None),
    ] {
        assert_eq!(named(signal).2.as_deref(), alias, "{signal}");
    }
    assert!(files["run.sucl"].contains("item_rename valid\n"));
    assert_eq!(named("program.warp_0").2.as_deref(), Some("cta0:w0 producer"));
    assert_eq!(named("program.warp_1").2.as_deref(), Some("cta0:w1 _odd____"));
    let headings: Vec<&str> = rows.iter().filter(|row| row.0 == "800200").map(|row| row.3.strip_prefix('-').unwrap()).collect();
    assert_eq!(headings[..7], ["program", "release", "warps", "fault", "reset", "launch", "retire"]);
    let colours =
        ["bcu.clock", "program.warp_0", "bcu.instr_valid", "bcu.release_valid", "bcu.fault_code_name", "bcu.launch_valid"];
    assert_eq!(colours.map(|name| named(name).1), [None, Some(3), Some(3), Some(4), Some(1), None]);

    let sucl: Vec<&str> = files["run.sucl"].lines().collect();
    assert_eq!(sucl[sucl.len() - 3..], ["zoom_fit", "zoom_to 200 1000", "cursor_set 420"]);
    let marks: Vec<&&str> = sucl.iter().filter(|line| line.starts_with("marker_set")).collect();
    assert_eq!(marks, [&"marker_set deadlock 420", &"marker_set hung 990"]);
    let rename = sucl.iter().position(|line| *line == "item_rename cta0.w0 producer").unwrap();
    assert_eq!(sucl[rename - 2..rename], ["item_focus c_", "item_set_color Yellow"]);
    // The order is the same in both files.
    let shown = |line: &&&str| line.starts_with("variable_add");
    let in_surfer = sucl.iter().filter(shown).map(|line| line.strip_prefix("variable_add ").unwrap());
    let in_gtkwave = rows.iter().filter(|row| !row.3.starts_with('-')).map(|row| row.3.split('[').next().unwrap());
    assert!(in_surfer.eq(in_gtkwave));
}
