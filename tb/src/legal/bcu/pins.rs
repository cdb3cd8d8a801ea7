// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The ports of `bcu` by name. If the configuration lacks a port, driving it has no effect and reading it gives 0.

use bcu_isa::ports::{Dir, Port};
use bcu_model::dut::{ByName, Input, Output};

/// The inputs of a cycle.
pub struct Drive {
    pub inputs: Vec<u64>,
}

impl Drive {
    pub fn set(&mut self, input: Input, value: u64) {
        if let Some(place) = self.inputs.get_mut(input.index()) {
            *place = value;
        }
    }
}

macro_rules! pins {
    ($(#[$meta:meta])* $name:ident, $handle:ident, $find:ident: $($port:ident)*) => {
        $(#[$meta])*
        #[derive(Clone, Debug)]
        pub struct $name {
            $(pub $port: $handle,)*
        }

        impl $name {
            pub fn find(ports: &[Port]) -> $name {
                $name { $($port: ports.$find(stringify!($port)).unwrap_or($handle::ABSENT),)* }
            }
        }
    };
}

pins! {
    /// Input ports.
    In, Input, input:
    reset launch_valid launch_cta launch_warps launch_exited launch_lanes launch_barriers launch_cluster launch_rank launch_size
    launch_has_grid launch_grid retire_valid retire_cta retire_saved exit_valid exit_warp exit_lanes
    instr_valid instr_word_0 instr_word_1 instr_word_2 instr_word_3 instr_warp instr_form instr_members instr_active instr_guard
    instr_predicate instr_ra instr_rb instr_uniform copy_issue_valid copy_issue_cta copy_perform_valid copy_perform_cta
    tx_valid tx_cta tx_object tx_count tx_bytes net_out_ready wait_limit mem_request_ready mem_response_valid mem_response_data
    cluster_in_valid cluster_in_kind cluster_in_cluster cluster_out_ready grid_in_valid grid_in_kind grid_in_grid grid_out_ready
    leader_policy fault_policy fault_ready
}

pins! {
    /// Output ports.
    Out, Output, output:
    launch_ready retire_ready exit_ready launched_valid launched_cta launched_warps retired_valid retired_cta instr_ready tx_ready
    tx_done_valid mem_request_valid mem_request_write mem_request_cta mem_request_object mem_request_data
    token_valid token_warp token_word token_predicate token_refused token_rd token_pu wake_valid wake_warps wake_value
    cluster_out_valid cluster_out_kind cluster_out_cluster cluster_out_size cluster_release_valid
    cluster_release_warps cluster_closed_valid cluster_closed_cluster grid_out_valid grid_out_kind grid_out_grid
    grid_release_valid grid_release_warps grid_opened_valid grid_opened_grid copies_full epoch release_valid release_cta
    release_id release_warps release_reduction release_value gateway_release_valid gateway_release_cta gateway_release_id
    gateway_release_notified gateway_release_warps lanes_valid lanes_warp lanes_mask lanes_leaders lanes_retry
    writeback_valid writeback_warp writeback_value writeback_predicate writeback_rd writeback_pu
    blocked fault_valid fault_code fault_has_warp fault_warp fault_cta fault_id fault_address
}

/// The ports `valid`, `warp` and `epoch` of each of `most` strobes for accesses; `name` is `issue` or `perform`. A port that the
/// configuration lacks is [`Input::ABSENT`].
pub fn strobes(ports: &[Port], name: &str, most: usize) -> Vec<[Input; 3]> {
    let part = |number: usize, part: &str| ports.input(&format!("{name}_{number}_{part}")).unwrap_or(Input::ABSENT);
    (0..most).map(|number| ["valid", "warp", "epoch"].map(|field| part(number, field))).collect()
}

/// Number of input ports.
pub fn count(ports: &[Port]) -> usize {
    ports.count(Dir::In)
}
