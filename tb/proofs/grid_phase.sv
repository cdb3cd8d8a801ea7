// SPDX-License-Identifier: Apache-2.0 OR MIT
// Two multiprocessors with `grid`, joined to `grid_hub` by links of arbitrary delay. The host opens and closes grids at any time. CTAs
// launch where `may_launch` allows it. Their warps issue launch_dependents and waits and exit, and CTAs end, at any time.
`include "sizes.vh"
`ifndef WARPS
`define WARPS `W'd1
`endif
`ifndef GRIDS
`define GRIDS `KG'd1
`endif
`ifndef MOST_CTAS
`define MOST_CTAS 2
`endif

// A multiprocessor: `grid`, its warps and CTAs, and its links. The environment chooses the inputs; `k` is the followed grid.
module phase_sm (
  input wire clock, input wire reset, input wire [`KG-1:0] k,
  input wire launch_valid, input wire [`LC-1:0] launch_cta, input wire launch_has_grid, input wire [`KG-1:0] launch_grid,
  input wire [`W-1:0] launch_warps, input wire [`W-1:0] exits, input wire [`C-1:0] ends,
  input wire op_valid, input wire op_kind, input wire [`LW-1:0] op_warp, input wire up_passes, input wire down_passes,
  input wire to_valid, input wire to_kind, input wire [`KG-1:0] to_grid,
  output wire from_valid, output wire from_kind, output wire [`KG-1:0] from_grid,
  output wire opened_valid, output wire [`KG-1:0] opened_grid,
  // For each CTA slot: `member`, its CTA belongs to a grid; `grids`, that grid; `issued`, the CTA has sent launch_dependents or has ended;
  // `ended`, the CTA has ended.
  output reg [`C-1:0] member, output wire [`C*`KG-1:0] grids, output wire [`C-1:0] issued, output reg [`C-1:0] ended,
  // `mine`: warps of the followed grid; `waiting`: warps that wait; `goes`: warps that are released.
  output reg [`W-1:0] mine, output wire [`W-1:0] waiting, output wire [`W-1:0] goes,
  // `tells`: a message about the followed grid is in flight to the hub. `comes`: the grid's Opened message is in flight from the hub.
  // `invents`: a warp that does not wait is released.
  output wire tells, output wire comes, output wire invents
);
  localparam OPENED = 0;
  wire out_valid, out_kind, up_full, down_full, in_valid, in_kind;
  wire [`KG-1:0] out_grid, in_grid;
  wire [1:0] up_filled, down_filled;
  localparam BITS = 1 + `KG;
  wire [2*BITS-1:0] up_places, down_places;
  phase_link #(.BITS(BITS)) up (.clock(clock), .reset(reset), .in_valid(out_valid && !up_full), .in({out_kind, out_grid}), .passes(up_passes),
    .full(up_full), .out_valid(from_valid), .out({from_kind, from_grid}), .filled(up_filled), .places(up_places));
  phase_link #(.BITS(BITS)) down (.clock(clock), .reset(reset), .in_valid(to_valid), .in({to_kind, to_grid}), .passes(down_passes),
    .full(down_full), .out_valid(in_valid), .out({in_kind, in_grid}), .filled(down_filled), .places(down_places));
  assign tells = (out_valid && out_grid == k) || (up_filled != 0 && up_places[`KG-1:0] == k) || (up_filled == 2 && up_places[BITS+:`KG] == k);
  wire [BITS-1:0] opens = {1'b0, k};
  assign comes = (to_valid && {to_kind, to_grid} == opens) || (down_filled != 0 && down_places[BITS-1:0] == opens)
    || (down_filled == 2 && down_places[2*BITS-1:BITS] == opens) || (opened_valid && opened_grid == k);

  wire op_ready, commit_valid, commit_refused, release_valid, fault_valid, fault_has_warp;
  wire [`W-1:0] commit_warps;
  wire [`C-1:0] freed;
  wire [5:0] fault_code;
  wire [`LW-1:0] fault_warp;
  wire [`LC-1:0] fault_cta;
  reg [`W-1:0] live;
  reg [`LC-1:0] cta_of [0:`W-1];
  wire [`LC-1:0] op_cta = cta_of[op_warp];
  bcu_grid grid (
    .clock(clock), .reset(reset), .launch_valid(launch_valid), .launch_cta(launch_cta), .launch_has_grid(launch_has_grid), .launch_grid(launch_grid),
    .live(live), .ended(ended), .op_valid(op_valid), .op_ready(op_ready), .op_kind(op_kind), .op_fault(6'd0), .op_warp(op_warp), .op_cta(op_cta),
    .grid_in_valid(in_valid), .grid_in_kind(in_kind), .grid_in_grid(in_grid), .grid_out_valid(out_valid), .grid_out_ready(!up_full),
    .grid_out_kind(out_kind), .grid_out_grid(out_grid), .commit_valid(commit_valid), .commit_warps(commit_warps), .commit_refused(commit_refused),
    .release_valid(release_valid), .release_warps(goes), .waiting(waiting), .fault_valid(fault_valid), .fault_ready(1'b1), .fault_code(fault_code),
    .fault_has_warp(fault_has_warp), .fault_warp(fault_warp), .fault_cta(fault_cta), .opened_valid(opened_valid), .opened_grid(opened_grid),
    .freed(freed)
  );

  // Warps and CTAs. A warp has at most one operation in flight, and it exits only while it has none.
  reg [`KG-1:0] grid_of [0:`C-1];
  reg [`C-1:0] asked, some_live, fresh;
  reg [`W-1:0] busy, waits_from;
  integer w, s, w_1, s_1;
  always @(*) for (s_1 = 0; s_1 < `C; s_1 = s_1 + 1) begin
    some_live[s_1] = 0;
    for (w_1 = 0; w_1 < `W; w_1 = w_1 + 1) if (live[w_1] && cta_of[w_1] == s_1) some_live[s_1] = 1;
  end
  genvar g;
  generate for (g = 0; g < `C; g = g + 1) assign grids[`KG*g+:`KG] = grid_of[g]; endgenerate
  assign issued = asked | ended;
  always @(posedge clock) begin
    for (w = 0; w < `W; w = w + 1) begin
      if (commit_valid && commit_warps[w]) busy[w] <= 0;
      // `waits_from` is still 1 in the cycle after a wait ends, because `release` may output the warp in that cycle.
      waits_from[w] <= waiting[w] || (busy[w] && !waits_from[w]);
      if (exits[w]) live[w] <= 0;
      if (op_valid && op_warp == w) begin
        busy[w] <= 1;
        if (op_kind == 0) asked[op_cta] <= 1;
      end
      if (launch_valid && launch_warps[w]) begin
        live[w] <= 1;
        cta_of[w] <= launch_cta;
        mine[w] <= launch_has_grid && launch_grid == k;
      end
      if (reset) begin
        live[w] <= 0;
        mine[w] <= 0;
        busy[w] <= 0;
      end
    end
    for (s = 0; s < `C; s = s + 1) begin
      if (ends[s] && !some_live[s]) ended[s] <= 1;
      if (launch_valid && launch_cta == s) begin
        ended[s] <= 0;
        asked[s] <= 0;
        member[s] <= launch_has_grid;
        grid_of[s] <= launch_grid;
      end
      if (reset) begin
        ended[s] <= 1;
        member[s] <= 0;
      end
    end
    fresh <= 0;
    if (launch_valid) fresh[launch_cta] <= 1;
  end
  // Interface assumptions (the contract's *What the user promises*).
  always @(*) begin
    if (launch_valid) assume (!reset && launch_cta < `C && freed[launch_cta] && ended[launch_cta] && (launch_warps & (live | busy)) == 0);
    assume ((ends & fresh) == 0);
    if (op_valid) assume (!reset && live[op_warp] && !busy[op_warp] && !waiting[op_warp]);
    assume ((exits & busy) == 0 && (!op_valid || !exits[op_warp]));
  end
  // A warp is released that neither waited nor had a wait in flight.
  assign invents = |(goes & ~waits_from);
endmodule

// Every proof begins with one cycle of reset, from any state. The task limits the grids, warps and CTAs of a grid that the solver may
// choose, because the other grids, warps and CTAs behave alike.
module grid_phase (
  input wire clock,
  input wire [1:0] launch_valid, input wire [2*`LC-1:0] launch_cta, input wire [1:0] launch_has_grid, input wire [2*`KG-1:0] any_grid,
  input wire [2*`W-1:0] any_warps, input wire [2*`W-1:0] exits, input wire [2*`C-1:0] ends, input wire [1:0] any_op, input wire [1:0] op_kind,
  input wire [2*`LW-1:0] op_warp, input wire [1:0] up_passes, input wire [1:0] down_passes,
  input wire open_valid, input wire [`KG-1:0] any_open, input wire [1:0] any_ctas, input wire [(1<<`KG)-1:0] any_prerequisites, input wire open_early,
  input wire close_valid, input wire [`KG-1:0] any_close, input wire flush_ready, input wire flushed_valid, input wire [`KG-1:0] any_flushed
);
  localparam G = 1 << `KG;
  // The followed grid.
  localparam [`KG-1:0] k = 0;
  // A warp of either multiprocessor: the highest bit, bit LW, gives the multiprocessor.
  (* anyconst *) reg [`LW:0] x;
  wire [2*`KG-1:0] launch_grid = any_grid & {2{`GRIDS}};
  wire [`KG-1:0] open_grid = any_open & `GRIDS, close_grid = any_close & `GRIDS, flushed_grid = any_flushed & `GRIDS;
  wire [G-1:0] open_prerequisites = any_prerequisites & ((1 << (`GRIDS + 1)) - 1);
  wire [31:0] open_ctas = any_ctas;
  wire [2*`W-1:0] launch_warps = any_warps & {2{`WARPS}};
  wire [1:0] op_valid = any_op & {2{`WARPS != 0}};
  reg begun = 0;
  always @(posedge clock) begun <= 1;
  wire reset = !begun;

  wire [1:0] from_valid, from_kind, to_valid, to_kind, opened_valid, tells, comes, invents;
  wire [2*`KG-1:0] from_grid, to_grid, opened_grid;
  wire [2*`C-1:0] member, issued, ended;
  wire [2*`C*`KG-1:0] grids;
  wire [2*`W-1:0] mine, waiting, goes;
  genvar i;
  generate for (i = 0; i < 2; i = i + 1) begin : sm
    phase_sm at (
      .clock(clock), .reset(reset), .k(k), .launch_valid(launch_valid[i]), .launch_cta(launch_cta[`LC*i+:`LC]), .launch_has_grid(launch_has_grid[i]),
      .launch_grid(launch_grid[`KG*i+:`KG]), .launch_warps(launch_warps[`W*i+:`W]), .exits(exits[`W*i+:`W]), .ends(ends[`C*i+:`C]),
      .op_valid(op_valid[i]), .op_kind(op_kind[i]), .op_warp(op_warp[`LW*i+:`LW]), .up_passes(up_passes[i]), .down_passes(down_passes[i]),
      .to_valid(to_valid[i]), .to_kind(to_kind[i]), .to_grid(to_grid[`KG*i+:`KG]), .from_valid(from_valid[i]), .from_kind(from_kind[i]),
      .from_grid(from_grid[`KG*i+:`KG]), .opened_valid(opened_valid[i]), .opened_grid(opened_grid[`KG*i+:`KG]), .member(member[`C*i+:`C]),
      .grids(grids[`C*`KG*i+:`C*`KG]), .issued(issued[`C*i+:`C]), .ended(ended[`C*i+:`C]), .mine(mine[`W*i+:`W]), .waiting(waiting[`W*i+:`W]),
      .goes(goes[`W*i+:`W]), .tells(tells[i]), .comes(comes[i]), .invents(invents[i])
    );
  end endgenerate
  wire open_ready, close_ready, answer_valid, answer_refused, closed_valid, closed_refused, flush_valid;
  wire [`KG-1:0] answer_grid, closed_grid, flush_grid;
  wire [G-1:0] may_launch, open_grids, flushed_grids;
  bcu_grid_hub hub (
    .clock(clock), .reset(reset), .from_0_valid(from_valid[0]), .from_0_kind(from_kind[0]), .from_0_grid(from_grid[`KG-1:0]),
    .from_1_valid(from_valid[1]), .from_1_kind(from_kind[1]), .from_1_grid(from_grid[2*`KG-1:`KG]), .to_0_valid(to_valid[0]), .to_0_kind(to_kind[0]),
    .to_0_grid(to_grid[`KG-1:0]), .to_1_valid(to_valid[1]), .to_1_kind(to_kind[1]), .to_1_grid(to_grid[2*`KG-1:`KG]), .open_valid(open_valid),
    .open_ready(open_ready), .open_grid(open_grid), .open_ctas(open_ctas), .open_prerequisites(open_prerequisites), .open_early(open_early),
    .opened_valid(answer_valid), .opened_grid(answer_grid), .opened_refused(answer_refused), .close_valid(close_valid), .close_ready(close_ready),
    .close_grid(close_grid), .closed_valid(closed_valid), .closed_grid(closed_grid), .closed_refused(closed_refused), .flush_valid(flush_valid),
    .flush_ready(flush_ready), .flush_grid(flush_grid), .flushed_valid(flushed_valid), .flushed_grid(flushed_grid), .may_launch(may_launch),
    .open_grids(open_grids), .flushed_grids(flushed_grids)
  );

  // The state of each grid, from the actions of host, memory, scheduler and CTAs. `used`: from the grid's open to its close. `asked`: from
  // its transfer on `flush` to its `flushed`. `done`: from its `flushed` to its close. `needs`: its prerequisites that are not done.
  // `left`: the number of its CTAs that are not yet launched.
  reg [G-1:0] used, asked, done, early;
  reg [G-1:0] needs [0:G-1];
  reg [1:0] left [0:G-1];
  // Number of Opened messages that each multiprocessor has yet to output for each grid slot; the last of them belongs to the slot's present
  // grid.
  reg [1:0] owed [0:2*G-1];
  wire opens = open_valid && !used[open_grid] && open_ctas != 0 && !reset;
  wire [G-1:0] ends_now = flushed_valid ? 1 << flushed_grid : 0;
  // `all_issued`: all CTAs of the grid have sent launch_dependents or ended. `all_ended`: all CTAs of the grid have ended.
  reg [G-1:0] all_issued, all_ended;
  reg [1:0] joins;
  integer g, m, s, g_1, s_1, m_1;
  always @(*) begin
    for (g_1 = 0; g_1 < G; g_1 = g_1 + 1) begin
      all_issued[g_1] = used[g_1] && left[g_1] == 0;
      all_ended[g_1] = used[g_1] && left[g_1] == 0;
      for (s_1 = 0; s_1 < 2 * `C; s_1 = s_1 + 1) if (member[s_1] && grids[`KG*s_1+:`KG] == g_1) begin
        if (!issued[s_1]) all_issued[g_1] = 0;
        if (!ended[s_1]) all_ended[g_1] = 0;
      end
    end
    for (m_1 = 0; m_1 < 2; m_1 = m_1 + 1) joins[m_1] = launch_valid[m_1] && launch_has_grid[m_1];
  end
  always @(posedge clock) begin
    for (g = 0; g < G; g = g + 1) begin
      left[g] <= left[g] - (joins[0] && launch_grid[`KG-1:0] == g) - (joins[1] && launch_grid[2*`KG-1:`KG] == g);
      needs[g] <= needs[g] & ~ends_now;
      if (flush_valid && flush_ready && flush_grid == g) asked[g] <= 1;
      if (ends_now[g]) begin
        asked[g] <= 0;
        done[g] <= 1;
      end
      if (close_valid && close_grid == g && done[g]) {used[g], done[g]} <= 0;
      if (opens && open_grid == g) begin
        used[g] <= 1;
        early[g] <= open_early;
        needs[g] <= open_prerequisites & used & ~done & ~ends_now;
        left[g] <= any_ctas;
      end
      for (m = 0; m < 2; m = m + 1)
        owed[G*m+g] <= reset ? 0 : owed[G*m+g] + (opens && open_grid == g) - (opened_valid[m] && opened_grid[`KG*m+:`KG] == g);
    end
    if (reset) {used, asked, done} <= 0;
  end
  // Interface assumptions (the contract's *What the user promises*).
  reg [1:0] flush_waits = 0;
  always @(posedge clock) flush_waits <= reset || !flush_valid || flush_ready ? 0 : flush_waits + 1;
  integer m_2;
  always @(*) begin
    for (m_2 = 0; m_2 < 2; m_2 = m_2 + 1) if (joins[m_2])
      assume (may_launch[launch_grid[`KG*m_2+:`KG]] && owed[G*m_2+launch_grid[`KG*m_2+:`KG]] == 0 && left[launch_grid[`KG*m_2+:`KG]] != 0);
    if (joins == 3 && launch_grid[`KG-1:0] == launch_grid[2*`KG-1:`KG]) assume (left[launch_grid[`KG-1:0]] > 1);
    if (flushed_valid) assume (!reset && asked[flushed_grid]);
    if (open_valid) assume (any_ctas <= `MOST_CTAS && owed[open_grid] != 3 && owed[G+open_grid] != 3);
    if (flush_waits == 1) assume (flush_ready);
  end

  // `LAUNCH`, `WAIT`, `FLUSH` and `SHOW`: bounds in cycles, for links that delay by at most one cycle.
  localparam LAUNCH = 12, WAIT = 10, FLUSH = 16, SHOW = 10;
  reg [4:0] unlaunched = 0, stands = 0, unflushed = 0, unshown = 0;
  wire may = used[k] && !done[k] && !all_ended[k] && (needs[k] & ~(early[k] ? all_issued : {G{1'b0}})) == 0;
  reg requested;
  always @(posedge clock) begin
    unlaunched <= !reset && may && !may_launch[k] ? unlaunched + 1 : 0;
    stands <= !reset && mine[x] && waiting[x] && needs[k] == 0 ? stands + 1 : 0;
    unflushed <= !reset && all_ended[k] && !asked[k] && !done[k] ? unflushed + 1 : 0;
    unshown <= !reset && owed[G*x[`LW]+k] != 0 ? unshown + 1 : 0;
  end
  always @(posedge clock) if (begun && !reset) begin
    if (may_launch[k]) g_launch_early: assert (used[k] && (needs[k] & ~(early[k] ? all_issued : {G{1'b0}})) == 0);
    g_launch_never: assert (unlaunched < LAUNCH);
    if (goes[x] && mine[x]) g_wait_early: assert (used[k] && needs[k] == 0);
    g_wait_never: assert (stands < WAIT);
    if (flush_valid && flush_grid == k) g_flush_early: assert (all_ended[k] && !asked[k] && !done[k]);
    g_flush_never: assert (unflushed < FLUSH);
    g_opened: assert (unshown < SHOW);
    if (!open_grids[k]) g_quiet: assert (tells == 0);
    if (owed[G*x[`LW]+k] == 0) g_once: assert (!comes[x[`LW]]);
    g_invented: assert (invents == 0);
`ifdef COVER
    starts_early: cover (joins[x[`LW]] && launch_grid[`KG*x[`LW]+:`KG] == k && needs[k] != 0);
    waited: cover (goes[x] && mine[x] && $past(waiting[x]));
    again: cover (opens && open_grid == k && owed[G*x[`LW]+k] == 0 && done == 0 && flushed_grids == 0 && used == 0 && $past(closed_valid));
`endif
  end
endmodule
