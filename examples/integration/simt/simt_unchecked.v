// SPDX-License-Identifier: Apache-2.0 OR MIT
`default_nettype none
`include "bcu_defs.vh"

// simt_unchecked: `simt_core` with `bcu_bar`: barriers with and without a count, arrivals that do not wait, and exits
// of one CTA, without checks.
//
// Reads: `start` while `ready` is 1; it is also the Launch. Writes: as `simt_core`; `wrong`. Latency: 3 cycles from the
// last arrival, or from the exit that completes a barrier, to the issue of a released warp. An operation in the 16
// cycles after `start` waits for their end.
module simt_unchecked #(
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
  output wire               wrong          // Strobe: an arrival that does not wait and has no count.
);

  localparam LW = `BCU_LW;

  wire             bar_valid, bar_exit, bar_wait;
  wire [LW-1:0]    bar_warp;
  wire [3:0]       bar_id;
  wire [LW:0]      bar_count;
  wire [WARPS-1:0] live, resume;
  wire             bar_no_arrival, bar_phase;  // There are no phases.
  wire [3:0]       bar_next_id;
  wire             op_ready;

  simt_core #(.WARPS(WARPS), .LANES(LANES), .PC_BITS(PC_BITS), .PROGRAM(PROGRAM)) core (
    .clock(clock),
    .reset(reset),
    .start(start),
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

  // The kinds of `bcu_bar`.
  localparam [1:0] SYNC = 2'd0, ARRIVE = 2'd1, EXIT = 2'd2, LAUNCH = 2'd3;
  wire [1:0]    kind    = start ? LAUNCH : bar_exit ? EXIT : bar_wait ? SYNC : ARRIVE;
  wire          all     = bar_count == {(LW+1){1'b0}};
  wire [LW-1:0] size_m1 = start ? WARPS[LW-1:0] - 1'b1 : bar_count[LW-1:0] - 1'b1;

  // verilator lint_off PINCONNECTEMPTY
  bcu_bar #(.WARPS(WARPS)) barriers (
    .clock(clock),
    .reset(reset),
    .op_valid(start || bar_valid),
    .op_ready(op_ready),
    .op_kind(kind),
    .op_all(all),
    .op_warp(bar_warp),
    .op_id(bar_id),
    .op_size_m1(size_m1),
    .release_valid(),
    .release_id(),
    .release_warps(resume),
    .waiting()
  );
  // verilator lint_on PINCONNECTEMPTY

  assign ready = op_ready && idle;
  assign wrong = bar_valid && !bar_exit && !bar_wait && all;

  wire unused = &{1'b0, live, bar_no_arrival, bar_phase, bar_next_id};

endmodule

`default_nettype wire
