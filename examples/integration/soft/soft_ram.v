// SPDX-License-Identifier: Apache-2.0 OR MIT
`default_nettype none

// soft_ram: shared memory as an AXI4-Lite slave for one access at a time, as `soft_arbiter` performs them. Every
// access is accepted.
//
// Reads: AW, W and AR; the master takes B and R at once.
// Writes: B and R. Latency: 1 cycle from the later of AW and W to B, and from AR to R.
module soft_ram #(
  parameter WORDS = 256  // A power of two.
) (
  input  wire        clock,
  input  wire        reset,
  input  wire [31:0] awaddr,
  input  wire        awvalid,
  output wire        awready,
  input  wire [31:0] wdata,
  input  wire [3:0]  wstrb,
  input  wire        wvalid,
  output wire        wready,
  output reg         bvalid,
  input  wire [31:0] araddr,
  input  wire        arvalid,
  output wire        arready,
  output reg  [31:0] rdata,
  output reg         rvalid
);

  localparam AW = $clog2(WORDS);

  reg  [31:0]   memory [0:WORDS-1];
  wire          writes = awvalid && wvalid;
  wire [AW-1:0] word   = writes ? awaddr[2 +: AW] : araddr[2 +: AW];

  integer i;
  always @(posedge clock) begin
    bvalid <= !reset && writes;
    rvalid <= !reset && arvalid;
    rdata  <= memory[word];
    for (i = 0; i < 4; i = i + 1)
      if (writes && wstrb[i]) memory[word][8*i +: 8] <= wdata[8*i +: 8];
  end

  assign awready = writes;
  assign wready  = writes;
  assign arready = 1'b1;

  wire unused = &{1'b0, awaddr, araddr};

endmodule

`default_nettype wire
