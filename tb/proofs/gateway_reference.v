// SPDX-License-Identifier: Apache-2.0 OR MIT
// Second implementation of `gateway`, written by hand from docs/contract/gateway.md alone, for clarity alone. The comments give the
// headings of that page. It covers sizes in which every CTA slot and barrier that a number can name is built.
`include "sizes.vh"
`define LI $clog2(`I)
module gateway_reference (
`include "gateway_inputs.vh"
  ,
  output reg op_ready,
  output reg release_valid,
  output reg [`LC-1:0] release_cta,
  output reg [4:0] release_id,
  output reg [`W-1:0] release_notified,
  output reg [`W-1:0] release_warps,
  output reg commit_valid,
  output reg [`W-1:0] commit_warps,
  output reg commit_refused,
  output reg commit_cta_release,
  output reg commit_warp_done,
  output wire [`W-1:0] waiting,
  output wire [`C-1:0] open,
  output wire clearing,
  output wire fault_valid,
  output wire [5:0] fault_code,
  output wire fault_has_warp,
  output wire [`LW-1:0] fault_warp,
  output wire [`LC-1:0] fault_cta,
  output wire [4:0] fault_id
);
  localparam ROWS = `C * `I, Q = 4;
  localparam [2:0] SIGNAL = 0, WAIT = 1, EXIT = 2, LAUNCH = 3, RELEASE = 4;
  localparam [5:0] NOT_RESIDENT = 1, ID_OUT_OF_RANGE = 5, OPERAND_NOT_UNIFORM = 6, DOUBLE_ARRIVAL = 12, LEFT_OPEN = 17, SIGNAL_TYPE = 34,
    COUNT_ZERO = 35, COUNT_EXCEEDS_GROUP = 36, SIGNAL_MISMATCH = 37, OVER_SIGNAL = 38, NOTIFICATION_LOST = 39, PRODUCER_WAITS = 40;

  // State.
  reg [ROWS-1:0] is_open;
  reg [`CW-1:0] producers [0:ROWS-1], consumers [0:ROWS-1];
  reg [`W-1:0] produced [0:ROWS-1], consumed [0:ROWS-1], waits [0:ROWS-1], notified [0:ROWS-1];
  reg [`CW-1:0] launched [0:`C-1];
  reg [5:0] declared [0:`C-1], in_use [0:`C-1];
  reg [`W-1:0] waiters;
  assign waiting = waiters;
  localparam ROW = 1 + 2 * `CW + 4 * `W, SLOT = `CW + 12;
  wire [ROWS*ROW-1:0] all_rows;
  wire [`C*SLOT-1:0] all_slots;
  genvar g;
  generate for (g = 0; g < `C; g = g + 1) begin : slots
    assign open[g] = in_use[g] != 0;
    assign all_slots[SLOT*g+:SLOT] = {launched[g], declared[g], in_use[g]};
  end endgenerate
  generate for (g = 0; g < ROWS; g = g + 1) begin : rows
    assign all_rows[ROW*g+:ROW] = {is_open[g], producers[g], consumers[g], produced[g], consumed[g], waits[g], notified[g]};
  end endgenerate

  // Cycles: operations one and two cycles after their transfer, and rows to clear one and two cycles after their turn.
  localparam OP = 3 + 6 + 1 + `LW + `LC + 8 + 2 + 8 + 8 + `CW + 6 + `W;
  wire take = op_valid && op_ready && !reset;
  reg under_1, under_2, turn_1, turn_2;
  reg [OP-1:0] op_1, op_2;
  reg [$clog2(ROWS)-1:0] row_1, row_2;
  wire [2:0] kind;
  wire [5:0] fault;
  wire uniform;
  wire [`LW-1:0] warp;
  wire [`LC-1:0] cta;
  wire [7:0] id, more_producers, more_consumers;
  wire [1:0] role;
  wire [`CW-1:0] warps;
  wire [5:0] barriers;
  wire [`W-1:0] mask;
  assign {kind, fault, uniform, warp, cta, id, role, more_producers, more_consumers, warps, barriers, mask} = op_2;
  wire [2:0] kind_1 = op_1[OP-1:OP-3];
  wire [5:0] fault_1 = op_1[OP-4:OP-9];

  // The producers, consumers and notified warps in the row of the operation that takes effect in this cycle.
  wire [$clog2(ROWS)-1:0] row = {cta, id[`LI-1:0]};
  wire [`W-1:0] own = `W'd1 << warp;
  wire produces = role < 2, consumes = role == 0 || role == 2;
  wire signals = kind == SIGNAL, asks = kind == WAIT;
  wire [`W-1:0] now_produced = produced[row] | (produces ? own : 0), now_consumed = consumed[row] | (consumes ? own : 0);
  reg [`CW-1:0] had_produced, had_consumed, have_produced, have_consumed;
  integer w;
  always @(*) begin
    {had_produced, had_consumed, have_produced, have_consumed} = 0;
    for (w = 0; w < `W; w = w + 1) begin
      had_produced = had_produced + produced[row][w];
      had_consumed = had_consumed + consumed[row][w];
      have_produced = have_produced + now_produced[w];
      have_consumed = have_consumed + now_consumed[w];
    end
  end
  wire twice = (produces && (produced[row] & own) != 0) || (consumes && (consumed[row] & own) != 0);
  wire full = (produces && had_produced == producers[row]) || (consumes && had_consumed == consumers[row]);
  wire differs = more_producers != producers[row] || more_consumers != consumers[row];
  wire has_notice = (notified[row] & own) != 0;

  // Faults, in order of precedence.
  wire [5:0] code = fault != 0 ? fault :
    !signals && !asks ? 6'd0 :
    id >= declared[cta] ? ID_OUT_OF_RANGE :
    !uniform ? OPERAND_NOT_UNIFORM :
    asks ? (!has_notice && (consumed[row] & own) == 0 ? PRODUCER_WAITS : 6'd0) :
    twice ? DOUBLE_ARRIVAL :
    role == 3 ? SIGNAL_TYPE :
    more_producers == 0 || more_consumers == 0 ? COUNT_ZERO :
    more_producers > launched[cta] || more_consumers > launched[cta] ? COUNT_EXCEEDS_GROUP :
    is_open[row] && differs ? SIGNAL_MISMATCH :
    is_open[row] && full ? OVER_SIGNAL :
    consumes && has_notice ? NOTIFICATION_LOST : 6'd0;
  wire of_warp = kind != LAUNCH && kind != RELEASE;
  wire good = under_2 && code == 0;
  wire complete = have_produced == more_producers && have_consumed == more_consumers;

  // Rows to clear: the rows of one slot, or all rows after reset.
  reg [ROWS-1:0] to_clear;
  reg silent, was_reset;
  reg [$clog2(ROWS)-1:0] next;
  integer r;
  always @(*) begin
    next = 0;
    for (r = ROWS - 1; r >= 0; r = r - 1) if (to_clear[r]) next = r;
  end
  reg [2:0] count;
  wire [2:0] under_way = under_1 + under_2 + turn_1 + turn_2;
  wire turns = to_clear != 0 && count + under_way + 1 <= Q;
  assign clearing = was_reset || (under_1 && kind_1 == RELEASE && fault_1 == 0) || (under_2 && kind == RELEASE && fault == 0)
    || to_clear != 0 || turn_1;

  // Fault queue, oldest first.
  localparam F = 6 + 1 + `LW + `LC + 5;
  reg [F-1:0] fault_0, fault_at_1, fault_at_2, fault_at_3;
  assign fault_valid = count != 0;
  assign {fault_code, fault_has_warp, fault_warp, fault_cta, fault_id} = fault_0;
  wire row_in_use = is_open[row_2] || notified[row_2] != 0;
  wire left_open = turn_2 && !silent && row_in_use;
  wire puts = left_open || (under_2 && code != 0);
  wire [F-1:0] new_fault = turn_2 ? {LEFT_OPEN, 1'b0, {`LW{1'b0}}, row_2[$clog2(ROWS)-1:`LI], {(5-`LI){1'b0}}, row_2[`LI-1:0]}
    : {code, of_warp, warp, cta, id[4:0]};
  wire shown = fault_valid && fault_ready;
  wire [2:0] left = count - shown, count_next = left + puts;
  wire [2:0] under_next = take + turns + under_1 + turn_1;
  wire [ROWS-1:0] of_slot = {`I{1'b1}} << (cta * `I);
  wire starts = good && kind == RELEASE && in_use[cta] != 0;
  wire [ROWS-1:0] to_clear_next = starts ? of_slot : turns ? to_clear & ~({{(ROWS-1){1'b0}}, 1'b1} << next) : to_clear;

  // The effect of the operation on its row.
  wire ends = good && signals && complete, opens = good && signals && !complete;
  wire takes = good && asks && has_notice, stays = good && asks && !has_notice;
  wire [`W-1:0] goes = waits[row] & now_consumed, to_be_told = now_consumed & ~waits[row];
  wire was_used = is_open[row] || notified[row] != 0;
  wire used = ends ? (notified[row] | to_be_told) != 0 : opens ? 1'b1 : takes ? is_open[row] || (notified[row] & ~own) != 0 : was_used;
  wire [ROW-1:0] row_then = turn_2 ? 0 : {ends ? 1'b0 : opens || is_open[row], opens ? more_producers[`CW-1:0] : producers[row],
    opens ? more_consumers[`CW-1:0] : consumers[row], ends ? `W'd0 : opens ? now_produced : produced[row],
    ends ? `W'd0 : opens ? now_consumed : consumed[row], ends ? `W'd0 : stays ? waits[row] | own : waits[row],
    ends ? notified[row] | to_be_told : takes ? notified[row] & ~own : notified[row]};
  integer n;
  always @(posedge clock) begin
    {under_1, under_2, turn_1, turn_2} <= {take, under_1, turns, turn_1};
    op_1 <= {op_kind, op_fault, op_uniform, op_warp, op_cta, op_id, op_role, op_producers, op_consumers, op_warps, op_barriers, op_mask};
    op_2 <= op_1;
    row_1 <= next;
    row_2 <= row_1;
    to_clear <= to_clear_next;
    if (starts) silent <= 0;
    was_reset <= 0;

    release_valid <= ends || takes;
    {release_notified, release_warps} <= 0;
    commit_valid <= under_2;
    {commit_warps, commit_refused, commit_cta_release, commit_warp_done} <= 0;
    if (under_2) begin
      commit_warps <= kind == RELEASE ? mask : own;
      commit_refused <= of_warp && code != 0 && code != NOT_RESIDENT;
      commit_cta_release <= kind == RELEASE && fault == 0;
      commit_warp_done <= of_warp && (kind != EXIT || fault == 0);
    end
    if (ends || takes) begin
      {release_cta, release_id} <= {cta, id[4:0]};
      release_notified <= ends ? now_consumed : 0;
      release_warps <= ends ? goes : own;
      waiters <= waiters & ~(ends ? goes : own);
    end
    if (ends) begin
      is_open[row] <= 0;
      produced[row] <= 0;
      consumed[row] <= 0;
      waits[row] <= 0;
      notified[row] <= notified[row] | to_be_told;
    end
    if (opens) begin
      is_open[row] <= 1;
      producers[row] <= more_producers;
      consumers[row] <= more_consumers;
      produced[row] <= now_produced;
      consumed[row] <= now_consumed;
    end
    if (takes) notified[row] <= notified[row] & ~own;
    if (stays) begin
      waits[row] <= waits[row] | own;
      waiters <= waiters | own;
    end
    if (used && !was_used) in_use[cta] <= in_use[cta] + 1;
    if (!used && was_used) in_use[cta] <= in_use[cta] - 1;
    if (good && kind == LAUNCH) begin
      launched[cta] <= warps;
      declared[cta] <= barriers < `I ? barriers : `I;
    end
    if (good && kind == RELEASE) begin
      waiters <= waiters & ~mask;
      in_use[cta] <= 0;
    end
    if (turn_2) begin
      is_open[row_2] <= 0;
      produced[row_2] <= 0;
      consumed[row_2] <= 0;
      waits[row_2] <= 0;
      notified[row_2] <= 0;
    end

    count <= count_next;
    if (shown) {fault_0, fault_at_1, fault_at_2} <= {fault_at_1, fault_at_2, fault_at_3};
    if (puts && left == 0) fault_0 <= new_fault;
    if (puts && left == 1) fault_at_1 <= new_fault;
    if (puts && left == 2) fault_at_2 <= new_fault;
    if (puts && left == 3) fault_at_3 <= new_fault;

    op_ready <= !(take && op_kind == LAUNCH) && !(take && op_kind == RELEASE) && !(under_1 && kind_1 == RELEASE) && to_clear_next == 0
      && count_next + under_next + 1 <= Q;

    if (reset) begin
      {under_1, under_2, turn_1, turn_2, op_ready, release_valid, release_notified, release_warps, count} <= 0;
      {commit_valid, commit_warps, commit_refused, commit_cta_release, commit_warp_done, waiters} <= 0;
      is_open <= 0;
      {silent, was_reset} <= 3;
      to_clear <= {ROWS{1'b1}};
      for (n = 0; n < ROWS; n = n + 1) begin
        producers[n] <= 0;
        consumers[n] <= 0;
        produced[n] <= 0;
        consumed[n] <= 0;
        waits[n] <= 0;
        notified[n] <= 0;
      end
      for (n = 0; n < `C; n = n + 1) begin
        launched[n] <= 0;
        declared[n] <= 0;
        in_use[n] <= 0;
      end
    end
  end
endmodule
