// SPDX-License-Identifier: Apache-2.0 OR MIT
// verilator lint_off TIMESCALEMOD
`default_nettype none

// bcu_bar: the named barriers of one CTA without checks, as `bar.sync` and `bar.arrive` of PTX:
// arrivals with and without a count, and exits of warps.
//
// It has no faults, no reductions, no state words and no record of the warps that have arrived;
// `bcu_named` has these, and several CTAs. The module needs no export: the parameters are its
// sizes.
//
// Reads: `op_*`, a channel: one operation a cycle.
// Writes: `release_*`, a strobe; `waiting`, a level.
// Latency: 3 cycles from the transfer of the operation that completes a barrier to `release_valid`.
// `op_ready` is 0 for 2^ID_BITS cycles after reset and after a Launch, in which all barriers become
// idle, and 1 otherwise.
//
// Operations:
// - Sync: a warp arrives and waits. The barrier completes with the arrival of `op_size_m1` + 1
//   warps, or with `op_all` with that of all live warps.
// - Arrive: a warp arrives and does not wait. An Arrive has a count.
// - Exit: a live warp ends. The barrier of the last arrival without a count completes if all other
//   live warps wait at it.
// - Launch: a CTA of `op_size_m1` + 1 warps begins, and all barriers become idle.
//
// Rules for the user:
// - After reset a Launch comes before the first Exit and the first Sync with `op_all`. A user that
//   sends neither needs no Launch.
// - At a Launch no warp of the CTA before is live, or all its warps are killed. A release by an
//   operation before the Launch comes while `op_ready` is 0.
// - `op_valid` and its payload stay until `op_ready` is 1.
// - A warp that waits sends nothing until its bit in `release_warps` is 1.
// - The arrivals of a generation have the same count, or all have none. A count is at most WARPS.
//   A warp arrives at most once in a generation.
// - Each live warp sends at most one Exit, and sends nothing after it.
//
// A broken rule is not detected here; `bcu_bar_assert` reports it in simulation. With broken rules
// a barrier may complete early, late, or never, and the numbers of arrivals and of live warps wrap.
// But a release has only warps that sent a Sync at this barrier since it was idle, a barrier with a
// count depends only on the operations at it, and after the next Launch no effect is left.
module bcu_bar #(
  parameter WARPS   = 8,  // 2 to 64.
  parameter ID_BITS = 4,  // 1 to 4: the CTA has 2^ID_BITS barriers.
  // This parameter is derived and must not be set.
  parameter LW = $clog2(WARPS)
) (
  input  wire               clock,
  input  wire               reset,          // Synchronous, active high.
  input  wire               op_valid,
  output wire               op_ready,
  input  wire [1:0]         op_kind,        // 0: Sync, 1: Arrive, 2: Exit, 3: Launch.
  input  wire               op_all,         // Sync: 1: all live warps, without a count.
  input  wire [LW-1:0]      op_warp,        // The warp; Arrive, Exit: only the checker reads it.
  input  wire [ID_BITS-1:0] op_id,          // Sync, Arrive: the barrier.
  input  wire [LW-1:0]      op_size_m1,     // Sync, Arrive: count, Launch: warps; minus one.
  output reg                release_valid,  // Strobe: a barrier completes.
  output reg  [ID_BITS-1:0] release_id,     // That barrier; any value without `release_valid`.
  output reg  [WARPS-1:0]   release_warps,  // Warps that resume; 0 without `release_valid`.
  output wire [WARPS-1:0]   waiting         // Warps that wait.
);

  localparam [1:0]       SYNC = 2'd0, EXIT = 2'd2, LAUNCH = 2'd3;
  localparam [WARPS-1:0] NO_WARPS = {WARPS{1'b0}}, WARP_0 = {{(WARPS-1){1'b0}}, 1'b1};

  // Transfer: the row of the barrier is read, by an Exit that of the barrier without a count.
  reg  [ID_BITS:0]   cleared_rows_q;  // Rows cleared since the Launch or reset; 2^ID_BITS: all.
  reg  [LW-1:0]      live_m1_q;       // Live warps, minus one.
  reg  [ID_BITS-1:0] all_id_q;        // Barrier of the last arrival without a count.
  wire               clears      = !cleared_rows_q[ID_BITS];
  wire               transfer    = op_valid && !clears;
  wire               is_launch   = op_kind == LAUNCH;
  wire               is_exit     = op_kind == EXIT;
  wire               arrives_all = op_kind == SYNC && op_all;
  wire [ID_BITS-1:0] read_id     = is_exit ? all_id_q : op_id;
  wire [LW-1:0]      last_count  = is_exit || arrives_all ? live_m1_q : op_size_m1;
  wire [LW-1:0]      next_live   = is_launch ? op_size_m1 : live_m1_q - 1'b1;
  assign op_ready = !clears;

  // Lookup stage: the row is available, and its next value is written. A row: whether the barrier
  // is open, and the number of arrivals if it is.
  reg                lookup_valid_q;
  reg                lookup_exit_q;   // An Exit.
  reg                lookup_waits_q;  // A Sync.
  reg                lookup_all_q;    // An arrival without a count, or an Exit.
  reg                lookup_same_q;   // The operation of the cycle before has the same barrier.
  reg  [LW-1:0]      lookup_count_q;  // Number of arrivals before the last one.
  reg  [LW-1:0]      lookup_warp_q;
  reg  [ID_BITS-1:0] lookup_id_q;
  reg  [LW:0]        written_row_q;   // The row that was written in the cycle before.
  reg                all_open_q;      // The barrier of the last arrival without a count is open.
  wire [LW:0]        row_word;
  wire [LW:0]        row           = lookup_same_q ? written_row_q : row_word;
  wire               row_open      = row[LW];
  wire [LW-1:0]      row_arrivals  = row_open ? row[LW-1:0] : {LW{1'b0}};
  wire               is_last       = row_arrivals == lookup_count_q;
  wire               completes     = is_last && (all_open_q || !lookup_exit_q);
  wire               next_open     = !completes && (row_open || !lookup_exit_q);
  wire [LW-1:0]      next_arrivals = row_arrivals + {{(LW-1){1'b0}}, !lookup_exit_q};
  wire [LW:0]        next_row      = {next_open && !clears, next_arrivals};
  wire [ID_BITS-1:0] write_id      = clears ? cleared_rows_q[ID_BITS-1:0] : lookup_id_q;

  bcu_bar_words #(.WORD_BITS(LW + 1), .ID_BITS(ID_BITS)) rows (
    .clock(clock),
    .read_id(read_id),
    .word(row_word),
    .write(lookup_valid_q || clears),
    .write_id(write_id),
    .write_word(next_row)
  );

  // Commit stage: the warps that wait at the barrier are available, and written.
  reg                commit_valid_q, commit_completes_q;
  reg                commit_uses_word_q;   // The word of the memory is of this generation.
  reg  [WARPS-1:0]   commit_warp_q;        // The warp that waits, as a mask.
  reg  [WARPS-1:0]   commit_same_warps_q;  // Written in the cycle before, at the same open barrier.
  reg  [ID_BITS-1:0] commit_id_q;
  reg  [WARPS-1:0]   waiting_q;
  wire [WARPS-1:0]   warps_word;
  wire [WARPS-1:0]   earlier_warps = commit_uses_word_q ? warps_word : commit_same_warps_q;
  wire [WARPS-1:0]   waiting_here  = earlier_warps | commit_warp_q;
  assign waiting = waiting_q;

  bcu_bar_words #(.WORD_BITS(WARPS), .ID_BITS(ID_BITS)) warps (
    .clock(clock),
    .read_id(lookup_id_q),
    .word(warps_word),
    .write(commit_valid_q),
    .write_id(commit_id_q),
    .write_word(waiting_here)
  );

  always @(posedge clock) begin
    if (reset) begin
      cleared_rows_q     <= {(ID_BITS+1){1'b0}};
      all_id_q           <= {ID_BITS{1'b0}};
      lookup_valid_q     <= 1'b0;
      commit_valid_q     <= 1'b0;
      commit_completes_q <= 1'b0;
      release_valid      <= 1'b0;
    end else begin
      if (transfer && is_launch) cleared_rows_q <= {(ID_BITS+1){1'b0}};
      else if (clears) cleared_rows_q <= cleared_rows_q + 1'b1;
      if (transfer && arrives_all) all_id_q <= op_id;
      lookup_valid_q     <= transfer && !is_launch;
      commit_valid_q     <= lookup_valid_q;
      commit_completes_q <= lookup_valid_q && completes;
      release_valid      <= commit_completes_q;
    end
  end

  always @(posedge clock) begin
    if (reset || !commit_completes_q) begin
      release_warps <= NO_WARPS;
    end else begin
      release_warps <= waiting_here;
    end
  end

  always @(posedge clock) begin
    if (reset || clears) begin
      all_open_q <= 1'b0;
      waiting_q  <= NO_WARPS;
    end else begin
      if (lookup_all_q) all_open_q <= !completes && (all_open_q || !lookup_exit_q);
      waiting_q <= (waiting_q | commit_warp_q) & ~(commit_completes_q ? waiting_here : NO_WARPS);
    end
  end

  always @(posedge clock) begin
    if (transfer && (is_launch || is_exit)) live_m1_q <= next_live;
    lookup_exit_q       <= is_exit;
    lookup_waits_q      <= transfer && op_kind == SYNC;
    lookup_all_q        <= transfer && (is_exit || arrives_all);
    lookup_same_q       <= lookup_valid_q && read_id == lookup_id_q;
    lookup_count_q      <= last_count;
    lookup_warp_q       <= op_warp;
    lookup_id_q         <= read_id;
    written_row_q       <= next_row;
    commit_uses_word_q  <= row_open && !lookup_same_q;
    commit_warp_q       <= lookup_waits_q ? WARP_0 << lookup_warp_q : NO_WARPS;
    commit_same_warps_q <= row_open && lookup_same_q ? waiting_here : NO_WARPS;
    commit_id_q         <= lookup_id_q;
    release_id          <= commit_id_q;
  end

endmodule

`default_nettype wire
// verilator lint_on TIMESCALEMOD
