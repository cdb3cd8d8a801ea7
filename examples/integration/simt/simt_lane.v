// SPDX-License-Identifier: Apache-2.0 OR MIT
`default_nettype none
`include "simt_isa.vh"

// simt_lane: one lane of `simt_core`: registers and predicates of this lane for all warps, and its arithmetic.
//
// Reads: the instruction in the execute stage; `done` in the cycle in which it writes its result; `load_write` with a
// loaded word.
// Writes: `active`, the lane takes part in the instruction; `predicate`; `address` and `store_data` of a memory access.
// Latency: outputs are combinational; a result is written at the end of the cycle.
module simt_lane #(
  parameter WARPS = 8,
  parameter LANES = 4,
  parameter LANE  = 0,
  // This parameter is derived and must not be set.
  parameter LW = WARPS > 4 ? $clog2(WARPS) : 2
) (
  input  wire          clock,
  input  wire [LW-1:0] warp,
  input  wire [31:0]   instruction,
  input  wire          token,       // Result of an arrival.
  input  wire          done,
  input  wire          load_write,  // Strobe: `load_data` is the word that the lane loads.
  input  wire [31:0]   load_data,
  output wire          active,
  output wire          predicate,
  output wire [31:0]   address,
  output wire [31:0]   store_data
);

  reg  [31:0]      registers_q [0:8*WARPS-1];
  reg  [WARPS-1:0] predicates_q;

  wire [3:0]  op     = instruction[31:28];
  wire [2:0]  rd     = instruction[26:24], ra = instruction[23:21], rb = instruction[20:18];
  wire [31:0] imm    = {{16{instruction[15]}}, instruction[15:0]};
  wire [31:0] a      = ra == 3'd0 ? 32'd0 : registers_q[{warp, ra}];
  wire [31:0] b      = rb == 3'd0 ? 32'd0 : registers_q[{warp, rb}];
  wire [31:0] thread = {{(32-LW){1'b0}}, warp} * LANES + LANE;

  reg  [31:0] result;
  always @*
    case (op)
      `SIMT_ADD: result = a + b + imm;
      `SIMT_SUB: result = a - b + imm;
      `SIMT_SHR: result = a >> imm[4:0];
      `SIMT_TID: result = thread;
      default:   result = {31'd0, token};
    endcase

  wire computes = op == `SIMT_ADD || op == `SIMT_SUB || op == `SIMT_SHR || op == `SIMT_TID
                  || (op == `SIMT_BAR && instruction[17:16] == 2'd0);

  always @(posedge clock) begin
    if (active && ((done && computes) || load_write)) registers_q[{warp, rd}] <= load_write ? load_data : result;
    if (done && op == `SIMT_SLT) predicates_q[warp] <= $signed(a) < $signed(b + imm);
  end

  assign predicate  = predicates_q[warp];
  assign active     = !instruction[27] || predicate;
  assign address    = a + imm;
  assign store_data = b;

endmodule

`default_nettype wire
