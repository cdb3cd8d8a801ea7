// SPDX-License-Identifier: Apache-2.0 OR MIT
`default_nettype none
`include "bcu_defs.vh"

// simt_named: `simt_core` with `bcu_named`: the core itself sends the operations Launch, Sync, Arrive, Exit and
// Release.
//
// Reads: `start` while `ready` is 1. Writes: as `simt_core`; `wrong`. Latency: 3 cycles from the last arrival to the
// issue of a released warp, 4 from an exit. The core starts in the cycle after the Launch, and the Release follows
// the exit of the last warp.
module simt_named #(
  parameter PROGRAM = "programs.hex",
  parameter PC_BITS = 7,
  // These parameters are derived and must not be set.
  parameter WARPS = `BCU_WARPS,
  parameter LANES = `BCU_LANES,
  parameter AW    = $clog2(4 * WARPS * LANES)
) (
  input  wire               clock,
  input  wire               reset,         // Synchronous, active high.
  output wire               ready,         // `start` may come.
  input  wire               start,         // Strobe: all warps begin at `entry`.
  input  wire [PC_BITS-1:0] entry,
  output wire               idle,          // No warp is live.
  input  wire [AW-1:0]      peek_address,
  output wire [31:0]        peek_data,
  output wire [159:0]       counters,      // As in `simt_counters`.
  output wire               wrong          // Strobe: a fault.
);

  localparam LW = `BCU_LW;

  wire             bar_valid, bar_exit, bar_wait;
  wire [LW-1:0]    bar_warp;
  wire [3:0]       bar_id;
  wire [LW:0]      bar_count;
  wire [WARPS-1:0] live, resume;
  wire             bar_no_arrival, bar_phase;  // There are no phases.
  wire [3:0]       bar_next_id;
  wire             op_ready, fault_valid;

  localparam [1:0] IDLE = 2'd0, LAUNCH = 2'd1, RUN = 2'd2, RELEASE = 2'd3;
  reg  [1:0]       state_q;
  wire             launched = state_q == LAUNCH && op_ready;

  simt_core #(.WARPS(WARPS), .LANES(LANES), .PC_BITS(PC_BITS), .PROGRAM(PROGRAM)) core (
    .clock(clock),
    .reset(reset),
    .start(launched),
    .entry(entry),
    .idle(idle),
    .live(live),
    .bar_valid(bar_valid),
    .bar_ready(op_ready),
    .bar_exit(bar_exit),
    .bar_wait(bar_wait),
    .bar_warp(bar_warp),
    .bar_id(bar_id),
    .bar_count(bar_count),
    .resume(resume),
    .bar_no_arrival(bar_no_arrival),
    .bar_phase(bar_phase),
    .bar_next_id(bar_next_id),
    .bar_token(1'b0),
    .peek_address(peek_address),
    .peek_data(peek_data),
    .counters(counters)
  );

  always @(posedge clock)
    if (reset) state_q <= IDLE;
    else case (state_q)
      IDLE:    if (start) state_q <= LAUNCH;
      LAUNCH:  if (op_ready) state_q <= RUN;
      RUN:     if (bar_valid && bar_exit && op_ready && (live & (live - 1'b1)) == 0) state_q <= RELEASE;
      RELEASE: if (op_ready) state_q <= IDLE;
    endcase

  wire [3:0] kind = state_q == LAUNCH ? `BCU_OP_LAUNCH : state_q == RELEASE ? `BCU_OP_RELEASE
                    : bar_exit ? `BCU_OP_EXIT : bar_wait ? `BCU_OP_SYNC : `BCU_OP_ARRIVE;

  localparam [11:0] WARP_THREADS = LANES[11:0];

  // Results, state words and the masks for other units are not used.
  // verilator lint_off PINMISSING
  bcu_named #(.WARPS(WARPS), .LANES(LANES)) barriers (
    .clock(clock),
    .reset(reset),
    .op_valid(state_q[0] || bar_valid),
    .op_ready(op_ready),
    .op_kind(kind),
    .op_fault(6'd0),
    .op_uniform(1'b1),
    .op_cta({`BCU_LC{1'b0}}),
    .op_id(bar_id),
    .op_count({{(11-LW){1'b0}}, bar_count} * WARP_THREADS),
    .op_redop(2'd0),
    .op_state(2'd0),
    .op_data(32'd0),
    .op_warp(bar_warp),
    .op_value({`BCU_VW{1'b0}}),
    .op_mask({WARPS{1'b1}}),
    .op_warps(WARPS[LW:0]),
    .op_live(WARPS[LW:0]),
    .op_barriers(6'd`BCU_BARRIERS),
    .op_saved(1'b0),
    .trapped({WARPS{1'b0}}),
    .release_warps(resume),
    .fault_valid(fault_valid),
    .fault_ready(1'b1)
  );
  // verilator lint_on PINMISSING

  assign ready = state_q == IDLE && op_ready;
  assign wrong = fault_valid;

  wire unused = &{1'b0, bar_no_arrival, bar_phase, bar_next_id};

endmodule

`default_nettype wire
