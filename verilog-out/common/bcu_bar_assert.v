// SPDX-License-Identifier: Apache-2.0 OR MIT
// bcu_bar_assert: interface assertions for `bcu_bar` and its user.
//
// Reads: every port of `bcu_bar`, by its name. Writes: `broken`, a bit for each rule, in the cycle in which it is
// broken; a message at the edge that ends that cycle. In Verilog, write after an instance, with its parameters,
//   `BCU_CHECK_BAR(instance, WARPS, ID_BITS)
// In SystemVerilog, write
//   bind bcu_bar bcu_bar_assert #(.WARPS(WARPS), .ID_BITS(ID_BITS)) promises (.broken(), .*);
// With BCU_ASSERT defined, in SystemVerilog, the rules are concurrent assertions. STOP 1 ends the simulation at the
// first broken rule. Empty with SYNTHESIS. `op_warp` of an Arrive and of an Exit is the warp that sends it. A user that
// never sends a Launch has WARPS live warps.
`ifndef BCU_CHECK_BAR_V
`define BCU_CHECK_BAR_V
`define BCU_CHECK_BAR(unit, warps, id_bits) \
  bcu_bar_assert #(.WARPS(warps), .ID_BITS(id_bits)) promises ( \
    .broken(), .clock(unit.clock), .reset(unit.reset), \
    .op_valid(unit.op_valid), .op_ready(unit.op_ready), .op_kind(unit.op_kind), .op_all(unit.op_all), \
    .op_warp(unit.op_warp), .op_id(unit.op_id), .op_size_m1(unit.op_size_m1), \
    .release_valid(unit.release_valid), .release_id(unit.release_id), .release_warps(unit.release_warps), \
    .waiting(unit.waiting) \
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
module bcu_bar_assert #(
  parameter STOP = 0, WARPS = 8, ID_BITS = 4,
  // This parameter is derived and must not be set.
  parameter LW = $clog2(WARPS)
) (
  input  wire               clock,
  input  wire               reset,
  input  wire               op_valid,
  input  wire               op_ready,
  input  wire [1:0]         op_kind,
  input  wire               op_all,
  input  wire [LW-1:0]      op_warp,
  input  wire [ID_BITS-1:0] op_id,
  input  wire [LW-1:0]      op_size_m1,
  input  wire               release_valid,
  input  wire [ID_BITS-1:0] release_id,
  input  wire [WARPS-1:0]   release_warps,
  input  wire [WARPS-1:0]   waiting,
  output wire [13:0]        broken
);
`ifndef SYNTHESIS
  localparam IDS = 1 << ID_BITS;
  localparam [WARPS-1:0] ONE = 1;

  // No rule is checked before the first reset or in a cycle with reset.
  reg was_reset = 1'b0;
  always @(posedge clock) was_reset <= was_reset || reset;
  wire active = was_reset && !reset;

  wire transfer = op_valid && op_ready;
  wire sync     = transfer && op_kind == 0;
  wire arrive   = transfer && op_kind == 1;
  wire arrives  = sync || arrive;
  wire exit     = transfer && op_kind == 2;
  wire launch   = transfer && op_kind == 3;
  wire all      = sync && op_all;

  // Warps that wait for a release, live warps.
  reg  [WARPS-1:0] stalled, live;
  reg              launched;
  wire [WARPS-1:0] still_stalled = stalled & ~release_warps;
  wire [WARPS-1:0] of_op         = ONE << op_warp;
  // The generation of each barrier: the warps that have arrived, the number of warps that it needs; 0: all.
  reg  [WARPS-1:0] arrived [0:IDS-1];
  reg  [LW:0]      sizes [0:IDS-1];
  wire [WARPS-1:0] arrived_here = arrived[op_id];
  wire [LW:0]      size         = all ? 0 : op_size_m1 + 1;
  // The operations of the cycles before; index n: n + 1 cycles ago.
  reg  [2:0]           was_op, was_sync;
  reg  [3*LW-1:0]      warp_before;
  reg  [WARPS-1:0]     waiting_before;
  reg                  op_waits, was_active, was_ready;
  reg  [ID_BITS:0]     rows_to_clear;
  reg  [ID_BITS+2*LW+2:0] op_offered;
  wire [ID_BITS+2*LW+2:0] op_payload = {op_kind, op_all, op_warp, op_id, op_size_m1};
  integer              i;

  function integer ones(input [WARPS-1:0] set);
    integer b;
    begin ones = 0; for (b = 0; b < WARPS; b = b + 1) ones = ones + set[b]; end
  endfunction
  wire [LW:0] ones_arrived = ones(arrived_here | of_op);
  wire [LW:0] needed       = all ? ones(live) : size;

  always @(posedge clock) begin
    op_waits       <= active && op_valid && !op_ready;
    op_offered     <= op_payload;
    was_active     <= active;
    was_ready      <= op_ready;
    was_op         <= reset ? 0 : {was_op, transfer && !launch};
    was_sync       <= reset ? 0 : {was_sync, sync};
    warp_before    <= {warp_before, op_warp};
    waiting_before <= reset ? 0 : waiting;
    rows_to_clear  <= reset || launch ? IDS : rows_to_clear == 0 ? 0 : rows_to_clear - 1;
    if (reset || launch) begin
      launched <= !reset;
      stalled  <= 0;
      for (i = 0; i < WARPS; i = i + 1) live[i] <= reset || i <= op_size_m1;
      for (i = 0; i < IDS; i = i + 1) arrived[i] <= 0;
    end else begin
      stalled <= still_stalled | (sync ? of_op : 0);
      if (exit) live <= live & ~of_op;
      if (arrives) begin
        arrived[op_id] <= ones_arrived == needed ? 0 : arrived_here | of_op;
        sizes[op_id] <= size;
      end
      if (exit)
        for (i = 0; i < IDS; i = i + 1)
          if (arrived[i] != 0 && sizes[i] == 0 && arrived[i] == (live & ~of_op)) arrived[i] <= 0;
    end
  end

  wire             was_sent     = was_op[2];
  wire [WARPS-1:0] new_waits    = was_sync[2] ? ONE << warp_before[2*LW +: LW] : 0;
  wire [WARPS-1:0] next_waiting = was_ready ? (waiting_before | new_waits) & ~release_warps : 0;

  `BCU_RULE(user_op_known, 0,
      (op_valid === 1'bx
       || op_valid === 1'b1
          && ^{op_kind, op_kind != 3 && ^op_warp, !op_kind[1] && ^op_id, op_kind == 0 && op_all,
               op_kind != 2 && !(op_kind == 0 && op_all) && ^op_size_m1} === 1'bx),
      ("%m: %0d: the user of bcu_bar: the payload of op has unknown bits", $time))
  `BCU_RULE(user_op_held, 1, (op_waits && (op_valid !== 1'b1 || op_offered !== op_payload)),
      ("%m: %0d: the user of bcu_bar: an offer on op changes before op_ready", $time))
  `BCU_RULE(user_launch_first, 2, ((exit || all) && !launched),
      ("%m: %0d: the user of bcu_bar: kind %0d before the first Launch", $time, op_kind))
  `BCU_RULE(user_range, 3,
      ((arrives && !all || launch) && op_size_m1 >= WARPS || (arrives || exit) && op_warp >= WARPS),
      ("%m: %0d: the user of bcu_bar: op_size_m1 %0d or warp %0d is not below %0d", $time, op_size_m1, op_warp, WARPS))
  `BCU_RULE(user_not_live, 4, ((arrives || exit) && op_warp < WARPS && !(|(live & of_op))),
      ("%m: %0d: the user of bcu_bar: warp %0d sends kind %0d and is not live", $time, op_warp, op_kind))
  `BCU_RULE(user_waits, 5, ((arrives || exit) && |(still_stalled & of_op)),
      ("%m: %0d: the user of bcu_bar: warp %0d sends kind %0d while it waits", $time, op_warp, op_kind))
  `BCU_RULE(user_twice, 6, (arrives && |(arrived_here & of_op)),
      ("%m: %0d: the user of bcu_bar: warp %0d arrives at barrier %0d twice", $time, op_warp, op_id))
  `BCU_RULE(user_count, 7, (arrives && arrived_here != 0 && sizes[op_id] != size),
      ("%m: %0d: the user of bcu_bar: count %0d of warp %0d at barrier %0d, expected %0d (0: all live warps)",
       $time, size, op_warp, op_id, sizes[op_id]))
  `BCU_RULE(unit_release_idle, 8, (release_valid === 1'b0 && release_warps != 0),
      ("%m: %0d: bcu_bar: release_warps is not 0 without release_valid", $time))
  `BCU_RULE(unit_release_of_waiting, 9, (op_ready && |(release_warps & ~stalled)),
      ("%m: %0d: bcu_bar: a release of warps that do not wait: %b", $time, release_warps & ~stalled))
  `BCU_RULE(unit_release_when, 10, (release_valid && !was_sent),
      ("%m: %0d: bcu_bar: release_valid without an operation 3 cycles before", $time))
  `BCU_RULE(unit_waiting, 11, (was_active && waiting !== next_waiting),
      ("%m: %0d: bcu_bar: waiting is %b, expected %b", $time, waiting, next_waiting))
  `BCU_RULE(unit_ready, 12, (op_ready !== (rows_to_clear == 0)),
      ("%m: %0d: bcu_bar: op_ready is %b, and %0d of its cycles with 0 are left", $time, op_ready, rows_to_clear))
  `BCU_RULE(unit_outputs_known, 13, (^{op_ready, release_valid, release_warps, waiting} === 1'bx),
      ("%m: %0d: bcu_bar: unknown bits in outputs that are meaningful in every cycle", $time))
  always @(posedge clock) if (STOP != 0 && |broken) $finish;
`else
  assign broken = 14'd0;
`endif
endmodule
/* verilator lint_on WIDTH */
/* verilator lint_on UNUSEDPARAM */
/* verilator lint_on UNUSEDSIGNAL */
/* verilator lint_on DECLFILENAME */
/* verilator lint_on TIMESCALEMOD */
`default_nettype wire
`endif
