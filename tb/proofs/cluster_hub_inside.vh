// SPDX-License-Identifier: Apache-2.0 OR MIT
// Invariants for the induction of `cluster_hub_equal`. The file names registers inside the exported unit and the reference, and relates
// them.
  (* hierconn *) wire [4:0] \dut.slots_0.live_ctas_q , \dut.slots_0.missing_ctas_q , \reference.living[0] , \reference.missing[0] ;
  (* hierconn *) wire [1:0] \dut.slots_0.members_q , \reference.members[0] ;
  (* hierconn *) wire \dut.slots_0.odd_phase_q , \dut.slots_0.is_due_q ;
  (* hierconn *) wire [4:0] \dut.slots_1.live_ctas_q , \dut.slots_1.missing_ctas_q , \reference.living[1] , \reference.missing[1] ;
  (* hierconn *) wire [1:0] \dut.slots_1.members_q , \reference.members[1] ;
  (* hierconn *) wire \dut.slots_1.odd_phase_q , \dut.slots_1.is_due_q ;
  (* hierconn *) wire [4:0] \dut.slots_2.live_ctas_q , \dut.slots_2.missing_ctas_q , \reference.living[2] , \reference.missing[2] ;
  (* hierconn *) wire [1:0] \dut.slots_2.members_q , \reference.members[2] ;
  (* hierconn *) wire \dut.slots_2.odd_phase_q , \dut.slots_2.is_due_q ;
  (* hierconn *) wire [4:0] \dut.slots_3.live_ctas_q , \dut.slots_3.missing_ctas_q , \reference.living[3] , \reference.missing[3] ;
  (* hierconn *) wire [1:0] \dut.slots_3.members_q , \reference.members[3] ;
  (* hierconn *) wire \dut.slots_3.odd_phase_q , \dut.slots_3.is_due_q ;
  (* hierconn *) wire [3:0] \reference.odd , \reference.due , \dut.completing_slot_q , \dut.closing_slot_q , \dut.turns.after_last_grant_q ;
  (* hierconn *) wire \reference.had_turn , \reference.closes ;
  (* hierconn *) wire [1:0] \reference.last , \reference.had ;
  always @(*) if (begun) begin
    u_slot_0: assert (\dut.slots_0.members_q == \reference.members[0] 
      && \dut.slots_0.live_ctas_q == \reference.living[0] 
      && \dut.slots_0.missing_ctas_q == \reference.missing[0] 
      && \dut.slots_0.odd_phase_q == \reference.odd [0]
      && \dut.slots_0.is_due_q == \reference.due [0]);
    u_slot_1: assert (\dut.slots_1.members_q == \reference.members[1] 
      && \dut.slots_1.live_ctas_q == \reference.living[1] 
      && \dut.slots_1.missing_ctas_q == \reference.missing[1] 
      && \dut.slots_1.odd_phase_q == \reference.odd [1]
      && \dut.slots_1.is_due_q == \reference.due [1]);
    u_slot_2: assert (\dut.slots_2.members_q == \reference.members[2] 
      && \dut.slots_2.live_ctas_q == \reference.living[2] 
      && \dut.slots_2.missing_ctas_q == \reference.missing[2] 
      && \dut.slots_2.odd_phase_q == \reference.odd [2]
      && \dut.slots_2.is_due_q == \reference.due [2]);
    u_slot_3: assert (\dut.slots_3.members_q == \reference.members[3] 
      && \dut.slots_3.live_ctas_q == \reference.living[3] 
      && \dut.slots_3.missing_ctas_q == \reference.missing[3] 
      && \dut.slots_3.odd_phase_q == \reference.odd [3]
      && \dut.slots_3.is_due_q == \reference.due [3]);
    u_turn: assert (\dut.turns.after_last_grant_q == 4'd14 << \reference.last );
    u_out: assert (\dut.completing_slot_q == (\reference.had_turn && !\reference.closes ? 4'd1 << \reference.had : 4'd0)
      && \dut.closing_slot_q == (\reference.had_turn && \reference.closes ? 4'd1 << \reference.had : 4'd0));
  end
