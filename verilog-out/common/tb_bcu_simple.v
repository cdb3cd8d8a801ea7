// SPDX-License-Identifier: Apache-2.0 OR MIT
`timescale 1ns / 1ps
`default_nettype none
`include "bcu_defs.vh"
`include "bcu_named_assert.v"

// tb_bcu_simple: self-checking random bench of `bcu_simple`.
//
// A reference model without cycles, written from the semantics of barriers, runs beside the unit. It holds, per CTA
// and id, the warps that have arrived and the warps that wait, and per CTA the number of live warps. A generation is
// complete when the number of arrived warps reaches its count, or, without a count, the number of live warps of the
// CTA. The stimulus starts a generation of a barrier only after the unit has reported the end of the last one, so the
// result does not depend on the order in which the unit sends queued arrivals.
//
// Checked: each release has the CTA, id and warps of the reference, no release is missing and none is unexpected;
// `stalled` in every cycle; after `hang` no warp of the CTA resumes without an input event; code, warp, CTA and id of
// each fault, including barriers left open; every expected event comes within LIMIT cycles; `open` and `member` when
// no operation is in flight; the latencies, once, at the start.
// Stimulus: CTAs of random size, warps that become live in one cycle or under `loading`, arrivals while loading,
// arrivals of several warps in one cycle, with and without a count, split arrivals, misuse, exits, also in the cycle
// after an arrival, warps that join a running CTA (parameter GROW), CTAs that are killed while some of their warps
// wait, reset at the start only.
//
// Parameters: those of `bcu_simple`. Plusargs: +seed=N, +gens=N (releases after which the bench ends, 8000), +vcd.
// Ends with `PASS <n> releases <m> exits`, or with `FAIL` and the plusargs and parameters that repeat the run.
// Numbers are integers here; a port uses only as many of their bits as it has.
// verilator lint_off UNUSEDSIGNAL
module tb_bcu_simple #(
  parameter WARPS    = `BCU_WARPS,
  parameter LANES    = `BCU_LANES,
  parameter CTAS     = `BCU_CTAS,
  parameter BARRIERS = `BCU_BARRIERS,
  parameter GROW     = 1
);
  localparam LW = WARPS > 4 ? $clog2(WARPS) : 2;
  localparam CW = LW + 1;
  localparam LC = CTAS > 2 ? $clog2(CTAS) : 1;
  localparam LIMIT = 40 + 12 * WARPS + 4 * CTAS;
  localparam [5:0] ID_OUT_OF_RANGE = 6'd5, COUNT_ZERO_ARRIVE = 6'd9, COUNT_EXCEEDS_CTA = 6'd11, DOUBLE_ARRIVAL = 6'd12,
                   COUNT_MISMATCH = 6'd14, LEFT_OPEN = 6'd17;

  reg                     clock, reset;
  reg  [CTAS-1:0]         loading;
  reg  [WARPS-1:0]        live, arrive, arrive_sync;
  reg  [WARPS*LC-1:0]     warp_cta;
  reg  [WARPS*4-1:0]      arrive_id;
  reg  [WARPS*CW-1:0]     arrive_count;
  wire                    ready, done_valid, fault_valid, fault_has_warp;
  wire [WARPS-1:0]        wake, stalled, pending, member, present;
  wire [LC-1:0]           done_cta, fault_cta;
  wire [3:0]              done_id, fault_id;
  wire [CTAS-1:0]         cta_busy;
  wire [CTAS*BARRIERS-1:0] open;
  wire [5:0]              fault_code;
  wire [LW-1:0]           fault_warp;
  wire [CTAS-1:0]         hang;

  bcu_simple #(.WARPS(WARPS), .LANES(LANES), .CTAS(CTAS), .BARRIERS(BARRIERS), .GROW(GROW), .DETECT(1)) dut (
    .clock(clock), .reset(reset), .ready(ready), .loading(loading), .live(live), .warp_cta(warp_cta),
    .arrive(arrive), .arrive_sync(arrive_sync), .arrive_id(arrive_id), .arrive_count(arrive_count),
    .wake(wake), .done_valid(done_valid), .done_cta(done_cta), .done_id(done_id), .stalled(stalled),
    .pending(pending), .member(member), .present(present), .cta_busy(cta_busy), .open(open),
    .fault_valid(fault_valid), .fault_code(fault_code), .fault_has_warp(fault_has_warp), .fault_warp(fault_warp),
    .fault_cta(fault_cta), .fault_id(fault_id), .hang(hang));

  // Checks that `bcu_simple` keeps the promises of a user of `bcu_named`.
  `BCU_CHECK_NAMED(dut.named)

  initial begin
    clock = 1'b0;
    forever #5 clock = !clock;
  end

  // After a reported hang, a barrier of the CTA slot completes only after an input event: an arrival, a change of
  // `live`, or `loading`.
  reg  [CTAS-1:0]  hung, changed;
  reg  [WARPS-1:0] live_before;
  integer          n_hangs, s, t;
  initial n_hangs = 0;
  always @(posedge clock) begin
    live_before <= live;
    for (s = 0; s < CTAS; s = s + 1) begin
      changed[s] = reset || loading[s];
      for (t = 0; t < WARPS; t = t + 1)
        if ((CTAS == 1 || warp_cta[t*LC +: LC] == s) && (arrive[t] || live[t] != live_before[t])) changed[s] = 1'b1;
      if (!reset && hung[s] && !changed[s] && done_valid && done_cta == s) begin
        $display("CTA slot %0d: a barrier completes after `hang` without an input event", s);
        failed = 1'b1;
      end
      hung[s] <= !changed[s] && (hung[s] || hang[s]);
      if (hang[s] && !reset) n_hangs = n_hangs + 1;
    end
  end

  // Reference. Index of a barrier: CTA slot * 16 + id.
  // Warps that have arrived in the open generation; 0: the barrier is not open.
  reg  [WARPS-1:0] b_arrived [0:CTAS*16-1];
  reg  [WARPS-1:0] b_waits   [0:CTAS*16-1];  // Warps of `b_arrived` that wait.
  integer          b_target  [0:CTAS*16-1];  // Count of the generation, in warps; 0: no count.
  // The generation is complete, and the unit has yet to release the warps of `b_mask`.
  reg              b_due     [0:CTAS*16-1];
  reg  [WARPS-1:0] b_mask    [0:CTAS*16-1];
  // A misuse of the barrier is in flight: the stimulus sends no other arrival there.
  reg              b_locked  [0:CTAS*16-1];
  reg              b_left    [0:CTAS*16-1];  // The unit has yet to report the fault barrier_left_open.
  integer          c_live    [0:CTAS-1];     // Number of live warps that are members.
  integer          c_free    [0:CTAS-1];     // 1: the CTA slot is not in use.
  integer          c_idle    [0:CTAS-1];     // Cycles since the last event of the CTA.
  reg  [CTAS-1:0]  grows;                    // Some warps of the CTA have become live and are not members yet.
  reg  [WARPS-1:0] stall, counts, killed, misused, leaving;
  reg  [5:0]       w_code    [0:WARPS-1];    // Code of the fault that the unit has yet to report, and its barrier id.
  reg  [3:0]       w_id      [0:WARPS-1];
  integer          w_age     [0:WARPS-1];
  integer          b_age     [0:CTAS*16-1];

  reg  [31:0]      seed, first_seed;
  integer          gens, n_releases, n_exits, n_faults, n_left, n_kills, n_joins, n_launches, n_several, n_open_checks;
  integer          rate, calm, cycle, i, w, c, b, k, n;
  reg              failed;

  // xorshift, so that every simulator gets the same stimulus.
  function [31:0] shifted(input [31:0] x);
    reg [31:0] y;
    begin
      y = x ^ (x << 13);
      y = y ^ (y >> 17);
      shifted = y ^ (y << 5);
    end
  endfunction
  reg [31:0] drawn;
  task draw(input integer below);  // drawn = 0 .. below - 1
    begin
      seed  = shifted(seed);
      drawn = (seed >> 3) % below;
    end
  endtask

  task fail(input [8*40-1:0] what, input integer x, input integer y);
    begin
      if (!failed)
        $display("%0d: cycle %0d: %0s (%0d, %0d)", $time, cycle, what, x, y);
      failed = 1'b1;
    end
  endtask

  // 1: CTA slot `cta` can use warp slot `warp`: the warp slot is free, and no other running CTA owns it.
  function can_start(input integer warp, input integer cta);
    can_start = !(present[warp] || live[warp] || killed[warp] || leaving[warp])
                && (cta_of(warp) == cta || !cta_busy[cta_of(warp)]);
  endfunction

  function integer ones(input [WARPS-1:0] x);
    integer j;
    begin
      ones = 0;
      for (j = 0; j < WARPS; j = j + 1)
        if (x[j]) ones = ones + 1;
    end
  endfunction

  function integer cta_of(input integer warp);
    cta_of = {{(32-LC){1'b0}}, warp_cta[warp*LC +: LC]};
  endfunction

  function [WARPS-1:0] of_cta(input integer cta);
    integer j;
    for (j = 0; j < WARPS; j = j + 1)
      of_cta[j] = cta_of(j) == cta;
  endfunction

  // 1: a barrier of the CTA is open, or its release is still outstanding.
  function busy_barrier(input integer cta);
    integer j;
    begin
      busy_barrier = 1'b0;
      for (j = cta*16; j < cta*16 + 16; j = j + 1)
        if (|b_arrived[j] || b_due[j] || b_locked[j]) busy_barrier = 1'b1;
    end
  endfunction

  // The barrier without a count that is open in the CTA, or whose release is still outstanding; -1: none.
  function integer uncounted(input integer cta);
    integer j;
    begin
      uncounted = -1;
      for (j = cta*16; j < cta*16 + 16; j = j + 1)
        if ((|b_arrived[j] || b_due[j]) && b_target[j] == 0) uncounted = j;
    end
  endfunction

  // Number of arrivals that the barriers of the CTA with a count still need.
  function integer needed(input integer cta);
    integer j;
    begin
      needed = 0;
      for (j = cta*16; j < cta*16 + 16; j = j + 1)
        if (|b_arrived[j] && b_target[j] != 0) needed = needed + b_target[j] - ones(b_arrived[j]);
    end
  endfunction

  // 1: the barriers of the warp's CTA with a count can complete without the warp. Otherwise the count could exceed
  // the number of launched warps, if other warps join before the first arrival is sent.
  function may_exit(input integer warp);
    integer j;
    reg [WARPS-1:0] rest;
    begin
      may_exit = !loading[cta_of(warp)];
      rest = counts & of_cta(cta_of(warp));
      rest[warp] = 1'b0;
      for (j = cta_of(warp)*16; j < cta_of(warp)*16 + 16; j = j + 1)
        if (|b_arrived[j] && b_target[j] > ones(b_arrived[j]) + ones(rest & ~b_arrived[j])) may_exit = 1'b0;
    end
  endfunction

  task complete_if(input integer bar);
    if (|b_arrived[bar] && ones(b_arrived[bar]) == (b_target[bar] != 0 ? b_target[bar] : c_live[bar / 16])
        && !loading[bar / 16]) begin
      b_due[bar]     = 1'b1;
      b_age[bar]     = cycle;
      b_mask[bar]    = b_waits[bar];
      b_arrived[bar] = {WARPS{1'b0}};
      b_waits[bar]   = {WARPS{1'b0}};
    end
  endtask

  // The CTA ends: each of its open barriers becomes an expected fault barrier_left_open.
  task leave_open(input integer cta);
    for (b = cta*16; b < cta*16 + 16; b = b + 1)
      if (|b_arrived[b]) begin
        b_left[b]    = 1'b1;
        b_age[b]     = cycle;
        b_arrived[b] = {WARPS{1'b0}};
        b_waits[b]   = {WARPS{1'b0}};
      end
  endtask

  task strobe(input integer warp, input integer id, input integer count, input sync);
    begin
      arrive[warp]                = 1'b1;
      arrive_sync[warp]           = sync;
      arrive_id[warp*4 +: 4]      = id[3:0];
      arrive_count[warp*CW +: CW] = count[CW-1:0];
      stall[warp]                 = sync;
      c_idle[cta_of(warp)]        = 0;
    end
  endtask

  task arrives(input integer warp, input integer bar, input integer count, input sync);
    begin
      strobe(warp, bar % 16, count, sync);
      b_target[bar]        = count;
      b_arrived[bar][warp] = 1'b1;
      if (sync) b_waits[bar][warp] = 1'b1;
      complete_if(bar);
    end
  endtask

  task misuse(input integer warp, input integer id, input integer count, input sync, input [5:0] code);
    begin
      strobe(warp, id, count, sync);
      misused[warp] = 1'b1;
      w_code[warp]  = code;
      w_id[warp]    = id[3:0];
      w_age[warp]   = cycle;
    end
  endtask

  task exits(input integer warp);
    begin
      live[warp]    = 1'b0;
      counts[warp]  = 1'b0;
      leaving[warp] = 1'b1;
      w_age[warp]   = cycle;
      n_exits       = n_exits + 1;
      c = cta_of(warp);
      c_idle[c]     = 0;
      c_live[c]     = c_live[c] - 1;
      b = uncounted(c);
      if (b >= 0) complete_if(b);
      if (c_live[c] == 0) leave_open(c);
    end
  endtask

  // Kills a CTA: all its warps end in one cycle. A waiting warp exits only if its barrier completes.
  task kill(input integer cta);
    reg [WARPS-1:0] freed;
    begin
      n_kills = n_kills + 1;
      freed   = ~stall | misused;
      for (b = cta*16; b < cta*16 + 16; b = b + 1)
        if (b_due[b]) freed = freed | b_mask[b];
      for (i = 0; i < WARPS; i = i + 1)
        if (cta_of(i) == cta && live[i]) begin
          killed[i]  = 1'b1;
          live[i]    = 1'b0;
          leaving[i] = 1'b1;
          w_age[i]   = cycle;
          if (counts[i] && freed[i]) begin
            c_live[cta] = c_live[cta] - 1;
            n_exits     = n_exits + 1;
          end
          counts[i] = 1'b0;
        end
      k = uncounted(cta);
      if (k >= 0) complete_if(k);
      leave_open(cta);
      c_live[cta] = 0;
      grows[cta]  = 1'b0;
    end
  endtask

  task begin_to_live(input integer warp, input integer cta);
    begin
      live[warp]                = 1'b1;
      warp_cta[warp*LC +: LC]   = cta[LC-1:0];
    end
  endtask

  task count_new(input integer cta);
    for (i = 0; i < WARPS; i = i + 1)
      if (live[i] && cta_of(i) == cta && !counts[i]) begin
        counts[i]   = 1'b1;
        c_live[cta] = c_live[cta] + 1;
      end
  endtask

  // Random action of a warp that does not wait: an arrival, an exit, a misuse, or nothing.
  task act(input integer warp);
    reg sync;
    begin
      c = cta_of(warp);
      draw(100);
      n = drawn;
      draw(2);
      sync = drawn[0];
      draw(BARRIERS);
      k = drawn;
      b = c * 16 + k;
      if (n < 55) begin  // Arrival at a barrier that is open.
        for (i = 0; i < BARRIERS && (b_due[b] || b_locked[b] || !(|b_arrived[b]) || b_arrived[b][warp]);
             i = i + 1) begin
          k = (k + 1) % BARRIERS;
          b = c * 16 + k;
        end
        if (!b_due[b] && !b_locked[b] && |b_arrived[b] && !b_arrived[b][warp]) begin
          if (b_target[b] != 0)
            arrives(warp, b, b_target[b], sync);
          else if (ones(of_cta(c) & counts & ~stall) > needed(c))
            arrives(warp, b, 0, 1'b1);
        end
      end else if (n < 80) begin  // Arrival that opens a barrier.
        if (!b_due[b] && !b_locked[b] && !b_left[b] && !(|b_arrived[b]) && !grows[c] && !loading[c]) begin
          draw(3);
          if (drawn == 0 && uncounted(c) < 0 && ones(of_cta(c) & counts & ~stall) > needed(c))
            arrives(warp, b, 0, 1'b1);
          else begin
            draw(c_live[c] < 5 ? c_live[c] : 5);
            i = drawn + 1;
            if (i + needed(c) <= ones(of_cta(c) & counts & ~stall))
              arrives(warp, b, i, sync);
          end
        end else if (loading[c] && uncounted(c) < 0 && !(|b_arrived[b]) && !b_left[b] && !b_due[b] && !b_locked[b])
          arrives(warp, b, 0, 1'b1);
      end else if (n < 88) begin  // Exit.
        draw(4);
        if (may_exit(warp) && (drawn == 0 || c_live[c] > 1))
          exits(warp);
      end else if (n < 91 && !loading[c] && !grows[c]) begin  // Misuse.
        draw(5);
        case (drawn)
          0: misuse(warp, k, 0, 1'b0, COUNT_ZERO_ARRIVE);
          1: misuse(warp, k, (1 << CW) - 1, sync, COUNT_EXCEEDS_CTA);
          2: if (BARRIERS < 16) misuse(warp, BARRIERS, 0, sync, ID_OUT_OF_RANGE);
          3:
            if (b_arrived[b][warp] && !b_locked[b]) begin
              misuse(warp, k, b_target[b], sync, DOUBLE_ARRIVAL);
              b_locked[b] = 1'b1;
            end
          default:  // A count mismatch needs a barrier whose first arrival has been sent.
            if ((of_cta(c) & (pending | arrive)) == 0 && |b_arrived[b] && b_target[b] > 1
                && !b_arrived[b][warp] && !b_locked[b]) begin
              misuse(warp, k, b_target[b] - 1, sync, COUNT_MISMATCH);
              b_locked[b] = 1'b1;
            end
        endcase
      end
    end
  endtask

  // Compares the outputs of the unit with the reference.
  task check;
    begin
      if (|(live & ~present))
        fail("a live warp is not present", 0, 0);
      if (promises.broken != 0)
        fail("a promise to bcu_named is broken", promises.broken, 0);
      if (done_valid) begin
        b = {{(32-LC){1'b0}}, done_cta} * 16 + {28'd0, done_id};
        n_releases = n_releases + 1;
        if (!b_due[b])
          fail("unexpected release: CTA, id", b / 16, b % 16);
        else if (wake !== b_mask[b])
          fail("release of wrong warps: CTA, id", b / 16, b % 16);
        b_due[b] = 1'b0;
        stall    = stall & ~wake;
        c_idle[b / 16] = 0;
      end else if (|wake)
        fail("wake without a release", 0, 0);
      if (fault_valid && fault_has_warp) begin
        w = {{(32-LW){1'b0}}, fault_warp};
        n_faults = n_faults + 1;
        if (!misused[w] || fault_code !== w_code[w] || fault_id !== w_id[w] || fault_cta !== warp_cta[w*LC +: LC])
          fail("unexpected fault: code, warp", {26'd0, fault_code}, w);
        misused[w] = 1'b0;
        stall[w]   = 1'b0;
        if (fault_code == DOUBLE_ARRIVAL || fault_code == COUNT_MISMATCH)
          b_locked[cta_of(w) * 16 + {28'd0, fault_id}] = 1'b0;
      end else if (fault_valid) begin
        b = {{(32-LC){1'b0}}, fault_cta} * 16 + {28'd0, fault_id};
        n_left = n_left + 1;
        if (!b_left[b] || fault_code !== LEFT_OPEN)
          fail("unexpected fault: code, barrier", {26'd0, fault_code}, b);
        b_left[b] = 1'b0;
      end
      for (w = 0; w < WARPS; w = w + 1) begin
        if (killed[w] && !present[w] && !stalled[w]) begin
          killed[w] = 1'b0;
          stall[w]  = 1'b0;
        end
        if (leaving[w] && !present[w]) leaving[w] = 1'b0;
        if (!killed[w] && stalled[w] !== stall[w])
          fail("`stalled` is wrong: warp, reference", w, {31'd0, stall[w]});
        if ((leaving[w] || misused[w]) && cycle - w_age[w] > LIMIT && !stall[w])
          fail("exit or fault is missing: warp, cycles", w, cycle - w_age[w]);
      end
      for (b = 0; b < CTAS*16; b = b + 1)
        if ((b_due[b] || b_left[b]) && cycle - b_age[b] > LIMIT)
          fail("release or fault is missing: CTA, id", b / 16, b % 16);
      // No operation is in flight, so `open` and `member` equal the reference.
      if (calm > 20 + 4 * CTAS && GROW != 0) begin
        n_open_checks = n_open_checks + 1;
        for (c = 0; c < CTAS; c = c + 1)
          for (k = 0; k < BARRIERS; k = k + 1)
            if (!loading[c] && open[c*BARRIERS + k] !== |b_arrived[c*16 + k])
              fail("`open` is wrong: CTA, id", c, k);
        for (w = 0; w < WARPS; w = w + 1)
          if (!loading[cta_of(w)] && !grows[cta_of(w)] && member[w] !== counts[w])
            fail("`member` is wrong: warp, value", w, {31'd0, member[w]});
      end
    end
  endtask

  task step;
    reg [WARPS-1:0] lived;
    reg [CTAS-1:0]  loaded;
    begin
      check;
      arrive = {WARPS{1'b0}};
      lived  = live;
      loaded = loading;
      for (w = 0; w < WARPS; w = w + 1) begin  // Payload without a strobe is random: the unit ignores it.
        draw(1 << 20);
        arrive_id[w*4 +: 4]      = drawn[3:0];
        arrive_sync[w]           = drawn[4];
        arrive_count[w*CW +: CW] = drawn[5 +: CW];
      end
      if (cycle % 128 == 0 || (rate == 0 && calm > 24 + 4 * CTAS)) begin
        draw(5);
        rate = drawn == 0 ? 100 : drawn == 1 ? 60 : drawn == 2 ? 3 : drawn == 3 ? 15 : 0;
        calm = 0;
      end
      for (c = 0; c < CTAS; c = c + 1) begin
        c_idle[c] = c_idle[c] + (rate != 0 ? 1 : 0);
        if (c_free[c] == 0 && c_live[c] == 0 && !loading[c] && !cta_busy[c] && (of_cta(c) & (present | live)) == 0
            && !grows[c]) begin
          c_free[c] = 1;
          for (b = c*16; b < c*16 + 16; b = b + 1)
            if (b_left[b]) c_free[c] = 0;
        end
      end
      draw(CTAS);
      k = drawn;
      draw(WARPS);
      n = drawn;
      if (rate != 0) begin
        if (c_free[k] != 0) begin  // A new CTA.
          draw(100);
          if (drawn < 20 && (~(present | live | killed | leaving)) != 0) begin
            draw(2);
            loading[k] = drawn[0];
            c_free[k]  = 0;
            c_idle[k]  = 0;
            n_launches = n_launches + 1;
            for (w = 0; w < WARPS; w = w + 1) begin
              draw(CTAS + 2);
              if (drawn < 3 && can_start(w, k)) begin_to_live(w, k);
            end
            count_new(k);
            if (c_live[k] == 0) begin  // No warp was drawn.
              loading[k] = 1'b0;
              c_free[k]  = 1;
            end
          end
        end else if (loading[k]) begin
          draw(4);
          if (drawn == 0) begin
            loading[k] = 1'b0;
            b = uncounted(k);
            if (b >= 0) complete_if(b);
          end else if (drawn == 1 && can_start(n, k)) begin
            begin_to_live(n, k);
            count_new(k);
          end
        end else if (GROW != 0 && c_live[k] > 0 && (of_cta(k) & pending) == 0 && can_start(n, k)) begin
          draw(30);
          if (drawn < 2 && !grows[k]) begin  // A warp joins: alone, or as the first of several under `loading`.
            if (drawn == 0 || !busy_barrier(k)) begin
              begin_to_live(n, k);
              n_joins  = n_joins + 1;
              grows[k] = 1'b1;
            end
            if (drawn == 1 && grows[k]) loading[k] = 1'b1;
          end
        end
      end
      for (c = 0; c < CTAS; c = c + 1) begin
        // New warps become members when no barrier is open. An arrival in this cycle might be sent before they join,
        // so none is made.
        if (grows[c] && !busy_barrier(c) && (of_cta(c) & pending & ~misused) == 0) begin
          count_new(c);
          grows[c] = 1'b0;
        end else if (!loading[c] || rate > 50)
          for (w = 0; w < WARPS; w = w + 1)
            if (cta_of(w) == c && counts[w] && lived[w] && !stall[w] && !misused[w]) begin
              draw(100);
              if (drawn < rate) begin
                draw(12);
                if (!pending[w]) act(w);
                else if (drawn == 0 && may_exit(w)) exits(w);  // While its arrival is queued.
                c = cta_of(w);
              end
            end
        if (c_idle[c] > 60 && c_live[c] > 0 && !loading[c]) kill(c);
      end
      if (ones(arrive) > 1) n_several = n_several + 1;
      calm = |(arrive | pending | (leaving & ~stall)) || live != lived || loading != loaded ? 0 : calm + 1;
    end
  endtask

  // Checks the latencies of a release and of an exit, with warps 0 and 1 in CTA slot 0.
  task latencies;
    begin
      live = 2;
      live = live | 1;
      repeat (8 + CTAS) @(negedge clock);
      if ((member & 3) != 3) fail("launch is missing", 0, 0);
      arrive_sync = 3;
      arrive = 1;
      @(negedge clock) arrive = 0;
      repeat (9) @(negedge clock);
      if ((stalled & 3) != 1) fail("warp 0 does not wait", 0, 0);
      arrive = 2;
      for (i = 1; i <= 5; i = i + 1) begin
        @(negedge clock) arrive = 0;
        if (done_valid !== (i == 4)) fail("latency of a release, cycle", i, 0);
      end
      arrive = 1;
      @(negedge clock) arrive = 0;
      repeat (9) @(negedge clock);
      live = live & ~2;
      for (i = 1; i <= 6; i = i + 1) begin
        @(negedge clock);
        if (done_valid !== (i == 5)) fail("latency of an exit, cycle", i, 0);
      end
      live = 0;
      repeat (12 + CTAS) @(negedge clock);
      if (|cta_busy || |present) fail("release of the CTA is missing", 0, 0);
    end
  endtask

  // Counts releases in `n` and faults in `k` for `cycles` cycles, and collects the warps that wake in `awake`.
  reg [WARPS-1:0] awake;
  task watch(input integer cycles);
    begin
      n = 0;
      k = 0;
      awake = {WARPS{1'b0}};
      repeat (cycles) begin
        @(negedge clock);
        arrive = {WARPS{1'b0}};
        if (done_valid) n = n + 1;
        if (fault_valid) k = k + 1;
        awake = awake | wake;
      end
    end
  endtask

  // The end of a CTA, and warps that join under `loading`.
  task ends_and_joins;
    begin
      // All warps arrive, each at a barrier with a count of one warp, and end in the next cycle: the queued arrivals
      // are sent first.
      live = {WARPS{1'b1}};
      watch(8 + CTAS);
      arrive_sync = 0;
      for (i = 0; i < WARPS; i = i + 1) arrive_count[i*CW +: CW] = 1;
      arrive = {WARPS{1'b1}};
      @(negedge clock) arrive = 0;
      live = 0;
      watch(4 * WARPS + 20 + CTAS);
      if (n != WARPS || k != 0) fail("arrivals before an end: releases, faults", n, k);
      if (|cta_busy || |present) fail("release of the CTA is missing", 2, 0);
      // Warps 0 and 1 complete a barrier, and all other warps wait for their exits, when all are killed: no barrier
      // is left open.
      live = {WARPS{1'b1}};
      watch(8 + CTAS);
      arrive_sync = {WARPS{1'b1}};
      arrive_id   = {WARPS{4'd2}};
      for (i = 0; i < WARPS; i = i + 1) arrive_count[i*CW +: CW] = i < 2 ? 2 : 0;
      arrive = {WARPS{1'b1}} & ~3;
      watch(WARPS + 8);
      arrive_id[7:0] = 8'h11;
      arrive = 3;
      @(negedge clock) arrive = 0;
      live = 0;
      watch(3 * WARPS + 40 + CTAS);
      if (n != 2 || k != 0 || awake !== {WARPS{1'b1}}) fail("killed warps: releases, faults", n, k);
      if (|cta_busy || |present) fail("release of the CTA is missing", 3, 0);
      if (GROW != 0) begin
        live = 1;
        watch(8 + CTAS);
        loading = 1;
        live = live | 2;
        @(negedge clock) arrive_count = 0;
        arrive_id = 0;
        arrive = 3;
        watch(20 + CTAS);
        if (n != 0) fail("release while loading", n, 0);
        live = live | 4;
        @(negedge clock) loading = 0;
        arrive = 4;
        watch(20 + CTAS);
        if (n != 1 || awake !== 7) fail("joined warps: releases, faults", n, k);
        live = 0;
        watch(20 + CTAS);
      end
      arrive_count = 0;
    end
  endtask

  // Fairness: all warps arrive again as soon as they can, and the arbiter serves each of them. Each arrival is a
  // misuse, so none waits.
  task fairness;
    begin
      for (i = 0; i < WARPS; i = i + 1) w_age[i] = 0;
      live = {WARPS{1'b1}};
      repeat (8 + CTAS) @(negedge clock);
      arrive_sync = 0;
      for (i = 0; i < 6 * WARPS; i = i + 1) begin
        arrive = ~pending;
        @(negedge clock);
        if (fault_valid && fault_code == COUNT_ZERO_ARRIVE)
          w_age[{{(32-LW){1'b0}}, fault_warp}] = w_age[{{(32-LW){1'b0}}, fault_warp}] + 1;
      end
      arrive = 0;
      repeat (WARPS + 8) @(negedge clock);
      for (i = 0; i < WARPS; i = i + 1) begin
        if (w_age[i] < 4) fail("too few turns: warp, turns", i, w_age[i]);
        w_age[i] = 0;
      end
      live = 0;
      repeat (3 * WARPS + 16 + CTAS) @(negedge clock);
      if (|cta_busy || |present) fail("release of the CTA is missing", 1, 0);
    end
  endtask

  initial begin
    if (!$value$plusargs("seed=%d", first_seed)) first_seed = 1;
    if (!$value$plusargs("gens=%d", gens)) gens = 8000;
    if ($test$plusargs("vcd")) begin
      $dumpfile("tb_bcu_simple.vcd");
      $dumpvars(0, tb_bcu_simple);
    end
    seed = first_seed * 32'd2654435761 + 32'd12345;
    if (seed == 0) seed = 32'd1;
    failed = 1'b0;
    cycle = 0; rate = 30; calm = 0;
    n_releases = 0; n_exits = 0; n_faults = 0; n_left = 0; n_kills = 0; n_joins = 0; n_launches = 0; n_several = 0;
    n_open_checks = 0;
    loading = 0; live = 0; arrive = 0; arrive_sync = 0; arrive_id = 0; arrive_count = 0; warp_cta = 0;
    grows = 0; stall = 0; counts = 0; killed = 0; misused = 0; leaving = 0;
    for (i = 0; i < CTAS*16; i = i + 1) begin
      b_arrived[i] = 0; b_waits[i] = 0; b_target[i] = 0; b_due[i] = 0; b_mask[i] = 0; b_locked[i] = 0; b_left[i] = 0;
      b_age[i] = 0;
    end
    for (i = 0; i < CTAS; i = i + 1) begin
      c_live[i] = 0; c_free[i] = 1; c_idle[i] = 0;
    end
    for (i = 0; i < WARPS; i = i + 1) begin
      w_code[i] = 0; w_id[i] = 0; w_age[i] = 0;
    end
    reset = 1'b1;
    @(negedge clock);
    @(negedge clock) reset = 1'b0;
    while (!ready) @(negedge clock);
    latencies;
    fairness;
    ends_and_joins;
    while (!failed && n_releases < gens) begin
      @(negedge clock);
      cycle = cycle + 1;
      step;
    end
    $display("hangs %0d, launches %0d, joins %0d, kills %0d, faults %0d, left open %0d, cycles %0d", n_hangs,
             n_launches, n_joins, n_kills, n_faults, n_left, cycle, ", several arrivals in %0d, checks of open %0d",
             n_several, n_open_checks);
    if (failed)
      $display("FAIL; again: +seed=%0d +gens=%0d with WARPS=%0d LANES=%0d CTAS=%0d BARRIERS=%0d GROW=%0d",
               first_seed, gens, WARPS, LANES, CTAS, BARRIERS, GROW);
    else
      $display("PASS %0d releases %0d exits, seed %0d", n_releases, n_exits, first_seed);
    $finish;
  end

endmodule

`default_nettype wire
