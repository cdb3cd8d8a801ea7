// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Unknown unit names and sizes are refused, and hardware and model have the same numbers for kinds and faults. Every lockstep run
//! compares the ports.

use super::bench::tiny;
use bcu_isa::op::{FaultCode, OpKind};
use bcu_model::op::{Code, Kind};
use bcu_model::{by_name, Sizes};

#[test]
fn no_unit_of_another_name() {
    assert!(by_name("crossbar", tiny()).is_none());
}

#[test]
fn sizes_that_cannot_be_built_say_what_is_expected() {
    let error = |w, l, c, i| Sizes::new(w, l, c, i, 4, 2).unwrap_err().to_string();
    assert_eq!(error(0, 4, 1, 4), "warps = 0: expected 1 to 64");
    assert_eq!(error(128, 4, 1, 4), "warps = 128: expected 1 to 64");
    assert_eq!(error(4, 0, 1, 4), "lanes = 0: expected 1 to 64");
    assert_eq!(error(4, 4, 65, 4), "cta_slots = 65: expected 1 to 64");
    assert_eq!(error(4, 4, 1, 32), "barriers = 32: expected 0 to 16");
    assert_eq!(Sizes::new(4, 4, 1, 4, 8, 2).unwrap_err().to_string(), "pack_lsb = 8: expected 4 or 16");
    let accesses = Sizes::new(4, 4, 1, 4, 4, 7).unwrap().with_accesses_per_cycle(4).unwrap_err().to_string();
    assert_eq!(accesses, "accesses_per_cycle = 4: expected 1 to half of max_outstanding, which is 7, and at most 4");
    assert_eq!(Sizes::new(4, 4, 1, 4, 4, 1).unwrap_err().to_string(), "max_outstanding: expected at least 2");
}

#[test]
fn kinds_and_faults_are_those_of_the_hardware() {
    let hardware: Vec<_> = OpKind::ALL.iter().map(|k| (format!("{k:?}"), *k as u64)).collect();
    let model: Vec<_> = Kind::ALL.iter().map(|k| (format!("{k:?}"), k.value())).collect();
    assert_eq!(model, hardware);
    let hardware: Vec<_> = FaultCode::ALL.iter().map(|c| (format!("{c:?}"), *c as u64)).collect();
    let model: Vec<_> = Code::ALL.iter().map(|c| (format!("{c:?}"), c.value())).collect();
    assert_eq!(model, hardware);
    assert!(Code::ALL.iter().all(|code| Code::from_value(code.value()) == *code));
    assert_eq!(Code::from_value(41), Code::None);
}
