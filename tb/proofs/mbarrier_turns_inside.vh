// SPDX-License-Identifier: Apache-2.0 OR MIT
// Invariants for the induction of `mbarrier_turns`: relates registers inside the exported unit at `tiny` to the checker's state.
  wire step_taken = own_takes[3];
`include "mbarrier_steps.vh"
  (* hierconn *) wire [3:0] \dut.enqueue.arbiter.internal_turns.passed_sources_q , \dut.acks.unacked_count_0_q , \dut.acks.absent_count_0_q ;
  (* hierconn *) wire [2:0] \dut.ctas.walk.walk_entry_q , \dut.enqueue.arbiter.turns.passed_sources_q , \dut.remotes.queue.head_address_q , \dut.remotes.queue.tail_address_q ;
  (* hierconn *) wire [1:0] \dut.enqueue.tx_queue.filled_q , \dut.enqueue.net_queue.filled_q ;
  (* hierconn *) wire \dut.enqueue.arbiter.ready_q , \dut.enqueue.arbiter.has_queue_space_q , \dut.enqueue.tx_queue_full , \dut.enqueue.net_full_q , \dut.ctas.walk.cleared_q , \dut.ctas.touched_slots_q ,
    \dut.remotes.result_valid_q , \dut.remotes.offer.full_q , \dut.remotes.queue.head_valid_q ;
  (* hierconn *) wire [70:0] \dut.remotes.queue.values.few_words.words[0] , \dut.remotes.queue.values.few_words.words[1] , \dut.remotes.queue.values.few_words.words[2] ,
    \dut.remotes.queue.values.few_words.words[3] , \dut.remotes.queue.values.few_words.words[4] , \dut.remotes.queue.values.few_words.words[5] ,
    \dut.remotes.queue.values.few_words.words[6] , \dut.remotes.queue.values.few_words.words[7] , \dut.remotes.queue_head ;
  wire [7:0] foreign = {\dut.remotes.queue.values.few_words.words[7] [20], \dut.remotes.queue.values.few_words.words[6] [20], \dut.remotes.queue.values.few_words.words[5] [20],
    \dut.remotes.queue.values.few_words.words[4] [20], \dut.remotes.queue.values.few_words.words[3] [20], \dut.remotes.queue.values.few_words.words[2] [20],
    \dut.remotes.queue.values.few_words.words[1] [20], \dut.remotes.queue.values.few_words.words[0] [20]};
  reg [7:0] sender_right;
  reg [2:0] at;
  always @(*) for (i = 0; i < 8; i = i + 1) begin
    at = i - \dut.remotes.queue.head_address_q ;
    sender_right[i] = at >= waiting || !foreign[i];
  end
  wire [2:0] passed = \dut.enqueue.arbiter.turns.passed_sources_q ;
  wire [3:0] own_passed = \dut.enqueue.arbiter.internal_turns.passed_sources_q ;
  wire [2:0] waiting = \dut.remotes.queue.tail_address_q - \dut.remotes.queue.head_address_q ;
  reg [4:0] op_items, answers;
  reg [LQ-1:0] offset;
  integer i;
  always @(*) begin
    {op_items, answers} = 0;
    for (i = 0; i < PLACES; i = i + 1) begin
      offset = i - head;
      op_items = op_items + (offset < items && is_op[i]);
      answers = answers + (offset < items && is_answer[i]);
    end
  end
  reg [2:0] there_1;
  wire [2:0] there = {came != 0, sent != 0, own_any};
  always @(posedge clock) there_1 <= reset ? 0 : there;
  wire [2:0] behind = there & there_1 & ~passed;
  // A time-out is withdrawn without a turn if its warp is woken first.
  wire gone = there_1[0] && !there[0] && !passed[0];
  // The maximum number of turns of other internal sources since the internal source `mine` has had an item.
  function [1:0] rounds (input [1:0] mine, input [3:0] place);
    rounds = place == 0 ? 0 : (place == 1 ? 2'd0 : place == 3 ? 2'd1 : place == 7 ? 2'd2 : 2'd3) - mine;
  endfunction

  always @(*) if (begun) begin
    u_pointers: assert (q_last == tail && q_head == head);
    // The CTA slot that is not built has no remote operations.
    u_senders: assert (&sender_right && (!\dut.remotes.queue.head_valid_q || !\dut.remotes.queue_head [20]) && (!net_out_valid || !net_out_cta));
    u_acks: assert (\dut.acks.unacked_count_0_q == flying + net_out_valid && \dut.acks.absent_count_0_q == lost && flying + net_out_valid + lost <= `REMOTE);
    u_ops: assert (ops == op_items && remotes == waiting + \dut.remotes.offer.full_q + \dut.remotes.result_valid_q + answers
      && (!\dut.remotes.queue.head_valid_q || waiting != 0) && !(\dut.remotes.offer.full_q && \dut.remotes.result_valid_q ));
    u_most: assert (ops + remotes <= `W && others <= 2 * `W + 1 && (!room || items <= 2 * `W));
    u_clear: assert (\dut.ctas.walk.cleared_q == clear && (clear || (\dut.ctas.walk.walk_entry_q == cleared[2:0] && items == 0 && !\dut.enqueue.arbiter.ready_q && !room && cleared < `X
      && !\dut.ctas.walk.steps_pending_q && !\dut.ctas.touched_slots_q && remotes == 0)) && cleared <= `X && (clear || !clear_1) && (clear_1 || !room));
    u_room: assert (\dut.enqueue.arbiter.has_queue_space_q == room);
    u_sent: assert (\dut.enqueue.tx_queue.filled_q == (2'd1 << sent) - 2'd1 && \dut.enqueue.tx_queue_full == (sent == 2) && sent <= 2);
    u_came: assert (\dut.enqueue.net_queue.filled_q == (2'd1 << came) - 2'd1 && \dut.enqueue.net_full_q == (came == 2) && came <= 2);
    u_passed: assert ((passed == 0 || passed == 1 || passed == 3 || passed == 7)
      && (own_passed == 0 || own_passed == 1 || own_passed == 3 || own_passed == 7 || own_passed == 15));
    u_ready: assert (!\dut.enqueue.arbiter.ready_q || !room || behind == 0);
    u_reason: assert (!clear_1 || \dut.enqueue.arbiter.ready_q || ops + remotes >= `W || (room && (behind != 0 || gone)));
    u_op: assert (op_waits == 0 || (op_waits == 1 && (passed != 0 || \dut.enqueue.arbiter.ready_q )) || (op_waits == 2 && passed >= 3) || (op_waits == 3 && passed == 7));
    u_others: assert (own_waits <= (passed == 1 ? 0 : passed == 3 ? 1 : passed == 7 ? 2 : 3)
      && tx_waits <= (passed == 3 ? 0 : passed == 7 ? 1 : passed == 0 ? 2 : 3)
      && net_waits <= (passed == 7 ? 0 : passed == 0 ? 1 : passed == 1 ? 2 : 3));
    u_since: assert ((own_waits == 0 || there_1[0]) && (tx_waits == 0 || there_1[1]) && (net_waits == 0 || there_1[2]));
    u_own: assert (late_waits <= 4 * rounds(0, own_passed) + own_waits && answer_waits <= 4 * rounds(1, own_passed) + own_waits
      && absent_waits <= 4 * rounds(2, own_passed) + own_waits && step_waits <= 4 * rounds(3, own_passed) + own_waits);
  end
