// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The port lists, written out, and the names and values of kinds and faults against those of the hardware.

use super::bench::{default_sizes, large, small, tiny};
use bcu_hw::catalog::UNITS;
use bcu_hw::ports::Dir;
use bcu_hw::unit::op::{FaultCode, OpKind};
use bcu_sim::model::op::{Code, Kind};
use bcu_sim::model::{by_name, Sizes};

/// Ports of a unit as `>name:width` (input) and `<name:width` (output).
fn list(unit: &str, sizes: Sizes) -> String {
    let dut = by_name(unit, sizes).unwrap();
    let line = |p: &bcu_hw::ports::Port| format!("{}{}:{}", if p.dir == Dir::In { ">" } else { "<" }, p.name, p.width);
    dut.ports().iter().map(line).collect::<Vec<_>>().join(" ")
}

const CHANNELS: &str =
    ">launch_valid:1 <launch_ready:1 >launch_cta:LC >launch_warps:W >launch_exited:W >launch_lanes:L >launch_barriers:5 \
    >retire_valid:1 <retire_ready:1 >retire_cta:LC >retire_saved:1 >exit_valid:1 <exit_ready:1 >exit_warp:LW \
    >exit_lanes:L";
const INSTR: &str = ">instr_valid:1 <instr_ready:1 >instr_word_0:32 >instr_word_1:32 >instr_word_2:32 >instr_word_3:32 \
    >instr_warp:LW >instr_form:3 >instr_members:L >instr_active:L >instr_guard:L >instr_predicate:L >instr_ra:32 >instr_rb:32 >instr_uniform:1";
const RELEASE: &str = "<release_valid:1 <release_cta:LC <release_id:4 <release_warps:W <release_reduction:2 <release_value:12";
const FAULT: &str = "<fault_valid:1 >fault_ready:1 <fault_code:5 <fault_warp:LW <fault_cta:LC <fault_id:4";

fn expected(unit: &str, w: u64, l: u64, lw: u64, lc: u64, cw: u64) -> String {
    let warp_cta = |dir| (0..lc).map(|bit| format!("{dir}warp_cta_{bit}:W")).collect::<Vec<_>>().join(" ");
    let operation = |c: &str, value: &str| {
        format!(
            "{c}_kind:3 {c}_fault:5 {c}_uniform:1 {c}_warp:LW {c}_cta:LC {c}_id:4 {c}_count:12 {c}_redop:2 {value} \
             {c}_state:2 {c}_data:32 {c}_warps:CW {c}_live:CW {c}_barriers:5 {c}_mask:W {c}_saved:1"
        )
    };
    let text = match unit {
        "named" => format!(
            ">op_valid:1 <op_ready:1 >op_kind:3 >op_fault:5 >op_uniform:1 >op_warp:LW >op_cta:LC >op_id:4 >op_count:12 \
             >op_redop:2 >op_value:VW >op_state:2 >op_data:32 >op_warps:CW >op_live:CW >op_barriers:5 >op_mask:W >op_saved:1 \
             >fault_policy:2 {RELEASE} <read_valid:1 <read_warp:LW <read_value:32 <read_predicate:1 \
             <tangle_valid:1 <tangle_cta:LC <blocked:W <trapped:W <clearing:1 {FAULT}"
        ),
        "decode" => format!(
            "{INSTR} >live:W >blocked:W >full:W >settled:W {} <op_valid:1 >op_ready:1 <op_kind:3 <op_fault:5 <op_uniform:1 <op_warp:LW \
             <op_cta:LC <op_id:4 <op_count:12 <op_redop:2 <op_state:2 <op_data:32 <op_lanes:L <op_votes:L <op_rd:8 <op_pu:3 \
             <op_form:3 <op_members:L <front:W <holding:W",
            warp_cta('>')
        ),
        "residency" => format!(
            "{CHANNELS} >blocked:W >clearing:1 >gone_valid:1 >gone_warp:LW >in_flight:W <op_valid:1 >op_ready:1 <op_kind:3 <op_fault:5 <op_warp:LW <op_cta:LC \
             <op_warps:CW <op_live:CW <op_barriers:5 <op_mask:W <op_saved:1 <op_lanes:L <live:W <exits:W {}",
            warp_cta('<')
        ),
        "gather" => format!(
            ">in_valid:1 <in_ready:1 {} >in_form:3 >in_lanes:L >in_votes:L >in_members:L >in_counted:1 >in_rd:8 >in_pu:3 \
             >leader_policy:1 <op_valid:1 >op_ready:1 {} <op_lanes:L <op_votes:L <op_counted:1 <op_rd:8 <op_pu:3 \
             <lanes_valid:1 <lanes_warp:LW <lanes_mask:L <lanes_leaders:L <lanes_retry:1 <gone_valid:1 <gone_warp:LW \
             <swallowed:W <gathering:W <leaving:W >left:W",
            operation(">in", ""),
            operation("<op", "")
        ),
        "order" => format!(
            ">in_valid:1 <in_ready:1 {} >in_counted:1 >in_rd:8 >in_pu:3 >issue_valid:1 >issue_warp:LW >perform_valid:1 \
             >perform_warp:LW >perform_epoch:1 <epoch:W <op_valid:1 >op_ready:1 {} <op_rd:8 <op_pu:3 <held:W <full:W \
             <parked:W <settled:W <left:W",
            operation(">in", ">in_value:VW"),
            operation("<op", "<op_value:VW")
        ),
        "watch" => format!(
            ">live:W {} >stalled:W >moving:W >taken_valid:1 >taken_kind:3 >taken_fault:5 >taken_cta:LC >tangle_valid:1 \
             >tangle_cta:LC <op_valid:1 >op_ready:1 <op_cta:LC",
            warp_cta('>')
        ),
        _ => format!(
            "{CHANNELS} {INSTR} >issue_valid:1 >issue_warp:LW >perform_valid:1 >perform_warp:LW >perform_epoch:1 <epoch:W \
             >leader_policy:1 >fault_policy:2 {RELEASE} <lanes_valid:1 <lanes_warp:LW <lanes_mask:L <lanes_leaders:L \
             <lanes_retry:1 <writeback_valid:1 <writeback_warp:LW <writeback_value:32 \
             <writeback_predicate:1 <writeback_rd:8 <writeback_pu:3 <blocked:W <gathering:W <draining:W <live:W <trapped:W {FAULT}"
        ),
    };
    let widths = [("LW", lw), ("LC", lc), ("CW", cw), ("VW", u64::from(l.ilog2()) + 1), ("W", w), ("L", l)];
    let resolve = |port: &str| match port.split_once(':') {
        Some((name, width)) => match widths.iter().find(|(symbol, _)| *symbol == width) {
            Some((_, bits)) => format!("{name}:{bits}"),
            None => port.to_string(),
        },
        None => port.to_string(),
    };
    format!(">reset:1 {text}").split_whitespace().map(resolve).collect::<Vec<_>>().join(" ")
}

#[test]
fn every_unit_has_the_ports_of_its_table() {
    for unit in UNITS {
        assert_eq!(list(unit, tiny()), expected(unit, 4, 4, 2, 1, 3), "{unit} tiny");
        assert_eq!(list(unit, small()), expected(unit, 8, 4, 3, 1, 4), "{unit} small");
        assert_eq!(list(unit, default_sizes()), expected(unit, 32, 32, 5, 3, 6), "{unit} default");
        assert_eq!(list(unit, large()), expected(unit, 64, 32, 6, 5, 7), "{unit} large");
    }
}

#[test]
fn no_unit_of_another_name() {
    assert!(by_name("gateway", tiny()).is_none());
}

#[test]
fn sizes_that_cannot_be_built_say_what_is_expected() {
    let error = |w, l, c, i| Sizes::new(w, l, c, i, 4, 1).unwrap_err().to_string();
    assert_eq!(error(6, 4, 1, 4), "warps = 6: expected a power of two from 2 to 64");
    assert_eq!(error(128, 4, 1, 4), "warps = 128: expected a power of two from 2 to 64");
    assert_eq!(error(4, 0, 1, 4), "lanes = 0: expected a power of two from 1 to 64");
    assert_eq!(error(4, 4, 3, 4), "cta_slots = 3: expected a power of two from 1 to 64");
    assert_eq!(error(4, 4, 1, 32), "barriers = 32: expected a power of two from 1 to 16");
    assert_eq!(Sizes::new(4, 4, 1, 4, 8, 1).unwrap_err().to_string(), "pack_lsb = 8: expected 4 or 16");
    assert_eq!(Sizes::new(4, 4, 1, 4, 4, 0).unwrap_err().to_string(), "max_outstanding = 0: expected at least 1");
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
    assert_eq!(Code::from_value(19), Code::None);
}

/// The oracle is of use only as long as it shares nothing with what it judges.
#[test]
fn the_model_knows_nothing_of_the_hardware_but_the_port_type() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/model");
    let mut files = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
        for line in code.filter(|line| line.contains("bcu_hw") || line.contains("rust_hdl")) {
            let allowed = ["use bcu_hw::ports::", "bcu_hw::for_each_unit!("];
            assert!(allowed.iter().any(|start| line.starts_with(start)), "{}: {line}", path.display());
        }
        files += 1;
    }
    assert!(files >= 10, "{files} files in {folder}");
}
