// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Names of values that `update` assigns to a signal before its last value, and names that two signals would share. Only bits and elements
//! of arrays have a number after `_`.

use super::harness::*;
use crate::case;
use bcu_derive::block;
use bcu_hw::config::by_name;
use bcu_hw::export;
use bcu_hw::verilog::{export, Options};
use rust_hdl::prelude::*;
use std::collections::BTreeMap;

/// Has an input of a name that its user also gives a port.
#[block]
pub struct Adder {
    pub sum: Signal<In, Bits<8>>,
    pub valid: Signal<Out, Bits<8>>,
}

#[block]
impl Logic for Adder {
    fn update(&mut self) {
        self.valid.next = self.sum.val() + 1;
    }
}

/// Computes some of its signals in several statements.
#[block]
pub struct Statements {
    pub a: Signal<In, Bits<8>>,
    pub b: Signal<In, Bits<8>>,
    pub c: Signal<In, Bits<4>>,
    pub last: Signal<Out, Bits<8>>,
    pub unit_valid: Signal<Out, Bits<8>>,
    pub both: [Signal<Out, Bits<8>>; 2],
    pub doubled: Signal<Out, Bits<8>>,
    pub halves: Signal<Out, Bits<4>>,
    unit: Adder,
    total: Signal<Local, Bits<8>>,
    once: Signal<Local, Bits<8>>,
    half: Signal<Local, Bits<4>>,
}

#[block]
impl Logic for Statements {
    fn update(&mut self) {
        self.once.next = self.a.val() ^ self.b.val();
        if self.c.val().get_bit(0) {
            self.once.next = self.a.val();
        }
        self.total.next = self.a.val() & self.once.val();
        self.both[0].next = self.total.val() + 1;
        if self.c.val().get_bit(1) {
            self.total.next = self.total.val() + self.b.val();
        }
        self.both[1].next = self.total.val() + 2;
        if self.c.val().get_bit(2) {
            self.total.next = self.total.val() ^ self.b.val();
        }
        self.last.next = self.total.val() | self.b.val();
        self.doubled.next = self.total.val() + self.total.val();
        self.unit.sum.next = self.total.val();
        self.unit_valid.next = self.unit.valid.val() + 1;
        self.half.next = 0.into();
        for i in 0..4 {
            self.half.next = self.half.val().replace_bit(i, self.a.val().get_bit(i) ^ self.c.val().get_bit(3 - i));
        }
        self.halves.next = self.half.val();
    }
}

pub fn cases() -> Vec<Case> {
    vec![case!("statements", Statements, [a, b, c], random(200, 3, 7))]
}

#[test]
fn an_interim_value_has_a_name_that_says_so() {
    let mut unit = Statements::default();
    unit.connect_all();
    let text = export(&unit, &Options::new("statements")).unwrap();
    for present in ["wire [7:0] total_interim = a & once;", "total_interim2 = c[1] ?", "assign both_0 = total_interim + 8'd1"] {
        assert!(text.contains(present), "{present}\n{text}");
    }
    for absent in ["once_interim", "total_1", "total_2", "unit_valid_2"] {
        assert!(!text.contains(absent), "{absent}\n{text}");
    }
    assert!(text.contains("unit_valid_pin"), "{text}");
}

/// The names that a line declares, with the range of their bits.
fn declared(line: &str) -> Option<(&str, &str)> {
    let rest = ["wire ", "reg ", "input  wire ", "output wire "].iter().find_map(|kind| line.trim().strip_prefix(kind))?;
    let (range, rest) = match rest.trim().strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((range, rest)) => (range, rest.trim()),
        None => ("", rest.trim()),
    };
    Some((rest.split([' ', ';', ',']).next()?, range))
}

#[test]
fn no_number_makes_a_name_differ_from_that_of_an_equally_wide_signal() {
    let units =
        [("default", "cluster"), ("default", "gather"), ("default", "named"), ("intel", "gateway"), ("small", "mem_order")];
    for (config, unit) in units {
        let text = export::text(&by_name(config).unwrap(), unit).unwrap();
        for module in text.split("\nendmodule") {
            let names: BTreeMap<&str, &str> = module.lines().filter_map(declared).collect();
            let instance = |line: &str| line.strip_prefix("  bcu_")?.split_once(' ')?.1.strip_suffix(" (").map(str::to_string);
            for name in names.keys().map(ToString::to_string).chain(module.lines().filter_map(instance)) {
                let Some((stem, number)) = name.rsplit_once('_') else { continue };
                let is_number = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
                // A bit of a vector is narrower than the vector, and an array has an element 0.
                let is_number = is_number && !names.contains_key(format!("{stem}_0").as_str());
                let same = names.get(stem).filter(|range| names.get(name.as_str()).is_none_or(|own| own == *range));
                assert!(!is_number || same.is_none(), "{config} {unit}: {name} beside {stem}");
            }
        }
    }
}
