// SPDX-License-Identifier: Apache-2.0 OR MIT
`default_nettype none
`include "bcu_defs.vh"

// simt_phase: `simt_core` with `bcu_phase`: barriers with phases, at which arrival and wait may be separate. Every
// barrier has a number of warps.
//
// Reads: `start` while `ready` is 1. Writes: as `simt_core`; `wrong`. Latency: 1 cycle from the last arrival to the
// issue of a released warp. The token of an arrival is the phase of its id, which is read in the cycle before, while
// the instruction issues.
module simt_phase #(
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
  output wire               wrong          // Strobe: a refused request, or a hang.
);

  localparam LW = `BCU_LW;

  wire             bar_valid, bar_exit, bar_wait;
  wire [LW-1:0]    bar_warp;
  wire [3:0]       bar_id;
  wire [LW:0]      bar_count;
  wire [WARPS-1:0] live, resume;
  wire             bar_no_arrival, bar_phase, bar_token;
  wire [3:0]       bar_next_id;

  simt_core #(.WARPS(WARPS), .LANES(LANES), .PC_BITS(PC_BITS), .PROGRAM(PROGRAM)) core (
    .clock(clock),
    .reset(reset),
    .start(start),
    .entry(entry),
    .idle(idle),
    .live(live),
    .bar_valid(bar_valid),
    .bar_ready(1'b1),
    .bar_exit(bar_exit),
    .bar_wait(bar_wait),
    .bar_warp(bar_warp),
    .bar_id(bar_id),
    .bar_count(bar_count),
    .resume(resume),
    .bar_no_arrival(bar_no_arrival),
    .bar_phase(bar_phase),
    .bar_next_id(bar_next_id),
    .bar_token(bar_token),
    .peek_address(peek_address),
    .peek_data(peek_data),
    .counters(counters)
  );

  wire           fault_valid, hang;
  wire [LW-1:0]  size_m1 = bar_count[LW-1:0] - 1'b1;

  // Events and barriers of several cores are not used.
  // verilator lint_off PINMISSING
  bcu_phase #(.WARPS(WARPS), .IDS(16), .STOP(1), .DETECT(1)) barriers (
    .clock(clock),
    .reset(reset),
    .live(live),
    .req_valid(bar_valid && !bar_exit),
    .req_warp(bar_warp),
    .req_id(bar_id),
    .req_arrive(!bar_no_arrival),
    .req_sync(bar_wait),
    .req_event(1'b0),
    .req_phase(bar_phase),
    .req_global(1'b0),
    .req_size_m1(size_m1),
    .req_cores_m1(1'b0),
    .read_id(bar_next_id),
    .read_phase(bar_token),
    .unlock_mask(resume),
    .gbar_req_ready(1'b1),
    .gbar_rsp_valid(1'b0),
    .gbar_rsp_id(4'd0),
    .fault_valid(fault_valid),
    .hang(hang)
  );
  // verilator lint_on PINMISSING

  assign ready = idle;
  // A barrier without a count has no meaning here.
  assign wrong = fault_valid || hang || (bar_valid && !bar_exit && !bar_no_arrival && bar_count == 0);

  wire unused = &{1'b0, bar_count[LW]};

endmodule

`default_nettype wire
