// SPDX-License-Identifier: Apache-2.0 OR MIT
// verilator lint_off TIMESCALEMOD
`default_nettype none
`include "bcu_defs.vh"

// bcu_counted: front of `bcu_named` for a scheduler that gives the number of participating warps at every barrier, as
// that of Vortex does.
//
// The number of live warps matters only to barriers without a count. The module therefore sends one Launch with all
// warp slots after reset, and then only Sync: no Exit and no Release. Warps may be spawned and may end at any time.
// The module replaces the scheduler's barrier counters and masks: the warp-control instruction sends a request, and
// `unlock_mask` clears bits in the scheduler's mask of stalled warps. Barrier ids are those of the core. Sizes come
// from the `bcu_defs.vh` of the export, whose folder is on the include path.
//
// Reads: `req_*`, a strobe; `live`, a level.
// Writes: `ready`, a level that rises in the first cycle in which a request may come and stays 1; `unlock_*`,
// `fault_*`, `hang`, strobes.
// Latency: LATENCY cycles from a request that completes a barrier, or is refused, to `unlock_valid`.
//
// Requests need no queue: the module takes faults at once, so `op_ready` of `bcu_named` stays 1 after a Sync.
//
// With LATENCY = 1 the module contains `bcu_phase` in place of `bcu_named`: the state of the barriers is in
// registers, and `ready` is 1 from the start. The ports behave likewise, except that a request of a warp that already
// waits is `warp_blocked` and does not unlock the warp.
//
// With CHECK = 0 requests are not checked: `fault_valid` is 0, and a request that is misused may complete a barrier
// early, late, or never. With LATENCY = 3 the module then contains `bcu_bar`, which needs no Launch, in place of
// `bcu_named`; it has 2^ID_BITS barriers, and `ready` rises 2^ID_BITS cycles after reset.
//
// Rules for the user:
// - The first warp starts when `ready` is 1; a request before that, or during reset, is lost, and is an error in
//   simulation.
// - A warp is stalled from its request until its bit in `unlock_mask` is 1.
// - A barrier of one warp unlocks that warp after LATENCY cycles as well; the scheduler need not send such a request.
// - `req_size_m1` has as many bits as a warp number: the core checks the number of warps for this range before it
//   cuts the number.
// - `live` has the warps that run or are stalled. A core that cannot drive it ties it to 1; then `hang` is 1 only if
//   all warp slots wait.
//
// A refused request has no effect on its barrier, and is an error in simulation. With STOP = 0 its warp is unlocked
// in the cycle of `fault_valid` and resumes; with STOP = 1 the warp stays stalled. A request of a warp that already
// waits is refused too: with STOP = 0 and LATENCY = 3 the warp is unlocked although its first request still counts,
// so the core cannot recover from this fault.
module bcu_counted #(
  parameter WARPS   = `BCU_WARPS,  // Size of the export; an instance that sets another value is an error.
  parameter ID_BITS = 4,           // Bits of a barrier id in the scheduler, 1 to 4.
  parameter STOP    = 0,           // 1: a warp whose request is refused stays stalled.
  parameter DETECT  = 0,           // 1: `hang` is built.
  parameter LATENCY = 3,           // 3, with `bcu_named`, or 1, with `bcu_phase`.
  parameter CHECK   = 1,           // 0: requests are not checked.
  // This parameter is derived and must not be set.
  parameter LW = `BCU_LW
) (
  input  wire               clock,
  input  wire               reset,         // Synchronous, active high.
  output wire               ready,
  input  wire [WARPS-1:0]   live,          // Warps that have started and have not ended.
  input  wire               req_valid,     // Strobe: a warp arrives at a barrier and waits.
  input  wire [LW-1:0]      req_warp,
  input  wire [ID_BITS-1:0] req_id,
  input  wire [LW-1:0]      req_size_m1,   // Number of participating warps, minus one.
  output wire               unlock_valid,  // Strobe: stalled warps resume.
  output wire [WARPS-1:0]   unlock_mask,   // Warps that resume; 0 without `unlock_valid`.
  // Barrier at which the warps of `unlock_mask` waited; 0 without `unlock_valid`.
  output wire [ID_BITS-1:0] unlock_id,
  output wire               fault_valid,   // Strobe: a request was refused.
  output wire [5:0]         fault_code,
  output wire [LW-1:0]      fault_warp,
  output wire [ID_BITS-1:0] fault_id,
  // Strobe: every live warp waits, or is stopped by a refused request; 0 with DETECT = 0.
  output wire               hang
);

  localparam [WARPS-1:0] ONE = {{(WARPS-1){1'b0}}, 1'b1};
  wire [WARPS-1:0] waiting;  // Warps that wait at a barrier.

  generate
    if (LATENCY == 1) begin : g_phase
      wire [ID_BITS-1:0] phase_id;
      // verilator lint_off PINMISSING
      bcu_phase #(
        .WARPS(WARPS),
        .IDS((1 << ID_BITS) < `BCU_BARRIERS ? 1 << ID_BITS : `BCU_BARRIERS),
        .IW(ID_BITS),
        .EVENT_BITS(1),
        .CHECK(CHECK != 0 && `BCU_CHECKS),
        .STOP(STOP),
        .DETECT(DETECT),
        .MESSAGES(0)
      ) phase (
        .clock(clock),
        .reset(reset),
        .live(live),
        .req_valid(req_valid),
        .req_warp(req_warp),
        .req_id(req_id),
        .req_size_m1(req_size_m1),
        .req_arrive(1'b1),
        .req_sync(1'b1),
        .req_event(1'b0),
        .req_phase(1'b0),
        .req_global(1'b0),
        .req_cores_m1(1'b0),
        .read_id(req_id),
        .gbar_req_ready(1'b0),
        .gbar_rsp_valid(1'b0),
        .gbar_rsp_id({ID_BITS{1'b0}}),
        .unlock_valid(unlock_valid),
        .unlock_mask(unlock_mask),
        .unlock_id(phase_id),
        .fault_valid(fault_valid),
        .fault_code(fault_code),
        .fault_warp(fault_warp),
        .fault_id(fault_id),
        .hang(hang),
        .waiting(waiting)
      );
      // verilator lint_on PINMISSING
      assign unlock_id = unlock_valid ? phase_id : {ID_BITS{1'b0}};
      assign ready     = 1'b1;
      // verilator lint_off UNUSEDSIGNAL
      wire unused = |ONE;
      // verilator lint_on UNUSEDSIGNAL
    end else if (CHECK == 0) begin : g_bar
      wire [ID_BITS-1:0] release_id;
      bcu_bar #(.WARPS(WARPS), .ID_BITS(ID_BITS)) bar (
        .clock(clock),
        .reset(reset),
        .op_valid(req_valid),
        .op_ready(ready),
        .op_kind(2'd0),
        .op_all(1'b0),
        .op_warp(req_warp),
        .op_id(req_id),
        .op_size_m1(req_size_m1),
        .release_valid(unlock_valid),
        .release_id(release_id),
        .release_warps(unlock_mask),
        .waiting(waiting)
      );
      assign unlock_id   = unlock_valid ? release_id : {ID_BITS{1'b0}};
      assign fault_valid = 1'b0;
      assign fault_code  = 6'd0;
      assign fault_warp  = {LW{1'b0}};
      assign fault_id    = {ID_BITS{1'b0}};
      // verilator lint_off UNUSEDSIGNAL
      wire unused = |ONE;
      // verilator lint_on UNUSEDSIGNAL
      if (DETECT != 0) begin : g_detect
        bcu_hang #(.WARPS(WARPS)) detector (
          .clock(clock), .reset(reset), .members(live), .waits(waiting), .moves(req_valid), .hang(hang));
      end else begin : g_no_detect
        assign hang = 1'b0;
      end
    end else begin : g_named
      localparam [3:0]  SYNC = 4'd0, LAUNCH = 4'd6;
      localparam [11:0] LANES = `BCU_LANES;

      reg              launched_q;
      wire             op_ready, release_valid;
      wire [WARPS-1:0] release_warps;
      wire [3:0]       op_id, release_id, refused_id;
      wire             refused = fault_valid && STOP == 0;
      wire [11:0]      warps   = {{(12-LW){1'b0}}, req_size_m1} + 12'd1;

      always @(posedge clock)
        launched_q <= !reset && (launched_q || op_ready);

      if (ID_BITS == 4) begin : g_ids
        assign op_id = req_id;
      end else begin : g_few_ids
        assign op_id = {{(4-ID_BITS){1'b0}}, req_id};
        // verilator lint_off UNUSEDSIGNAL
        wire unused = |{release_id[3:ID_BITS], refused_id[3:ID_BITS]};
        // verilator lint_on UNUSEDSIGNAL
      end

      // verilator lint_off PINMISSING
      bcu_named #(.WARPS(WARPS), .LANES(`BCU_LANES), .CTAS(`BCU_CTAS), .BARRIERS(`BCU_BARRIERS)) named (
        .clock(clock),
        .reset(reset),
        .op_valid(!launched_q || req_valid),
        .op_ready(op_ready),
        .op_kind(launched_q ? SYNC : LAUNCH),
        .op_fault(6'd0),
        .op_uniform(1'b1),
        .op_cta({`BCU_LC{1'b0}}),
        .op_id(op_id),
        .op_count(warps * LANES),
        .op_warp(req_warp),
        .op_redop(2'd0),
        .op_value({`BCU_VW{1'b0}}),
        .op_state(2'd0),
        .op_data(32'd0),
        .op_mask({WARPS{1'b1}}),
        .op_warps(WARPS[LW:0]),
        .op_live(WARPS[LW:0]),
        .op_barriers(6'd`BCU_BARRIERS),
        .op_saved(1'b0),
        .trapped({WARPS{1'b0}}),
        .waiting(waiting),
        .release_valid(release_valid),
        .release_id(release_id),
        .release_warps(release_warps),
        .fault_valid(fault_valid),
        .fault_ready(1'b1),
        .fault_code(fault_code),
        .fault_warp(fault_warp),
        .fault_id(refused_id)
      );
      // verilator lint_on PINMISSING

      assign ready        = launched_q && op_ready;
      assign unlock_mask  = release_warps | (refused ? ONE << fault_warp : {WARPS{1'b0}});
      assign unlock_valid = release_valid || refused;
      assign unlock_id    = release_valid ? release_id[ID_BITS-1:0] :
                            refused       ? refused_id[ID_BITS-1:0] : {ID_BITS{1'b0}};
      assign fault_id     = refused_id[ID_BITS-1:0];

      if (DETECT != 0) begin : g_detect
        reg  [WARPS-1:0] stopped_q;  // Live warps of which a request was refused with STOP = 1.
        always @(posedge clock)
          stopped_q <= reset ? {WARPS{1'b0}} :
                       (stopped_q | (fault_valid && STOP != 0 ? ONE << fault_warp : {WARPS{1'b0}})) & live;
        bcu_hang #(.WARPS(WARPS)) detector (
          .clock(clock), .reset(reset), .members(live), .waits(waiting | stopped_q), .moves(req_valid), .hang(hang));
      end else begin : g_no_detect
        assign hang = 1'b0;
      end
    end
    if (LATENCY != 1 && LATENCY != 3) begin : g_latency
      bcu_counted_LATENCY_must_be_1_or_3 stop ();
    end
  endgenerate

`ifndef SYNTHESIS
  always @(posedge clock) begin
    if (req_valid && reset)
      $display("bcu_counted: error: %0d: the request of warp %0d is lost: it comes during reset", $time, req_warp);
    else if (req_valid && !ready)
      $display("bcu_counted: error: %0d: the request of warp %0d is lost: ready is 0", $time, req_warp);
    if (!reset && req_valid && !live[req_warp])
      $display("bcu_counted: error: %0d: warp %0d requests and is not live", $time, req_warp);
    if (!reset && fault_valid)
      $display("bcu_counted: error: %0d: a request of warp %0d at barrier %0d is refused, fault %0d",
               $time, fault_warp, fault_id, fault_code);
    if (!reset && hang)
      $display("bcu_counted: error: %0d: all live warps wait, %b at barriers", $time, waiting);
  end
`endif

endmodule

`default_nettype wire
// verilator lint_on TIMESCALEMOD
