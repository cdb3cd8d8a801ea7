// SPDX-License-Identifier: Apache-2.0 OR MIT
`default_nettype none

// simt_counters: performance counters of `simt_core` since the last `start`.
//
// The cycles of a barrier are those from the last arrival, or the exit that completes it, to the issue of the first
// warp that it releases. If arrivals and waits are separate, they begin at the last of both.
//
// Reads: `running`; the issue of an instruction; arrivals and exits in the cycle of their transfer; `resume`.
// Writes: `counters`, five words from the lowest bits: cycles, instructions, completed barriers, cycles of all
//   barriers, fewest cycles of a barrier.
// Latency: an issue is counted two cycles later.
module simt_counters #(
  parameter WARPS = 8,
  // This parameter is derived and must not be set.
  parameter LW = WARPS > 4 ? $clog2(WARPS) : 2
) (
  input  wire             clock,
  input  wire             reset,
  input  wire             start,
  input  wire             running,
  input  wire             issue_valid,
  input  wire [LW-1:0]    issue_warp,
  input  wire             bar_valid,
  input  wire             bar_exit,
  input  wire             bar_no_arrival,
  input  wire [LW-1:0]    bar_warp,
  input  wire [3:0]       bar_id,
  input  wire             bar_counted,  // The arrival has a number of warps, so no exit completes its barrier.
  input  wire [WARPS-1:0] resume,
  output wire [159:0]     counters
);

  reg  [31:0]      cycles_q, instructions_q, barriers_q, waited_q, fewest_q;
  reg  [31:0]      exit_q;                    // Cycle of the last exit.
  reg  [31:0]      last_q [0:15];             // Per barrier: cycle of the last arrival.
  reg  [31:0]      completed_q [0:15];        // Per barrier: cycle of the arrival or exit that completed it.
  reg  [15:0]      arrived_q;                 // Per barrier: a warp has arrived since the last release.
  reg  [15:0]      open_q;                    // Per barrier: it has completed, and no released warp has issued.
  reg  [3:0]       id_q [0:WARPS-1];          // Per warp: the barrier at which it waits.
  // Per warp: its arrival had a number of warps; it was released and has not issued.
  reg  [WARPS-1:0] counted_q, released_q;
  reg              issued_q;                  // The issue of the last cycle.
  reg  [LW-1:0]    issued_warp_q;

  // The lowest released warp has the barrier.
  reg  [LW-1:0]    first;
  integer          i;
  always @* begin
    first = {LW{1'b0}};
    for (i = WARPS - 1; i >= 0; i = i - 1)
      if (resume[i]) first = i[LW-1:0];
  end
  wire [3:0]       id         = id_q[first];
  wire [31:0]      by_exit    = counted_q[first] ? 32'd0 : exit_q;
  wire [3:0]       issued_id  = id_q[issued_warp_q];
  wire             is_first   = issued_q && released_q[issued_warp_q] && open_q[issued_id];
  wire [31:0]      latency    = cycles_q - 32'd1 - completed_q[issued_id];

  always @(posedge clock) begin
    issued_q      <= issue_valid;
    issued_warp_q <= issue_warp;
    if (reset || start) begin
      cycles_q       <= 32'd0;
      instructions_q <= 32'd0;
      barriers_q     <= 32'd0;
      waited_q       <= 32'd0;
      fewest_q       <= 32'hffffffff;
      exit_q         <= 32'd0;
      arrived_q      <= 16'd0;
      open_q         <= 16'd0;
      released_q     <= {WARPS{1'b0}};
    end else begin
      cycles_q       <= cycles_q + {31'd0, running};
      instructions_q <= instructions_q + {31'd0, issue_valid};
      released_q     <= (released_q & ~(issued_q ? {{(WARPS-1){1'b0}}, 1'b1} << issued_warp_q : {WARPS{1'b0}}))
                        | resume;
      if (is_first) begin
        barriers_q        <= barriers_q + 32'd1;
        waited_q          <= waited_q + latency;
        open_q[issued_id] <= 1'b0;
        if (latency < fewest_q) fewest_q <= latency;
      end
      if (|resume) begin
        arrived_q[id]   <= 1'b0;
        open_q[id]      <= open_q[id] || arrived_q[id];
        completed_q[id] <= last_q[id] > by_exit ? last_q[id] : by_exit;
      end
      if (bar_valid && bar_exit) exit_q <= cycles_q;
      if (bar_valid && !bar_exit && !bar_no_arrival) arrived_q[bar_id] <= 1'b1;
    end
    if (bar_valid && !bar_exit) begin
      last_q[bar_id]      <= cycles_q;
      id_q[bar_warp]      <= bar_id;
      counted_q[bar_warp] <= bar_counted;
    end
  end

  assign counters = {fewest_q, waited_q, barriers_q, instructions_q, cycles_q};

endmodule

`default_nettype wire
