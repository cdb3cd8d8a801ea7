// SPDX-License-Identifier: Apache-2.0 OR MIT
// When the time-out of a suspended warp is there: `ticks`, the part of `mbarrier` that keeps time, whatever is decided around it.
`include "sizes.vh"
module mbarrier_time (
  input wire clock, input wire suspends, input wire [`LW-1:0] warp, input wire [`XI-1:0] entry, input wire [`XL-1:0] limit, input wire taken
);
  reg begun = 0;
  always @(posedge clock) begun <= 1;
  wire reset = !begun;
  // The entries are cleared one a cycle, and a warp with each of the first.
  reg [`XI:0] clearing = 0;
  wire cleared = clearing[`XI];
  always @(posedge clock) clearing <= reset ? 0 : cleared ? clearing : clearing + 1;

  wire time_out_valid;
  wire [`LW-1:0] time_out_warp;
  wire [`XI-1:0] time_out_entry;
  bcu_mbarrier_ticks dut (
    .clock(clock), .reset(reset), .ctrl_warp(warp), .ctrl_entry(entry), .ctrl_limit(limit), .suspends(suspends), .cleared(cleared),
    .clear_warp(clearing[`LW-1:0]), .time_out_valid(time_out_valid), .time_out_ready(taken), .time_out_warp(time_out_warp), .time_out_entry(time_out_entry)
  );
  // What is around it: nothing is decided before the entries are cleared, a limit is at least 1, and what is not there is not taken.
  always @(*) begin
    if (suspends) assume (cleared && limit != 0);
    if (taken) assume (time_out_valid);
  end

  // The last suspension of a warp of the solver's choice: cycles since its decision, up to 3; its entry and limit; whether its time-out came.
  (* anyconst *) reg [`LW-1:0] who;
  reg [1:0] age = 0;
  reg armed = 0, time_out_before = 0, cleared_before = 0;
  reg [`XI-1:0] where;
  reg [`XL-1:0] most;
  // Cycles that count since then: the entries are cleared, and no time-out is there or will be in the next.
  localparam RB = `XL + 8;
  reg [RB-1:0] ran_before;
  wire [RB-1:0] ran = age == 1 ? 0 : ran_before + (cleared_before && !time_out_before && !time_out_valid);
  wire rises = time_out_valid && !time_out_before && time_out_warp == who;
  // One that is there two cycles behind the decision is of a suspension before it.
  wire own = armed && rises && age == 3;
  wire again = suspends && warp == who;
  always @(posedge clock) begin
    time_out_before <= time_out_valid && !reset;
    cleared_before <= cleared && !reset;
    ran_before <= ran;
    if (age != 3 && age != 0) age <= age + 1;
    if (own) armed <= 0;
    if (again) {armed, age, where, most} <= {1'b1, 2'd1, entry, limit};
    if (reset) {armed, age} <= 0;
  end
  wire [RB-1:0] least_cycles = 64 * (most - 1) + who + 2, most_cycles = 64 * most + who + 1;
  always @(posedge clock) if (begun) begin
    if (own) l_early: assert (ran >= least_cycles);
    if (armed && !own) l_late: assert (ran <= most_cycles);
    if (own) l_entry: assert (time_out_entry == where);
`ifdef COVER
    late: cover (own && ran == most_cycles - 1 && most == 1);
    soon: cover (own && ran == least_cycles);
`endif
  end
`ifdef INSIDE
`include "mbarrier_time_inside.vh"
`endif
endmodule
