// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The ports of the whole unit, looked up once by name; see `docs/interface.md`, units `bcu` and `residency`.

use crate::dut::Dut;
use bcu_hw::ports::{Dir, Port};

/// A device without a port that the machine needs.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the device has no {direction} port `{name}`: the machine runs on the unit `bcu`, not on a part of it")]
pub struct MissingPort {
    pub name: String,
    pub direction: &'static str,
}

/// Declares one table of port positions and how to find them.
macro_rules! wires {
    ($($direction:ident { $($field:ident),* $(,)? })*) => {
        /// Where each port stands among the inputs or among the outputs.
        #[derive(Clone, Debug)]
        pub(super) struct Wires {
            $($(pub $field: usize,)*)*
        }
        impl Wires {
            fn find(ports: &[Port]) -> Result<Wires, MissingPort> {
                Ok(Wires { $($($field: position(ports, Dir::$direction, stringify!($field))?,)*)* })
            }
        }
    };
}

wires! {
    In {
        reset, launch_valid, launch_cta, launch_warps, launch_exited, launch_lanes, launch_barriers, retire_valid, retire_cta,
        exit_valid, exit_warp, exit_lanes, instr_valid, instr_word_0, instr_warp, instr_form, instr_members, instr_active,
        instr_guard, instr_predicate, instr_ra, instr_rb, instr_uniform, issue_valid, issue_warp, perform_valid, perform_warp,
        perform_epoch, leader_policy, fault_policy, fault_ready,
    }
    Out {
        launch_ready, retire_ready, exit_ready, instr_ready, release_valid, release_cta, release_id, release_warps,
        release_reduction, release_value, writeback_valid, writeback_warp, writeback_rd, writeback_pu, writeback_value,
        writeback_predicate, lanes_valid, lanes_warp, lanes_mask, lanes_leaders, lanes_retry, epoch, live, blocked, draining,
        trapped, fault_valid, fault_code, fault_warp, fault_cta, fault_id,
    }
}

fn position(ports: &[Port], dir: Dir, name: &str) -> Result<usize, MissingPort> {
    let missing = || MissingPort { name: name.to_string(), direction: if dir == Dir::In { "input" } else { "output" } };
    ports.iter().filter(|p| p.dir == dir).position(|p| p.name == name).ok_or_else(missing)
}

/// A device with the values at its ports.
pub(super) struct Pins<'a> {
    dut: &'a mut dyn Dut,
    pub at: Wires,
    inputs: Vec<u64>,
    outputs: Vec<u64>,
}

impl<'a> Pins<'a> {
    pub fn new(dut: &'a mut dyn Dut) -> Result<Self, MissingPort> {
        let at = Wires::find(dut.ports())?;
        let count = |dir| dut.ports().iter().filter(|p| p.dir == dir).count();
        // The words of an instruction are written from the first on, so all four must be there and follow each other.
        for i in 1..4 {
            position(dut.ports(), Dir::In, &format!("instr_word_{i}"))?;
        }
        let (inputs, outputs) = (vec![0; count(Dir::In)], vec![0; count(Dir::Out)]);
        Ok(Pins { dut, at, inputs, outputs })
    }

    pub fn set(&mut self, input: usize, value: u64) {
        self.inputs[input] = value;
    }

    pub fn get(&self, output: usize) -> u64 {
        self.outputs[output]
    }

    pub fn input(&self, input: usize) -> u64 {
        self.inputs[input]
    }

    /// Whether the channel's transfer took place in the cycle just over.
    pub fn transfer(&self, valid: usize, ready: usize) -> bool {
        self.inputs[valid] == 1 && self.outputs[ready] == 1
    }

    pub fn cycle(&mut self) {
        self.dut.cycle(&self.inputs, &mut self.outputs);
    }
    /// All inputs and outputs of the cycle just over, in port order.
    pub fn values(&self) -> (&[u64], &[u64]) {
        (&self.inputs, &self.outputs)
    }
}
