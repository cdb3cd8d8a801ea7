// SPDX-License-Identifier: Apache-2.0 OR MIT
// The common part of every checker of `named`: the unit, or its reference, with its outputs as wires, and the assumptions on its inputs.
`include "named_unit.vh"

  localparam [3:0] SYNC = 0, ARRIVE = 1, REDUCE = 2, READ = 3, WRITE = 4, EXIT = 5, LAUNCH = 6, RELEASE = 7, FENCE = 8;
  localparam [1:0] AND = 1, OR = 2, POPC = 3;

  // Nothing is assumed before the first reset: every proof begins with one cycle of reset, from any state.
  reg begun = 0;
  always @(posedge clock) begun <= 1;
  always @(*) if (!begun) assume (reset);
  // Values of enumerations that the contract rules out.
  always @(*) begin
    assume (op_kind <= FENCE);
    assume (op_fault <= 32);
    assume (op_redop != 3);
    assume (op_state <= (op_kind == WRITE ? 1 : 2));
  end
  // An operation that names a CTA slot that is not built has the fault `not_resident`.
  wire [5:0] in_fault = op_fault == 0 && op_cta >= `C ? 6'd1 : op_fault;
  wire take = op_valid && op_ready && !reset;
