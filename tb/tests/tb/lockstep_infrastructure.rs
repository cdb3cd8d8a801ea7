// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Tests the lockstep framework on a queue of two entries, written by hand in Verilog and in Rust: good designs pass, and each kind
//! of faulty design is detected, named and shrunk.

use bcu_hw::prim::ram::Ram;
use bcu_hw::verilog;
use bcu_isa::ports::{Channel, Dir, Part, Port, When};
use bcu_model::dut::Dut;
use bcu_tb::cosim::verilator::{Optimisation, Verilated};
use bcu_tb::cosim::{icarus, CosimError, Design};
use bcu_tb::lockstep::{first_difference, Backend, BackendError, Bench, Case, Difference, Divergence, Entrant, IcarusBackend};
use bcu_tb::lockstep::{LockstepError, Recording, Replay, VerilatorBackend};
use bcu_tb::stimulus::{Rng, Stimulus};
use rust_hdl::prelude::*;
use std::path::PathBuf;

const QUEUE: &str = r#"`default_nettype none
module queue (
  input wire clock, input wire reset,
  input wire put_valid, output wire put_ready, input wire [39:0] put_data,
  output wire get_valid, input wire get_ready, output wire [39:0] get_data,
  output reg [7:0] taken
);
  reg [1:0] level;
  reg [39:0] head, tail;
  assign put_ready = level != 2'd2;
  assign get_valid = level != 2'd0;
  assign get_data = head;
  wire put = put_valid & put_ready;
  wire get = get_valid & get_ready;
  always @(posedge clock) begin
    if (get) taken <= taken + 8'd1;
    if (get & level[1]) head <= tail;
    if (put & (level - {1'b0, get} == 2'd0)) head <= put_data;
    if (put & (level - {1'b0, get} == 2'd1)) tail <= put_data;
    level <= level + {1'b0, put} - {1'b0, get};
    if (reset) begin level <= 2'd0; head <= 40'd0; tail <= 40'd0; taken <= 8'd0; end
  end
endmodule
`default_nettype wire
"#;

fn port(name: &str, dir: Dir, width: usize) -> Port {
    Port { name: name.into(), dir, width, group: "queue", doc: String::new(), values: vec![], channel: None, when: vec![] }
}

/// The ports `valid`, `ready` and the payload `data` of a channel; `dir` is the direction of the payload.
fn channel(name: &str, dir: Dir) -> [Port; 3] {
    let back = if dir == Dir::In { Dir::Out } else { Dir::In };
    let parts = [("valid", dir, 1, Part::Valid), ("ready", back, 1, Part::Ready), ("data", dir, 40, Part::Payload)];
    parts.map(|(end, dir, width, part)| {
        let when = if part == Part::Payload { vec![When { port: format!("{name}_valid"), values: vec![1] }] } else { vec![] };
        let channel = Some(Channel { name: name.to_string(), part });
        Port { channel, when, ..port(&format!("{name}_{end}"), dir, width) }
    })
}

fn ports() -> Vec<Port> {
    let channels = [channel("put", Dir::In), channel("get", Dir::Out)];
    let single_port = |name, dir, width| std::iter::once(port(name, dir, width));
    single_port("reset", Dir::In, 1).chain(channels.into_iter().flatten()).chain(single_port("taken", Dir::Out, 8)).collect()
}

/// The queue of the Verilog text in Rust. The count of taken entries wraps to 0 at `wraps`.
struct Queue {
    ports: Vec<Port>,
    wraps: u64,
    level: u64,
    head: u64,
    tail: u64,
    taken_count: u64,
}

impl Queue {
    fn boxed(wraps: u64) -> Box<dyn Dut> {
        Box::new(Queue { ports: ports(), wraps, level: 0, head: 0, tail: 0, taken_count: 0 })
    }
}

impl Dut for Queue {
    fn ports(&self) -> &[Port] {
        &self.ports
    }
    fn cycle(&mut self, inputs: &[u64], outputs: &mut [u64]) {
        let [reset, put_valid, data, get_ready] = inputs.try_into().unwrap();
        let (ready, valid) = ((self.level != 2) as u64, (self.level != 0) as u64);
        outputs.copy_from_slice(&[ready, valid, self.head, self.taken_count]);
        let (put, get) = (ready & put_valid, valid & get_ready);
        if get == 1 {
            self.taken_count = (self.taken_count + 1) % self.wraps;
            self.head = if self.level == 2 { self.tail } else { self.head };
        }
        match (put, self.level - get) {
            (1, 0) => self.head = data,
            (1, 1) => self.tail = data,
            _ => {}
        }
        self.level = self.level + put - get;
        if reset == 1 {
            (self.level, self.head, self.tail, self.taken_count) = (0, 0, 0, 0);
        }
    }
}

/// Random puts and gets; an offer that is not taken is held.
struct Traffic {
    rng: Rng,
    inputs: [u64; 4],
    started: bool,
}

impl Traffic {
    fn new(seed: u64) -> Self {
        Traffic { rng: Rng::new(seed, "queue"), inputs: [1, 0, 0, 0], started: false }
    }
}

impl Stimulus for Traffic {
    fn next(&mut self, previous: &[u64]) -> &[u64] {
        if std::mem::replace(&mut self.started, true) {
            if self.inputs[0] == 1 || self.inputs[1] == 0 || previous[0] == 1 {
                let valid = self.rng.below(2);
                self.inputs = [0, valid, self.rng.below(1 << 40), 0];
            }
            self.inputs[3] = self.rng.below(2);
        }
        &self.inputs
    }
}

fn folder(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name)
}

fn design(text: &str) -> Design {
    Design { text: text.into(), top: "queue".into(), ports: ports() }
}

fn verilator(text: &str) -> Box<dyn Backend> {
    let design = Verilated::build(&design(text), &folder("verilated"), Optimisation::None).unwrap();
    Box::new(VerilatorBackend { design, ports: ports(), seed: 1 })
}

fn icarus_backend(text: &str) -> Box<dyn Backend> {
    Box::new(IcarusBackend { design: design(text), directory: folder("icarus") })
}

fn run(lanes: Vec<Box<dyn Backend>>, seed: u64) -> Result<(), Box<Divergence>> {
    let case = Case { unit: "queue".into(), config: "two".into(), seed, cycles: 3000, command: format!("again {seed}") };
    let allowance = |backend: &dyn Backend| if backend.name() == "icarus" { 400 } else { 3000 };
    let entrants = lanes.into_iter().map(|backend| Entrant { cycles_left: allowance(backend.as_ref()), backend }).collect();
    let mut bench = Bench { ports: ports(), model: Box::new(|| Queue::boxed(256)), entrants };
    match bench.run(&case, &mut Traffic::new(seed)) {
        Ok(recording) => {
            assert_eq!(recording.cycles(), 3000);
            Ok(())
        }
        Err(LockstepError::Divergence(d)) => Err(d),
        Err(error) => panic!("{error}"),
    }
}

/// The Rust queue as a separate backend.
struct Wrapping(u64);

impl Backend for Wrapping {
    fn name(&self) -> &str {
        "rust"
    }
    fn tries(&self) -> usize {
        1000
    }
    fn replay(&mut self, inputs: &[u64]) -> Result<Replay, BackendError> {
        let mut queue = Queue::boxed(self.0);
        let mut values = vec![0; inputs.len()];
        inputs.chunks(4).zip(values.chunks_mut(4)).for_each(|(row, out)| queue.cycle(row, out));
        Ok(Replay { values, unknown: vec![] })
    }
}

fn rust(wraps: u64) -> Box<dyn Backend> {
    Box::new(Wrapping(wraps))
}

#[test]
fn equal_designs_agree_under_every_simulator() {
    for seed in 0..3 {
        run(vec![rust(256), verilator(QUEUE), icarus_backend(QUEUE)], seed).unwrap();
    }
}

#[test]
fn a_rust_design_that_wraps_too_early_is_found_and_shrunk() {
    let found = run(vec![rust(3), verilator(QUEUE), icarus_backend(QUEUE)], 1).unwrap_err();
    assert_eq!(found.ports.len(), 1);
    assert_eq!(found.ports[0].0, "taken");
    let port_value = |backend: &str, value: &str| (backend.to_string(), value.to_string());
    assert_eq!(
        found.ports[0].1,
        [port_value("model", "0x3"), port_value("rust", "0x0"), port_value("verilator", "0x3"), port_value("icarus", "0x3")]
    );
    // The failure needs three puts and three gets, each in its own cycle except the first and the last, and a reset before them.
    assert_eq!(found.minimal_cycles, 6, "{found}");
    let text = found.to_string();
    assert!(text.contains("queue/two, seed 1") && text.ends_with("repeat with: again 1"), "{text}");
    assert!(text.contains("put(data=0x0)") && found.minimal.len() <= 6, "{text}");
}

#[test]
fn a_wrong_verilog_text_is_found_by_both_of_its_simulators() {
    let wrong = QUEUE.replace("if (put & (level - {1'b0, get} == 2'd0)) head", "if (put & (level == 2'd0)) head");
    assert_ne!(wrong, QUEUE);
    for backend in [verilator(&wrong), icarus_backend(&wrong)] {
        let found = run(vec![rust(256), backend], 2).unwrap_err();
        assert_eq!(found.ports[0].0, "get_data", "{found}");
        assert!(found.minimal_cycles <= 8, "{found}");
    }
}

#[test]
fn a_register_without_reset_is_unknown_under_icarus_and_random_under_verilator() {
    let wrong = QUEUE.replace("taken <= 8'd0;", "");
    assert_ne!(wrong, QUEUE);
    let found = run(vec![icarus_backend(&wrong)], 3).unwrap_err();
    assert_eq!((found.cycle, found.ports[0].0.as_str()), (1, "taken"));
    assert_eq!(found.ports[0].1[1].1, "8'bxxxxxxxx");
    let found = run(vec![verilator(&wrong)], 3).unwrap_err();
    assert_eq!((found.cycle, found.ports[0].0.as_str()), (1, "taken"));
}

/// While nothing is offered, the value at `get_data` is don't care; it may also be unknown.
#[test]
fn a_payload_is_compared_where_it_means_something_and_only_there() {
    let shown = |text: &str| {
        let changed = QUEUE.replace("assign get_data = head;", &format!("assign get_data = {text};"));
        assert_ne!(changed, QUEUE);
        changed
    };
    for text in ["get_valid ? head : {40{taken[0]}}", "get_valid ? head : 40'bx"] {
        run(vec![rust(256), verilator(&shown(text)), icarus_backend(&shown(text))], 4).unwrap();
    }
    let found = run(vec![verilator(&shown("get_ready ? head : 40'd0"))], 4).unwrap_err();
    assert_eq!(found.ports.iter().map(|p| p.0.as_str()).collect::<Vec<_>>(), ["get_data"]);
}

/// A field that is significant only in some cycles of its channel: in this test `b` is significant while `a` is 2.
#[test]
fn a_field_is_compared_in_the_cycles_of_its_own_conditions() {
    let when = |port: &str, value| When { port: port.to_string(), values: vec![value] };
    let ports = vec![
        port("valid", Dir::Out, 1),
        Port { when: vec![when("valid", 1)], ..port("a", Dir::Out, 2) },
        Port { when: vec![when("valid", 1), when("a", 2)], ..port("b", Dir::Out, 8) },
    ];
    // Nothing is compared in the first cycle.
    let outputs = [[0, 0, 0], [0, 2, 7], [1, 1, 7], [1, 2, 7]];
    let mut recording = Recording::new(&ports);
    recording.outputs = outputs.concat();
    let first = |cycle: usize, output: usize| {
        let mut values = recording.outputs.clone();
        values[cycle * 3 + output] ^= 1;
        first_difference(&recording, &Replay { values, unknown: vec![] })
    };
    let counts: Vec<_> =
        (1..4).flat_map(|cycle| (0..3).map(move |output| (cycle, output))).filter(|(c, o)| first(*c, *o).is_some()).collect();
    assert_eq!(counts, [(1, 0), (2, 0), (2, 1), (3, 0), (3, 1), (3, 2)]);
    assert_eq!(first(3, 2), Some(Difference { cycle: 3, ports: vec![2] }));
}

#[test]
fn a_text_that_does_not_compile_says_which_tool_said_what() {
    let broken = design("module queue (input wire clock); assign x = ; endmodule");
    let Err(CosimError::ToolFailed { command, output, .. }) = Verilated::build(&broken, &folder("broken"), Optimisation::None)
    else {
        panic!("verilator takes a broken text");
    };
    assert!(command.starts_with("verilator") && output.contains("syntax error"), "{command}: {output}");
    let Err(CosimError::ToolFailed { command, output, .. }) = icarus::replay(&broken, &[1, 0, 0, 0], &folder("broken")) else {
        panic!("iverilog takes a broken text");
    };
    assert!(command.starts_with("iverilog") && output.contains("syntax error"), "{command}: {output}");
}

#[test]
fn a_stimulus_of_the_wrong_size_is_refused() {
    let refused = icarus::replay(&design(QUEUE), &[1, 0, 0], &folder("icarus"));
    assert!(matches!(refused, Err(CosimError::Shape { given: 3, inputs: 4, cycles: 0 })));
}

#[test]
fn a_word_that_is_read_while_it_is_written_is_unknown_under_icarus() {
    let mut memory = Ram::<Bits<4>, 2>::default();
    memory.connect_all();
    let options = verilog::Options::new("memory");
    let text = verilog::export(&memory, &options).unwrap();
    let names = [("write", 1), ("write_address", 2), ("write_value", 4), ("read", 1), ("read_address", 2)];
    let inputs = names.map(|(name, width)| port(name, Dir::In, width));
    let ports = inputs.into_iter().chain([port("read_value", Dir::Out, 4)]).collect();
    let design = Design { top: options.top, text, ports };
    // The word 9 is written in the first cycle, written again in the second while it is read, and only read in the third.
    let cycles = [[1, 3, 9, 0, 0], [1, 3, 9, 1, 3], [0, 0, 0, 1, 3], [0; 5]];
    let replayed = icarus::replay(&design, cycles.as_flattened(), &folder("collision")).unwrap();
    assert_eq!((replayed.ones[2], replayed.unknown[2]), (0, 15));
    assert_eq!((replayed.ones[3], replayed.unknown[3]), (9, 0));
}
