// SPDX-License-Identifier: Apache-2.0 OR MIT
// verilator lint_off TIMESCALEMOD
`default_nettype none

// bcu_cta: one barrier for each CTA, for a core whose barriers have neither an id nor a count, as those of Ventus.
//
// The barrier of a CTA completes when each of its warps waits or has ended. The module has its own state and needs no
// export: the parameters are its sizes. Its state is two bits per warp, none per CTA: a request decides only about
// the CTA of its warp.
//
// Reads: `live` and `warp_cta`, levels; `req_*`, a strobe: a warp arrives and waits, or ends.
// Writes: `unlock_*` and `fault_*`, strobes; `waiting`, a level.
// Latency: 1 cycle from the request that completes a barrier, or is refused, to `unlock_valid` or `fault_valid`.
//
// Rules for the user:
// - `live` and `warp_cta` of all warps of a CTA are there in the cycle of its first request, and `warp_cta` is stable
//   while `live` is 1.
// - A warp is stalled from its arrival until its bit in `unlock_mask` is 1. The end of a warp is a request with
//   `req_exit`; its live bit falls later, and stays 0 for a cycle or more before the warp slot is used again.
// - A request needs no ready, also directly after reset; during reset it is lost, and is an error in simulation.
// - A CTA is killed by the fall of the live bits of all its warps in one cycle, without requests: those that wait are
//   forgotten.
//
// A request of a warp that waits (`warp_blocked`), or of one that is not live or has ended (`not_resident`), is
// refused: it has no effect, and is an error in simulation. No barrier can hang but for a warp that runs forever.
module bcu_cta #(
  parameter WARPS    = 8,  // 2 to 64.
  parameter CTA_BITS = 3,  // Bits of the number of a CTA slot.
  // This parameter is derived and must not be set.
  parameter LW = $clog2(WARPS)
) (
  input  wire                      clock,
  input  wire                      reset,         // Synchronous, active high.
  input  wire [WARPS-1:0]          live,          // Warps that have started and have not ended.
  input  wire [WARPS*CTA_BITS-1:0] warp_cta,      // CTA slot of each warp, warp 0 in the lowest bits.
  input  wire                      req_valid,     // Strobe.
  input  wire                      req_exit,      // 0: the warp arrives and waits; 1: it ends.
  input  wire [LW-1:0]             req_warp,
  output reg                       unlock_valid,  // Strobe: a barrier completes.
  output reg  [WARPS-1:0]          unlock_mask,   // Warps that resume; 0 without `unlock_valid`.
  output reg  [CTA_BITS-1:0]       unlock_cta,    // CTA slot of the barrier; any value without `unlock_valid`.
  output reg                       fault_valid,   // Strobe: a request was refused.
  output reg  [5:0]                fault_code,    // Code of docs/contract/faults.md; 0 without `fault_valid`.
  output reg  [LW-1:0]             fault_warp,
  output wire [WARPS-1:0]          waiting        // Warps that wait.
);

  localparam [5:0]       NOT_RESIDENT = 6'd1, WARP_BLOCKED = 6'd2;
  localparam [WARPS-1:0] NONE = {WARPS{1'b0}}, ONE = {{(WARPS-1){1'b0}}, 1'b1};

  reg  [WARPS-1:0]    waits_q, ended_q;  // `ended_q`: warps that have ended and whose live bit has not fallen.
  wire [WARPS-1:0]    of_request = ONE << req_warp;
  wire [WARPS-1:0]    running    = live & ~ended_q & ~waits_q;
  wire                accepted   = req_valid && |(running & of_request);
  wire [WARPS-1:0]    arrives    = accepted && !req_exit ? of_request : NONE;
  wire [WARPS-1:0]    ends       = accepted && req_exit ? of_request : NONE;
  reg  [CTA_BITS-1:0] cta;               // CTA slot of the warp of the request.
  reg  [WARPS-1:0]    mates;             // Warps of that slot.
  integer             c, m;

  always @* begin
    cta = {CTA_BITS{1'b0}};
    for (c = 0; c < WARPS; c = c + 1)
      if (of_request[c]) cta = cta | warp_cta[c*CTA_BITS +: CTA_BITS];
  end
  always @*
    for (m = 0; m < WARPS; m = m + 1) mates[m] = live[m] && warp_cta[m*CTA_BITS +: CTA_BITS] == cta;

  wire [WARPS-1:0] waiting_mates = mates & (waits_q | arrives);
  wire             completes     = accepted && ~|(mates & running & ~of_request) && |waiting_mates;

  always @(posedge clock) begin
    unlock_valid <= !reset && completes;
    unlock_mask  <= !reset && completes ? waiting_mates : NONE;
    unlock_cta   <= cta;
    fault_valid  <= !reset && req_valid && !accepted;
    fault_code   <= reset || !req_valid || accepted ? 6'd0         :
                    |(live & waits_q & of_request)  ? WARP_BLOCKED : NOT_RESIDENT;
    fault_warp   <= req_warp;
    waits_q      <= reset ? NONE : (waits_q | arrives) & live & ~(completes ? waiting_mates : NONE);
    ended_q      <= reset ? NONE : (ended_q | ends) & live;
  end
  assign waiting = waits_q;

`ifndef SYNTHESIS
  always @(posedge clock) begin
    if (req_valid && reset)
      $display("bcu_cta: error: %0d: the request of warp %0d is lost: it comes during reset", $time, req_warp);
    if (!reset && fault_valid)
      $display("bcu_cta: error: %0d: a request of warp %0d is refused, fault %0d", $time, fault_warp, fault_code);
  end
`endif

endmodule

`default_nettype wire
// verilator lint_on TIMESCALEMOD
