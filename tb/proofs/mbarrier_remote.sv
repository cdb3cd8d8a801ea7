// SPDX-License-Identifier: Apache-2.0 OR MIT
// Remote operations: an operation that is transferred on `op` for another CTA leaves on `net_out` once, unaltered, in order and at the
// stated time, and is counted until it is acknowledged. The unit sends nothing else.
`include "sizes.vh"
module mbarrier_remote (
`include "mbarrier_inputs.vh"
);
`include "mbarrier_unit.vh"
`include "mbarrier_kinds.vh"
  // Two events that no port outputs: the result of a sent operation is enqueued, and the fault of an operation that found no CTA is
  // enqueued.
  (* hierconn *) wire \dut.remotes.result_valid_q , \dut.enqueue.remote_result_ready , \dut.enqueue.absent_target_ready ;
  wire result_there = \dut.remotes.result_valid_q , result_taken = \dut.enqueue.remote_result_ready , told = \dut.enqueue.absent_target_ready ;

  reg begun = 0;
  always @(posedge clock) begun <= 1;
  always @(*) if (!begun) assume (reset);

  // `tiny` has a single CTA slot. `cluster`, `own_rank` and `size` are those of its CTA, from the last launch.
  localparam [`LC-1:0] slot = 0;
  reg [`KC-1:0] cluster;
  reg [3:0] own_rank;
  reg [4:0] size;
  wire comes = launch_valid && launch_cta == slot, goes = retire_valid && retire_cta == slot;
  always @(posedge clock) begin
    if (comes) {cluster, own_rank, size} <= {launch_cluster, launch_rank, launch_size};
    if (reset) {cluster, own_rank, size} <= 0;
  end

  // `goes_out`: the operation is remote. `message`: the operation as it is sent on `net_out`.
  wire [7:0] rank = op_address[31:24];
  wire counts = op_kind <= DROP_NO_COMPLETE;
  wire goes_out = op_fault == 0 && op_uniform && op_cluster && op_kind >= ARRIVE && op_kind <= COMPLETE && rank != own_rank && rank < size
    && op_address[2:0] == 0 && op_address[23:0] < `SMEM && (!counts || (op_count != 0 && op_count < 21'h100000));
  localparam MB = `KC + 4 + `LC + `XW + 4 + 20 + 21;
  wire [`XW-1:0] object = op_address >> 3;
  wire [MB-1:0] message = {op_bytes, op_count[19:0], op_kind, object, op_cta, rank[3:0], cluster};
  wire sends = op_valid && op_ready && !reset && op_cta == slot && goes_out;
  wire [MB-1:0] shown = {net_out_bytes, net_out_count, net_out_kind, net_out_object, net_out_cta, net_out_rank, net_out_cluster};
  wire transferred = net_out_valid && net_out_ready && !reset;

  // Remote operations that wait for the network or are offered to it, oldest first.
  localparam PLACES = 2 * `W, LQ = $clog2(PLACES);
  reg [MB-1:0] sent [0:PLACES-1];
  reg [LQ-1:0] head = 0, tail = 0;
  reg sends_1 = 0;
  wire [LQ-1:0] items = tail - head;
  always @(posedge clock) begin
    if (sends) sent[tail] <= message;
    tail <= reset ? 0 : tail + sends;
    head <= reset ? 0 : head + transferred;
    sends_1 <= sends && !reset;
  end

  // `flying`: operations that were sent and are not yet acknowledged. `lost`: operations that found no CTA and whose fault the unit has not
  // yet enqueued.
  reg [3:0] flying = 0, lost = 0;
  wire acked = net_ack_valid && net_ack_cta == slot;
  wire [4:0] unacknowledged = flying + net_out_valid;
  always @(posedge clock) begin
    flying <= reset ? 0 : flying + transferred - acked;
    lost <= reset ? 0 : lost + (acked && net_ack_absent) - told;
  end

  // The CTA: `launch` and `retire` alternate; at its `retire` nothing is in flight, and nothing is sent after it.
  reg there = 0, leaves = 0;
  wire ends = retired_valid && retired_cta == slot;
  wire going = leaves && !ends;
  always @(posedge clock) begin
    {there, leaves} <= {there || comes, going};
    if (goes) {there, leaves} <= 2'b01;
    if (reset) {there, leaves} <= 0;
  end
  always @(*) begin
    // Encodings and ranks that the contract rules out.
    assume (op_kind <= TRY_WAIT && op_fault <= 32);
    if (launch_valid) assume (launch_size != 0 && launch_size <= 16 && launch_rank < launch_size);
    if (comes) assume (!there && !going);
    if (goes) assume (there && items == 0 && !sends);
    if (sends) assume (there);
    // Each operation is acknowledged once, in a cycle after its transfer.
    if (net_ack_valid) assume (net_ack_cta == slot && flying != 0);
  end

  // An operation may be offered in the next cycle if it has been queued for two cycles and no other operation is offered.
  wire older = items != (sends_1 ? 1 : 0);
  wire free = !net_out_valid && (!result_there || result_taken) && unacknowledged < `REMOTE && lost == 0;
  reg due = 0;
  always @(posedge clock) due <= !reset && older && free;

  always @(*) if (begun && !reset) begin
    if (net_out_valid) r_sent: assert (items != 0 && shown == sent[head]);
    if (due) r_moves: assert (net_out_valid);
    r_most: assert (unacknowledged <= `REMOTE);
    if (ends) r_gone: assert (items == 0 && flying == 0 && lost == 0);
  end
`ifdef COVER
  always @(posedge clock) if (begun && !reset) begin
    all_unacknowledged: cover (flying == `REMOTE && items > 1);
    found_nobody: cover (told && lost > 1);
  end
`endif
`ifdef INSIDE
`include "mbarrier_remote_inside.vh"
`endif
endmodule
