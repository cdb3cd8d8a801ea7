// SPDX-License-Identifier: Apache-2.0 OR MIT
// Two multiprocessors with `cluster`, joined to `cluster_hub` by links of arbitrary delay. CTAs launch, exit warp by warp, retire and end
// at any time; for cluster slot 0 the scheduler keeps its interface assumptions.
`include "sizes.vh"
`ifndef RANKS
`define RANKS 4'd1
`endif
`ifndef CLUSTERS
`define CLUSTERS `KC'd1
`endif
`ifndef WARPS
`define WARPS `W'd3
`endif

// A multiprocessor: `cluster`, its warps and CTAs, and its links. The environment chooses the inputs; `k` is the followed cluster.
module phase_sm (
  input wire clock, input wire reset, input wire [`KC-1:0] k,
  input wire launch_valid, input wire [`LC-1:0] launch_cta, input wire [`KC-1:0] launch_cluster, input wire [3:0] launch_rank,
  input wire [4:0] launch_size, input wire [`W-1:0] launch_warps, input wire [`W-1:0] exits, input wire [`C-1:0] ends,
  input wire op_valid, input wire op_kind, input wire [`LW-1:0] op_warp, input wire fault_ready, input wire up_passes, input wire down_passes,
  input wire to_valid, input wire to_kind, input wire [`KC-1:0] to_cluster,
  output wire from_valid, output wire [1:0] from_kind, output wire [`KC-1:0] from_cluster, output wire [3:0] from_rank, output wire [4:0] from_size,
  // `mine`: warps of the followed cluster; `live`: live warps; `arrivals`: phases that each warp has arrived at, two bits a warp;
  // `waiting`: warps that wait; `goes`: warps that are released.
  output reg [`W-1:0] mine, output reg [`W-1:0] live, output wire [2*`W-1:0] arrivals, output wire [`W-1:0] waiting, output wire [`W-1:0] goes,
  // `followed`: CTAs of the followed cluster; `ended`: CTAs that have ended; `some_live`: CTAs that have a live warp; `closed`: the unit
  // outputs `closed` for the followed cluster; `under_way`: a message about the followed cluster is in flight.
  output reg [`C-1:0] followed, output reg [`C-1:0] ended, output reg [`C-1:0] some_live, output wire closed, output wire under_way,
  output wire invents, output wire [`C-1:0] leaves
);
  // Messages to and from the hub.
  wire [1:0] out_kind, up_filled, down_filled;
  wire [`KC-1:0] out_cluster, in_cluster;
  wire [3:0] out_rank;
  wire [4:0] out_size;
  wire out_valid, up_full, down_full, in_valid, in_kind;
  localparam UP = 2 + `KC + 4 + 5, DOWN = 1 + `KC;
  wire [2*UP-1:0] up_places;
  wire [2*DOWN-1:0] down_places;
  phase_link #(.BITS(UP)) up (.clock(clock), .reset(reset), .in_valid(out_valid && !up_full), .in({out_kind, out_rank, out_size, out_cluster}),
    .passes(up_passes), .full(up_full), .out_valid(from_valid), .out({from_kind, from_rank, from_size, from_cluster}), .filled(up_filled),
    .places(up_places));
  phase_link #(.BITS(DOWN)) down (.clock(clock), .reset(reset), .in_valid(to_valid), .in({to_kind, to_cluster}), .passes(down_passes),
    .full(down_full), .out_valid(in_valid), .out({in_kind, in_cluster}), .filled(down_filled), .places(down_places));
  assign under_way = (out_valid && out_cluster == k) || (up_filled != 0 && up_places[`KC-1:0] == k)
    || (up_filled == 2 && up_places[UP+`KC-1:UP] == k) || (to_valid && to_cluster == k) || (down_filled != 0 && down_places[`KC-1:0] == k)
    || (down_filled == 2 && down_places[DOWN+`KC-1:DOWN] == k);

  wire op_ready, commit_valid, commit_refused, release_valid, closed_valid, fault_valid, fault_has_warp;
  wire [`W-1:0] commit_warps;
  wire [`KC-1:0] closed_cluster;
  wire [`C-1:0] freed;
  wire [5:0] fault_code;
  wire [`LW-1:0] fault_warp;
  wire [`LC-1:0] fault_cta;
  reg [`W-1:0] cta_of;
  wire [`LC-1:0] op_cta = cta_of[op_warp];
  bcu_cluster cluster (
    .clock(clock), .reset(reset), .launch_valid(launch_valid), .launch_cta(launch_cta), .launch_cluster(launch_cluster),
    .launch_rank(launch_rank), .launch_size(launch_size), .live(live), .warp_cta_0(cta_of), .ended(ended), .op_valid(op_valid),
    .op_ready(op_ready), .op_kind(op_kind), .op_fault(6'd0), .op_warp(op_warp), .op_cta(op_cta), .cluster_in_valid(in_valid),
    .cluster_in_kind(in_kind), .cluster_in_cluster(in_cluster), .cluster_out_valid(out_valid), .cluster_out_ready(!up_full),
    .cluster_out_kind(out_kind), .cluster_out_cluster(out_cluster), .cluster_out_rank(out_rank), .cluster_out_size(out_size),
    .commit_valid(commit_valid), .commit_warps(commit_warps), .commit_refused(commit_refused), .release_valid(release_valid),
    .release_warps(goes), .waiting(waiting), .closed_valid(closed_valid), .closed_cluster(closed_cluster), .freed(freed),
    .fault_valid(fault_valid), .fault_ready(fault_ready), .fault_code(fault_code), .fault_has_warp(fault_has_warp),
    .fault_warp(fault_warp), .fault_cta(fault_cta)
  );
  assign closed = closed_valid && closed_cluster == k;

  // Warps and CTAs.
  reg [1:0] count [0:`W-1];
  reg [`W-1:0] waits_from;
  reg last_arrives;
  wire take = op_valid && op_ready && !reset;
  wire joins = launch_size > 1 && launch_cluster == k;
  integer w, s, w_1, s_1;
  always @(*) for (s_1 = 0; s_1 < `C; s_1 = s_1 + 1) begin
    some_live[s_1] = 0;
    for (w_1 = 0; w_1 < `W; w_1 = w_1 + 1) if (live[w_1] && cta_of[w_1] == s_1) some_live[s_1] = 1;
  end
  genvar g;
  generate for (g = 0; g < `W; g = g + 1) assign arrivals[2*g+:2] = count[g]; endgenerate
  reg [`C-1:0] fresh;
  always @(posedge clock) begin
    last_arrives <= op_kind == 0;
    for (w = 0; w < `W; w = w + 1) begin
      waits_from[w] <= waiting[w] || (take && op_kind == 1 && op_warp == w);
      if (exits[w]) live[w] <= 0;
      if (commit_valid && commit_warps[w] && !commit_refused && last_arrives) count[w] <= count[w] + 1;
      if (launch_valid && launch_warps[w]) begin
        live[w] <= 1;
        cta_of[w] <= launch_cta;
        mine[w] <= joins;
        count[w] <= 0;
      end
      if (reset) begin
        live[w] <= 0;
        mine[w] <= 0;
      end
    end
    for (s = 0; s < `C; s = s + 1) begin
      if (ends[s] && !some_live[s]) ended[s] <= 1;
      if (launch_valid && launch_cta == s) begin
        ended[s] <= 0;
        followed[s] <= joins;
      end else if (freed[s]) followed[s] <= 0;
      if (reset) begin
        ended[s] <= 1;
        followed[s] <= 0;
      end
    end
    fresh <= 0;
    if (launch_valid && launch_cta < `C) fresh[launch_cta] <= 1;
  end
  // Interface assumptions (the contract's *What the user promises*).
  always @(*) begin
    if (launch_valid) assume (!reset && launch_cta < `C && freed[launch_cta] && ended[launch_cta] && (launch_warps & live) == 0);
    if (launch_valid) assume (launch_size != 0 && launch_size <= 16 && launch_rank < launch_size);
    assume ((ends & fresh) == 0);
    if (op_valid) assume (live[op_warp] && !waiting[op_warp]);
  end
  // A warp is released that neither waited nor had a wait in flight.
  assign invents = |(goes & ~waits_from);
  // CTA slots of the followed cluster that are freed in this cycle.
  assign leaves = followed & freed;
endmodule

// Every proof begins with one cycle of reset, from any state. The task limits the ranks, cluster slots and warps of a multiprocessor that
// the solver may choose, because the other ranks, slots and warps behave alike.
module cluster_phase (
  input wire clock,
  input wire [1:0] launch_valid, input wire [2*`LC-1:0] launch_cta, input wire [2*`KC-1:0] any_cluster, input wire [7:0] any_rank,
  input wire [9:0] any_size, input wire [2*`W-1:0] any_warps, input wire [2*`W-1:0] exits, input wire [2*`C-1:0] ends,
  input wire [1:0] any_op, input wire [1:0] op_kind, input wire [2*`LW-1:0] op_warp, input wire [1:0] fault_ready,
  input wire [1:0] up_passes, input wire [1:0] down_passes
);
  localparam [`KC-1:0] k = 0;
  wire [2*`KC-1:0] launch_cluster = any_cluster & {2{`CLUSTERS}};
  wire [7:0] launch_rank = any_rank & {2{`RANKS}};
  wire [9:0] launch_size = any_size & {2{`RANKS, 1'b1}};
  wire [1:0] op_valid = any_op & {2{`WARPS != 0}};
  wire [2*`W-1:0] launch_warps = any_warps & {2{`WARPS}};
  // Two warps, each of either multiprocessor: the highest bit, bit LW, gives the multiprocessor.
  (* anyconst *) reg [`LW:0] x, y;
  reg begun = 0;
  always @(posedge clock) begun <= 1;
  wire reset = !begun;

  wire [1:0] from_valid, to_valid, to_kind, closed, under_way, invents;
  wire [3:0] from_kind;
  wire [2*`KC-1:0] from_cluster, to_cluster;
  wire [7:0] from_rank;
  wire [9:0] from_size;
  wire [2*`W-1:0] mine, live, waiting, goes;
  wire [4*`W-1:0] arrivals;
  wire [2*`C-1:0] followed, ended, some_live, leaves;
  genvar i;
  generate for (i = 0; i < 2; i = i + 1) begin : sm
    phase_sm at (
      .clock(clock), .reset(reset), .k(k), .launch_valid(launch_valid[i]), .launch_cta(launch_cta[`LC*i+:`LC]),
      .launch_cluster(launch_cluster[`KC*i+:`KC]), .launch_rank(launch_rank[4*i+:4]), .launch_size(launch_size[5*i+:5]),
      .launch_warps(launch_warps[`W*i+:`W]), .exits(exits[`W*i+:`W]), .ends(ends[`C*i+:`C]), .op_valid(op_valid[i]), .op_kind(op_kind[i]),
      .op_warp(op_warp[`LW*i+:`LW]), .fault_ready(fault_ready[i]), .up_passes(up_passes[i]), .down_passes(down_passes[i]),
      .to_valid(to_valid[i]), .to_kind(to_kind[i]), .to_cluster(to_cluster[`KC*i+:`KC]), .from_valid(from_valid[i]),
      .from_kind(from_kind[2*i+:2]), .from_cluster(from_cluster[`KC*i+:`KC]), .from_rank(from_rank[4*i+:4]), .from_size(from_size[5*i+:5]),
      .mine(mine[`W*i+:`W]), .live(live[`W*i+:`W]), .arrivals(arrivals[2*`W*i+:2*`W]), .waiting(waiting[`W*i+:`W]),
      .goes(goes[`W*i+:`W]), .followed(followed[`C*i+:`C]), .ended(ended[`C*i+:`C]), .some_live(some_live[`C*i+:`C]), .closed(closed[i]),
      .under_way(under_way[i]), .invents(invents[i]), .leaves(leaves[`C*i+:`C])
    );
  end endgenerate
  bcu_cluster_hub hub (
    .clock(clock), .reset(reset), .from_0_valid(from_valid[0]), .from_0_kind(from_kind[1:0]), .from_0_cluster(from_cluster[`KC-1:0]),
    .from_0_rank(from_rank[3:0]), .from_0_size(from_size[4:0]), .from_1_valid(from_valid[1]), .from_1_kind(from_kind[3:2]),
    .from_1_cluster(from_cluster[2*`KC-1:`KC]), .from_1_rank(from_rank[7:4]), .from_1_size(from_size[9:5]), .to_0_valid(to_valid[0]),
    .to_0_kind(to_kind[0]), .to_0_cluster(to_cluster[`KC-1:0]), .to_1_valid(to_valid[1]), .to_1_kind(to_kind[1]),
    .to_1_cluster(to_cluster[2*`KC-1:`KC])
  );

  // The scheduler's state: the cluster's size, the launched ranks, and the multiprocessors that have CTAs of the cluster and have not yet
  // output `closed` for it.
  reg busy = 0;
  reg [4:0] size;
  reg [15:0] launched;
  reg [1:0] open;
  reg [1:0] joins;
  integer m, m_1;
  always @(*) for (m_1 = 0; m_1 < 2; m_1 = m_1 + 1)
    joins[m_1] = launch_valid[m_1] && launch_size[5*m_1+:5] > 1 && launch_cluster[`KC*m_1+:`KC] == k;
  wire names = !busy && joins != 0;
  wire [1:0] still = (open & ~closed) | joins;
  wire whole = launched == (17'd1 << size) - 1;
  always @(posedge clock) begin
    busy <= (busy || joins != 0) && still != 0;
    open <= still;
    if (names) size <= joins[0] ? launch_size[4:0] : launch_size[9:5];
    launched <= (names ? 16'd0 : launched) | (joins[0] ? 16'd1 << launch_rank[3:0] : 16'd0) | (joins[1] ? 16'd1 << launch_rank[7:4] : 16'd0);
    if (reset) {busy, open, launched} <= 0;
  end
  always @(*) for (m = 0; m < 2; m = m + 1) if (joins[m]) begin
    if (busy) assume (launch_size[5*m+:5] == size && !launched[launch_rank[4*m+:4]]);
    if (joins == 3) assume (launch_size[4:0] == launch_size[9:5] && launch_rank[3:0] != launch_rank[7:4]);
    // The scheduler holds the list of CTAs to launch, so it launches none into a cluster that closes in this cycle.
    if (busy) assume (still != 0 && (open & ~closed) != 0);
  end

  // Number of phases by which warp x is ahead of warp y, modulo 4.
  wire [1:0] of_x = arrivals >> (2 * x), of_y = arrivals >> (2 * y);
  wire [1:0] ahead = of_x - of_y;
  // The phase is complete: each CTA of the cluster has a live warp or has ended, and all live warps have arrived as often as warp x.
  reg all_there;
  reg [1:0] before;
  integer n;
  always @(*) begin
    all_there = whole && busy && (followed & ~some_live & ~ended) == 0;
    for (n = 0; n < 2 * `W; n = n + 1) begin
      before = of_x - arrivals[2*n+:2];
      if (mine[n] && live[n] && before == 1) all_there = 0;
    end
  end
  localparam MOST = 14;
  reg [5:0] stands = 0, lingers = 0;
  wire all_ended = busy && whole && (followed & ~ended) == 0;
  always @(posedge clock) begin
    stands <= !reset && all_there && mine[x] && live[x] && waiting[x] ? stands + 1 : 0;
    lingers <= !reset && all_ended ? lingers + 1 : 0;
  end
  always @(posedge clock) if (begun && !reset) begin
    if (goes[x] && mine[x]) p_whole: assert (whole && busy);
    if (goes[x] && mine[x] && mine[y] && live[y]) p_early: assert (ahead == 0 || ahead == 3);
    p_never: assert (stands < MOST);
    p_closed: assert (lingers < MOST);
    if (leaves != 0) p_kept: assert (whole && (followed & ~ended) == 0);
    if (!busy) p_quiet: assert (under_way == 0);
    p_invented: assert (invents == 0);
`ifdef COVER
    passes: cover (goes[x] && mine[x] && of_x == 2 && mine[y] && live[y]);
    goes_on_alone: cover (goes[x] && mine[x] && mine[y] && !live[y] && of_y == 0 && x[`LW] != y[`LW]);
    again: cover (names && launched != 0);
`endif
  end
endmodule
