// SPDX-License-Identifier: Apache-2.0 OR MIT
// Invariants on the walk over the entries of a retiring CTA: its steps are queued in order, and the walk is complete when its last step is
// done. The file names registers inside the exported unit at `tiny`.
  (* hierconn *) wire [140:0] \dut.item_queue.items.few_words.words[0] , \dut.item_queue.items.few_words.words[1] , \dut.item_queue.items.few_words.words[2] , \dut.item_queue.items.few_words.words[3] ,
    \dut.item_queue.items.few_words.words[4] , \dut.item_queue.items.few_words.words[5] , \dut.item_queue.items.few_words.words[6] , \dut.item_queue.items.few_words.words[7] , \dut.item_queue.items.few_words.words[8] ,
    \dut.item_queue.items.few_words.words[9] , \dut.item_queue.items.few_words.words[10] , \dut.item_queue.items.few_words.words[11] , \dut.item_queue.items.few_words.words[12] ,
    \dut.item_queue.items.few_words.words[13] , \dut.item_queue.items.few_words.words[14] , \dut.item_queue.items.few_words.words[15] , \dut.item_queue.items_read_value ;
  (* hierconn *) wire [5:0] \dut.item_queue.lookups.few_words.words[0] , \dut.item_queue.lookups.few_words.words[1] , \dut.item_queue.lookups.few_words.words[2] , \dut.item_queue.lookups.few_words.words[3] ,
    \dut.item_queue.lookups.few_words.words[4] , \dut.item_queue.lookups.few_words.words[5] , \dut.item_queue.lookups.few_words.words[6] , \dut.item_queue.lookups.few_words.words[7] , \dut.item_queue.lookups.few_words.words[8] ,
    \dut.item_queue.lookups.few_words.words[9] , \dut.item_queue.lookups.few_words.words[10] , \dut.item_queue.lookups.few_words.words[11] , \dut.item_queue.lookups.few_words.words[12] ,
    \dut.item_queue.lookups.few_words.words[13] , \dut.item_queue.lookups.few_words.words[14] , \dut.item_queue.lookups.few_words.words[15] , \dut.item_queue.lookups_read_value ;
  (* hierconn *) wire [3:0] \dut.item_queue.tail_address_q , \dut.item_queue.head_address_q , \dut.item_queue.start_address_q ;
  (* hierconn *) wire [2:0] \dut.item_queue.bypass_entry_q , \dut.item_queue.sums_entry_q , \dut.sums_ctrl_entry , \dut.ctas_walk_step_entry ;
  (* hierconn *) wire \dut.item_queue.restarted_q , \dut.item_queue.sums_valid_q , \dut.item_queue.use_bypass_q , \dut.sums_ctrl_valid , \dut.sums_ctrl_is_walk_step , \dut.enqueue_push ,
    \dut.ctas.walk.steps_pending_q , \dut.ctas.walk.walk_active_q , \dut.ctas.walk.walk_begun_q , \dut.ctas.walk.walk_done_q ;
  wire [15:0] word_steps = {\dut.item_queue.items.few_words.words[15] [1], \dut.item_queue.items.few_words.words[14] [1], \dut.item_queue.items.few_words.words[13] [1],
    \dut.item_queue.items.few_words.words[12] [1], \dut.item_queue.items.few_words.words[11] [1], \dut.item_queue.items.few_words.words[10] [1], \dut.item_queue.items.few_words.words[9] [1],
    \dut.item_queue.items.few_words.words[8] [1], \dut.item_queue.items.few_words.words[7] [1], \dut.item_queue.items.few_words.words[6] [1], \dut.item_queue.items.few_words.words[5] [1],
    \dut.item_queue.items.few_words.words[4] [1], \dut.item_queue.items.few_words.words[3] [1], \dut.item_queue.items.few_words.words[2] [1], \dut.item_queue.items.few_words.words[1] [1],
    \dut.item_queue.items.few_words.words[0] [1]};
  wire [15:0] word_ends = {&\dut.item_queue.lookups.few_words.words[15] [2:0], &\dut.item_queue.lookups.few_words.words[14] [2:0], &\dut.item_queue.lookups.few_words.words[13] [2:0],
    &\dut.item_queue.lookups.few_words.words[12] [2:0], &\dut.item_queue.lookups.few_words.words[11] [2:0], &\dut.item_queue.lookups.few_words.words[10] [2:0], &\dut.item_queue.lookups.few_words.words[9] [2:0],
    &\dut.item_queue.lookups.few_words.words[8] [2:0], &\dut.item_queue.lookups.few_words.words[7] [2:0], &\dut.item_queue.lookups.few_words.words[6] [2:0], &\dut.item_queue.lookups.few_words.words[5] [2:0],
    &\dut.item_queue.lookups.few_words.words[4] [2:0], &\dut.item_queue.lookups.few_words.words[3] [2:0], &\dut.item_queue.lookups.few_words.words[2] [2:0], &\dut.item_queue.lookups.few_words.words[1] [2:0],
    &\dut.item_queue.lookups.few_words.words[0] [2:0]};
  wire [3:0] q_last = \dut.item_queue.tail_address_q , q_head = \dut.item_queue.head_address_q , q_next = \dut.item_queue.start_address_q ;
  wire [3:0] q_items = q_last - q_head, q_started = q_next - q_head;
  wire q_inside = \dut.item_queue.sums_valid_q && !\dut.item_queue.restarted_q , q_ctrl = \dut.sums_ctrl_valid ;
  wire [3:0] q_inner = q_head + q_ctrl;
  wire q_found_ends = \dut.item_queue.use_bypass_q ? &\dut.item_queue.bypass_entry_q : &\dut.item_queue.lookups_read_value [2:0];
  // For each item: whether it is a step of the walk, and whether it is the step of the last entry.
  reg [15:0] is_step, is_end;
  wire q_puts_end = step_taken && &\dut.ctas_walk_step_entry ;
  always @(posedge clock) begin
    if (\dut.enqueue_push ) is_step[q_last] <= step_taken;
    if (\dut.enqueue_push ) is_end[q_last] <= q_puts_end;
  end
  reg [15:0] words_right;
  reg some_step, some_end, in_order;
  reg [3:0] q_offset, q_place;
  integer q;
  always @(*) begin
    for (q = 0; q < 16; q = q + 1) begin
      q_offset = q - q_head;
      words_right[q] = q_offset >= q_items || (word_steps[q] == is_step[q] && (!is_step[q] || word_ends[q] == is_end[q]) && (is_step[q] || !is_end[q]));
    end
    {some_step, some_end, in_order} = 3'b001;
    for (q = 0; q < 15; q = q + 1) begin
      q_place = q_head + q;
      if (q < q_items && is_step[q_place]) begin
        if (some_end) in_order = 0;
        some_step = 1;
      end
      if (q < q_items && is_end[q_place]) some_end = 1;
    end
  end
  always @(*) if (begun) begin
    w_started: assert (\dut.item_queue.restarted_q || (q_started == q_inside + q_ctrl && q_started <= q_items));
    w_items: assert (q_items <= 15 && &words_right);
    w_found: assert (q_next == q_last || \dut.item_queue.restarted_q || q_found_ends == word_ends[q_next]);
    w_inside: assert (!q_inside || (\dut.item_queue.items_read_value [1] == is_step[q_inner] && (!is_step[q_inner] || &\dut.item_queue.sums_entry_q == is_end[q_inner])));
    w_ctrl: assert (!q_ctrl || (q_items != 0 && \dut.sums_ctrl_is_walk_step == is_step[q_head] && (!is_step[q_head] || &\dut.sums_ctrl_entry == is_end[q_head])));
    w_walk: assert ((!\dut.ctas.walk.walk_begun_q || \dut.ctas.walk.walk_active_q ) && (!\dut.ctas.walk.walk_done_q || \dut.ctas.walk.walk_begun_q )
      && (!\dut.ctas.walk.steps_pending_q || (\dut.ctas.walk.walk_begun_q && !\dut.ctas.walk.walk_done_q && !some_end)) && in_order
      && (!some_step || (\dut.ctas.walk.walk_begun_q && !\dut.ctas.walk.walk_done_q )));
  end
