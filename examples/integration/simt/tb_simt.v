// SPDX-License-Identifier: Apache-2.0 OR MIT
`default_nettype none
`include "bcu_defs.vh"

// tb_simt: the core with one of the fronts runs the programs of `programs.s`; `simt_check` has the bench. A macro
// selects the front; without one it is `simt_named`. Each front runs the programs whose barriers it has: those
// without a count, with phases, with one barrier at a time.
`ifdef SIMT_COUNTED
`define SIMT_FRONT simt_counted
`define SIMT_PROGRAMS 5'b01011
`elsif SIMT_PHASE
`define SIMT_FRONT simt_phase
`define SIMT_PROGRAMS 5'b11011
`elsif SIMT_CTA
`define SIMT_FRONT simt_cta
`define SIMT_PROGRAMS 5'b00101
`elsif SIMT_UNCHECKED
`define SIMT_FRONT simt_unchecked
`define SIMT_PROGRAMS 5'b01111
`elsif SIMT_SIMPLE
`define SIMT_FRONT simt_simple
`define SIMT_PROGRAMS 5'b01111
`else
`define SIMT_FRONT simt_named
`define SIMT_PROGRAMS 5'b01111
`endif

module tb_simt #(
  parameter PROGRAM = "programs.hex"
);

  localparam AW = $clog2(4 * `BCU_WARPS * `BCU_LANES);

  wire          clock, reset, ready, start, idle, wrong;
  wire [6:0]    entry;
  wire [AW-1:0] peek_address;
  wire [31:0]   peek_data;
  wire [159:0]  counters;

  `SIMT_FRONT #(.PROGRAM(PROGRAM)) dut (
    .clock(clock),
    .reset(reset),
    .ready(ready),
    .start(start),
    .entry(entry),
    .idle(idle),
    .peek_address(peek_address),
    .peek_data(peek_data),
    .counters(counters),
    .wrong(wrong)
  );

  simt_check #(.PROGRAMS(`SIMT_PROGRAMS)) check (
    .clock(clock),
    .reset(reset),
    .ready(ready),
    .start(start),
    .entry(entry),
    .idle(idle),
    .peek_address(peek_address),
    .peek_data(peek_data),
    .counters(counters),
    .wrong(wrong)
  );

endmodule

`default_nettype wire
