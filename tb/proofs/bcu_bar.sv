// SPDX-License-Identifier: Apache-2.0 OR MIT
// The rules of `bcu_bar` for one barrier and one warp, chosen by the solver. The state of the barrier is followed by
// numbers, from the header of `bcu_bar.v`. Any operation may come in any cycle, also one that breaks the rules for the
// user, except that the number of live warps has a meaning only after a Launch.
module bcu_bar_rules #(
  parameter W = 4, LW = 2, IW = 1
) (
  input wire          clock,
  input wire          reset,
  input wire          op_valid,
  input wire [1:0]    op_kind,
  input wire          op_all,
  input wire [LW-1:0] op_warp,
  input wire [IW-1:0] op_id,
  input wire [LW-1:0] op_size_m1
);
  (* anyconst *) reg [IW-1:0] here;
  (* anyconst *) reg [LW-1:0] who;

  wire          op_ready, release_valid;
  wire [IW-1:0] release_id;
  wire [W-1:0]  release_warps, waiting;
  bcu_bar dut (
    .clock(clock),
    .reset(reset),
    .op_valid(op_valid),
    .op_ready(op_ready),
    .op_kind(op_kind),
    .op_all(op_all),
    .op_warp(op_warp),
    .op_id(op_id),
    .op_size_m1(op_size_m1),
    .release_valid(release_valid),
    .release_id(release_id),
    .release_warps(release_warps),
    .waiting(waiting)
  );

  reg begun = 0;
  always @(posedge clock) begun <= 1;
  always @(*) if (!begun) assume (reset);

  // The operation in the cycle of its transfer.
  wire transfer = op_valid && op_ready;
  wire launch   = transfer && op_kind == 3;
  wire exit     = transfer && op_kind == 2;
  wire arrives  = transfer && op_kind < 2;
  wire sync     = arrives && op_kind == 0;
  wire all      = sync && op_all;
  reg  launched = 0;
  always @(posedge clock) launched <= !reset && (launched || launch);
  always @(*) if (!launched) assume (!exit && !all);

  // The barrier: arrivals, whether `who` waits at it, and whether it is that of the last arrival without a count.
  // Numbers have the bits of a warp and wrap with broken rules.
  reg  [LW-1:0] arrivals = 0, live_m1 = 0;
  reg           is_open = 0, waits = 0, all_here = 0;
  wire          at           = arrives && op_id == here;
  wire          by_arrival   = at && (is_open ? arrivals : 0) == (all ? live_m1 : op_size_m1);
  wire          by_exit      = exit && all_here && (is_open ? arrivals : 0) == live_m1;
  wire          complete     = by_arrival || by_exit;
  wire          waits_now    = is_open && waits || at && sync && op_warp == who;
  always @(posedge clock) begin
    if (reset || launch) begin
      is_open  <= 0;
      all_here <= 0;
    end else begin
      is_open  <= (is_open || at) && !complete;
      all_here <= (all ? op_id == here : all_here) && !(complete && (by_exit || all));
    end
    if (at) arrivals <= is_open ? arrivals + 1 : 1;
    waits <= waits_now;
    if (launch) live_m1 <= op_size_m1;
    if (exit) live_m1 <= live_m1 - 1;
  end

  // The same 3 cycles later, when the outputs follow from it.
  reg  [2:0] due_release = 0, due_wake = 0, due_wait = 0;
  always @(posedge clock) begin
    due_release <= reset ? 0 : {due_release, complete};
    due_wake    <= reset ? 0 : {due_wake, complete && waits_now};
    due_wait    <= reset ? 0 : {due_wait, sync && op_warp == who};
  end

  // `waiting` from the ports, and the cycles in which `op_ready` is 0.
  reg          who_waits = 0, was_ready = 0;
  reg  [IW:0]  clearing = 0;
  wire         next_waits = was_ready && (who_waits || due_wait[2]) && !release_warps[who];
  always @(posedge clock) begin
    who_waits <= !reset && next_waits;
    was_ready <= !reset && op_ready;
    clearing  <= reset || launch ? 1 << IW : clearing == 0 ? 0 : clearing - 1;
  end

  always @(posedge clock) if (begun && !reset) begin
    if (due_release[2]) c_in_time: assert (release_valid && release_id == here);
    if (release_valid && release_id == here) c_invented: assert (due_release[2]);
    if (due_wake[2]) r_released: assert (release_warps[who]);
    if (due_release[2] && !due_wake[2]) r_early: assert (!release_warps[who]);
    if (!release_valid) r_idle: assert (release_warps == 0);
    w_waiting: assert (waiting[who] == next_waits);
    o_ready: assert (op_ready == (clearing == 0));
`ifdef COVER
    of_three: cover (due_release[2] && due_wake[2] && release_warps[W-1:1] == 3'b111);
    of_exit: cover (due_wake[2] && past_exit[2] && !release_warps[0]);
    again: cover (due_release[2] && due_release[1] && due_release[0] && due_wake == 3'b101);
    after_launch: cover (due_release[2] && due_wake[2] && launches == 2);
    empty: cover (due_release[2] && release_warps == 0);
`endif
  end
`ifdef COVER
  reg [2:0] past_exit = 0;
  reg [1:0] launches = 0;
  always @(posedge clock) begin
    past_exit <= {past_exit, by_exit};
    launches  <= reset ? 0 : launches + (launch && launches != 3);
  end
`endif
endmodule
