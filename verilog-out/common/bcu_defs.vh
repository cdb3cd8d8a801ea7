// SPDX-License-Identifier: Apache-2.0 OR MIT
// bcu_defs.vh: numbers of the configuration `small` and of the contract of `bcu_named`, for Verilog of its users.
// The first four can be given on the command line for another configuration, e.g. -DBCU_WARPS=32.
`ifndef BCU_DEFS_VH
`define BCU_DEFS_VH

// Configuration.
`ifndef BCU_WARPS
`define BCU_WARPS 8
`endif
`ifndef BCU_LANES
`define BCU_LANES 4
`endif
`ifndef BCU_CTAS
`define BCU_CTAS 2
`endif
`ifndef BCU_BARRIERS
`define BCU_BARRIERS 8
`endif

// Widths of ports.
`define BCU_LW (`BCU_WARPS > 4 ? $clog2(`BCU_WARPS) : 2)       // Number of a warp.
`define BCU_CW (`BCU_LW + 1)                                   // How many warps.
`define BCU_LC (`BCU_CTAS > 2 ? $clog2(`BCU_CTAS) : 1)         // CTA slot.
`define BCU_LI (`BCU_BARRIERS > 2 ? $clog2(`BCU_BARRIERS) : 1) // Number of a barrier that is built; op_id has 4 bits always.
`define BCU_VW (`BCU_LANES > 4 ? $clog2(`BCU_LANES) + 1 : 3)   // op_value.

// op_kind.
`define BCU_OP_SYNC    4'd0
`define BCU_OP_ARRIVE  4'd1
`define BCU_OP_REDUCE  4'd2
`define BCU_OP_READ    4'd3
`define BCU_OP_WRITE   4'd4
`define BCU_OP_EXIT    4'd5
`define BCU_OP_LAUNCH  4'd6
`define BCU_OP_RELEASE 4'd7
`define BCU_OP_FENCE   4'd8

// op_redop, and release_reduction.
`define BCU_RED_AND  2'd0
`define BCU_RED_OR   2'd1
`define BCU_RED_POPC 2'd2
`define BCU_REDUCTION_NONE 2'd0
`define BCU_REDUCTION_AND  2'd1
`define BCU_REDUCTION_OR   2'd2
`define BCU_REDUCTION_POPC 2'd3

// op_state.
`define BCU_STATE_WARP    2'd0
`define BCU_STATE_BARRIER 2'd1
`define BCU_STATE_RESULT  2'd2

// op_fault and fault_code: those that named barriers give rise to.
`define BCU_FAULT_NONE                   6'd0
`define BCU_FAULT_NOT_RESIDENT           6'd1
`define BCU_FAULT_WARP_BLOCKED           6'd2
`define BCU_FAULT_SLOT_OCCUPIED          6'd3
`define BCU_FAULT_ILLEGAL_INSTRUCTION    6'd4
`define BCU_FAULT_ID_OUT_OF_RANGE        6'd5
`define BCU_FAULT_OPERAND_NOT_UNIFORM    6'd6
`define BCU_FAULT_PARTIAL_MASK           6'd7
`define BCU_FAULT_GATHER_MISMATCH        6'd8
`define BCU_FAULT_COUNT_ZERO_ARRIVE      6'd9
`define BCU_FAULT_COUNT_NOT_WARP_MULTIPLE 6'd10
`define BCU_FAULT_COUNT_EXCEEDS_CTA      6'd11
`define BCU_FAULT_DOUBLE_ARRIVAL         6'd12
`define BCU_FAULT_KIND_MISMATCH          6'd13
`define BCU_FAULT_COUNT_MISMATCH         6'd14
`define BCU_FAULT_NO_RESULT              6'd15
`define BCU_FAULT_BAD_STATE_WORD         6'd16
`define BCU_FAULT_BARRIER_LEFT_OPEN      6'd17
`define BCU_FAULT_DEADLOCK               6'd18

// Latencies in cycles: from the transfer of the operation.
`define BCU_NAMED_RELEASE      3  // Completing arrival to release_valid.
`define BCU_NAMED_EXIT_RELEASE 4  // Completing exit to release_valid.
`define BCU_NAMED_FAULT        3  // To fault_valid, fault queue empty; not Exit, Launch, Release, Write to Warp.
`define BCU_NAMED_WAITING      1  // Sync or Reduce to its bit in waiting.
`define BCU_NAMED_READ         3  // Read to read_valid.
`define BCU_NAMED_READY        (`BCU_CTAS * (1 << `BCU_LI) + 1)  // Last cycle of reset to op_ready.

`endif
