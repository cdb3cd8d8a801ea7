// SPDX-License-Identifier: Apache-2.0 OR MIT
`default_nettype none
`include "bcu_defs.vh"

// tb_simt_phase: `simt_phase` runs the programs of `programs.s`; `simt_check` has the bench.
module tb_simt_phase #(
  parameter PROGRAM = "programs.hex"
);

  localparam AW = $clog2(4 * `BCU_WARPS * `BCU_LANES);

  wire          clock, reset, ready, start, idle, wrong;
  wire [6:0]    entry;
  wire [AW-1:0] peek_address;
  wire [31:0]   peek_data;
  wire [159:0]  counters;

  simt_phase #(.PROGRAM(PROGRAM)) dut (
    .clock(clock), .reset(reset), .ready(ready), .start(start), .entry(entry), .idle(idle), .peek_address(peek_address), .peek_data(peek_data),
    .counters(counters), .wrong(wrong));

  simt_check #(.PROGRAMS(5'b11011)) check (
    .clock(clock), .reset(reset), .ready(ready), .start(start), .entry(entry), .idle(idle), .peek_address(peek_address), .peek_data(peek_data),
    .counters(counters), .wrong(wrong));

endmodule

`default_nettype wire
