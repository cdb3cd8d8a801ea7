// SPDX-License-Identifier: Apache-2.0 OR MIT
// Proves that the exported unit and the reference are equivalent: for equal and otherwise unconstrained inputs, every output is equal in
// every cycle in which it is meaningful.
`include "sizes.vh"
module cluster_hub_equal (
`include "cluster_hub_inputs.vh"
);
`include "cluster_hub_unit.vh"
`include "cluster_hub_other.vh"
  cluster_hub_reference reference (
`include "cluster_hub_to_other.vh"
  );
  reg begun = 0;
  always @(posedge clock) begun <= 1;
  always @(*) if (!begun) assume (reset);
  always @(posedge clock) if (begun) begin
`include "cluster_hub_same.vh"
`ifdef COVER
    one: cover (to_0_valid && !to_1_valid && to_0_kind == 0);
    both: cover (to_0_valid && to_1_valid && to_0_kind == 0);
    closes: cover (to_0_valid && to_0_kind == 1 && $past(to_0_valid && to_0_kind == 0));
`endif
  end
`ifdef INSIDE
`include "cluster_hub_inside.vh"
`endif
endmodule
