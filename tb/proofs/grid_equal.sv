// SPDX-License-Identifier: Apache-2.0 OR MIT
// Proves that the exported unit and the reference are equivalent: for equal and otherwise unconstrained inputs, every output is equal in
// every cycle in which it is meaningful.
`include "sizes.vh"
module grid_equal (
`include "grid_inputs.vh"
);
`include "grid_unit.vh"
`include "grid_other.vh"
  grid_reference reference (
`include "grid_to_other.vh"
  );
  reg begun = 0;
  always @(posedge clock) begun <= 1;
  always @(*) if (!begun) assume (reset);
  // A value that the contract rules out.
  always @(*) assume (op_fault <= 32);
  always @(posedge clock) if (begun) begin
`include "grid_same.vh"
`ifdef COVER
    wakes: cover (release_valid && release_warps == {`W{1'b1}});
    issues: cover (grid_out_valid && grid_out_kind == 0 && !ended[0]);
    ends: cover (grid_out_valid && grid_out_kind == 1 && grid_out_ready);
    refuses: cover (fault_valid && !op_ready && op_valid);
    both: cover (release_valid && waiting != 0);
`endif
  end
endmodule
