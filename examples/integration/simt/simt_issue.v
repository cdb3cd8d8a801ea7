// SPDX-License-Identifier: Apache-2.0 OR MIT
`default_nettype none

// simt_issue: the warps of `simt_core`: which are live, which wait at a barrier, their program counters; selects a
// warp in turn.
//
// Reads: `start`; the outcome of the instruction in the execute stage (`ex_*`, with `ex_done` in its last cycle);
//   `resume`, the warps whose barrier has completed.
// Writes: the selected warp and its program counter (`issue_*`), combinational; `live`; the warp of the execute stage
//   (`ex_*_q`).
// Latency: a warp is selected in the cycle of its `resume` at the earliest. It is not selected while it has an
//   instruction in the execute stage, so a warp alone issues in every other cycle, and two or more fill the stage.
module simt_issue #(
  parameter WARPS   = 8,
  parameter PC_BITS = 7,
  // This parameter is derived and must not be set.
  parameter LW = WARPS > 4 ? $clog2(WARPS) : 2
) (
  input  wire               clock,
  input  wire               reset,
  input  wire               start,        // Strobe: all warps begin at `entry`.
  input  wire [PC_BITS-1:0] entry,
  input  wire [WARPS-1:0]   resume,
  input  wire               ex_done,      // The instruction leaves the execute stage at the end of the cycle.
  input  wire               ex_waits,     // It makes its warp wait at a barrier.
  input  wire               ex_exits,     // It ends its warp.
  input  wire [PC_BITS-1:0] ex_next_pc,
  output wire               issue_valid,  // Strobe: an instruction enters the execute stage at the end of the cycle.
  output reg  [LW-1:0]      issue_warp,
  output wire [PC_BITS-1:0] issue_pc,
  output reg                ex_valid_q,
  output reg  [LW-1:0]      ex_warp_q,
  output reg  [PC_BITS-1:0] ex_pc_q,
  output reg  [WARPS-1:0]   live_q
);

  localparam [WARPS-1:0] NONE = {WARPS{1'b0}}, ONE = {{(WARPS-1){1'b0}}, 1'b1};

  reg  [WARPS-1:0]   stalled_q;
  // The warp that was selected last, and those below it: they are next when no other can issue.
  reg  [WARPS-1:0]   below_q;
  reg  [PC_BITS-1:0] pc_q [0:WARPS-1];

  wire [WARPS-1:0]   executing = ex_valid_q ? ONE << ex_warp_q : NONE;
  wire [WARPS-1:0]   can_issue = live_q & ~(stalled_q & ~resume) & ~executing;
  wire [WARPS-1:0]   above     = can_issue & ~below_q;
  wire [WARPS-1:0]   eligible  = |above ? above : can_issue;
  wire [WARPS-1:0]   chosen    = eligible & (~eligible + ONE);  // The lowest one.
  integer            i;

  always @* begin
    issue_warp = {LW{1'b0}};
    for (i = 0; i < WARPS; i = i + 1)
      if (chosen[i]) issue_warp = issue_warp | i[LW-1:0];
  end

  assign issue_valid = |can_issue && (!ex_valid_q || ex_done);
  assign issue_pc    = pc_q[issue_warp];

  integer k;
  always @(posedge clock) begin
    if (reset) begin
      live_q     <= NONE;
      stalled_q  <= NONE;
      below_q    <= NONE;
      ex_valid_q <= 1'b0;
    end else begin
      live_q    <= start ? {WARPS{1'b1}} : live_q & ~(ex_done && ex_exits ? executing : NONE);
      stalled_q <= (stalled_q & ~resume) | (ex_done && ex_waits ? executing : NONE);
      if (issue_valid) begin
        ex_valid_q <= 1'b1;
        below_q    <= chosen | (chosen - ONE);
      end else if (ex_done) begin
        ex_valid_q <= 1'b0;
      end
    end
    if (issue_valid) begin
      ex_warp_q <= issue_warp;
      ex_pc_q   <= issue_pc;
    end
    if (ex_done) pc_q[ex_warp_q] <= ex_next_pc;
    if (start)
      for (k = 0; k < WARPS; k = k + 1) pc_q[k] <= entry;
  end

endmodule

`default_nettype wire
