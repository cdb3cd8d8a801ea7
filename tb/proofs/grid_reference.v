// SPDX-License-Identifier: Apache-2.0 OR MIT
// Second implementation of `grid`, written by hand from docs/contract/grids.md alone, for clarity alone. The comments give the headings of
// that page. It covers sizes with a 1-bit CTA slot number and `faults = true`.
`include "sizes.vh"
module grid_reference (
`include "grid_inputs.vh"
  ,
  output wire op_ready,
  output reg grid_out_valid,
  output reg grid_out_kind,
  output reg [`KG-1:0] grid_out_grid,
  output reg commit_valid,
  output reg [`W-1:0] commit_warps,
  output reg commit_refused,
  output reg release_valid,
  output reg [`W-1:0] release_warps,
  output wire [`W-1:0] waiting,
  output reg fault_valid,
  output reg [5:0] fault_code,
  output reg fault_has_warp,
  output reg [`LW-1:0] fault_warp,
  output reg [`LC-1:0] fault_cta,
  output reg opened_valid,
  output reg [`KG-1:0] opened_grid,
  output wire [`C-1:0] freed
);
  localparam S = `C, G = 1 << `KG;
  localparam LAUNCH = 0, WAIT = 1, OPENED = 0, READY = 1, ISSUED = 0, ENDED = 1;
  localparam [5:0] NOT_RESIDENT = 1;
  reg [S-1:0] member, asked, issued;
  reg [`KG-1:0] grid [0:S-1];
  reg [G-1:0] ready;
  reg [`W-1:0] waits;
  reg [`KG-1:0] waits_for [0:`W-1];
  assign waiting = waits;
  assign freed = ~member;

  // `inside`: an operation is in the unit. `effect`: the operation takes effect in this cycle.
  reg inside, inside_kind;
  reg [5:0] inside_fault;
  reg [`LW-1:0] inside_warp;
  reg [`LC-1:0] inside_cta;
  wire effect = inside && (inside_fault == 0 || !fault_valid);
  assign op_ready = !inside || effect;
  wire good = effect && inside_fault == 0;
  always @(posedge clock) begin
    if (op_ready) begin
      inside <= op_valid;
      {inside_kind, inside_fault, inside_warp, inside_cta} <= {op_kind, op_fault, op_warp, op_cta};
    end
    commit_valid <= effect && !reset;
    commit_warps <= effect && !reset ? 1 << inside_warp : 0;
    commit_refused <= effect && !reset && inside_fault != 0 && inside_fault != NOT_RESIDENT;
    if (fault_valid && fault_ready) fault_valid <= 0;
    if (effect && inside_fault != 0) begin
      fault_valid <= 1;
      {fault_code, fault_has_warp, fault_warp, fault_cta} <= {inside_fault, 1'b1, inside_warp, inside_cta};
    end
    if (reset) begin
      inside <= 0;
      fault_valid <= 0;
    end
  end

  // A message of the hub takes effect one cycle after it was received. If an operation takes effect in the same cycle, the message takes
  // effect before the operation.
  reg comes, comes_kind;
  reg [`KG-1:0] comes_grid;
  reg [G-1:0] ready_now;
  always @(*) begin
    ready_now = ready;
    if (comes) ready_now[comes_grid] = comes_kind == READY;
  end
  wire of_grid = inside_cta < S && member[S == 1 ? 0 : inside_cta];
  wire [`KG-1:0] own_grid = grid[S == 1 ? 0 : inside_cta];
  reg here, stays, goes;
  integer w;
  always @(posedge clock) begin
    comes <= grid_in_valid && !reset;
    {comes_kind, comes_grid} <= {grid_in_kind, grid_in_grid};
    opened_valid <= grid_in_valid && grid_in_kind == OPENED && !reset;
    opened_grid <= grid_in_grid;
    ready <= reset ? 0 : ready_now;
    release_valid <= 0;
    release_warps <= 0;
    for (w = 0; w < `W; w = w + 1) begin
      here = good && inside_kind == WAIT && inside_warp == w;
      goes = waits[w] && comes && comes_kind == READY && waits_for[w] == comes_grid;
      stays = waits[w] && !goes;
      if (here) begin
        stays = of_grid && !ready_now[own_grid];
        goes = goes || !stays;
        waits_for[w] <= own_grid;
      end
      waits[w] <= stays && live[w] && !reset;
      if (goes && live[w] && !reset) begin
        release_valid <= 1;
        release_warps[w] <= 1;
      end
    end
  end

  // CTAs.
  reg [`LC-1:0] last, t;
  reg chosen;
  integer n;
  wire taken = grid_out_valid && grid_out_ready;
  always @(posedge clock) begin
    if (good && inside_kind == LAUNCH && inside_cta < S) asked[inside_cta] <= 1;
    if (taken) begin
      grid_out_valid <= 0;
      // The offered message belongs to the slot that had the last turn.
      if (grid_out_kind == ISSUED) issued[last] <= 1;
      else member[last] <= 0;
    end
    chosen = grid_out_valid;
    for (n = 1; n <= S; n = n + 1) begin
      t = S == 1 ? 0 : last + n;
      if (!chosen && member[t] && (issued[t] ? ended[t] : ended[t] || asked[t])) begin
        chosen = 1;
        last <= t;
        grid_out_valid <= 1;
        grid_out_kind <= issued[t] ? ENDED : ISSUED;
        grid_out_grid <= grid[t];
      end
    end
    if (launch_valid && launch_cta < S) begin
      member[launch_cta] <= launch_has_grid;
      asked[launch_cta] <= 0;
      issued[launch_cta] <= 0;
      grid[launch_cta] <= launch_grid;
    end
    if (reset) begin
      member <= 0;
      asked <= 0;
      issued <= 0;
      last <= S - 1;
      grid_out_valid <= 0;
    end
  end
endmodule
