// SPDX-License-Identifier: Apache-2.0 OR MIT
// verilator lint_off TIMESCALEMOD
`default_nettype none

// bcu_phase_tokens: part of `bcu_phase`: the phase bit of each barrier, compared with the token of a request and read
// by the user.
//
// Reads: `op_*`, the request in the cycle of its effect; `flips` with `flip_id`; `read_id`.
// Writes: `token_passed`, in the cycle of the request; `read_phase`. After reset every phase is 0.
// Latency: LATENCY cycles from `read_id` to `read_phase`, which includes every request up to the cycle of `read_id`.
module bcu_phase_tokens #(
  parameter IW      = 3,  // Bits of an id.
  parameter LATENCY = 1   // 1 or 3.
) (
  input  wire          clock,
  input  wire          reset,         // Synchronous, active high.
  input  wire [IW-1:0] op_id,
  input  wire          op_phase,      // The token.
  output wire          token_passed,  // The phase of the token is over.
  input  wire          flips,         // Strobe: the phase of `flip_id` completes.
  input  wire [IW-1:0] flip_id,
  input  wire [IW-1:0] read_id,
  output wire          read_phase
);

  reg  [(1<<IW)-1:0] phases_q;
  assign token_passed = phases_q[op_id] != op_phase;

  integer p;
  always @(posedge clock)
    for (p = 0; p < 1 << IW; p = p + 1) phases_q[p] <= !reset && (phases_q[p] ^ (flips && flip_id == p[IW-1:0]));

  // With LATENCY = 3 the requests up to the cycle of `read_id` have had their effects two cycles later.
  reg [IW-1:0] read_id_q;
  always @(posedge clock) read_id_q <= read_id;
  generate
    if (LATENCY == 1) begin : g_read
      assign read_phase = phases_q[read_id_q];
    end else begin : g_late_read
      reg [IW-1:0] settled_id_q;
      reg          read_phase_q;
      always @(posedge clock) begin
        settled_id_q <= read_id_q;
        read_phase_q <= !reset && phases_q[settled_id_q];
      end
      assign read_phase = read_phase_q;
    end
  endgenerate

endmodule

`default_nettype wire
// verilator lint_on TIMESCALEMOD
