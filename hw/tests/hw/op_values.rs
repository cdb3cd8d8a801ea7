// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The values of an operation have, at the ports, the numbers and names of the documents.

use bcu_hw::unit::op::*;
use rust_hdl::prelude::Synth;

#[test]
fn every_variant_stands_at_its_value() {
    assert!(OpKind::ALL.iter().enumerate().all(|(i, k)| *k as usize == i));
    assert!(FaultCode::ALL.iter().enumerate().all(|(i, c)| *c as usize == i));
    assert!(RedOp::ALL.iter().enumerate().all(|(i, r)| *r as usize == i));
    assert!(Reduction::ALL.iter().enumerate().all(|(i, r)| *r as usize == i));
    assert!(StateWord::ALL.iter().enumerate().all(|(i, s)| *s as usize == i));
    assert!(FaultPolicy::ALL.iter().enumerate().all(|(i, p)| *p as usize == i));
    assert_eq!((OpKind::BITS, FaultCode::BITS), (4, 6));
    assert_eq!((RedOp::BITS, Reduction::BITS, StateWord::BITS, FaultPolicy::BITS), (2, 2, 2, 2));
    assert_eq!((OpKind::ALL.len(), FaultCode::ALL.len()), (16, 41));
}
