// SPDX-License-Identifier: Apache-2.0 OR MIT
// What the induction of `grid_hub_equal` names inside the exported unit and the reference, and how the one stands to the other.
  (* hierconn *) wire [3:0] \dut.slots.running , \dut.slots.flushing , \dut.slots.complete , \dut.slots.early , \dut.notify.told , \dut.notify.told_ready , \dut.flushes.requested , \reference.open , \reference.flushing , \reference.flushed , \reference.early , \reference.told , \reference.told_ready , \reference.requested , \dut.notify.turns.behind , \dut.flushes.turns.behind , \reference.all_issued , \reference.all_ended ;
  (* hierconn *) wire [3:0] \dut.slots.prerequisites_0 , \dut.slots.prerequisites_1 , \dut.slots.prerequisites_2 , \dut.slots.prerequisites_3 , \reference.prerequisites[0] , \reference.prerequisites[1] , \reference.prerequisites[2] , \reference.prerequisites[3] , \dut.messages_0.issued , \dut.messages_0.ended , \dut.messages_1.issued , \dut.messages_1.ended ;
  (* hierconn *) wire [31:0] \dut.counts_0.unissued , \dut.counts_1.unissued , \dut.counts_2.unissued , \dut.counts_3.unissued , \reference.unissued[0] , \reference.unissued[1] , \reference.unissued[2] , \reference.unissued[3] ;
  (* hierconn *) wire [12:0] \dut.counts_0.running , \dut.counts_1.running , \dut.counts_2.running , \dut.counts_3.running , \reference.running[0] , \reference.running[1] , \reference.running[2] , \reference.running[3] ;
  (* hierconn *) wire \dut.counts_0.issued , \dut.counts_0.ended , \dut.counts_1.issued , \dut.counts_1.ended , \dut.counts_2.issued , \dut.counts_2.ended , \dut.counts_3.issued , \dut.counts_3.ended , \reference.heard_0 , \reference.heard_1 , \reference.kind_0 , \reference.kind_1 ;
  (* hierconn *) wire [1:0] \reference.last_told , \reference.last_asked , \reference.of_0 , \reference.of_1 ;
  always @(*) if (begun) begin
    u_apart: assert ((\reference.open & (\reference.flushing | \reference.flushed )) == 0 && (\reference.flushing & \reference.flushed ) == 0);
    u_states: assert (\dut.slots.running == \reference.open 
      && \dut.slots.flushing == \reference.flushing 
      && \dut.slots.complete == \reference.flushed 
      && \dut.slots.early == \reference.early 
      && \dut.notify.told == \reference.told 
      && \dut.notify.told_ready == \reference.told_ready 
      && \dut.flushes.requested == \reference.requested );
    u_grid_0: assert (\dut.slots.prerequisites_0 == \reference.prerequisites[0] && \dut.counts_0.unissued == \reference.unissued[0]
      && \dut.counts_0.running == \reference.running[0] && \dut.counts_0.ended == \reference.all_ended [0]);
    // Whoever is a prerequisite is in flight, so nobody asks for one that has just been opened.
    u_flight_0: assert ((\reference.prerequisites[0] & ~(\reference.open | \reference.flushing )) == 0);
    u_grid_1: assert (\dut.slots.prerequisites_1 == \reference.prerequisites[1] && \dut.counts_1.unissued == \reference.unissued[1]
      && \dut.counts_1.running == \reference.running[1] && \dut.counts_1.ended == \reference.all_ended [1]);
    u_flight_1: assert ((\reference.prerequisites[1] & ~(\reference.open | \reference.flushing )) == 0);
    u_grid_2: assert (\dut.slots.prerequisites_2 == \reference.prerequisites[2] && \dut.counts_2.unissued == \reference.unissued[2]
      && \dut.counts_2.running == \reference.running[2] && \dut.counts_2.ended == \reference.all_ended [2]);
    u_flight_2: assert ((\reference.prerequisites[2] & ~(\reference.open | \reference.flushing )) == 0);
    u_grid_3: assert (\dut.slots.prerequisites_3 == \reference.prerequisites[3] && \dut.counts_3.unissued == \reference.unissued[3]
      && \dut.counts_3.running == \reference.running[3] && \dut.counts_3.ended == \reference.all_ended [3]);
    u_flight_3: assert ((\reference.prerequisites[3] & ~(\reference.open | \reference.flushing )) == 0);
    u_issued: assert (((\reference.all_issued ^ {\dut.counts_3.issued , \dut.counts_2.issued , \dut.counts_1.issued , \dut.counts_0.issued }) & 
      (\reference.prerequisites[0] | \reference.prerequisites[1] | \reference.prerequisites[2] | \reference.prerequisites[3] )) == 0);
    u_heard_0: assert (\dut.messages_0.issued == (\reference.heard_0 && !\reference.kind_0 ? 4'd1 << \reference.of_0 : 4'd0)
      && \dut.messages_0.ended == (\reference.heard_0 && \reference.kind_0 ? 4'd1 << \reference.of_0 : 4'd0));
    u_heard_1: assert (\dut.messages_1.issued == (\reference.heard_1 && !\reference.kind_1 ? 4'd1 << \reference.of_1 : 4'd0)
      && \dut.messages_1.ended == (\reference.heard_1 && \reference.kind_1 ? 4'd1 << \reference.of_1 : 4'd0));
    u_turn_last_told: assert (\dut.notify.turns.behind == 4'd14 << \reference.last_told );
    u_turn_last_asked: assert (\dut.flushes.turns.behind == 4'd14 << \reference.last_asked );
  end
