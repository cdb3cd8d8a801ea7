// SPDX-License-Identifier: Apache-2.0 OR MIT
`timescale 1ns / 1ps
`default_nettype none
`include "bcu_defs.vh"

// tb_bcu_counted: self-checking bench of `bcu_counted`, for the configuration whose `bcu_defs.vh` is on the include
// path.
//
// The bench puts warps that are not stalled into groups of random size, each with a barrier id that no other group
// uses. The warps of a group send their requests one after the other, in random order, with pauses. Checked: the
// group is unlocked LATENCY cycles after its last request, and no warp in any other cycle; a request with an id that
// is not built is refused, and unlocks only its own warp, or no warp with STOP = 1; at the end all live warps request
// a barrier that cannot complete, and the hang is reported once.
//
// Parameters: STOP, LATENCY and CHECK of `bcu_counted`. Plusargs: +seed=N, +groups=N (2000). Ends with `PASS`, or with
// `FAIL` and the plusargs to repeat it.
// verilator lint_off WIDTH
module tb_bcu_counted #(
  parameter STOP = 0, LATENCY = 3, CHECK = 1
);
  localparam W = `BCU_WARPS, IDS = `BCU_BARRIERS, LW = `BCU_LW, REFUSAL = LATENCY == 1 ? 1 : `BCU_CYCLES_NAMED_FAULT;
  localparam [W-1:0] ONE = 1;

  reg           clock, reset, req_valid, failed;
  reg  [LW-1:0] req_warp, req_size_m1;
  reg  [3:0]    req_id;
  wire          ready, unlock_valid, fault_valid;
  wire [W-1:0]  unlock_mask;
  wire [5:0]    fault_code;
  wire [LW-1:0] fault_warp;
  wire [3:0]    fault_id, unlock_id;
  wire          hang;
  reg  [W-1:0]  live;

  bcu_counted #(.WARPS(W), .STOP(STOP), .DETECT(1), .LATENCY(LATENCY), .CHECK(CHECK)) dut (
    .clock(clock), .reset(reset), .ready(ready), .live(live),
    .req_valid(req_valid), .req_warp(req_warp), .req_id(req_id), .req_size_m1(req_size_m1),
    .unlock_valid(unlock_valid), .unlock_mask(unlock_mask), .unlock_id(unlock_id), .hang(hang),
    .fault_valid(fault_valid), .fault_code(fault_code), .fault_warp(fault_warp), .fault_id(fault_id));

  initial begin clock = 1'b0; forever #5 clock = !clock; end

  // `members`: per id the warps of its group. `requested`: per id the warps of the group that have sent their
  // request. `grouped`: the warps of all groups, until they are unlocked.
  reg  [W-1:0] members [0:15], requested [0:15], grouped, chosen;
  // Index n: the warps that are to be unlocked n cycles from now, and their barrier id.
  reg  [W-1:0] expected [0:LATENCY];
  reg  [3:0]   expected_id [0:LATENCY];
  integer      seed, first_seed, groups, completed, cycle, pace, id, warp, hangs, i;

  function integer ones(input [W-1:0] x);
    integer b;
    begin ones = 0; for (b = 0; b < W; b = b + 1) ones = ones + x[b]; end
  endfunction

  // Random number from 0 to limit - 1, by xorshift, so that every simulator gets the same stimulus.
  function integer below(input integer limit);
    begin
      seed = seed ^ (seed << 13); seed = seed ^ (seed >> 17 & 32'h7fff); seed = seed ^ (seed << 5);
      below = (seed >> 3 & 32'h1fffffff) % limit;
    end
  endfunction

  // Drives the next request of a group, or forms a new group, or does neither.
  task drive;
    begin
      req_valid = 1'b0;
      id = below(IDS);
      warp = below(W);
      if (members[id] == 0) begin
        for (i = 0; i < W; i = i + 1) chosen[i] = i == warp || below(2) == 0;
        members[id] = chosen & ~grouped;
        grouped = grouped | members[id];
      end else if (below(pace) == 0) begin
        for (i = 0; i < W && !req_valid; i = i + 1) begin
          warp = (warp + 1) % W;
          req_valid = members[id][warp] && !requested[id][warp];
        end
        req_warp = warp; req_id = id; req_size_m1 = ones(members[id]) - 1;
        requested[id] = requested[id] | ONE << warp;
        if (requested[id] == members[id]) begin
          expected[LATENCY] = members[id];
          expected_id[LATENCY] = id;
          members[id] = 0; requested[id] = 0;
          completed = completed + 1;
        end
      end
    end
  endtask

  // Advances one cycle, and checks which warps are unlocked in it.
  task step;
    begin
      @(negedge clock);
      cycle = cycle + 1;
      for (i = 0; i < LATENCY; i = i + 1) begin expected[i] = expected[i+1]; expected_id[i] = expected_id[i+1]; end
      expected[LATENCY] = 0;
      expected_id[LATENCY] = 0;
      if (unlock_mask !== expected[0] || unlock_valid !== (expected[0] != 0) || unlock_id !== expected_id[0]
          || !ready) begin
        if (!failed)
          $display("cycle %0d: warps %b unlocked at barrier %0d, expected %b at %0d; ready %b, expected 1",
                   cycle, unlock_mask, unlock_id, expected[0], expected_id[0], ready);
        failed = 1'b1;
      end
      hangs = hangs + hang;
      grouped = grouped & ~expected[0];
    end
  endtask

  initial begin
    if (!$value$plusargs("seed=%d", seed)) seed = 1;
    if (!$value$plusargs("groups=%d", groups)) groups = 2000;
    first_seed = seed;
    failed = 1'b0;
    completed = 0;
    cycle = 0;
    hangs = 0;
    live = {W{1'b1}};
    grouped = 0;
    req_valid = 1'b0;
    req_warp = 0;
    req_id = 0;
    req_size_m1 = 0;
    for (i = 0; i < 16; i = i + 1) begin members[i] = 0; requested[i] = 0; end
    for (i = 0; i <= LATENCY; i = i + 1) begin expected[i] = 0; expected_id[i] = 0; end
    reset = 1'b1;
    repeat (2) @(negedge clock);
    reset = 1'b0;
    while (!ready) @(negedge clock);
    while (completed < groups && !failed) begin
      if (cycle % 64 == 0) pace = 1 + below(4);
      drive;
      step;
    end
    req_valid = 1'b0;
    repeat (LATENCY + 1) step;
    if (IDS < 16 && `BCU_CHECKS && CHECK != 0) begin
      req_valid = 1'b1; req_warp = 1; req_id = IDS; req_size_m1 = 0;
      expected[REFUSAL] = STOP ? 0 : ONE << 1;
      expected_id[REFUSAL] = STOP ? 0 : IDS;
      step;
      req_valid = 1'b0;
      repeat (REFUSAL - 1) step;
      if (!fault_valid || fault_code != `BCU_FAULT_ID_OUT_OF_RANGE || fault_warp != 1 || fault_id != IDS) begin
        $display("fault_valid %b, code %0d, warp %0d, id %0d; expected 1, %0d, 1, %0d",
                 fault_valid, fault_code, fault_warp, fault_id, `BCU_FAULT_ID_OUT_OF_RANGE, IDS);
        failed = 1'b1;
      end
    end
    if (hangs != 0) begin
      $display("%0d hangs reported while all groups complete, expected 0", hangs);
      failed = 1'b1;
    end
    // After a reset warp 0 is not live, and all other warps wait at a barrier that needs its arrival.
    reset = 1'b1;
    repeat (2) @(negedge clock);
    reset = 1'b0; live[0] = 1'b0;
    while (!ready) @(negedge clock);
    for (warp = 1; warp < W; warp = warp + 1) begin
      req_valid = 1'b1; req_warp = warp; req_id = 0; req_size_m1 = W - 1;
      step;
    end
    req_valid = 1'b0;
    repeat (40) step;
    if (hangs != 1) begin
      $display("%0d hangs reported after the last requests, expected 1", hangs);
      failed = 1'b1;
    end
    if (failed) $display("FAIL: +seed=%0d +groups=%0d", first_seed, groups);
    else $display("PASS: %0d groups in %0d cycles, seed %0d", completed, cycle, first_seed);
    $finish;
  end
endmodule

`default_nettype wire
