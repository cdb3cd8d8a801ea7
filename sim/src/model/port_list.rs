// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The port lists of the units: the groups of ports that several of them share, in the order of `docs/interface.md`.

use super::op::{Code, Form, Kind, RedOp, Reduction, StateWord};
use super::sizes::Sizes;
use bcu_hw::ports::{Dir, Port};

/// Collects the ports of a unit, `reset` first.
pub struct Ports(Vec<Port>);

impl Ports {
    pub fn new() -> Ports {
        Ports(vec![]).input("reset", 1)
    }

    pub fn input(self, name: &str, width: usize) -> Ports {
        self.port(Dir::In, name, width, vec![])
    }

    pub fn output(self, name: &str, width: usize) -> Ports {
        self.port(Dir::Out, name, width, vec![])
    }

    /// `op_kind` and `op_fault`.
    pub fn kind_and_fault(self, dir: Dir) -> Ports {
        self.values(dir, "op_kind", Kind::ALL).values(dir, "op_fault", Code::ALL)
    }

    /// A port that carries one of these values, each at its place in the list.
    pub fn values<T: std::fmt::Debug>(self, dir: Dir, name: &str, all: &[T]) -> Ports {
        let width = all.len().next_power_of_two().ilog2() as usize;
        self.port(dir, name, width, all.iter().map(|value| format!("{value:?}")).collect())
    }

    /// What a Reduce, Read or Write of an instruction is about, an output: `op_redop`, `op_state`, `op_data`.
    pub fn access(self) -> Ports {
        let ports = self.values(Dir::Out, "op_redop", RedOp::ALL).values(Dir::Out, "op_state", StateWord::ALL);
        ports.output("op_data", 32)
    }

    /// The fields of an operation on a channel, as at `named`; in front of `votes` without `value`.
    pub fn operation(self, dir: Dir, channel: &str, sizes: &Sizes, value: bool) -> Ports {
        let count = sizes.count_bits();
        let field = |ports: Ports, name: &str, width| ports.port(dir, &format!("{channel}_{name}"), width, vec![]);
        let ports = self.values(dir, &format!("{channel}_kind"), Kind::ALL);
        let ports = ports.values(dir, &format!("{channel}_fault"), Code::ALL);
        let head = [("uniform", 1), ("warp", sizes.warp_bits()), ("cta", sizes.cta_bits()), ("id", 4), ("count", 12)];
        let ports = head.iter().fold(ports, |ports, (name, width)| field(ports, name, *width));
        let ports = ports.values(dir, &format!("{channel}_redop"), RedOp::ALL);
        let ports = if value { field(ports, "value", sizes.value_bits()) } else { ports };
        let ports = ports.values(dir, &format!("{channel}_state"), StateWord::ALL);
        let tail = [("data", 32), ("warps", count), ("live", count), ("barriers", 5), ("mask", sizes.warps()), ("saved", 1)];
        tail.iter().fold(ports, |ports, (name, width)| field(ports, name, *width))
    }

    /// Where the result of a Read goes: `rd` and `pu` of a channel.
    pub fn destination(self, dir: Dir, channel: &str) -> Ports {
        self.port(dir, &format!("{channel}_rd"), 8, vec![]).port(dir, &format!("{channel}_pu"), 3, vec![])
    }

    /// `release_*`, an output.
    pub fn release(self, sizes: &Sizes) -> Ports {
        let ports = self.output("release_valid", 1).output("release_cta", sizes.cta_bits());
        let ports = ports.output("release_id", 4).output("release_warps", sizes.warps());
        ports.values(Dir::Out, "release_reduction", Reduction::ALL).output("release_value", 12)
    }

    /// The fault channel, an output.
    pub fn fault_channel(self, sizes: &Sizes) -> Ports {
        let ports = self.output("fault_valid", 1).input("fault_ready", 1).values(Dir::Out, "fault_code", Code::ALL);
        ports.output("fault_warp", sizes.warp_bits()).output("fault_cta", sizes.cta_bits()).output("fault_id", 4)
    }

    /// The channels `launch`, `retire` and `exit`, inputs.
    pub fn residency_channels(self, sizes: &Sizes) -> Ports {
        let (warps, cta) = (sizes.warps(), sizes.cta_bits());
        let ports = self.input("launch_valid", 1).output("launch_ready", 1).input("launch_cta", cta);
        let ports = ports.input("launch_warps", warps).input("launch_exited", warps);
        let ports = ports.input("launch_lanes", sizes.lanes()).input("launch_barriers", 5);
        let ports = ports.input("retire_valid", 1).output("retire_ready", 1).input("retire_cta", cta).input("retire_saved", 1);
        let ports = ports.input("exit_valid", 1).output("exit_ready", 1).input("exit_warp", sizes.warp_bits());
        ports.input("exit_lanes", sizes.lanes())
    }

    /// The instruction channel, an input.
    pub fn instruction_channel(self, sizes: &Sizes) -> Ports {
        let ports = self.input("instr_valid", 1).output("instr_ready", 1);
        let ports = (0..4).fold(ports, |ports, i| ports.input(&format!("instr_word_{i}"), 32));
        let ports = ports.input("instr_warp", sizes.warp_bits()).values(Dir::In, "instr_form", Form::ALL);
        let ports = ports.input("instr_members", sizes.lanes()).input("instr_active", sizes.lanes());
        let ports = ports.input("instr_guard", sizes.lanes()).input("instr_predicate", sizes.lanes());
        ports.input("instr_ra", 32).input("instr_rb", 32).input("instr_uniform", 1)
    }

    /// The strobes of memory accesses, inputs.
    pub fn accesses(self, sizes: &Sizes) -> Ports {
        let ports = self.input("issue_valid", 1).input("issue_warp", sizes.warp_bits());
        ports.input("perform_valid", 1).input("perform_warp", sizes.warp_bits()).input("perform_epoch", 1)
    }

    /// `lanes_*`, an output.
    pub fn lanes(self, sizes: &Sizes) -> Ports {
        let ports = self.output("lanes_valid", 1).output("lanes_warp", sizes.warp_bits());
        let ports = ports.output("lanes_mask", sizes.lanes()).output("lanes_leaders", sizes.lanes());
        ports.output("lanes_retry", 1)
    }

    /// `warp_cta_0` and so on.
    pub fn warp_cta(self, dir: Dir, sizes: &Sizes) -> Ports {
        (0..sizes.cta_bits()).fold(self, |ports, bit| ports.port(dir, &format!("warp_cta_{bit}"), sizes.warps(), vec![]))
    }

    pub fn done(self) -> Vec<Port> {
        self.0
    }

    fn port(mut self, dir: Dir, name: &str, width: usize, values: Vec<String>) -> Ports {
        self.0.push(Port { name: name.to_string(), dir, width, group: "", doc: "", values });
        self
    }
}
