// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Signals that only pass on another signal: the text reads the other signal, unless a comment explains the copy.

use super::harness::*;
use crate::case;
use bcu_derive::block;
use bcu_hw::config::by_name;
use bcu_hw::export;
use bcu_hw::verilog::{export, Options};
use rust_hdl::prelude::*;

/// Some of its signals are copies.
#[block]
pub struct Copies {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub a: Signal<In, Bits<8>>,
    pub b: Signal<In, Bits<8>>,
    pub place: Signal<In, Bits<3>>,
    pub sum: Signal<Out, Bits<8>>,
    pub total: Signal<Out, Bits<8>>,
    pub is_odd: Signal<Out, Bit>,
    pub is_listed: Signal<Out, Bit>,
    /// A copy of the input.
    wide_a: Signal<Local, Bits<8>>,
    /// A copy of a copy.
    last_a: Signal<Local, Bits<8>>,
    /// A copy of an output.
    same_sum: Signal<Local, Bits<8>>,
    /// A copy of a register. It is read before the register changes.
    past: Signal<Local, Bits<8>>,
    #[init(Constant::new(0xa6.into()))]
    listed: Constant<Bits<8>>,
    #[reset]
    stored: DFF<Bits<8>>,
}

#[block]
impl Logic for Copies {
    fn update(&mut self) {
        self.wide_a.next = self.a.val();
        self.last_a.next = self.wide_a.val();
        self.sum.next = self.last_a.val() + self.b.val();
        self.same_sum.next = self.sum.val();
        self.past.next = self.stored.q.val();
        self.stored.d.next = self.same_sum.val() ^ self.past.val();
        self.total.next = (self.same_sum.val() & self.past.val()) + self.wide_a.val();
        self.is_odd.next = self.last_a.val().get_bit(0) ^ self.past.val().get_bit(0);
        self.is_listed.next = self.listed.val().get_bit(self.place.val().index());
    }
}

pub fn cases() -> Vec<Case> {
    vec![case!("copies", Copies, [reset, a, b, place], random(100, 4, 3), clock)]
}

#[test]
fn a_copy_has_the_name_of_its_source_unless_its_comment_explains_it() {
    let mut unit = Copies::default();
    unit.connect_all();
    let text = export(&unit, &Options::new("copies")).unwrap();
    for absent in ["wide_a", "last_a", "same_sum", "A copy of an output", "listed_2"] {
        assert!(!text.contains(absent), "{absent}\n{text}");
    }
    for present in ["assign sum = a + b;", "(sum & past) + a", "read before the register changes.", "Listed[place]"] {
        assert!(text.contains(present), "{present}\n{text}");
    }
}

#[test]
fn every_copy_in_an_export_has_a_comment_or_is_an_element_of_an_array() {
    let is_name = |text: &str| text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    for (config, unit) in [("default", "cluster"), ("default", "gather"), ("default", "named"), ("intel", "gateway")] {
        let text = export::text(&by_name(config).unwrap(), unit).unwrap();
        let mut previous = "";
        for line in text.lines().map(str::trim) {
            let declared = line.strip_prefix("wire ").and_then(|rest| rest.strip_suffix(';')?.split_once(" = "));
            if let Some((name, _)) = declared.filter(|(_, value)| is_name(value)) {
                let is_element = name.ends_with(|c: char| c.is_ascii_digit());
                assert!(previous.starts_with("//") || is_element, "{config} {unit}: {line}");
            }
            previous = line;
        }
    }
}
