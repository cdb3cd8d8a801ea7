// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The text itself: lint-clean, one module for equal blocks, legal names, comments, the same bytes every time.

use super::states::{Barriers, Entry, Handshake};
use super::tools::{attempt, need, run, Scratch};
use super::{expressions, reductions, shapes, structure, types_and_time};
use bcu_derive::block;
use bcu_hw::export::options;
use bcu_hw::ports::Unit;
use bcu_hw::verilog::{export, Options, PrintError};
use rust_hdl::prelude::*;
use std::collections::BTreeSet;

fn printed<U: Block + Default>(options: &Options) -> String {
    let mut unit = U::default();
    unit.connect_all();
    export(&unit, options).unwrap()
}

fn refused<U: Block + Default>() -> Vec<PrintError> {
    let mut unit = U::default();
    unit.connect_all();
    export(&unit, &Options::new("unit")).unwrap_err()
}

fn modules(text: &str) -> Vec<&str> {
    text.lines().filter_map(|l| l.strip_prefix("module ")).map(|l| l.trim_end_matches(['(', ';', ' '])).collect()
}

/// Checks that the text is clean under `verilator -Wall` without a waiver, under Icarus in Verilog-2005 mode and
/// under yosys without `-sv`.
fn lint<U: Block + Default>(name: &str) {
    need("verilator", "verilator");
    need("iverilog", "iverilog");
    need("yosys", "yosys");
    let scratch = Scratch::new(&format!("lint-{name}"));
    let text = printed::<U>(&Options::new(name));
    let file = format!("bcu_{name}.v");
    scratch.write(&file, &text);
    let commands = [
        format!("verilator --lint-only -Wall {file}"),
        format!("iverilog -g2005 -Wall -o run {file}"),
        format!("yosys -q -p 'read_verilog {file}; hierarchy -check -top bcu_{name}; proc; flatten; opt; check -assert'"),
    ];
    for command in commands {
        let log = run(&scratch, &command);
        assert_eq!(log, "", "{command}\n{text}");
    }
}

#[test]
fn well_written_units_are_lint_clean() {
    lint::<Barriers>("barriers");
    lint::<Handshake>("handshake");
    lint::<Wide>("wide");
    lint::<FromRegisters>("from_registers");
    lint::<Peek>("peek");
    lint::<reductions::TabDff<16, 4, 8>>("table");
    lint::<reductions::TabDff<64, 6, 8>>("long_table");
    lint::<reductions::PopAddBit<32, 6>>("popcount");
    lint::<shapes::Depths>("depths");
    lint::<structure::JoinArr>("joined");
    lint::<types_and_time::EnumFsm>("states");
    lint::<types_and_time::StructRw>("fields");
    lint::<expressions::CmpWide1>("wraps");
}

/// A unit as large as the largest real units: 144-bit words, and 64 steps, each of which needs the result of the step before.
#[derive(LogicBlock, Default)]
pub struct Wide {
    pub clock: Signal<In, Clock>,
    pub mask: Signal<In, Bits<64>>,
    pub data: Signal<In, Bits<144>>,
    pub count: Signal<Out, Bits<7>>,
    pub first: Signal<Out, Bits<6>>,
    pub stored: Signal<Out, Bits<144>>,
    pub upper: Signal<Out, Bits<9>>,
    total: Signal<Local, Bits<7>>,
    word: DFF<Bits<144>>,
}

impl Logic for Wide {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, word);
        self.total.next = 0.into();
        self.first.next = 0.into();
        for i in 0_usize..64 {
            if self.mask.val().get_bit(i) {
                self.total.next = self.total.val() + 1;
            }
            if self.mask.val().get_bit(63 - i) {
                self.first.next = (63 - i).to_bits();
            }
        }
        self.count.next = self.total.val();
        if self.mask.val().any() {
            self.word.d.next = (self.word.q.val() ^ self.data.val()) + 1;
        }
        self.stored.next = self.word.q.val();
        self.upper.next = (self.word.q.val() + self.data.val()).get_bits::<9>(131);
    }
}

/// Reads only registers that stay at their initial value: a process with `always @*` would never
/// start.
#[block(unit = "from_registers")]
pub struct FromRegisters {
    pub clock: Signal<In, Clock>,
    /// Clears the count.
    #[group("control")]
    pub reset: Signal<In, Bit>,
    /// Takes one, if ready.
    pub take: Signal<In, Bit>,
    /// Fewer than nine are taken.
    #[group("state")]
    pub ready: Signal<Out, Bit>,
    count: DFF<Bits<4>>,
}

impl Logic for FromRegisters {
    #[hdl_gen]
    fn update(&mut self) {
        self.ready.next = true;
        if self.count.q.val() == 9 {
            self.ready.next = false;
        }
        if self.take.val() & self.ready.val() {
            self.count.d.next = self.count.q.val() + 1;
        }
        if self.reset.val() {
            self.count.d.next = 0.into();
        }
    }
}

/// Uses only one of the outputs of its child.
#[derive(LogicBlock)]
pub struct Peek {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub is_hit: Signal<In, Bit>,
    pub done: Signal<Out, Bit>,
    full: Constant<Bits<7>>,
    entry: Entry,
}

impl Default for Peek {
    fn default() -> Self {
        Peek {
            clock: Signal::default(),
            reset: Signal::default(),
            is_hit: Signal::default(),
            done: Signal::default(),
            full: Constant::new(32.into()),
            entry: Entry::default(),
        }
    }
}

impl Logic for Peek {
    #[hdl_gen]
    fn update(&mut self) {
        self.entry.clock.next = self.clock.val();
        self.entry.reset.next = self.reset.val();
        self.entry.is_hit.next = self.is_hit.val();
        self.entry.mask.next = 1.into();
        self.entry.expected.next = self.full.val();
        self.done.next = self.entry.done.val();
    }
}

#[test]
fn registers_alone_are_enough_at_time_zero() {
    need("iverilog", "iverilog");
    let scratch = Scratch::new("time-zero");
    scratch.write("unit.v", &printed::<FromRegisters>(&Options::new("unit")));
    scratch.write(
        "tb.v",
        "module tb; wire ready; bcu_unit dut (.clock(1'b0), .reset(1'b0), .take(1'b0), .ready(ready));
         initial begin #1 $display(\"%b\", ready); end endmodule",
    );
    assert_eq!(run(&scratch, "iverilog -g2005 -o run tb.v unit.v && vvp -n run").trim(), "1");
}

#[test]
fn equal_blocks_are_one_module() {
    let text = printed::<Barriers>(&Options::new("barriers"));
    assert_eq!(modules(&text), ["bcu_barriers", "bcu_barriers_entries"]);
    assert_eq!(text.matches("bcu_barriers_entries entries_").count(), 16);
    let text = printed::<shapes::Depths>(&Options::new("depths"));
    assert_eq!(modules(&text).len(), 3, "top, Mid, and the Leaf that is instantiated in Mid and in the top: {text}");
}

#[test]
fn every_module_has_the_prefix_and_the_top_its_given_name() {
    assert_eq!(Options::new("named").top, "bcu_named");
    assert_eq!(Options::new("bcu").top, "bcu");
    let text = printed::<Barriers>(&Options::new("barriers").top("my_barriers"));
    assert_eq!(modules(&text), ["my_barriers", "bcu_my_barriers_entries"]);
    let mut unit = Barriers::default();
    unit.connect_all();
    for bad in ["", "3x", "a-b", "module", "a$b"] {
        let errors = export(&unit, &Options::new("x").top(bad)).unwrap_err();
        assert!(errors[0].to_string().contains("not a Verilog identifier"), "{bad}");
    }
}

#[test]
fn header_and_port_comments_stand_in_the_text() {
    let mut options = Options::new("barriers").header(["Configuration small", "SPDX-License-Identifier: Apache-2.0 OR MIT"]);
    options.port_docs.insert("id".to_string(), "Barrier, 0 to 15.".to_string());
    let text = printed::<Barriers>(&options);
    assert!(text.starts_with(
        "// Configuration small\n// SPDX-License-Identifier: Apache-2.0 OR MIT\n// verilator lint_off TIMESCALEMOD\n"
    ));
    let id = text.lines().find(|l| l.contains(" id,")).unwrap();
    assert_eq!(id.split_whitespace().collect::<Vec<_>>().join(" "), "input wire [3:0] id, // Barrier, 0 to 15.");
    assert!(
        text.contains("`default_nettype none\n")
            && text.ends_with("`default_nettype wire\n// verilator lint_on TIMESCALEMOD\n")
    );
}

#[test]
fn a_unit_prints_with_the_comments_of_its_port_table() {
    let mut unit = FromRegisters::default();
    unit.connect_all();
    let text = export(&unit, &options(&unit).header(["Configuration small"])).unwrap();
    assert!(text.starts_with("// Configuration small\n") && modules(&text) == ["bcu_from_registers"]);
    for port in unit.ports() {
        let named =
            |line: &&str| line.split("//").next().unwrap().trim_end_matches([' ', ',']).ends_with(&format!(" {}", port.name));
        let line = text.lines().find(named).unwrap();
        assert!(line.ends_with(&format!("// {}", port.doc)), "{line}");
    }
}

#[block]
pub struct Commented {
    pub clock: Signal<In, Clock>,
    /// What is counted…
    pub take: Signal<In, Bit>,
    pub count: Signal<Out, Bits<4>>,
    /// Those so far.
    total: DFF<Bits<4>>,
    /// One more than there were so far, in more words than a line of the text has columns for, so that it is on two, without
    /// what only Rust reads of [`FromRegisters`].
    next: Signal<Local, Bits<4>>,
    /// The same, elsewhere.
    inner: FromRegisters,
}

impl Logic for Commented {
    #[hdl_gen]
    fn update(&mut self) {
        self.inner.reset.next = false;
        self.inner.take.next = self.take.val();
        self.next.next = self.total.q.val() + 1;
        self.count.next = self.next.val();
        if self.take.val() & self.inner.ready.val() {
            self.total.d.next = self.next.val();
        }
    }
}

#[test]
fn doc_comments_stand_where_their_field_is_declared() {
    let text = printed::<Commented>(&Options::new("commented"));
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let above =
        |line: &str| lines[lines.iter().position(|l| l.starts_with(line)).unwrap_or_else(|| panic!("{line}: {text}")) - 1];
    assert_eq!(above("reg [3:0] total"), "// Those so far.");
    assert_eq!(above("wire [3:0] next"), "// that it is on two, without what only Rust reads of `FromRegisters`.");
    assert_eq!(above("bcu_commented_from_registers inner"), "// The same, elsewhere.");
    assert!(text.contains(" take,   // What is counted...\n"), "{text}");
    // The comment above the module is the text at the top of its file.
    assert!(text.contains("\n// The text itself: lint-clean"), "{text}");
    assert!(text.is_ascii());
}

#[test]
fn the_same_block_gives_the_same_bytes() {
    let options = Options::new("barriers");
    let texts: BTreeSet<String> = (0..5).map(|_| printed::<Barriers>(&options)).collect();
    assert_eq!(texts.len(), 1);
    let mut unit = Barriers::default();
    unit.connect_all();
    unit.valid.next = true;
    unit.expected.next = 3.into();
    for level in [false, true, false, true] {
        unit.clock.next = level.into();
        simulate(&mut unit, 100);
    }
    assert!(texts.contains(&export(&unit, &options).unwrap()), "a simulated block prints as a fresh one");
}

#[test]
fn only_used_constants_are_declared() {
    let text = printed::<types_and_time::EnumEq>(&Options::new("unit"));
    assert_eq!(text.matches("localparam").count(), 3);
    let text = printed::<types_and_time::StructRw>(&Options::new("unit"));
    assert_eq!(text.matches("localparam").count(), 1, "{text}");
    assert!(text.contains("localparam [1:0] StRun = 2'd1;"));
}

#[test]
fn keywords_are_renamed_and_the_text_still_compiles() {
    let text = printed::<structure::Kw1>(&Options::new("unit"));
    assert!(text.contains("input  wire release_"), "{text}");
    let text = printed::<structure::Kw3>(&Options::new("unit"));
    assert!(text.contains("bcu_unit_table table_ ("), "{text}");
    let text = printed::<structure::KwSv>(&Options::new("unit"));
    assert!(text.contains("wire priority_ = !a;"), "{text}");
}

#[test]
fn no_process_is_combinational() {
    for text in [printed::<Barriers>(&Options::new("a")), printed::<Handshake>(&Options::new("b"))] {
        let processes: Vec<&str> = text.lines().filter(|l| l.contains("always")).map(str::trim).collect();
        assert!(!processes.is_empty(), "{text}");
        assert!(processes.iter().all(|process| *process == "always @(posedge clock) begin"), "{text}");
    }
}

#[test]
fn long_loops_give_a_short_text() {
    let mut unit = Wide::default();
    unit.connect_all();
    let text = export(&unit, &Options::new("wide")).unwrap();
    assert!(text.len() < 20_000, "{} bytes", text.len());
}

#[derive(LogicBlock, Default)]
pub struct Two {
    pub a: Signal<In, Bit>,
    pub y: Signal<Out, Bit>,
    deep: [structure::CondDriven; 2],
}

impl Logic for Two {
    #[hdl_gen]
    fn update(&mut self) {
        for i in 0_usize..2 {
            self.deep[i].a.next = self.a.val();
        }
        self.y.next = self.deep[0].y.val() & self.deep[1].y.val();
    }
}

#[test]
fn refusals_name_block_signal_reason_and_remedy() {
    let errors = refused::<Two>();
    let blocks: Vec<&str> = errors.iter().map(|e| e.block.as_str()).collect();
    assert_eq!(blocks, ["bcu_unit.deep[0]", "bcu_unit.deep[1]"]);
    assert_eq!(
        errors[0].to_string(),
        "block `bcu_unit.deep[0]`, `y`: only some paths through `update` assign it, so it would be a latch; \
         give it a default at the top of `update`, above every `if` and `match`"
    );
    assert_eq!(
        refused::<structure::RealLoop>()[0].reason,
        "it depends on itself without a register between: t.z <- t.x <- s.z <- s.x <- t.z"
    );
    let unconnected = export(&reductions::TabLut::<4, 8>::default(), &Options::new("unit")).unwrap_err();
    assert!(unconnected[0].help.contains("connect_all()"), "{unconnected:?}");
}

#[derive(LogicBlock, Default)]
pub struct Bidirectional {
    pub pin: Signal<InOut, Bits<4>>,
}

impl Logic for Bidirectional {
    fn update(&mut self) {}
}

#[derive(LogicBlock, Default)]
pub struct Undescribed {
    pub a: Signal<In, Bit>,
    pub y: Signal<Out, Bit>,
}

impl Logic for Undescribed {
    fn update(&mut self) {
        self.y.next = self.a.val();
    }
    fn connect(&mut self) {
        self.y.connect();
    }
}

#[test]
fn what_has_no_text_is_refused() {
    assert!(refused::<Bidirectional>()[0].to_string().contains("`pin`: bidirectional"));
    assert!(refused::<Undescribed>()[0].to_string().contains("`y`: no `update` or `hdl()` drives it"));
    let list = vec![Handshake::default(), Handshake::default()];
    assert!(export(&list, &Options::new("unit")).unwrap_err()[0].reason.contains("list of blocks"));
}

#[test]
fn a_text_with_an_error_is_seen_by_these_tests() {
    need("iverilog", "iverilog");
    let scratch = Scratch::new("control");
    scratch.write("unit.v", &printed::<FromRegisters>(&Options::new("unit")).replace("wire ready", "reg ready"));
    assert!(!attempt(&scratch, "iverilog -g2005 -o run unit.v").0);
}
