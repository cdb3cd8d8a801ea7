// SPDX-License-Identifier: Apache-2.0 OR MIT
// `cluster_hub` a second time, by hand from docs/clusters.md alone and for clearness alone: two multiprocessors.
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
  localparam [1:0] PRESENT = 0, ARRIVED = 1, GONE = 2;
  localparam COMPLETE = 0, CLOSED = 1;
  reg [15:0] ranks [0:N-1];
  reg [15:0] arrived [0:N-1];
  reg [15:0] gone [0:N-1];
  reg [1:0] members [0:N-1];
  reg [N-1:0] complete_due, closed_due;
  reg [`KC-1:0] last;

  // The slot in turn.
  reg has_turn;
  reg [`KC-1:0] turn, t;
  integer n;
  always @(*) begin
    has_turn = 0;
    turn = 0;
    for (n = N; n >= 1; n = n - 1) begin
      t = last + n;
      if (complete_due[t] || closed_due[t]) begin
        has_turn = 1;
        turn = t;
      end
    end
  end
  always @(posedge clock) begin
    to_0_valid <= !reset && has_turn && (!complete_due[turn] || members[turn][0]);
    to_1_valid <= !reset && has_turn && (!complete_due[turn] || members[turn][1]);
    to_0_kind <= complete_due[turn] ? COMPLETE : CLOSED;
    to_1_kind <= complete_due[turn] ? COMPLETE : CLOSED;
    to_0_cluster <= turn;
    to_1_cluster <= turn;
    if (has_turn) last <= turn;
    if (reset) last <= N - 1;
  end

  // Messages and phases, slot by slot.
  integer k;
  reg mine_0, mine_1;
  reg [15:0] arrives, goes, below;
  always @(posedge clock) for (k = 0; k < N; k = k + 1) begin
    mine_0 = from_0_valid && from_0_cluster == k;
    mine_1 = from_1_valid && from_1_cluster == k;
    arrives = 0;
    goes = 0;
    if (mine_0 && from_0_kind == ARRIVED) arrives = arrives | (16'd1 << from_0_rank);
    if (mine_1 && from_1_kind == ARRIVED) arrives = arrives | (16'd1 << from_1_rank);
    if (mine_0 && from_0_kind == GONE) goes = goes | (16'd1 << from_0_rank);
    if (mine_1 && from_1_kind == GONE) goes = goes | (16'd1 << from_1_rank);
    if (mine_0 && from_0_kind == PRESENT) begin
      ranks[k] <= (32'd1 << from_0_size) - 1;
      members[k][0] <= 1;
    end
    if (mine_1 && from_1_kind == PRESENT) begin
      ranks[k] <= (32'd1 << from_1_size) - 1;
      members[k][1] <= 1;
    end
    if (has_turn && turn == k) complete_due[k] <= 0;
    arrived[k] <= (arrived[k] | arrives) & ~goes;
    if (arrived[k] != 0 && (ranks[k] & ~arrived[k] & ~gone[k]) == 0) begin
      complete_due[k] <= 1;
      arrived[k] <= arrives & ~goes;
    end
    gone[k] <= gone[k] | goes;
    if (gone[k] != 0 && (ranks[k] & ~gone[k]) == 0) closed_due[k] <= 1;
    if (reset || (has_turn && turn == k && !complete_due[k])) begin
      ranks[k] <= 0;
      arrived[k] <= 0;
      gone[k] <= 0;
      members[k] <= 0;
      complete_due[k] <= 0;
      closed_due[k] <= 0;
    end
  end
endmodule
