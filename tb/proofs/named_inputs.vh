// SPDX-License-Identifier: Apache-2.0 OR MIT
// The inputs of `named`, left to the solver.
  input wire clock, reset,
  input wire op_valid, op_uniform, op_saved, fault_ready,
  input wire [2:0] op_kind,
  input wire [4:0] op_fault, op_barriers,
  input wire [`LW-1:0] op_warp,
  input wire [`LC-1:0] op_cta,
  input wire [3:0] op_id,
  input wire [11:0] op_count,
  input wire [1:0] op_redop, op_state, fault_policy,
  input wire [`VW-1:0] op_value,
  input wire [31:0] op_data,
  input wire [`CW-1:0] op_warps, op_live,
  input wire [`W-1:0] op_mask
