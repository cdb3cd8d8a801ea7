// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The ports of a multiprocessor, looked up once by name; see `docs/contract/bcu.md` and `docs/contract/cta_table.md`.

use bcu_isa::ports::{Dir, Port};
use bcu_model::dut::{ByName, Input, NoPort, Output};
use std::rc::Rc;

/// The error for a device without a port that the machine needs.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}: the machine runs on the unit `bcu` or `gpu`, not on a part of it")]
pub struct MissingPort(#[from] pub NoPort);

/// Declares a table of port handles, with a constructor that finds the ports by name.
macro_rules! wires {
    (
        input { $($input:ident),* $(,)? } output { $($output:ident),* $(,)? }
        of parts input { $($of_input:ident),* $(,)? } output { $($of_output:ident),* $(,)? }
    ) => {
        /// The ports of `bcu` that the machine uses.
        #[derive(Clone, Debug)]
        pub(super) struct Wires {
            $(pub $input: Input,)*
            /// The ports `instr_word_0` to `instr_word_3`.
            pub instr_word: [Input; 4],
            pub accesses: Vec<AccessStrobes>,
            $(pub $output: Output,)*
            $(pub $of_input: Input,)*
            $(pub $of_output: Output,)*
        }
        impl Wires {
            fn find(ports: &[Port]) -> Result<Wires, NoPort> {
                Ok(Wires {
                    $($input: ports.input(stringify!($input))?,)*
                    instr_word: words(ports)?,
                    accesses: accesses(ports)?,
                    $($output: ports.output(stringify!($output))?,)*
                    // These ports are absent from a unit without the part that they belong to: mbarriers, clusters, grids, named barriers
                    // or the gateway.
                    $($of_input: ports.input(stringify!($of_input)).unwrap_or(Input::ABSENT),)*
                    $($of_output: ports.output(stringify!($of_output)).unwrap_or(Output::ABSENT),)*
                })
            }
        }
    };
}

wires! {
    input {
        launch_valid, launch_cta, launch_warps, launch_exited, launch_lanes, launch_barriers, launch_cluster, launch_rank, launch_size,
        retire_valid, retire_cta,
        exit_valid, exit_warp, exit_lanes, instr_valid, instr_warp, instr_form, instr_members, instr_active,
        instr_guard, instr_predicate, instr_ra, instr_rb, instr_uniform, leader_policy, fault_policy, fault_ready,
        copy_issue_valid, copy_issue_cta, copy_perform_valid, copy_perform_cta,
    }
    output {
        launch_ready, retire_ready, exit_ready, instr_ready, lanes_valid, lanes_warp, lanes_mask, lanes_leaders, lanes_retry,
        epoch, launched_valid, launched_cta, retired_valid, retired_cta, copies_full, live, blocked, busy, waits_for_memory, trapped, fault_valid, fault_code, fault_warp, fault_has_warp, fault_cta,
    }
    of parts input {
        launch_has_grid, launch_grid, tx_valid, tx_cta, tx_object, tx_count, tx_bytes, wait_limit, mem_request_ready, mem_response_valid, mem_response_data,
    }
    output {
        tx_ready, tx_done_valid, mem_request_valid, mem_request_write, mem_request_cta, mem_request_object, mem_request_data, token_valid,
        token_warp, token_word, token_predicate, token_refused, wake_valid, wake_warps, wake_value, cluster_closed_valid, cluster_closed_cluster, cluster_release_valid, cluster_release_warps,
        gateway_release_valid, gateway_release_warps, release_valid, writeback_valid, writeback_warp, writeback_rd, writeback_pu, writeback_value, writeback_predicate,
        grid_release_valid, grid_release_warps, grid_opened_valid, grid_opened_grid,
    }
}

/// Declares the table of ports of the grid hub.
macro_rules! hub {
    (input { $($input:ident),* $(,)? } output { $($output:ident),* $(,)? }) => {
        /// The ports of `gpu` through which the host opens, flushes and closes grids.
        #[derive(Clone, Copy, Debug)]
        pub(super) struct HubWires { $(pub $input: Input,)* $(pub $output: Output,)* }
        impl HubWires {
            pub fn find(ports: &[Port]) -> Result<HubWires, NoPort> {
                Ok(HubWires {
                    $($input: ports.input(stringify!($input))?,)*
                    $($output: ports.output(stringify!($output))?,)*
                })
            }
        }
    };
}

hub! {
    input {
        open_valid, open_grid, open_ctas, open_prerequisites, open_early, close_valid, close_grid, flush_ready, flushed_valid, flushed_grid,
    }
    output { opened_valid, opened_grid, closed_valid, closed_grid, flush_valid, flush_grid, may_launch, flushed_grids }
}

/// The grid hub with the values at its ports.
pub(super) struct Hub<'u> {
    pub inputs: &'u mut [u64],
    pub outputs: &'u [u64],
    pub at: HubWires,
}

impl Hub<'_> {
    pub fn set(&mut self, input: Input, value: u64) {
        if let Some(place) = self.inputs.get_mut(input.index()) {
            *place = value;
        }
    }

    /// The value of an output in the last cycle.
    pub fn get(&self, output: Output) -> u64 {
        output.read(self.outputs)
    }
}

/// The ports of one pair of strobes, for an issued access and for a performed access.
#[derive(Clone, Copy, Debug)]
pub(super) struct AccessStrobes {
    pub issue_valid: Input,
    pub issue_warp: Input,
    pub perform_valid: Input,
    pub perform_warp: Input,
    pub perform_epoch: Input,
}

/// All pairs of access strobes that the unit has.
fn accesses(ports: &[Port]) -> Result<Vec<AccessStrobes>, NoPort> {
    let numbers = (0..).take_while(|number| ports.input(&format!("issue_{number}_valid")).is_ok());
    let strobes = |number: usize| {
        Ok(AccessStrobes {
            issue_valid: ports.input(&format!("issue_{number}_valid"))?,
            issue_warp: ports.input(&format!("issue_{number}_warp"))?,
            perform_valid: ports.input(&format!("perform_{number}_valid"))?,
            perform_warp: ports.input(&format!("perform_{number}_warp"))?,
            perform_epoch: ports.input(&format!("perform_{number}_epoch"))?,
        })
    };
    numbers.map(strobes).collect()
}

/// The ports of the four 32-bit words of an instruction, bits 31:0 first.
pub(super) fn words(ports: &[Port]) -> Result<[Input; 4], NoPort> {
    let [a, b, c, d] = [0, 1, 2, 3].map(|word| ports.input(&format!("instr_word_{word}")));
    Ok([a?, b?, c?, d?])
}

/// The values at the ports of one multiprocessor.
pub(super) struct Pins {
    pub inputs: Vec<u64>,
    pub outputs: Vec<u64>,
    /// The ports; shared, so that a caller that sets inputs can hold them.
    pub at: Rc<Wires>,
}

impl Pins {
    /// The ports `ports`, which have the names of `bcu`, with all inputs 0.
    pub fn new(ports: &[Port]) -> Result<Pins, MissingPort> {
        let [inputs, outputs] = [Dir::In, Dir::Out].map(|dir| vec![0; ports.count(dir)]);
        Ok(Pins { inputs, outputs, at: Rc::new(Wires::find(ports)?) })
    }

    pub fn set(&mut self, input: Input, value: u64) {
        if let Some(place) = self.inputs.get_mut(input.index()) {
            *place = value;
        }
    }

    /// Whether the inputs are driven with `values`. Without a fault at the port, its `ready` may differ, which is driven anew in each cycle.
    pub fn drives(&self, values: &[u64]) -> bool {
        let may_differ = |at: usize| at == self.at.fault_ready.index() && self.get(self.at.fault_valid) == 0;
        self.inputs.iter().zip(values).enumerate().all(|(at, (driven, value))| driven == value || may_differ(at))
    }

    /// The value that drives an input.
    pub fn driven(&self, input: Input) -> u64 {
        input.read(&self.inputs)
    }

    /// The value of an output in the last cycle.
    pub fn get(&self, output: Output) -> u64 {
        output.read(&self.outputs)
    }

    /// Whether an output of one bit was 1 in the last cycle.
    pub fn is_set(&self, output: Output) -> bool {
        self.get(output) == 1
    }

    /// Whether a transfer took place in the last cycle on a channel. `driven` is the input that the machine drives, `read` the output that
    /// it reads.
    pub fn transfer(&self, driven: Input, read: Output) -> bool {
        self.driven(driven) == 1 && self.get(read) == 1
    }
}
