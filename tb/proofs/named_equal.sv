// SPDX-License-Identifier: Apache-2.0 OR MIT
// Proves that the exported unit and the reference are equivalent: for equal and otherwise unconstrained inputs, every output is equal in
// every cycle in which it is meaningful.
`include "sizes.vh"
module named_equal (
`include "named_inputs.vh"
);
`include "named_ports.vh"
`include "named_other.vh"
  wire given;
  wire [`LW+`LC+10:0] given_fault;
  named_reference reference (
`include "named_to_other.vh"
    , .given(given), .given_fault(given_fault)
  );

  // Every fault is counted when it arises and when it is taken. The solver chooses one fault by its number; the checker stores this fault
  // and compares it with the output.
  (* anyconst *) reg [3:0] nth;
  reg [3:0] given_count = 0, taken_count = 0;
  reg [`LW+`LC+10:0] chosen = 0;
  wire [3:0] pending = given_count - taken_count;
  always @(posedge clock) begin
    given_count <= reset ? 0 : given_count + given;
    taken_count <= reset ? 0 : taken_count + (fault_valid && fault_ready);
    if (given && given_count == nth) chosen <= given_fault;
  end

  // Two restrictions for mutants whose faults need many cycles. `FULL`: only refused operations. `LEFT`: only valid launches, arrivals and
  // releases of CTA slot 0.
`ifdef FULL
  always @(*) assume (op_fault != 0 && op_kind == READ);
`endif
`ifdef LEFT
  always @(*) assume (op_fault == 0 && (op_kind == LAUNCH || op_kind == SYNC || op_kind == RELEASE) && op_live == `W && !op_saved && !op_cta);
`endif
  always @(posedge clock) if (begun) begin
`include "named_same.vh"
    if (pending != 0) f_lost: assert (fault_valid);
    if (fault_valid) f_invented: assert (pending != 0);
    if (fault_valid && taken_count == nth) f_shown: assert ({fault_code, fault_has_warp, fault_warp, fault_cta, fault_id} == chosen);
`ifdef COVER
    sums: cover (release_valid && release_reduction == POPC && release_value > `LANES && release_warps != 0);
    implicit_conflicts: cover (implicit_conflict_valid);
    traps: cover (commit_valid && commit_refused && fault_valid && fault_code == 12);
    left: cover (fault_valid && fault_code == 17 && !fault_ready && clearing);
    full: cover (fault_valid && !op_ready && !clearing && !fault_ready && op_valid);
    own: cover (pending == 4 && fault_code == 17 && chosen[`LW+`LC+10:`LW+`LC+5] == 14);
    words: cover (read_valid && read_value[15:14] == 2 && read_value[31]);
    results: cover (read_valid && read_predicate);
    restored: cover (waiting != 0 && read_valid && read_value[14]);
`endif
  end
`ifdef INSIDE
`include "named_inside.vh"
`endif
endmodule
