// SPDX-License-Identifier: Apache-2.0 OR MIT
// verilator lint_off TIMESCALEMOD
`default_nettype none
`include "bcu_defs.vh"

// bcu_named_promises: checks in simulation what the user of `bcu_named` promises.
//
// All ports but `broken` have the names of ports of `bcu_named`, and all of them are inputs, so the checker only
// listens. It is empty when SYNTHESIS is defined. Each broken promise gives one message with the time and, where
// there is one, the warp:
//   bcu_named_promises: 1230: warp 5 sends Arrive at barrier 3 while it waits
// Bound in SystemVerilog by one line: bind bcu_named bcu_named_promises #(.WARPS(WARPS), .LANES(LANES), .CTAS(CTAS)) promises (.broken(), .*);
// or instantiated in Verilog beside the unit with the same signals: see `tb_bcu_named_promises.v`.
//
// Reads: the operation channel of `bcu_named`, `waiting` and `trapped`.
// Writes: `broken`, the code of the promise that was broken last, 0 = none; of several in one cycle the lowest.
// Latency: message and `broken` at the edge that ends the cycle of the transfer; codes 1 and 2 at the edge that ends the cycle in which
//   the offer has changed.
// Hierarchical reads: `times[code]`, how often each promise was broken.
//
// Operations with op_fault other than 0 have no effect in the unit: of them only codes 1 to 7 are checked.
// A Launch says with op_mask which warps it launches. If op_mask is 0 and op_warps is not, the mask is not given:
// then codes 13 and 16 are not checked for this CTA, and a warp is of the CTA from its first operation on.
// Warps that hang by the fault policy are not seen here, as `bcu_named` has no port for them.
`ifdef SYNTHESIS
// verilator lint_off UNUSEDSIGNAL
// verilator lint_off UNUSEDPARAM
`endif
module bcu_named_promises #(
  parameter WARPS = `BCU_WARPS,
  parameter LANES = `BCU_LANES,
  parameter CTAS  = `BCU_CTAS,
  parameter STOP  = 0,   // 1: end the simulation at the first broken promise.
  // The following are derived and must not be set.
  parameter LW = WARPS > 4 ? $clog2(WARPS) : 2,
  parameter CW = LW + 1,
  parameter LC = CTAS > 2 ? $clog2(CTAS) : 1,
  parameter VW = LANES > 4 ? $clog2(LANES) + 1 : 3
) (
  input  wire             clock,
  input  wire             reset,
  input  wire             op_valid,
  input  wire             op_ready,
  input  wire [3:0]       op_kind,
  input  wire [5:0]       op_fault,
  input  wire             op_uniform,
  input  wire [LC-1:0]    op_cta,
  input  wire [3:0]       op_id,
  input  wire [11:0]      op_count,
  input  wire [1:0]       op_redop,
  input  wire [1:0]       op_state,
  input  wire [31:0]      op_data,
  input  wire [LW-1:0]    op_warp,
  input  wire [VW-1:0]    op_value,
  input  wire [WARPS-1:0] op_mask,
  input  wire [CW-1:0]    op_warps,
  input  wire [CW-1:0]    op_live,
  input  wire [5:0]       op_barriers,
  input  wire             op_saved,
  input  wire [WARPS-1:0] trapped,
  input  wire [WARPS-1:0] waiting,
  output wire [4:0]       broken
);

  // Codes.
  localparam [4:0]
    DROPPED     = 5'd1,   // op_valid falls, or is unknown, before op_ready has been 1.
    CHANGED     = 5'd2,   // A field that means something changes before op_ready has been 1.
    KIND        = 5'd3,   // op_kind above 8.
    FAULT       = 5'd4,   // op_fault above 40.
    REDOP       = 5'd5,   // op_redop 3.
    STATE       = 5'd6,   // op_state 3, or Result with Write.
    WARP        = 5'd7,   // op_warp not below WARPS.
    VALUE       = 5'd8,   // op_value above LANES with Popc.
    WAITS       = 5'd9,   // A warp that waits sends something other than Read and Write.
    TRAPPED     = 5'd10,  // A trapped warp does.
    NOT_THERE   = 5'd11,  // An operation of a CTA before its Launch or after its Release.
    OTHER_CTA   = 5'd12,  // A warp names a CTA slot that is not its own.
    MASK_COUNT  = 5'd13,  // Launch: op_warps is not the number of warps in op_mask.
    LIVE        = 5'd14,  // Launch: op_live above op_warps.
    TOO_MANY    = 5'd15,  // Launch: more than WARPS warps launched, all CTAs together.
    TAKEN_WARP  = 5'd16,  // Launch: a warp slot is of another CTA.
    TAKEN_CTA   = 5'd17,  // Launch: the CTA slot has not been released.
    RELEASE     = 5'd18,  // Release: op_mask is not what was launched.
    EXITED      = 5'd19,  // A warp sends something after its Exit.
    EXITS       = 5'd20;  // Exit: more exits than warps were live.
  localparam LAST = 20;

`ifndef SYNTHESIS

  localparam SLOTS = 1 << LC;

  reg  [4:0]        broken_q;
  integer           times [0:LAST];
  // The offer of the last cycle, if it was not taken.
  reg               offered_q;
  reg  [3:0]        kind_q, id_q;
  reg  [5:0]        fault_q, barriers_q;
  reg               uniform_q, saved_q;
  reg  [LC-1:0]     cta_q;
  reg  [11:0]       count_q;
  reg  [1:0]        redop_q, state_q;
  reg  [31:0]       data_q;
  reg  [LW-1:0]     warp_q;
  reg  [VW-1:0]     value_q;
  reg  [WARPS-1:0]  mask_q;
  reg  [CW-1:0]     warps_q, live_q;
  // CTAs and warps.
  reg  [SLOTS-1:0]  up_q;                          // Launched and not released.
  reg  [SLOTS-1:0]  named_q;                       // Its Launch gave the mask.
  reg  [SLOTS*WARPS-1:0] member_q;                 // Per CTA slot: its warps.
  reg  [WARPS-1:0]  exited_q;
  reg  [SLOTS*CW-1:0] launched_q, left_q;          // Per CTA slot: warps launched, warps still live.

  // Kinds.
  wire is_reduce  = op_kind == 4'd2;
  wire is_state   = op_kind == 4'd3 || op_kind == 4'd4;
  wire is_write   = op_kind == 4'd4;
  wire is_exit    = op_kind == 4'd5;
  wire is_launch  = op_kind == 4'd6;
  wire is_release = op_kind == 4'd7;
  wire is_arrival = op_kind <= 4'd2;
  wire of_warp    = op_kind <= 4'd5 || op_kind == 4'd8;
  wire taken      = op_valid && op_ready && !reset;
  wire effective  = taken && op_fault == 6'd0;
  wire built      = {{(32-LC){1'b0}}, op_cta} < CTAS;
  wire warp_built = {{(32-LW){1'b0}}, op_warp} < WARPS;

  wire [WARPS-1:0] own_bit = {{(WARPS-1){1'b0}}, 1'b1} << op_warp;
  // The warps of the CTA slot that is named, of the others, and of all together.
  reg  [WARPS-1:0] here, elsewhere;
  reg  [31:0]      in_mask, in_all;
  integer          i, j;
  always @* begin
    here      = {WARPS{1'b0}};
    elsewhere = {WARPS{1'b0}};
    in_all    = 32'd0;
    in_mask   = 32'd0;
    for (i = 0; i < SLOTS; i = i + 1)
      if (i == {{(32-LC){1'b0}}, op_cta})
        here = member_q[i*WARPS +: WARPS];
      else if (up_q[i]) begin
        elsewhere = elsewhere | member_q[i*WARPS +: WARPS];
        in_all    = in_all + {{(32-CW){1'b0}}, launched_q[i*CW +: CW]};
      end
    for (j = 0; j < WARPS; j = j + 1)
      in_mask = in_mask + {31'd0, op_mask[j]};
  end
  wire [CW-1:0] left       = left_q[op_cta*CW +: CW];
  wire          mask_given = |op_mask || op_warps == {CW{1'b0}};

  wire changed = kind_q != op_kind || fault_q != op_fault || uniform_q != op_uniform || cta_q != op_cta || id_q != op_id
    || warp_q != op_warp
    || (is_arrival && count_q != op_count)
    || (is_reduce && (redop_q != op_redop || value_q != op_value))
    || (is_state && state_q != op_state)
    || (is_write && data_q != op_data)
    || ((is_launch || is_release) && mask_q != op_mask)
    || (is_launch && (warps_q != op_warps || live_q != op_live || barriers_q != op_barriers))
    || (is_release && saved_q != op_saved);

  reg [LAST:1] bad;
  always @* begin
    bad             = {LAST{1'b0}};
    bad[DROPPED]    = !reset && offered_q && op_valid !== 1'b1;
    bad[CHANGED]    = !reset && offered_q && op_valid && changed;
    bad[KIND]       = taken && op_kind > 4'd8;
    bad[FAULT]      = taken && op_fault > 6'd40;
    bad[REDOP]      = taken && is_reduce && op_redop == 2'd3;
    bad[STATE]      = taken && is_state && (op_state == 2'd3 || (is_write && op_state == 2'd2));
    bad[WARP]       = taken && of_warp && !warp_built;
    bad[VALUE]      = effective && is_reduce && op_redop == 2'd2 && {{(32-VW){1'b0}}, op_value} > LANES;
    if (effective && of_warp && warp_built && built) begin
      bad[WAITS]     = !is_state && |(waiting & own_bit);
      bad[TRAPPED]   = !is_state && |(trapped & own_bit);
      bad[NOT_THERE] = !up_q[op_cta];
      bad[OTHER_CTA] = up_q[op_cta] && ((named_q[op_cta] && !(|(here & own_bit))) || |(elsewhere & own_bit));
      bad[EXITED]    = up_q[op_cta] && |(exited_q & here & own_bit);
      bad[EXITS]     = up_q[op_cta] && is_exit && left == {CW{1'b0}} && !bad[EXITED];
    end
    if (effective && is_launch && built) begin
      bad[MASK_COUNT] = mask_given && {{(32-CW){1'b0}}, op_warps} != in_mask;
      bad[LIVE]       = op_live > op_warps;
      bad[TOO_MANY]   = {{(32-CW){1'b0}}, op_warps} + in_all > WARPS;
      bad[TAKEN_WARP] = |(op_mask & elsewhere);
      bad[TAKEN_CTA]  = up_q[op_cta];
    end
    if (effective && is_release && built) begin
      bad[NOT_THERE]  = !up_q[op_cta];
      bad[RELEASE]    = up_q[op_cta] && named_q[op_cta] && op_mask != here;
    end
  end

  task name_kind;
    case (op_kind)
      4'd0: $write("Sync at barrier %0d", op_id);
      4'd1: $write("Arrive at barrier %0d", op_id);
      4'd2: $write("Reduce at barrier %0d", op_id);
      4'd3: $write("Read");
      4'd4: $write("Write");
      4'd5: $write("Exit");
      4'd6: $write("Launch");
      4'd7: $write("Release");
      4'd8: $write("Fence");
      default: $write("kind %0d", op_kind);
    endcase
  endtask

  task say(input [4:0] code);
    begin
      $write("bcu_named_promises: %0d: ", $time);
      if (taken && of_warp && code != DROPPED && code != CHANGED) begin
        $write("warp %0d sends ", op_warp);
        name_kind;
      end else if (taken && code != DROPPED && code != CHANGED) begin
        name_kind;
        $write(" of CTA slot %0d", op_cta);
      end
      case (code)
        DROPPED:    $display("op_valid falls before op_ready, the offer was of warp %0d", warp_q);
        CHANGED:    $display("the operation changes before op_ready, the offer was of warp %0d", warp_q);
        KIND:       $display(", which must not occur");
        FAULT:      $display(" with op_fault %0d, the highest is 40", op_fault);
        REDOP:      $display(" with op_redop 3, which must not occur");
        STATE:      $display(" with op_state %0d, which must not occur", op_state);
        WARP:       $display(", there are %0d warps", WARPS);
        VALUE:      $display(" with op_value %0d, a warp has %0d lanes", op_value, LANES);
        WAITS:      $display(" while it waits");
        TRAPPED:    $display(" while it is trapped");
        NOT_THERE:  $display(", CTA slot %0d is not launched", op_cta);
        OTHER_CTA:  $display(" in CTA slot %0d, into which it was not launched", op_cta);
        MASK_COUNT: $display(" with op_warps %0d, but %0d warps in op_mask", op_warps, in_mask);
        LIVE:       $display(" with op_live %0d, but op_warps %0d", op_live, op_warps);
        TOO_MANY:   $display(" with op_warps %0d, others have %0d, there are %0d", op_warps, in_all, WARPS);
        TAKEN_WARP: $display(" with warp slots of another CTA: %b", op_mask & elsewhere);
        TAKEN_CTA:  $display(", which is launched already");
        RELEASE:    $display(" with op_mask %b, launched were %b", op_mask, here);
        EXITED:     $display(" after its Exit");
        default:    $display(", but no warp of CTA slot %0d is live", op_cta);
      endcase
    end
  endtask

  initial begin
    broken_q = 5'd0;
    for (j = 0; j <= LAST; j = j + 1) times[j] = 0;
  end

  integer k;
  always @(posedge clock) begin
    for (k = LAST; k >= 1; k = k - 1)
      if (bad[k]) begin
        times[k] <= times[k] + 1;
        broken_q <= k[4:0];
      end
    for (k = 1; k <= LAST; k = k + 1)
      if (bad[k]) say(k[4:0]);
    if (STOP != 0 && |bad) $finish;

    offered_q  <= op_valid && !op_ready && !reset;
    kind_q     <= op_kind;
    fault_q    <= op_fault;
    uniform_q  <= op_uniform;
    cta_q      <= op_cta;
    id_q       <= op_id;
    count_q    <= op_count;
    redop_q    <= op_redop;
    state_q    <= op_state;
    data_q     <= op_data;
    warp_q     <= op_warp;
    value_q    <= op_value;
    mask_q     <= op_mask;
    warps_q    <= op_warps;
    live_q     <= op_live;
    barriers_q <= op_barriers;
    saved_q    <= op_saved;

    if (reset) begin
      up_q       <= {SLOTS{1'b0}};
      named_q    <= {SLOTS{1'b0}};
      member_q   <= {(SLOTS*WARPS){1'b0}};
      exited_q   <= {WARPS{1'b0}};
      launched_q <= {(SLOTS*CW){1'b0}};
      left_q     <= {(SLOTS*CW){1'b0}};
    end else if (effective && built) begin
      if (is_launch) begin
        up_q[op_cta]                       <= 1'b1;
        named_q[op_cta]                    <= mask_given;
        member_q[op_cta*WARPS +: WARPS]    <= op_mask;
        exited_q                           <= exited_q & ~op_mask;
        launched_q[op_cta*CW +: CW]        <= op_warps;
        left_q[op_cta*CW +: CW]            <= op_live;
      end else if (is_release) begin
        up_q[op_cta]                       <= 1'b0;
        member_q[op_cta*WARPS +: WARPS]    <= {WARPS{1'b0}};
        exited_q                           <= exited_q & ~here;
      end else if (of_warp && warp_built && up_q[op_cta]) begin
        if (!named_q[op_cta])
          member_q[op_cta*WARPS +: WARPS]  <= here | own_bit;
        if (is_exit && !(|(exited_q & own_bit))) begin
          exited_q                         <= exited_q | own_bit;
          if (|left) left_q[op_cta*CW +: CW] <= left - 1'b1;
        end
      end
    end
  end

  assign broken = broken_q;

`else

  assign broken = 5'd0;

`endif

endmodule

`default_nettype wire
// verilator lint_on TIMESCALEMOD
