// SPDX-License-Identifier: Apache-2.0 OR MIT
// Invariants for the induction of `grid_hub_equal`. The file names registers inside the exported unit and the reference, and relates them.
  (* hierconn *) wire [3:0] \dut.slots.open_grids_q , \dut.slots.flushing_grids_q , \dut.slots.flushed_grids_q , \dut.slots.early_grids_q , \dut.notify.opened_sent_q , \dut.notify.ready_sent_q , \dut.flushes.requested_q , \reference.open , \reference.flushing , \reference.flushed , \reference.early , \reference.told , \reference.told_ready , \reference.requested , \dut.notify.turns.after_last_grant_q , \dut.flushes.turns.after_last_grant_q , \reference.all_issued , \reference.all_ended ;
  (* hierconn *) wire [3:0] \dut.slots.prerequisites_0_q , \dut.slots.prerequisites_1_q , \dut.slots.prerequisites_2_q , \dut.slots.prerequisites_3_q , \reference.prerequisites[0] , \reference.prerequisites[1] , \reference.prerequisites[2] , \reference.prerequisites[3] , \dut.messages_0.issued_grid_q , \dut.messages_0.ended_grid_q , \dut.messages_1.issued_grid_q , \dut.messages_1.ended_grid_q ;
  (* hierconn *) wire [31:0] \dut.counts_0.unissued_ctas_q , \dut.counts_1.unissued_ctas_q , \dut.counts_2.unissued_ctas_q , \dut.counts_3.unissued_ctas_q , \reference.unissued[0] , \reference.unissued[1] , \reference.unissued[2] , \reference.unissued[3] ;
  (* hierconn *) wire [12:0] \dut.counts_0.running_ctas_q , \dut.counts_1.running_ctas_q , \dut.counts_2.running_ctas_q , \dut.counts_3.running_ctas_q , \reference.running[0] , \reference.running[1] , \reference.running[2] , \reference.running[3] ;
  (* hierconn *) wire \dut.counts_0.all_issued_q , \dut.counts_0.all_ended_q , \dut.counts_1.all_issued_q , \dut.counts_1.all_ended_q , \dut.counts_2.all_issued_q , \dut.counts_2.all_ended_q , \dut.counts_3.all_issued_q , \dut.counts_3.all_ended_q , \reference.heard_0 , \reference.heard_1 , \reference.kind_0 , \reference.kind_1 ;
  (* hierconn *) wire [1:0] \reference.last_told , \reference.last_asked , \reference.of_0 , \reference.of_1 ;
  always @(*) if (begun) begin
    u_apart: assert ((\reference.open & (\reference.flushing | \reference.flushed )) == 0 && (\reference.flushing & \reference.flushed ) == 0);
    u_states: assert (\dut.slots.open_grids_q == \reference.open 
      && \dut.slots.flushing_grids_q == \reference.flushing 
      && \dut.slots.flushed_grids_q == \reference.flushed 
      && \dut.slots.early_grids_q == \reference.early 
      && \dut.notify.opened_sent_q == \reference.told 
      && \dut.notify.ready_sent_q == \reference.told_ready 
      && \dut.flushes.requested_q == \reference.requested );
    u_grid_0: assert (\dut.slots.prerequisites_0_q == \reference.prerequisites[0] && \dut.counts_0.unissued_ctas_q == \reference.unissued[0]
      && \dut.counts_0.running_ctas_q == \reference.running[0] && \dut.counts_0.all_ended_q == \reference.all_ended [0]);
    // Every prerequisite is a grid that is open or being flushed, so no grid depends on a grid that has just been opened.
    u_flight_0: assert ((\reference.prerequisites[0] & ~(\reference.open | \reference.flushing )) == 0);
    u_grid_1: assert (\dut.slots.prerequisites_1_q == \reference.prerequisites[1] && \dut.counts_1.unissued_ctas_q == \reference.unissued[1]
      && \dut.counts_1.running_ctas_q == \reference.running[1] && \dut.counts_1.all_ended_q == \reference.all_ended [1]);
    u_flight_1: assert ((\reference.prerequisites[1] & ~(\reference.open | \reference.flushing )) == 0);
    u_grid_2: assert (\dut.slots.prerequisites_2_q == \reference.prerequisites[2] && \dut.counts_2.unissued_ctas_q == \reference.unissued[2]
      && \dut.counts_2.running_ctas_q == \reference.running[2] && \dut.counts_2.all_ended_q == \reference.all_ended [2]);
    u_flight_2: assert ((\reference.prerequisites[2] & ~(\reference.open | \reference.flushing )) == 0);
    u_grid_3: assert (\dut.slots.prerequisites_3_q == \reference.prerequisites[3] && \dut.counts_3.unissued_ctas_q == \reference.unissued[3]
      && \dut.counts_3.running_ctas_q == \reference.running[3] && \dut.counts_3.all_ended_q == \reference.all_ended [3]);
    u_flight_3: assert ((\reference.prerequisites[3] & ~(\reference.open | \reference.flushing )) == 0);
    u_issued: assert (((\reference.all_issued ^ {\dut.counts_3.all_issued_q , \dut.counts_2.all_issued_q , \dut.counts_1.all_issued_q , \dut.counts_0.all_issued_q }) & 
      (\reference.prerequisites[0] | \reference.prerequisites[1] | \reference.prerequisites[2] | \reference.prerequisites[3] )) == 0);
    u_heard_0: assert (\dut.messages_0.issued_grid_q == (\reference.heard_0 && !\reference.kind_0 ? 4'd1 << \reference.of_0 : 4'd0)
      && \dut.messages_0.ended_grid_q == (\reference.heard_0 && \reference.kind_0 ? 4'd1 << \reference.of_0 : 4'd0));
    u_heard_1: assert (\dut.messages_1.issued_grid_q == (\reference.heard_1 && !\reference.kind_1 ? 4'd1 << \reference.of_1 : 4'd0)
      && \dut.messages_1.ended_grid_q == (\reference.heard_1 && \reference.kind_1 ? 4'd1 << \reference.of_1 : 4'd0));
    u_turn_last_told: assert (\dut.notify.turns.after_last_grant_q == 4'd14 << \reference.last_told );
    u_turn_last_asked: assert (\dut.flushes.turns.after_last_grant_q == 4'd14 << \reference.last_asked );
  end
