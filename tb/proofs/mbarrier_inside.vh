// SPDX-License-Identifier: Apache-2.0 OR MIT
// Invariants for the induction. The file names registers inside the exported unit at `tiny` and relates them to the checker's state.
  (* hierconn *) wire [71:0] \dut.cache.ram.few_words.words[0] , \dut.cache.ram.few_words.words[1] , \dut.cache.ram.few_words.words[2] , \dut.cache.ram.few_words.words[3] ,
    \dut.cache.ram.few_words.words[4] , \dut.cache.ram.few_words.words[5] , \dut.cache.ram.few_words.words[6] , \dut.cache.ram.few_words.words[7] ;
  (* hierconn *) wire [140:0] \dut.item_queue.items.few_words.words[0] , \dut.item_queue.items.few_words.words[1] , \dut.item_queue.items.few_words.words[2] , \dut.item_queue.items.few_words.words[3] ,
    \dut.item_queue.items.few_words.words[4] , \dut.item_queue.items.few_words.words[5] , \dut.item_queue.items.few_words.words[6] , \dut.item_queue.items.few_words.words[7] , \dut.item_queue.items.few_words.words[8] ,
    \dut.item_queue.items.few_words.words[9] , \dut.item_queue.items.few_words.words[10] , \dut.item_queue.items.few_words.words[11] , \dut.item_queue.items.few_words.words[12] ,
    \dut.item_queue.items.few_words.words[13] , \dut.item_queue.items.few_words.words[14] , \dut.item_queue.items.few_words.words[15] ;
  (* hierconn *) wire [5:0] \dut.item_queue.lookups.few_words.words[0] , \dut.item_queue.lookups.few_words.words[1] , \dut.item_queue.lookups.few_words.words[2] , \dut.item_queue.lookups.few_words.words[3] ,
    \dut.item_queue.lookups.few_words.words[4] , \dut.item_queue.lookups.few_words.words[5] , \dut.item_queue.lookups.few_words.words[6] , \dut.item_queue.lookups.few_words.words[7] , \dut.item_queue.lookups.few_words.words[8] ,
    \dut.item_queue.lookups.few_words.words[9] , \dut.item_queue.lookups.few_words.words[10] , \dut.item_queue.lookups.few_words.words[11] , \dut.item_queue.lookups.few_words.words[12] ,
    \dut.item_queue.lookups.few_words.words[13] , \dut.item_queue.lookups.few_words.words[14] , \dut.item_queue.lookups.few_words.words[15] ;
  wire [8*72-1:0] entries = {\dut.cache.ram.few_words.words[7] , \dut.cache.ram.few_words.words[6] , \dut.cache.ram.few_words.words[5] , \dut.cache.ram.few_words.words[4] ,
    \dut.cache.ram.few_words.words[3] , \dut.cache.ram.few_words.words[2] , \dut.cache.ram.few_words.words[1] , \dut.cache.ram.few_words.words[0] };
  wire [16*141-1:0] contents = {\dut.item_queue.items.few_words.words[15] , \dut.item_queue.items.few_words.words[14] , \dut.item_queue.items.few_words.words[13] , \dut.item_queue.items.few_words.words[12] ,
    \dut.item_queue.items.few_words.words[11] , \dut.item_queue.items.few_words.words[10] , \dut.item_queue.items.few_words.words[9] , \dut.item_queue.items.few_words.words[8] , \dut.item_queue.items.few_words.words[7] ,
    \dut.item_queue.items.few_words.words[6] , \dut.item_queue.items.few_words.words[5] , \dut.item_queue.items.few_words.words[4] , \dut.item_queue.items.few_words.words[3] , \dut.item_queue.items.few_words.words[2] ,
    \dut.item_queue.items.few_words.words[1] , \dut.item_queue.items.few_words.words[0] };
  wire [16*6-1:0] looks = {\dut.item_queue.lookups.few_words.words[15] , \dut.item_queue.lookups.few_words.words[14] , \dut.item_queue.lookups.few_words.words[13] , \dut.item_queue.lookups.few_words.words[12] ,
    \dut.item_queue.lookups.few_words.words[11] , \dut.item_queue.lookups.few_words.words[10] , \dut.item_queue.lookups.few_words.words[9] , \dut.item_queue.lookups.few_words.words[8] , \dut.item_queue.lookups.few_words.words[7] ,
    \dut.item_queue.lookups.few_words.words[6] , \dut.item_queue.lookups.few_words.words[5] , \dut.item_queue.lookups.few_words.words[4] , \dut.item_queue.lookups.few_words.words[3] , \dut.item_queue.lookups.few_words.words[2] ,
    \dut.item_queue.lookups.few_words.words[1] , \dut.item_queue.lookups.few_words.words[0] };
  (* hierconn *) wire \dut.item_queue.restarted_q , \dut.item_queue.sums_valid_q , \dut.item_queue.use_bypass_q , \dut.item_queue.bypass_init_q , \dut.item_queue.bypass_same_as_last_q ,
    \dut.item_queue.bypass_same_as_second_last_q , \dut.sums_ctrl_valid , \dut.sums_ctrl_is_walk_step , \dut.sums_ctrl_expires , \dut.enqueue.arbiter.ready_q , \dut.enqueue.arbiter.has_queue_space_q , \dut.enqueue.tx_queue_full ,
    \dut.decide.evicting_q , \dut.memory.halted_q , \dut.memory.fill_valid_q , \dut.memory.word_returned_q , \dut.memory.word_spent_q ,
    \dut.memory.word_phase_q , \dut.memory.layout_bit_q , \dut.ctas.present_slots_q , \dut.ctas.leaving_q , \dut.ctas.saved_slots_q , \dut.ctas.walk.walk_active_q , \dut.ctas.walk.walk_slot_q ,
    \dut.ctas.walk.steps_pending_q , \dut.ctas.walk.walk_begun_q , \dut.ctas.touched_slots_q , \dut.ctas.walk.walk_done_q , \dut.ctas.walk.cleared_q ;
  (* hierconn *) wire [3:0] \dut.item_queue.tail_address_q , \dut.item_queue.head_address_q , \dut.item_queue.start_address_q ;
  (* hierconn *) wire [2:0] \dut.item_queue.bypass_entry_q , \dut.item_queue.last_entry_q , \dut.item_queue.second_last_entry_q , \dut.item_queue.sums_entry_q , \dut.ctas.walk.walk_entry_q , \dut.sums_ctrl_entry ;
  (* hierconn *) wire [5:0] \dut.item_queue.lookups_read_value ;
  (* hierconn *) wire [140:0] \dut.item_queue.items_read_value ;
  (* hierconn *) wire [1:0] \dut.memory.unanswered_count_q , \dut.enqueue.tx_queue.filled_q ;
  (* hierconn *) wire [65:0] \dut.enqueue.tx_queue.values_q ;
  (* hierconn *) wire [19:0] \dut.memory.word_expected_q , \dut.memory.word_pending_q ;
  (* hierconn *) wire [20:0] \dut.memory.word_tx_q ;

  (* hierconn *) wire [1:0] \dut.enqueue.net_queue.filled_q ;
`ifdef NET
  localparam NETWORK = 1;
  (* hierconn *) wire [117:0] \dut.enqueue.net_queue.values_q ;
  (* hierconn *) wire \dut.enqueue.net_full_q ;
`else
  localparam NETWORK = 0;
`endif
  (* hierconn *) wire [2:0] \dut.remotes.queue.head_address_q , \dut.remotes.queue.tail_address_q ;
  (* hierconn *) wire [3:0] \dut.acks.unacked_count_0_q , \dut.acks.absent_count_0_q , \dut.enqueue.peers.peers_q_0_rank_q ;
  (* hierconn *) wire [4:0] \dut.enqueue.peers.peers_q_0_size_q ;
  (* hierconn *) wire \dut.remotes.result_valid_q , \dut.remotes.queue.head_valid_q , \dut.remotes.offer.full_q ;

  (* hierconn *) wire \dut.decide_writes , \dut.decide_decision_restart ;
  (* hierconn *) wire [71:0] \dut.cache_sums_entry_data ;
  wire \dut.cache_sums_entry_data_live = \dut.cache_sums_entry_data [0];
  wire \dut.cache_sums_entry_data_dirty = \dut.cache_sums_entry_data [1];
  wire \dut.cache_sums_entry_data_spent = \dut.cache_sums_entry_data [50];
  wire \dut.cache_sums_entry_data_phase = \dut.cache_sums_entry_data [71];
  (* hierconn *) wire [71:0] \dut.decide_written_data ;
  wire \dut.decide_written_data_live = \dut.decide_written_data [0];
  wire \dut.decide_written_data_dirty = \dut.decide_written_data [1];
  wire \dut.decide_written_data_spent = \dut.decide_written_data [50];
  wire \dut.decide_written_data_phase = \dut.decide_written_data [71];
  wire [2:0] \dut.cache_sums_entry_data_tag = \dut.cache_sums_entry_data [4:2];
  wire [2:0] \dut.decide_written_data_tag = \dut.decide_written_data [4:2];
  wire [3:0] \dut.cache_sums_entry_data_waiting = \dut.cache_sums_entry_data [8:5];
  wire [3:0] \dut.decide_written_data_waiting = \dut.decide_written_data [8:5];
  wire [19:0] \dut.cache_sums_entry_data_expected = \dut.cache_sums_entry_data [28:9];
  wire [19:0] \dut.cache_sums_entry_data_pending = \dut.cache_sums_entry_data [70:51];
  wire [19:0] \dut.decide_written_data_expected = \dut.decide_written_data [28:9];
  wire [19:0] \dut.decide_written_data_pending = \dut.decide_written_data [70:51];
  wire [20:0] \dut.cache_sums_entry_data_tx = \dut.cache_sums_entry_data [49:29];
  wire [20:0] \dut.decide_written_data_tx = \dut.decide_written_data [49:29];

  (* hierconn *) wire \dut.sums.valid_q , \dut.sums_ctrl_new_spent , \dut.sums_ctrl_new_phase , \dut.sums_ctrl_complete ;
  (* hierconn *) wire [62:0] \dut.memory_fill ;
  wire \dut.memory_fill_spent = \dut.memory_fill [41];
  wire \dut.memory_fill_phase = \dut.memory_fill [62];
  (* hierconn *) wire [19:0] \dut.sums_ctrl_new_expected , \dut.sums_ctrl_new_pending , \dut.memory_fill_pending ;
  wire [19:0] \dut.memory_fill_expected = \dut.memory_fill [19:0];
  (* hierconn *) wire [20:0] \dut.sums_ctrl_new_tx ;
  wire [20:0] \dut.memory_fill_tx = \dut.memory_fill [40:20];

  (* hierconn *) wire \dut.sums_ctrl_available , \dut.sums_ctrl_bad_layout , \dut.sums_ctrl_spent , \dut.sums_ctrl_phase ;
  (* hierconn *) wire [9:0] \dut.check_judgement ;
  wire \dut.check_judgement_refused = \dut.check_judgement [0];
  wire \dut.check_judgement_complete = \dut.check_judgement [7];
  (* hierconn *) wire [19:0] \dut.sums_ctrl_expected , \dut.sums_ctrl_pending ;
  (* hierconn *) wire [20:0] \dut.sums_ctrl_tx ;

  (* hierconn *) wire \dut.sums_ctrl_live , \dut.sums_ctrl_dirty , \dut.sums_ctrl_entry_hit , \dut.sums_ctrl_entry_usable , \dut.sums_ctrl_operates , \dut.sums_ctrl_waits ,
    \dut.sums_ctrl_init , \dut.sums_ctrl_refuses , \dut.sums_ctrl_inits , \dut.sums_ctrl_invals , \dut.sums_ctrl_evicts , \dut.sums_ctrl_reads ;
  (* hierconn *) wire [2:0] \dut.sums_ctrl_tag , \dut.sums_ctrl_object_tag ;
  (* hierconn *) wire [3:0] \dut.sums_ctrl_waiting ;

  (* hierconn *) wire \dut.decide_decision_suspends ;
  (* hierconn *) wire [1:0] \dut.sums_ctrl_warp , \dut.sums_ctrl_limit ;
  reg was_suspended = 0;
  reg [1:0] limit_before;
  always @(posedge clock) begin
    was_suspended <= \dut.decide_decision_suspends && !reset;
    limit_before <= wait_limit;
  end

  // The cache entry of the followed object.
  wire e_live, e_dirty, e_spent, e_phase;
  wire [2:0] e_tag;
  wire [3:0] e_waiting;
  wire [19:0] e_expected, e_pending;
  wire [20:0] e_tx;
  assign {e_phase, e_pending, e_spent, e_tx, e_expected, e_waiting, e_tag, e_dirty, e_live} = entries >> (72 * home);
  wire clear = \dut.ctas.walk.cleared_q ;
  wire clean = clear || \dut.ctas.walk.walk_entry_q > home;
  wire holds = clean && e_live && e_tag == {slot, number[4:3]};

  // The position of the unit's pipeline in the queue of items.
  wire inside = \dut.item_queue.sums_valid_q && !\dut.item_queue.restarted_q ;
  wire ctrl = \dut.sums_ctrl_valid ;
  wire halted = \dut.memory.halted_q , has_come = \dut.memory.fill_valid_q , has_returned = \dut.memory.word_returned_q ;
  wire awaits = halted || has_come || has_returned;
  (* hierconn *) wire \dut.sums_ctrl_word_returned ;
  wire erasing = mine && now_kind == INVAL && now_op && (awaits || (ctrl && \dut.sums_ctrl_word_returned ));

  // Each entry of the queue as it was received, compared with the entry as the unit holds it.
  reg [15:0] filled, item_same, place_same, of_who, steps, late_of_who;
  reg [1:0] x_source;
  reg x_uniform, x_cluster, x_phase, x_whole, arrives, drops, expects, adds, init, inval, waiting, complete, no_complete, op, net, acts, sound;
  reg [3:0] x_kind;
  reg [5:0] x_fault, x_early;
  reg [1:0] x_warp, x_hint;
  reg x_cta;
  reg [31:0] x_address;
  reg [20:0] x_count, x_bytes;
  reg [7:0] x_rd;
  reg [2:0] x_pu;
  reg [140:0] item, wanted_item;
  reg [5:0] look;
  reg [16*3-1:0] at;
  reg [3:0] before, before_that, offset;
  integer i;
  always @(*) begin
    for (i = 0; i < 16; i = i + 1) begin
      {x_source, x_kind, x_fault, x_uniform, x_warp, x_cta, x_address, x_cluster, x_count, x_bytes, x_phase, x_hint, x_whole, x_rd, x_pu} = placed[i];
      at[3*i+:3] = x_source == TIME_OUT || x_source == STEP ? x_address[2:0] : entry_of(x_cta, x_address[7:3]);
    end
    for (i = 0; i < 16; i = i + 1) begin
      {x_source, x_kind, x_fault, x_uniform, x_warp, x_cta, x_address, x_cluster, x_count, x_bytes, x_phase, x_hint, x_whole, x_rd, x_pu} = placed[i];
      item = contents >> (141 * i);
      look = looks >> (6 * i);
      offset = i - head;
      before = i - 1;
      before_that = i - 2;
      filled[i] = offset < items;
      op = x_source == OP;
      net = x_source == TX && x_kind != 0;
      acts = op || net;
      init = op && x_kind == INIT;
      inval = op && x_kind == INVAL;
      waiting = op && (x_kind == TEST_WAIT || x_kind == TRY_WAIT);
      drops = acts && (x_kind == DROP || x_kind == DROP_EXPECT || x_kind == DROP_NO_COMPLETE);
      arrives = x_source == TX && !net ? x_count != 0 : drops || (acts && (x_kind == ARRIVE || x_kind == ARRIVE_EXPECT || x_kind == ARRIVE_NO_COMPLETE));
      expects = acts && (x_kind == EXPECT || x_kind == ARRIVE_EXPECT || x_kind == DROP_EXPECT);
      adds = op && x_kind == ADD_PENDING;
      no_complete = acts && (x_kind == ARRIVE_NO_COMPLETE || x_kind == DROP_NO_COMPLETE);
      complete = (x_source == TX && !net) || (acts && !init && !inval && !waiting && !adds && !no_complete && x_kind != EXPECT);
      x_early = !op ? 0 : x_fault != 0 ? x_fault : !x_uniform ? NOT_UNIFORM
        : x_address[31:24] != 0 ? (waiting && !x_cluster ? WAIT_REMOTE : RANK_OUT) : x_address[2:0] != 0 ? MISALIGNED
        : x_address[23:8] != 0 ? ADDRESS_OUT
        : (init || arrives || adds) && (x_count == 0 || x_count[20]) ? COUNT : 0;
      // A field without a meaning for this item is not compared: the expected value is copied from the unit.
      wanted_item = item;
      wanted_item[23:0] = {op, x_early, (op && (arrives || waiting)) || net, no_complete, complete, acts && x_kind == EXPECT,
        expects || (acts && x_kind == COMPLETE) || (x_source == TX && !net && x_count == 0), expects, adds, drops, arrives,
        op && x_kind == TRY_WAIT && x_whole, waiting, inval || x_source == TIME_OUT || x_source == STEP, init, x_early != 0, op || x_source == TX, x_source == STEP, x_source == TIME_OUT};
      if (op || x_source == TIME_OUT) wanted_item[25:24] = x_warp;
      if (x_source == TIME_OUT || x_source == STEP) wanted_item[126:64] = 0;
      else begin
        wanted_item[63:26] = {x_address, x_address[7:3], x_cta};
        wanted_item[83:64] = init || adds ? ~x_count[19:0] : x_count[19:0];
        wanted_item[103:84] = init ? ~x_count[19:0] : drops ? x_count[19:0] : 0;
        wanted_item[124:104] = expects ? ~x_bytes : x_bytes;
        wanted_item[126:125] = {init, init || adds};
      end
      if (op) wanted_item[140:127] = {x_pu, x_rd, x_hint, x_phase};
      if (net) wanted_item[137:130] = x_rd;
      // A number field that the kind does not use is 0.
      sound = (!op || x_kind <= TRY_WAIT) && (x_count == 0 || init || arrives || adds) && (x_bytes == 0 || expects || (x_source == TX && !net) || (acts && x_kind == COMPLETE))
        && (!net || (NETWORK && x_fault == 0 && x_uniform && x_kind >= ARRIVE && x_kind <= COMPLETE && arrives == (x_count != 0) && !x_count[20] && x_address[31:8] == 0 && x_address[2:0] == 0))
        && (x_source != TX || net || ((x_count == 0 || x_bytes == 0) && x_count[20:6] == 0 && x_address[31:8] == 0 && x_address[2:0] == 0));
      item_same[i] = !filled[i] || (item == wanted_item && (sound || x_source == TIME_OUT || x_source == STEP));
      place_same[i] = !filled[i] || (look[3:0] == {init, at[3*i+:3]} && (offset == 0 || look[4] == (at[3*i+:3] == at[3*before+:3]))
        && (offset <= 1 || look[5] == (at[3*i+:3] == at[3*before_that+:3])));
      of_who[i] = filled[i] && op && x_warp == who;
      late_of_who[i] = filled[i] && x_source == TIME_OUT && x_warp == who;
      steps[i] = filled[i] && x_source == STEP;
    end
  end
  // Numbers of steps of the present walk: `walk_put` were enqueued, `walk_done` were decided. The steps are enqueued and decided in order.
  reg [3:0] put_before = 0, done_before = 0;
  wire [3:0] walk_put = going ? put_before : 0, walk_done = going ? done_before : 0;
  always @(posedge clock) begin
    put_before <= reset ? 0 : walk_put + put_step;
    done_before <= reset ? 0 : walk_done + (done && now_source == STEP);
  end
  // Each entry of the cache marks the followed warp as waiting exactly if the warp is suspended at that entry; a free entry marks no warp.
  reg [7:0] waits_right, waits_live, built, gone;
  reg [71:0] entry;
  always @(*) for (i = 0; i < 8; i = i + 1) begin
    entry = entries >> (72 * i);
    waits_right[i] = !(clear || \dut.ctas.walk.walk_entry_q > i) || entry[5+who] == (asleep && !wakes && where == i) || (lost && !entry[5+who]);
    built[i] = !(clear || \dut.ctas.walk.walk_entry_q > i) || !entry[0] || entry[4] < `C;
    gone[i] = !(clear || \dut.ctas.walk.walk_entry_q > i) || !entry[0] || entry[4] != slot
      || (!absent && \dut.ctas.touched_slots_q && !\dut.ctas.walk.walk_done_q && walk_done <= i);
    waits_live[i] = !(clear || \dut.ctas.walk.walk_entry_q > i) || entry[0] || (entry[8:5] == 0 && !entry[1]);
  end
  // The queue entry that holds the followed warp's operation.
  reg [3:0] who_at;
  always @(posedge clock) if (put_op && op_warp == who) who_at <= tail;
  // Time-outs of the followed warp that are queued after its operation.
  reg [15:0] late_behind;
  reg [3:0] its_place, late_place;
  integer j;
  always @(*) for (j = 0; j < 16; j = j + 1) begin
    {its_place, late_place} = {who_at - head, j[3:0] - head};
    late_behind[j] = late_of_who[j] && busy && late_place > its_place;
  end
  // `suspended` included the followed warp in the previous cycle.
  (* hierconn *) wire \dut.ticks_time_out_valid ;
  reg suspended_before = 0;
  always @(posedge clock) suspended_before <= suspended[who] && !reset;
  // Steps of all walks are numbered in the order in which they are enqueued: `numbers` holds for each queue entry how many steps were
  // enqueued before it.
  reg [3:0] steps_put = 0, steps_done = 0;
  reg [3:0] numbers [0:15];
  always @(posedge clock) begin
    steps_put <= reset ? 0 : steps_put + put_step;
    steps_done <= reset ? 0 : steps_done + (done && now_source == STEP);
    if (put) numbers[tail] <= steps_put;
  end
  reg [15:0] number_right, entry_right;
  reg [3:0] its_number, next_number, offset_of;
  integer k;
  always @(*) for (k = 0; k < 16; k = k + 1) begin
    offset_of = k - head;
    its_number = numbers[k];
    next_number = offset_of + 4'd1 == items ? steps_put : numbers[(k + 1) % 16];
    entry_right[k] = !steps[k] || at[3*k+:3] == its_number[2:0];
    number_right[k] = !filled[k] || (next_number == its_number + steps[k] && (offset_of != 0 || its_number == steps_done));
  end
  wire [3:0] newest = tail - 4'd1, second = tail - 4'd2, innermost = head + ctrl;
  wire [2:0] at_head = at >> (3 * head), at_last = at >> (3 * newest), at_second = at >> (3 * second), at_inside = at >> (3 * innermost);
  wire [5:0] look_next = looks >> (6 * \dut.item_queue.start_address_q );
  wire [5:0] found = \dut.item_queue.use_bypass_q ? {\dut.item_queue.bypass_same_as_second_last_q , \dut.item_queue.bypass_same_as_last_q , \dut.item_queue.bypass_init_q ,
    \dut.item_queue.bypass_entry_q } : \dut.item_queue.lookups_read_value ;
  wire [140:0] item_inside = contents >> (141 * innermost);
  wire [3:0] started = \dut.item_queue.start_address_q - head;
  // `finds` is the entry that the item in the unit reads. `is_there` is the correct value: the entry as the item in decision writes it, or
  // else the entry in memory.
  wire [71:0] finds = {\dut.cache_sums_entry_data_phase , \dut.cache_sums_entry_data_pending , \dut.cache_sums_entry_data_spent , \dut.cache_sums_entry_data_tx , \dut.cache_sums_entry_data_expected ,
    \dut.cache_sums_entry_data_waiting , \dut.cache_sums_entry_data_tag , \dut.cache_sums_entry_data_dirty , \dut.cache_sums_entry_data_live };
  wire [71:0] leaves_there = {\dut.decide_written_data_phase , \dut.decide_written_data_pending , \dut.decide_written_data_spent , \dut.decide_written_data_tx ,
    \dut.decide_written_data_expected , \dut.decide_written_data_waiting , \dut.decide_written_data_tag , \dut.decide_written_data_dirty , \dut.decide_written_data_live };
  wire [71:0] is_there = ctrl && \dut.decide_writes && \dut.sums_ctrl_entry == at_inside ? leaves_there : entries >> (72 * at_inside);
  wire [62:0] fetched = {\dut.memory_fill_phase , \dut.memory_fill_pending , \dut.memory_fill_spent , \dut.memory_fill_tx , \dut.memory_fill_expected };
  reg after_reset = 1;
  always @(posedge clock) after_reset <= reset;
  wire [71:0] at_entry = entries >> (72 * at_head);
  wire [62:0] makes_word = {\dut.sums_ctrl_new_phase , \dut.sums_ctrl_new_pending , \dut.sums_ctrl_new_spent , \dut.sums_ctrl_new_tx , \dut.sums_ctrl_new_expected };
  wire [19:0] minus = -now_count[19:0];
  wire judged = ctrl && mine && \dut.sums_ctrl_available && !lost && !absent;
  wire [62:0] finds_word = {\dut.sums_ctrl_phase , \dut.sums_ctrl_pending , \dut.sums_ctrl_spent , \dut.sums_ctrl_tx , \dut.sums_ctrl_expected };
  wire finds_now = inside && !\dut.decide_decision_restart ;
  wire inits = item_inside[4];
  function [32:0] sent (input [RB-1:0] record);
    reg [1:0] f_source, f_warp, f_hint;
    reg f_uniform, f_cluster, f_phase, f_whole, f_cta;
    reg [3:0] f_kind;
    reg [5:0] f_fault;
    reg [31:0] f_address;
    reg [20:0] f_count, f_bytes;
    reg [7:0] f_rd;
    reg [2:0] f_pu;
    begin
      {f_source, f_kind, f_fault, f_uniform, f_warp, f_cta, f_address, f_cluster, f_count, f_bytes, f_phase, f_hint, f_whole, f_rd, f_pu} = record;
      sent = f_source == TX && f_kind == 0 && f_address[31:8] == 0 && f_address[2:0] == 0 && f_count[20:6] == 0 && (f_count == 0 || f_bytes == 0) ? {f_bytes, f_count[5:0], f_address[7:3], f_cta} : ~33'd0;
    end
  endfunction

  // `got` is all ones for an invalid record. A valid record gives another value, because no operation of the network has kind 15.
  function [58:0] got (input [RB-1:0] record);
    reg [1:0] f_source, f_warp, f_hint;
    reg f_uniform, f_cluster, f_phase, f_whole, f_cta, counts, moves;
    reg [3:0] f_kind;
    reg [5:0] f_fault;
    reg [31:0] f_address;
    reg [20:0] f_count, f_bytes;
    reg [7:0] f_rd;
    reg [2:0] f_pu;
    begin
      {f_source, f_kind, f_fault, f_uniform, f_warp, f_cta, f_address, f_cluster, f_count, f_bytes, f_phase, f_hint, f_whole, f_rd, f_pu} = record;
      counts = f_kind <= DROP_NO_COMPLETE;
      moves = f_kind == ARRIVE_EXPECT || f_kind == DROP_EXPECT || f_kind >= EXPECT;
      got = f_source == TX && f_fault == 0 && f_uniform && f_kind >= ARRIVE && f_kind <= COMPLETE && f_address[31:8] == 0 && f_address[2:0] == 0 && !f_count[20]
        && counts == (f_count != 0) && (moves || f_bytes == 0) ? {f_rd, f_bytes, f_count[19:0], f_kind, f_address[7:3], f_cta} : ~59'd0;
    end
  endfunction

  always @(*) if (begun) begin
    // No operation is remote.
    same_alone: assert ((NETWORK || \dut.enqueue.net_queue.filled_q == 0) && \dut.remotes.queue.head_address_q == \dut.remotes.queue.tail_address_q && !\dut.remotes.queue.head_valid_q
      && !\dut.remotes.result_valid_q && !\dut.remotes.offer.full_q && \dut.acks.unacked_count_0_q == 0 && \dut.acks.absent_count_0_q == 0
      && \dut.enqueue.peers.peers_q_0_size_q <= 1 && \dut.enqueue.peers.peers_q_0_rank_q == 0);

    // The queue of items.
    same_pointers: assert (\dut.item_queue.tail_address_q == tail && \dut.item_queue.head_address_q == head && items <= 15);
    same_room: assert ((!\dut.enqueue.arbiter.ready_q || items <= 14) && (!\dut.enqueue.arbiter.has_queue_space_q || items <= 8));
    // The assertion is split, because the solver handles smaller assertions one by one.
    same_items_0: assert (&item_same[3:0]);
    same_items_4: assert (&item_same[7:4]);
    same_items_8: assert (&item_same[11:8]);
    same_items_12: assert (&item_same[15:12]);
    same_places: assert (&place_same);
    same_last: assert ((items < 1 || \dut.item_queue.last_entry_q == at_last) && (items < 2 || \dut.item_queue.second_last_entry_q == at_second));
    same_found: assert (\dut.item_queue.start_address_q == tail || found == look_next || \dut.item_queue.restarted_q );
    same_sent: assert (\dut.enqueue.tx_queue.filled_q == (2'd1 << tx_filled) - 2'd1 && \dut.enqueue.tx_queue_full == (tx_filled == 2) && tx_filled <= 2
      && (tx_filled < 1 || (\dut.enqueue.tx_queue.values_q [32:0] == sent(tx_first) && sent(tx_first) != ~33'd0))
      && (tx_filled < 2 || (\dut.enqueue.tx_queue.values_q [65:33] == sent(tx_second) && sent(tx_second) != ~33'd0)));
`ifdef NET
    same_got: assert (\dut.enqueue.net_queue.filled_q == (2'd1 << net_filled) - 2'd1 && \dut.enqueue.net_full_q == (net_filled == 2) && net_filled <= 2
      && (net_filled < 1 || (\dut.enqueue.net_queue.values_q [58:0] == got(net_first) && got(net_first) != ~59'd0))
      && (net_filled < 2 || (\dut.enqueue.net_queue.values_q [117:59] == got(net_second) && got(net_second) != ~59'd0)));
`endif
    same_started: assert (\dut.item_queue.restarted_q || (started == inside + ctrl && started <= items));
    same_inside: assert (!inside || (\dut.item_queue.items_read_value == item_inside && \dut.item_queue.sums_entry_q == at_inside));
    same_state: assert (!finds_now || finds[8:0] == is_there[8:0]);
    same_word: assert (!finds_now || finds[71:9] == (has_returned ? fetched : inits && !\dut.decide.evicting_q ? 63'd0 : is_there[71:9]));
    same_does: assert (!ctrl || {\dut.sums_ctrl_is_walk_step , \dut.sums_ctrl_expires } == {now_source == STEP, now_source == TIME_OUT});
    same_ctrl: assert (!ctrl || (items != 0 && \dut.sums_ctrl_entry == at_head));

    // The suspension that the unit sends to its time-out counters (`ticks`, see `mbarrier_time`).
    if (begun && !reset) o_suspends: assert (was_suspended == suspends);
    if (\dut.decide_decision_suspends ) o_limit: assert (\dut.sums_ctrl_warp == now_warp
      && \dut.sums_ctrl_limit == (now_hint != 0 && now_hint < limit_before ? now_hint : limit_before));

    // The requests to memory and their answers.
    same_unanswered: assert (\dut.memory.unanswered_count_q == unanswered + mem_request_valid && unanswered <= 3 && \dut.memory.unanswered_count_q >= mem_request_valid);
    same_reads: assert (reads == (halted && mine && !(now_op && now_kind == INVAL) && !mem_request_valid ? 8'd1 << (unanswered - 3'd1) : 8'd0));
    same_awaited: assert (!mem_request_valid || mem_request_write || halted);
    same_read: assert (reads == 0 || read_word == stored);
    same_halted: assert (!halted || (\dut.memory.unanswered_count_q != 0 && items != 0 && !inside && !ctrl && (!\dut.item_queue.restarted_q || mem_request_valid)
      && !has_come && !has_returned));
    same_asked: assert (!awaits || ((now_tx || now_net || (now_op && now_kind != INIT)) && early == 0 && mem_request_write == (now_op && now_kind == INVAL) && mem_request_cta == now_cta
      && mem_request_object == now_object && mem_request_data == 0));
    same_come: assert (!has_come || (!has_returned && !\dut.item_queue.restarted_q && !inside && !ctrl && started == 0 && items != 0));
    same_quiet: assert (!(has_come || has_returned || (ctrl && \dut.sums_ctrl_word_returned )) || (unanswered == 0 && !mem_request_valid));
    same_back: assert (!has_returned || (inside && !ctrl));
    a_fetched: assert (!(has_come || has_returned) || !mine || (now_op && now_kind == INVAL) || lost || absent || {\dut.memory.word_phase_q , \dut.memory.word_pending_q ,
      \dut.memory.word_spent_q , \dut.memory.word_tx_q , \dut.memory.word_expected_q , \dut.memory.layout_bit_q } == word);
    same_built: assert (&built);
    same_missed: assert (!awaits || !mine || (!holds && (!e_live || waits || (now_op && now_kind == INVAL))));
    same_nothing: assert (after_reset || \dut.sums.valid_q || {\dut.sums_ctrl_new_expected , \dut.sums_ctrl_new_tx , \dut.sums_ctrl_new_spent , \dut.sums_ctrl_new_pending ,
      \dut.sums_ctrl_new_phase , \dut.sums_ctrl_complete } == 0);
    same_fill: assert (after_reset ? !clear : awaits || {fetched, \dut.memory.layout_bit_q } == 0);
    same_evicts: assert (!(ctrl && \dut.decide.evicting_q ) || \dut.decide_decision_restart );
    same_evicting: assert (!\dut.decide.evicting_q || (items != 0 && now_op && now_kind == INIT && early == 0 && !awaits));

    // CTAs and the walk.
    same_ctas: assert (\dut.ctas.present_slots_q == there && \dut.ctas.leaving_q == going && (!going || \dut.ctas.saved_slots_q == saved) && !(there && going));
    same_walk: assert ((!\dut.ctas.walk.walk_active_q || (going && !there_1 && !\dut.ctas.walk.walk_slot_q )) && (!\dut.ctas.walk.walk_begun_q || \dut.ctas.walk.walk_active_q )
      && (!\dut.ctas.walk.steps_pending_q || (\dut.ctas.walk.walk_begun_q && \dut.ctas.touched_slots_q && !\dut.ctas.walk.walk_done_q )) && (!\dut.ctas.walk.walk_done_q || \dut.ctas.walk.walk_begun_q )
      && (!going || !there) && (!absent || !there_1) && (!\dut.ctas.touched_slots_q || (clear && !absent)));
    same_entries: assert (&entry_right);
    same_numbers: assert (&number_right && (items != 0 || steps_put == steps_done));
    same_step: assert (steps_put - steps_done == walk_put - walk_done && steps_put[2:0] == walk_put[2:0] && walk_done <= walk_put && walk_put <= 8 && (!clear || \dut.ctas.walk.walk_entry_q == walk_put[2:0])
      && (going || walk_put == 0) && \dut.ctas.walk.steps_pending_q == (\dut.ctas.walk.walk_begun_q && \dut.ctas.touched_slots_q && walk_put != 8 && !\dut.ctas.walk.walk_done_q )
      && (walk_put == 0 || (\dut.ctas.walk.walk_begun_q && \dut.ctas.touched_slots_q )) && \dut.ctas.walk.walk_done_q == (\dut.ctas.walk.walk_begun_q && (!\dut.ctas.touched_slots_q || walk_done == 8)));
    same_cleared: assert (clear || (items == 0 && !\dut.ctas.walk.steps_pending_q && !\dut.enqueue.arbiter.ready_q && !\dut.enqueue.arbiter.has_queue_space_q && !awaits));
    same_gone: assert (&gone);
    same_first: assert (!((awaits || (ctrl && \dut.sums_ctrl_word_returned )) && now_own) || (there && there_1));
    same_silent: assert (!absent || !(mem_request_valid && asked_mine && mem_request_write));

    // The item in decision: its control fields match the entry and the word that it has read.
    same_read_entry: assert (!ctrl || {\dut.sums_ctrl_waiting , \dut.sums_ctrl_tag , \dut.sums_ctrl_dirty , \dut.sums_ctrl_live } == at_entry[8:0]);
    same_read_word: assert (!ctrl || \dut.sums_ctrl_word_returned || finds_word == (now_op && now_kind == INIT && !\dut.decide.evicting_q ? 63'd0 : at_entry[71:9]));
    same_hit: assert (!ctrl || (\dut.sums_ctrl_entry_hit == (at_entry[0] && at_entry[4:2] == \dut.sums_ctrl_object_tag )
      && \dut.sums_ctrl_entry_usable == (\dut.sums_ctrl_entry_hit || !at_entry[0])));
    same_case: assert (!ctrl || !(now_op || now_tx || now_net) || (\dut.sums_ctrl_object_tag == {now_cta, now_object[4:3]} && \dut.sums_ctrl_operates
      && \dut.sums_ctrl_waits == waits && \dut.sums_ctrl_init == (now_op && now_kind == INIT)
      && {\dut.sums_ctrl_refuses , \dut.sums_ctrl_inits , \dut.sums_ctrl_invals , \dut.sums_ctrl_available , \dut.sums_ctrl_evicts , \dut.sums_ctrl_reads }
        == (early != 0 || now_absent ? 6'b100000 : now_op && now_kind == INIT ? 6'b010000 : now_op && now_kind == INVAL ? 6'b001000
        : \dut.sums_ctrl_entry_hit || \dut.sums_ctrl_word_returned ? 6'b000100 : at_entry[0] && !(waits && at_entry[8:5] != 0) ? 6'b000010 : 6'b000001)));
    same_waited: assert (!(awaits || (ctrl && \dut.sums_ctrl_word_returned )) || ((now_tx || now_net || (now_op && now_kind != INIT)) && early == 0
      && !(at_entry[0] && at_entry[4:2] == {now_cta, now_object[4:3]})
      && ((now_op && now_kind == INVAL) || !at_entry[0] || (waits && at_entry[8:5] != 0))));
    same_other: assert (!ctrl || now_op || now_tx || now_net || ({\dut.sums_ctrl_refuses , \dut.sums_ctrl_inits , \dut.sums_ctrl_invals , \dut.sums_ctrl_available ,
      \dut.sums_ctrl_evicts , \dut.sums_ctrl_reads , \dut.sums_ctrl_operates , \dut.sums_ctrl_complete , \dut.sums_ctrl_init , \dut.sums_ctrl_word_returned , \dut.check_judgement_complete } == 0 && makes_word == finds_word));
    same_rest: assert (!ctrl || {\dut.sums_ctrl_new_spent , \dut.sums_ctrl_new_phase } == {\dut.sums_ctrl_spent , \dut.sums_ctrl_phase });
    // An operation on the object: the word that it finds, its judgement and its sums. The sums are separate assertions, because the solver
    // handles smaller assertions one by one.
    if (judged) a_found: assert (finds_word == word[63:1] && \dut.sums_ctrl_bad_layout == word[0]);
    if (judged) a_judged: assert (\dut.check_judgement_refused == (code != 0) && (code != 0 || \dut.check_judgement_complete == flips));
    if (ctrl && \dut.sums_ctrl_inits && !\dut.decide.evicting_q ) a_init: assert (makes_word == {1'b0, minus, 22'd0, minus} && !\dut.check_judgement_complete );
    if (judged && code == 0) begin
      a_pending: assert (\dut.sums_ctrl_new_pending == (flips ? 20'd0 : next[62:43]));
      a_bytes: assert (\dut.sums_ctrl_new_tx == next[41:21]);
      a_expected: assert (\dut.sums_ctrl_new_expected == next[20:1]);
    end

    // The followed object: its word, in the entry or in memory, is the result of all operations so far.
    a_entry: assert (lost || !holds || {e_phase, e_pending, e_spent, e_tx, e_expected, 1'b0} == word);
    a_memory: assert (lost || (holds && e_dirty) || behind == (erasing ? 0 : word));

    // The followed warp. `b_late` has no mutant, because the runs of mutants are too short for a time-out.
    if (!reset && asleep_before && was_done && was_late && was_warp == who && was_address[`XI-1:0] == where_before && !was_lost && !left_before)
      b_late: assert (wakes && !wake_value);
    // An enqueued time-out is decided during the suspension in which it arose, because the warp's next operation is queued after the
    // time-out.
    b_due: assert (!(\dut.ticks_time_out_valid && late_warp == who) || suspended_before);
    b_put: assert (!(put_late && late_warp == who) || (!busy && asleep_before));
    b_behind: assert (late_behind == 0);
    b_who: assert (of_who == (busy ? 16'd1 << who_at : 16'd0));
    b_busy: assert (!busy || !asleep_before);
    b_left: assert (!lost || !(asleep && !wakes) || left);
    b_lost: assert (!left || lost);
    b_asleep: assert (!asleep || wakes || (clear && !absent));
    b_kept: assert (&waits_right);
    same_waits: assert (&waits_live);
    b_where: assert (!asleep || !on_it || where == home);
    b_sleeps: assert (!asleep || wakes || !on_it || lost || word[63] == asked_phase);
    b_on_it: assert (!clean || !asleep || wakes || where != home || lost || (e_live && on_it == holds));
  end
`ifdef HEAD
`include "mbarrier_head.vh"
`endif
