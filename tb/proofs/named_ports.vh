// SPDX-License-Identifier: Apache-2.0 OR MIT
// Inputs free, outputs as wires, the unit itself: the inside of every checker of `named`.
  wire op_ready, release_valid, read_valid, read_predicate, tangle_valid, clearing, fault_valid;
  wire [`LC-1:0] release_cta, tangle_cta, fault_cta;
  wire [3:0] release_id, fault_id;
  wire [`W-1:0] release_warps, blocked, trapped;
  wire [1:0] release_reduction;
  wire [11:0] release_value;
  wire [`LW-1:0] read_warp, fault_warp;
  wire [31:0] read_value;
  wire [4:0] fault_code;

`ifdef REFERENCE
  named_reference dut (
`else
  bcu_named dut (
`endif
    .clock(clock), .reset(reset),
    .op_valid(op_valid), .op_ready(op_ready), .op_kind(op_kind), .op_fault(op_fault), .op_uniform(op_uniform),
    .op_warp(op_warp), .op_cta(op_cta), .op_id(op_id), .op_count(op_count), .op_redop(op_redop), .op_value(op_value),
    .op_state(op_state), .op_data(op_data), .op_warps(op_warps), .op_live(op_live), .op_barriers(op_barriers),
    .op_mask(op_mask), .op_saved(op_saved), .fault_policy(fault_policy),
    .release_valid(release_valid), .release_cta(release_cta), .release_id(release_id), .release_warps(release_warps),
    .release_reduction(release_reduction), .release_value(release_value),
    .read_valid(read_valid), .read_warp(read_warp), .read_value(read_value), .read_predicate(read_predicate),
    .tangle_valid(tangle_valid), .tangle_cta(tangle_cta), .blocked(blocked), .trapped(trapped), .clearing(clearing),
    .fault_valid(fault_valid), .fault_ready(fault_ready), .fault_code(fault_code), .fault_warp(fault_warp),
    .fault_cta(fault_cta), .fault_id(fault_id)
  );

  localparam [2:0] SYNC = 0, ARRIVE = 1, REDUCE = 2, READ = 3, WRITE = 4, EXIT = 5, LAUNCH = 6, RELEASE = 7;
  localparam [1:0] AND = 1, OR = 2, POPC = 3;

  // Before the first reset nothing is promised: every proof begins with a cycle of it, from any state.
  reg begun = 0;
  always @(posedge clock) begun <= 1;
  always @(*) if (!begun) assume (reset);
  // A place of an enumeration that the contract rules out.
  always @(*) begin
    assume (op_fault <= 18);
    assume (op_redop != 3);
    assume (op_state <= (op_kind == WRITE ? 1 : 2));
    assume (fault_policy != 3);
  end
  wire take = op_valid && op_ready && !reset;
