// SPDX-License-Identifier: Apache-2.0 OR MIT
// Proves that the exported unit and the reference are equivalent: for equal and otherwise unconstrained inputs, every output is equal in
// every cycle in which it is meaningful.
`include "sizes.vh"
module cluster_equal (
`include "cluster_inputs.vh"
);
`include "cluster_unit.vh"
`include "cluster_other.vh"
  cluster_reference reference (
`include "cluster_to_other.vh"
  );
  reg begun = 0;
  always @(posedge clock) begun <= 1;
  always @(*) if (!begun) assume (reset);
  // A value that the contract rules out.
  always @(*) assume (op_fault <= 32);
  always @(posedge clock) if (begun) begin
`include "cluster_same.vh"
`ifdef COVER
    wakes: cover (release_valid && release_warps == {`W{1'b1}});
    alone: cover (release_valid && &freed);
    arrives: cover (cluster_out_valid && cluster_out_kind == 1);
    gone: cover (cluster_out_valid && cluster_out_kind == 2);
    closes: cover (closed_valid && $past(!freed[0]) && freed[0]);
    refuses: cover (fault_valid && fault_code == 31 && !fault_ready && op_valid);
    never: cover (fault_valid && fault_code == 32 && commit_refused);
`endif
  end
endmodule
