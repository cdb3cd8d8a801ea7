// SPDX-License-Identifier: Apache-2.0 OR MIT
// Invariants for the induction. The file names registers inside the exported unit at `tiny` and relates them to the reference's state. All
// other files of these proofs use only the unit's ports.
  (* hierconn *) wire [15:0] \dut.barriers.rows.ram.few_words.words[0] , \dut.barriers.rows.ram.few_words.words[1] , \dut.barriers.rows.ram.few_words.words[2] , \dut.barriers.rows.ram.few_words.words[3] ;
  (* hierconn *) wire [7:0] \dut.barriers.masks.ram.few_words.words[0] , \dut.barriers.masks.ram.few_words.words[1] , \dut.barriers.masks.ram.few_words.words[2] , \dut.barriers.masks.ram.few_words.words[3] ;
  (* hierconn *) wire [3:0] \dut.barriers.masks.early_ram.few_words.words[0] , \dut.barriers.masks.early_ram.few_words.words[1] , \dut.barriers.masks.early_ram.few_words.words[2] ,
    \dut.barriers.masks.early_ram.few_words.words[3] ;
  (* hierconn *) wire [5:0] \dut.cta_states.ctas.sizes_ram.few_words.words[0] , \dut.cta_states.ctas.live_ram.few_words.words[0] , \dut.cta_states.counts.ram.few_words.words[0] ;
  (* hierconn *) wire [1:0] \dut.cta_states.ctas.last_id_ram.few_words.words[0] ;
  (* hierconn *) wire [3:0] \dut.warp_states.output_stage.arrival_ids.ram.few_words.words[0] , \dut.warp_states.output_stage.arrival_ids.ram.few_words.words[1] , \dut.warp_states.output_stage.arrival_ids.ram.few_words.words[2] , \dut.warp_states.output_stage.arrival_ids.ram.few_words.words[3] ;
  (* hierconn *) wire [3:0] \dut.warp_states.results.store.plane[0].bits , \dut.warp_states.results.store.plane[1].bits , \dut.warp_states.results.store.plane[2].bits ,
    \dut.warp_states.results.store.plane[3].bits , \dut.warp_states.results.store.plane[4].bits , \dut.warp_states.waits.waiters_q ,
    \dut.commit_stage.refusals.faults.queue.filled_q , \dut.commit_stage.refusals.faults.queue.push_entry_q ;
  (* hierconn *) wire [1:0] \dut.commit_stage.refusals.faults.queue.head_index_q ;
  (* hierconn *) wire [13:0] \dut.commit_stage.refusals.faults.queue.values_0_q , \dut.commit_stage.refusals.faults.queue.values_1_q , \dut.commit_stage.refusals.faults.queue.values_2_q ,
    \dut.commit_stage.refusals.faults.queue.values_3_q ;
  (* hierconn *) wire \dut.entry.clear.current_scrub_active_q , \dut.entry.clear.current_scrub_slot_q , \dut.entry.clear.current_scrub_silent_q , \dut.entry.clear.current_scrub_all_slots_q ;
  (* hierconn *) wire [1:0] \dut.entry.clear.current_scrub_id_q ;

  wire [4*16-1:0] rows = {\dut.barriers.rows.ram.few_words.words[3] , \dut.barriers.rows.ram.few_words.words[2] , \dut.barriers.rows.ram.few_words.words[1] , \dut.barriers.rows.ram.few_words.words[0] };
  wire [4*8-1:0] masks = {\dut.barriers.masks.ram.few_words.words[3] , \dut.barriers.masks.ram.few_words.words[2] , \dut.barriers.masks.ram.few_words.words[1] , \dut.barriers.masks.ram.few_words.words[0] };
  wire [4*4-1:0] early = {\dut.barriers.masks.early_ram.few_words.words[3] , \dut.barriers.masks.early_ram.few_words.words[2] , \dut.barriers.masks.early_ram.few_words.words[1] ,
    \dut.barriers.masks.early_ram.few_words.words[0] };
  // Words of the only slot that is built; the words of other slots are never cleared.
  wire [5:0] sizes = \dut.cta_states.ctas.sizes_ram.few_words.words[0] , present = \dut.cta_states.ctas.live_ram.few_words.words[0] , counts = \dut.cta_states.counts.ram.few_words.words[0] ;
  wire [1:0] lasts = \dut.cta_states.ctas.last_id_ram.few_words.words[0] ;
  wire [15:0] places = {\dut.warp_states.output_stage.arrival_ids.ram.few_words.words[3] , \dut.warp_states.output_stage.arrival_ids.ram.few_words.words[2] , \dut.warp_states.output_stage.arrival_ids.ram.few_words.words[1] , \dut.warp_states.output_stage.arrival_ids.ram.few_words.words[0] };
  wire [19:0] planes = {\dut.warp_states.results.store.plane[4].bits , \dut.warp_states.results.store.plane[3].bits , \dut.warp_states.results.store.plane[2].bits ,
    \dut.warp_states.results.store.plane[1].bits , \dut.warp_states.results.store.plane[0].bits };
  wire [1:0] first = \dut.commit_stage.refusals.faults.queue.head_index_q ;
  wire [111:0] queue = {2{\dut.commit_stage.refusals.faults.queue.values_3_q , \dut.commit_stage.refusals.faults.queue.values_2_q , \dut.commit_stage.refusals.faults.queue.values_1_q , \dut.commit_stage.refusals.faults.queue.values_0_q }};

  // The unit writes the launched and live warps of a CTA two cycles before the operation takes effect.
  reg [5:0] sizes_1, sizes_2, present_1, present_2;
  always @(posedge clock) {sizes_1, sizes_2, present_1, present_2} <= {sizes, sizes_1, present, present_1};

  (* hierconn *) wire [87:0] \reference.all_rows ;
  (* hierconn *) wire [20:0] \reference.all_slots ;
  (* hierconn *) wire [71:0] \reference.all_warps ;
  (* hierconn *) wire [3:0] \reference.waits , \reference.next , \reference.next_1 , \reference.next_2 ;
  (* hierconn *) wire [2:0] \reference.faults ;
  (* hierconn *) wire \reference.to_clear , \reference.every , \reference.silent , \reference.slot , \reference.turn_1 ,
    \reference.turn_2 , \reference.slot_1 , \reference.slot_2 , \reference.was_reset , \reference.under_1 , \reference.under_2 ,
    \reference.under_3 , \reference.waiting_2 , \reference.waiting_3 , \reference.long_2 , \reference.release_2 , \dut.warp_states.waits.commit_warp_waits_q ;
  (* hierconn *) wire [1:0] \reference.warp_2 , \reference.warp_3 ;
  (* hierconn *) wire [31:0] \reference.under_way ;
  (* hierconn *) wire [41:0] \reference.queue_behind ;

  // Rows cleared since the last reset; any other row still has its contents from before the reset.
  reg [3:0] clean, clean_1;
  always @(posedge clock) begin
    clean <= reset ? 0 : clean | (\reference.turn_2 ? 4'd1 << \reference.next_2 [1:0] : 4'd0);
    clean_1 <= reset ? 0 : clean;
  end

  reg [3:0] row_same, row_idle, row_clean, loose;
  reg slot_same;
  reg [3:0] warp_same;
  reg [2:0] fault_same;
  reg [3:0] nth_same;
  reg [13:0] place_in_queue;
  integer n;
  reg is_open;
  reg [15:0] unit;
  reg [13:0] fault;
  reg [3:0] arrived, awaited, place;
  reg [2:0] number, expected, launched, live, open_rows, loose_rows;
  reg [4:0] sum, declared;
  reg [3:0] last;
  reg [1:0] reduction, has;
  reg [11:0] result;
  reg [4:0] code;
  always @(*) begin
    for (n = 0; n < 4; n = n + 1) begin
      {is_open, arrived, awaited, number, expected, reduction, sum} = \reference.all_rows >> (22 * n);
      unit = rows >> (16 * n);
      loose[n] = is_open && expected == 0;
      row_idle[n] = is_open ? expected == 0 || number < expected : {arrived, awaited, number, expected, reduction, sum} == 0;
      row_same[n] = !clean[n] || (unit[0] == is_open && (!unit[0] || ({masks[8*n+:8], early[4*n+:4], unit[15:8]} == {arrived, awaited, arrived, number, expected, reduction}
        && unit[7:3] == (reduction == 1 || reduction == 2 ? sum != 0 : sum) && unit[1] == (awaited != 0) && unit[2] == (expected != 0)
        // Contributions to And and Or are stored as one bit, so the reference's sum has to be in range: it has not wrapped.
        && (reduction == 3 || (reduction == 0 ? sum == 0 : sum <= 1 + (arrived[0] + arrived[1] + arrived[2] + arrived[3]))))));
      row_clean[n] = clean[n] || (\reference.to_clear && \reference.every && \reference.next [1:0] <= n)
        || (\reference.turn_1 && \reference.next_1 [1:0] == n)
        || (\reference.turn_2 && \reference.next_2 [1:0] == n);
    end
    {launched, live, declared, open_rows, loose_rows, last} = \reference.all_slots ;
    slot_same = !clean_1[0] || (sizes_2 == {launched, declared[2:0]} && declared <= 4
      && present_2[2:0] == live - 3'd1 && present_2[5:3] == live
      && counts == {open_rows, loose_rows} && last < 4
      // While no barrier is open without a count, the id of the last arrival without a count is don't care.
      && (lasts == last || loose == 0));
    for (n = 0; n < 3; n = n + 1) begin
      fault = queue >> (14 * (first + n + 1));
      fault_same[n] = n + 1 >= \reference.faults || {fault[5:0], fault[6], fault[8:7], fault[9], fault[13:10]} == \reference.queue_behind [14*n+:14];
    end
    for (n = 0; n < 4; n = n + 1) begin
      place_in_queue = {\reference.queue_behind , fault_code, fault_has_warp, fault_warp, fault_cta, fault_id} >> (14 * n);
      nth_same[n] = n >= pending || ((taken_count + n) & 15) != nth || place_in_queue == chosen;
    end
    for (n = 0; n < 4; n = n + 1) begin
      {place, has, result} = \reference.all_warps >> (18 * n);
      // A result is stored in 5 bits: None, And, Or and the greatest sum have codes that differ from the code of every smaller sum.
      code = has == 0 ? 5'h18 : has == 3 ? (result == 16 ? 5'h14 : result[4:0]) : {3'b100, has == 2, result[0]};
      warp_same[n] = (!\reference.waits [n] || places[4*n+:4] == place)
        && (\reference.was_reset || {planes[16+n], planes[12+n], planes[8+n], planes[4+n], planes[n]} == code && (has != 0 || result == 0)
        && (has == 1 || has == 2 ? result <= 1 : result <= 16));
    end
  end
  always @(posedge clock) if (begun) begin
    same_rows: assert (&row_same);
    same_idle: assert (&row_idle);
    same_clean: assert (&row_clean);
    same_slots: assert (slot_same);
    // Only rows of the slot that is built are cleared.
    same_built: assert (!(\reference.to_clear && \reference.slot ) && !(\reference.turn_1 && \reference.slot_1 ) && !(\reference.turn_2 && \reference.slot_2 ));
    same_warps: assert (&warp_same);
    same_waits: assert (\dut.warp_states.waits.waiters_q == (\reference.waits
      | (\reference.under_2 && \reference.waiting_2 ? 4'd1 << \reference.warp_2 : 4'd0)
      | (\reference.under_3 && \reference.waiting_3 ? 4'd1 << \reference.warp_3 : 4'd0)));
    // For an operation that takes two slots and is in the second, the unit holds whether the operation's warp waited.
    same_waited: assert (!(\reference.under_2 && \reference.long_2 && !\reference.release_2 ) || \dut.warp_states.waits.commit_warp_waits_q == \reference.waits [\reference.warp_2 ]);
    // The next fault is written to the entry after the last fault.
    same_queue: assert (\dut.commit_stage.refusals.faults.queue.filled_q == (1 << \reference.faults ) - 1 && \reference.faults <= 4
      && \dut.commit_stage.refusals.faults.queue.push_entry_q == 4'd1 << ((first + \reference.faults ) & 3));
    same_faults: assert (&fault_same);
    same_pending: assert (pending == \reference.faults );
    same_nth: assert (&nth_same);
    same_clear: assert (\dut.entry.clear.current_scrub_active_q == \reference.to_clear && \dut.entry.clear.current_scrub_all_slots_q == (\reference.to_clear && \reference.every )
      && \reference.next < 4 && (!\reference.to_clear || (\dut.entry.clear.current_scrub_slot_q == \reference.slot
      && \dut.entry.clear.current_scrub_id_q == \reference.next [1:0] && \dut.entry.clear.current_scrub_silent_q == \reference.silent )));
    same_room: assert (\reference.faults + \reference.under_way <= 4);
    same_blank: assert (!(\reference.to_clear && \reference.every ) || (\reference.silent && \reference.faults == 0
      && \reference.all_rows == 0 && \reference.all_slots == 0 && \reference.all_warps == 0));
    same_rest: assert (!\reference.to_clear || !(\reference.under_1 || \reference.under_2 || \reference.under_3 ));
  end
