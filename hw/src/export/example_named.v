`timescale 1ns / 1ps
`default_nettype none
`include "bcu_defs.vh"

// example_bcu_named: short self-checking bench of `bcu_named`, an example of how to use it. Inputs change and outputs
// are read at the falling edge. Ends with `PASS` or `FAIL`.
module example_bcu_named;
  localparam W = `BCU_WARPS, L = `BCU_LANES, LW = `BCU_LW, CW = `BCU_CW, LC = `BCU_LC, VW = `BCU_VW;
  localparam [W-1:0] ALL = {W{1'b1}}, LAST = {1'b1, {(W-1){1'b0}}}, ONE = {{(W-1){1'b0}}, 1'b1};

  reg           clock, reset, op_valid, failed;
  reg  [3:0]    op_kind, op_id;
  reg  [11:0]   op_count;
  reg  [LW-1:0] op_warp;
  reg  [VW-1:0] op_value;
  wire          op_ready, release_valid, clearing, fault_valid, fault_has_warp;
  wire [LC-1:0] release_cta, fault_cta;
  wire [3:0]    release_id, fault_id;
  wire [W-1:0]  release_warps, waiting;
  wire [1:0]    release_reduction;
  wire [11:0]   release_value;
  wire [5:0]    fault_code;
  wire [LW-1:0] fault_warp;
  integer       i, n, sum;

  // verilator lint_off PINMISSING
  bcu_named dut (
    .clock(clock), .reset(reset), .op_valid(op_valid), .op_ready(op_ready), .op_kind(op_kind), .op_fault(6'd0),
    .op_uniform(1'b1), .op_cta({LC{1'b0}}), .op_id(op_id), .op_count(op_count), .op_redop(`BCU_RED_POPC),
    .op_state(`BCU_STATE_WARP), .op_data(32'd0), .op_warp(op_warp), .op_value(op_value), .op_mask(ALL),
    .op_warps(W[CW-1:0]), .op_live(W[CW-1:0]), .op_barriers(6'd4), .op_saved(1'b0), .trapped({W{1'b0}}),
    .release_valid(release_valid), .release_cta(release_cta), .release_id(release_id), .release_warps(release_warps),
    .release_reduction(release_reduction), .release_value(release_value), .waiting(waiting), .clearing(clearing),
    .fault_valid(fault_valid), .fault_ready(1'b1), .fault_code(fault_code), .fault_has_warp(fault_has_warp),
    .fault_warp(fault_warp), .fault_cta(fault_cta), .fault_id(fault_id));
  // verilator lint_on PINMISSING

  initial begin clock = 1'b0; forever #5 clock = !clock; end

  task check(input ok, input integer test);
    if (ok !== 1'b1) begin failed = 1'b1; $display("%0d: test %0d fails", $time, test); end
  endtask

  // Offers an operation until it is taken; returns in the cycle after the transfer.
  // verilator lint_off UNUSEDSIGNAL
  task send(input [3:0] kind, input integer warp, input [3:0] id, input [11:0] count);
    begin
      op_valid = 1'b1; op_kind = kind; op_warp = warp[LW-1:0]; op_id = id; op_count = count;
      while (!op_ready) @(negedge clock);
      @(negedge clock) op_valid = 1'b0;
    end
  endtask
  // verilator lint_on UNUSEDSIGNAL

  // The release is valid exactly `cycles` after the last transfer.
  task released(
      input integer cycles, input [3:0] id, input [W-1:0] warps, input [1:0] reduction, input integer value,
      input integer test);
    for (n = 1; n <= cycles + 1; n = n + 1) begin
      check(release_valid == (n == cycles), test);
      if (n == cycles)
        check(release_cta == 0 && release_id == id && release_warps == warps && release_reduction == reduction
              && {20'd0, release_value} == value && (waiting & warps) == 0, test);
      @(negedge clock);
    end
  endtask

  initial begin
    failed = 1'b0; reset = 1'b1; op_valid = 1'b0; op_kind = 0; op_id = 0; op_count = 0; op_warp = 0; op_value = 0;
    sum = 0;
    @(negedge clock) reset = 1'b0;
    for (i = 1; !op_ready; i = i + 1) @(negedge clock);
    check(i == `BCU_CYCLES_NAMED_READY, 1);
    send(`BCU_OP_LAUNCH, 0, 4'd0, 12'd0);
    for (i = 0; i < W; i = i + 1) send(`BCU_OP_SYNC, i, 4'd0, 12'd0);   // All warps.
    check(waiting == ALL, 2);
    released(`BCU_CYCLES_NAMED_RELEASE, 4'd0, ALL, `BCU_REDUCTION_NONE, 0, 3);
    if (`BCU_REDUCTIONS) begin
      for (i = 0; i < W; i = i + 1) begin
        op_value = i[VW-1:0] & 3; sum = sum + i % 4; send(`BCU_OP_REDUCE, i, 4'd3, 12'd0);
      end
      released(`BCU_CYCLES_NAMED_RELEASE, 4'd3, ALL, `BCU_REDUCTION_POPC, sum, 4);
    end
    send(`BCU_OP_ARRIVE, 0, 4'd1, 12'd2 * L[11:0]);                     // Two warps; only warp 1 waits.
    send(`BCU_OP_SYNC, 1, 4'd1, 12'd2 * L[11:0]);
    released(`BCU_CYCLES_NAMED_RELEASE, 4'd1, ONE << 1, `BCU_REDUCTION_NONE, 0, 5);
    for (i = 0; i < W - 1; i = i + 1) send(`BCU_OP_SYNC, i, 4'd2, 12'd0);
    send(`BCU_OP_EXIT, W - 1, 4'd0, 12'd0);                             // The last warp exits instead.
    released(`BCU_CYCLES_NAMED_EXIT_RELEASE, 4'd2, ~LAST, `BCU_REDUCTION_NONE, 0, 6);
    if (`BCU_CHECKS) begin
      for (i = 0; i < 2; i = i + 1) send(`BCU_OP_ARRIVE, 1, 4'd1, 12'd2 * L[11:0]);  // The second is a fault.
      repeat (`BCU_CYCLES_NAMED_FAULT - 1) begin check(!fault_valid, 7); @(negedge clock); end
      check(fault_valid && fault_has_warp && fault_code == `BCU_FAULT_DOUBLE_ARRIVAL
            && fault_warp == 1 && fault_cta == 0 && fault_id == 1, 7);
      send(`BCU_OP_RELEASE, 0, 4'd0, 12'd0);                              // Barrier 1 is still open: a fault.
      for (i = 0; !fault_valid && i < 40; i = i + 1) @(negedge clock);
      check(fault_valid && !fault_has_warp && fault_code == `BCU_FAULT_BARRIER_LEFT_OPEN && fault_id == 1, 8);
    end
    repeat (20) @(negedge clock);
    check(!clearing && op_ready && waiting == 0 && !fault_valid, 9);
    if (failed) $display("FAIL"); else $display("PASS");
    $finish;
  end
endmodule

`default_nettype wire
