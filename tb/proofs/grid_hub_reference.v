// SPDX-License-Identifier: Apache-2.0 OR MIT
// Second implementation of `grid_hub` for two multiprocessors, written by hand from docs/contract/grids.md alone, for clarity alone. The
// comments give the headings of that page.
`include "sizes.vh"
module grid_hub_reference (
`include "grid_hub_inputs.vh"
  ,
  output reg to_0_valid,
  output reg to_0_kind,
  output reg [`KG-1:0] to_0_grid,
  output wire to_1_valid,
  output wire to_1_kind,
  output wire [`KG-1:0] to_1_grid,
  output wire open_ready,
  output reg opened_valid,
  output reg [`KG-1:0] opened_grid,
  output reg opened_refused,
  output wire close_ready,
  output reg closed_valid,
  output reg [`KG-1:0] closed_grid,
  output reg closed_refused,
  output reg flush_valid,
  output reg [`KG-1:0] flush_grid,
  output reg [(1<<`KG)-1:0] may_launch,
  output wire [(1<<`KG)-1:0] open_grids,
  output wire [(1<<`KG)-1:0] flushed_grids
);
  localparam G = 1 << `KG;
  localparam ISSUED = 0, ENDED = 1, OPENED = 0, READY = 1;
  reg [G-1:0] open, flushing, flushed, early, told, told_ready, requested, all_issued, all_ended;
  reg [G-1:0] prerequisites [0:G-1];
  reg [31:0] unissued [0:G-1];
  reg [12:0] running [0:G-1];
  reg [`KG-1:0] last_told, last_asked;
  assign {open_ready, close_ready, open_grids, flushed_grids} = {2'b11, open, flushed};
  assign {to_1_valid, to_1_kind, to_1_grid} = {to_0_valid, to_0_kind, to_0_grid};

  // Host.
  wire [G-1:0] used = open | flushing | flushed;
  wire opens = open_valid && !used[open_grid] && open_ctas != 0;
  wire closes = close_valid && flushed[close_grid];
  wire completes = flushed_valid && flushing[flushed_grid];

  // The grid that has the turn for a message, and the grid that has the turn for a flush.
  reg tells, asks;
  reg [`KG-1:0] tell, ask, t, u;
  integer n;
  always @(*) begin
    tells = 0;
    tell = 0;
    asks = 0;
    ask = 0;
    for (n = G; n >= 1; n = n - 1) begin
      t = last_told + n;
      if (open[t] && (!told[t] || (!told_ready[t] && prerequisites[t] == 0))) begin
        tells = 1;
        tell = t;
      end
      u = last_asked + n;
      if (!flush_valid && flushing[u] && !requested[u]) begin
        asks = 1;
        ask = u;
      end
    end
  end

  // The message that each multiprocessor sent in the previous cycle.
  reg heard_0, heard_1, kind_0, kind_1;
  reg [`KG-1:0] of_0, of_1;
  integer g;
  reg [1:0] issues, ends;
  always @(posedge clock) begin
    {heard_0, kind_0, of_0} <= {from_0_valid && !reset, from_0_kind, from_0_grid};
    {heard_1, kind_1, of_1} <= {from_1_valid && !reset, from_1_kind, from_1_grid};
    {opened_valid, opened_grid, opened_refused} <= {open_valid && !reset, open_grid, !opens};
    {closed_valid, closed_grid, closed_refused} <= {close_valid && !reset, close_grid, !closes};
    {to_0_valid, to_0_grid} <= {tells && !reset, tell};
    to_0_kind <= told[tell] ? READY : OPENED;
    if (tells) last_told <= tell;
    if (flush_ready) flush_valid <= 0;
    if (asks) {flush_valid, flush_grid, last_asked} <= {1'b1, ask, ask};
    for (g = 0; g < G; g = g + 1) begin
      if (tells && tell == g) begin
        told[g] <= 1;
        if (told[g]) told_ready[g] <= 1;
      end
      if (asks && ask == g) requested[g] <= 1;

      // Counts.
      issues = (heard_0 && kind_0 == ISSUED && of_0 == g) + (heard_1 && kind_1 == ISSUED && of_1 == g);
      ends = (heard_0 && kind_0 == ENDED && of_0 == g) + (heard_1 && kind_1 == ENDED && of_1 == g);
      unissued[g] <= unissued[g] - issues;
      running[g] <= running[g] + issues - ends;
      all_issued[g] <= unissued[g] == 0;
      all_ended[g] <= unissued[g] == 0 && running[g] == 0;

      // Launches and completion.
      may_launch[g] <= open[g] && (prerequisites[g] & ~(early[g] ? all_issued : {G{1'b0}})) == 0;
      if (open[g] && all_ended[g]) begin
        open[g] <= 0;
        flushing[g] <= 1;
      end
      if (completes) prerequisites[g][flushed_grid] <= 0;
      if (completes && flushed_grid == g) begin
        flushing[g] <= 0;
        flushed[g] <= 1;
      end
      if (closes && close_grid == g) flushed[g] <= 0;
      if (opens && open_grid == g) begin
        open[g] <= 1;
        early[g] <= open_early;
        told[g] <= 0;
        told_ready[g] <= 0;
        requested[g] <= 0;
        prerequisites[g] <= open_prerequisites & (open | flushing) & ~(completes ? 1 << flushed_grid : 0);
        unissued[g] <= open_ctas;
        running[g] <= 0;
        all_issued[g] <= 0;
        all_ended[g] <= 0;
      end
      if (reset) begin
        prerequisites[g] <= 0;
        unissued[g] <= 0;
        running[g] <= 0;
      end
    end
    if (reset) begin
      open <= 0;
      flushing <= 0;
      flushed <= 0;
      early <= 0;
      told <= 0;
      told_ready <= 0;
      requested <= 0;
      all_issued <= 0;
      all_ended <= 0;
      may_launch <= 0;
      flush_valid <= 0;
      last_told <= G - 1;
      last_asked <= G - 1;
    end
  end
endmodule
