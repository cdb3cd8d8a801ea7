// SPDX-License-Identifier: Apache-2.0 OR MIT
// Proves that the exported unit and the reference are equivalent: for equal and otherwise unconstrained inputs, every output is equal in
// every cycle in which it is meaningful.
`include "sizes.vh"
module gateway_equal (
`include "gateway_inputs.vh"
);
`include "gateway_unit.vh"
`include "gateway_other.vh"
  gateway_reference reference (
`include "gateway_to_other.vh"
  );
  reg begun = 0;
  always @(posedge clock) begun <= 1;
  always @(*) if (!begun) assume (reset);
  // Values that the contract rules out.
  always @(*) assume (op_kind <= 5 && op_fault <= 40);
  always @(posedge clock) if (begun) begin
`include "gateway_same.vh"
`ifdef COVER
    at_once: cover (release_valid && release_notified == 0 && !reset);
    wakes: cover (release_valid && release_warps == 6 && release_notified == 7);
    left: cover (fault_valid && fault_code == 17 && fault_id == 3 && !fault_ready);
    lost: cover (fault_valid && fault_code == 39 && commit_refused);
    again: cover (release_valid && $past(release_valid));
`endif
  end
`ifdef INSIDE
`include "gateway_inside.vh"
`endif
endmodule
