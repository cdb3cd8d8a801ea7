// SPDX-License-Identifier: Apache-2.0 OR MIT
`default_nettype none
`include "bcu_defs.vh"

// simt_counted: `simt_core` with `bcu_counted`: every barrier has a number of warps, and every arrival waits.
//
// Reads: `start` while `ready` is 1. Writes: as `simt_core`; `wrong`. Latency: 3 cycles from the last arrival to the
// issue of a released warp. An exit needs no operation: no barrier counts the warp.
module simt_counted #(
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
  wire             bar_no_arrival, bar_phase;  // There are no phases.
  wire [3:0]       bar_next_id;

  simt_core #(.WARPS(WARPS), .LANES(LANES), .PC_BITS(PC_BITS), .PROGRAM(PROGRAM), .ARRIVES(1'b0)) core (
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
    .bar_token(1'b0),
    .peek_address(peek_address),
    .peek_data(peek_data),
    .counters(counters)
  );

  wire           unlock_valid, fault_valid, hang;
  wire [LW-1:0]  size_m1 = bar_count[LW-1:0] - 1'b1;

  // verilator lint_off PINCONNECTEMPTY
  wire           front_ready;
  bcu_counted #(.WARPS(WARPS), .STOP(1), .DETECT(1)) barriers (
    .clock(clock),
    .reset(reset),
    .ready(front_ready),
    .live(live),
    .req_valid(bar_valid && !bar_exit),
    .req_warp(bar_warp),
    .req_id(bar_id),
    .req_size_m1(size_m1),
    .unlock_valid(unlock_valid),
    .unlock_mask(resume),
    .unlock_id(),
    .fault_valid(fault_valid),
    .fault_code(),
    .fault_warp(),
    .fault_id(),
    .hang(hang)
  );
  // verilator lint_on PINCONNECTEMPTY

  assign ready = front_ready && idle;
  // A barrier without a count has no meaning here.
  assign wrong = fault_valid || hang || (bar_valid && !bar_exit && bar_count == 0);

  wire unused = &{1'b0, unlock_valid, bar_wait, bar_count[LW], bar_no_arrival, bar_phase, bar_next_id};

endmodule

`default_nettype wire
