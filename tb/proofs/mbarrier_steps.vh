// SPDX-License-Identifier: Apache-2.0 OR MIT
// The walk over the entries of a CTA that goes, as far as an induction must know it: its steps are in the queue in order, and it is through
// when the last of them is done. It names the inside of the exported unit at `tiny`.
  (* hierconn *) wire [140:0] \dut.flow.items.words[0] , \dut.flow.items.words[1] , \dut.flow.items.words[2] , \dut.flow.items.words[3] ,
    \dut.flow.items.words[4] , \dut.flow.items.words[5] , \dut.flow.items.words[6] , \dut.flow.items.words[7] , \dut.flow.items.words[8] ,
    \dut.flow.items.words[9] , \dut.flow.items.words[10] , \dut.flow.items.words[11] , \dut.flow.items.words[12] ,
    \dut.flow.items.words[13] , \dut.flow.items.words[14] , \dut.flow.items.words[15] , \dut.flow.items_read_value ;
  (* hierconn *) wire [5:0] \dut.flow.places.words[0] , \dut.flow.places.words[1] , \dut.flow.places.words[2] , \dut.flow.places.words[3] ,
    \dut.flow.places.words[4] , \dut.flow.places.words[5] , \dut.flow.places.words[6] , \dut.flow.places.words[7] , \dut.flow.places.words[8] ,
    \dut.flow.places.words[9] , \dut.flow.places.words[10] , \dut.flow.places.words[11] , \dut.flow.places.words[12] ,
    \dut.flow.places.words[13] , \dut.flow.places.words[14] , \dut.flow.places.words[15] , \dut.flow.places_read_value ;
  (* hierconn *) wire [3:0] \dut.flow.last , \dut.flow.oldest , \dut.flow.next_start ;
  (* hierconn *) wire [2:0] \dut.flow.fresh_entry , \dut.flow.inside_entry , \dut.sums_ctrl_entry , \dut.ctas_step_entry ;
  (* hierconn *) wire \dut.flow.stopped , \dut.flow.inside_valid , \dut.flow.is_fresh , \dut.sums_ctrl_valid , \dut.sums_ctrl_steps , \dut.enqueue_push ,
    \dut.ctas.steps , \dut.ctas.active , \dut.ctas.begun , \dut.ctas.through ;
  wire [15:0] word_steps = {\dut.flow.items.words[15] [1], \dut.flow.items.words[14] [1], \dut.flow.items.words[13] [1],
    \dut.flow.items.words[12] [1], \dut.flow.items.words[11] [1], \dut.flow.items.words[10] [1], \dut.flow.items.words[9] [1],
    \dut.flow.items.words[8] [1], \dut.flow.items.words[7] [1], \dut.flow.items.words[6] [1], \dut.flow.items.words[5] [1],
    \dut.flow.items.words[4] [1], \dut.flow.items.words[3] [1], \dut.flow.items.words[2] [1], \dut.flow.items.words[1] [1],
    \dut.flow.items.words[0] [1]};
  wire [15:0] word_ends = {&\dut.flow.places.words[15] [2:0], &\dut.flow.places.words[14] [2:0], &\dut.flow.places.words[13] [2:0],
    &\dut.flow.places.words[12] [2:0], &\dut.flow.places.words[11] [2:0], &\dut.flow.places.words[10] [2:0], &\dut.flow.places.words[9] [2:0],
    &\dut.flow.places.words[8] [2:0], &\dut.flow.places.words[7] [2:0], &\dut.flow.places.words[6] [2:0], &\dut.flow.places.words[5] [2:0],
    &\dut.flow.places.words[4] [2:0], &\dut.flow.places.words[3] [2:0], &\dut.flow.places.words[2] [2:0], &\dut.flow.places.words[1] [2:0],
    &\dut.flow.places.words[0] [2:0]};
  wire [3:0] q_last = \dut.flow.last , q_head = \dut.flow.oldest , q_next = \dut.flow.next_start ;
  wire [3:0] q_items = q_last - q_head, q_started = q_next - q_head;
  wire q_inside = \dut.flow.inside_valid && !\dut.flow.stopped , q_ctrl = \dut.sums_ctrl_valid ;
  wire [3:0] q_inner = q_head + q_ctrl;
  wire q_found_ends = \dut.flow.is_fresh ? &\dut.flow.fresh_entry : &\dut.flow.places_read_value [2:0];
  // Each item: a step, and that of the last entry.
  reg [15:0] is_step, is_end;
  wire q_puts_end = step_taken && &\dut.ctas_step_entry ;
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
    w_started: assert (\dut.flow.stopped || (q_started == q_inside + q_ctrl && q_started <= q_items));
    w_items: assert (q_items <= 15 && &words_right);
    w_found: assert (q_next == q_last || \dut.flow.stopped || q_found_ends == word_ends[q_next]);
    w_inside: assert (!q_inside || (\dut.flow.items_read_value [1] == is_step[q_inner] && (!is_step[q_inner] || &\dut.flow.inside_entry == is_end[q_inner])));
    w_ctrl: assert (!q_ctrl || (q_items != 0 && \dut.sums_ctrl_steps == is_step[q_head] && (!is_step[q_head] || &\dut.sums_ctrl_entry == is_end[q_head])));
    w_walk: assert ((!\dut.ctas.begun || \dut.ctas.active ) && (!\dut.ctas.through || \dut.ctas.begun )
      && (!\dut.ctas.steps || (\dut.ctas.begun && !\dut.ctas.through && !some_end)) && in_order
      && (!some_step || (\dut.ctas.begun && !\dut.ctas.through )));
  end
