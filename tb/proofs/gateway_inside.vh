// SPDX-License-Identifier: Apache-2.0 OR MIT
// Invariants for the induction of `gateway_equal`. The file names registers inside the exported unit at `intel_tiny` and relates them to the
// state of the reference. All other files of the proof use only the unit's ports.
  (* hierconn *) wire [24:0] \dut.rows.ram.few_words.words[0] , \dut.rows.ram.few_words.words[1] , \dut.rows.ram.few_words.words[2] , \dut.rows.ram.few_words.words[3] ,
    \dut.rows.ram.few_words.words[4] , \dut.rows.ram.few_words.words[5] , \dut.rows.ram.few_words.words[6] , \dut.rows.ram.few_words.words[7] , \dut.rows.ram_read_value ;
  (* hierconn *) wire [5:0] \dut.ctas.ram.few_words.words[0] , \dut.ctas.ram.few_words.words[1] , \dut.ctas.ram_read_value , \dut.input_stage.lookup_fault_q ,
    \dut.input_stage.lookup_launch_barriers_q , \dut.commit_stage.commit_verdict_fault_q , \reference.code , \reference.fault , \reference.barriers , \reference.fault_1 ;
  (* hierconn *) wire [2:0] \dut.ctas.used_rows_0_q , \dut.ctas.used_rows_1_q , \dut.rows.lookup_address_q , \dut.rows.commit_address_q ,
    \dut.rows.written_row_producers_expected_q , \dut.rows.written_row_consumers_expected_q , \dut.rows.written_row_producers_signalled_q , \dut.rows.written_row_consumers_signalled_q ,
    \dut.input_stage.lookup_launch_warps_q , \dut.commit_stage.commit_row_producers_expected_q , \dut.commit_stage.commit_row_consumers_expected_q ,
    \dut.commit_stage.commit_row_producers_signalled_q , \dut.commit_stage.commit_row_consumers_signalled_q , \reference.row_1 , \reference.row_2 , \reference.row ,
    \reference.count , \reference.under_way , \reference.kind , \reference.kind_1 , \reference.warps ;
  (* hierconn *) wire [3:0] \dut.rows.written_row_producers_q , \dut.rows.written_row_consumers_q , \dut.rows.written_row_waiting_or_notified_q , \dut.commit_stage.commit_row_producers_q ,
    \dut.commit_stage.commit_row_consumers_q , \dut.commit_stage.commit_row_waiting_or_notified_q , \dut.commit_stage.commit_warps_q , \dut.commit_stage.commit_consumers_notified_warps_q ,
    \dut.commit_stage.commit_consumers_woken_warps_q , \dut.input_stage.lookup_warps_q , \dut.faults.queue.filled_q , \dut.faults.queue.push_entry_q , \reference.now_consumed ,
    \reference.goes , \reference.own , \reference.mask , \reference.waiters ;
  (* hierconn *) wire \dut.rows.same_as_commit_q , \dut.rows.same_as_written_q , \dut.rows.written_row_open_q , \dut.commit_stage.commit_row_open_q , \dut.commit_stage.commit_valid_q ,
    \dut.commit_stage.commit_writes_row_q , \dut.commit_stage.commit_effects_changes_q , \dut.commit_stage.commit_verdict_refused_q , \dut.commit_stage.commit_effects_cta_release_q , \dut.commit_stage.commit_origin_has_warp_q ,
    \dut.commit_stage.commit_origin_warp_done_q , \dut.commit_stage.commit_effects_completes_q , \dut.commit_stage.commit_effects_takes_notification_q , \dut.commit_stage.commit_effects_waits_q , \dut.commit_stage.commit_origin_cta_q ,
    \dut.commit_stage.was_used_q , \dut.commit_stage.clears_row_q , \dut.input_stage.gate.fault_space_q , \dut.input_stage.lookup_valid_q , \dut.input_stage.lookup_clearing_scrub_q , \dut.input_stage.lookup_clearing_all_slots_q ,
    \dut.input_stage.lookup_actions_signals_q , \dut.input_stage.lookup_actions_waits_q , \dut.input_stage.lookup_actions_launches_q , \dut.input_stage.lookup_actions_cta_release_q , \dut.input_stage.lookup_origin_has_warp_q ,
    \dut.input_stage.lookup_origin_warp_done_q , \dut.input_stage.lookup_uniform_q , \dut.input_stage.lookup_origin_cta_q , \dut.input_stage.gate.release_taken_q , \dut.clear.current_scrub_active_q , \dut.clear.current_scrub_slot_q ,
    \dut.clear.current_scrub_all_slots_q , \reference.under_1 , \reference.under_2 , \reference.turn_1 , \reference.turn_2 , \reference.silent , \reference.ends ,
    \reference.takes , \reference.stays , \reference.good , \reference.of_warp , \reference.was_used , \reference.cta , \reference.row_in_use ;
  (* hierconn *) wire [1:0] \dut.input_stage.lookup_origin_warp_q , \dut.input_stage.lookup_message_role_q , \dut.commit_stage.commit_origin_warp_q , \dut.clear.current_scrub_id_q , \dut.faults.queue.head_index_q ,
    \reference.warp ;
  (* hierconn *) wire [7:0] \dut.input_stage.lookup_message_id_q , \dut.input_stage.lookup_message_producers_q , \dut.input_stage.lookup_message_consumers_q , \reference.to_clear , \reference.id ;
  (* hierconn *) wire [4:0] \dut.commit_stage.commit_id_q ;
  (* hierconn *) wire [14:0] \dut.faults.queue.values_0_q , \dut.faults.queue.values_1_q , \dut.faults.queue.values_2_q , \dut.faults.queue.values_3_q ,
    \reference.fault_0 , \reference.fault_at_1 , \reference.fault_at_2 , \reference.fault_at_3 ;
  (* hierconn *) wire [51:0] \reference.op_1 ;
  (* hierconn *) wire [22:0] \reference.row_then ;
  (* hierconn *) wire [8*23-1:0] \reference.all_rows ;
  (* hierconn *) wire [29:0] \reference.all_slots ;

  // `word` gives the word that the unit's memory holds for a row of the reference.
  function [2:0] ones(input [3:0] mask);
    ones = mask[0] + mask[1] + mask[2] + mask[3];
  endfunction
  function [24:0] word(input [22:0] row);
    word = {row[7:4] | row[3:0], row[11:8], row[15:12], ones(row[11:8]), ones(row[15:12]), row[22] ? row[18:16] : 3'd0,
      row[22] ? row[21:19] : 3'd0, row[22]};
  endfunction
  wire [8*25-1:0] words = {\dut.rows.ram.few_words.words[7] , \dut.rows.ram.few_words.words[6] , \dut.rows.ram.few_words.words[5] , \dut.rows.ram.few_words.words[4] ,
    \dut.rows.ram.few_words.words[3] , \dut.rows.ram.few_words.words[2] , \dut.rows.ram.few_words.words[1] , \dut.rows.ram.few_words.words[0] };
  wire [24:0] made = {\dut.commit_stage.commit_row_waiting_or_notified_q , \dut.commit_stage.commit_row_consumers_q , \dut.commit_stage.commit_row_producers_q , \dut.commit_stage.commit_row_consumers_signalled_q ,
    \dut.commit_stage.commit_row_producers_signalled_q , \dut.commit_stage.commit_row_consumers_expected_q , \dut.commit_stage.commit_row_producers_expected_q , \dut.commit_stage.commit_row_open_q };
  wire [24:0] kept = {\dut.rows.written_row_waiting_or_notified_q , \dut.rows.written_row_consumers_q , \dut.rows.written_row_producers_q , \dut.rows.written_row_consumers_signalled_q ,
    \dut.rows.written_row_producers_signalled_q , \dut.rows.written_row_consumers_expected_q , \dut.rows.written_row_producers_expected_q , \dut.rows.written_row_open_q };
  wire [11:0] groups = {\dut.ctas.ram.few_words.words[1] , \dut.ctas.ram.few_words.words[0] };
  wire [5:0] counts = {\dut.ctas.used_rows_1_q , \dut.ctas.used_rows_0_q };
  // Signals of the reference under their short names.
  wire under_1 = \reference.under_1 ;
  wire under_2 = \reference.under_2 ;
  wire turn_1 = \reference.turn_1 ;
  wire turn_2 = \reference.turn_2 ;
  wire silent = \reference.silent ;
  wire [2:0] row_1 = \reference.row_1 ;
  wire [2:0] row_2 = \reference.row_2 ;
  wire [2:0] row = \reference.row ;
  wire [2:0] count = \reference.count ;
  wire [2:0] under_way = \reference.under_way ;
  wire [2:0] kind = \reference.kind ;
  wire [2:0] kind_1 = \reference.kind_1 ;
  wire [5:0] code = \reference.code ;
  wire [5:0] fault_1 = \reference.fault_1 ;
  wire [7:0] to_clear = \reference.to_clear ;
  wire [2:0] same_kind_1, warps_1;
  wire [5:0] same_fault_1, barriers_1;
  wire uniform_1, cta_1;
  wire [1:0] warp_1, role_1;
  wire [7:0] id_1, producers_1, consumers_1;
  wire [3:0] mask_1;
  assign {same_kind_1, same_fault_1, uniform_1, warp_1, cta_1, id_1, role_1, producers_1, consumers_1, warps_1, barriers_1, mask_1} = \reference.op_1 ;
  // Rows to clear, including the rows whose turn was one or two cycles ago.
  wire [7:0] turning_1 = turn_1 ? 8'd1 << row_1 : 8'd0, turning_2 = turn_2 ? 8'd1 << row_2 : 8'd0, pending = to_clear | turning_1 | turning_2;
  wire [7:0] in_use;
  wire [7:0] right_row;
  wire [1:0] right_slot, being_cleared;
  wire [2:0] clear_from = {\dut.clear.current_scrub_slot_q , \dut.clear.current_scrub_id_q };
  genvar g;
  generate for (g = 0; g < 8; g = g + 1) begin : each_row
    wire [22:0] now = \reference.all_rows [23*g+:23];
    assign in_use[g] = now[22] || now[3:0] != 0;
    assign right_row[g] = ((silent && pending[g]) || words[25*g+:25] == word(now))
      && (now[22] || now[15:4] == 0) && (now[7:4] & ~now[11:8]) == 0 && (now[11:8] & now[3:0]) == 0
      && (!(silent && pending != 0) || {now[22], now[15:0]} == 0);
  end endgenerate
  generate for (g = 0; g < 2; g = g + 1) begin : each_slot
    wire [14:0] now = \reference.all_slots [15*g+:15];
    // The unit writes a launch into its memory one cycle before the launch takes effect.
    wire launches = \reference.good && kind == 3 && \reference.cta == g;
    wire [5:0] group = launches ? {\reference.barriers  > 4 ? 3'd4 : \reference.barriers [2:0], \reference.warps } : {now[8:6], now[14:12]};
    // The turn of the slot's first row also clears the slot's word.
    wire unwritten = silent && (to_clear[4*g] || turning_1[4*g]);
    assign being_cleared[g] = pending[4*g+:4] != 0;
    assign right_slot[g] = (unwritten || groups[6*g+:6] == group) && now[11:6] <= 4
      && now[5:0] == counts[3*g+:3] && now[5:0] == (being_cleared[g] ? 0 : in_use[4*g] + in_use[4*g+1] + in_use[4*g+2] + in_use[4*g+3])
      && (!being_cleared[g] || (in_use[4*g+:4] & ~pending[4*g+:4]) == 0) && (!(silent && pending != 0) || now == 0);
  end endgenerate
  wire [2:0] at_1 = turn_1 ? row_1 : {cta_1, id_1[1:0]}, at_2 = turn_2 ? row_2 : row;
  wire [24:0] word_1 = words >> (25 * \dut.rows.lookup_address_q );
  wire [5:0] group_1 = groups >> (6 * cta_1);
  wire good_1 = under_1 && fault_1 == 0, of_warp_1 = under_1 && kind_1 != 3 && kind_1 != 4;
  // The faults in the entries of the unit's queue.
  wire [59:0] places = {\dut.faults.queue.values_3_q , \dut.faults.queue.values_2_q , \dut.faults.queue.values_1_q , \dut.faults.queue.values_0_q };
  wire [1:0] first = \dut.faults.queue.head_index_q ;
  wire [119:0] from_first = {2{places}} >> (15 * first);
  wire [59:0] expected = {\reference.fault_at_3 , \reference.fault_at_2 , \reference.fault_at_1 , \reference.fault_0 };
  wire [3:0] right_place;
  generate for (g = 0; g < 4; g = g + 1) begin : each_place
    wire [14:0] one = from_first[15*g+:15];
    assign right_place[g] = g >= count || {one[5:0], one[6], one[8:7], one[9], one[14:10]} == expected[15*g+:15];
  end endgenerate
  wire [1:0] free_at = first + count[1:0];

  always @(posedge clock) if (begun) begin
    s_order: assert ((!under_1 || (to_clear == 0 && !turn_1 && !(under_2 && (kind == 3 || kind == 4))))
      && (!under_2 || (!turn_1 && !turn_2 && to_clear == 0))
      && (!op_ready || (to_clear == 0 && !(under_1 && (kind_1 == 3 || kind_1 == 4)) && !(under_2 && kind == 4) && count + under_way <= 3)));
    s_room: assert (count + under_way <= 4 && \dut.input_stage.gate.fault_space_q == (count + under_way <= 3));
    s_clear: assert (\dut.clear.current_scrub_active_q == (to_clear != 0) && \dut.clear.current_scrub_all_slots_q == (silent && to_clear != 0)
      && (to_clear == 0 || to_clear == ((8'hff << clear_from) & (silent ? 8'hff : clear_from[2] ? 8'hf0 : 8'h0f)))
      && (to_clear == 0 || silent || ((turning_1 | turning_2) & (clear_from[2] ? 8'h0f : 8'hf0)) == 0)
      && (turning_1 & to_clear) == 0 && (turning_2 & (to_clear | turning_1)) == 0);
    s_input: assert (\dut.input_stage.lookup_valid_q == (under_1 || turn_1) && \dut.input_stage.lookup_clearing_scrub_q == turn_1
      && \dut.input_stage.lookup_clearing_all_slots_q == (turn_1 && silent) && \dut.input_stage.lookup_actions_signals_q == (good_1 && kind_1 == 0)
      && \dut.input_stage.lookup_actions_waits_q == (good_1 && kind_1 == 1) && \dut.input_stage.lookup_actions_launches_q == (good_1 && kind_1 == 3)
      && \dut.input_stage.lookup_actions_cta_release_q == (good_1 && kind_1 == 4) && \dut.input_stage.lookup_origin_has_warp_q == of_warp_1
      && \dut.input_stage.lookup_origin_warp_done_q == (of_warp_1 && (kind_1 != 2 || fault_1 == 0)) && \dut.input_stage.lookup_fault_q == (under_1 ? fault_1 : 6'd0)
      && \dut.input_stage.gate.release_taken_q == (under_1 && kind_1 == 4));
    s_entered: assert (!under_1 || (\dut.input_stage.lookup_uniform_q == uniform_1 && \dut.input_stage.lookup_warps_q == (kind_1 == 4 ? mask_1 : 4'd1 << warp_1)
      && \dut.input_stage.lookup_origin_warp_q == warp_1 && \dut.input_stage.lookup_origin_cta_q == cta_1 && \dut.input_stage.lookup_message_id_q == id_1 && \dut.input_stage.lookup_message_role_q == role_1
      && \dut.input_stage.lookup_message_producers_q == producers_1 && \dut.input_stage.lookup_message_consumers_q == consumers_1 && \dut.input_stage.lookup_launch_warps_q == warps_1
      && \dut.input_stage.lookup_launch_barriers_q == barriers_1));
    s_turn: assert (!turn_1 || ({\dut.input_stage.lookup_origin_cta_q , \dut.input_stage.lookup_message_id_q } == {row_1[2], 6'd0, row_1[1:0]} && \dut.input_stage.lookup_origin_warp_q == 0));
    s_at: assert ((!(under_1 || turn_1) || \dut.rows.lookup_address_q == at_1) && (!(under_2 || turn_2) || \dut.rows.commit_address_q == at_2)
      && \dut.rows.same_as_commit_q == (\dut.rows.lookup_address_q == \dut.rows.commit_address_q ));
    s_read: assert (word_1 == (\dut.rows.same_as_written_q ? kept : \dut.rows.ram_read_value ));
    s_group: assert (!under_1 || \dut.ctas.ram_read_value == group_1);
    s_rows: assert (&right_row);
    s_slots: assert (&right_slot);
    s_effect: assert (\dut.commit_stage.commit_valid_q == under_2 && \dut.commit_stage.commit_verdict_refused_q == (under_2 && code != 0)
      && \dut.commit_stage.commit_effects_changes_q == (\reference.good && kind < 2) && \dut.commit_stage.commit_writes_row_q == (turn_2 || (\reference.good && kind < 2))
      && \dut.commit_stage.commit_effects_cta_release_q == (\reference.good && kind == 4) && \dut.commit_stage.commit_effects_completes_q == \reference.ends
      && \dut.commit_stage.commit_effects_takes_notification_q == \reference.takes && \dut.commit_stage.commit_effects_waits_q == \reference.stays
      && \dut.commit_stage.commit_origin_has_warp_q == (under_2 && \reference.of_warp ) && \dut.commit_stage.clears_row_q == (turn_2 && !silent)
      && \dut.commit_stage.commit_origin_warp_done_q == (under_2 && \reference.of_warp && (kind != 2 || \reference.fault == 0)));
    s_made: assert (!\dut.commit_stage.commit_writes_row_q || made == word(\reference.row_then ));
    s_used: assert ((!\dut.commit_stage.commit_effects_changes_q || \dut.commit_stage.was_used_q == \reference.was_used )
      && (!(turn_2 && !silent) || \dut.commit_stage.was_used_q == \reference.row_in_use ));
    s_ctrl: assert (!under_2 || (\dut.commit_stage.commit_verdict_fault_q == code && \dut.commit_stage.commit_warps_q == (kind == 4 ? \reference.mask : \reference.own )
      && \dut.commit_stage.commit_origin_warp_q == \reference.warp && \dut.commit_stage.commit_origin_cta_q == \reference.cta && \dut.commit_stage.commit_id_q == \reference.id [4:0]));
    s_woken: assert (!\reference.ends || (\dut.commit_stage.commit_consumers_notified_warps_q == \reference.now_consumed && \dut.commit_stage.commit_consumers_woken_warps_q == \reference.goes ));
    s_left: assert (!turn_2 || ({\dut.commit_stage.commit_origin_cta_q , \dut.commit_stage.commit_id_q } == {row_2[2], 3'd0, row_2[1:0]} && \dut.commit_stage.commit_origin_warp_q == 0));
    s_queue: assert (&right_place && \dut.faults.queue.filled_q == (4'hf >> (4 - count)) && \dut.faults.queue.push_entry_q == 4'd1 << free_at);
  end
