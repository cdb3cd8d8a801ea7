// SPDX-License-Identifier: Apache-2.0 OR MIT
`timescale 1ns / 1ps
`default_nettype none

// Prints each simulation message of `bcu_phase` once, with 4 warps and 4 barriers.
module messages;
  reg        clock, reset, req_valid, req_arrive, rsp_valid;
  reg  [1:0] req_warp, req_id, req_size_m1;

  bcu_phase #(.WARPS(4), .IDS(4), .STOP(1), .DETECT(1), .GLOBAL(1)) dut (
    .clock(clock), .reset(reset), .live(4'b0111), .req_valid(req_valid), .req_warp(req_warp), .req_id(req_id), .req_arrive(req_arrive),
    .req_sync(1'b1), .req_event(1'b0), .req_phase(1'b0), .req_global(1'b0), .req_size_m1(req_size_m1), .req_cores_m1(1'b0), .read_id(req_id),
    .read_phase(), .unlock_valid(), .unlock_mask(), .unlock_id(), .gbar_req_valid(), .gbar_req_ready(1'b1), .gbar_req_id(),
    .gbar_req_cores_m1(), .gbar_rsp_valid(rsp_valid), .gbar_rsp_ready(), .gbar_rsp_id(2'd2),
    .fault_valid(), .fault_code(), .fault_warp(), .fault_id(), .waiting(), .hang());

  initial begin clock = 1'b0; forever #5 clock = !clock; end

  task request(input [1:0] warp, input [1:0] id, input [1:0] size_m1);
    begin
      req_valid = 1'b1; req_warp = warp; req_id = id; req_size_m1 = size_m1;
      @(negedge clock) req_valid = 1'b0;
    end
  endtask

  initial begin
    reset = 1'b1; req_valid = 1'b0; req_arrive = 1'b1; rsp_valid = 1'b0; req_warp = 0; req_id = 0; req_size_m1 = 0;
    @(negedge clock) request(2'd1, 2'd0, 2'd3);
    reset = 1'b0;
    request(2'd3, 2'd1, 2'd0);
    rsp_valid = 1'b1;
    @(negedge clock) rsp_valid = 1'b0;
    repeat (2) @(negedge clock);
    request(2'd0, 2'd0, 2'd3);
    request(2'd1, 2'd0, 2'd2);
    request(2'd2, 2'd0, 2'd3);
    repeat (40) @(negedge clock);
    $display("end");
    $finish;
  end
endmodule
