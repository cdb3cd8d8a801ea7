// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Waveforms against the model: a correct waveform passes, and each error that is inserted into it is found in its cycle. The waveforms are
//! VCD texts of random runs at `tiny`, written by this test.

use bcu_hw::catalog;
use bcu_isa::config::named;
use bcu_isa::ports::{Dir, Port};
use bcu_model::meaning::Meaning;
use bcu_model::{by_name, Sizes};
use bcu_tb::lockstep::units::shape;
use bcu_tb::lockstep::{record, Recording};
use bcu_tb::replay::{replay, Replayed, Waveform, WaveformError};
use bcu_tb::stimulus::{for_unit, Rng};
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::Command;

const SEED: u64 = 5;

fn play(unit: &str, cycles: usize) -> Recording {
    let config = named("tiny").unwrap();
    let ports = catalog::build(&config, unit).unwrap().ports();
    let mut stimulus = for_unit(unit, &ports, shape(&config), SEED).unwrap();
    record(&ports, by_name(unit, Sizes::try_from(&config).unwrap()).unwrap().as_mut(), stimulus.as_mut(), cycles)
}

/// Values of all ports in port order, as binary digits.
type Row = Vec<String>;

fn rows(recording: &Recording) -> Vec<Row> {
    let row = |cycle: usize| {
        let (mut inputs, mut outputs) = (recording.input(cycle).iter(), recording.output(cycle).iter());
        let value = |port: &Port| match port.dir {
            Dir::In => inputs.next(),
            Dir::Out => outputs.next(),
        };
        let digits = |port: &Port, value: u64| format!("{value:0width$b}", width = port.width);
        let mut value = value;
        recording.ports.iter().map(|port| digits(port, *value(port).unwrap())).collect()
    };
    (0..recording.cycles()).map(row).collect()
}

/// A unit as an instance in a waveform: path, ports, rows.
struct Instance<'a> {
    path: &'a [&'a str],
    ports: &'a [Port],
    rows: &'a [Row],
}

/// A VCD file with these instances and one clock, which rises at 15 ns, 25 ns and so on. Registered outputs change at the rising edge.
fn vcd(instances: &[Instance]) -> String {
    let mut text = "$timescale 1ns $end\n".to_string();
    for (number, Instance { path, ports, .. }) in instances.iter().enumerate() {
        path.iter().for_each(|scope| writeln!(text, "$scope module {scope} $end").unwrap());
        text += "$var wire 1 c clock $end\n";
        for (at, port) in ports.iter().enumerate() {
            let Port { name, width, .. } = port;
            let range = if *width > 1 { format!(" [{}:0]", width - 1) } else { String::new() };
            writeln!(text, "$var wire {width} p{number}_{at} {name}{range} $end").unwrap();
        }
        path.iter().for_each(|_| text += "$upscope $end\n");
    }
    text += "$enddefinitions $end\n#0\n0c\n";
    let cycles = instances.iter().map(|of| of.rows.len()).max().unwrap_or(0);
    for cycle in 0..=cycles {
        writeln!(text, "#{}\n{}c", 5 + 10 * cycle, u8::from(cycle > 0)).unwrap();
        for (number, Instance { rows, .. }) in instances.iter().enumerate() {
            let row = rows.get(cycle).into_iter().flatten().enumerate();
            row.for_each(|(at, digits)| writeln!(text, "b{digits} p{number}_{at}").unwrap());
        }
        writeln!(text, "#{}\n0c", 10 + 10 * cycle).unwrap();
    }
    text
}

fn sizes() -> Sizes {
    Sizes::try_from(&named("tiny").unwrap()).unwrap()
}

/// The path of a temporary file.
fn scratch(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("replay-{name}"))
}

/// Writes the text into a file of this name, and parses it as a waveform.
fn read(name: &str, text: impl AsRef<[u8]>, unit: &str, scope: Option<&str>) -> Result<Waveform, WaveformError> {
    let path = scratch(name);
    std::fs::write(&path, text).unwrap();
    let ports = by_name(unit, sizes()).unwrap().ports().to_vec();
    Waveform::read(&path, (unit, &named("tiny").unwrap()), &ports, scope)
}

fn replayed(name: &str, ports: &[Port], rows: &[Row], unit: &str) -> Replayed {
    let text = vcd(&[Instance { path: &["tb", "dut"], ports, rows }]);
    let waveform = read(name, text, unit, None).unwrap();
    assert_eq!((waveform.scope.as_str(), waveform.cycles()), ("tb.dut", rows.len()));
    replay(&waveform, unit, sizes()).unwrap()
}

#[test]
fn what_the_model_did_is_the_models_in_every_unit() {
    for unit in catalog::built(&named("tiny").unwrap()) {
        // The run of `named` is longer than one comparison window.
        let recording = play(unit, if unit == "named" { 12_000 } else { 500 });
        let done = replayed(&format!("same-{unit}"), &recording.ports, &rows(&recording), unit);
        assert_eq!((&done.finding, done.cycles), (&None, recording.cycles()), "{unit}");
        assert!(done.passed.iter().any(|(_, times)| *times > 0), "{unit}: {done:?}");
    }
}

#[test]
fn each_output_that_is_changed_is_found_in_its_cycle() {
    let recording = play("named", 1000);
    let (good, meaning) = (rows(&recording), Meaning::new(&recording.ports));
    let outputs: Vec<usize> = (0..recording.ports.len()).filter(|at| recording.ports[*at].dir == Dir::Out).collect();
    let mut changed = 0;
    for (number, at) in outputs.iter().enumerate() {
        let holds = |cycle: &usize| meaning.holds(number, recording.input(*cycle), recording.output(*cycle));
        let Some(cycle) = (30 * number + 1..recording.cycles()).find(holds) else { continue };
        for digit in ["flip", "x"] {
            let mut rows = good.clone();
            let last = rows[cycle][*at].pop().unwrap();
            rows[cycle][*at] += if digit == "x" {
                "x"
            } else if last == '0' {
                "1"
            } else {
                "0"
            };
            let finding = replayed("changed", &recording.ports, &rows, "named").finding.unwrap();
            assert_eq!((finding.cycle, finding.is_of_unit), (cycle, true), "{finding:?}");
            let name = format!("output `{}`: the model has ", recording.ports[*at].name);
            assert!(finding.what.iter().any(|what| what.starts_with(&name)), "{finding:?}");
            assert_eq!(finding.history.last().unwrap().0, cycle);
            changed += 1;
        }
    }
    assert!(changed > 30, "{changed}");
}

#[test]
fn what_the_design_around_the_unit_breaks_is_found() {
    let recording = play("named", 3000);
    let (good, port) = (rows(&recording), |name: &str| recording.ports.iter().position(|p| p.name == name).unwrap());
    let [valid, ready, warp] = ["op_valid", "op_ready", "op_warp"].map(port);
    let offered = |row: &Row| row[valid] == "1";
    let waits = (1..good.len()).find(|c| offered(&good[c - 1]) && good[c - 1][ready] == "0" && offered(&good[*c])).unwrap();
    let idle = (100..good.len()).find(|cycle| !offered(&good[*cycle]) && good[*cycle][port("reset")] == "0").unwrap();
    let transfer_cycle = (100..good.len()).find(|cycle| offered(&good[*cycle])).unwrap();
    let id = port("op_id");
    let number = |digits: &str| u64::from_str_radix(digits, 2).unwrap();
    let changed_id = format!("{:04b}", number(&good[waits][id]) ^ 1);
    let rule = "channel `op`: an offer must hold, with its payload, until it is taken";
    let changed_said = format!("{rule}; `op_id` changes from {} to {}", number(&good[waits - 1][id]), number(&changed_id));
    for (cycle, at, value, said) in [
        (waits, valid, "0", "channel `op`: an offer must hold, with its payload, until it is taken; `op_valid` falls"),
        (waits, port("op_id"), changed_id.as_str(), changed_said.as_str()),
        (idle, valid, "x", "input `op_valid` is 1'bx"),
        (transfer_cycle, warp, "0z", "input `op_warp` is 2'b0x"),
        (idle, port("trapped"), "x000", "input `trapped` is 4'bx000"),
    ] {
        let mut rows = good.clone();
        rows[cycle][at] = value.to_string();
        let finding = replayed("broken", &recording.ports, &rows, "named").finding.unwrap();
        assert_eq!((finding.cycle, finding.is_of_unit, &finding.what[..]), (cycle, false, &[said.to_string()][..]));
    }
    // While nothing is offered, the payload is don't care.
    let mut rows = good;
    rows[idle][warp] = "xz".to_string();
    assert_eq!(replayed("idle", &recording.ports, &rows, "named").finding, None);
}

#[test]
fn the_first_cycles_without_a_reset_are_left_out() {
    let recording = play("named", 500);
    let unknown: Row = recording.ports.iter().map(|port| "x".repeat(port.width)).collect();
    let rows = [vec![unknown; 3], rows(&recording)].concat();
    let text = vcd(&[Instance { path: &["dut"], ports: &recording.ports, rows: &rows }]);
    let waveform = read("late", text, "named", None).unwrap();
    assert_eq!((waveform.cycles(), waveform.time(0).as_str()), (500, "45 ns"));
    assert_eq!(replay(&waveform, "named", sizes()).unwrap().finding, None);
}

#[test]
fn a_waveform_without_the_unit_is_refused_with_what_is_missing() {
    let recording = play("named", 20);
    let (ports, rows) = (&recording.ports[..], &rows(&recording)[..]);
    let warp = ports.iter().position(|port| port.name == "op_warp").unwrap();
    let two = vcd(&[Instance { path: &["a"], ports, rows }, Instance { path: &["b", "c"], ports, rows }]);
    let text = vcd(&[Instance { path: &["a"], ports, rows }]);
    for (name, text, scope, said) in [
        ("two", two.clone(), None, "2 scopes have the ports of `named`: a, b.c"),
        ("no-scope", two.clone(), Some("c"), "no scope is called `c`; these scopes have a port `clock`: a, b.c"),
        ("lacks", text.replace(" op_kind ", " kind "), None, "no scope has all ports of `named`; a lacks `op_kind`"),
        ("no-clock", text.replace(" clock ", " clk "), None, "no scope has all ports of `named`; a lacks `clock`"),
        (
            "other",
            text.replace("$scope module a", "$scope module a $end\n$upscope $end\n$scope module b"),
            Some("a"),
            "no scope has all ports of `named`; a lacks `clock`, `reset`, `op_valid`, `op_ready` and ",
        ),
        ("stands", text.replace("\n1c", "\n0c"), None, "`clock` never rises in the scope a"),
        (
            "no-reset",
            text.replace("\nb1 p0_0", "\nb0 p0_0"),
            None,
            "`reset` is never 1 at a rising edge of `clock` in the scope a",
        ),
        (
            "width",
            text.replace(&format!("$var wire 2 p0_{warp} op_warp [1:0]"), &format!("$var wire 5 p0_{warp} op_warp [4:0]")),
            None,
            "`op_warp` has 5 bits in the scope a, and 2 bits in the configuration tiny",
        ),
        ("text", "no waveform".to_string(), None, "as VCD: the file does not begin like a VCD"),
        (
            "wide",
            text.replace("$var wire 2 ", "$var wire 4000000000 "),
            None,
            "a signal is declared with 4000000000 bits; expected at most 65536",
        ),
        ("cut-header", text[..text.find("$enddefinitions").unwrap()].to_string(), None, "the file ends in its header"),
        ("empty", String::new(), None, "as VCD: the file does not begin like a VCD"),
    ] {
        let error = read(name, text, "named", scope).err().unwrap_or_else(|| panic!("{name}")).to_string();
        assert!(error.contains(said), "{name}: {error}");
    }
    // The identification wire of an export, with the value of another configuration than that of the unit.
    let small = named("small").unwrap().identity();
    let wire = "$var wire 32 i export_id [31:0] $end\n$upscope $end\n";
    let with_identity =
        |identity: u32| text.replacen("$upscope $end\n", wire, 1).replacen("#0\n", &format!("#0\nb{identity:b} i\n"), 1);
    let error = read("other-config", with_identity(small), "named", None).unwrap_err().to_string();
    assert_eq!(error, "a belongs to an export of the configuration small, but `--config` is tiny");
    let error = read("own-config", with_identity(1), "named", None).unwrap_err().to_string();
    assert_eq!(error, "a belongs to an export of a configuration that is not part of the project, but `--config` is tiny");
    read("same-config", with_identity(named("tiny").unwrap().identity()), "named", None).unwrap();
    assert_eq!(read("asked", &two, "named", Some("b.c")).unwrap().scope, "b.c");
    // The bench has wires with the names of the ports, and the unit inside the bench has the same signals. So bench and unit count as one
    // instance.
    let twice = two.replace(" p1_", " p0_");
    assert_eq!(read("alias", twice, "named", None).unwrap().scope, "a");
}

#[test]
fn another_format_is_refused_with_its_name() {
    let recording = play("named", 20);
    let (vcd_file, fst_file) = (scratch("whole.vcd"), scratch("whole.fst"));
    std::fs::write(&vcd_file, vcd(&[Instance { path: &["a"], ports: &recording.ports, rows: &rows(&recording) }])).unwrap();
    let done = Command::new("vcd2fst").arg(&vcd_file).arg(&fst_file).output();
    assert!(done.expect("vcd2fst is missing; it is part of GTKWave: apt-get install gtkwave").status.success());
    let error = read("binary", std::fs::read(&fst_file).unwrap(), "named", None).err().unwrap().to_string();
    assert!(error.ends_with("the format is FST; expected VCD"), "{error}");
}

#[test]
fn a_damaged_file_is_an_error_and_no_panic() {
    let recording = play("named", 50);
    let text = vcd(&[Instance { path: &["a"], ports: &recording.ports, rows: &rows(&recording) }]);
    let whole = text.into_bytes();
    let mut rng = Rng::new(SEED, "damage");
    for _ in 0..300 {
        let mut bytes = whole.clone();
        for _ in 0..1 + rng.below(4) {
            let at = rng.below(bytes.len() as u64) as usize;
            match rng.below(3) {
                0 => bytes[at] = rng.below(256) as u8,
                1 => drop(bytes.drain(at..(at + rng.below(40) as usize).min(bytes.len() - 1).max(at))),
                _ => bytes.truncate(at.max(1)),
            }
        }
        if let Ok(waveform) = read("damaged", bytes, "named", None) {
            assert!(replay(&waveform, "named", sizes()).is_some());
        }
    }
}
