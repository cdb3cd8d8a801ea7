// SPDX-License-Identifier: Apache-2.0 OR MIT
// bcu_phase_assert: interface assertions for `bcu_phase` and its user.
//
// Reads: every port of `bcu_phase`, by its name. Writes: `broken`, a bit for each rule, in the cycle in which it is
// broken; a message at the edge that ends that cycle. In Verilog, write after an instance, with its parameters,
//   `BCU_CHECK_PHASE(instance, WARPS, IW, LATENCY, RAM, STOP, CORE_BITS)
// In SystemVerilog, write
//   bind bcu_phase bcu_phase_assert #(
//     .WARPS(WARPS), .IW(IW), .LATENCY(LATENCY), .RAM(RAM), .KEEPS(STOP), .CORE_BITS(CORE_BITS)
//   ) promises (.broken(), .*);
// With BCU_ASSERT defined, in SystemVerilog, the rules are concurrent assertions. STOP 1 ends the simulation at the
// first broken rule. Empty with SYNTHESIS. A misuse that `bcu_phase` refuses is a fault and breaks no rule, except
// for a request of a stalled warp.
`ifndef BCU_CHECK_PHASE_V
`define BCU_CHECK_PHASE_V
`define BCU_CHECK_PHASE(unit, warps, iw, latency, ram, keeps, core_bits) \
  bcu_phase_assert #( \
    .WARPS(warps), .IW(iw), .LATENCY(latency), .RAM(ram), .KEEPS(keeps), .CORE_BITS(core_bits) \
  ) promises ( \
    .broken(), .clock(unit.clock), .reset(unit.reset), \
    .live(unit.live), .req_valid(unit.req_valid), .req_warp(unit.req_warp), \
    .req_id(unit.req_id), .req_arrive(unit.req_arrive), .req_sync(unit.req_sync), \
    .req_event(unit.req_event), .req_phase(unit.req_phase), .req_global(unit.req_global), \
    .req_size_m1(unit.req_size_m1), .req_cores_m1(unit.req_cores_m1), .read_id(unit.read_id), \
    .read_phase(unit.read_phase), .unlock_valid(unit.unlock_valid), .unlock_mask(unit.unlock_mask), \
    .unlock_id(unit.unlock_id), .gbar_req_valid(unit.gbar_req_valid), .gbar_req_ready(unit.gbar_req_ready), \
    .gbar_req_id(unit.gbar_req_id), .gbar_req_cores_m1(unit.gbar_req_cores_m1), .gbar_rsp_valid(unit.gbar_rsp_valid), \
    .gbar_rsp_ready(unit.gbar_rsp_ready), .gbar_rsp_id(unit.gbar_rsp_id), .fault_valid(unit.fault_valid), \
    .fault_code(unit.fault_code), .fault_warp(unit.fault_warp), .fault_id(unit.fault_id), .hang(unit.hang) \
  );
// As in the bcu_defs.vh of an export.
`ifndef BCU_RULE
`ifdef BCU_ASSERT
`define BCU_RULE(name, at, never, message) \
  assign broken[at] = active && never === 1'b1; \
  name: assert property (@(posedge clock) !broken[at]) else $error message;
`else
`define BCU_RULE(name, at, never, message) \
  assign broken[at] = active && never === 1'b1; \
  always @(posedge clock) if (broken[at]) $display message;
`endif
`endif
`default_nettype none
/* verilator lint_off TIMESCALEMOD */
/* verilator lint_off DECLFILENAME */
/* verilator lint_off UNUSEDSIGNAL */
/* verilator lint_off UNUSEDPARAM */
/* verilator lint_off WIDTH */
module bcu_phase_assert #(
  parameter STOP = 0, WARPS = 8, IW = 3, LATENCY = 1, RAM = 0, CORE_BITS = 1,
  parameter KEEPS = 0,  // STOP of `bcu_phase`.
  // This parameter is derived and must not be set.
  parameter LW = $clog2(WARPS)
) (
  input  wire                 clock,
  input  wire                 reset,
  input  wire [WARPS-1:0]     live,
  input  wire                 req_valid,
  input  wire [LW-1:0]        req_warp,
  input  wire [IW-1:0]        req_id,
  input  wire                 req_arrive,
  input  wire                 req_sync,
  input  wire                 req_event,
  input  wire                 req_phase,
  input  wire                 req_global,
  input  wire [LW-1:0]        req_size_m1,
  input  wire [CORE_BITS-1:0] req_cores_m1,
  input  wire [IW-1:0]        read_id,
  input  wire                 read_phase,
  input  wire                 unlock_valid,
  input  wire [WARPS-1:0]     unlock_mask,
  input  wire [IW-1:0]        unlock_id,
  input  wire                 gbar_req_valid,
  input  wire                 gbar_req_ready,
  input  wire [IW-1:0]        gbar_req_id,
  input  wire [CORE_BITS-1:0] gbar_req_cores_m1,
  input  wire                 gbar_rsp_valid,
  input  wire                 gbar_rsp_ready,
  input  wire [IW-1:0]        gbar_rsp_id,
  input  wire                 fault_valid,
  input  wire [5:0]           fault_code,
  input  wire [LW-1:0]        fault_warp,
  input  wire [IW-1:0]        fault_id,
  input  wire                 hang,
  output wire [18:0]          broken
);
`ifndef SYNTHESIS
  // No rule is checked before the first reset or in a cycle with reset, but that no request comes in it.
  reg was_reset = 1'b0;
  always @(posedge clock) was_reset <= was_reset || reset;
  wire active = was_reset && !reset;

  // Warps that are stalled: from a Sync or Wait to the unlock, or with KEEPS to the end of a stopped warp.
  localparam [WARPS-1:0] ONE = 1;
  wire             waits = req_valid && !req_event && (!req_arrive || req_sync);
  reg  [WARPS-1:0] stalled;
  wire [WARPS-1:0] still_stalled = stalled & ~unlock_mask;
  reg  [WARPS-1:0] live_before;
  always @(posedge clock) begin
    stalled     <= reset ? 0 : (still_stalled | (waits ? ONE << req_warp : 0)) & (KEEPS ? live : {WARPS{1'b1}});
    live_before <= live;
  end

  // The requests and `read_id` of the last cycles; index n: n + 1 cycles ago.
  reg  [2:0]      was_request;
  reg  [3*LW-1:0] warp_before;
  reg  [3*IW-1:0] id_before;
  reg  [4*IW-1:0] read_before;
  reg  [3:0]      was_active;
  always @(posedge clock) begin
    was_request <= reset ? 0 : {was_request, req_valid};
    warp_before <= {warp_before, req_warp};
    id_before   <= {id_before, req_id};
    read_before <= {read_before, read_id};
    was_active  <= reset ? 0 : {was_active, 1'b1};
  end
  wire            from_request = was_request[LATENCY-1];
  wire [LW-1:0]   of_warp      = warp_before[(LATENCY-1)*LW +: LW];
  wire [IW-1:0]   of_id        = id_before[(LATENCY-1)*IW +: IW];
  wire [IW-1:0]   phase_id     = read_before[(LATENCY-1)*IW +: IW];
  wire [IW-1:0]   last_id      = read_before[LATENCY*IW +: IW];
  reg             phase_before;
  always @(posedge clock) phase_before <= read_phase;

  // Barriers of several cores: whose request was transferred, and the number of responses since then that have not
  // completed a phase.
  reg  [(1<<IW)-1:0]      requested;
  reg  [2:0]              answered;
  reg                     req_waits, rsp_waits, after_reset;
  reg  [IW+CORE_BITS-1:0] req_offered;
  reg  [IW-1:0]           rsp_offered;
  always @(posedge clock) begin
    requested   <= reset ? 0 : (requested | (gbar_req_valid && gbar_req_ready ? 1 << gbar_req_id : 0))
                               & ~(gbar_rsp_valid && gbar_rsp_ready ? 1 << gbar_rsp_id : 0);
    answered    <= reset ? 0 : answered + (gbar_rsp_valid && gbar_rsp_ready && requested[gbar_rsp_id])
                               - (unlock_valid && !from_request);
    req_waits   <= active && gbar_req_valid && !gbar_req_ready;
    req_offered <= {gbar_req_id, gbar_req_cores_m1};
    rsp_waits   <= active && gbar_rsp_valid && !gbar_rsp_ready;
    rsp_offered <= gbar_rsp_id;
    after_reset <= reset;
  end

  assign broken[0] = reset === 1'b1 && req_valid === 1'b1;
  always @(posedge clock) if (broken[0]) $display("%m: %0d: the user of bcu_phase: a request during reset", $time);
  `BCU_RULE(user_req_known, 1,
      (req_valid === 1'bx
       || req_valid === 1'b1
          && ^{req_warp, req_id, req_event, !req_event && req_arrive, !req_event && req_arrive && req_sync,
               (req_event || !req_arrive) && req_phase} === 1'bx),
      ("%m: %0d: the user of bcu_phase: the payload of req has unknown bits", $time))
  `BCU_RULE(user_stalled, 2, (req_valid && !req_event && |(still_stalled & ONE << req_warp)),
      ("%m: %0d: the user of bcu_phase: warp %0d requests while it is stalled", $time, req_warp))
  `BCU_RULE(user_not_live, 3, (req_valid && !req_event && req_warp < WARPS && !(|(live & ONE << req_warp))),
      ("%m: %0d: the user of bcu_phase: warp %0d requests and is not live", $time, req_warp))
  `BCU_RULE(user_lead, 4, (LATENCY == 1 && RAM != 0 && was_active[0] && req_valid && read_before[0 +: IW] != req_id),
      ("%m: %0d: the user of bcu_phase: read_id was %0d; expected %0d, the id of the request in the cycle after",
       $time, read_before[0 +: IW], req_id))
  `BCU_RULE(user_ended, 5, (KEEPS == 0 && was_active[0] && |(live_before & ~live & still_stalled)),
      ("%m: %0d: the user of bcu_phase: stalled warps end: %b", $time, live_before & ~live & still_stalled))
  `BCU_RULE(user_rsp_held, 6, (rsp_waits && gbar_rsp_valid !== 1'b1),
      ("%m: %0d: the user of bcu_phase: gbar_rsp_valid falls before gbar_rsp_ready", $time))
  `BCU_RULE(user_rsp_stable, 7, (rsp_waits && gbar_rsp_valid === 1'b1 && rsp_offered !== gbar_rsp_id),
      ("%m: %0d: the user of bcu_phase: the payload of gbar_rsp changes before gbar_rsp_ready", $time))
  `BCU_RULE(user_rsp_unrequested, 8, (gbar_rsp_valid && gbar_rsp_ready && !requested[gbar_rsp_id]),
      ("%m: %0d: the user of bcu_phase: a response for barrier %0d, of which no request was transferred",
       $time, gbar_rsp_id))
  `BCU_RULE(unit_mask_idle, 9, (unlock_valid === 1'b0 && unlock_mask != 0),
      ("%m: %0d: bcu_phase: unlock_mask is not 0 without unlock_valid", $time))
  `BCU_RULE(unit_unlock_of_stalled, 10, (|(unlock_mask & ~stalled)),
      ("%m: %0d: bcu_phase: unlock of warps that are not stalled: %b", $time, unlock_mask & ~stalled))
  `BCU_RULE(unit_unlock_when, 11, (unlock_valid && !from_request && answered == 0),
      ("%m: %0d: bcu_phase: unlock_valid without a request or a response", $time))
  `BCU_RULE(unit_unlock_barrier, 12, (unlock_valid && from_request && unlock_id != of_id),
      ("%m: %0d: bcu_phase: an unlock at barrier %0d after a request at %0d", $time, unlock_id, of_id))
  `BCU_RULE(unit_fault_when, 13, (fault_valid && !(from_request && fault_warp == of_warp && fault_id == of_id)),
      ("%m: %0d: bcu_phase: a fault of warp %0d at barrier %0d without its request", $time, fault_warp, fault_id))
  `BCU_RULE(unit_fault_code_idle, 14, (fault_valid === 1'b0 && fault_code != 0 || fault_valid && fault_code == 0),
      ("%m: %0d: bcu_phase: fault_valid is %0d and fault_code %0d", $time, fault_valid, fault_code))
  `BCU_RULE(unit_phase_toggles, 15,
      (was_active[LATENCY] && phase_id == last_id && read_phase != phase_before
       && !(unlock_valid && unlock_id == phase_id)),
      ("%m: %0d: bcu_phase: the phase of barrier %0d toggles without an unlock", $time, phase_id))
  `BCU_RULE(unit_req_held, 16,
      (req_waits && (gbar_req_valid !== 1'b1 || req_offered !== {gbar_req_id, gbar_req_cores_m1})
       || after_reset && gbar_req_valid !== 1'b0),
      ("%m: %0d: bcu_phase: an offer on gbar_req changes before gbar_req_ready, or comes directly after reset", $time))
  `BCU_RULE(unit_req_again, 17, (gbar_req_valid && requested[gbar_req_id]),
      ("%m: %0d: bcu_phase: a second request of barrier %0d before the response", $time, gbar_req_id))
  `BCU_RULE(unit_outputs_known, 18,
      (^{unlock_valid, unlock_mask, gbar_req_valid, gbar_rsp_ready, fault_valid, fault_code, hang} === 1'bx),
      ("%m: %0d: bcu_phase: unknown bits in outputs that are meaningful in every cycle", $time))
  always @(posedge clock) if (STOP != 0 && |broken) $finish;
`else
  assign broken = 19'd0;
`endif
endmodule
/* verilator lint_on WIDTH */
/* verilator lint_on UNUSEDPARAM */
/* verilator lint_on UNUSEDSIGNAL */
/* verilator lint_on DECLFILENAME */
/* verilator lint_on TIMESCALEMOD */
`default_nettype wire
`endif
