// SPDX-License-Identifier: Apache-2.0 OR MIT
`default_nettype none
`include "bcu_defs.vh"

// soft_system: HARTS soft cores, each with memory of its own, that share a memory and `bcu_axil` on one AXI4-Lite
// bus. Hart h is warp h.
//
//   0x00000000  own memory of a hart, with its program
//   0x80000000  shared memory
//   0x90000000  `bcu_axil`
//   0xa0000000  writes to the host: `host_*`
//
// Reads: nothing. Writes: `host_valid` with `host_address` and `host_data`, strobes; `error`, a strobe: `bcu_axil`
//   has refused an access; `stopped`, per hart: it has stopped at an instruction that it does not have.
module soft_system #(
  parameter HARTS = 4,
  parameter IMAGE = "barriers.hex"
) (
  input  wire             clock,
  input  wire             reset,        // Synchronous, active high.
  output wire             host_valid,
  output wire [11:0]      host_address,
  output wire [31:0]      host_data,
  output wire             error,
  output wire [HARTS-1:0] stopped
);

  localparam [3:0] SHARED = 4'h8, BCU = 4'h9, HOST = 4'ha;

  wire [HARTS-1:0]      valid, ready;
  wire [32*HARTS-1:0]   address, write_data;
  wire [4*HARTS-1:0]    strobes;
  wire [31:0]           read_data, awaddr, araddr, wdata, bcu_rdata, ram_rdata;
  wire [3:0]            wstrb;
  wire                  awvalid, awready, wvalid, wready, bready, arvalid, arready, rready, irq;
  wire                  bcu_awready, bcu_wready, bcu_bvalid, bcu_arready, bcu_rvalid;
  wire                  ram_awready, ram_wready, ram_bvalid, ram_arready, ram_rvalid;
  wire [1:0]            bcu_bresp, bcu_rresp;
  wire [`BCU_WARPS-1:0] warp_irq;

  genvar h;
  generate
    for (h = 0; h < HARTS; h = h + 1) begin : g_harts
      soft_hart #(.HART(h), .IMAGE(IMAGE)) hart (
        .clock(clock),
        .reset(reset),
        .irq(warp_irq[h]),
        .bus_valid(valid[h]),
        .bus_ready(ready[h]),
        .bus_address(address[32*h +: 32]),
        .bus_strobes(strobes[4*h +: 4]),
        .bus_write_data(write_data[32*h +: 32]),
        .bus_read_data(read_data),
        .stopped(stopped[h])
      );
    end
  endgenerate

  soft_arbiter #(.MASTERS(HARTS)) arbiter (
    .clock(clock),
    .reset(reset),
    .valid(valid),
    .ready(ready),
    .address(address),
    .strobes(strobes),
    .write_data(write_data),
    .read_data(read_data),
    .error(error),
    .m_axil_awaddr(awaddr),
    .m_axil_awvalid(awvalid),
    .m_axil_awready(awready),
    .m_axil_wdata(wdata),
    .m_axil_wstrb(wstrb),
    .m_axil_wvalid(wvalid),
    .m_axil_wready(wready),
    .m_axil_bresp(bcu_bvalid ? bcu_bresp : 2'd0),
    .m_axil_bvalid(bcu_bvalid || ram_bvalid),
    .m_axil_bready(bready),
    .m_axil_araddr(araddr),
    .m_axil_arvalid(arvalid),
    .m_axil_arready(arready),
    .m_axil_rdata(bcu_rvalid ? bcu_rdata : ram_rdata),
    .m_axil_rresp(bcu_rvalid ? bcu_rresp : 2'd0),
    .m_axil_rvalid(bcu_rvalid || ram_rvalid),
    .m_axil_rready(rready)
  );

  // The upper bits of the address select the slave. The shared memory answers a write to the host, and stores nothing.
  wire to_bcu = awaddr[31:28] == BCU, from_bcu = araddr[31:28] == BCU;
  assign awready = to_bcu ? bcu_awready : ram_awready;
  assign wready  = to_bcu ? bcu_wready : ram_wready;
  assign arready = from_bcu ? bcu_arready : ram_arready;

  bcu_axil #(.GROW(0)) barriers (
    .clock(clock),
    .reset(reset),
    .s_axil_awaddr(awaddr[11:0]),
    .s_axil_awprot(3'd0),
    .s_axil_awvalid(awvalid && to_bcu),
    .s_axil_awready(bcu_awready),
    .s_axil_wdata(wdata),
    .s_axil_wstrb(wstrb),
    .s_axil_wvalid(wvalid && to_bcu),
    .s_axil_wready(bcu_wready),
    .s_axil_bresp(bcu_bresp),
    .s_axil_bvalid(bcu_bvalid),
    .s_axil_bready(bready),
    .s_axil_araddr(araddr[11:0]),
    .s_axil_arprot(3'd0),
    .s_axil_arvalid(arvalid && from_bcu),
    .s_axil_arready(bcu_arready),
    .s_axil_rdata(bcu_rdata),
    .s_axil_rresp(bcu_rresp),
    .s_axil_rvalid(bcu_rvalid),
    .s_axil_rready(rready),
    .warp_irq(warp_irq),
    .irq(irq)
  );

  soft_ram ram (
    .clock(clock),
    .reset(reset),
    .awaddr(awaddr),
    .awvalid(awvalid && !to_bcu),
    .awready(ram_awready),
    .wdata(wdata),
    .wstrb(awaddr[31:28] == SHARED ? wstrb : 4'd0),
    .wvalid(wvalid && !to_bcu),
    .wready(ram_wready),
    .bvalid(ram_bvalid),
    .araddr(araddr),
    .arvalid(arvalid && !from_bcu),
    .arready(ram_arready),
    .rdata(ram_rdata),
    .rvalid(ram_rvalid)
  );

  assign host_valid   = awvalid && wvalid && awaddr[31:28] == HOST;
  assign host_address = awaddr[11:0];
  assign host_data    = wdata;

  wire unused = &{1'b0, warp_irq, irq};

endmodule

`default_nettype wire
