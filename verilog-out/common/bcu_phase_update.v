// SPDX-License-Identifier: Apache-2.0 OR MIT
// verilator lint_off TIMESCALEMOD
`default_nettype none

// bcu_phase_update: part of `bcu_phase`: what a request does to its barrier and to its warp. Combinational.
//
// Reads: `op_*`, the request in the cycle of its effect; `row`, the state of its barrier; `token_passed`. Writes: all
// outputs.
// Latency: none.
//
// A row is 0 at the begin of a phase. From its lowest bit: arrivals; all arrivals have come; events that are not
// done; with CHECK = 1 the number of arrivals minus one, and the warps that have arrived; with GLOBAL = 1 the kind of
// the barrier and the number of cores minus one.
module bcu_phase_update #(
  parameter WARPS      = 8,
  parameter IDS        = 8,
  parameter IW         = 3,  // Bits of an id.
  parameter EVENT_BITS = 4,
  parameter CHECK      = 1,
  parameter STOP       = 0,
  parameter GLOBAL     = 0,
  parameter CORE_BITS  = 1,
  parameter ROW_BITS   = 19,
  // This parameter is derived and must not be set.
  parameter LW = $clog2(WARPS)
) (
  input  wire                 op_valid,
  input  wire                 op_blocked,     // Its warp is stalled already; 0 with CHECK = 0.
  input  wire                 op_arrive,
  input  wire                 op_sync,
  input  wire                 op_event,
  input  wire                 op_phase,
  input  wire                 op_global,
  input  wire [LW-1:0]        op_warp,
  input  wire [LW-1:0]        op_size_m1,
  input  wire [IW-1:0]        op_id,
  input  wire [CORE_BITS-1:0] op_cores_m1,
  input  wire                 token_passed,   // The phase of the token is over.
  input  wire [ROW_BITS-1:0]  row,
  output wire [ROW_BITS-1:0]  next_row,
  output wire                 writes,         // The row is to be written. A refused request writes it unchanged.
  output wire                 completes,      // The phase completes; then the row is to be cleared.
  // The barrier is complete in this core, and a request to the other cores is due.
  output wire                 sends,
  output wire [CORE_BITS-1:0] send_cores_m1,
  output wire                 wants_to_wait,  // A Sync or Wait of a warp that is not stalled, also one that is refused.
  output wire                 begins_wait,    // The warp waits, unless the phase completes.
  output wire                 resumes,        // The warp resumes at once.
  output wire                 refused,
  output wire [5:0]           code,           // The fault; 0 without `refused`.
  output wire                 first_event,    // The barrier had no events and has some.
  output wire                 last_event      // The barrier had one event and has none.
);

  localparam AT_FULL   = LW, AT_EVENTS = LW + 1, AT_EXPECTED = AT_EVENTS + EVENT_BITS;
  localparam AT_GLOBAL = AT_EXPECTED + (CHECK != 0 ? LW + WARPS : 0);
  localparam [WARPS-1:0] ONE = {{(WARPS-1){1'b0}}, 1'b1};

  // Fields of the row. A barrier whose arrivals are complete waits for events, or for the response of the other cores.
  wire [LW-1:0]         row_arrivals = row[0 +: LW];
  wire                  row_full     = row[AT_FULL];
  wire [EVENT_BITS-1:0] row_events   = row[AT_EVENTS +: EVENT_BITS];
  wire                  row_global;
  wire [CORE_BITS-1:0]  row_cores_m1;
  wire                  refused_warp, refused_event;
  assign                refused      = refused_warp || refused_event;

  // What the request does.
  wire   is_arrival    = op_valid && !op_event && op_arrive;
  wire   is_wait       = op_valid && !op_event && !op_arrive;
  wire   is_expect     = op_valid && op_event && op_phase;
  wire   no_id         = CHECK != 0 && {1'b0, op_id} >= IDS[IW:0];
  wire   is_done       = op_valid && op_event && !op_phase;
  wire   last_arrival  = is_arrival && row_arrivals == op_size_m1;
  wire   no_events     = row_events == {EVENT_BITS{1'b0}};
  wire   one_event     = row_events == {{(EVENT_BITS-1){1'b0}}, 1'b1};
  wire   is_complete   = last_arrival && no_events && !refused_warp || is_done && row_full && one_event && !no_id;
  wire   is_global     = GLOBAL != 0 && (is_arrival ? op_global : row_global);
  wire   is_to_wait    = is_wait || is_arrival && op_sync;
  assign wants_to_wait = is_to_wait && !op_blocked;
  assign begins_wait   = !refused_warp && (is_wait && !token_passed || is_arrival && op_sync);
  assign resumes       = refused_warp ? STOP == 0 && is_to_wait && !op_blocked : is_wait && token_passed;
  assign completes     = is_complete && !is_global;
  assign sends         = is_complete && is_global;
  assign send_cores_m1 = is_arrival ? op_cores_m1 : row_cores_m1;
  assign first_event   = is_expect && !refused && no_events;
  assign last_event    = is_done && !refused && one_event;
  // A refused request writes the row unchanged: its refusal is known too late for the enable of many registers.
  wire   counts        = is_arrival && !refused_warp;
  assign writes        = op_valid && !is_wait && !no_id;

  localparam SUM_BITS = (EVENT_BITS > LW ? EVENT_BITS : LW) + 1;
  wire [SUM_BITS-1:0] expected_events =
    {{(SUM_BITS-EVENT_BITS){1'b0}}, row_events} + {{(SUM_BITS-LW){1'b0}}, op_size_m1} + 1'b1;
  wire [EVENT_BITS-1:0] next_events =
    refused_event ? row_events                      :
    is_expect     ? expected_events[EVENT_BITS-1:0] :
    is_done       ? row_events - 1'b1               : row_events;
  assign next_row[0 +: LW]                  = row_arrivals + {{(LW-1){1'b0}}, counts};
  assign next_row[AT_FULL]                  = row_full || last_arrival && !refused_warp;
  assign next_row[AT_EVENTS +: EVENT_BITS]  = next_events;

  generate
    if (CHECK != 0) begin : g_check
      wire [LW-1:0]    row_expected = row[AT_EXPECTED +: LW];
      wire [WARPS-1:0] row_arrived  = row[AT_EXPECTED + LW +: WARPS];
      assign next_row[AT_EXPECTED +: LW]         = counts ? op_size_m1 : row_expected;
      assign next_row[AT_EXPECTED + LW +: WARPS] = row_arrived | (counts ? ONE << op_warp : {WARPS{1'b0}});
      bcu_phase_check #(.WARPS(WARPS)) check (
        .of_warp(op_valid && !op_event),
        .arrives(is_arrival),
        .expects(is_expect),
        .is_done(is_done),
        .warp(op_warp),
        .size_m1(op_size_m1),
        .blocked(op_blocked),
        .arrived(row_arrived[op_warp]),
        .is_open(row_full || row_arrivals != {LW{1'b0}}),
        .is_full(row_full),
        .expected(row_expected),
        .other_kind(GLOBAL != 0 && op_global != row_global),
        .other_cores(GLOBAL != 0 && op_global && op_cores_m1 != row_cores_m1),
        .no_id(no_id),
        .no_events(no_events),
        .many_events(|expected_events[SUM_BITS-1:EVENT_BITS]),
        .is_sent(row_full && row_global && no_events),
        .refused_warp(refused_warp),
        .refused_event(refused_event),
        .code(code)
      );
    end else begin : g_no_check
      assign refused_warp  = 1'b0;
      assign refused_event = 1'b0;
      assign code          = 6'd0;
      // verilator lint_off UNUSEDSIGNAL
      wire unused = |op_warp || |expected_events[SUM_BITS-1:EVENT_BITS];
      // verilator lint_on UNUSEDSIGNAL
    end
    if (GLOBAL != 0) begin : g_global
      assign row_global   = row[AT_GLOBAL];
      assign row_cores_m1 = row[AT_GLOBAL + 1 +: CORE_BITS];
      assign next_row[AT_GLOBAL]                  = counts ? op_global : row_global;
      assign next_row[AT_GLOBAL + 1 +: CORE_BITS] = counts ? op_cores_m1 : row_cores_m1;
    end else begin : g_local
      assign row_global   = 1'b0;
      assign row_cores_m1 = {CORE_BITS{1'b0}};
      // verilator lint_off UNUSEDSIGNAL
      wire unused = op_global;
      // verilator lint_on UNUSEDSIGNAL
    end
  endgenerate

endmodule

`default_nettype wire
// verilator lint_on TIMESCALEMOD
