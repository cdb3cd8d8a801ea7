// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The timing diagrams of `docs/contract/timing`: every drawn value equals the output of the model, of the rust-hdl block and of the
//! block's exported Verilog.

use bcu_isa::config::{named, Config};
use bcu_model::{by_name, Sizes};
use bcu_tb::lockstep::units::{bench, Effort};
use bcu_tb::lockstep::{first_difference, Recording};
use bcu_tb::timing::Diagram;
use std::fs;
use std::path::PathBuf;

/// A diagram with its unit and configuration, and the model's recording of it.
struct Played {
    name: String,
    diagram: Diagram,
    unit: String,
    config: Config,
    recording: Recording,
    first: usize,
}

/// Plays the diagrams. An input that is not drawn is all zeros or, with `undrawn`, all ones.
fn play_diagrams(undrawn: bool) -> Vec<Played> {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/contract/timing"));
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "json"));
    files.sort();
    assert!(!files.is_empty());
    let play = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let text = fs::read_to_string(path).unwrap();
        let setting = Diagram::setting(&text).unwrap_or_else(|e| panic!("{name}: {e}"));
        let config = named(&setting.config).unwrap_or_else(|| panic!("{name}: {}", setting.config));
        let mut model = by_name(&setting.unit, Sizes::try_from(&config).unwrap()).unwrap();
        let ports = model.ports().to_vec();
        let diagram = Diagram::read(&text, &ports, config.lanes as u32).unwrap_or_else(|e| panic!("{name}: {e}"));
        let (recording, first) = diagram.play(&ports, model.as_mut(), undrawn).unwrap_or_else(|e| panic!("{name}: {e}"));
        Played { name, diagram, unit: setting.unit, config, recording, first }
    };
    files.iter().map(play).collect()
}

#[test]
fn the_model_shows_what_is_drawn() {
    let wrong = [false, true].map(play_diagrams).into_iter().flatten().filter_map(|played| {
        let Played { name, diagram, config, recording, first, .. } = played;
        diagram.compare(&config, &recording, first).err().map(|error| format!("docs/contract/timing/{name}: {error}"))
    });
    let wrong: Vec<_> = wrong.collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn block_and_verilog_show_what_the_model_shows() {
    let effort = Effort { cycles: 100_000, block: 100_000, verilator: 0, icarus: 100_000 };
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("timing");
    for (played, drawn_ones) in play_diagrams(false).into_iter().zip(play_diagrams(true)) {
        let Played { name, unit, config, recording, .. } = played;
        let mut bench = bench(&unit, &config, effort, directory.join(&name)).unwrap();
        let backends: Vec<_> = bench.entrants.iter().map(|entrant| entrant.backend.name().to_string()).collect();
        assert_eq!(backends, ["compiled", "rust", "icarus"]);
        for recording in [&recording, &drawn_ones.recording] {
            for entrant in &mut bench.entrants {
                let replay = entrant.backend.replay(&recording.inputs).unwrap();
                let difference = first_difference(recording, &replay);
                assert_eq!(difference, None, "{name}: {}", entrant.backend.name());
            }
        }
    }
}

#[test]
fn any_other_value_would_be_found() {
    for Played { name, diagram, config, recording, first, .. } in play_diagrams(false) {
        let outputs: Vec<_> = recording.ports.iter().filter(|port| port.dir == bcu_isa::ports::Dir::Out).collect();
        let drawn = |row: &usize| outputs.iter().any(|port| port.name == diagram.rows[*row].port);
        let rows: Vec<_> = (0..diagram.rows.len()).filter(drawn).collect();
        assert!(!rows.is_empty(), "{name} draws no output");
        for row in rows {
            for column in 0..diagram.columns {
                let mut changed = diagram.clone();
                let Some(value) = &mut changed.rows[row].cells[column] else { continue };
                *value ^= 1;
                assert!(changed.compare(&config, &recording, first).is_err(), "{name}: row {row}, column {column}");
            }
        }
        for arrow in 0..diagram.arrows.len() {
            let mut changed = diagram.clone();
            changed.arrows[arrow].to += 1;
            let is_latency = bcu_hw::unit::latency::ALL.iter().any(|latency| latency.name == changed.arrows[arrow].label);
            assert_eq!(changed.compare(&config, &recording, first).is_err(), is_latency, "{name}: arrow {arrow}");
            let mut changed = diagram.clone();
            changed.arrows[arrow].label = "NAMED_REALEASE".to_string();
            assert!(changed.compare(&config, &recording, first).is_err(), "{name}: arrow {arrow} has a name that is none");
        }
    }
}

#[test]
fn a_file_that_cannot_be_played_says_why() {
    let ports = by_name("named", Sizes::try_from(&named("tiny").unwrap()).unwrap()).unwrap().ports().to_vec();
    let read = |signal: &str, edge: &str, inputs: &str| {
        let text = format!(
            r#"{{"bcu": {{"unit": "named", "config": "tiny", "inputs": {{{inputs}}}}}, "signal": [{signal}], "edge": [{edge}]}}"#
        );
        Diagram::read(&text, &ports, 4).map(|diagram| diagram.columns).map_err(|error| error.to_string())
    };
    let row = r#"{"name": "op_kind", "wave": "x3.", "data": ["Sync"], "node": ".a."}"#;
    assert_eq!(read(row, "", ""), Ok(3));
    let said = |result: Result<usize, String>, part: &str| match result {
        Err(error) => assert!(error.contains(part), "{error}"),
        Ok(_) => panic!("`{part}` was not said"),
    };
    said(read(&row.replace("Sync", "Synch"), "", ""), "`Synch` is not a value of `op_kind`");
    said(read(&row.replace("Sync", "16"), "", ""), "`16` is not a value of `op_kind`");
    said(read(&row.replace("op_kind", "op_kinds"), "", ""), "no port `op_kinds`");
    said(read(&row.replace("x3.", "x34"), "", ""), "more values in `wave` than in `data`");
    said(read(&row.replace("x3.", "x3|"), "", ""), "`|` in `wave`");
    said(read(&format!("{row}, {{}}, [\"out\", {{\"name\": \"waiting\", \"wave\": \"0\"}}]"), "", ""), "1 columns; expected 3");
    said(read(row, "\"a~>b NAMED_RELEASE\"", ""), "expected the marks of two columns");
    said(read(row, "", "\"op_redop\": \"Xor\""), "`Xor` is not a value of `op_redop`");
    said(Diagram::read("{\"signal\": []}", &ports, 4).map(|d| d.columns).map_err(|e| e.to_string()), "missing field `bcu`");
}
