// SPDX-License-Identifier: Apache-2.0 OR MIT
`timescale 1ns / 1ps
`default_nettype none

// tb_bcu_named_promises: test of `bcu_named_promises` beside a `bcu_named` of 12 warps of 24 lanes and 3 CTA slots (`odd`).
//
// Each case resets, breaks exactly one promise, once, and checks that its counter has become 1, that no other counter
// has risen, and that `broken` shows its code. The first and the last case break none. The configuration is one in
// which op_warp and op_value have values that must not occur.
// Ends with `PASS` or `FAIL` and the number of the case.
module tb_bcu_named_promises;
  localparam WARPS = 12, LANES = 24, CTAS = 3;
  localparam LW = 4, CW = 5, LC = 2, VW = 6, CODES = 20;
  localparam [3:0] SYNC = 4'd0, ARRIVE = 4'd1, REDUCE = 4'd2, READ = 4'd3, WRITE = 4'd4, EXIT = 4'd5, LAUNCH = 4'd6,
                   RELEASE = 4'd7, FENCE = 4'd8;

  reg              clock, reset, op_valid, op_uniform, op_saved;
  reg  [3:0]       op_kind, op_id;
  reg  [5:0]       op_fault, op_barriers;
  reg  [LC-1:0]    op_cta;
  reg  [11:0]      op_count;
  reg  [1:0]       op_redop, op_state;
  reg  [31:0]      op_data;
  reg  [LW-1:0]    op_warp;
  reg  [VW-1:0]    op_value;
  reg  [WARPS-1:0] op_mask, trapped;
  reg  [CW-1:0]    op_warps, op_live;
  wire             op_ready;
  wire [WARPS-1:0] waiting;
  wire [4:0]       broken;
  integer          i, cases;
  reg              failed;

  bcu_named_promises #(.WARPS(WARPS), .LANES(LANES), .CTAS(CTAS)) promises (
    .clock(clock), .reset(reset), .op_valid(op_valid), .op_ready(op_ready), .op_kind(op_kind), .op_fault(op_fault),
    .op_uniform(op_uniform), .op_cta(op_cta), .op_id(op_id), .op_count(op_count), .op_redop(op_redop),
    .op_state(op_state), .op_data(op_data), .op_warp(op_warp), .op_value(op_value), .op_mask(op_mask),
    .op_warps(op_warps), .op_live(op_live), .op_barriers(op_barriers), .op_saved(op_saved), .trapped(trapped),
    .waiting(waiting), .broken(broken));

  // verilator lint_off PINMISSING
  bcu_named unit (
    .clock(clock), .reset(reset), .op_valid(op_valid), .op_ready(op_ready), .op_kind(op_kind), .op_fault(op_fault),
    .op_uniform(op_uniform), .op_cta(op_cta), .op_id(op_id), .op_count(op_count), .op_redop(op_redop),
    .op_state(op_state), .op_data(op_data), .op_warp(op_warp), .op_value(op_value), .op_mask(op_mask),
    .op_warps(op_warps), .op_live(op_live), .op_barriers(op_barriers), .op_saved(op_saved), .trapped(trapped),
    .waiting(waiting), .fault_ready(1'b1));
  // verilator lint_on PINMISSING

  initial begin
    clock = 1'b0;
    forever #5 clock = !clock;
  end

  task start;
    begin
      reset = 1'b1;
      op_valid = 1'b0; op_kind = SYNC; op_fault = 6'd0; op_uniform = 1'b1; op_cta = 2'd0; op_id = 4'd0; op_count = 12'd0;
      op_redop = 2'd0; op_state = 2'd0; op_data = 32'd0; op_warp = 4'd0; op_value = 6'd0; op_mask = 12'd0;
      op_warps = 5'd0; op_live = 5'd0; op_barriers = 6'd5; op_saved = 1'b0; trapped = 12'd0;
      for (i = 0; i <= CODES; i = i + 1) promises.times[i] = 0;
      @(negedge clock);
      reset = 1'b0;
      while (!op_ready) @(negedge clock);
    end
  endtask

  // Offers the operation until it is taken.
  task go;
    begin
      op_valid = 1'b1;
      while (!op_ready) @(negedge clock);
      @(negedge clock);
      op_valid = 1'b0;
    end
  endtask

  task launch(input [LC-1:0] cta, input [WARPS-1:0] mask, input [CW-1:0] warps, input [CW-1:0] live);
    begin
      op_kind = LAUNCH; op_cta = cta; op_mask = mask; op_warps = warps; op_live = live;
      go;
    end
  endtask

  task release_cta(input [LC-1:0] cta, input [WARPS-1:0] mask);
    begin
      op_kind = RELEASE; op_cta = cta; op_mask = mask;
      go;
    end
  endtask

  task send(input [3:0] kind, input [LC-1:0] cta, input [LW-1:0] warp, input [3:0] id, input [11:0] count);
    begin
      op_kind = kind; op_cta = cta; op_warp = warp; op_id = id; op_count = count;
      go;
    end
  endtask

  task expect_code(input integer code);
    begin
      repeat (8) @(negedge clock);
      cases = cases + 1;
      for (i = 1; i <= CODES; i = i + 1)
        if (promises.times[i] != (i == code ? 1 : 0)) begin
          failed = 1'b1;
          $display("case %0d: code %0d was counted %0d times, expected code %0d", cases, i, promises.times[i], code);
        end
      if (code != 0 && {27'd0, broken} != code) begin
        failed = 1'b1;
        $display("case %0d: broken is %0d, expected %0d", cases, broken, code);
      end
    end
  endtask

  // Nothing is broken: two CTAs, arrivals, an exit, a second Launch of a slot, state words of a warp that waits.
  task good;
    begin
      start;
      launch(2'd0, 12'h00f, 5'd4, 5'd4);
      launch(2'd2, 12'hff0, 5'd8, 5'd8);
      for (i = 0; i < 4; i = i + 1) send(SYNC, 2'd0, i[3:0], 4'd1, 12'd0);
      op_value = 6'd24; op_redop = 2'd2;
      send(REDUCE, 2'd2, 4'd4, 4'd4, 12'd48);
      op_value = 6'd63; op_redop = 2'd1;  // Or: only bit 0 counts. The fault is the unit's: another reduction.
      send(REDUCE, 2'd2, 4'd5, 4'd4, 12'd48);
      op_state = 2'd0;
      send(READ, 2'd2, 4'd4, 4'd0, 12'd0);
      op_fault = 6'd2;  // Found upstream: the warp is blocked.
      send(EXIT, 2'd2, 4'd4, 4'd0, 12'd0);
      op_fault = 6'd0; op_redop = 2'd2; op_value = 6'd24;
      repeat (4) @(negedge clock);
      send(REDUCE, 2'd2, 4'd5, 4'd4, 12'd48);
      repeat (4) @(negedge clock);
      for (i = 0; i < 4; i = i + 1) send(EXIT, 2'd0, i[3:0], 4'd1, 12'd0);
      release_cta(2'd0, 12'h00f);
      launch(2'd1, 12'h007, 5'd3, 5'd2);
      send(FENCE, 2'd1, 4'd0, 4'd0, 12'd0);
      send(SYNC, 2'd3, 4'd0, 4'd0, 12'd0);  // Not built: a fault of the unit.
      expect_code(0);
    end
  endtask

  initial begin
    failed = 1'b0;
    cases  = 0;
    good;
    // 1: op_valid falls. A Launch takes two slots, so op_ready is 0 in the next cycle.
    start; launch(2'd0, 12'h00f, 5'd4, 5'd4);
    op_kind = ARRIVE; op_count = 12'd48; op_valid = 1'b1;
    @(negedge clock) op_valid = 1'b0;
    expect_code(1);
    // 2: the payload changes.
    start; launch(2'd0, 12'h00f, 5'd4, 5'd4);
    op_kind = ARRIVE; op_count = 12'd48; op_valid = 1'b1;
    @(negedge clock) op_count = 12'd24;
    go;
    expect_code(2);
    // A field that means nothing may change.
    start; launch(2'd0, 12'h00f, 5'd4, 5'd4);
    op_kind = ARRIVE; op_count = 12'd48; op_valid = 1'b1;
    @(negedge clock);
    op_data = 32'd1; op_mask = 12'd1; op_value = 6'd9; op_redop = 2'd3; op_state = 2'd3; op_saved = 1'b1; op_live = 5'd9;
    go;
    expect_code(0);
    // 3: kind.
    start; launch(2'd0, 12'h00f, 5'd4, 5'd4);
    send(4'd9, 2'd0, 4'd0, 4'd0, 12'd0);
    expect_code(3);
    // 4: op_fault.
    start; launch(2'd0, 12'h00f, 5'd4, 5'd4);
    op_fault = 6'd41;
    send(SYNC, 2'd0, 4'd0, 4'd0, 12'd0);
    expect_code(4);
    // 5: op_redop.
    start; launch(2'd0, 12'h00f, 5'd4, 5'd4);
    op_redop = 2'd3;
    send(REDUCE, 2'd0, 4'd0, 4'd0, 12'd0);
    expect_code(5);
    // 6: op_state, of a Read and of a Write.
    start; launch(2'd0, 12'h00f, 5'd4, 5'd4);
    op_state = 2'd3;
    send(READ, 2'd0, 4'd0, 4'd0, 12'd0);
    expect_code(6);
    start; launch(2'd0, 12'h00f, 5'd4, 5'd4);
    op_state = 2'd2;
    send(READ, 2'd0, 4'd0, 4'd0, 12'd0);
    send(WRITE, 2'd0, 4'd0, 4'd0, 12'd0);
    expect_code(6);
    // 7: op_warp.
    start; launch(2'd0, 12'h00f, 5'd4, 5'd4);
    send(ARRIVE, 2'd0, 4'd12, 4'd0, 12'd48);
    expect_code(7);
    // 8: op_value.
    start; launch(2'd0, 12'h00f, 5'd4, 5'd4);
    op_redop = 2'd2; op_value = 6'd25;
    send(REDUCE, 2'd0, 4'd0, 4'd0, 12'd0);
    expect_code(8);
    // 9: a warp that waits, at once and later.
    start; launch(2'd0, 12'h00f, 5'd4, 5'd4);
    send(SYNC, 2'd0, 4'd3, 4'd0, 12'd0);
    send(ARRIVE, 2'd0, 4'd3, 4'd3, 12'd48);
    expect_code(9);
    start; launch(2'd0, 12'h00f, 5'd4, 5'd4);
    send(SYNC, 2'd0, 4'd3, 4'd0, 12'd0);
    repeat (9) @(negedge clock);
    send(EXIT, 2'd0, 4'd3, 4'd3, 12'd0);
    expect_code(9);
    // 10: a trapped warp.
    start; launch(2'd0, 12'h00f, 5'd4, 5'd4);
    trapped = 12'h002;
    send(READ, 2'd0, 4'd1, 4'd0, 12'd0);
    send(SYNC, 2'd0, 4'd1, 4'd0, 12'd0);
    expect_code(10);
    // 11: before the Launch, after the Release, a second Release.
    start;
    send(ARRIVE, 2'd0, 4'd0, 4'd0, 12'd48);
    expect_code(11);
    start; launch(2'd0, 12'h00f, 5'd4, 5'd4); release_cta(2'd0, 12'h00f);
    send(ARRIVE, 2'd0, 4'd0, 4'd0, 12'd48);
    expect_code(11);
    start; launch(2'd0, 12'h00f, 5'd4, 5'd4); release_cta(2'd0, 12'h00f); release_cta(2'd0, 12'h00f);
    expect_code(11);
    // 12: a warp of another CTA, and one of none. Without a mask: a warp that has been in another.
    start; launch(2'd0, 12'h00f, 5'd4, 5'd4); launch(2'd1, 12'h0f0, 5'd4, 5'd4);
    send(ARRIVE, 2'd0, 4'd4, 4'd0, 12'd48);
    expect_code(12);
    start; launch(2'd0, 12'h00f, 5'd4, 5'd4);
    send(ARRIVE, 2'd0, 4'd11, 4'd0, 12'd48);
    expect_code(12);
    start; launch(2'd0, 12'h000, 5'd4, 5'd4); launch(2'd1, 12'h000, 5'd4, 5'd4);
    send(ARRIVE, 2'd0, 4'd5, 4'd0, 12'd48);
    send(ARRIVE, 2'd1, 4'd5, 4'd0, 12'd48);
    expect_code(12);
    // 13: op_warps and op_mask.
    start; launch(2'd0, 12'h00f, 5'd5, 5'd4);
    expect_code(13);
    // 14: op_live.
    start; launch(2'd0, 12'h00f, 5'd4, 5'd5);
    expect_code(14);
    // 15: more than there are, without masks.
    start; launch(2'd0, 12'h000, 5'd8, 5'd8); launch(2'd1, 12'h000, 5'd5, 5'd5);
    expect_code(15);
    // 16: a warp slot of another CTA.
    start; launch(2'd0, 12'h00f, 5'd4, 5'd4); launch(2'd1, 12'h018, 5'd2, 5'd2);
    expect_code(16);
    // 17: a CTA slot that is launched.
    start; launch(2'd0, 12'h00f, 5'd4, 5'd4); launch(2'd0, 12'h00f, 5'd4, 5'd4);
    expect_code(17);
    // 18: a Release of other warps.
    start; launch(2'd0, 12'h00f, 5'd4, 5'd4); release_cta(2'd0, 12'h007);
    expect_code(18);
    // 19: after the Exit.
    start; launch(2'd0, 12'h00f, 5'd4, 5'd4);
    send(EXIT, 2'd0, 4'd0, 4'd0, 12'd0);
    send(ARRIVE, 2'd0, 4'd0, 4'd0, 12'd48);
    expect_code(19);
    // 20: more exits than live warps.
    start; launch(2'd0, 12'h00f, 5'd4, 5'd1);
    send(EXIT, 2'd0, 4'd0, 4'd0, 12'd0);
    send(EXIT, 2'd0, 4'd1, 4'd0, 12'd0);
    expect_code(20);
    good;
    if (failed) $display("FAIL");
    else $display("PASS %0d cases", cases);
    $finish;
  end

endmodule

`default_nettype wire
