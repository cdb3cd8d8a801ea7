// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Registers that never change: the text has neither them nor the fields of structures that have their values.

use super::harness::*;
use crate::case;
use bcu_derive::{block, payload};
use bcu_hw::config::by_name;
use bcu_hw::export;
use bcu_hw::verilog::{export, Options};
use rust_hdl::prelude::*;

/// Two numbers that are used, with a mask that is 0 in every cycle.
#[payload]
pub struct Pair {
    /// The first number.
    pub low: Bits<4>,
    /// 0.
    pub mask: Bits<6>,
    /// The second number.
    pub upper: Bits<5>,
}

/// Holds a pair for a cycle.
#[block]
pub struct Stage {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub enters: Signal<In, Bit>,
    pub pair: Signal<In, Pair>,
    pub held: Signal<Out, Pair>,
    #[reset]
    stored: DFF<Pair>,
}

#[block]
impl Logic for Stage {
    fn update(&mut self) {
        if self.enters.val() {
            self.stored.d.next = self.pair.val();
        }
        self.held.next = self.stored.q.val();
    }
}

/// Two stages. Some of its other registers never change, and some do in a way that looks alike.
#[block]
pub struct Stages {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub enters: Signal<In, Bit>,
    pub low: Signal<In, Bits<4>>,
    pub upper: Signal<In, Bits<5>>,
    pub sum: Signal<Out, Bits<6>>,
    pub same_sum: Signal<Out, Bits<6>>,
    pub counted: Signal<Out, Bits<8>>,
    pub loaded: Signal<Out, Bits<3>>,
    pub cleared: Signal<Out, Bits<3>>,
    first: Stage,
    second: Stage,
    /// Counts events that do not occur.
    #[reset]
    event_count: DFF<Bits<8>>,
    /// Is 0 until the first load, then 3.
    load_mark: DFF<Bits<3>>,
    /// Is 5 after a reset and 0 after the next load.
    reset_mark: DFF<Bits<3>>,
    event: Signal<Local, Bit>,
}

#[block]
impl Logic for Stages {
    fn update(&mut self) {
        self.event.next = self.second.held.val().mask.any();
        self.first.enters.next = self.enters.val();
        self.first.pair.next.low = self.low.val();
        self.first.pair.next.mask = 0.into();
        self.first.pair.next.upper = self.upper.val();
        self.second.enters.next = self.enters.val() & !self.event.val();
        self.second.pair.next = self.first.held.val();
        self.sum.next = bit_cast::<6, 4>(self.second.held.val().low) + bit_cast::<6, 5>(self.second.held.val().upper);
        self.same_sum.next = self.sum.val() | self.second.held.val().mask;
        if self.event.val() {
            self.event_count.d.next = self.event_count.q.val() + 1;
        }
        self.counted.next = self.event_count.q.val();
        if self.enters.val() {
            self.load_mark.d.next = 3.into();
            self.reset_mark.d.next = 0.into();
        }
        if self.reset.val() {
            self.reset_mark.d.next = 5.into();
        }
        self.loaded.next = self.load_mark.q.val();
        self.cleared.next = self.reset_mark.q.val();
    }
}

pub fn cases() -> Vec<Case> {
    vec![case!("stages", Stages, [reset, enters, low, upper], random(200, 4, 11), clock)]
}

#[test]
fn they_and_fields_with_their_values_are_not_in_the_text() {
    let mut unit = Stages::default();
    unit.connect_all();
    let text = export(&unit, &Options { structures: true, ..Options::new("stages") }).unwrap();
    for absent in ["mask", "event", "6'd0", "unused"] {
        assert!(!text.contains(absent), "{absent}\n{text}");
    }
    for present in ["Bits: [8:4] upper, [3:0] low", ".pair(first_held)", "load_mark_q <= 3'd3", "reset_mark_q <= 3'd5"] {
        assert!(text.contains(present), "{present}\n{text}");
    }
}

/// The name of a register that a statement of a process assigns a constant, and the constant.
fn assigned_constant(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.trim().rsplit_once(" <= ")?;
    let name = name.rsplit(' ').next()?;
    Some((name, value.strip_suffix(';')?)).filter(|(_, value)| value.contains('\'') && !value.contains(['{', ' ']))
}

#[test]
fn every_register_of_an_export_is_assigned_more_than_one_value() {
    for (config, unit) in [("default", "gather"), ("default", "named"), ("intel", "gather"), ("small", "mem_order")] {
        let text = export::text(&by_name(config).unwrap(), unit).unwrap();
        for module in text.split("\nendmodule") {
            let values = |register: &str| -> Vec<&str> {
                let assigns =
                    |line: &&str| line.contains(&format!(" {register} <= ")) || line.contains(&format!(" {register}["));
                module.lines().filter(assigns).collect()
            };
            for (register, value) in module.lines().filter_map(assigned_constant) {
                let others = values(register).into_iter().filter(|line| assigned_constant(line) != Some((register, value)));
                assert!(others.count() > 0, "{config} {unit}: {register} is assigned only {value}");
            }
        }
    }
}
