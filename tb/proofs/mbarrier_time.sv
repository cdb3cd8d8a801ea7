// SPDX-License-Identifier: Apache-2.0 OR MIT
// The cycle in which a suspended warp times out. The design under test is `ticks`, the timekeeping block of `mbarrier`; the decisions of
// the rest of `mbarrier` are arbitrary.
`include "sizes.vh"
module mbarrier_time (
  input wire clock, input wire suspends, input wire [`LW-1:0] warp, input wire [`XI-1:0] entry, input wire [`XL-1:0] limit, input wire taken,
  input wire [`W-1:0] suspended
);
  reg begun = 0;
  always @(posedge clock) begun <= 1;
  wire reset = !begun;
  // The unit clears its entries after reset, one each cycle.
  reg [`XI:0] clearing = 0;
  wire cleared = clearing[`XI];
  always @(posedge clock) clearing <= reset ? 0 : cleared ? clearing : clearing + 1;

  wire time_out_valid;
  wire [`LW-1:0] time_out_warp;
  wire [`XI-1:0] time_out_entry;
  bcu_mbarrier_ticks dut (
    .clock(clock), .reset(reset), .warp(warp), .entry(entry), .limit(limit), .suspends(suspends), .cleared(cleared),
    .suspended_warps(suspended), .time_out_valid(time_out_valid), .time_out_ready(taken),
    .time_out({time_out_entry, time_out_warp})
  );
  // Assumptions on the rest of the unit: no decision before the entries are cleared; a limit of at least 1; only a valid time-out is taken.
  always @(*) begin
    if (suspends) assume (cleared && limit != 0);
    if (taken) assume (time_out_valid);
  end

  // The followed warp `who`, chosen by the solver, and its last suspension. `armed`: a suspension has occurred. `age`: cycles since the
  // decision to suspend, at most 3. `where` and `most`: the entry, and the limit in ticks. `came`: the time-out has occurred. `asleep`: the
  // warp is still suspended.
  (* anyconst *) reg [`LW-1:0] who;
  reg [1:0] age = 0;
  reg armed = 0, came = 0, asleep = 0, time_out_before = 0, cleared_before = 0;
  reg [`XI-1:0] where;
  reg [`XL-1:0] most;
  wire again = suspends && warp == who;
  // The unit suspends only a warp that is not suspended, and reports a warp as suspended only after a decision that suspends it.
  always @(*) begin
    if (again) assume (!suspended[who]);
    if (!armed) assume (!suspended[who]);
  end
  // `ran` counts cycles since the decision to suspend: those with cleared entries and without a valid time-out in this and the previous
  // cycle. The count saturates.
  localparam RB = `XL + 8;
  reg [RB-1:0] ran_before;
  wire [RB-1:0] ran = age == 1 ? 0 : &ran_before ? ran_before : ran_before + (cleared_before && !time_out_before && !time_out_valid);
  wire there = time_out_valid && time_out_warp == who;
  always @(posedge clock) begin
    time_out_before <= time_out_valid && !reset;
    cleared_before <= cleared && !reset;
    ran_before <= ran;
    if (age != 3 && age != 0) age <= age + 1;
    if (there) came <= 1;
    asleep <= asleep && suspended[who];
    if (again) {armed, came, asleep, age, where, most} <= {3'b101, 2'd1, entry, limit};
    if (reset) {armed, came, asleep, age} <= 0;
  end
  wire [RB-1:0] least_cycles = 64 * (most - 1) + who + 2, most_cycles = 64 * most + who + 1;
  always @(posedge clock) if (begun) begin
    // The lower bound of a time-out also holds after earlier suspensions of the warp.
    if (there) l_early: assert (armed && ran >= least_cycles);
    if (there) l_entry: assert (time_out_entry == where);
    if (armed && asleep && !came && !there) l_late: assert (ran <= most_cycles);
`ifdef COVER
    late: cover (there && !came && ran == most_cycles - 1 && most == 1);
    soon: cover (there && !came && ran == least_cycles);
`endif
  end
`ifdef INSIDE
`include "mbarrier_time_inside.vh"
`endif
endmodule
