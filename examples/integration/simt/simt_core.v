// SPDX-License-Identifier: Apache-2.0 OR MIT
`default_nettype none
`include "simt_isa.vh"

// simt_core: a small SIMT core as an example of a user of the barrier unit: WARPS warps of LANES lanes, shared
// memory, a program ROM.
//
// A warp is selected in turn (`simt_issue`), and its instruction executes in the next cycle in all lanes
// (`simt_lane`). A load or a store passes the lanes one after the other through the one port of the memory, in
// LANES + 1 cycles. So all accesses before a barrier are performed when the warp arrives, and the barrier needs no
// fence. `simt_isa.vh` has the instructions.
//
// Reads: `start` with `entry`, while `idle`; `bar_ready`; `resume`, the warps whose barrier has completed;
//   `peek_address` while `idle`.
// Writes: `bar_*`, an offer that holds until `bar_ready`: the arrival of a warp, or its exit if `bar_exit` is 1;
//   `live`, a level; `idle`; `peek_data`, the addressed word of the shared memory; `counters`.
// Latency: the arrival of a warp is offered in the cycle after its issue. Its next instruction issues in the cycle of
//   `resume` at the earliest. `peek_data` is valid one cycle after `peek_address`.
module simt_core #(
  parameter WARPS    = 8,
  parameter LANES    = 4,
  parameter WORDS    = 4 * WARPS * LANES,  // Words of the shared memory.
  parameter PC_BITS  = 7,
  parameter PROGRAM  = "programs.hex",
  parameter [0:0] ARRIVES = 1'b1,  // 0: the barriers have no arrival without a wait, so every arrival waits.
  // These parameters are derived and must not be set.
  parameter LW = WARPS > 4 ? $clog2(WARPS) : 2,
  parameter AW = $clog2(WORDS)
) (
  input  wire               clock,
  input  wire               reset,         // Synchronous, active high.
  input  wire               start,
  input  wire [PC_BITS-1:0] entry,
  output wire               idle,          // No warp is live.
  output wire [WARPS-1:0]   live,
  output wire               bar_valid,
  input  wire               bar_ready,
  output wire               bar_exit,
  output wire               bar_wait,
  output wire [LW-1:0]      bar_warp,
  output wire [3:0]         bar_id,
  output wire [LW:0]        bar_count,     // Number of participating warps; 0: all live ones.
  // Only for a unit with phases; without one `bar_token` is 0.
  output wire               bar_no_arrival,  // A wait without an arrival, for the end of the phase `bar_phase`.
  output wire               bar_phase,
  output wire [3:0]         bar_next_id,     // `bar_id` of the next cycle.
  input  wire               bar_token,       // Phase of `bar_id`.
  input  wire [WARPS-1:0]   resume,
  input  wire [AW-1:0]      peek_address,
  output wire [31:0]        peek_data,
  output wire [159:0]       counters       // As in `simt_counters`.
);

  reg  [31:0]         rom [0:(1<<PC_BITS)-1];
  initial $readmemh(PROGRAM, rom);

  // The execute stage.
  reg  [31:0]         instruction_q;
  reg  [LW+4:0]       step_q;  // Load and store: cycles since the first one, at most LANES.
  wire                ex_valid, ex_done, issue_valid;
  wire [LW-1:0]       warp, issue_warp;
  wire [PC_BITS-1:0]  pc, issue_pc;
  wire [LANES-1:0]    active, predicates;
  wire [32*LANES-1:0] addresses, store_words;

  wire [3:0]          op        = instruction_q[31:28];
  wire [1:0]          mode      = instruction_q[17:16];
  wire                is_load   = ex_valid && op == `SIMT_LD;
  wire                is_access = is_load || (ex_valid && op == `SIMT_ST);
  wire                is_exit   = op == `SIMT_EXIT;
  wire                last_step = step_q == LANES[LW+4:0];
  wire [31:0]         next      = rom[issue_pc];
  wire                branches  = op == `SIMT_BRA && (mode == 2'd0 || (mode == 2'd1) == |predicates);

  assign bar_valid = ex_valid && (op == `SIMT_BAR || is_exit);
  assign bar_exit  = is_exit;
  assign bar_wait  = mode != 2'd0 || !ARRIVES;
  assign bar_warp  = warp;
  assign bar_id    = instruction_q[3:0];
  assign bar_count = instruction_q[8 +: LW+1];
  assign bar_no_arrival = mode == 2'd2;
  assign bar_phase      = store_words[0];
  assign bar_next_id    = issue_valid ? next[3:0] : bar_id;
  assign ex_done   = ex_valid && (bar_valid ? bar_ready : !is_access || last_step);

  simt_issue #(.WARPS(WARPS), .PC_BITS(PC_BITS)) issue (
    .clock(clock),
    .reset(reset),
    .start(start),
    .entry(entry),
    .resume(resume),
    .ex_done(ex_done),
    .ex_waits(bar_valid && !is_exit && bar_wait),
    .ex_exits(is_exit),
    .ex_next_pc(branches ? instruction_q[PC_BITS-1:0] : pc + 1'b1),
    .issue_valid(issue_valid),
    .issue_warp(issue_warp),
    .issue_pc(issue_pc),
    .ex_valid_q(ex_valid),
    .ex_warp_q(warp),
    .ex_pc_q(pc),
    .live_q(live)
  );

  always @(posedge clock) begin
    if (issue_valid) instruction_q <= next;
    step_q <= reset || !is_access || last_step ? {(LW+5){1'b0}} : step_q + 1'b1;
  end

  // The shared memory: lane `step_q` accesses it, and the word of the lane before is available.
  reg  [31:0]         memory [0:WORDS-1];
  reg  [31:0]         read_q;
  reg  [LANES-1:0]    turn, previous_q;  // One-hot: the lane that accesses the memory; the lane before.
  reg  [AW-1:0]       address;
  reg  [31:0]         store_data;
  integer             i;
  always @* begin
    address    = is_access ? {AW{1'b0}} : peek_address;
    store_data = 32'd0;
    for (i = 0; i < LANES; i = i + 1) begin
      turn[i] = is_access && step_q == i[LW+4:0];
      if (turn[i]) begin
        address    = address | addresses[32*i +: AW];
        store_data = store_data | store_words[32*i +: 32];
      end
    end
  end

  always @(posedge clock) begin
    if (op == `SIMT_ST && |(turn & active)) memory[address] <= store_data;
    read_q     <= memory[address];
    previous_q <= turn;
  end

  genvar l;
  generate
    for (l = 0; l < LANES; l = l + 1) begin : g_lanes
      simt_lane #(.WARPS(WARPS), .LANES(LANES), .LANE(l)) lane (
        .clock(clock),
        .warp(warp),
        .instruction(instruction_q),
        .token(bar_token),
        .done(ex_done),
        .load_write(is_load && previous_q[l]),
        .load_data(read_q),
        .active(active[l]),
        .predicate(predicates[l]),
        .address(addresses[32*l +: 32]),
        .store_data(store_words[32*l +: 32])
      );
    end
  endgenerate

  // The upper bits of addresses are ignored.
  wire unused = &{1'b0, addresses};

  assign idle      = ~|live;
  assign peek_data = read_q;

  simt_counters #(.WARPS(WARPS)) counts (
    .clock(clock),
    .reset(reset),
    .start(start),
    .running(!idle),
    .issue_valid(issue_valid),
    .issue_warp(issue_warp),
    .bar_valid(bar_valid && bar_ready),
    .bar_exit(bar_exit),
    .bar_no_arrival(bar_no_arrival),
    .bar_warp(bar_warp),
    .bar_id(bar_id),
    .bar_counted(|bar_count),
    .resume(resume),
    .counters(counters)
  );

endmodule

`default_nettype wire
