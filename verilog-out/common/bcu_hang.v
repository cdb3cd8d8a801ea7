// SPDX-License-Identifier: Apache-2.0 OR MIT
// verilator lint_off TIMESCALEMOD
`default_nettype none

// bcu_hang: detects groups of warps that hang: all warps of the group wait at barriers, and no operation of the group
// is queued.
//
// Reads: the warps of each group, the warps that wait, and the groups with a queued operation; levels.
// Writes: `hang`, a strobe per group. A group gets one strobe per hang: before the next one a warp of the group
//   resumes, or an operation of the group is queued.
// Latency: SETTLE cycles from the first cycle in which all warps of a group wait and none of its operations is queued
//   to the strobe.
//
// A warp may wait while the operation that releases it is still in the pipeline. SETTLE is therefore at least the
// longest time from an operation to the release that it causes.
module bcu_hang #(
  parameter WARPS  = 8,
  parameter GROUPS = 1,
  parameter SETTLE = 8  // In cycles, at most 15.
) (
  input  wire                    clock,
  input  wire                    reset,    // Synchronous, active high.
  input  wire [GROUPS*WARPS-1:0] members,  // Per group: its warps, both running and waiting ones.
  input  wire [WARPS-1:0]        waits,    // Per warp: it waits at a barrier.
  input  wire [GROUPS-1:0]       moves,    // Per group: one of its operations is queued.
  output reg  [GROUPS-1:0]       hang      // Strobe per group: all its warps wait, and no operation can release one.
);

  reg [GROUPS-1:0]   still;    // Per group: all its warps wait, and none of its operations is queued.
  reg [GROUPS*4-1:0] still_q;  // Per group, 4 bits: number of cycles for which `still` has been 1, up to SETTLE.
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
