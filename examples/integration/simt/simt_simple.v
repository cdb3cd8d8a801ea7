// SPDX-License-Identifier: Apache-2.0 OR MIT
`default_nettype none
`include "bcu_defs.vh"

// simt_simple: `simt_core` with `bcu_simple`: strobes of arrivals, and the mask of live warps for exits.
//
// Reads: `start` while `ready` is 1. Writes: as `simt_core`; `wrong`. Latency: 4 cycles from the last arrival to the
// issue of a released warp, 5 from the cycle in which the last missing warp exits, since `live` falls a cycle later
// and its Exit takes two cycles. A warp whose arrival is queued must not arrive again: its next one is held.
module simt_simple #(
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
  output wire               wrong          // Strobe: a fault, or a hang.
);

  localparam LW = `BCU_LW;

  wire             bar_valid, bar_exit, bar_wait;
  wire [LW-1:0]    bar_warp;
  wire [3:0]       bar_id;
  wire [LW:0]      bar_count;
  wire [WARPS-1:0] live, resume;
  wire             bar_no_arrival, bar_phase;  // There are no phases.
  wire [3:0]       bar_next_id;

  simt_core #(.WARPS(WARPS), .LANES(LANES), .PC_BITS(PC_BITS), .PROGRAM(PROGRAM)) core (
    .clock(clock),
    .reset(reset),
    .start(start),
    .entry(entry),
    .idle(idle),
    .live(live),
    .bar_valid(bar_valid),
    .bar_ready(bar_ready),
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

  localparam LC = `BCU_LC, CTAS = `BCU_CTAS;

  wire             front_ready, fault_valid;
  wire [WARPS-1:0] pending, present;
  wire [CTAS-1:0]  cta_busy, hang;
  wire             bar_ready = bar_exit || !pending[bar_warp];
  wire [WARPS-1:0] arrive    =
    bar_valid && bar_ready && !bar_exit ? {{(WARPS-1){1'b0}}, 1'b1} << bar_warp : {WARPS{1'b0}};

  // verilator lint_off PINCONNECTEMPTY
  bcu_simple #(.GROW(0), .DETECT(1)) barriers (
    .clock(clock),
    .reset(reset),
    .ready(front_ready),
    .loading({CTAS{1'b0}}),
    .live(live),
    .warp_cta({(WARPS*LC){1'b0}}),
    .arrive(arrive),
    .arrive_sync({WARPS{bar_wait}}),
    .arrive_id({WARPS{bar_id}}),
    .arrive_count({WARPS{bar_count}}),
    .wake(resume),
    .done_valid(),
    .done_cta(),
    .done_id(),
    .stalled(),
    .pending(pending),
    .member(),
    .present(present),
    .cta_busy(cta_busy),
    .open(),
    .fault_valid(fault_valid),
    .fault_code(),
    .fault_has_warp(),
    .fault_warp(),
    .fault_cta(),
    .fault_id(),
    .hang(hang)
  );
  // verilator lint_on PINCONNECTEMPTY

  assign ready = front_ready && idle && ~|present && ~|cta_busy;
  assign wrong = fault_valid || |hang;

  wire unused = &{1'b0, bar_no_arrival, bar_phase, bar_next_id};

endmodule

`default_nettype wire
