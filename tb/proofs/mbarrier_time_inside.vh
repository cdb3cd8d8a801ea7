// SPDX-License-Identifier: Apache-2.0 OR MIT
// Invariants for the induction of `mbarrier_time`: names registers inside `ticks` at `tiny` and relates them to the checker's state.
  (* hierconn *) wire [5:0] \dut.cycle_in_tick_q ;
  (* hierconn *) wire [4:0] \dut.due_times_read_value , \dut.due_times.few_words.words[0] , \dut.due_times.few_words.words[1] , \dut.due_times.few_words.words[2] , \dut.due_times.few_words.words[3] ;
  (* hierconn *) wire [1:0] \dut.tick_q , \dut.examined_warp_q , \dut.examined_tick_q , \dut.suspended_limit_q , \dut.suspended_warp_q ;
  (* hierconn *) wire [2:0] \dut.suspended_entry_q ;
  (* hierconn *) wire \dut.has_examined_q , \dut.has_suspended_q ;
  wire [7:0] position = {\dut.tick_q , \dut.cycle_in_tick_q };
  wire [4:0] kept = who == 0 ? \dut.due_times.few_words.words[0] : who == 1 ? \dut.due_times.few_words.words[1] : who == 2 ? \dut.due_times.few_words.words[2] : \dut.due_times.few_words.words[3] ;
  // `start`: the tick counter in the cycle after the decision to suspend. `due_at`: the tick counter when the time-out is due.
  reg [7:0] start;
  reg begins = 0;
  always @(posedge clock) begins <= again && !reset;
  always @(posedge clock) if (begins) start <= position;
  wire [7:0] from = age == 1 ? position : start;
  wire [7:0] due_at = {from[7:6] + most, 4'd0, who};
  wire [4:0] due_word = {where, due_at[7:6]};
  wire [RB-1:0] distance = 64 * most + who - from[5:0];
  // The unit examined the warp after its last suspension.
  wire looked = \dut.has_examined_q && \dut.examined_warp_q == who && age == 3;
  always @(*) if (begun) begin
    v_age: assert (armed ? age != 0 && most != 0 : age == 0 && !came && !asleep);
    v_begins: assert (begins == (armed && age == 1));
    v_suspended: assert (begins == (\dut.has_suspended_q && \dut.suspended_warp_q == who));
    v_first: assert (!begins || (\dut.suspended_limit_q == most && \dut.suspended_entry_q == where));
    v_kept: assert (!armed || begins || kept == due_word);
    v_ran: assert (!armed || &ran || position == from + ran[7:0]);
    v_due: assert (!armed || !asleep || came || there || ran <= distance + 1);
    v_found: assert (!armed || !asleep || came || there || ran != distance + 1 || (looked && \dut.examined_tick_q == due_at[7:6]));
    v_there: assert (!there || (age == 3 && ran >= distance + 1));
    v_looked: assert (!\dut.has_examined_q || !time_out_valid);
    v_cleared: assert (clearing <= 8 && (!armed || cleared) && (!\dut.has_suspended_q || cleared));
    // The examined word belongs to the warp; it was read one count of the tick counter ago.
    v_other: assert (!looked || \dut.due_times_read_value == due_word);
    v_then: assert (!looked || {\dut.examined_tick_q , 4'd0, \dut.examined_warp_q } + 8'd1 == position);
  end
