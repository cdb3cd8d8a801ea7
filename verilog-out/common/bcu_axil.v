// SPDX-License-Identifier: Apache-2.0 OR MIT
// verilator lint_off TIMESCALEMOD
`default_nettype none
`include "bcu_defs.vh"

// bcu_axil: named barriers for soft cores on a bus: an AXI4-Lite slave around `bcu_registers`, whose header has the
// register map. `bcu_registers` contains `bcu_simple`, which contains `bcu_named`; the sizes are those of
// `bcu_defs.vh`.
//
// Reads: AW, W and AR, and the ready signals of B and R.
// Writes: B and R, the ready signals of AW, W and AR, and the levels `warp_irq` and `irq`.
// Latency: `bvalid` is 1 from 2 cycles after the later of the transfers of AW and W, `rvalid` from 2 cycles after
//   that of AR. A write takes effect in the cycle before `bvalid`, and a read that begins after `bvalid` returns the
//   new value. If the master is always ready, a write and a read complete every 2 cycles. If the interrupt line of a
//   warp is enabled, it is 1 from 4 cycles after the `bvalid` of the arrival that completes the warp's barrier, if
//   nothing else is queued in `bcu_simple`.
//
// The bus. AW and W are accepted in any order. The slave performs one write and one read at a time, each independent
// of the other. Reads have no side effects. Words have 32 bits, and the lowest two bits of an address are ignored. A
// write takes effect if all four write strobes are 1. A write with no strobe has no effect and gets the response
// OKAY, since a bridge from a wider bus produces such writes beside a real one. A write with one to three strobes has
// no effect and gets SLVERR. Every access that `bcu_registers` refuses gets SLVERR as well. `prot` is ignored.
module bcu_axil #(
  // Sizes of the export. An instance may set them; a value that differs from the export is an error.
  parameter WARPS    = `BCU_WARPS,
  parameter LANES    = `BCU_LANES,
  parameter CTAS     = `BCU_CTAS,
  parameter BARRIERS = `BCU_BARRIERS,
  parameter GROW     = 1   // 1: warps can join a running CTA, and the register OPEN is built.
) (
  input  wire             clock,
  input  wire             reset,           // Synchronous, active high: the inverse of `aresetn`.
  input  wire [11:0]      s_axil_awaddr,
  input  wire [2:0]       s_axil_awprot,
  input  wire             s_axil_awvalid,
  output wire             s_axil_awready,
  input  wire [31:0]      s_axil_wdata,
  input  wire [3:0]       s_axil_wstrb,
  input  wire             s_axil_wvalid,
  output wire             s_axil_wready,
  output wire [1:0]       s_axil_bresp,
  output wire             s_axil_bvalid,
  input  wire             s_axil_bready,
  input  wire [11:0]      s_axil_araddr,
  input  wire [2:0]       s_axil_arprot,
  input  wire             s_axil_arvalid,
  output wire             s_axil_arready,
  output wire [31:0]      s_axil_rdata,
  output wire [1:0]       s_axil_rresp,
  output wire             s_axil_rvalid,
  input  wire             s_axil_rready,
  output wire [WARPS-1:0] warp_irq,        // Per warp: its bit in WAKE or REFUSED is 1, and its line is enabled.
  // A bit of `warp_irq` is 1, or FAULT holds a fault and CONTROL enables its interrupt.
  output wire             irq
);

  reg         aw_valid_q, w_valid_q, b_valid_q, b_error_q, ar_valid_q, r_valid_q, r_error_q;
  reg  [9:0]  aw_word_q, ar_word_q;
  reg  [31:0] w_data_q, r_data_q;
  reg  [3:0]  w_strb_q;

  wire        performs = aw_valid_q && w_valid_q && !b_valid_q;
  wire        writes   = performs && &w_strb_q;
  wire        reads    = ar_valid_q && !r_valid_q;
  wire        taken, there;
  wire [31:0] data;

  always @(posedge clock) begin
    if (reset) begin
      aw_valid_q <= 1'b0;
      w_valid_q  <= 1'b0;
      b_valid_q  <= 1'b0;
      ar_valid_q <= 1'b0;
      r_valid_q  <= 1'b0;
    end else begin
      aw_valid_q <= performs ? 1'b0 : aw_valid_q || s_axil_awvalid;
      w_valid_q  <= performs ? 1'b0 : w_valid_q || s_axil_wvalid;
      b_valid_q  <= performs || (b_valid_q && !s_axil_bready);
      ar_valid_q <= reads ? 1'b0 : ar_valid_q || s_axil_arvalid;
      r_valid_q  <= reads || (r_valid_q && !s_axil_rready);
    end
    if (s_axil_awready)
      aw_word_q <= s_axil_awaddr[11:2];
    if (s_axil_wready) begin
      w_data_q <= s_axil_wdata;
      w_strb_q <= s_axil_wstrb;
    end
    if (s_axil_arready)
      ar_word_q <= s_axil_araddr[11:2];
    if (performs)
      b_error_q <= |w_strb_q && !(writes && taken);
    if (reads) begin
      r_error_q <= !there;
      r_data_q  <= data;
    end
  end

  assign s_axil_awready = !aw_valid_q;
  assign s_axil_wready  = !w_valid_q;
  assign s_axil_bvalid  = b_valid_q;
  assign s_axil_bresp   = {b_error_q, 1'b0};
  assign s_axil_arready = !ar_valid_q;
  assign s_axil_rvalid  = r_valid_q;
  assign s_axil_rresp   = {r_error_q, 1'b0};
  assign s_axil_rdata   = r_data_q;

  bcu_registers #(.WARPS(WARPS), .LANES(LANES), .CTAS(CTAS), .BARRIERS(BARRIERS), .GROW(GROW)) registers (
    .clock(clock),
    .reset(reset),
    .write_valid(writes),
    .write_word(aw_word_q),
    .write_data(w_data_q),
    .write_taken(taken),
    .read_word(ar_word_q),
    .read_there(there),
    .read_data(data),
    .warp_irq(warp_irq),
    .irq(irq)
  );

  // Bits of the bus that the slave ignores.
  wire unused = &{1'b0, s_axil_awprot, s_axil_arprot, s_axil_awaddr[1:0], s_axil_araddr[1:0]};

endmodule

`default_nettype wire
// verilator lint_on TIMESCALEMOD
