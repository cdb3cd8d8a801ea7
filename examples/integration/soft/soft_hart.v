// SPDX-License-Identifier: Apache-2.0 OR MIT
`default_nettype none

// soft_hart: a `soft_core` with memory of its own, which has its program, data and stack, at address 0; other
// addresses are on the bus.
//
// Reads: `irq`; `bus_ready` with `bus_read_data`.
// Writes: `bus_*`, an access to an address with bit 31 = 1, which holds until `bus_ready`; `stopped`.
// Latency: an access to the own memory takes 2 cycles.
module soft_hart #(
  parameter HART  = 0,
  parameter WORDS = 512,            // Words of the own memory, a power of two.
  parameter IMAGE = "barriers.hex"  // Its contents, for $readmemh.
) (
  input  wire        clock,
  input  wire        reset,
  input  wire        irq,
  output wire        bus_valid,
  input  wire        bus_ready,
  output wire [31:0] bus_address,
  output wire [3:0]  bus_strobes,
  output wire [31:0] bus_write_data,
  input  wire [31:0] bus_read_data,
  output wire        stopped
);

  localparam AW = $clog2(WORDS);

  reg  [31:0]   memory [0:WORDS-1];
  initial $readmemh(IMAGE, memory);

  wire          valid, ready;
  reg           own_ready_q;
  reg  [31:0]   own_data_q;
  wire [AW-1:0] word = bus_address[2 +: AW];
  wire          own  = valid && !bus_address[31];

  soft_core #(.HART(HART)) core (
    .clock(clock),
    .reset(reset),
    .irq(irq),
    .mem_valid(valid),
    .mem_ready(ready),
    .mem_address(bus_address),
    .mem_strobes(bus_strobes),
    .mem_write_data(bus_write_data),
    .mem_read_data(bus_address[31] ? bus_read_data : own_data_q),
    .stopped(stopped)
  );

  integer i;
  always @(posedge clock) begin
    own_ready_q <= !reset && own && !own_ready_q;
    own_data_q  <= memory[word];
    for (i = 0; i < 4; i = i + 1)
      if (own && bus_strobes[i]) memory[word][8*i +: 8] <= bus_write_data[8*i +: 8];
  end

  assign bus_valid = valid && bus_address[31];
  assign ready     = bus_address[31] ? bus_ready : own_ready_q;

endmodule

`default_nettype wire
