// SPDX-License-Identifier: Apache-2.0 OR MIT
// Proves that the exported unit and the reference are equivalent: for equal and otherwise unconstrained inputs, every output is equal in
// every cycle in which it is meaningful.
`include "sizes.vh"
module grid_hub_equal (
`include "grid_hub_inputs.vh"
);
`include "grid_hub_unit.vh"
`include "grid_hub_other.vh"
  grid_hub_reference reference (
`include "grid_hub_to_other.vh"
  );
  reg begun = 0;
  always @(posedge clock) begun <= 1;
  always @(*) if (!begun) assume (reset);
  always @(posedge clock) if (begun) begin
`include "grid_hub_same.vh"
`ifdef COVER
    ready: cover (to_0_valid && to_0_kind == 1);
    early: cover (may_launch == 3 && open_grids == 3);
    flushes: cover (flush_valid && !flush_ready);
    waits: cover (flushed_grids == 1 && open_grids == 2 && $past(may_launch[1]) == 0);
`endif
  end
`ifdef INSIDE
`include "grid_hub_inside.vh"
`endif
endmodule
