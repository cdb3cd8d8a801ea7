// SPDX-License-Identifier: Apache-2.0 OR MIT
// verilator lint_off TIMESCALEMOD
`default_nettype none

// bcu_phase_global: part of `bcu_phase` with GLOBAL = 1: the requests to and the responses from the barrier that
// joins several cores.
//
// Reads: `send`, a strobe: a barrier is complete in this core; the channel `rsp`; `hold`, a level: no response may
//   take effect.
// Writes: the channel `req`, with one transfer for each `send`, in order; `responds`, a strobe: the phase of
//   `response_id` completes; `is_open`, a level: a barrier waits for its response.
// Latency: 1 from `send` to `req_valid`; 1 from the transfer of a response to `responds`, without `hold`.
//
// A barrier is sent again only after its response, so the queue has a place for each. A response without a
// transferred request is dropped, and is an error in simulation.
module bcu_phase_global #(
  parameter IW        = 3,  // Bits of an id.
  parameter CORE_BITS = 1
) (
  input  wire                 clock,
  input  wire                 reset,  // Synchronous, active high.
  input  wire                 send,
  input  wire [IW-1:0]        send_id,
  input  wire [CORE_BITS-1:0] send_cores_m1,
  output wire                 req_valid,
  input  wire                 req_ready,
  output wire [IW-1:0]        req_id,
  output wire [CORE_BITS-1:0] req_cores_m1,
  input  wire                 rsp_valid,
  output wire                 rsp_ready,
  input  wire [IW-1:0]        rsp_id,
  input  wire                 hold,
  output wire                 responds,
  output wire [IW-1:0]        response_id,
  output wire                 is_open
);

  reg  [IW+CORE_BITS-1:0] queue [0:(1<<IW)-1];
  reg  [IW:0]             head_q, tail_q;
  // Barriers whose request was transferred and whose response has not taken effect.
  reg  [(1<<IW)-1:0]      awaited_q;
  reg                     response_q;  // A response is held.
  reg  [IW-1:0]           response_id_q;
  wire                    is_awaited = awaited_q[response_id_q];

  assign req_valid              = head_q != tail_q;
  assign {req_id, req_cores_m1} = queue[head_q[IW-1:0]];
  assign rsp_ready              = !response_q;
  assign responds               = response_q && is_awaited && !hold;
  assign response_id            = response_id_q;
  assign is_open                = req_valid || |awaited_q;

  always @(posedge clock) begin
    if (send) queue[tail_q[IW-1:0]] <= {send_id, send_cores_m1};
    if (reset) begin
      head_q     <= {(IW+1){1'b0}};
      tail_q     <= {(IW+1){1'b0}};
      awaited_q  <= {(1<<IW){1'b0}};
      response_q <= 1'b0;
    end else begin
      if (send) tail_q <= tail_q + 1'b1;
      if (req_valid && req_ready) head_q <= head_q + 1'b1;
      if (responds) awaited_q[response_id_q] <= 1'b0;
      if (req_valid && req_ready) awaited_q[req_id] <= 1'b1;
      response_q <= response_q ? hold && is_awaited : rsp_valid;
    end
    if (!response_q) response_id_q <= rsp_id;
  end

`ifndef SYNTHESIS
  always @(posedge clock)
    if (!reset && response_q && !is_awaited)
      $display("bcu_phase: error: %0d: a response for barrier %0d, of which no request was transferred",
               $time, response_id_q);
`endif

endmodule

`default_nettype wire
// verilator lint_on TIMESCALEMOD
