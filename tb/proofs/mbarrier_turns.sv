// SPDX-License-Identifier: Apache-2.0 OR MIT
// Bounds on the number of turns for which each source waits to be enqueued. Memory, the network and the fault consumer behave arbitrarily.
`include "sizes.vh"
module mbarrier_turns (
`include "mbarrier_inputs.vh"
);
`include "mbarrier_unit.vh"
`include "mbarrier_kinds.vh"
  // Signals that no port outputs: the unit's internal items, the item that is enqueued, and when the oldest item is done.
  (* hierconn *) wire \dut.ticks_time_out_valid , \dut.remotes_remote_result_valid , \dut.acks_absent_target_valid , \dut.ctas_walk_step_valid , \dut.enqueue.arbiter.take_internal ,
    \dut.enqueue.take_tx , \dut.enqueue.take_net , \dut.enqueue.time_out_ready , \dut.enqueue.remote_result_ready , \dut.enqueue.absent_target_ready , \dut.enqueue.walk_step_ready ,
    \dut.enqueue_remote_push , \dut.decide_decision_done ;
  wire takes_own = \dut.enqueue.arbiter.take_internal , takes_tx = \dut.enqueue.take_tx , takes_net = \dut.enqueue.take_net ;
  wire [3:0] own_there = {\dut.ctas_walk_step_valid , \dut.acks_absent_target_valid , \dut.remotes_remote_result_valid , \dut.ticks_time_out_valid };
  wire [3:0] own_takes = {\dut.enqueue.walk_step_ready , \dut.enqueue.absent_target_ready , \dut.enqueue.remote_result_ready , \dut.enqueue.time_out_ready };
  wire done = \dut.decide_decision_done ;

  reg begun = 0;
  always @(posedge clock) begun <= 1;
  always @(*) if (!begun) assume (reset);

  // The queue: the number of its items, which of them are operations of warps, and which are results of remote operations.
  localparam PLACES = 4 * `W, LQ = $clog2(PLACES);
  reg [PLACES-1:0] is_op, is_answer;
  reg [LQ-1:0] head = 0, tail = 0;
  wire takes_op = op_valid && op_ready && !reset;
  wire leaves = \dut.enqueue_remote_push ;
  wire put = (takes_op && !leaves) || takes_own || takes_tx || takes_net;
  wire [LQ-1:0] items = tail - head;
  // `ops`: queued operations of warps. `remotes`: remote operations of warps until their result is done.
  reg [LQ-1:0] ops = 0, remotes = 0;
  wire [LQ-1:0] others = items - ops;
  always @(posedge clock) begin
    if (put) is_op[tail] <= takes_op;
    if (put) is_answer[tail] <= own_takes[1];
    tail <= reset ? 0 : tail + put;
    head <= reset ? 0 : head + done;
    ops <= reset ? 0 : ops + (put && takes_op) - (done && is_op[head]);
    remotes <= reset ? 0 : remotes + (takes_op && leaves) - (done && is_answer[head]);
  end

  // `room`: the queue has space for another item, as the contract defines it.
  reg [`XI:0] cleared = 0;
  wire clear = cleared == `X;
  reg room = 0, clear_1 = 0;
  always @(posedge clock) begin
    cleared <= reset ? 0 : cleared + !clear;
    {room, clear_1} <= reset ? 2'b00 : {clear && items < 2 * `W, clear};
  end

  // For each source: whether it has an item, and how many turns other sources have had while the item waits.
  reg [1:0] sent = 0, came = 0;
  wire own_any = own_there != 0;
  wire op_turn = takes_op && room;
  reg [2:0] own_waits = 0, tx_waits = 0, net_waits = 0;
  reg [4:0] late_waits = 0, answer_waits = 0, absent_waits = 0, step_waits = 0;
  wire turn = op_turn || takes_own || takes_tx || takes_net;
  reg [2:0] op_waits = 0;
  always @(posedge clock) begin
    sent <= reset ? 0 : sent + (tx_valid && tx_ready) - takes_tx;
    came <= reset ? 0 : came + (net_in_valid && net_in_ready) - takes_net;
    own_waits <= reset || !own_any || takes_own ? 0 : own_waits + turn;
    tx_waits <= reset || sent == 0 || takes_tx ? 0 : tx_waits + turn;
    net_waits <= reset || came == 0 || takes_net ? 0 : net_waits + turn;
    late_waits <= reset || !own_there[0] || own_takes[0] ? 0 : late_waits + turn;
    answer_waits <= reset || !own_there[1] || own_takes[1] ? 0 : answer_waits + turn;
    absent_waits <= reset || !own_there[2] || own_takes[2] ? 0 : absent_waits + turn;
    step_waits <= reset || !own_there[3] || own_takes[3] ? 0 : step_waits + turn;
    op_waits <= reset || !clear_1 || !op_valid || op_ready ? 0 : op_waits + 1;
  end

  // `flying`: remote operations that were sent and are not yet acknowledged. `lost`: remote operations that found no CTA and whose fault
  // the unit has not yet enqueued.
  reg [3:0] flying = 0, lost = 0;
  always @(posedge clock) begin
    flying <= reset ? 0 : flying + (net_out_valid && net_out_ready) - net_ack_valid;
    lost <= reset ? 0 : lost + (net_ack_valid && net_ack_absent) - own_takes[2];
  end
  // Interface assumptions: a warp has at most one operation in flight, and each remote operation is acknowledged once.
  always @(*) begin
    if (op_valid) assume (ops + remotes < `W);
    if (net_ack_valid) assume (flying != 0 && net_ack_cta == 0);
  end

  always @(*) if (begun && !reset) begin
    t_op: assert (op_waits <= 3);
    t_others: assert (own_waits <= 3 && tx_waits <= 3 && net_waits <= 3);
    t_each: assert (late_waits <= 15 && answer_waits <= 15 && absent_waits <= 15 && step_waits <= 15);
    // In each cycle with space in the queue, some source has a turn if any source has an item.
    if (room && (own_any || sent != 0 || came != 0)) t_turn: assert (turn);
  end
`ifdef COVER
  always @(posedge clock) if (begun && !reset) begin
    no_room: cover (clear_1 && !room && sent == 2 && op_waits == 0);
    waits_longest: cover (tx_waits == 3 && came != 0);
    op_longest: cover (op_waits == 3);
  end
`endif
`ifdef INSIDE
`include "mbarrier_turns_inside.vh"
`endif
endmodule
