// SPDX-License-Identifier: Apache-2.0 OR MIT
`timescale 1ns / 1ps
`default_nettype none

// tb_bcu_bar: self-checking bench of `bcu_bar`: random CTAs whose warps meet at random barriers with and without a
// count, end, and are killed, with resets among them. The reference keeps sets of warps: which have arrived at each
// barrier, and which of them wait. Every output is compared with it in every cycle.
//
// Parameters: those of `bcu_bar`. Plusargs: +seed=N, +cycles=N (20000). Ends with `PASS`, or with `FAIL` and the
// plusargs to repeat it. With the macro BCU_CHECK, `bcu_bar_assert` observes the ports.
// verilator lint_off WIDTH
// verilator lint_off UNUSEDSIGNAL
`ifdef BCU_CHECK
`include "bcu_bar_assert.v"
`endif
module tb_bcu_bar #(
  parameter WARPS = 8, ID_BITS = 4
);
  localparam LW = $clog2(WARPS), IDS = 1 << ID_BITS, LATENCY = 3;
  localparam SYNC = 0, ARRIVE = 1, EXIT = 2, LAUNCH = 3;
  localparam NO_COUNT = 0;
  localparam [WARPS-1:0] ONE = 1;

  reg                clock, reset, op_valid, op_all;
  reg  [1:0]         op_kind;
  reg  [LW-1:0]      op_warp, op_size_m1;
  reg  [ID_BITS-1:0] op_id;
  wire               op_ready, release_valid;
  wire [ID_BITS-1:0] release_id;
  wire [WARPS-1:0]   release_warps, waiting;

  bcu_bar #(.WARPS(WARPS), .ID_BITS(ID_BITS)) dut (
    .clock(clock),
    .reset(reset),
    .op_valid(op_valid),
    .op_ready(op_ready),
    .op_kind(op_kind),
    .op_all(op_all),
    .op_warp(op_warp),
    .op_id(op_id),
    .op_size_m1(op_size_m1),
    .release_valid(release_valid),
    .release_id(release_id),
    .release_warps(release_warps),
    .waiting(waiting)
  );
`ifdef BCU_CHECK
  `BCU_CHECK_BAR(dut, WARPS, ID_BITS)
`endif

  initial begin clock = 1'b0; forever #5 clock = !clock; end

  integer seed, first_seed, cycles, cycle, failed, w, i, tries, pace, spread, prefers_all, ends_often, size, id, count;
  integer by_count, by_all, by_exit, without_wait, together, launches, resets, last_id;

  // The reference. `stalled`: from a Sync to the release at the port. `counts`: the count of an open barrier.
  reg              launched, is_offered, was_busy;
  reg  [WARPS-1:0] live, stalled, arrived [0:IDS-1], waits [0:IDS-1];
  integer          counts [0:IDS-1], all_id, busy;
  // Index n: what comes n cycles from now.
  reg              due_valid [0:LATENCY];
  integer          due_id [0:LATENCY];
  reg  [WARPS-1:0] due_warps [0:LATENCY], due_waits [0:LATENCY], now_waiting;

  function integer ones(input [WARPS-1:0] set);
    integer b;
    begin ones = 0; for (b = 0; b < WARPS; b = b + 1) ones = ones + set[b]; end
  endfunction

  // Random number from 0 to limit - 1, by xorshift, so that every simulator gets the same stimulus.
  function integer below(input integer limit);
    begin
      seed = seed ^ (seed << 13); seed = seed ^ (seed >> 17 & 32'h7fff); seed = seed ^ (seed << 5);
      below = (seed >> 3 & 32'h1fffffff) % limit;
    end
  endfunction

  // All barriers are idle and no warp waits.
  task idle;
    begin
      for (i = 0; i < IDS; i = i + 1) begin arrived[i] = 0; waits[i] = 0; counts[i] = 0; end
      stalled = 0;
      all_id = IDS;  // None.
      busy = IDS;    // Cycles in which `op_ready` is 0.
    end
  endtask

  // The barrier completes.
  task complete;
    begin
      due_valid[LATENCY] = 1'b1;
      due_id[LATENCY] = id;
      due_warps[LATENCY] = waits[id];
      together = together + (id == last_id);
      last_id = id;
      arrived[id] = 0;
      waits[id] = 0;
      if (id == all_id) all_id = IDS;
    end
  endtask

  // Chooses an operation of a warp that may send one, and keeps the rules; `op_valid` 0: none.
  task choose;
    begin
      op_valid = 1'b0;
      op_kind = below(4);
      op_all = below(2);
      op_warp = below(WARPS);
      op_id = below(IDS);
      op_size_m1 = below(WARPS);
      if ((live & ~stalled) == 0 || below(700) == 0) begin
        op_kind = LAUNCH;
        op_valid = 1'b1;
      end else if (below(pace) == 0) begin
        for (w = 0; w < WARPS && !(live[op_warp] && !stalled[op_warp]); w = w + 1) op_warp = (op_warp + 1) % WARPS;
        if (launched && below(ends_often && below(4) != 0 ? 1 : all_id != IDS && ones(live) < 5 ? 4 : 40) == 0) begin
          op_kind = EXIT;
          op_valid = 1'b1;
        end else
          for (tries = 0; tries < 8 && !op_valid; tries = tries + 1) begin
            op_id = below(IDS < spread ? IDS : spread);
            if (all_id != IDS && below(prefers_all ? 2 : 8) == 0) op_id = all_id;
            op_kind = below(4) == 0 ? ARRIVE : SYNC;
            op_all = op_id == all_id;
            if (launched && all_id == IDS && arrived[op_id] == 0) op_all = below(prefers_all ? 2 : 30) == 0;
            if (op_all) begin
              op_kind = SYNC;
              op_valid = 1'b1;
            // The first tries look for an open barrier.
            end else if (!arrived[op_id][op_warp] && (arrived[op_id] != 0 || tries > 4)) begin
              count = ones(live);
              if (below(4) != 0 && count > 2) count = 2;
              op_size_m1 = arrived[op_id] != 0 ? counts[op_id] - 1 : below(count);
              op_valid = 1'b1;
            end
          end
      end
    end
  endtask

  // The effect of the operation on the reference, in the cycle of its transfer.
  task take;
    begin
      id = op_id;
      if (op_kind == SYNC || op_kind == ARRIVE) begin
        size = op_kind == SYNC && op_all ? ones(live) : op_size_m1 + 1;
        counts[id] = op_kind == SYNC && op_all ? NO_COUNT : size;
        arrived[id] = arrived[id] | ONE << op_warp;
        if (op_kind == SYNC) begin
          waits[id] = waits[id] | ONE << op_warp;
          stalled = stalled | ONE << op_warp;
          due_waits[LATENCY] = ONE << op_warp;
          if (op_all) all_id = id;
        end else without_wait = without_wait + 1;
        if (ones(arrived[id]) == size) begin
          by_count = by_count + (counts[id] != NO_COUNT);
          by_all = by_all + (counts[id] == NO_COUNT);
          complete;
        end
      end else if (op_kind == EXIT) begin
        live = live & ~(ONE << op_warp);
        if (all_id != IDS) begin
          id = all_id;
          if (arrived[id] == live) begin
            by_exit = by_exit + 1;
            complete;
          end
        end
      end else begin
        for (w = 0; w < WARPS; w = w + 1) live[w] = w <= op_size_m1;
        idle;
        launched = 1'b1;
        launches = launches + 1;
      end
    end
  endtask

  task compare;
    if (op_ready !== (busy == 0) || release_valid !== due_valid[0] || release_warps !== due_warps[0] ||
        due_valid[0] && release_id !== due_id[0][ID_BITS-1:0] || waiting !== now_waiting) begin
      $display("cycle %0d: ready %b, release %b of %b at %0d, waiting %b; expected %b, %b of %b at %0d, %b",
               cycle, op_ready, release_valid, release_warps, release_id, waiting,
               busy == 0, due_valid[0], due_warps[0], due_id[0], now_waiting);
      failed = 1;
    end
  endtask

  // A cycle, with the operation that is offered.
  task step;
    begin
      is_offered = op_valid && busy != 0;
      was_busy = busy != 0;
      if (was_busy) busy = busy - 1;
      if (op_valid && !was_busy) take;
      @(negedge clock);
      for (i = 0; i < LATENCY; i = i + 1) begin
        due_valid[i] = due_valid[i+1];
        due_id[i] = due_id[i+1];
        due_warps[i] = due_warps[i+1];
        due_waits[i] = due_waits[i+1];
      end
      due_valid[LATENCY] = 1'b0;
      due_warps[LATENCY] = 0;
      due_waits[LATENCY] = 0;
      stalled = stalled & ~due_warps[0];
      now_waiting = was_busy ? 0 : (now_waiting | due_waits[0]) & ~due_warps[0];
    end
  endtask

  // A cycle of reset. After it either no warp is live, or all are without a Launch.
  task clear;
    begin
      reset = 1'b1;
      op_valid = 1'b0;
      @(negedge clock);
      reset = 1'b0;
      for (i = 0; i <= LATENCY; i = i + 1) begin
        due_valid[i] = 1'b0;
        due_id[i] = 0;
        due_warps[i] = 0;
        due_waits[i] = 0;
      end
      now_waiting = 0;
      is_offered = 1'b0;
      launched = 1'b0;
      live = below(2) ? 0 : {WARPS{1'b1}};
      idle;
      resets = resets + 1;
    end
  endtask

  initial begin
    if (!$value$plusargs("seed=%d", seed)) seed = 1;
    if (!$value$plusargs("cycles=%d", cycles)) cycles = 20000;
    first_seed = seed;
    failed = 0;
    by_count = 0;
    by_all = 0;
    by_exit = 0;
    without_wait = 0;
    together = 0;
    launches = 0;
    resets = 0;
    last_id = IDS;
    pace = 1;
    spread = 1;
    prefers_all = 0;
    ends_often = 0;
    clear;
    for (cycle = 0; cycle < cycles && !failed; cycle = cycle + 1) begin
      if (cycle % 64 == 0) begin
        pace = 1 + below(3);
        spread = 1 << below(ID_BITS + 1);
        prefers_all = below(2);
        ends_often = below(8) == 0;
      end
      compare;
      if (below(1500) == 0) clear;
      else begin
        if (!is_offered) choose;
        step;
      end
    end
    if (by_count < cycles / 50 || by_all < cycles / 400 || by_exit == 0 || without_wait == 0 || together == 0) begin
      $display("too few events: barriers completed %0d by a count, %0d by all warps, %0d by an exit, %0d again",
               by_count, by_all, by_exit, together, "; %0d arrivals without a wait", without_wait);
      failed = 1;
    end
    if (failed) $display("FAIL: repeat with +seed=%0d +cycles=%0d", first_seed, cycles);
    else
      $display("PASS: barriers completed %0d by a count, %0d by all warps, %0d by an exit", by_count, by_all, by_exit,
               "; %0d Launches, %0d resets in %0d cycles, seed %0d", launches, resets, cycles, first_seed);
    $finish;
  end

endmodule

`default_nettype wire
