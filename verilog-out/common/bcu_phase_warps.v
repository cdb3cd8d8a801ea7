// SPDX-License-Identifier: Apache-2.0 OR MIT
// verilator lint_off TIMESCALEMOD
`default_nettype none

// bcu_phase_warps: part of `bcu_phase`: the warps that wait at a barrier or are stalled, those that resume, and the
// report of a refusal.
//
// Reads: `begins_stall` with `stall_warp`, the request at the port; `op_*`, its effect, and the effect of a response
// of other cores; `live`.
// Writes: `unlock_*` and `fault_*`, strobes; `stalled` and `waiting`, levels.
// Latency: 1 cycle from the effect to `unlock_*` and `fault_*`, or 2 with LATENCY = 3.
//
// A warp waits at one barrier at most, so each warp has one id.
module bcu_phase_warps #(
  parameter WARPS   = 8,
  parameter IW      = 3,  // Bits of an id.
  parameter LATENCY = 1,  // 1 or 3.
  parameter CHECK   = 1,  // 1: `fault_*` is built.
  parameter STOP    = 0,  // 1: a warp whose Sync or Wait is refused is stalled until it ends.
  // This parameter is derived and must not be set.
  parameter LW = $clog2(WARPS)
) (
  input  wire             clock,
  input  wire             reset,             // Synchronous, active high.
  input  wire [WARPS-1:0] live,
  input  wire             begins_stall,      // Strobe: a Sync or Wait comes.
  input  wire [LW-1:0]    stall_warp,
  input  wire             op_flips,          // Strobe: the phase of `op_id` completes.
  input  wire             op_wants_to_wait,  // A Sync or Wait of a warp that is not stalled.
  input  wire             op_begins_wait,    // It is not refused, and the phase is not over.
  input  wire             op_resumes,        // It resumes at once.
  input  wire             op_refused,
  input  wire [5:0]       op_code,
  input  wire [LW-1:0]    op_warp,
  input  wire [IW-1:0]    op_id,
  output reg              unlock_valid,
  output reg  [WARPS-1:0] unlock_mask,
  output reg  [IW-1:0]    unlock_id,
  output wire [WARPS-1:0] stalled,           // From the request on, and as long as the warps wait or are stopped.
  output wire [WARPS-1:0] waiting,
  output wire             fault_valid,
  output wire [5:0]       fault_code,
  output wire [LW-1:0]    fault_warp,
  output wire [IW-1:0]    fault_id
);

  localparam [WARPS-1:0] ONE = {{(WARPS-1){1'b0}}, 1'b1};

  // LATENCY = 3 has a stage before the effect on the warps.
  localparam EFFECT_BITS = 11 + LW + IW;
  wire [EFFECT_BITS-1:0] effect = {
    op_flips, op_wants_to_wait, op_begins_wait, op_resumes, op_refused, op_code, op_warp, op_id};
  wire                   wake_flips, wake_wants, wake_begins, wake_resumes, wake_refused;
  wire [5:0]             wake_code;
  wire [LW-1:0]          wake_warp;
  wire [IW-1:0]          wake_id;
  generate
    if (LATENCY == 1) begin : g_wake
      assign {wake_flips, wake_wants, wake_begins, wake_resumes, wake_refused, wake_code, wake_warp, wake_id} = effect;
    end else begin : g_late_wake
      reg [EFFECT_BITS-1:0] effect_q;
      always @(posedge clock) effect_q <= reset ? {EFFECT_BITS{1'b0}} : effect;
      assign {wake_flips, wake_wants, wake_begins, wake_resumes, wake_refused, wake_code, wake_warp, wake_id} =
        effect_q;
    end
  endgenerate

  reg  [WARPS-1:0]    waits_q;     // Warps that wait at a barrier.
  assign waiting = waits_q;
  reg  [WARPS*IW-1:0] wait_ids_q;  // Per warp: the barrier at which it waits; any value if it does not wait.
  reg  [WARPS-1:0]    waits_here;  // Warps that wait at the barrier of the request.
  wire [WARPS-1:0]    wake_warps = ONE << wake_warp;
  integer w;
  always @*
    for (w = 0; w < WARPS; w = w + 1) waits_here[w] = waits_q[w] && wait_ids_q[w*IW +: IW] == wake_id;
  wire [WARPS-1:0]    unlock_next =
    (wake_flips ? waits_here : {WARPS{1'b0}})
    | (wake_resumes || wake_flips && wake_begins ? wake_warps : {WARPS{1'b0}});

  integer v;
  always @(posedge clock) begin
    unlock_valid <= !reset && (wake_flips || wake_resumes);
    unlock_mask  <= reset ? {WARPS{1'b0}} : unlock_next;
    unlock_id    <= wake_id;
    waits_q      <= reset ? {WARPS{1'b0}} : (waits_q | (wake_begins ? wake_warps : {WARPS{1'b0}})) & ~unlock_next;
    for (v = 0; v < WARPS; v = v + 1)
      if (wake_wants && wake_warps[v]) wait_ids_q[v*IW +: IW] <= wake_id;
  end

  // Warps that are stalled: from their request on, and as long as they wait or are stopped.
  generate
    if (LATENCY == 1 && STOP == 0) begin : g_waits
      assign stalled = waits_q;
      // verilator lint_off UNUSEDSIGNAL
      wire unused = |{live, begins_stall, stall_warp};
      // verilator lint_on UNUSEDSIGNAL
    end else begin : g_stalled
      reg [WARPS-1:0] stalled_q;
      always @(posedge clock)
        stalled_q <= reset ? {WARPS{1'b0}} :
          (stalled_q | (begins_stall ? ONE << stall_warp : {WARPS{1'b0}})) & ~unlock_next
          & (STOP != 0 ? live : {WARPS{1'b1}});
      assign stalled = stalled_q;
    end
    if (CHECK != 0) begin : g_fault
      reg               fault_valid_q;
      reg [5:0]         fault_code_q;
      reg [LW+IW-1:0]   fault_place_q;
      always @(posedge clock) begin
        fault_valid_q <= wake_refused && !reset;
        fault_code_q  <= wake_refused && !reset ? wake_code : 6'd0;
        fault_place_q <= {wake_warp, wake_id};
      end
      assign fault_valid = fault_valid_q;
      assign fault_code  = fault_code_q;
      assign {fault_warp, fault_id} = fault_place_q;
    end else begin : g_no_fault
      assign fault_valid = 1'b0;
      assign fault_code  = 6'd0;
      assign fault_warp  = {LW{1'b0}};
      assign fault_id    = {IW{1'b0}};
      // verilator lint_off UNUSEDSIGNAL
      wire unused = wake_refused || |wake_code;
      // verilator lint_on UNUSEDSIGNAL
    end
  endgenerate

endmodule

`default_nettype wire
// verilator lint_on TIMESCALEMOD
