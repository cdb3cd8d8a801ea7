// SPDX-License-Identifier: Apache-2.0 OR MIT
// The network of `gpu` with two multiprocessors; with `LINKS` each multiprocessor is connected by a link of one register stage. An
// operation of one multiprocessor reaches the CTA that it names, in order, and is acknowledged once. Launches, operations, transfers and
// replies occur at any time.
`include "sizes.vh"
`ifdef LINKS
`define STAGES 1
`else
`define STAGES 0
`endif
// Widths of an operation as sent (`OUT`) and as received (`IN`); `PART` is the width of the fields that both have.
`define PART (`XW+4+20+21)
`define OUT (`KC+4+`LC+`PART)
`define IN (`LC+`PART+8)
// An operation as the vector of a port: sent {bytes, count, kind, object, cta, rank, cluster}, received {source, bytes, count, kind, object, cta}.
`define SENT(v, g) {v[`OUT*g+:21], v[`OUT*g+21+:20], v[`OUT*g+41+:4], v[`OUT*g+45+:`XW], v[`OUT*g+`PART+:`LC], v[`OUT*g+`PART+`LC+:4], v[`OUT*g+`PART+`LC+4+:`KC]}
`define RECEIVED(v, g) {v[`IN*g+:8], v[`IN*g+8+:21], v[`IN*g+29+:20], v[`IN*g+49+:4], v[`IN*g+53+:`XW], v[`IN*g+8+`PART+:`LC]}
// A launch: {warps, grid, has_grid, size, rank, cluster, cta}; the network reads no warps and no grid.
`define LAUNCHED(g) {{(`W+`KG+1){1'b0}}, launched_size[5*g+:5], launched_rank[4*g+:4], launched_cluster[`KC*g+:`KC], launched_cta[`LC*g+:`LC]}

module gpu_network (
  input wire clock, input wire reset,
  input wire [1:0] launched_valid, input wire [2*`LC-1:0] launched_cta, input wire [2*`KC-1:0] launched_cluster, input wire [7:0] launched_rank,
  input wire [9:0] launched_size,
  input wire [1:0] message_valid, input wire [3:0] message_kind, input wire [2*`KC-1:0] message_cluster, input wire [7:0] message_rank,
  input wire [1:0] out_valid, input wire [2*`OUT-1:0] out_op, input wire [1:0] in_ready,
  input wire [1:0] reply_valid, input wire [15:0] reply_source, input wire [1:0] reply_absent
);
  // The ports of the multiprocessors (`out`, `in`, `reply`, `ack`) and those of the network (`from`, `to`, `replies`, `acks`).
  wire [1:0] out_ready, in_valid, ack_valid, ack_absent;
  wire [2*`IN-1:0] in_op;
  wire [2*`LC-1:0] ack_cta;
  wire [1:0] from_valid, from_ready, to_valid, to_ready, replies_valid, replies_absent, acks_valid, acks_absent;
  wire [2*`OUT-1:0] from_op;
  wire [2*`IN-1:0] to_op;
  wire [15:0] replies_source;
  wire [2*`LC-1:0] acks_cta;
  genvar g;
`ifdef LINKS
  generate for (g = 0; g < 2; g = g + 1) begin : link
    bcu_gpu_link at (
      .clock(clock), .reset(reset),
      .net_out_valid(out_valid[g]), .net_out_ready(out_ready[g]), .net_out(`SENT(out_op, g)),
      .net_out_far_valid(from_valid[g]), .net_out_far_ready(from_ready[g]), .net_out_far(`SENT(from_op, g)),
      .net_in_far_valid(to_valid[g]), .net_in_far_ready(to_ready[g]), .net_in_far(`RECEIVED(to_op, g)),
      .net_in_valid(in_valid[g]), .net_in_ready(in_ready[g]), .net_in(`RECEIVED(in_op, g)),
      .net_reply_valid(reply_valid[g]), .net_reply({reply_absent[g], reply_source[8*g+:8]}),
      .net_reply_far_valid(replies_valid[g]), .net_reply_far({replies_absent[g], replies_source[8*g+:8]}),
      .net_ack_far_valid(acks_valid[g]), .net_ack_far({acks_absent[g], acks_cta[`LC*g+:`LC]}),
      .net_ack_valid(ack_valid[g]), .net_ack({ack_absent[g], ack_cta[`LC*g+:`LC]})
    );
  end endgenerate
`else
  assign {from_valid, out_ready, from_op} = {out_valid, from_ready, out_op};
  assign {in_valid, to_ready, in_op} = {to_valid, in_ready, to_op};
  assign {replies_valid, replies_source, replies_absent} = {reply_valid, reply_source, reply_absent};
  assign {ack_valid, ack_cta, ack_absent} = {acks_valid, acks_cta, acks_absent};
`endif
  bcu_gpu_network net (
    .clock(clock), .reset(reset),
    .launched_0_valid(launched_valid[0]), .launched_0(`LAUNCHED(0)),
    .cluster_messages_0_valid(message_valid[0]),
    .cluster_messages_0({5'd0, message_rank[0+:4], message_cluster[`KC*0+:`KC], message_kind[0+:2]}),
    .from_0_valid(from_valid[0]), .from_0_ready(from_ready[0]), .from_0(`SENT(from_op, 0)),
    .to_0_valid(to_valid[0]), .to_0_ready(to_ready[0]), .to_0(`RECEIVED(to_op, 0)),
    .replies_0_valid(replies_valid[0]), .replies_0({replies_absent[0], replies_source[0+:8]}),
    .acks_0_valid(acks_valid[0]), .acks_0({acks_absent[0], acks_cta[`LC*0+:`LC]}),
    .launched_1_valid(launched_valid[1]), .launched_1(`LAUNCHED(1)),
    .cluster_messages_1_valid(message_valid[1]),
    .cluster_messages_1({5'd0, message_rank[4+:4], message_cluster[`KC*1+:`KC], message_kind[2+:2]}),
    .from_1_valid(from_valid[1]), .from_1_ready(from_ready[1]), .from_1(`SENT(from_op, 1)),
    .to_1_valid(to_valid[1]), .to_1_ready(to_ready[1]), .to_1(`RECEIVED(to_op, 1)),
    .replies_1_valid(replies_valid[1]), .replies_1({replies_absent[1], replies_source[8+:8]}),
    .acks_1_valid(acks_valid[1]), .acks_1({acks_absent[1], acks_cta[`LC*1+:`LC]})
  );

  reg begun = 0;
  always @(posedge clock) begun <= 1;
  always @(*) if (!begun) assume (reset);

  // The followed sender `m`, its CTA slot `s`, and the target `t`.
  (* anyconst *) reg m, t;
  (* anyconst *) reg [`LC-1:0] s;
  wire [7:0] source = {m, s};

  // Location of each CTA, as its cluster slot and rank. The array has the CTA slots of the first multiprocessor, then those of the second.
  localparam SLOTS = 2 * `C;
  reg [SLOTS-1:0] there, is_it;
  reg [`KC-1:0] cluster [0:SLOTS-1];
  reg [3:0] rank [0:SLOTS-1];
  integer i, n, p;
  always @(posedge clock) for (i = 0; i < 2; i = i + 1) for (n = 0; n < `C; n = n + 1) begin
    if (message_valid[i] && message_kind[2*i+1] && message_cluster[`KC*i+:`KC] == cluster[`C*i+n] && message_rank[4*i+:4] == rank[`C*i+n])
      there[`C*i+n] <= 0;
    if (launched_valid[i] && launched_cta[`LC*i+:`LC] == n) begin
      there[`C*i+n] <= launched_size[5*i+:5] > 1;
      cluster[`C*i+n] <= launched_cluster[`KC*i+:`KC];
      rank[`C*i+n] <= launched_rank[4*i+:4];
    end
    if (reset) there[`C*i+n] <= 0;
  end

  // An operation of the sender enters the network: its destination, and the operation as received. Several CTAs match only if the interface
  // assumptions are violated; then the lowest matching slot of the second multiprocessor is the destination.
  wire [`OUT-1:0] sent_op = out_op >> (`OUT * m), asked = from_op >> (`OUT * m);
  wire sends = out_valid[m] && out_ready[m] && !reset, comes = from_valid[m] && from_ready[m] && !reset;
  wire of_slot = asked[`PART+:`LC] == s;
  reg found, target;
  reg [`LC-1:0] slot;
  always @(*) begin
    {found, target, slot} = 0;
    for (p = SLOTS - 1; p >= 0; p = p - 1) begin
      is_it[p] = there[p] && {rank[p], cluster[p]} == {asked[`PART+`LC+:4], asked[`PART+`LC+4+:`KC]};
      if (is_it[p] && !(target && p < `C)) begin
        {found, target} = {1'b1, p >= `C};
        slot = p % `C;
      end
    end
  end
  wire [`IN-1:0] becomes = {slot, asked[`PART-1:0], {(7-`LC){1'b0}}, m, asked[`PART+:`LC]};

  // The operations that each multiprocessor takes, and their sources.
  wire [`IN-1:0] shown [0:1];
  wire [1:0] taken, of_m, of_s;
  generate for (g = 0; g < 2; g = g + 1) begin : at
    assign shown[g] = in_op[`IN*g+:`IN];
    assign taken[g] = in_valid[g] && in_ready[g] && !reset;
    assign of_m[g] = shown[g][7:`LC] == m;
    assign of_s[g] = shown[g][7:0] == source;
  end endgenerate

  // Operations of the sender in flight. `on_link`: the operation on the link to the network. `first` and `second`: the oldest two for the
  // target. `placed`: the number of operations in the network for either multiprocessor.
  reg carried;
  reg [`OUT-1:0] on_link;
  reg [1:0] count;
  reg [`IN-1:0] first, second;
  reg [1:0] placed;
  wire pops = taken[t] && of_m[t], pushes = comes && found && target == t;
  wire [1:0] left = count - pops;
  always @(posedge clock) begin
    carried <= !reset && (carried || sends) && !comes;
    if (sends) on_link <= sent_op;
    count <= reset ? 0 : left + pushes;
    if (pops) first <= second;
    if (pushes && left == 0) first <= becomes;
    if (pushes && left == 1) second <= becomes;
    placed <= reset ? 0 : placed + (comes && found) - taken[0] * of_m[0] - taken[1] * of_m[1];
  end

  // Numbers of operations of the followed CTA: `flying`, not yet acknowledged; `unreplied`, delivered to each multiprocessor and not yet
  // replied to; `acks` and `absences`, replied to and not yet acknowledged.
  reg [3:0] flying, acks, absences;
  reg [3:0] unreplied [0:1];
  wire [1:0] replied;
  generate for (g = 0; g < 2; g = g + 1) begin : replies
    assign replied[g] = reply_valid[g] && reply_source[8*g+:8] == source;
    always @(posedge clock) unreplied[g] <= reset ? 0 : unreplied[g] + (taken[g] && of_s[g]) - replied[g];
    // Each operation is replied to once, in a cycle after its transfer.
    always @(*) if (replied[g]) assume (unreplied[g] != 0);
  end endgenerate
  wire acked = ack_valid[m] && ack_cta[`LC*m+:`LC] == s, absent = ack_absent[m];
  wire leaves = sends && sent_op[`PART+:`LC] == s;
  always @(*) if (leaves) assume (flying < `REMOTE);
  wire no_target = comes && !found && of_slot;
  always @(posedge clock) begin
    flying <= reset ? 0 : flying + leaves - acked;
    acks <= reset ? 0 : acks + (replied[0] && !reply_absent[0]) + (replied[1] && !reply_absent[1]) - (acked && !absent);
    absences <= reset ? 0 : absences + no_target + (replied[0] && reply_absent[0]) + (replied[1] && reply_absent[1]) - (acked && absent);
  end

  // `idle`: cycles without an offer to the target while an operation for the target is in flight. `others`: transfers of the other sender
  // to the target while this operation waits. `unacked`: cycles for which an acknowledgement has been due.
  reg [2:0] idle, others, unacked;
  // Bound of `unacked`, in cycles: one acknowledgement for each slot, then the registers of the network and the links.
  localparam ACK = `C + 1 + 2 * `STAGES;
  reg [`IN-1:0] shown_1;
  reg held;
  always @(posedge clock) begin
    idle <= reset || count == 0 || in_valid[t] ? 0 : idle + 1;
    others <= reset || left == 0 || pops ? 0 : others + taken[t];
    unacked <= reset || acked || (acks == 0 && absences == 0) ? 0 : unacked + 1;
    shown_1 <= shown[t];
    held <= !reset && in_valid[t] && !in_ready[t];
  end

  always @(*) if (begun && !reset) begin
    if (from_valid[m] && `STAGES != 0) n_carried: assert (carried && asked == on_link);
    if (in_valid[t]) n_source: assert (shown[t][7:`LC] < 2);
    if (in_valid[t] && of_m[t]) n_true: assert (count != 0 && shown[t] == first);
    n_offered: assert (idle <= `STAGES);
    n_turn: assert (others <= 1 + `STAGES);
    if (!out_ready[m]) n_ready: assert (`STAGES != 0 ? carried : placed != 0);
    if (carried && !from_ready[m]) n_taken: assert (placed != 0);
    if (held) n_holds: assert (in_valid[t] && shown[t] == shown_1);
    if (acked && !absent) n_done: assert (acks != 0);
    if (acked && absent) n_absent: assert (absences != 0);
    n_told: assert (unacked < ACK);
  end
`ifdef COVER
  always @(posedge clock) if (begun && !reset) begin
    two_for_one: cover (count == 2 && others == 1);
    found_nobody: cover (acked && absent && acks != 0);
    both_reply: cover (replied == 3);
    after_another: cover (pops && others == 1 + `STAGES);
    moved: cover (pushes && slot == `C - 1 && there == 3);
  end
`endif
`ifdef INSIDE
`include "gpu_network_inside.vh"
`endif
endmodule
