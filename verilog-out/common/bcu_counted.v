// SPDX-License-Identifier: Apache-2.0 OR MIT
`timescale 1ns / 1ps
`default_nettype none

// bcu_counted: front of `bcu_named` for a scheduler whose barriers always say how many warps take part, as those of Vortex do.
//
// How many warps live matters only to barriers without a count. So one Launch with all warp slots is sent after reset, and then nothing but Sync:
// no Exit, no Release, and warps may be spawned and end at any time. It takes the place of the scheduler's counters and masks of barriers:
// a request comes from the warp-control instruction, and the answer clears bits of the mask of stalled warps. Ids are those of the core.
//
// Reads: `req_*`, a strobe.
// Writes: `ready`, a level, 1 from the first cycle in which a request may come, for good; `unlock_*` and `fault_*`, strobes.
// Latency: 3 from the request that completes a barrier to `unlock_valid`.
//
// A request has no queue: as faults are taken at once, `op_ready` never falls behind a Sync.
//
// Rules for the user:
// - The first warp starts when `ready` is 1.
// - A warp is stalled from its request to its bit in `unlock_mask`.
// - A request that is refused has no effect on its barrier: its warp is unlocked with `fault_valid`, and goes on.
module bcu_counted #(
  parameter WARPS    = 8,
  parameter LANES    = 4,
  parameter CTAS     = 2,
  parameter BARRIERS = 8,  // These are of the exported configuration; one CTA slot is used.
  // The following are derived and must not be set.
  parameter LW = WARPS > 4 ? $clog2(WARPS) : 2,
  parameter LC = CTAS > 2 ? $clog2(CTAS) : 1,
  parameter VW = LANES > 4 ? $clog2(LANES) + 1 : 3
) (
  input  wire             clock,
  input  wire             reset,         // Synchronous, active high.
  output wire             ready,
  input  wire             req_valid,     // Strobe: a warp arrives at a barrier and waits.
  input  wire [LW-1:0]    req_warp,
  input  wire [3:0]       req_id,
  input  wire [LW-1:0]    req_size_m1,   // Warps that take part, minus one.
  output wire             unlock_valid,  // Strobe: warps go on.
  output wire [WARPS-1:0] unlock_mask,   // These; 0 without `unlock_valid`.
  output wire             fault_valid,   // Strobe: a request was refused.
  output wire [5:0]       fault_code,
  output wire [LW-1:0]    fault_warp,
  output wire [3:0]       fault_id
);

  localparam [3:0]       SYNC = 4'd0, LAUNCH = 4'd6;
  localparam [WARPS-1:0] ONE  = {{(WARPS-1){1'b0}}, 1'b1};

  reg              launched_q;
  wire             op_ready, release_valid;
  wire [WARPS-1:0] release_warps;
  wire [WARPS-1:0] refused = fault_valid ? ONE << fault_warp : {WARPS{1'b0}};
  wire [11:0]      warps   = {{(12-LW){1'b0}}, req_size_m1} + 12'd1;

  always @(posedge clock)
    launched_q <= !reset && (launched_q || op_ready);

  // verilator lint_off PINMISSING
  bcu_named named (
    .clock(clock), .reset(reset),
    .op_valid(!launched_q || req_valid), .op_ready(op_ready), .op_kind(launched_q ? SYNC : LAUNCH), .op_fault(6'd0), .op_uniform(1'b1),
    .op_cta({LC{1'b0}}), .op_id(req_id), .op_count(warps * LANES[11:0]), .op_warp(req_warp),
    .op_redop(2'd0), .op_value({VW{1'b0}}), .op_state(2'd0), .op_data(32'd0),
    .op_mask({WARPS{1'b1}}), .op_warps(WARPS[LW:0]), .op_live(WARPS[LW:0]), .op_barriers(BARRIERS[5:0]), .op_saved(1'b0),
    .trapped({WARPS{1'b0}}), .release_valid(release_valid), .release_warps(release_warps),
    .fault_valid(fault_valid), .fault_ready(1'b1), .fault_code(fault_code), .fault_warp(fault_warp), .fault_id(fault_id));
  // verilator lint_on PINMISSING

  assign ready        = launched_q && op_ready;
  assign unlock_mask  = release_warps | refused;
  assign unlock_valid = release_valid || fault_valid;

`ifndef SYNTHESIS
  always @(posedge clock)
    if (!reset && req_valid && !ready) $display("bcu_counted: %0d: the request of warp %0d is lost: ready is 0", $time, req_warp);
`endif

endmodule

`default_nettype wire
