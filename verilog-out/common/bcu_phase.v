// SPDX-License-Identifier: Apache-2.0 OR MIT
// verilator lint_off TIMESCALEMOD
`default_nettype none

// bcu_phase: barriers with phases, for a scheduler in which arrive and wait are separate requests, as in that of
// Vortex.
//
// The module has its own state and needs no export: the parameters are its sizes. Each barrier id has a phase bit, a
// number of arrivals and a number of events. A request is one of:
//
//   event arrive sync  phase   name    effect
//   0     1      1     -       Sync    The warp arrives and waits for the end of the phase.
//   0     1      0     -       Arrive  The warp arrives and goes on; its token is the phase before the request.
//   0     0      -     token   Wait    The warp waits if the phase equals the token; otherwise it resumes at once.
//   1     -      -     1       Expect  size_m1 + 1 more events must be done before the phase completes.
//   1     -      -     0       Done    One event is done.
//
// A phase completes when size_m1 + 1 warps have arrived in it and all its events are done. Then the phase bit
// toggles, the warps that wait at the id resume, and the next phase begins without arrivals and events. Events alone
// never complete a phase.
//
// Reads: `req_*`, a strobe; `read_id` and `live`, levels; `gbar_rsp_*`, a channel.
// Writes: `read_phase` and `waiting`, levels; `unlock_*`, `fault_*` and `hang`, strobes; `gbar_req_*`, a channel.
// Latency: LATENCY cycles from a request to its `unlock_valid` or `fault_valid`, and from `read_id` to `read_phase`.
//   `read_phase` includes every request up to the cycle of `read_id`: the token of an Arrive is read with its id in
//   the cycle before the request. From the transfer of a response to `unlock_valid` 2 cycles with LATENCY = 1 and 3
//   with LATENCY = 3, and one more for each request from the next cycle on, or with LATENCY = 3 from the cycle of the
//   transfer on.
//
// Global barriers (GLOBAL = 1): a Sync or Arrive with `req_global` belongs to a barrier of several cores. When its
// local arrivals and events are complete, one request with the id goes out on `gbar_req`; the response with that id
// completes the phase.
//
// Rules for the user:
// - A warp is stalled from its Sync or Wait until its bit in `unlock_mask` is 1, and sends no request meanwhile.
// - A request needs no ready, also directly after reset; during reset it is lost, and is an error in simulation.
// - All arrivals of a phase give the same count. It is compared with WARPS here, but not before the core has cut it
//   to the port's bits.
// - A Wait names the phase in which its warp arrived or the one after it: with one bit, an older token looks like a
//   new one.
// - With LATENCY = 1 and RAM = 1, `read_id` in the cycle before a request is the id of that request.
// - An exit of a warp changes no barrier: an arrival that was made counts, one that was not made is missing. With
//   DETECT = 1 `hang` reports it when all warps of `live` wait. A core that cannot drive `live` ties it to 1.
//
// A refused request (CHECK = 1) has no effect on a barrier and is an error in simulation. If it is a Sync or Wait,
// its warp resumes with `fault_valid` (STOP = 0) or stays stalled until its bit in `live` is 0 (STOP = 1). A request
// of a warp that already waits is refused and changes nothing: the warp resumes with its barrier. With CHECK = 0 a
// misuse may have any effect.
module bcu_phase #(
  parameter WARPS      = 8,  // 2 to 64.
  parameter IDS        = 8,  // Barriers, 2 to 1024.
  parameter LATENCY    = 1,  // 1 or 3.
  parameter RAM        = 0,  // 1: arrivals and events are in a RAM; 0: in registers.
  parameter EVENT_BITS = 4,  // Bits of the number of events of a barrier.
  parameter CHECK      = 1,  // 1: misuse is refused.
  parameter STOP       = 0,  // 1: a warp whose Sync or Wait is refused stays stalled.
  parameter DETECT     = 0,  // 1: `hang` is built.
  parameter GLOBAL     = 0,  // 1: `gbar_*` is built.
  parameter CORE_BITS  = 1,  // Bits of the number of cores of a global barrier.
  parameter MESSAGES   = 1,  // 0: the module around it prints the errors in simulation.
  parameter IW = $clog2(IDS),  // Bits of an id; with more than this, larger ids are refused.
  // This parameter is derived and must not be set.
  parameter LW = $clog2(WARPS)
) (
  input  wire                 clock,
  input  wire                 reset,          // Synchronous, active high.
  input  wire [WARPS-1:0]     live,           // Warps that have started and have not ended.
  input  wire                 req_valid,      // Strobe: a request; see the table.
  input  wire [LW-1:0]        req_warp,       // Of an event it is only reported in a fault.
  input  wire [IW-1:0]        req_id,
  input  wire                 req_arrive,
  input  wire                 req_sync,
  input  wire                 req_event,
  input  wire                 req_phase,      // Wait: the token. Event: 1 for Expect.
  input  wire                 req_global,     // Sync, Arrive: the barrier is one of several cores.
  // Number of warps, or of events, minus one. Of a global barrier: warps of this core.
  input  wire [LW-1:0]        req_size_m1,
  // Number of cores of a global barrier, minus one; goes out on `gbar_req_cores_m1`.
  input  wire [CORE_BITS-1:0] req_cores_m1,
  input  wire [IW-1:0]        read_id,        // Id whose phase is read.
  output wire                 read_phase,
  // Strobe: a phase completes, or a warp resumes. The mask is 0 if no warp waited.
  output wire                 unlock_valid,
  output wire [WARPS-1:0]     unlock_mask,    // Warps that resume; 0 without `unlock_valid`.
  output wire [IW-1:0]        unlock_id,      // Barrier of these warps; any value without `unlock_valid`.
  output wire                 gbar_req_valid, // A global barrier is complete in this core.
  input  wire                 gbar_req_ready,
  output wire [IW-1:0]        gbar_req_id,
  output wire [CORE_BITS-1:0] gbar_req_cores_m1,
  input  wire                 gbar_rsp_valid, // A global barrier is complete in all cores.
  output wire                 gbar_rsp_ready,
  input  wire [IW-1:0]        gbar_rsp_id,
  output wire                 fault_valid,    // Strobe: a request was refused.
  output wire [5:0]           fault_code,     // A code of `bcu_phase_check`; 0 without `fault_valid`.
  output wire [LW-1:0]        fault_warp,
  output wire [IW-1:0]        fault_id,
  output wire [WARPS-1:0]     waiting,        // Warps that wait at a barrier.
  // Strobe: every live warp waits, and no event or response can release one; 0 with DETECT = 0.
  output wire                 hang
);

  localparam ROW_BITS = LW + 1 + EVENT_BITS + (CHECK != 0 ? LW + WARPS : 0) + (GLOBAL != 0 ? 1 + CORE_BITS : 0);
  localparam OP_BITS  = 6 + 2 * LW + IW + CORE_BITS;
  localparam [WARPS-1:0] ONE = {{(WARPS-1){1'b0}}, 1'b1};

  wire [WARPS-1:0] stalled;  // From their request on, and as long as they wait or are stopped.

  // The request in the cycle of its effect on the barrier: LATENCY = 3 adds a stage before it, in which the row is
  // read.
  wire               op_valid, op_blocked, op_arrive, op_sync, op_event, op_phase, op_global;
  wire [LW-1:0]      op_warp, op_size_m1;
  wire [IW-1:0]      op_id;
  wire [CORE_BITS-1:0] op_cores_m1;
  wire [OP_BITS-1:0] offered = {
    CHECK != 0 && |(stalled & ONE << req_warp), req_arrive, req_sync, req_event, req_phase, req_global,
    req_warp, req_size_m1, req_id, req_cores_m1};
  wire [OP_BITS-1:0] op;
  assign {op_blocked, op_arrive, op_sync, op_event, op_phase, op_global, op_warp, op_size_m1, op_id, op_cores_m1} = op;
  wire [ROW_BITS-1:0] row, next_row;
  wire                updates, flips, sends, responds;
  wire [IW-1:0]       response_id;
  wire [IW-1:0]       effect_id = GLOBAL == 0 || op_valid ? op_id : response_id;

  generate
    if (LATENCY == 1) begin : g_direct
      assign op_valid = req_valid;
      assign op       = offered;
    end else begin : g_staged
      reg               valid_q;
      reg [OP_BITS-1:0] op_q;
      always @(posedge clock) begin
        valid_q <= req_valid && !reset;
        op_q    <= offered;
      end
      assign op_valid = valid_q;
      assign op       = op_q;
    end
    if (LATENCY != 1 && LATENCY != 3) begin : g_latency
      bcu_phase_LATENCY_must_be_1_or_3 stop ();
    end
  endgenerate

  bcu_phase_rows #(.ROW_BITS(ROW_BITS), .IDS(IDS), .IW(IW), .RAM(RAM), .AHEAD(LATENCY == 1 ? RAM : 1)) rows (
    .clock(clock), .reset(reset), .read_id(LATENCY == 1 && RAM != 0 ? read_id : req_id), .row(row),
    .write(updates || responds), .clear(flips), .write_id(effect_id), .write_row(next_row));

  wire                 token_passed, completes, wants_to_wait, begins_wait, resumes, refused, first_event, last_event;
  wire [5:0]           code;
  wire [CORE_BITS-1:0] send_cores_m1;
  assign flips = completes || responds;

  bcu_phase_update #(
    .WARPS(WARPS),
    .IDS(IDS),
    .IW(IW),
    .EVENT_BITS(EVENT_BITS),
    .CHECK(CHECK),
    .STOP(STOP),
    .GLOBAL(GLOBAL),
    .CORE_BITS(CORE_BITS),
    .ROW_BITS(ROW_BITS)
  ) update (
    .op_valid(op_valid),
    .op_blocked(op_blocked),
    .op_arrive(op_arrive),
    .op_sync(op_sync),
    .op_event(op_event),
    .op_phase(op_phase),
    .op_global(op_global),
    .op_warp(op_warp),
    .op_size_m1(op_size_m1),
    .op_id(op_id),
    .op_cores_m1(op_cores_m1),
    .token_passed(token_passed),
    .row(row),
    .next_row(next_row),
    .writes(updates),
    .completes(completes),
    .sends(sends),
    .send_cores_m1(send_cores_m1),
    .wants_to_wait(wants_to_wait),
    .begins_wait(begins_wait),
    .resumes(resumes),
    .refused(refused),
    .code(code),
    .first_event(first_event),
    .last_event(last_event)
  );

  bcu_phase_tokens #(.IW(IW), .LATENCY(LATENCY)) tokens (
    .clock(clock),
    .reset(reset),
    .op_id(op_id),
    .op_phase(op_phase),
    .token_passed(token_passed),
    .flips(flips),
    .flip_id(effect_id),
    .read_id(read_id),
    .read_phase(read_phase)
  );

  bcu_phase_warps #(.WARPS(WARPS), .IW(IW), .LATENCY(LATENCY), .CHECK(CHECK), .STOP(STOP)) warps (
    .clock(clock),
    .reset(reset),
    .live(live),
    .begins_stall(req_valid && !req_event && (!req_arrive || req_sync)),
    .stall_warp(req_warp),
    .op_flips(flips),
    .op_wants_to_wait(wants_to_wait),
    .op_begins_wait(begins_wait),
    .op_resumes(resumes),
    .op_refused(refused),
    .op_code(code),
    .op_warp(op_warp),
    .op_id(effect_id),
    .unlock_valid(unlock_valid),
    .unlock_mask(unlock_mask),
    .unlock_id(unlock_id),
    .stalled(stalled),
    .waiting(waiting),
    .fault_valid(fault_valid),
    .fault_code(fault_code),
    .fault_warp(fault_warp),
    .fault_id(fault_id)
  );

  wire awaits_cores;
  generate
    if (GLOBAL != 0) begin : g_cores
      bcu_phase_global #(.IW(IW), .CORE_BITS(CORE_BITS)) cores (
        .clock(clock), .reset(reset), .send(sends), .send_id(op_id), .send_cores_m1(send_cores_m1),
        .req_valid(gbar_req_valid), .req_ready(gbar_req_ready), .req_id(gbar_req_id), .req_cores_m1(gbar_req_cores_m1),
        .rsp_valid(gbar_rsp_valid), .rsp_ready(gbar_rsp_ready), .rsp_id(gbar_rsp_id),
        .hold(op_valid), .responds(responds), .response_id(response_id), .is_open(awaits_cores));
    end else begin : g_no_cores
      assign gbar_req_valid    = 1'b0;
      assign gbar_req_id       = {IW{1'b0}};
      assign gbar_req_cores_m1 = {CORE_BITS{1'b0}};
      assign gbar_rsp_ready    = 1'b0;
      assign responds          = 1'b0;
      assign response_id       = {IW{1'b0}};
      assign awaits_cores      = 1'b0;
      // verilator lint_off UNUSEDSIGNAL
      wire unused = |{sends, send_cores_m1, gbar_req_ready, gbar_rsp_valid, gbar_rsp_id};
      // verilator lint_on UNUSEDSIGNAL
    end
    if (DETECT != 0) begin : g_detect
      reg [IW:0] with_events_q;  // Barriers with events that are not done.
      always @(posedge clock)
        with_events_q <= reset ? {(IW+1){1'b0}} : with_events_q + {{IW{1'b0}}, first_event} - {{IW{1'b0}}, last_event};
      bcu_hang #(.WARPS(WARPS)) detector (
        .clock(clock),
        .reset(reset),
        .members(live),
        .waits(stalled),
        .moves(req_valid || awaits_cores || with_events_q != {(IW+1){1'b0}}),
        .hang(hang)
      );
    end else begin : g_no_detect
      assign hang = 1'b0;
      // verilator lint_off UNUSEDSIGNAL
      wire unused = awaits_cores || first_event || last_event;
      // verilator lint_on UNUSEDSIGNAL
    end
  endgenerate

`ifndef SYNTHESIS
  always @(posedge clock) if (MESSAGES != 0) begin
    if (req_valid && reset)
      $display("bcu_phase: error: %0d: the request of warp %0d is lost: it comes during reset", $time, req_warp);
    if (!reset && req_valid && !req_event && !live[req_warp])
      $display("bcu_phase: error: %0d: warp %0d requests and is not live", $time, req_warp);
    if (!reset && fault_valid)
      $display("bcu_phase: error: %0d: a request of warp %0d at barrier %0d is refused, fault %0d",
               $time, fault_warp, fault_id, fault_code);
    if (!reset && hang)
      $display("bcu_phase: error: %0d: all live warps wait, %b at barriers", $time, waiting);
  end
`endif

endmodule

`default_nettype wire
// verilator lint_on TIMESCALEMOD
