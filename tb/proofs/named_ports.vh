// SPDX-License-Identifier: Apache-2.0 OR MIT
// The unit itself, or its reference, with its outputs as wires, and what is assumed of its inputs: the inside of every checker of `named`.
`include "named_unit.vh"

  localparam [3:0] SYNC = 0, ARRIVE = 1, REDUCE = 2, READ = 3, WRITE = 4, EXIT = 5, LAUNCH = 6, RELEASE = 7, FENCE = 8;
  localparam [1:0] AND = 1, OR = 2, POPC = 3;

  // Before the first reset nothing is promised: every proof begins with a cycle of it, from any state.
  reg begun = 0;
  always @(posedge clock) begun <= 1;
  always @(*) if (!begun) assume (reset);
  // A place of an enumeration that the contract rules out.
  always @(*) begin
    assume (op_kind <= FENCE);
    assume (op_fault <= 32);
    assume (op_redop != 3);
    assume (op_state <= (op_kind == WRITE ? 1 : 2));
  end
  // Who names a slot that is not built is not resident.
  wire [5:0] in_fault = op_fault == 0 && op_cta >= `C ? 6'd1 : op_fault;
  wire take = op_valid && op_ready && !reset;
