// SPDX-License-Identifier: Apache-2.0 OR MIT
// Invariants for the induction of `gpu_network`: relates registers inside the exported unit at `small` to the checker's state.
  (* hierconn *) wire [1:0] \net.ack_counters_0.ack_register.payload_q , \net.ack_counters_1.ack_register.payload_q ;
  (* hierconn *) wire [1:0] \net.cta_lookups_0.reachable_q , \net.cta_lookups_1.reachable_q , \net.routes_0.target_q , \net.routes_1.target_q , \net.merges_0.last_channel_q , \net.merges_1.last_channel_q , \net.ack_counters_0.turns_grant , \net.ack_counters_1.turns_grant ;
  (* hierconn *) wire [1:0] \net.cta_lookups_0.clusters_0_q , \net.cta_lookups_1.clusters_0_q , \net.cta_lookups_0.clusters_1_q , \net.cta_lookups_1.clusters_1_q ;
  (* hierconn *) wire [3:0] \net.cta_lookups_0.ranks_0_q , \net.cta_lookups_1.ranks_0_q , \net.cta_lookups_0.ranks_1_q , \net.cta_lookups_1.ranks_1_q ;
  (* hierconn *) wire \net.routes_0.full_q , \net.routes_1.full_q , \net.routes_0.message_cta_q , \net.routes_1.message_cta_q , \net.merges_0.offer_pending_q , \net.merges_1.offer_pending_q , \net.ack_counters_0.ack_register.valid_q , \net.ack_counters_1.ack_register.valid_q ;
  (* hierconn *) wire [5:0] \net.routes_0.message_object_q , \net.routes_1.message_object_q ;
  (* hierconn *) wire [3:0] \net.routes_0.message_kind_q , \net.routes_1.message_kind_q , \net.ack_counters_0.due_acks_0.done_count_q , \net.ack_counters_1.due_acks_0.done_count_q , \net.ack_counters_0.due_acks_0.absent_count_q , \net.ack_counters_1.due_acks_0.absent_count_q , \net.ack_counters_0.due_acks_1.done_count_q , \net.ack_counters_1.due_acks_1.done_count_q , \net.ack_counters_0.due_acks_1.absent_count_q , \net.ack_counters_1.due_acks_1.absent_count_q ;
  (* hierconn *) wire [19:0] \net.routes_0.message_count_q , \net.routes_1.message_count_q ;
  (* hierconn *) wire [20:0] \net.routes_0.message_bytes_q , \net.routes_1.message_bytes_q ;
  (* hierconn *) wire [7:0] \net.routes_0.message_source_q , \net.routes_1.message_source_q ;
  wire [SLOTS-1:0] reaches = {\net.cta_lookups_1.reachable_q , \net.cta_lookups_0.reachable_q };
  wire [SLOTS*`KC-1:0] clusters = {\net.cta_lookups_1.clusters_1_q , \net.cta_lookups_1.clusters_0_q , \net.cta_lookups_0.clusters_1_q , \net.cta_lookups_0.clusters_0_q };
  wire [SLOTS*4-1:0] ranks = {\net.cta_lookups_1.ranks_1_q , \net.cta_lookups_1.ranks_0_q , \net.cta_lookups_0.ranks_1_q , \net.cta_lookups_0.ranks_0_q };
  wire [1:0] full = {\net.routes_1.full_q , \net.routes_0.full_q }, offered = {\net.merges_1.offer_pending_q , \net.merges_0.offer_pending_q };
  wire [3:0] targets = {\net.routes_1.target_q , \net.routes_0.target_q }, lasts = {\net.merges_1.last_channel_q , \net.merges_0.last_channel_q }, turns = {\net.ack_counters_1.turns_grant , \net.ack_counters_0.turns_grant };
  wire [2*`IN-1:0] kept = {\net.routes_1.message_cta_q , \net.routes_1.message_object_q , \net.routes_1.message_kind_q , \net.routes_1.message_count_q , \net.routes_1.message_bytes_q , \net.routes_1.message_source_q ,
    \net.routes_0.message_cta_q , \net.routes_0.message_object_q , \net.routes_0.message_kind_q , \net.routes_0.message_count_q , \net.routes_0.message_bytes_q , \net.routes_0.message_source_q };
  wire [15:0] unanswered = {\net.ack_counters_1.due_acks_1.done_count_q , \net.ack_counters_1.due_acks_0.done_count_q , \net.ack_counters_0.due_acks_1.done_count_q , \net.ack_counters_0.due_acks_0.done_count_q };
  wire [15:0] lost = {\net.ack_counters_1.due_acks_1.absent_count_q , \net.ack_counters_1.due_acks_0.absent_count_q , \net.ack_counters_0.due_acks_1.absent_count_q , \net.ack_counters_0.due_acks_0.absent_count_q };
  wire [1:0] leave = {\net.ack_counters_1.ack_register.valid_q , \net.ack_counters_0.ack_register.valid_q }, leave_cta = {\net.ack_counters_1.ack_register.payload_q [0] , \net.ack_counters_0.ack_register.payload_q [0] },
    leave_absent = {\net.ack_counters_1.ack_register.payload_q [1] , \net.ack_counters_0.ack_register.payload_q [1] };
`ifdef LINKS
  (* hierconn *) wire [57:0] \link[0].at.net_out_way.stages_0.value_q , \link[1].at.net_out_way.stages_0.value_q ;
  (* hierconn *) wire [59:0] \link[0].at.net_in_way.stages_0.value_q , \link[1].at.net_in_way.stages_0.value_q ;
  (* hierconn *) wire [8:0] \link[0].at.net_reply_way.stages_0.payload_q , \link[1].at.net_reply_way.stages_0.payload_q ;
  (* hierconn *) wire [1:0] \link[0].at.net_ack_way.stages_0.payload_q , \link[1].at.net_ack_way.stages_0.payload_q ;
  (* hierconn *) wire \link[0].at.net_out_way.stages_0.full_q , \link[1].at.net_out_way.stages_0.full_q , \link[0].at.net_in_way.stages_0.full_q , \link[1].at.net_in_way.stages_0.full_q , \link[0].at.net_reply_way.stages_0.valid_q , \link[1].at.net_reply_way.stages_0.valid_q , \link[0].at.net_ack_way.stages_0.valid_q , \link[1].at.net_ack_way.stages_0.valid_q ;
  wire [1:0] link_full = {\link[1].at.net_out_way.stages_0.full_q , \link[0].at.net_out_way.stages_0.full_q }, back_full = {\link[1].at.net_in_way.stages_0.full_q , \link[0].at.net_in_way.stages_0.full_q },
    back_replies = {\link[1].at.net_reply_way.stages_0.valid_q , \link[0].at.net_reply_way.stages_0.valid_q }, back_absent = {\link[1].at.net_reply_way.stages_0.payload_q [8] , \link[0].at.net_reply_way.stages_0.payload_q [8] },
    last_ack = {\link[1].at.net_ack_way.stages_0.valid_q , \link[0].at.net_ack_way.stages_0.valid_q }, last_cta = {\link[1].at.net_ack_way.stages_0.payload_q [0] , \link[0].at.net_ack_way.stages_0.payload_q [0] },
    last_absent = {\link[1].at.net_ack_way.stages_0.payload_q [1] , \link[0].at.net_ack_way.stages_0.payload_q [1] };
  wire [15:0] back_source = {\link[1].at.net_reply_way.stages_0.payload_q [7:0] , \link[0].at.net_reply_way.stages_0.payload_q [7:0] };
  wire [2*`OUT-1:0] link_op = {\link[1].at.net_out_way.stages_0.value_q [1:0] , \link[1].at.net_out_way.stages_0.value_q [5:2] , \link[1].at.net_out_way.stages_0.value_q [6] , \link[1].at.net_out_way.stages_0.value_q [12:7] , \link[1].at.net_out_way.stages_0.value_q [16:13] , \link[1].at.net_out_way.stages_0.value_q [36:17] , \link[1].at.net_out_way.stages_0.value_q [57:37] ,
    \link[0].at.net_out_way.stages_0.value_q [1:0] , \link[0].at.net_out_way.stages_0.value_q [5:2] , \link[0].at.net_out_way.stages_0.value_q [6] , \link[0].at.net_out_way.stages_0.value_q [12:7] , \link[0].at.net_out_way.stages_0.value_q [16:13] , \link[0].at.net_out_way.stages_0.value_q [36:17] , \link[0].at.net_out_way.stages_0.value_q [57:37] };
  wire [2*`IN-1:0] back_op = {\link[1].at.net_in_way.stages_0.value_q [0] , \link[1].at.net_in_way.stages_0.value_q [6:1] , \link[1].at.net_in_way.stages_0.value_q [10:7] , \link[1].at.net_in_way.stages_0.value_q [30:11] , \link[1].at.net_in_way.stages_0.value_q [51:31] , \link[1].at.net_in_way.stages_0.value_q [59:52] ,
    \link[0].at.net_in_way.stages_0.value_q [0] , \link[0].at.net_in_way.stages_0.value_q [6:1] , \link[0].at.net_in_way.stages_0.value_q [10:7] , \link[0].at.net_in_way.stages_0.value_q [30:11] , \link[0].at.net_in_way.stages_0.value_q [51:31] , \link[0].at.net_in_way.stages_0.value_q [59:52] };
`else
  wire [1:0] link_full = 0, back_full = 0, back_replies = 0, back_absent = 0, last_ack = 0, last_cta = 0, last_absent = 0;
  wire [15:0] back_source = 0;
  wire [2*`OUT-1:0] link_op = 0;
  wire [2*`IN-1:0] back_op = 0;
`endif
  wire [1:0] back_m, back_s, reply_s, right_kept, right_back, right_turn;
  generate for (g = 0; g < 2; g = g + 1) begin : inside
    assign back_m[g] = back_full[g] && back_op[`IN*g+`LC+:8-`LC] == m;
    assign back_s[g] = back_full[g] && back_op[`IN*g+:8] == source;
    assign reply_s[g] = back_replies[g] && back_source[8*g+:8] == source;
    assign right_kept[g] = !full[g] || (targets[2*g] != targets[2*g+1] && kept[`IN*g+`LC+:8-`LC] == g);
    assign right_back[g] = !back_full[g] || back_op[`IN*g+`LC+:8-`LC] < 2;
    assign right_turn[g] = lasts[2*g+:2] != 3 && (!offered[g] || (lasts[2*g] && full[0] && targets[g]) || (lasts[2*g+1] && full[1] && targets[2+g]));
  end endgenerate
  wire [SLOTS-1:0] right_place;
  generate for (g = 0; g < SLOTS; g = g + 1) begin : slots
    assign right_place[g] = reaches[g] == there[g] && (!there[g] || (clusters[`KC*g+:`KC] == cluster[g] && ranks[4*g+:4] == rank[g]));
  end endgenerate
  wire in_back = back_m[t], in_place = full[m] && targets[{m, t}];
  wire [`IN-1:0] back_t = back_op >> (`IN * t), kept_m = kept >> (`IN * m);
  // The sender has the next turn at the target.
  wire next = offered[t] ? lasts[{t, m}] : lasts[{t, !m}];
  wire [3:0] u = unanswered >> {m, s, 2'd0}, l = lost >> {m, s, 2'd0};
  wire leaves_s = leave[m] && leave_cta[m] == s, last_s = last_ack[m] && last_cta[m] == s;
  wire [2:0] distance = last_s ? 0 : leaves_s ? `STAGES : (u != 0 || l != 0) ? (turns[{m, s}] ? 1 : 2) + `STAGES : 4;
  wire here = full[m] && kept_m[7:0] == source;
  always @(*) if (begun) begin
    s_right: assert (&right_place && &right_kept && &right_back && &right_turn);
    s_count: assert (count == 3'd0 + in_back + in_place);
    s_first: assert (!in_back || first == back_t);
    s_second: assert (!in_place || (in_back ? second : first) == kept_m);
    s_placed: assert (placed == 3'd0 + full[m] + back_m[0] + back_m[1]);
    s_carried: assert (carried == link_full[m]);
    s_link: assert (!carried || on_link == link_op[`OUT*m+:`OUT]);
    s_turn: assert (count == 0 || in_back || 4'd0 + others + back_full[t] + !next <= 1 + `STAGES);
    s_idle: assert (idle == 0 || (`STAGES != 0 && idle == 1 && back_full[t]));
    s_held: assert (!held || (in_valid[t] && shown_1 == shown[t] && (`STAGES != 0 || offered[t])));
    s_acks: assert (acks == 6'd0 + u + (leaves_s && !leave_absent[m]) + (last_s && !last_absent[m]) + (reply_s[0] && !back_absent[0])
      + (reply_s[1] && !back_absent[1]));
    s_lost: assert (absences == 6'd0 + l + (leaves_s && leave_absent[m]) + (last_s && last_absent[m]) + (reply_s[0] && back_absent[0])
      + (reply_s[1] && back_absent[1]));
    s_flying: assert (flying == 7'd0 + (carried && on_link[`PART+:`LC] == s) + here + back_s[0] + back_s[1] + unreplied[0] + unreplied[1] + acks
      + absences && flying <= `REMOTE);
    s_unacked: assert ((acks == 0 && absences == 0) ? unacked == 0 : 4'd0 + unacked + distance <= ACK - 1);
  end
