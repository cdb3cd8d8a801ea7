// SPDX-License-Identifier: Apache-2.0 OR MIT
`default_nettype none
`include "bcu_defs.vh"

// simt_cta: `simt_core` with `bcu_cta`: one barrier for all warps of the CTA, without an id and a count. Every
// arrival waits.
//
// Reads: `start` while `ready` is 1. Writes: as `simt_core`; `wrong`. Latency: 1 cycle from the last arrival, or from
// the exit of the last missing warp, to the issue of a released warp. The ids of the programs are ignored, so only
// programs with one barrier at a time run.
module simt_cta #(
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
  output wire               wrong          // Strobe: a refused request, or a count that is not all warps.
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

  localparam CTA_BITS = 1;

  wire fault_valid;

  // The core runs one CTA, in slot 0.
  // verilator lint_off PINCONNECTEMPTY
  bcu_cta #(.WARPS(WARPS), .CTA_BITS(CTA_BITS)) barriers (
    .clock(clock),
    .reset(reset),
    .live(live),
    .warp_cta({(WARPS*CTA_BITS){1'b0}}),
    .req_valid(bar_valid),
    .req_exit(bar_exit),
    .req_warp(bar_warp),
    .unlock_valid(),
    .unlock_mask(resume),
    .unlock_cta(),
    .fault_valid(fault_valid),
    .fault_code(),
    .fault_warp(),
    .waiting()
  );
  // verilator lint_on PINCONNECTEMPTY

  assign ready = idle;
  // A barrier of fewer warps than all has no meaning here.
  assign wrong = fault_valid || (bar_valid && !bar_exit && bar_count != 0 && bar_count != WARPS[LW:0]);

  wire unused = &{1'b0, bar_wait, bar_no_arrival, bar_phase, bar_id, bar_next_id};

endmodule

`default_nettype wire
