// SPDX-License-Identifier: Apache-2.0 OR MIT
// Second implementation of `cluster`, written by hand from docs/contract/clusters.md alone, for clarity alone. The comments give the
// headings of that page. It covers sizes with a 1-bit CTA slot number and `faults = true`.
`include "sizes.vh"
module cluster_reference (
`include "cluster_inputs.vh"
  ,
  output wire op_ready,
  output reg cluster_out_valid,
  output reg [1:0] cluster_out_kind,
  output reg [`KC-1:0] cluster_out_cluster,
  output reg [3:0] cluster_out_rank,
  output reg [4:0] cluster_out_size,
  output reg commit_valid,
  output reg [`W-1:0] commit_warps,
  output reg commit_refused,
  output reg release_valid,
  output reg [`W-1:0] release_warps,
  output wire [`W-1:0] waiting,
  output reg closed_valid,
  output reg [`KC-1:0] closed_cluster,
  output wire [`C-1:0] freed,
  output reg fault_valid,
  output reg [5:0] fault_code,
  output reg fault_has_warp,
  output reg [`LW-1:0] fault_warp,
  output reg [`LC-1:0] fault_cta
);
  localparam S = `C;
  localparam [1:0] PRESENT = 0, ARRIVED = 1, GONE = 2, GONE_ODD = 3;
  localparam [5:0] NOT_RESIDENT = 1, DOUBLE_ARRIVAL = 31, WAIT_WITHOUT_ARRIVAL = 32;
  wire is_arrive = op_kind == 0, is_wait = op_kind == 1;
  wire complete = cluster_in_valid && cluster_in_kind == 0, closed = cluster_in_valid && cluster_in_kind == 1;

  reg [`W-1:0] arrived, passed, waits;
  reg [S-1:0] joined, owes, sent, gone, odd, full, told;
  reg [`KC-1:0] cluster [0:S-1];
  reg [3:0] rank [0:S-1];
  reg [4:0] size [0:S-1];
  reg [`LC-1:0] last;
  assign waiting = waits;
  assign freed = ~joined;

  // Operations.
  assign op_ready = !fault_valid;
  wire take = op_valid && op_ready;
  wire armed = arrived[op_warp] || passed[op_warp];
  wire [5:0] code = op_fault != 0 ? op_fault : op_cta >= S ? NOT_RESIDENT : is_arrive && armed ? DOUBLE_ARRIVAL :
    is_wait && !armed ? WAIT_WITHOUT_ARRIVAL : 6'd0;
  always @(posedge clock) begin
    commit_valid <= take && !reset;
    commit_warps <= 0;
    if (take && !reset) commit_warps[op_warp] <= 1;
    commit_refused <= take && !reset && code != 0 && code != NOT_RESIDENT;
    if (fault_valid && fault_ready) fault_valid <= 0;
    if (take && code != 0) begin
      fault_valid <= 1;
      {fault_code, fault_has_warp, fault_warp, fault_cta} <= {code, 1'b1, op_warp, op_cta};
    end
    if (reset) fault_valid <= 0;
  end

  // Phases, and warps that are not live.
  reg [S-1:0] completed;
  integer i;
  always @(*) for (i = 0; i < S; i = i + 1) completed[i] = told[i] || (!joined[i] && full[i]);
  reg a, p, q, goes, some, all;
  integer w, s;
  always @(posedge clock) begin
    release_valid <= 0;
    release_warps <= 0;
    for (w = 0; w < `W; w = w + 1) begin
      a = arrived[w];
      p = passed[w];
      q = waits[w];
      goes = 0;
      if (take && code == 0 && op_warp == w) begin
        if (is_arrive) a = 1;
        else if (arrived[w]) q = 1;
        else goes = 1;
        p = 0;
      end
      if (warp_cta_0[w] < S && completed[warp_cta_0[w]] && arrived[w]) begin
        a = 0;
        goes = q;
        if (!q) p = 1;
        q = 0;
      end
      if (live[w] && !reset) begin
        arrived[w] <= a;
        passed[w] <= p;
        waits[w] <= q;
        if (goes) begin
          release_valid <= 1;
          release_warps[w] <= 1;
        end
      end else begin
        arrived[w] <= 0;
        passed[w] <= 0;
        waits[w] <= 0;
      end
    end
    for (s = 0; s < S; s = s + 1) begin
      some = 0;
      all = 1;
      for (w = 0; w < `W; w = w + 1) if (live[w] && warp_cta_0[w] == s) begin
        some = 1;
        if (!arrived[w]) all = 0;
      end
      full[s] <= some && all && !completed[s] && !reset;
      told[s] <= complete && cluster_in_cluster == cluster[s] && joined[s] && !gone[s] && !reset;
    end
  end

  // Messages, Launch and Closed.
  integer n;
  reg [`LC-1:0] t;
  reg chosen;
  always @(posedge clock) begin
    closed_valid <= closed && !reset;
    if (closed) closed_cluster <= cluster_in_cluster;
    if (cluster_out_valid && cluster_out_ready) cluster_out_valid <= 0;
    for (n = 0; n < S; n = n + 1) begin
      if (completed[n]) sent[n] <= 0;
      if (closed && joined[n] && gone[n] && cluster[n] == cluster_in_cluster) joined[n] <= 0;
    end
    chosen = cluster_out_valid;
    for (n = 1; n <= S; n = n + 1) begin
      t = S == 1 ? 0 : last + n;
      if (!chosen && joined[t] && (owes[t] || (!gone[t] && (ended[t] || (!sent[t] && full[t]))))) begin
        chosen = 1;
        last <= t;
        cluster_out_valid <= 1;
        {cluster_out_cluster, cluster_out_rank, cluster_out_size} <= {cluster[t], rank[t], size[t]};
        if (owes[t]) begin
          cluster_out_kind <= PRESENT;
          owes[t] <= 0;
        end else if (ended[t]) begin
          cluster_out_kind <= odd[t] ? GONE_ODD : GONE;
          gone[t] <= 1;
        end else begin
          cluster_out_kind <= ARRIVED;
          odd[t] <= !odd[t];
          if (!completed[t]) sent[t] <= 1;
        end
      end
    end
    if (launch_valid && launch_cta < S) begin
      joined[launch_cta] <= launch_size > 1;
      owes[launch_cta] <= launch_size > 1;
      sent[launch_cta] <= 0;
      odd[launch_cta] <= 0;
      gone[launch_cta] <= 0;
      cluster[launch_cta] <= launch_cluster;
      rank[launch_cta] <= launch_rank;
      size[launch_cta] <= launch_size;
    end
    if (reset) begin
      joined <= 0;
      owes <= 0;
      sent <= 0;
      gone <= 0;
      last <= S - 1;
      cluster_out_valid <= 0;
    end
  end
endmodule
