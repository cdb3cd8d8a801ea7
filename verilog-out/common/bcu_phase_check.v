// SPDX-License-Identifier: Apache-2.0 OR MIT
// verilator lint_off TIMESCALEMOD
`default_nettype none

// bcu_phase_check: part of `bcu_phase` with CHECK = 1. It decides whether a request is refused, and with which fault
// code.
//
// Reads: the request, and the state of its warp and of its barrier before the request.
// Writes: `refused_warp` for a Sync, Arrive or Wait, `refused_event` for an Expect or Done, `code`; 0 if nothing is
// wrong.
// Latency: none; it has no state.
//
// The codes are those of docs/contract/faults.md. If several apply, the first of the list below is reported.
module bcu_phase_check #(
  parameter WARPS = 8,
  // This parameter is derived and must not be set.
  parameter LW = $clog2(WARPS)
) (
  input  wire          of_warp,      // A Sync, Arrive or Wait; with the next three, all 0 without a request.
  input  wire          arrives,      // Sync or Arrive.
  input  wire          expects,      // Expect.
  input  wire          is_done,      // Done.
  input  wire [LW-1:0] warp,
  input  wire          no_id,        // The barrier is not built.
  input  wire [LW-1:0] size_m1,
  input  wire          blocked,      // The warp waits or is stopped.
  input  wire          arrived,      // The warp has arrived in this phase.
  input  wire          is_open,      // A warp has arrived in this phase.
  input  wire          is_full,      // All warps have arrived in this phase.
  input  wire [LW-1:0] expected,     // Count of the phase, minus one, if `is_open`.
  input  wire          other_kind,   // Local, and the phase is global, or the reverse, if `is_open`.
  input  wire          other_cores,  // Number of cores that differs from that of the phase, if `is_open`.
  input  wire          no_events,    // All events of the phase are done.
  input  wire          many_events,  // The number of events does not fit its bits after an Expect.
  input  wire          is_sent,      // The phase is complete in this core and waits for other cores.
  output wire          refused_warp,
  output wire          refused_event,
  output wire [5:0]    code
);

  localparam [5:0] NOT_RESIDENT          = 6'd1,  WARP_BLOCKED         = 6'd2,
                   ID_OUT_OF_RANGE       = 6'd5,  COUNT_EXCEEDS_CTA    = 6'd11,
                   DOUBLE_ARRIVAL        = 6'd12, KIND_MISMATCH        = 6'd13,
                   COUNT_MISMATCH        = 6'd14, MBARRIER_TX_RANGE    = 6'd26,
                   MBARRIER_OVER_ARRIVAL = 6'd27, MBARRIER_EXPECT_LATE = 6'd30;

  wire no_warp      = of_warp && {1'b0, warp} >= WARPS[LW:0];
  wire is_blocked   = of_warp && blocked;
  wire many_warps   = arrives && {1'b0, size_m1} >= WARPS[LW:0];
  wire is_twice     = arrives && arrived;
  wire wrong_kind   = arrives && is_open && other_kind;
  wire wrong_count  = arrives && is_open && (size_m1 != expected || other_cores);
  wire wrong_events = expects && !is_sent && many_events || is_done && no_events;
  wire over         = arrives && is_full;
  wire is_late      = expects && is_sent;

  // The number of events after an Expect is known late, and no warp resumes with an Expect: two outputs keep it off
  // that path.
  assign refused_warp  = of_warp && no_id || no_warp || is_blocked || many_warps
                         || is_twice || wrong_kind || wrong_count || over;
  assign refused_event = (expects || is_done) && no_id || wrong_events || is_late;
  assign code = no_warp      ? NOT_RESIDENT          :
                is_blocked   ? WARP_BLOCKED          :
                no_id        ? ID_OUT_OF_RANGE       :
                many_warps   ? COUNT_EXCEEDS_CTA     :
                is_twice     ? DOUBLE_ARRIVAL        :
                wrong_kind   ? KIND_MISMATCH         :
                wrong_count  ? COUNT_MISMATCH        :
                wrong_events ? MBARRIER_TX_RANGE     :
                over         ? MBARRIER_OVER_ARRIVAL :
                is_late      ? MBARRIER_EXPECT_LATE  : 6'd0;

endmodule

`default_nettype wire
// verilator lint_on TIMESCALEMOD
