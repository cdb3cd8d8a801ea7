// SPDX-License-Identifier: Apache-2.0 OR MIT
`timescale 1ns / 1ps
// Drives `bcu_simple` so that it prints each of its simulation messages about warps, one after the other, with a title before each message.
module messages;
  reg        clock = 0, reset = 1;
  reg  [3:0] live = 0, arrive = 0;
  reg  [15:0] id = 16'h0010;  // Warp 1 is at barrier 1, the others at barrier 0.
  wire       ready;
  wire [3:0] stalled;
  wire       hang;

  bcu_simple #(.WARPS(4), .LANES(4), .CTAS(1), .BARRIERS(4), .DETECT(1)) front (
    .clock(clock), .reset(reset), .ready(ready), .loading(1'b0), .live(live), .warp_cta(4'd0), .arrive(arrive),
    .arrive_sync(4'b1111), .arrive_id(id), .arrive_count({4{3'd2}}), .stalled(stalled),
    .wake(), .done_valid(), .done_cta(), .done_id(), .pending(), .member(), .present(), .cta_busy(), .open(),
    .fault_valid(), .fault_code(), .fault_has_warp(), .fault_warp(), .fault_cta(), .fault_id(), .hang(hang)
  );

  always #5 clock = ~clock;
  always @(posedge clock) if (hang) $display("hang");

  task strobe(input [3:0] warps);
    begin
      @(negedge clock) arrive = warps;
      @(negedge clock) arrive = 0;
    end
  endtask

  initial begin
    repeat (2) @(negedge clock);
    reset = 0;
    wait (ready);
    live = 4'b0011;
    repeat (10) @(negedge clock);
    $display("not live");
    strobe(4'b1000);
    $display("twice");
    strobe(4'b0001);
    strobe(4'b0001);
    $display("joins too late");
    strobe(4'b0010);
    live = 4'b0111;
    repeat (5) @(negedge clock);
    strobe(4'b0100);
    repeat (40) @(negedge clock);
    $display("live again");
    @(negedge clock) live = 4'b0110;
    repeat (5) @(negedge clock);
    live = 4'b0111;
    repeat (5) @(negedge clock);
    $display("end %b", stalled);
    $finish;
  end
endmodule
