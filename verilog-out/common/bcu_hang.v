// SPDX-License-Identifier: Apache-2.0 OR MIT
// verilator lint_off TIMESCALEMOD
`default_nettype none

// bcu_hang: finds groups of warps in which nothing can happen any more: all their warps wait at barriers.
//
// Reads: which warps are in which group, which wait, and groups of which an operation is queued; levels.
// Writes: `hang`, a strobe for each group, once for each hang: the next one comes after a warp of the group has gone on.
// Latency: SETTLE from the first cycle in which all warps of a group wait to its strobe.
//
// What a warp waits for may be under way while it waits. SETTLE is at least the longest time from an operation to what it releases.
module bcu_hang #(
  parameter WARPS  = 8,
  parameter GROUPS = 1,
  parameter SETTLE = 8  // At most 15.
) (
  input  wire                    clock,
  input  wire                    reset,    // Synchronous, active high.
  input  wire [GROUPS*WARPS-1:0] members,  // Per group: its warps, which run or wait.
  input  wire [WARPS-1:0]        waits,    // Per warp: it waits at a barrier.
  input  wire [GROUPS-1:0]       moves,    // Per group: an operation of it is queued.
  output reg  [GROUPS-1:0]       hang      // Strobe per group: all its warps wait, and nothing will let one go on.
);

  reg [GROUPS-1:0]   still;    // All warps of the group wait, and nothing of it is queued.
  reg [GROUPS*4-1:0] still_q;  // For how many cycles, up to SETTLE + 1.
  integer            g;

  always @*
    for (g = 0; g < GROUPS; g = g + 1)
      still[g] = |members[g*WARPS +: WARPS] && ~|(members[g*WARPS +: WARPS] & ~waits) && !moves[g];

  integer h;
  always @(posedge clock)
    for (h = 0; h < GROUPS; h = h + 1) begin
      hang[h] <= !reset && still[h] && still_q[h*4 +: 4] == SETTLE[3:0] - 4'd1;
      if (reset || !still[h]) still_q[h*4 +: 4] <= 4'd0;
      else if (still_q[h*4 +: 4] != SETTLE[3:0]) still_q[h*4 +: 4] <= still_q[h*4 +: 4] + 4'd1;
    end

endmodule

`default_nettype wire
// verilator lint_on TIMESCALEMOD
