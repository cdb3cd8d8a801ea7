// SPDX-License-Identifier: Apache-2.0 OR MIT
// Second implementation of `cluster_hub` for two multiprocessors, written by hand from docs/contract/clusters.md alone, for clarity alone.
`include "sizes.vh"
module cluster_hub_reference (
`include "cluster_hub_inputs.vh"
  ,
  output reg to_0_valid,
  output reg to_0_kind,
  output reg [`KC-1:0] to_0_cluster,
  output reg to_1_valid,
  output reg to_1_kind,
  output reg [`KC-1:0] to_1_cluster
);
  localparam N = 1 << `KC;
  localparam [1:0] PRESENT = 0, ARRIVED = 1, GONE = 2, GONE_ODD = 3;
  localparam COMPLETE = 0, CLOSED = 1;
  reg [1:0] members [0:N-1];
  reg [4:0] living [0:N-1];
  reg [4:0] missing [0:N-1];
  reg [N-1:0] odd, due;
  reg [`KC-1:0] last;
  // The slot that had the turn in the previous cycle.
  reg had_turn, closes;
  reg [`KC-1:0] had;

  // The slot that has the turn in this cycle.
  reg has_turn;
  reg [`KC-1:0] turn, t;
  integer n;
  always @(*) begin
    has_turn = 0;
    turn = 0;
    for (n = N; n >= 1; n = n - 1) begin
      t = last + n;
      if (due[t]) begin
        has_turn = 1;
        turn = t;
      end
    end
  end
  always @(posedge clock) begin
    had_turn <= has_turn && !reset;
    had <= turn;
    closes <= living[turn] == 0;
    if (has_turn) last <= turn;
    if (reset) last <= N - 1;
    to_0_valid <= !reset && had_turn && members[had][0];
    to_1_valid <= !reset && had_turn && members[had][1];
    to_0_kind <= closes ? CLOSED : COMPLETE;
    to_1_kind <= closes ? CLOSED : COMPLETE;
    to_0_cluster <= had;
    to_1_cluster <= had;
  end

  // Messages and phases, slot by slot.
  integer k;
  reg mine_0, mine_1, join_0, join_1, gone_0, gone_1, opens, counts_0, counts_1;
  reg [4:0] from;
  always @(posedge clock) for (k = 0; k < N; k = k + 1) begin
    mine_0 = from_0_valid && from_0_cluster == k;
    mine_1 = from_1_valid && from_1_cluster == k;
    join_0 = mine_0 && from_0_kind == PRESENT;
    join_1 = mine_1 && from_1_kind == PRESENT;
    gone_0 = mine_0 && (from_0_kind == GONE || from_0_kind == GONE_ODD);
    gone_1 = mine_1 && (from_1_kind == GONE || from_1_kind == GONE_ODD);
    opens = had_turn && had == k && !closes;
    from = opens ? living[k] : missing[k];
    counts_0 = opens ? gone_0 : mine_0 && (from_0_kind == ARRIVED || from_0_kind == (odd[k] ? GONE_ODD : GONE));
    counts_1 = opens ? gone_1 : mine_1 && (from_1_kind == ARRIVED || from_1_kind == (odd[k] ? GONE_ODD : GONE));
    missing[k] <= from - counts_0 - counts_1;
    living[k] <= living[k] - gone_0 - gone_1;
    if ((join_0 || join_1) && members[k] == 0) begin
      missing[k] <= (join_0 ? from_0_size : 5'd0) | (join_1 ? from_1_size : 5'd0);
      living[k] <= (join_0 ? from_0_size : 5'd0) | (join_1 ? from_1_size : 5'd0);
    end
    members[k] <= members[k] | {join_1, join_0};
    if (has_turn && turn == k) due[k] <= 0;
    if (from == counts_0 + counts_1 && (opens || counts_0 || counts_1)) due[k] <= 1;
    if (opens) odd[k] <= !odd[k];
    if (had_turn && had == k && closes) begin
      members[k] <= 0;
      odd[k] <= 0;
    end
    if (reset) begin
      members[k] <= 0;
      living[k] <= 0;
      missing[k] <= 0;
      odd[k] <= 0;
      due[k] <= 0;
    end
  end
endmodule
