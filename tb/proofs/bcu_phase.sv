// SPDX-License-Identifier: Apache-2.0 OR MIT
// The rules of `bcu_phase` for one barrier and one warp, chosen by the solver. The state of the barrier is followed
// by numbers, from the rules in the header of `bcu_phase.v`; misuse and responses that were not requested are allowed
// at all inputs.
`ifndef LATENCY
`define LATENCY 1
`endif
module bcu_phase_rules #(
  parameter W = 4, LW = 2, IW = 1, E = 2, C = 1
) (
  input wire          clock,
  input wire          reset,
  input wire [W-1:0]  live,
  input wire          req_valid,
  input wire [LW-1:0] req_warp,
  input wire [IW-1:0] req_id,
  input wire          req_arrive,
  input wire          req_sync,
  input wire          req_event,
  input wire          req_phase,
  input wire          req_global,
  input wire [LW-1:0] req_size_m1,
  input wire [C-1:0]  req_cores_m1,
  input wire          gbar_req_ready,
  input wire          gbar_rsp_valid,
  input wire [IW-1:0] gbar_rsp_id
);
  localparam STAGE = `LATENCY == 1 ? 0 : 1, DELAY = `LATENCY - STAGE;
  (* anyconst *) reg [IW-1:0] here;
  (* anyconst *) reg [LW-1:0] who;

  wire          read_phase, unlock_valid, gbar_req_valid, gbar_rsp_ready, fault_valid, hang;
  wire [W-1:0]  unlock_mask;
  wire [IW-1:0] unlock_id, gbar_req_id, fault_id;
  wire [C-1:0]  gbar_req_cores_m1;
  wire [5:0]    fault_code;
  wire [LW-1:0] fault_warp;
  bcu_phase #(.WARPS(W), .IDS(1 << IW), .LATENCY(`LATENCY), .EVENT_BITS(E), .GLOBAL(1), .CORE_BITS(C)) dut (
    .clock(clock),
    .reset(reset),
    .live(live),
    .req_valid(req_valid),
    .req_warp(req_warp),
    .req_id(req_id),
    .req_arrive(req_arrive),
    .req_sync(req_sync),
    .req_event(req_event),
    .req_phase(req_phase),
    .req_global(req_global),
    .req_size_m1(req_size_m1),
    .req_cores_m1(req_cores_m1),
    .read_id(here),
    .read_phase(read_phase),
    .unlock_valid(unlock_valid),
    .unlock_mask(unlock_mask),
    .unlock_id(unlock_id),
    .gbar_req_valid(gbar_req_valid),
    .gbar_req_ready(gbar_req_ready),
    .gbar_req_id(gbar_req_id),
    .gbar_req_cores_m1(gbar_req_cores_m1),
    .gbar_rsp_valid(gbar_rsp_valid),
    .gbar_rsp_ready(gbar_rsp_ready),
    .gbar_rsp_id(gbar_rsp_id),
    .fault_valid(fault_valid),
    .fault_code(fault_code),
    .fault_warp(fault_warp),
    .fault_id(fault_id),
    .hang(hang)
  );

  reg begun = 0;
  always @(posedge clock) begun <= 1;
  always @(*) if (!begun) assume (reset);

  // Warps that are stalled, from the ports alone: from a Sync or Wait to the unlock.
  reg  [W-1:0] stalled = 0;
  wire [W-1:0] stalled_now = stalled & ~unlock_mask;
  wire         to_wait = !req_event && (!req_arrive || req_sync);
  always @(posedge clock) stalled <= reset ? 0 : stalled_now | (req_valid && to_wait ? 1 << req_warp : 0);

  // The request in the cycle of its effect.
  wire [7+2*LW+IW+C-1:0] offered = {
    req_valid, stalled_now[req_warp], req_arrive, req_sync, req_event, req_phase, req_global,
    req_warp, req_size_m1, req_id, req_cores_m1};
  reg  [7+2*LW+IW+C-1:0] offered_q = 0;
  always @(posedge clock) offered_q <= reset ? 0 : offered;
  wire          valid, blocked, arrive, sync, of_event, token, of_global;
  wire [LW-1:0] warp, size_m1;
  wire [IW-1:0] id;
  wire [C-1:0]  cores_m1;
  assign {valid, blocked, arrive, sync, of_event, token, of_global, warp, size_m1, id, cores_m1} =
    STAGE ? offered_q : offered;

  // The barrier: arrivals, count, events; its request to other cores: 0 none, 1 due, 2 transferred; `held`: a
  // response is held.
  reg  [LW:0]   arrivals = 0, goal = 0;
  reg  [E-1:0]  events = 0;
  reg  [W-1:0]  arrived = 0;
  reg  [1:0]    sent = 0;
  reg  [C-1:0]  cores = 0;
  reg           is_global = 0, phase = 0, held = 0, waits = 0;
  wire [LW:0]   size    = size_m1 + 1;
  wire          at      = valid && id == here;
  wire          arrives = at && !of_event && arrive;
  wire          looks   = at && !of_event && !arrive;
  wire          expects = at && of_event && token;
  wire          ends    = at && of_event && !token;
  wire [5:0]    fault   =
    at && !of_event && blocked                                                   ? 2  :
    arrives && arrived[warp]                                                     ? 12 :
    arrives && arrivals != 0 && of_global != is_global                           ? 13 :
    arrives && arrivals != 0 && (size != goal || of_global && cores_m1 != cores) ? 14 :
    arrives && arrivals != 0 && arrivals == goal                                 ? 27 :
    expects && sent != 0                                                         ? 30 :
    expects && events + size >= (1 << E) || ends && events == 0                  ? 26 : 0;
  wire          good         = fault == 0;
  wire [LW:0]   new_arrivals = arrivals + (arrives && good);
  wire [LW:0]   new_goal     = arrives && good ? size : goal;
  wire [E-1:0]  new_events   = good && expects ? events + size : good && ends ? events - 1 : events;
  wire          new_global   = arrives && good ? of_global : is_global;
  wire          complete     = (arrives || ends) && good
                               && new_arrivals != 0 && new_arrivals == new_goal && new_events == 0;
  wire          answered     = held && !valid && sent == 2;
  wire          flips        = complete && !new_global || answered;
  wire          moves        = gbar_req_valid && gbar_req_ready && gbar_req_id == here;
  wire          of_who       = looks && good && warp == who;
  wire          waits_here   = waits || of_who && token == phase || arrives && good && sync && warp == who;
  always @(posedge clock) begin
    arrivals  <= reset || flips ? 0 : new_arrivals;
    goal      <= new_goal;
    events    <= reset || flips ? 0 : new_events;
    arrived   <= reset || flips ? 0 : arrived | (arrives && good ? 1 << warp : 0);
    is_global <= new_global;
    if (arrives && good) cores <= cores_m1;
    sent      <= reset || flips ? 0 : complete ? 1 : moves ? 2 : sent;
    phase     <= !reset && (phase ^ flips);
    held      <= !reset && (held ? valid && sent == 2 : gbar_rsp_valid && gbar_rsp_ready && gbar_rsp_id == here);
    waits     <= !reset && waits_here && !flips;
  end

  // The same DELAY cycles later, with the outputs that follow from it.
  localparam B = 16 + 2 * (LW + 1) + E;
  wire [B-1:0]  effect = {
    at && !good, fault, flips, waits_here && flips, waits_here && !flips,
    of_who && token != phase, of_who && token == phase, phase ^ flips,
    !new_global || answered, new_arrivals, new_goal, new_events};
  reg  [B-1:0]  effect_1 = 0, effect_2 = 0;
  wire          is_refused, has_flipped, wakes, stays, passes, is_held_back, phase_after, may_flip;
  wire [5:0]    code;
  wire [LW:0]   all_arrivals, count;
  wire [E-1:0]  open_events;
  assign {is_refused, code, has_flipped, wakes, stays, passes, is_held_back, phase_after, may_flip,
          all_arrivals, count, open_events} =
    DELAY == 1 ? effect_1 : effect_2;
  reg           phase_before = 0;
`ifdef COVER
  reg           done_1 = 0, done_2 = 0;
  wire          was_done = DELAY == 1 ? done_1 : done_2;
  always @(posedge clock) begin
    done_1 <= ends;
    done_2 <= done_1;
  end
`endif
  wire          toggles = read_phase != phase_before;
  always @(posedge clock) begin
    effect_1     <= reset ? 0 : effect;
    effect_2     <= reset ? 0 : effect_1;
    phase_before <= !reset && read_phase;
  end

  always @(posedge clock) if (begun && !reset) begin
    if (toggles) p_arrived: assert (all_arrivals != 0);
    if (toggles) p_events: assert (open_events == 0);
    if (toggles) p_complete: assert (all_arrivals == count && may_flip);
    if (has_flipped) p_in_time: assert (toggles && unlock_valid && unlock_id == here);
    if (wakes) u_released: assert (unlock_mask[who]);
    if (stays) u_early: assert (!unlock_mask[who]);
    if (unlock_mask[who]) u_once: assert (stalled[who]);
    if (passes) t_passes: assert (unlock_mask[who]);
    if (is_held_back) t_waits: assert (!unlock_mask[who]);
    t_token: assert (read_phase == phase_after);
    if (is_refused) f_refused: assert (fault_valid && fault_code == code);
    if (fault_valid && fault_id == here) f_invented: assert (is_refused);
    if (moves) g_once: assert (sent == 1 && gbar_req_cores_m1 == cores);
    if (sent == 1) g_sent: assert (gbar_req_valid);
`ifdef COVER
    by_arrival: cover (toggles && wakes && count == 3);
    by_event: cover (toggles && wakes && all_arrivals == 2 && was_done);
    by_cores: cover (answered && waits);
    passed: cover (passes);
    held_back: cover (is_held_back);
    misuse_12: cover (is_refused && code == 12);
    misuse_14: cover (is_refused && code == 14);
    misuse_26: cover (is_refused && code == 26);
    misuse_27: cover (is_refused && code == 27);
    misuse_30: cover (is_refused && code == 30);
    stopped_wait: cover (is_refused && code == 2);
`endif
  end
endmodule
