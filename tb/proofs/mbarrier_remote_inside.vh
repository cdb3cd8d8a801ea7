// SPDX-License-Identifier: Apache-2.0 OR MIT
// Invariants for the induction of `mbarrier_remote`: relates registers inside the exported unit at `tiny` to the checker's state.
  (* hierconn *) wire [70:0] \dut.remotes.queue.values.few_words.words[0] , \dut.remotes.queue.values.few_words.words[1] , \dut.remotes.queue.values.few_words.words[2] ,
    \dut.remotes.queue.values.few_words.words[3] , \dut.remotes.queue.values.few_words.words[4] , \dut.remotes.queue.values.few_words.words[5] ,
    \dut.remotes.queue.values.few_words.words[6] , \dut.remotes.queue.values.few_words.words[7] , \dut.remotes.queue_head ;
  (* hierconn *) wire [2:0] \dut.remotes.queue.head_address_q , \dut.remotes.queue.tail_address_q ;
  (* hierconn *) wire [3:0] \dut.acks.unacked_count_0_q , \dut.acks.absent_count_0_q , \dut.enqueue.peers.peers_q_0_rank_q ;
  (* hierconn *) wire [1:0] \dut.enqueue.peers.peers_q_0_cluster_q ;
  (* hierconn *) wire [4:0] \dut.enqueue.peers.peers_q_0_size_q ;
  (* hierconn *) wire \dut.remotes.queue.head_valid_q , \dut.enqueue.arbiter.ready_q , \dut.ctas.present_slots_q , \dut.ctas.leaving_q , \dut.ctas.walk.walk_slot_q , \dut.enqueue.walk_step_ready ;
  wire step_taken = \dut.enqueue.walk_step_ready ;
`include "mbarrier_steps.vh"
  wire [8*71-1:0] queue = {\dut.remotes.queue.values.few_words.words[7] , \dut.remotes.queue.values.few_words.words[6] , \dut.remotes.queue.values.few_words.words[5] ,
    \dut.remotes.queue.values.few_words.words[4] , \dut.remotes.queue.values.few_words.words[3] , \dut.remotes.queue.values.few_words.words[2] ,
    \dut.remotes.queue.values.few_words.words[1] , \dut.remotes.queue.values.few_words.words[0] };
  wire [2:0] first = \dut.remotes.queue.head_address_q ;
  wire [2:0] waiting = items - net_out_valid;
  wire [70:0] oldest = queue >> (71 * first);
  reg [7:0] right;
  reg [2:0] offset;
  reg [70:0] kept;
  integer i;
  always @(*) for (i = 0; i < 8; i = i + 1) begin
    kept = queue >> (71 * i);
    offset = i - first;
    right[i] = offset >= waiting || (kept[70:14] == sent[i] && kept[20] == slot);
  end
  always @(*) if (begun) begin
    s_pointers: assert (\dut.remotes.queue.tail_address_q == tail && first == head + net_out_valid && (!net_out_valid || (items != 0 && net_out_cta == slot)));
    s_places: assert (&right && waiting <= 5 && items <= 6 && (!\dut.enqueue.arbiter.ready_q || waiting <= 4));
    s_oldest: assert (\dut.remotes.queue.head_valid_q == (waiting != sends_1) && (!\dut.remotes.queue.head_valid_q || \dut.remotes.queue_head == oldest)
      && (!sends_1 || waiting != 0));
    s_counts: assert (\dut.acks.unacked_count_0_q == unacknowledged && \dut.acks.absent_count_0_q == lost && unacknowledged + lost <= `REMOTE);
    s_peer: assert ({\dut.enqueue.peers.peers_q_0_cluster_q , \dut.enqueue.peers.peers_q_0_rank_q , \dut.enqueue.peers.peers_q_0_size_q } == {cluster, own_rank, size});
    s_ctas: assert (\dut.ctas.present_slots_q == there && \dut.ctas.leaving_q == going && !(there && going));
    s_walk: assert (!\dut.ctas.walk.walk_active_q || (going && !\dut.ctas.walk.walk_slot_q ));
    s_rest: assert (there || items == 0);
    s_quiet: assert (!(\dut.ctas.walk.walk_active_q || retired_valid) || (flying == 0 && lost == 0 && items == 0));
  end
