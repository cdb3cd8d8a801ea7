// SPDX-License-Identifier: Apache-2.0 OR MIT
// verilator lint_off TIMESCALEMOD
`default_nettype none

// pins_bcu_phase: `bcu_phase` between registers and a few pins, for a figure of its clock. A shift register drives every input, and
// registers fold the outputs, four bits each, so every path of the module is between registers.
//
// Parameters: those of `bcu_phase`. Used by the commands of docs/guide/integrate.md.
module pins_bcu_phase #(
  parameter WARPS = 8, IDS = 8, LATENCY = 1, RAM = 0, EVENT_BITS = 4, CHECK = 1, STOP = 0, DETECT = 0, GLOBAL = 0, CORE_BITS = 1
) (
  input  wire clock,
  input  wire in,
  output reg  out
);

  localparam LW = $clog2(WARPS), IW = $clog2(IDS);
  localparam FED = 9 + WARPS + 2 * LW + 3 * IW + CORE_BITS, READ = 6 + 6 + WARPS + LW + 3 * IW + CORE_BITS, FOLDED = (READ + 3) / 4;

  reg  [FED-1:0]    feed;
  wire [READ-1:0]   read;
  wire [4*FOLDED-1:0] padded = {{(4*FOLDED-READ){1'b0}}, read};
  reg  [FOLDED-1:0] folded;

  wire             reset, req_valid, req_arrive, req_sync, req_event, req_phase, req_global, gbar_req_ready, gbar_rsp_valid;
  wire [WARPS-1:0] live;
  wire [LW-1:0]    req_warp, req_size_m1;
  wire [IW-1:0]    req_id, read_id, gbar_rsp_id;
  wire [CORE_BITS-1:0] req_cores_m1;
  assign {reset, req_valid, req_arrive, req_sync, req_event, req_phase, req_global, gbar_req_ready, gbar_rsp_valid, live, req_warp,
          req_size_m1, req_id, read_id, gbar_rsp_id, req_cores_m1} = feed;

  bcu_phase #(.WARPS(WARPS), .IDS(IDS), .LATENCY(LATENCY), .RAM(RAM), .EVENT_BITS(EVENT_BITS), .CHECK(CHECK), .STOP(STOP),
              .DETECT(DETECT), .GLOBAL(GLOBAL), .CORE_BITS(CORE_BITS)) unit (
    .clock(clock), .reset(reset), .live(live), .req_valid(req_valid), .req_warp(req_warp), .req_id(req_id), .req_arrive(req_arrive),
    .req_sync(req_sync), .req_event(req_event), .req_phase(req_phase), .req_global(req_global), .req_size_m1(req_size_m1),
    .req_cores_m1(req_cores_m1), .read_id(read_id), .read_phase(read[0]), .unlock_valid(read[1]), .gbar_req_valid(read[2]),
    .gbar_rsp_ready(read[3]), .fault_valid(read[4]), .hang(read[5]), .fault_code(read[11:6]), .unlock_mask(read[12 +: WARPS]),
    .fault_warp(read[12+WARPS +: LW]), .unlock_id(read[12+WARPS+LW +: IW]), .gbar_req_id(read[12+WARPS+LW+IW +: IW]),
    .fault_id(read[12+WARPS+LW+2*IW +: IW]), .gbar_req_cores_m1(read[12+WARPS+LW+3*IW +: CORE_BITS]), .gbar_req_ready(gbar_req_ready),
    .gbar_rsp_valid(gbar_rsp_valid), .gbar_rsp_id(gbar_rsp_id), .waiting());

  integer i;
  always @(posedge clock) begin
    feed <= {feed[FED-2:0], in};
    for (i = 0; i < FOLDED; i = i + 1) folded[i] <= ^padded[4*i +: 4];
    out <= ^folded;
  end

endmodule

`default_nettype wire
// verilator lint_on TIMESCALEMOD
