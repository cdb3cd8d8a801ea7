// SPDX-License-Identifier: Apache-2.0 OR MIT
// What the induction of `mbarrier_time` names inside `ticks` at `tiny`, and how that stands to what the checker keeps.
  (* hierconn *) wire [5:0] \dut.place , \dut.due_read_value , \dut.due.words[0] , \dut.due.words[1] , \dut.due.words[2] , \dut.due.words[3] ;
  (* hierconn *) wire [1:0] \dut.tick , \dut.warp , \dut.tick_then , \dut.limit , \dut.suspended_warp ;
  (* hierconn *) wire [2:0] \dut.suspended_entry ;
  (* hierconn *) wire \dut.looked , \dut.suspended ;
  wire [7:0] position = {\dut.tick , \dut.place };
  wire [5:0] kept = who == 0 ? \dut.due.words[0] : who == 1 ? \dut.due.words[1] : who == 2 ? \dut.due.words[2] : \dut.due.words[3] ;
  // Where the counter was in the cycle after the decision, and where it is when the time-out is found.
  reg [7:0] start;
  reg begins = 0;
  always @(posedge clock) begins <= again && !reset;
  always @(posedge clock) if (begins) start <= position;
  wire [7:0] from = age == 1 ? position : start;
  wire [7:0] due_at = {from[7:6] + most, 4'd0, who};
  wire [5:0] due_word = {where, due_at[7:6], 1'b1};
  wire [RB-1:0] distance = 64 * most + who - from[5:0];
  always @(*) if (begun) begin
    v_age: assert (armed ? age != 0 && most != 0 : 1);
    v_begins: assert (begins == (armed && age == 1));
    v_first: assert (!begins || (\dut.suspended && \dut.suspended_warp == who && \dut.limit == most && \dut.suspended_entry == where));
    v_kept: assert (!armed || begins || kept == due_word);
    v_ran: assert (!armed || (position == from + ran[7:0] && ran <= distance + 1));
    v_found: assert (!armed || ran != distance + 1 || own
      || (\dut.looked && \dut.warp == who && \dut.tick_then == due_at[7:6] && \dut.due_read_value == due_word && !time_out_valid));
    v_looked: assert (!\dut.looked || !time_out_valid);
    v_cleared: assert (clearing <= 8 && (!armed || cleared) && (!\dut.suspended || cleared));
    // What was found is of the present tick, or of the last place of it.
    v_other: assert (!armed || age != 3 || !\dut.looked || \dut.warp != who || \dut.due_read_value == due_word);
    v_then: assert (!armed || age != 3 || !\dut.looked || {\dut.tick_then , 4'd0, \dut.warp } + 8'd1 == position);
  end
