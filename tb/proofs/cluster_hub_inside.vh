// SPDX-License-Identifier: Apache-2.0 OR MIT
// What the induction of `cluster_hub_equal` names inside the exported unit and the reference, and how the one stands to the other.
  (* hierconn *) wire [15:0] \dut.slots_0.all , \dut.slots_0.arrived , \dut.slots_0.gone ;
  (* hierconn *) wire [1:0] \dut.slots_0.sms , \reference.members[0] ;
  (* hierconn *) wire \dut.slots_0.complete_due , \dut.slots_0.closed_due ;
  (* hierconn *) wire [15:0] \reference.ranks[0] , \reference.arrived[0] , \reference.gone[0] ;
  (* hierconn *) wire [15:0] \dut.slots_1.all , \dut.slots_1.arrived , \dut.slots_1.gone ;
  (* hierconn *) wire [1:0] \dut.slots_1.sms , \reference.members[1] ;
  (* hierconn *) wire \dut.slots_1.complete_due , \dut.slots_1.closed_due ;
  (* hierconn *) wire [15:0] \reference.ranks[1] , \reference.arrived[1] , \reference.gone[1] ;
  (* hierconn *) wire [15:0] \dut.slots_2.all , \dut.slots_2.arrived , \dut.slots_2.gone ;
  (* hierconn *) wire [1:0] \dut.slots_2.sms , \reference.members[2] ;
  (* hierconn *) wire \dut.slots_2.complete_due , \dut.slots_2.closed_due ;
  (* hierconn *) wire [15:0] \reference.ranks[2] , \reference.arrived[2] , \reference.gone[2] ;
  (* hierconn *) wire [15:0] \dut.slots_3.all , \dut.slots_3.arrived , \dut.slots_3.gone ;
  (* hierconn *) wire [1:0] \dut.slots_3.sms , \reference.members[3] ;
  (* hierconn *) wire \dut.slots_3.complete_due , \dut.slots_3.closed_due ;
  (* hierconn *) wire [15:0] \reference.ranks[3] , \reference.arrived[3] , \reference.gone[3] ;
  (* hierconn *) wire [3:0] \reference.complete_due , \reference.closed_due , \dut.turns.kept ;
  (* hierconn *) wire [1:0] \reference.last ;
  always @(*) if (begun) begin
    u_slot_0: assert (\dut.slots_0.all == \reference.ranks[0] 
      && \dut.slots_0.arrived == \reference.arrived[0] 
      && \dut.slots_0.gone == \reference.gone[0] 
      && \dut.slots_0.sms == \reference.members[0] 
      && \dut.slots_0.complete_due == \reference.complete_due [0]
      && \dut.slots_0.closed_due == \reference.closed_due [0]);
    u_slot_1: assert (\dut.slots_1.all == \reference.ranks[1] 
      && \dut.slots_1.arrived == \reference.arrived[1] 
      && \dut.slots_1.gone == \reference.gone[1] 
      && \dut.slots_1.sms == \reference.members[1] 
      && \dut.slots_1.complete_due == \reference.complete_due [1]
      && \dut.slots_1.closed_due == \reference.closed_due [1]);
    u_slot_2: assert (\dut.slots_2.all == \reference.ranks[2] 
      && \dut.slots_2.arrived == \reference.arrived[2] 
      && \dut.slots_2.gone == \reference.gone[2] 
      && \dut.slots_2.sms == \reference.members[2] 
      && \dut.slots_2.complete_due == \reference.complete_due [2]
      && \dut.slots_2.closed_due == \reference.closed_due [2]);
    u_slot_3: assert (\dut.slots_3.all == \reference.ranks[3] 
      && \dut.slots_3.arrived == \reference.arrived[3] 
      && \dut.slots_3.gone == \reference.gone[3] 
      && \dut.slots_3.sms == \reference.members[3] 
      && \dut.slots_3.complete_due == \reference.complete_due [3]
      && \dut.slots_3.closed_due == \reference.closed_due [3]);
    u_turn: assert (\dut.turns.kept == 4'd1 << \reference.last || (\dut.turns.kept == 0 && \reference.last == 3));
  end
