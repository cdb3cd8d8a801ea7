// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Fields that are not built: in rust-hdl and in the text, a read of such a field is 0. The text contains no such field.

use super::harness::*;
use super::tools::{need, run, Scratch};
use bcu_derive::{block, payload};
use bcu_hw::export::options;
use bcu_hw::ports::Unit;
use bcu_hw::prelude::{Sink, Source, Strobe, StrobeOut};
use bcu_hw::unit::op::Form;
use bcu_hw::verilog::{export, Options};
use bcu_isa::config::{named, Config};
use rust_hdl::prelude::*;

/// A number with a form.
#[payload]
pub struct Word<N> {
    /// The number.
    pub number: Bits<N>,
    /// The form.
    pub form: Form,
}

/// Adds its inputs. It has registers, and a port that is never built.
#[block]
pub struct Sums<N> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub in_: Sink<Word<N>>,
    #[built(false && config.faults)]
    pub spoil: Signal<In, Bit>,
    pub sum: Signal<Out, Bits<N>>,
    pub last: StrobeOut<Word<N>>,
    pub full: [Signal<Out, Bit>; 2],
    #[reset]
    stored: DFF<Word<N>>,
    #[reset]
    received: DFF<Bit>,
}

#[block]
impl Logic for Sums {
    fn update(&mut self) {
        self.in_.ready.next = !self.spoil.val();
        self.received.d.next = self.in_.valid.val();
        if self.in_.valid.val() & !self.spoil.val() {
            self.stored.d.next.number = self.stored.q.val().number + self.in_.payload.val().number;
            self.stored.d.next.form = self.in_.payload.val().form;
        }
        self.sum.next = self.stored.q.val().number;
        self.last.valid.next = self.received.q.val();
        self.last.payload.next = self.stored.q.val();
        self.full[0].next = self.stored.q.val().number.all();
        self.full[1].next = self.stored.q.val().number.any();
    }
}

/// One `Sums`; and, only if reductions are built, two more with the ports and registers that belong
/// to them.
#[block(unit = "unbuilt")]
pub struct Unbuilt<N> {
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    pub in_: Sink<Word<N>>,
    #[built(config.reductions)]
    pub more: Sink<Word<N>>,
    /// 1 = a word on `more` is accepted.
    #[built(config.reductions)]
    pub open: Signal<In, Bit>,
    /// The sum of `first`, changed by the other parts if they are built.
    pub sum: Signal<Out, Bits<N>>,
    pub last: StrobeOut<Word<N>>,
    #[built(config.reductions)]
    pub last_more: StrobeOut<Word<N>>,
    /// Number of words on `more` that `second` has accepted.
    #[built(config.reductions)]
    pub count: Signal<Out, Bits<N>>,
    pub out: Source<Word<N>>,
    #[init(Sums::new(config))]
    first: Sums<N>,
    #[built(config.reductions)]
    #[init([Sums::new(config), Sums::new(config)])]
    second: [Sums<N>; 2],
    #[built(config.reductions)]
    #[reset]
    counter: DFF<Bits<N>>,
    any_open: Signal<Local, Bit>,
    only_of_second: Signal<Local, Bits<N>>,
}

#[block]
impl Logic for Unbuilt {
    fn update(&mut self) {
        self.first.spoil.next = self.reset.val();
        self.first.in_.valid.next = self.in_.valid.val() & self.out.ready.val();
        self.first.in_.payload.next = self.in_.payload.val();
        self.in_.ready.next = self.first.in_.ready.val() & self.out.ready.val();
        for i in 0..2 {
            self.second[i].in_.valid.next = self.more.valid.val() & self.open.val();
            self.second[i].in_.payload.next = self.more.payload.val();
        }
        self.more.ready.next = self.open.val() & self.second[0].in_.ready.val();
        self.any_open.next = self.more.valid.val() & self.more.ready.val();
        if self.any_open.val() {
            self.counter.d.next = self.counter.q.val() + 1;
        }
        self.count.next = self.counter.q.val();
        self.only_of_second.next = self.count.val() ^ self.second[1].sum.val();
        self.sum.next = self.first.sum.val() | self.only_of_second.val();
        Strobe::join(&mut self.first.last, &mut self.last);
        Strobe::join(&mut self.second[1].last, &mut self.last_more);
        self.out.valid.next = (self.first.full[1].val() & !self.first.full[0].val()) | self.second[0].full[0].val();
        self.out.payload.next.number = self.second[0].sum.val() + self.first.sum.val();
        self.out.payload.next.form = Form::Raw;
        match self.second[1].last.payload.val().form {
            Form::Aligned => self.out.payload.next.form = Form::Gathered,
            Form::Elect => self.out.payload.next.number = self.counter.q.val(),
            _ => self.out.payload.next.form = self.second[0].last.payload.val().form,
        }
    }
}

fn config(reductions: bool) -> Config {
    Config { reductions, ..named("tiny").unwrap() }
}

/// Rows with rare resets, and with payloads whose form has a valid value.
fn rows(payloads: &[usize], width: usize) -> Vec<Row> {
    let sound = |(at, mut row): (usize, Row)| {
        row[0] = u128::from(at % 16 == 0);
        payloads.iter().for_each(|place| row[*place] = row[*place] % (16 * Form::ALL.len() as u128));
        row
    };
    random(300, width, 5).into_iter().enumerate().map(sound).collect()
}

fn word(value: u128) -> Word<4> {
    Word { number: FromRow::from_row(value), form: Form::ALL[(value >> 4) as usize] }
}

type U = Unbuilt<4>;
type Set = fn(&mut U, u128);

const FIRST: [Set; 3] = [
    |u, v| u.reset.next = FromRow::from_row(v),
    |u, v| u.in_.valid.next = FromRow::from_row(v),
    |u, v| u.in_.payload.next = word(v),
];
const SECOND: [Set; 3] = [
    |u, v| u.more.valid.next = FromRow::from_row(v),
    |u, v| u.more.payload.next = word(v),
    |u, v| u.open.next = FromRow::from_row(v),
];
const LAST: [Set; 1] = [|u, v| u.out.ready.next = FromRow::from_row(v)];

fn with(name: &'static str, reductions: bool) -> Case {
    let (payloads, inputs): (&[usize], _) = match reductions {
        true => (&[2, 4], [&FIRST[..], &SECOND, &LAST].concat()),
        false => (&[2], [&FIRST[..], &LAST].concat()),
    };
    let make = move || U::new(&config(reductions));
    case(name, Expect::Agree, make, rows(payloads, inputs.len()), &inputs, Some(|u, level| u.clock.next = level.into()))
}

pub fn cases() -> Vec<Case> {
    vec![with("all_built", true), with("unbuilt", false)]
}

fn printed(reductions: bool) -> String {
    let mut unit = Unbuilt::<4>::new(&config(reductions));
    unit.connect_all();
    export(&unit, &options(&unit)).unwrap()
}

#[test]
fn nothing_of_it_is_in_the_text() {
    let (full, reduced) = (printed(true), printed(false));
    for name in ["second", "counter", "more", "open", "any_open", "count", "only_of_second"] {
        assert!(full.contains(name) && !reduced.contains(name), "{name}\n{reduced}");
    }
    assert!(
        !full.contains("spoil") && !reduced.contains("unused") && !reduced.contains("lint_off UNUSED"),
        "{full}\n{reduced}"
    );
    assert!(reduced.contains("assign sum = first_sum;") || reduced.contains(".sum(sum)"), "{reduced}");
}

#[test]
fn its_ports_are_in_no_table() {
    let names = |reductions| Unbuilt::<4>::new(&config(reductions)).ports().into_iter().map(|p| p.name).collect::<Vec<_>>();
    let (full, reduced) = (names(true), names(false));
    let absent: Vec<_> = full.iter().filter(|name| !reduced.contains(name)).map(String::as_str).collect();
    let more = ["more_valid", "more_ready", "more_number", "more_form", "open"];
    assert_eq!(absent, [&more[..], &["last_more_valid", "last_more_number", "last_more_form", "count"]].concat());
    // Values are applied to the ports that are built, in their order.
    let mut unit = Unbuilt::<4>::new(&config(false));
    unit.connect_all();
    unit.drive(&[0, 1, 5, 2, 1]);
    for level in [true, false] {
        unit.set_clock(level);
        (0..10).for_each(|_| unit.update_all());
    }
    let mut outputs = [9; 8];
    unit.sample(&mut outputs);
    assert_eq!(outputs, [1, 5, 1, 5, 2, 1, 5, 0], "{reduced:?}");
}

#[test]
fn what_is_left_is_lint_clean() {
    ["verilator", "iverilog", "yosys"].iter().for_each(|tool| need(tool, tool));
    let scratch = Scratch::new("lint-unbuilt");
    let top = Options::new("unbuilt").top;
    scratch.write("unbuilt.v", &printed(false));
    for command in [
        format!("verilator --lint-only -Wall --top-module {top} -Wno-DECLFILENAME unbuilt.v"),
        "iverilog -g2005 -Wall -Wno-timescale -o run unbuilt.v".to_string(),
        format!("yosys -q -p 'read_verilog unbuilt.v; hierarchy -check -top {top}; proc; flatten; opt; check -assert'"),
    ] {
        assert_eq!(run(&scratch, &command), "", "{command}\n{}", printed(false));
    }
}
