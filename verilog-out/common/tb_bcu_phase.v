// SPDX-License-Identifier: Apache-2.0 OR MIT
`timescale 1ns / 1ps
`default_nettype none

// tb_bcu_phase: self-checking bench of `bcu_phase`, at any of its sizes.
//
// Random requests of all kinds at a few barriers at a time: legal ones, and with CHECK = 1 one of eight at random,
// legal or not. Other cores take requests and answer them after random times. Warps start and end. A reset comes when
// all warps are stalled for 40 cycles, and now and then.
//
// The reference has the rules of the header of `bcu_phase.v` on numbers and lists, without stages. It gives the
// values of all outputs, which are compared in every cycle: unlocks, waiting warps, faults, the read phase, both
// channels of global barriers, and hangs. At the end each kind of completion and of fault must have occurred.
//
// Parameters: those of `bcu_phase`. With BCU_CHECK defined, `bcu_phase_assert` checks its ports too. Plusargs:
// +seed=N, +cycles=N (20000). Ends with `PASS`, or with `FAIL` and the plusargs to repeat it.
// verilator lint_off WIDTH
module tb_bcu_phase #(
  parameter WARPS = 8, IDS = 8, LATENCY = 1, RAM = 0, EVENT_BITS = 4, CHECK = 1, STOP = 0, DETECT = 1, GLOBAL = 1,
            CORE_BITS = 2,
  parameter IW = $clog2(IDS)
);
  localparam LW = $clog2(WARPS);
  localparam LEAD  = LATENCY == 1 && RAM == 1;    // The id of a request is on `read_id` in the cycle before.
  localparam STAGE = LATENCY == 1 ? 0 : 1;        // Cycles from a request to its effect on the barrier.
  localparam DELAY = LATENCY - STAGE;             // Cycles from the effect to the outputs.
  localparam SYNC = 0, ARRIVE = 1, WAIT = 2, EXPECT = 3, DONE = 4, NONE = 5;

  reg                  clock, reset, req_valid, req_arrive, req_sync, req_event, req_phase, req_global,
                       gbar_req_ready, gbar_rsp_valid;
  reg  [WARPS-1:0]     live;
  reg  [LW-1:0]        req_warp, req_size_m1;
  reg  [IW-1:0]        req_id, read_id, gbar_rsp_id;
  reg  [CORE_BITS-1:0] req_cores_m1;
  wire                 read_phase, unlock_valid, gbar_req_valid, gbar_rsp_ready, fault_valid, hang;
  wire [WARPS-1:0]     unlock_mask, waiting;
  wire [IW-1:0]        unlock_id, gbar_req_id, fault_id;
  wire [CORE_BITS-1:0] gbar_req_cores_m1;
  wire [5:0]           fault_code;
  wire [LW-1:0]        fault_warp;

  bcu_phase #(
    .WARPS(WARPS),
    .IDS(IDS),
    .LATENCY(LATENCY),
    .RAM(RAM),
    .EVENT_BITS(EVENT_BITS),
    .CHECK(CHECK),
    .STOP(STOP),
    .DETECT(DETECT),
    .GLOBAL(GLOBAL),
    .CORE_BITS(CORE_BITS),
    .IW(IW)
  ) dut (
    .clock(clock),
    .reset(reset),
    .live(live),
    .req_valid(req_valid),
    .req_warp(req_warp),
    .req_id(req_id),
    .req_arrive(req_arrive),
    .req_sync(req_sync),
    .req_event(req_event),
    .req_phase(req_phase),
    .req_global(req_global),
    .req_size_m1(req_size_m1),
    .req_cores_m1(req_cores_m1),
    .read_id(read_id),
    .read_phase(read_phase),
    .unlock_valid(unlock_valid),
    .unlock_mask(unlock_mask),
    .unlock_id(unlock_id),
    .gbar_req_valid(gbar_req_valid),
    .gbar_req_ready(gbar_req_ready),
    .gbar_req_id(gbar_req_id),
    .gbar_req_cores_m1(gbar_req_cores_m1),
    .gbar_rsp_valid(gbar_rsp_valid),
    .gbar_rsp_ready(gbar_rsp_ready),
    .gbar_rsp_id(gbar_rsp_id),
    .fault_valid(fault_valid),
    .fault_code(fault_code),
    .fault_warp(fault_warp),
    .fault_id(fault_id),
    .waiting(waiting),
    .hang(hang)
  );

`ifdef BCU_CHECK
  bcu_phase_assert #(
    .WARPS(WARPS),
    .IW(IW),
    .LATENCY(LATENCY),
    .RAM(RAM),
    .KEEPS(STOP),
    .CORE_BITS(CORE_BITS)
  ) promises (
    .broken(),
    .clock(clock),
    .reset(reset),
    .live(live),
    .req_valid(req_valid),
    .req_warp(req_warp),
    .req_id(req_id),
    .req_arrive(req_arrive),
    .req_sync(req_sync),
    .req_event(req_event),
    .req_phase(req_phase),
    .req_global(req_global),
    .req_size_m1(req_size_m1),
    .req_cores_m1(req_cores_m1),
    .read_id(read_id),
    .read_phase(read_phase),
    .unlock_valid(unlock_valid),
    .unlock_mask(unlock_mask),
    .unlock_id(unlock_id),
    .gbar_req_valid(gbar_req_valid),
    .gbar_req_ready(gbar_req_ready),
    .gbar_req_id(gbar_req_id),
    .gbar_req_cores_m1(gbar_req_cores_m1),
    .gbar_rsp_valid(gbar_rsp_valid),
    .gbar_rsp_ready(gbar_rsp_ready),
    .gbar_rsp_id(gbar_rsp_id),
    .fault_valid(fault_valid),
    .fault_code(fault_code),
    .fault_warp(fault_warp),
    .fault_id(fault_id),
    .hang(hang)
  );
`endif

  initial begin clock = 1'b0; forever #5 clock = !clock; end

  // The reference, per barrier: arrivals, count, events, phase; whether it is global, with how many cores; its
  // request to other cores: 0 none, 1 queued, 2 transferred. `arrived` and `waits` are masks of warps.
  integer          arrivals [0:IDS-1], count [0:IDS-1], events [0:IDS-1], cores [0:IDS-1], sent [0:IDS-1];
  reg              phase [0:IDS-1], is_global [0:IDS-1];
  reg  [WARPS-1:0] arrived [0:IDS-1], waits [0:IDS-1], stalled, token [0:IDS-1], has_token [0:IDS-1];
  integer          queue [0:IDS-1], queued, response, still, open;
  // The request before its effect, with LATENCY = 3. `blocked`: its warp was stalled.
  integer          staged_kind, staged_warp, staged_id, staged_size, staged_cores, kind, warp, id, size, wanted_cores;
  reg              staged_phase, staged_global, staged_blocked, of_phase, of_global, blocked;
  // Index n: the outputs n cycles from now.
  reg              unlocks [0:3], faults [0:3], read [0:3], hangs;
  reg  [WARPS-1:0] mask [0:3], waiters [0:3];
  integer          unlocked_id [0:3], fault [0:3], faulty_warp [0:3], faulty_id [0:3];
  reg              read_known [0:3];
  integer          read_of, staged_read_of;
  // What has occurred, and the stimulus.
  integer          codes [0:63], wrong_cores, completions, global_completions, by_event, passes, held,
                   all_hangs, resets;
  integer          seed, first_seed, cycles, cycle, pace, ids, next_id, stuck, transfer, i, k;
  reg              is_many, rsp_waits, failed;

  // Random number from 0 to limit - 1, by xorshift, so that every simulator gets the same stimulus.
  function integer below(input integer limit);
    begin
      seed = seed ^ (seed << 13);
      seed = seed ^ (seed >> 17 & 32'h7fff);
      seed = seed ^ (seed << 5);
      below = (seed >> 3 & 32'h1fffffff) % limit;
    end
  endfunction

  task clear_reference;
    begin
      for (i = 0; i < IDS; i = i + 1) begin
        arrivals[i] = 0;
        count[i] = 0;
        events[i] = 0;
        cores[i] = 0;
        sent[i] = 0;
        phase[i] = 1'b0;
        is_global[i] = 1'b0;
        arrived[i] = 0;
        waits[i] = 0;
        token[i] = 0;
        has_token[i] = 0;
      end
      for (i = 0; i < 4; i = i + 1) begin
        unlocks[i] = 0;
        faults[i] = 0;
        mask[i] = 0;
        waiters[i] = 0;
        fault[i] = 0;
        read_known[i] = 0;
      end
      stalled = 0;
      queued = 0;
      response = -1;
      still = 0;
      open = 0;
      hangs = 0;
      staged_kind = NONE;
      staged_read_of = -1;
    end
  endtask

  // The phase of barrier b is complete.
  task complete(input integer b);
    begin
      phase[b] = !phase[b];
      unlocks[DELAY] = 1'b1;
      mask[DELAY] = mask[DELAY] | waits[b];
      unlocked_id[DELAY] = b;
      arrivals[b] = 0;
      events[b] = 0;
      arrived[b] = 0;
      waits[b] = 0;
      sent[b] = 0;
    end
  endtask

  // The arrivals and events of barrier b are complete in this core.
  task complete_here(input integer b);
    begin
      if (is_global[b]) begin queue[queued] = b; queued = queued + 1; sent[b] = 1; end
      else begin complete(b); completions = completions + 1; end
    end
  endtask

  // The code of the fault of the request, 0 if it is legal.
  function integer misuse(input integer none);
    begin
      misuse = none;
      if (kind <= WAIT && warp >= WARPS) misuse = 1;
      else if (kind <= WAIT && blocked) misuse = 2;
      else if (id >= IDS) misuse = 5;
      else if (kind <= ARRIVE) begin
        if (size > WARPS) misuse = 11;
        else if (arrived[id][warp]) misuse = 12;
        else if (arrivals[id] > 0 && of_global != is_global[id]) misuse = 13;
        else if (arrivals[id] > 0 && (size != count[id] || of_global && wanted_cores != cores[id])) misuse = 14;
        else if (arrivals[id] > 0 && arrivals[id] == count[id]) misuse = 27;
      end else if (kind == EXPECT) begin
        if (sent[id] != 0) misuse = 30;
        else if (events[id] + size >= 1 << EVENT_BITS) misuse = 26;
      end else if (kind == DONE && events[id] == 0) misuse = 26;
    end
  endfunction

  // The effect of the request, or without one that of a response.
  task effect;
    begin
      if (kind == NONE) begin
        if (response >= 0) begin
          if (sent[response] == 2) begin complete(response); global_completions = global_completions + 1; end
          response = -1;
        end
      end else begin
        k = misuse(0);
        if (k != 0) begin
          codes[k] = codes[k] + 1;
          if (k == 14 && size == count[id]) wrong_cores = wrong_cores + 1;
          faults[DELAY] = 1'b1;
          fault[DELAY] = k;
          faulty_warp[DELAY] = warp;
          faulty_id[DELAY] = id;
          if (STOP == 0 && k != 2 && (kind == SYNC || kind == WAIT)) begin
            unlocks[DELAY] = 1'b1; unlocked_id[DELAY] = id;
            if (warp < WARPS) mask[DELAY][warp] = 1'b1;
          end
        end else if (kind <= ARRIVE) begin
          arrivals[id] = arrivals[id] + 1;
          count[id] = size;
          arrived[id][warp] = 1'b1;
          is_global[id] = of_global;
          cores[id] = wanted_cores;
          token[id][warp] = phase[id];
          has_token[id][warp] = 1'b1;
          if (kind == SYNC) waits[id][warp] = 1'b1;
          if (arrivals[id] == size && events[id] == 0) complete_here(id);
        end else if (kind == WAIT) begin
          if (phase[id] != of_phase) begin
            unlocks[DELAY] = 1'b1;
            mask[DELAY][warp] = 1'b1;
            unlocked_id[DELAY] = id;
            passes = passes + 1;
          end else begin
            waits[id][warp] = 1'b1;
            held = held + 1;
          end
        end else if (kind == EXPECT) events[id] = events[id] + size;
        else begin
          events[id] = events[id] - 1;
          if (events[id] == 0 && arrivals[id] > 0 && arrivals[id] == count[id]) begin
            complete_here(id);
            by_event = by_event + 1;
          end
        end
      end
    end
  endtask

  // Chooses the request of this cycle. With CHECK = 0, and mostly with CHECK = 1, it is legal.
  task choose;
    begin
      id = LEAD || below(2) == 0 ? next_id : below(ids);
      warp = below(WARPS);
      kind = NONE;
      // Few warps that run do not wait, so that phases complete.
      k = 0;
      for (i = 0; i < WARPS; i = i + 1) if (live[i] && !stalled[i]) k = k + 1;
      is_many = k > 2 || below(16) == 0;
      size = below(16) == 0 ? WARPS : 1 + below(WARPS < 4 ? WARPS : 4);
      wanted_cores = below(1 << CORE_BITS);
      of_global = GLOBAL && below(4) == 0;
      of_phase = below(2);
      if (CHECK && below(8) == 0) begin
        kind = below(5);
        warp = below(1 << LW); size = 1 + below(1 << LW);
        if (!LEAD && below(4) == 0) id = below(1 << IW);
        if (id < IDS && below(4) != 0) begin
          if (arrivals[id] > 0) begin size = count[id]; of_global = is_global[id]; wanted_cores = cores[id]; end
          if (sent[id] != 0 && below(2) == 0) kind = EXPECT;
          // Half of the arrivals are wrong in one respect only.
          if (warp < WARPS && below(2) == 0)
            for (i = 0; i < WARPS && (stalled[warp] || arrived[id][warp] || !live[warp]); i = i + 1)
              warp = (warp + 1) % WARPS;
          k = below(4);
          if (k == 0) of_global = GLOBAL && below(2);
          if (k == 1) wanted_cores = below(1 << CORE_BITS);
          if (k == 2) size = 1 + below(1 << LW);
        end
      end else if (id < IDS) begin
        for (i = 0; i < WARPS && (stalled[warp] || !live[warp]); i = i + 1) warp = (warp + 1) % WARPS;
        if (events[id] > 0 && below(3) == 0) kind = DONE;
        else if (below(8) == 0 && sent[id] == 0 && events[id] + size < 1 << EVENT_BITS) kind = EXPECT;
        else if (stalled[warp]) kind = NONE;
        else if (has_token[id][warp] && (arrived[id][warp] ? is_many : below(2) == 0)) begin
          kind = WAIT; of_phase = token[id][warp]; has_token[id][warp] = 1'b0;
        end else if (!arrived[id][warp] && (arrivals[id] == 0 || arrivals[id] < count[id])) begin
          kind = is_many && below(2) ? SYNC : ARRIVE;
          if (arrivals[id] > 0) begin size = count[id]; of_global = is_global[id]; wanted_cores = cores[id]; end
        end
        // With LATENCY = 3 the last request may not have had its effect, so a second one at its barrier may be illegal.
        if (!CHECK && staged_kind != NONE && staged_id == id) kind = NONE;
      end
      if (!(~stalled & live) && !(kind == DONE && id < IDS && events[id] > 0)) kind = NONE;
      if (kind <= WAIT && warp < WARPS && !live[warp]) kind = NONE;
    end
  endtask

  // Drives the inputs of a cycle.
  task drive;
    begin
      if (cycle % 256 == 0) begin
        ids = 1 + below(IDS); pace = 1 + below(3);
        for (i = 0; i < WARPS; i = i + 1) if (!stalled[i]) live[i] = live == 0 || below(8) != 0;
      end
      choose;
      if (below(pace) != 0 || stuck > 8) begin
        if (kind == WAIT && id < IDS && warp < WARPS) has_token[id][warp] = 1'b1;
        kind = NONE;
      end
      req_valid = kind != NONE;
      req_warp = warp;
      req_id = id;
      req_size_m1 = size - 1;
      req_cores_m1 = wanted_cores;
      req_global = of_global;
      req_event = kind == EXPECT || kind == DONE || kind == NONE && below(2);
      req_arrive = kind <= ARRIVE || kind > WAIT && below(2);
      req_sync = kind == SYNC || kind > ARRIVE && below(2);
      req_phase = kind == WAIT ? of_phase : kind == EXPECT ? 1'b1 : kind == DONE ? 1'b0 : below(2);
      // When all warps are stalled, only events are done: the next barrier has some, if there is one.
      next_id = CHECK && below(8) == 0 ? below(1 << IW) : below(ids);
      if (!(~stalled & live)) begin
        next_id = below(IDS);
        for (i = 0; i < IDS && events[next_id] == 0; i = i + 1) next_id = (next_id + 1) % IDS;
      end
      read_id = LEAD || below(2) == 0 ? next_id : below(ids);
      gbar_req_ready = below(2);
      if (!rsp_waits) begin
        k = below(IDS);
        for (i = 0; i < IDS && sent[k] != 2; i = i + 1) k = (k + 1) % IDS;
        gbar_rsp_id = k;
        gbar_rsp_valid = GLOBAL && below(4) == 0 && sent[k] == 2 && response != k;
      end
      // Warps that are stopped end.
      if (STOP && stuck == 20) begin
        for (i = 0; i < IDS; i = i + 1) stalled = stalled & ~waits[i];
        live = live & ~stalled;
        for (i = 0; i < IDS; i = i + 1) stalled = stalled | waits[i];
        stalled = stalled & live;
      end
    end
  endtask

  task check(input is_right);
    begin
      if (!is_right && !failed) begin
        $display("cycle %0d: unlock %b of warps %b at barrier %0d, expected %b of %b at %0d",
                 cycle, unlock_valid, unlock_mask, unlock_id, unlocks[0], mask[0], unlocked_id[0]);
        $display("  fault %b, code %0d, warp %0d, barrier %0d, expected %b, %0d, %0d, %0d",
                 fault_valid, fault_code, fault_warp, fault_id, faults[0], fault[0], faulty_warp[0], faulty_id[0]);
        $display("  read_phase %b, expected %b (known: %b); waiting %b, expected %b",
                 read_phase, read[0], read_known[0], waiting, waiters[0]);
        $display("  request to other cores %b, barrier %0d, cores %0d, expected %b, %0d",
                 gbar_req_valid, gbar_req_id, gbar_req_cores_m1, queued > 0, queue[0]);
        $display("  rsp_ready %b, expected %b; hang %b, expected %b",
                 gbar_rsp_ready, GLOBAL && response < 0, hang, hangs);
      end
      if (!is_right) failed = 1'b1;
    end
  endtask

  // Compares the outputs of this cycle, and advances the reference by it.
  task step;
    begin
      #4;
      check(unlock_valid === unlocks[0] && unlock_mask === mask[0] && (!unlocks[0] || unlock_id === unlocked_id[0]));
      check(fault_valid === faults[0] && fault_code === (faults[0] ? fault[0] : 0));
      check(!faults[0] || fault_warp === faulty_warp[0] && fault_id === faulty_id[0]);
      check(!read_known[0] || read_phase === read[0]);
      check(waiting === waiters[0]);
      check(gbar_req_valid === (queued > 0)
            && (queued == 0 || gbar_req_id === queue[0] && gbar_req_cores_m1 === cores[queue[0]]));
      check(gbar_rsp_ready === (GLOBAL && response < 0) && hang === (DETECT && hangs));
      all_hangs = all_hangs + hang;
      stalled = stalled & ~mask[0];
      open = queued;
      for (i = 0; i < IDS; i = i + 1) open = open + events[i] + sent[i];
      still = live == 0 || ~stalled & live || req_valid || open != 0 ? 0 : still < 9 ? still + 1 : still;
      hangs = still == 8;
      stuck = ~stalled & live || open != 0 ? 0 : stuck + 1;
      blocked = CHECK && warp < WARPS && stalled[warp];
      if ((kind == SYNC || kind == WAIT) && warp < WARPS) stalled[warp] = 1'b1;
      if (STOP) stalled = stalled & live;
      read_of = read_id;
      transfer = queued > 0 && gbar_req_ready;
      if (STAGE == 1) begin
        i = staged_kind; staged_kind = kind; kind = i;
        i = staged_warp; staged_warp = warp; warp = i;
        i = staged_id; staged_id = id; id = i;
        i = staged_size; staged_size = size; size = i;
        i = staged_cores; staged_cores = wanted_cores; wanted_cores = i;
        i = staged_read_of; staged_read_of = read_of; read_of = i;
        {staged_phase, of_phase} = {of_phase, staged_phase};
        {staged_global, of_global} = {of_global, staged_global};
        {staged_blocked, blocked} = {blocked, staged_blocked};
      end
      effect;
      if (read_of >= 0 && read_of < IDS) begin read[DELAY] = phase[read_of]; read_known[DELAY] = 1'b1; end
      waiters[DELAY] = 0;
      for (i = 0; i < IDS; i = i + 1) waiters[DELAY] = waiters[DELAY] | waits[i];
      // Transfers of this cycle take effect in the next one.
      if (transfer) begin
        sent[queue[0]] = 2;
        for (i = 1; i < queued; i = i + 1) queue[i-1] = queue[i];
        queued = queued - 1;
      end
      if (GLOBAL && gbar_rsp_valid && gbar_rsp_ready) response = gbar_rsp_id;
      rsp_waits = gbar_rsp_valid && !gbar_rsp_ready;
      for (i = 0; i < 3; i = i + 1) begin
        unlocks[i] = unlocks[i+1];
        mask[i] = mask[i+1];
        waiters[i] = waiters[i+1];
        unlocked_id[i] = unlocked_id[i+1];
        read[i] = read[i+1];
        read_known[i] = read_known[i+1];
        faults[i] = faults[i+1];
        fault[i] = fault[i+1];
        faulty_warp[i] = faulty_warp[i+1];
        faulty_id[i] = faulty_id[i+1];
      end
      unlocks[3] = 0;
      mask[3] = 0;
      faults[3] = 0;
      read_known[3] = 0;
      @(negedge clock);
      cycle = cycle + 1;
    end
  endtask

  task restart;
    begin
      reset = 1'b1;
      req_valid = 1'b0;
      gbar_rsp_valid = 1'b0;
      kind = NONE;
      repeat (1 + below(2)) @(negedge clock);
      reset = 1'b0;
      clear_reference;
      resets = resets + 1;
      stuck = 0;
      rsp_waits = 1'b0;
      live = {WARPS{1'b1}};
    end
  endtask

  // Fails the bench if something that it should test has not occurred.
  task occurred(input integer number, input integer what);
    if (number == 0) begin
      $display("nothing of kind %0d has occurred: give more +cycles", what);
      failed = 1'b1;
    end
  endtask

  initial begin
    if (!$value$plusargs("seed=%d", seed)) seed = 1;
    if (!$value$plusargs("cycles=%d", cycles)) cycles = 20000;
    first_seed = seed;
    failed = 1'b0;
    cycle = 0;
    pace = 1;
    ids = IDS;
    next_id = 0;
    read_id = 0;
    resets = 0;
    live = {WARPS{1'b1}};
    completions = 0;
    wrong_cores = 0;
    global_completions = 0;
    by_event = 0;
    passes = 0;
    held = 0;
    all_hangs = 0;
    for (i = 0; i < 64; i = i + 1) codes[i] = 0;
    @(negedge clock) restart;
    while (cycle < cycles && !failed) begin
      drive;
      step;
      if (stuck == 40 || below(4096) == 0) restart;
    end
    occurred(completions, 0);
    occurred(by_event, 1);
    occurred(passes, 2);
    occurred(held, 3);
    if (DETECT) occurred(all_hangs, 4);
    if (GLOBAL) occurred(global_completions, 5);
    if (CHECK) begin
      occurred(codes[2], 102);
      occurred(codes[12], 112);
      occurred(codes[14], 114);
      occurred(codes[26], 126);
      occurred(codes[27], 127);
      if (WARPS != 1 << LW) begin occurred(codes[1], 101); occurred(codes[11], 111); end
      if (IDS != 1 << IW) occurred(codes[5], 105);
      if (GLOBAL) begin occurred(wrong_cores, 115); occurred(codes[13], 113); occurred(codes[30], 130); end
    end
    if (failed) $display("FAIL: +seed=%0d +cycles=%0d", first_seed, cycles);
    else
      $display("PASS: %0d phases, %0d by events, %0d of several cores, %0d waits", completions, by_event,
               global_completions, passes + held, ", %0d hangs, %0d resets in %0d cycles, seed %0d", all_hangs, resets,
               cycle, first_seed);
    $finish;
  end
endmodule

`default_nettype wire
