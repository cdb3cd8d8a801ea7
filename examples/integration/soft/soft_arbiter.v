// SPDX-License-Identifier: Apache-2.0 OR MIT
`default_nettype none

// soft_arbiter: several masters on one AXI4-Lite bus, one access at a time, in turn.
//
// Reads: the accesses of the masters, each of which holds until its `ready`; the ready signals, B and R of the bus.
// Writes: `ready`, one master's at a time, with `read_data` and `error` of the access; AW, W and AR, and the ready
// signals of B and R.
// Latency: an access is on the bus in the cycle after its offer if no other is under way, and `ready` is 1 in the
// cycle of B or R.
module soft_arbiter #(
  parameter MASTERS = 4
) (
  input  wire                  clock,
  input  wire                  reset,
  input  wire [MASTERS-1:0]    valid,
  output wire [MASTERS-1:0]    ready,
  input  wire [32*MASTERS-1:0] address,
  input  wire [4*MASTERS-1:0]  strobes,       // 0: the access is a read.
  input  wire [32*MASTERS-1:0] write_data,
  output wire [31:0]           read_data,
  output wire                  error,         // The slave has refused the access.
  output wire [31:0]           m_axil_awaddr,
  output wire                  m_axil_awvalid,
  input  wire                  m_axil_awready,
  output wire [31:0]           m_axil_wdata,
  output wire [3:0]            m_axil_wstrb,
  output wire                  m_axil_wvalid,
  input  wire                  m_axil_wready,
  input  wire [1:0]            m_axil_bresp,
  input  wire                  m_axil_bvalid,
  output wire                  m_axil_bready,
  output wire [31:0]           m_axil_araddr,
  output wire                  m_axil_arvalid,
  input  wire                  m_axil_arready,
  input  wire [31:0]           m_axil_rdata,
  input  wire [1:0]            m_axil_rresp,
  input  wire                  m_axil_rvalid,
  output wire                  m_axil_rready
);

  localparam [MASTERS-1:0] NONE = {MASTERS{1'b0}}, ONE = {{(MASTERS-1){1'b0}}, 1'b1};

  reg  [MASTERS-1:0] chosen_q, below_q;  // The master of the access under way, one-hot; it and those below it.
  reg                aw_q, w_q, ar_q;    // The channel is still to be transferred.
  reg  [31:0]        address_q, data_q;
  reg  [3:0]         strobes_q;

  wire [MASTERS-1:0] above    = valid & ~below_q;
  wire [MASTERS-1:0] eligible = |above ? above : valid;
  wire [MASTERS-1:0] chosen   = eligible & (~eligible + ONE);
  wire               done     = m_axil_bvalid || m_axil_rvalid;
  wire               begins   = chosen_q == NONE && |valid;

  reg  [31:0]        address_d, data_d;
  reg  [3:0]         strobes_d;
  integer            i;
  always @* begin
    address_d = 32'd0;
    data_d    = 32'd0;
    strobes_d = 4'd0;
    for (i = 0; i < MASTERS; i = i + 1)
      if (chosen[i]) begin
        address_d = address_d | address[32*i +: 32];
        data_d    = data_d | write_data[32*i +: 32];
        strobes_d = strobes_d | strobes[4*i +: 4];
      end
  end

  always @(posedge clock) begin
    if (reset) begin
      chosen_q <= NONE;
      below_q  <= NONE;
      aw_q     <= 1'b0;
      w_q      <= 1'b0;
      ar_q     <= 1'b0;
    end else if (begins) begin
      chosen_q <= chosen;
      below_q  <= chosen | (chosen - ONE);
      aw_q     <= strobes_d != 4'd0;
      w_q      <= strobes_d != 4'd0;
      ar_q     <= strobes_d == 4'd0;
    end else begin
      if (done) chosen_q <= NONE;
      aw_q <= aw_q && !m_axil_awready;
      w_q  <= w_q && !m_axil_wready;
      ar_q <= ar_q && !m_axil_arready;
    end
    if (begins) begin
      address_q <= address_d;
      data_q    <= data_d;
      strobes_q <= strobes_d;
    end
  end

  assign ready          = done ? chosen_q : NONE;
  assign read_data      = m_axil_rdata;
  assign error          = (m_axil_bvalid && m_axil_bresp != 2'd0) || (m_axil_rvalid && m_axil_rresp != 2'd0);
  assign m_axil_awaddr  = address_q;
  assign m_axil_awvalid = aw_q;
  assign m_axil_wdata   = data_q;
  assign m_axil_wstrb   = strobes_q;
  assign m_axil_wvalid  = w_q;
  assign m_axil_bready  = 1'b1;
  assign m_axil_araddr  = address_q;
  assign m_axil_arvalid = ar_q;
  assign m_axil_rready  = 1'b1;

endmodule

`default_nettype wire
