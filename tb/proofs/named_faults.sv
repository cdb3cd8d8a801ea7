// SPDX-License-Identifier: Apache-2.0 OR MIT
// Faults found upstream, and faults of operations that name an unbuilt slot, pass through `named` in order. The solver chooses two such
// faults, `one` and `other`, and the checker counts how often each enters and leaves. `named` reports these codes for no other reason, so
// every fault with such a code at the output has entered before.
`include "sizes.vh"
module named_faults (
`include "named_inputs.vh"
);
`include "named_ports.vh"
  (* anyconst *) reg [`LW+`LC+9:0] one, other;
  wire [5:0] one_code = one[5:0], other_code = other[5:0];
  wire [63:0] upstream = (1 << 1) | (1 << 2) | (1 << 3) | (1 << 4) | (1 << 7) | (1 << 8) | (1 << 18);
  always @(*) assume (upstream[one_code] && upstream[other_code] && one != other);

  wire [`LW+`LC+9:0] given = {op_warp, op_cta, op_id, in_fault};
  wire [`LW+`LC+9:0] shown = {fault_warp, fault_cta, fault_id, fault_code};
  wire given_one = take && given == one, given_other = take && given == other;
  wire shown_one = fault_valid && shown == one, shown_other = fault_valid && shown == other;
  wire pop = fault_valid && fault_ready;

  reg [2:0] ones = 0, others = 0;
  // A fault equal to `one` was transferred in before a fault equal to `other`, and both are in flight.
  reg behind = 0;
  reg [`EFFECT_LONG:0] recent = 0;
  always @(posedge clock) begin
    ones <= ones + given_one - (shown_one && pop);
    others <= others + given_other - (shown_other && pop);
    behind <= (behind || (given_other && ones != 0 && others == 0)) && !(shown_one && pop);
    recent <= {recent[`EFFECT_LONG-1:0], take};
    if (reset) begin
      ones <= 0; others <= 0; behind <= 0; recent <= 0;
    end
  end
  // The order is checked for one pair at a time: while `behind` is 1, neither fault enters again.
  always @(*) if (behind) assume (!given_one && !given_other);
  always @(*) if (ones != 0) assume (!given_one);

  always @(posedge clock) if (begun && !reset) begin
    if (shown_one) f_invented: assert (ones != 0);
    if (ones != 0 && !fault_valid) f_lost: assert (recent[`EFFECT_LONG-1:0] != 0);
    if (behind) f_order: assert (!shown_other);
`ifdef COVER
    overtakes: cover (behind && shown_one && pop);
    waits: cover (shown_one && !fault_ready && behind && !op_ready);
`endif
  end
endmodule
