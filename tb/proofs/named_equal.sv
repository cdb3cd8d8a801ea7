// SPDX-License-Identifier: Apache-2.0 OR MIT
// The exported unit beside the reference: the same inputs, whatever they are, and every output the same in every cycle.
`include "sizes.vh"
module named_equal (
`include "named_inputs.vh"
);
`include "named_ports.vh"
  wire op_ready_;
  wire release_valid_;
  wire [`LC-1:0] release_cta_;
  wire [3:0] release_id_;
  wire [`W-1:0] release_warps_;
  wire [1:0] release_reduction_;
  wire [11:0] release_value_;
  wire read_valid_;
  wire [`LW-1:0] read_warp_;
  wire [31:0] read_value_;
  wire read_predicate_;
  wire tangle_valid_;
  wire [`LC-1:0] tangle_cta_;
  wire [`W-1:0] blocked_;
  wire [`W-1:0] trapped_;
  wire clearing_;
  wire fault_valid_;
  wire [4:0] fault_code_;
  wire [`LW-1:0] fault_warp_;
  wire [`LC-1:0] fault_cta_;
  wire [3:0] fault_id_;
  wire given;
  wire [`LW+`LC+8:0] given_fault;
  named_reference reference (
    .clock(clock), .reset(reset), .op_valid(op_valid), .op_kind(op_kind), .op_fault(op_fault), .op_uniform(op_uniform),
    .op_warp(op_warp), .op_cta(op_cta), .op_id(op_id), .op_count(op_count), .op_redop(op_redop), .op_value(op_value),
    .op_state(op_state), .op_data(op_data), .op_warps(op_warps), .op_live(op_live), .op_barriers(op_barriers),
    .op_mask(op_mask), .op_saved(op_saved), .fault_policy(fault_policy), .fault_ready(fault_ready), .op_ready(op_ready_),
    .release_valid(release_valid_), .release_cta(release_cta_), .release_id(release_id_), .release_warps(release_warps_),
    .release_reduction(release_reduction_), .release_value(release_value_), .read_valid(read_valid_), .read_warp(read_warp_),
    .read_value(read_value_), .read_predicate(read_predicate_), .tangle_valid(tangle_valid_), .tangle_cta(tangle_cta_),
    .blocked(blocked_), .trapped(trapped_), .clearing(clearing_), .fault_valid(fault_valid_), .fault_code(fault_code_),
    .fault_warp(fault_warp_), .fault_cta(fault_cta_), .fault_id(fault_id_), .given(given),
    .given_fault(given_fault)
  );

  // Every fault, whoever finds it, is counted when it comes to be and when it is taken; one of them, chosen by its number, is kept.
  (* anyconst *) reg [3:0] nth;
  reg [3:0] given_count = 0, taken_count = 0;
  reg [`LW+`LC+8:0] chosen = 0;
  wire [3:0] pending = given_count - taken_count;
  always @(posedge clock) begin
    given_count <= reset ? 0 : given_count + given;
    taken_count <= reset ? 0 : taken_count + (fault_valid && fault_ready);
    if (given && given_count == nth) chosen <= given_fault;
  end

  // For mutants alone, whose faults lie deep: nothing but refused operations; nothing but good launches, arrivals and releases.
`ifdef FULL
  always @(*) assume (op_fault != 0 && op_kind == READ);
`endif
`ifdef LEFT
  always @(*) assume (op_fault == 0 && (op_kind == LAUNCH || op_kind == SYNC || op_kind == RELEASE) && op_live == `W && !op_saved && !op_cta);
`endif
  always @(posedge clock) if (begun) begin
    j_ready: assert (op_ready == op_ready_);
    j_release: assert ({release_valid, release_cta, release_id, release_warps, release_reduction, release_value}
      == {release_valid_, release_cta_, release_id_, release_warps_, release_reduction_, release_value_});
    j_read: assert ({read_valid, read_warp, read_value, read_predicate}
      == {read_valid_, read_warp_, read_value_, read_predicate_});
    j_tangle: assert ({tangle_valid, tangle_cta}
      == {tangle_valid_, tangle_cta_});
    j_blocked: assert (blocked == blocked_);
    j_trapped: assert (trapped == trapped_);
    j_clearing: assert (clearing == clearing_);
    j_fault: assert ({fault_valid, fault_code, fault_warp, fault_cta, fault_id}
      == {fault_valid_, fault_code_, fault_warp_, fault_cta_, fault_id_});
    if (pending != 0) f_lost: assert (fault_valid);
    if (fault_valid) f_invented: assert (pending != 0);
    if (fault_valid && taken_count == nth) f_shown: assert ({fault_code, fault_warp, fault_cta, fault_id} == chosen);
`ifdef COVER
    sums: cover (release_valid && release_reduction == POPC && release_value > `LANES && release_warps != 0);
    tangles: cover (tangle_valid);
    traps: cover (trapped != 0 && fault_valid && fault_code == 12);
    left: cover (fault_valid && fault_code == 17 && !fault_ready && clearing);
    full: cover (fault_valid && !op_ready && !clearing && !fault_ready && op_valid);
    own: cover (pending == 4 && fault_code == 17 && chosen[`LW+`LC+8:`LW+`LC+4] == 14);
    words: cover (read_valid && read_value[15:14] == 2 && read_value[31]);
    results: cover (read_valid && read_predicate);
    restored: cover (blocked != 0 && read_valid && read_value[14]);
`endif
  end
`ifdef INSIDE
`include "named_inside.vh"
`endif
endmodule
