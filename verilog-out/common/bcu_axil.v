// SPDX-License-Identifier: Apache-2.0 OR MIT
// verilator lint_off TIMESCALEMOD
`default_nettype none
`include "bcu_defs.vh"

// bcu_axil: named barriers for soft cores on a bus: an AXI4-Lite slave around `bcu_registers`, in whose header the map
// is. That contains `bcu_simple`, and that `bcu_named`; sizes are those of `bcu_defs.vh`.
//
// Reads: the channels of the bus.
// Writes: their answers, `warp_irq` and `irq`, which are levels.
// Latency: `bvalid` comes 2 cycles behind the later of the transfers of AW and W, `rvalid` 2 cycles behind that of AR. A write
//   has its effect in the cycle before `bvalid`, and a read that begins behind `bvalid` sees it. If the user is always
//   ready, there is a write, and a read, every 2 cycles. A warp whose line is enabled has `warp_irq` 4 cycles behind `bvalid`
//   of the arrival that completes its barrier, if nothing else is queued in `bcu_simple`.
//
// The bus. AW and W are taken in any order, one write and one read are under way at a time, and each is answered whatever
// the other does. Reads change nothing. Words have 32 bits, and the lowest two bits of an address are ignored. A write
// takes effect if all four of its strobes are 1. With none of them it has no effect and is answered OKAY, as a bridge from
// a wider bus makes such writes beside a true one; with some of them it has no effect and is answered SLVERR. SLVERR is
// the answer to all that `bcu_registers` refuses. `prot` is ignored.
module bcu_axil #(
  // These are of the export; they may be stated, and are compared with it.
  parameter WARPS    = `BCU_WARPS,
  parameter LANES    = `BCU_LANES,
  parameter CTAS     = `BCU_CTAS,
  parameter BARRIERS = `BCU_BARRIERS,
  parameter GROW     = 1   // 1: warps can join a CTA that runs, and OPEN is there.
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
  output wire [WARPS-1:0] warp_irq,        // Per warp: WAKE or REFUSED, if it is enabled.
  output wire             irq              // One of them, or a fault that is held, if CONTROL enables it.
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
    .clock(clock), .reset(reset), .write_valid(writes), .write_word(aw_word_q), .write_data(w_data_q), .write_taken(taken),
    .read_word(ar_word_q), .read_there(there), .read_data(data), .warp_irq(warp_irq), .irq(irq)
  );

  // Bits of the bus that mean nothing here.
  wire unused = &{1'b0, s_axil_awprot, s_axil_arprot, s_axil_awaddr[1:0], s_axil_araddr[1:0]};

endmodule

`default_nettype wire
// verilator lint_on TIMESCALEMOD
