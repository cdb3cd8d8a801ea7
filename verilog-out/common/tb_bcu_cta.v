// SPDX-License-Identifier: Apache-2.0 OR MIT
`timescale 1ns / 1ps
`default_nettype none

// tb_bcu_cta: self-checking bench of `bcu_cta`: random CTAs of random warps start, meet, end, and are killed, misuse
// and resets among them. The reference counts the running and the waiting warps of each CTA; every output is compared
// with it in every cycle.
//
// Parameters: those of `bcu_cta`. Plusargs: +seed=N, +cycles=N (20000). Ends with `PASS`, or with `FAIL` and the
// plusargs to repeat it.
// verilator lint_off WIDTH
// verilator lint_off UNUSEDSIGNAL
module tb_bcu_cta #(
  parameter WARPS = 8, CTA_BITS = 3
);
  localparam LW = $clog2(WARPS), CTAS = 1 << CTA_BITS;
  localparam [WARPS-1:0] ONE = 1;
  localparam DEAD = 0, RUNS = 1, WAITS = 2, ENDED = 3;  // ENDED: the live bit has not fallen.

  reg                       clock, reset, req_valid, req_exit;
  reg  [WARPS-1:0]          live;
  reg  [WARPS*CTA_BITS-1:0] warp_cta;
  reg  [LW-1:0]             req_warp;
  wire                      unlock_valid, fault_valid;
  wire [WARPS-1:0]          unlock_mask, waiting;
  wire [CTA_BITS-1:0]       unlock_cta;
  wire [5:0]                fault_code;
  wire [LW-1:0]             fault_warp;

  bcu_cta #(.WARPS(WARPS), .CTA_BITS(CTA_BITS)) dut (
    .clock(clock),
    .reset(reset),
    .live(live),
    .warp_cta(warp_cta),
    .req_valid(req_valid),
    .req_exit(req_exit),
    .req_warp(req_warp),
    .unlock_valid(unlock_valid),
    .unlock_mask(unlock_mask),
    .unlock_cta(unlock_cta),
    .fault_valid(fault_valid),
    .fault_code(fault_code),
    .fault_warp(fault_warp),
    .waiting(waiting)
  );

  initial begin clock = 1'b0; forever #5 clock = !clock; end

  integer seed, first_seed, cycles, cycle, w, c, failed, completed, by_exit, refused, killed, resets, members;
  integer state [0:WARPS-1], cta_of [0:WARPS-1], runs [0:CTAS-1], waits [0:CTAS-1];
  // The outputs that are due in the next cycle.
  reg                 due_unlock, due_fault;
  reg  [WARPS-1:0]    due_mask, due_waiting;
  reg  [5:0]          due_code;
  integer             due_cta, due_warp;

  // Random number from 0 to limit - 1, by xorshift, so that every simulator gets the same stimulus.
  function integer below(input integer limit);
    begin
      seed = seed ^ (seed << 13); seed = seed ^ (seed >> 17 & 32'h7fff); seed = seed ^ (seed << 5);
      below = (seed >> 3 & 32'h1fffffff) % limit;
    end
  endfunction

  task forget(input integer warp);
    begin
      if (state[warp] == RUNS) runs[cta_of[warp]] = runs[cta_of[warp]] - 1;
      if (state[warp] == WAITS) waits[cta_of[warp]] = waits[cta_of[warp]] - 1;
      state[warp] = DEAD;
      live[warp] = 1'b0;
    end
  endtask

  // Levels: a live bit of an ended warp falls; now and then a CTA starts in a slot without warps, or is killed.
  task levels;
    begin
      for (w = 0; w < WARPS; w = w + 1)
        if (state[w] == ENDED && below(3) == 0) forget(w);
      c = below(CTAS);
      members = 0;
      for (w = 0; w < WARPS; w = w + 1) members = members + (state[w] != DEAD && cta_of[w] == c);
      if (members != 0 && below(200) == 0) begin
        for (w = 0; w < WARPS; w = w + 1) if (state[w] != DEAD && cta_of[w] == c) forget(w);
        killed = killed + 1;
      end else if (members == 0 && below(4) == 0)
        for (w = 0; w < WARPS; w = w + 1)
          // A slot is not used in the cycle in which its live bit falls.
          if (state[w] == DEAD && !due_live[w] && below(3) != 0) begin
            state[w] = RUNS; cta_of[w] = c; runs[c] = runs[c] + 1;
            live[w] = 1'b1; warp_cta[w*CTA_BITS +: CTA_BITS] = c;
          end
    end
  endtask

  reg [WARPS-1:0] due_live;  // `live` of the cycle before.

  // The effect of the request on the reference, and the outputs of the next cycle.
  task request;
    begin
      due_unlock = 1'b0; due_fault = 1'b0; due_mask = 0; due_code = 0;
      req_valid = below(4) != 0;
      req_exit = below(5) == 0;
      req_warp = below(WARPS);
      if (below(20) != 0)
        for (w = 0; w < WARPS && state[req_warp] != RUNS; w = w + 1) req_warp = (req_warp + 1) % WARPS;
      c = cta_of[req_warp];
      if (req_valid && state[req_warp] != RUNS) begin
        due_fault = 1'b1; due_warp = req_warp; due_code = state[req_warp] == WAITS ? 2 : 1;
        refused = refused + 1;
      end else if (req_valid) begin
        runs[c] = runs[c] - 1;
        if (!req_exit) waits[c] = waits[c] + 1;
        state[req_warp] = req_exit ? ENDED : WAITS;
        if (runs[c] == 0 && waits[c] != 0) begin
          due_unlock = 1'b1; due_cta = c;
          for (w = 0; w < WARPS; w = w + 1)
            if (state[w] == WAITS && cta_of[w] == c) begin due_mask = due_mask | ONE << w; state[w] = RUNS; end
          runs[c] = waits[c]; waits[c] = 0;
          completed = completed + 1; by_exit = by_exit + req_exit;
        end
      end
      due_waiting = 0;
      for (w = 0; w < WARPS; w = w + 1) if (state[w] == WAITS) due_waiting = due_waiting | ONE << w;
      due_live = live;
    end
  endtask

  // A cycle of reset, in which the levels are as before.
  task clear;
    begin
      reset = 1'b1; req_valid = 1'b0;
      @(negedge clock);
      for (w = 0; w < WARPS; w = w + 1) begin state[w] = DEAD; cta_of[w] = 0; end
      for (c = 0; c < CTAS; c = c + 1) begin runs[c] = 0; waits[c] = 0; end
      live = 0; due_unlock = 1'b0; due_fault = 1'b0; due_mask = 0; due_code = 0; due_waiting = 0; due_live = 0;
      reset = 1'b0;
      resets = resets + 1;
    end
  endtask

  task compare;
    if (unlock_valid !== due_unlock || unlock_mask !== due_mask || due_unlock && unlock_cta !== due_cta[CTA_BITS-1:0] ||
        fault_valid !== due_fault || fault_code !== due_code || due_fault && fault_warp !== due_warp[LW-1:0] ||
        waiting !== due_waiting) begin
      $display("cycle %0d: unlock %b %b of slot %0d, fault %b %0d, waiting %b; expected %b %b of slot %0d, %b %0d, %b",
               cycle, unlock_valid, unlock_mask, unlock_cta, fault_valid, fault_code, waiting,
               due_unlock, due_mask, due_cta, due_fault, due_code, due_waiting);
      failed = 1;
    end
  endtask

  initial begin
    if (!$value$plusargs("seed=%d", seed)) seed = 1;
    if (!$value$plusargs("cycles=%d", cycles)) cycles = 20000;
    first_seed = seed;
    failed = 0;
    completed = 0;
    by_exit = 0;
    refused = 0;
    killed = 0;
    resets = 0;
    due_cta = 0;
    due_warp = 0;
    live = 0;
    warp_cta = 0;
    req_exit = 1'b0;
    req_warp = 0;
    clear;
    for (cycle = 0; cycle < cycles && !failed; cycle = cycle + 1) begin
      compare;
      if (below(500) == 0) clear;
      else begin
        levels;
        request;
        @(negedge clock);
      end
    end
    if (completed < cycles / 200 || by_exit == 0 || refused == 0 || killed == 0) begin
      $display("too few events: %0d barriers, %0d by an exit, %0d requests refused, %0d CTAs killed",
               completed, by_exit, refused, killed);
      failed = 1;
    end
    if (failed) $display("FAIL: repeat with +seed=%0d +cycles=%0d", first_seed, cycles);
    else
      $display("PASS: %0d barriers, %0d by an exit, %0d requests refused", completed, by_exit, refused,
               ", %0d CTAs killed, %0d resets in %0d cycles, seed %0d", killed, resets, cycles, first_seed);
    $finish;
  end

endmodule

`default_nettype wire
