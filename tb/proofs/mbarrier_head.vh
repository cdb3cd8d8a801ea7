// SPDX-License-Identifier: Apache-2.0 OR MIT
// The oldest item is done within 2 N^2 + 35 N + 13 cycles. Assumptions: memory takes each request within N cycles, each answer follows
// the request or the previous answer within N cycles, and each fault is taken within N cycles. `left_to_do` bounds the remaining cycles and
// decreases every cycle. The proof uses the invariants `same_…`.
  // N, in cycles: the solver chooses any number up to 4.
  (* anyconst *) reg [2:0] n;
  reg [2:0] request_waits = 0, answer_waits = 0, fault_waits = 0;
  always @(posedge clock) begin
    request_waits <= reset || !mem_request_valid || mem_request_ready ? 0 : request_waits + 1;
    answer_waits <= reset || unanswered == 0 || mem_response_valid ? 0 : answer_waits + 1;
    fault_waits <= reset || !fault_valid || fault_ready ? 0 : fault_waits + 1;
  end
  wire request_late = mem_request_valid && request_waits + 1 >= n, answer_late = unanswered != 0 && answer_waits + 1 >= n,
    fault_late = fault_valid && fault_waits + 1 >= n;
  always @(*) begin
    assume (n != 0 && n <= 4);
    if (request_late) assume (mem_request_ready);
    if (answer_late) assume (mem_response_valid || reset);
    if (fault_late) assume (fault_ready);
    // Interface assumption: a CTA sends nothing before its launch or after its retire.
    if ((put_op && op_cta == slot) || (sends_tx && tx_cta == slot)) assume (there);
  end

  // Upper bounds, in cycles: `memory_left` until all requests are answered, and `fault_left` until the offered fault is taken.
  wire [11:0] cycles = n, in_memory = unanswered + mem_request_valid;
  wire [11:0] memory_left = cycles * in_memory + (mem_request_valid ? cycles - request_waits : 0) - answer_waits;
  wire [11:0] fault_left = fault_valid ? cycles - fault_waits : 0;
  // `to_decision`: cycles to the item's next decision. `at_…`: the entry of the cache that the decision will find.
  wire [11:0] to_decision = ctrl ? 1 : inside ? 2 : \dut.item_queue.restarted_q ? 4 : 3;
  wire at_live = at_entry[0], at_dirty = at_entry[1], at_waiting = at_entry[8:5] != 0;
  wire at_hit = at_live && at_entry[4:2] == {now_cta, now_object[4:3]};
  wire at_must = at_live && at_dirty && !lost;
  wire refuses = early != 0 || now_absent;
  wire came = has_come || has_returned || (ctrl && \dut.sums_ctrl_word_returned );
  wire gives_way = at_live && !at_hit && !(waits && at_waiting);
  wire [11:0] to_read = 2 * cycles + 5, to_evict = 8 * cycles + 4;
  // An item that is refused because of its object's word needs the fault channel. While the channel is occupied, the item reads the word
  // again.
  wire erases = now_op && now_kind == INVAL;
  wire [11:0] to_tell = erases ? 0 : fault_left * (2 * cycles + 9);
  wire [11:0] left_to_do =
    now_source == TIME_OUT ? to_decision
    : now_source == STEP ? to_decision + 4 * memory_left
    : refuses ? to_decision + 4 * fault_left
    : now_op && now_kind == INIT ? to_decision + (\dut.decide.evicting_q ? 4 * memory_left + 4 : at_hit || !at_must ? 0 : 4 * memory_left + 8)
    : halted ? memory_left + 4 + to_tell
    : came ? to_decision + to_tell
    : erases ? to_decision + 4 * memory_left + to_read
    : at_hit ? to_decision + to_tell
    : to_decision + 4 * memory_left + to_read + to_tell + (gives_way ? to_evict : 0);
  wire [11:0] most = 2 * cycles * cycles + 35 * cycles + 13;
  // `left_then`: the bound of the same item in the previous cycle.
  reg followed = 0;
  reg [11:0] left_then;
  always @(posedge clock) begin
    followed <= !reset && items != 0 && !done;
    left_then <= left_to_do;
  end
  always @(*) if (begun && !reset) begin
    h_there: assert ((there && (there_1 || !own_item)) || !under_way_now);
    h_asks: assert (!awaits || now_own);
    h_waits: assert (request_waits < n && answer_waits < n && fault_waits < n && (unanswered != 0 || answer_waits == 0));
    if (items != 0) h_most: assert (left_to_do <= most);
    if (followed) h_less: assert (left_to_do < left_then);
  end
  // The CTA's unfinished items and transfers.
  reg under_way_now, own_item;
  integer h;
  reg [3:0] of_oldest;
  always @(*) begin
    own_item = 0;
    under_way_now = (tx_filled >= 1 && tx_first[CTA_AT-:`LC] == slot) || (tx_filled == 2 && tx_second[CTA_AT-:`LC] == slot);
    for (h = 0; h < PLACES; h = h + 1) begin
      of_oldest = h - head;
      if (of_oldest < items && (placed[h][RB-1-:2] == OP || placed[h][RB-1-:2] == TX) && placed[h][CTA_AT-:`LC] == slot) {under_way_now, own_item} = 2'b11;
    end
  end
