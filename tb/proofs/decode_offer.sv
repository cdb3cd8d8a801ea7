// SPDX-License-Identifier: Apache-2.0 OR MIT
// Refusals by `decode`: if a warp may issue in the first cycle of its offer, changes of `blocked` and `full` between this cycle and the
// transfer cause no refusal, as docs/contract/decode.md states.
`include "sizes.vh"
module decode_offer (
`include "decode_inputs.vh"
);
`include "decode_unit.vh"
  localparam [5:0] NOT_RESIDENT = 1, WARP_BLOCKED = 2;
  reg begun = 0;
  always @(posedge clock) begun <= 1;
  always @(*) if (!begun) assume (reset);

  // Interface assumption: an offer holds until it is taken.
  reg offered = 0;
  reg [`LW-1:0] offered_warp;
  always @(posedge clock) begin
    offered <= instr_valid && !op_ready && !reset;
    offered_warp <= instr_warp;
  end
  always @(*) if (begun && offered && !reset) assume (instr_valid && instr_warp == offered_warp);

  // `at_offer`: whether the warp was full, and whether it was blocked, in the first cycle of its offer. `first` and `second` hold both bits
  // for the instructions in the unit's two registers.
  reg [1:0] at_offer;
  wire [1:0] now = offered ? at_offer : {full[instr_warp], blocked[instr_warp]};
  reg [1:0] first, second;
  reg first_valid, second_valid, first_live, second_live;
  always @(posedge clock) begin
    at_offer <= now;
    if (op_ready) begin
      {first, first_valid, first_live} <= {now, instr_valid, live[instr_warp]};
      {second, second_valid, second_live} <= {first, first_valid, first_live};
    end
    if (reset) {first_valid, second_valid} <= 0;
  end
  always @(posedge clock) if (begun) begin
    d_taken: assert (!op_valid || second_valid);
    d_allowed: assert (!op_valid || second != 0 || op_fault != WARP_BLOCKED);
    d_refused: assert (!second_valid || second != 3 || (op_valid && op_fault == (second_live ? WARP_BLOCKED : NOT_RESIDENT)));
`ifdef COVER
    becomes_blocked: cover (op_valid && op_fault == 0 && $past(offered && blocked[instr_warp] && op_ready, 2));
    waits: cover (op_valid && second == 3 && $past(offered && !blocked[instr_warp] && !full[instr_warp] && op_ready, 2));
`endif
  end
endmodule
