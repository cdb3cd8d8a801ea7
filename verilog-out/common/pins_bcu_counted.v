// SPDX-License-Identifier: Apache-2.0 OR MIT
// verilator lint_off TIMESCALEMOD
`default_nettype none
`include "bcu_defs.vh"

// pins_bcu_counted: `bcu_counted` between registers and a few pins, for a figure of its clock. A shift register drives every input, and
// registers fold the outputs, four bits each, so every path of the module is between registers.
//
// Parameters: those of `bcu_counted`. Used by the commands of docs/guide/integrate.md.
module pins_bcu_counted #(
  parameter ID_BITS = 4, STOP = 0, DETECT = 0, LATENCY = 3
) (
  input  wire clock,
  input  wire in,
  output reg  out
);

  localparam WARPS = `BCU_WARPS, LW = `BCU_LW;
  localparam FED = 2 + WARPS + 2 * LW + ID_BITS, READ = 4 + 6 + WARPS + LW + 2 * ID_BITS, FOLDED = (READ + 3) / 4;

  reg  [FED-1:0]    feed;
  wire [READ-1:0]   read;
  wire [4*FOLDED-1:0] padded = {{(4*FOLDED-READ){1'b0}}, read};
  reg  [FOLDED-1:0] folded;

  bcu_counted #(.WARPS(WARPS), .ID_BITS(ID_BITS), .STOP(STOP), .DETECT(DETECT), .LATENCY(LATENCY)) unit (
    .clock(clock), .reset(feed[0]), .req_valid(feed[1]), .live(feed[2 +: WARPS]), .req_warp(feed[2+WARPS +: LW]),
    .req_size_m1(feed[2+WARPS+LW +: LW]), .req_id(feed[2+WARPS+2*LW +: ID_BITS]), .ready(read[0]), .unlock_valid(read[1]),
    .fault_valid(read[2]), .hang(read[3]), .fault_code(read[9:4]), .unlock_mask(read[10 +: WARPS]), .fault_warp(read[10+WARPS +: LW]),
    .unlock_id(read[10+WARPS+LW +: ID_BITS]), .fault_id(read[10+WARPS+LW+ID_BITS +: ID_BITS]));

  integer i;
  always @(posedge clock) begin
    feed <= {feed[FED-2:0], in};
    for (i = 0; i < FOLDED; i = i + 1) folded[i] <= ^padded[4*i +: 4];
    out <= ^folded;
  end

endmodule

`default_nettype wire
// verilator lint_on TIMESCALEMOD
