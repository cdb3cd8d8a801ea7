// SPDX-License-Identifier: Apache-2.0 OR MIT
`default_nettype none
`include "bcu_defs.vh"

// tb_rendezvous: bench of the Verilog that `rendezvous.py` writes: all warps meet ROUNDS times, then pairs of warps.
// Each warp is released once, 3 cycles after the last arrival. Inputs change and outputs are read at the falling
// edge. Ends with `PASS` or `FAIL`.
module tb_rendezvous;

  localparam W = `BCU_WARPS, LW = `BCU_LW, ROUNDS = 5;

  reg           clock, reset, arrive;
  reg  [LW-1:0] warp;
  reg  [3:0]    id;
  reg  [11:0]   threads;
  wire          ready, refused;
  wire [W-1:0]  released;
  integer       i, n, round, errors;

  rendezvous dut (
    .clk(clock),
    .rst(reset),
    .ready(ready),
    .arrive(arrive),
    .warp(warp),
    .id(id),
    .threads(threads),
    .released(released),
    .refused(refused)
  );

  initial begin clock = 1'b0; forever #5 clock = !clock; end

  // Warps first to last arrive, one in each cycle; they are released together.
  task meet(input integer first, input integer last, input integer barrier, input integer count);
    begin
      for (i = first; i <= last; i = i + 1) begin
        arrive = 1'b1; warp = i[LW-1:0]; id = barrier[3:0]; threads = count[11:0];
        @(negedge clock) arrive = 1'b0;
      end
      for (n = 1; n <= 6; n = n + 1) begin
        for (i = 0; i < W; i = i + 1)
          if (released[i] !== (n == `BCU_CYCLES_NAMED_RELEASE && i >= first && i <= last)) begin
            $display("%0d: warp %0d: released is %b, %0d cycles after the arrival of warp %0d",
                     $time, i, released[i], n, last);
            errors = errors + 1;
          end
        if (refused) begin $display("%0d: an arrival is refused", $time); errors = errors + 1; end
        @(negedge clock);
      end
    end
  endtask

  initial begin
    reset = 1'b1; arrive = 1'b0; warp = 0; id = 0; threads = 0; errors = 0;
    repeat (2) @(negedge clock);
    reset = 1'b0;
    for (i = 0; !ready && i < 1000; i = i + 1) @(negedge clock);
    for (round = 0; round < ROUNDS; round = round + 1) meet(0, W - 1, 0, 0);
    for (round = 0; round + 1 < W; round = round + 2) meet(round, round + 1, 1, 2 * `BCU_LANES);
    if (errors == 0) $display("PASS, cycles of a barrier %0d", `BCU_CYCLES_NAMED_RELEASE); else $display("FAIL");
    $finish;
  end

endmodule

`default_nettype wire
