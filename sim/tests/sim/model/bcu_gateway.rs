// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `bcu` with the gateway instead of `named`: `docs/contract/gateway.md`, *In `bcu`*.

use super::bcu::{force, issue, launched, FAULT};
use super::bench::intel_tiny;
use super::decode::immediate;
use bcu_isa::asm::assemble;
use bcu_isa::instr;
use bcu_model::bench::Bench;
use bcu_model::latency::BCU_GATEWAY_RELEASE;
use bcu_model::op::Code;

const RELEASE: [&str; 5] =
    ["gateway_release_valid", "gateway_release_cta", "gateway_release_id", "gateway_release_notified", "gateway_release_warps"];

/// The word of an instruction.
fn word(text: &str) -> u128 {
    instr::join(instr::encode(&assemble(text, 4).unwrap().instr))
}

/// Expects a fault of this warp of CTA slot 0.
fn refused(bench: &mut Bench, code: Code, warp: u64, id: u64) {
    bench.until("fault_valid");
    assert_eq!(bench.get_all(&FAULT), [1, code.value(), warp, 0, id]);
}

#[test]
fn signals_and_waits_of_a_thread_group() {
    let mut bench = launched(intel_tiny(), 1, 0b1011);
    issue(&mut bench, 0, word("NBAR.SIGNAL 2, 1, 1, 2"));
    issue(&mut bench, 1, word("NBAR.SIGNAL 2, 2, 1, 2"));
    issue(&mut bench, 1, word("NBAR.WAIT 2"));
    bench.cycles(20);
    assert_eq!(bench.get("blocked"), 0b0010);
    issue(&mut bench, 3, word("NBAR.SIGNAL 2, 2, 1, 2"));
    assert_eq!(bench.until("gateway_release_valid"), BCU_GATEWAY_RELEASE);
    assert_eq!(bench.get_all(&RELEASE), [1, 1, 2, 0b1010, 0b0010]);
    assert_eq!(bench.get("blocked") & 0b0010, 0, "it may issue in the cycle of the release");
    // A message in a register: producers 1, consumers 1, type 0, id 3, and ignored bits.
    bench.set("instr_ra", 0x0101_3f03);
    issue(&mut bench, 0, word("NBAR.SIGNAL R4"));
    assert_eq!(bench.until("gateway_release_valid"), BCU_GATEWAY_RELEASE);
    assert_eq!(bench.get_all(&RELEASE), [1, 1, 3, 0b0001, 0]);
    issue(&mut bench, 0, word("NBAR.WAIT R4"));
    assert_eq!(bench.until("gateway_release_valid"), BCU_GATEWAY_RELEASE);
    assert_eq!(bench.get_all(&RELEASE), [1, 1, 3, 0, 0b0001]);
    assert_eq!(bench.get("fault_valid"), 0);
}

#[test]
fn lanes_with_different_messages_are_refused_where_the_message_is_in_a_register() {
    let mut bench = launched(intel_tiny(), 0, 0b1);
    bench.set_all(&[("instr_uniform", 0), ("instr_ra", 0x0101_0001)]);
    for text in ["NBAR.SIGNAL R4", "NBAR.WAIT R4"] {
        issue(&mut bench, 0, word(text));
        refused(&mut bench, Code::OperandNotUniform, 0, 1);
    }
    issue(&mut bench, 0, word("NBAR.SIGNAL 1, 1"));
    bench.until("gateway_release_valid");
}

#[test]
fn instructions_of_named_are_illegal_and_those_of_others_are_not() {
    let mut bench = launched(intel_tiny(), 0, 0b11);
    for of_named in [immediate(super::bcu::SYNC, 0, 0), immediate(super::bcu::ARV, 0, 8), super::bcu::B2R_WARP] {
        issue(&mut bench, 1, of_named);
        refused(&mut bench, Code::IllegalInstruction, 1, 0);
    }
    issue(&mut bench, 1, word("FENCE.MEM"));
    bench.cycles(30);
    assert_eq!(bench.get_all(&["fault_valid", "blocked"]), [0, 0]);
}

#[test]
fn a_group_of_which_all_wait_is_a_deadlock() {
    let mut bench = launched(intel_tiny(), 0, 0b11);
    issue(&mut bench, 0, word("NBAR.SIGNAL 0, 2, 1, 1"));
    issue(&mut bench, 0, word("NBAR.WAIT 0"));
    bench.cycles(40);
    assert_eq!(bench.get_all(&["fault_valid", "blocked"]), [0, 0b01], "the other one may still signal");
    bench.send("exit", &[("warp", 1)]);
    refused(&mut bench, Code::Deadlock, 0, 0);
}

#[test]
fn a_group_is_not_saved_while_a_row_is_in_use() {
    let mut bench = launched(intel_tiny(), 0, 0b11);
    issue(&mut bench, 0, word("NBAR.SIGNAL 1, 1"));
    bench.until("gateway_release_valid");
    bench.send("retire", &[("cta", 0), ("saved", 1)]);
    bench.until("fault_valid");
    assert_eq!(bench.get_all(&["fault_code", "fault_has_warp", "fault_cta"]), [Code::CannotSave.value(), 0, 0]);
    // The row is still in use: the warp takes its notification, and then the CTA can be saved.
    issue(&mut bench, 0, word("NBAR.WAIT 1"));
    bench.until("gateway_release_valid");
    bench.send("retire", &[("cta", 0), ("saved", 1)]);
    bench.until("retired_valid");
    assert_eq!(bench.get("fault_valid"), 0);
}

#[test]
fn what_is_open_at_the_end_is_left_open() {
    let mut bench = launched(intel_tiny(), 0, 0b11);
    issue(&mut bench, 0, word("NBAR.SIGNAL 3, 2"));
    issue(&mut bench, 1, word("NBAR.SIGNAL 0, 1"));
    bench.until("gateway_release_valid");
    bench.send("retire", &[("cta", 0)]);
    for id in [0, 3] {
        bench.until("fault_valid");
        assert_eq!(bench.get_all(&FAULT), [1, Code::BarrierLeftOpen.value(), 0, 0, id]);
    }
}

#[test]
fn a_warp_that_waits_is_blocked_and_that_is_no_fault_of_the_gateway() {
    let mut bench = launched(intel_tiny(), 0, 0b11);
    issue(&mut bench, 0, word("NBAR.SIGNAL 0, 2"));
    issue(&mut bench, 0, word("NBAR.WAIT 0"));
    force(&mut bench, 0, word("NBAR.WAIT 0"));
    refused(&mut bench, Code::WarpBlocked, 0, 0);
    issue(&mut bench, 1, word("NBAR.SIGNAL 0, 2"));
    bench.until("gateway_release_valid");
    assert_eq!(bench.get_all(&RELEASE), [1, 0, 0, 0b11, 0b01]);
}
