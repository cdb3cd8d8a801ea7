// SPDX-License-Identifier: Apache-2.0 OR MIT
`timescale 1ns / 1ps
`default_nettype none

// Prints each simulation message of `bcu_counted` once, in configuration `tiny`.
module messages;
  reg        clock, reset, req_valid;
  reg  [1:0] req_warp;
  reg  [3:0] req_id;
  wire       ready;

  bcu_counted #(.STOP(1), .DETECT(1)) dut (
    .clock(clock), .reset(reset), .ready(ready), .live(4'b0111), .req_valid(req_valid), .req_warp(req_warp), .req_id(req_id), .req_size_m1(2'd3),
    .unlock_valid(), .unlock_mask(), .unlock_id(), .fault_valid(), .fault_code(), .fault_warp(), .fault_id(), .hang());

  initial begin clock = 1'b0; forever #5 clock = !clock; end

  task request(input [1:0] warp, input [3:0] id);
    begin
      req_valid = 1'b1; req_warp = warp; req_id = id;
      @(negedge clock) req_valid = 1'b0;
    end
  endtask

  initial begin
    reset = 1'b1; req_valid = 1'b0;
    @(negedge clock) request(2'd1, 4'd0);
    reset = 1'b0;
    @(negedge clock) request(2'd2, 4'd1);
    while (!ready) @(negedge clock);
    request(2'd3, 4'd1);
    request(2'd0, 4'd0);
    request(2'd1, 4'd0);
    request(2'd1, 4'd0);
    repeat (20) @(negedge clock);
    request(2'd2, 4'd1);
    repeat (40) @(negedge clock);
    $display("end");
    $finish;
  end
endmodule
