// SPDX-License-Identifier: Apache-2.0 OR MIT
// The level `waiting` of one warp, chosen by the solver. It is 1 from the cycle after a waiting arrival to the cycle of the warp's release,
// of its fault, or of its CTA's release, and 0 in all other cycles.
`include "sizes.vh"
module named_waiting (
`include "named_inputs.vh"
);
`include "named_ports.vh"
  (* anyconst *) reg [`LW-1:0] who;

  wire arrival = take && in_fault == 0 && op_warp == who && (op_kind == SYNC || op_kind == REDUCE);
  wire release_all = take && in_fault == 0 && op_kind == RELEASE && op_mask[who];
  reg [`EFFECT:0] coming = 0;
  reg [`EFFECT_LONG:0] ending = 0;
  reg waits = 0;
  wire settles = coming[`EFFECT];
  wire released = release_valid && release_warps[who];
  wire refused = settles && fault_valid && fault_warp == who;
  wire forgotten = ending[`EFFECT_LONG];
  wire still = (waits || settles) && !released && !refused && !forgotten;
  always @(posedge clock) begin
    coming <= reset ? 0 : {coming, arrival};
    ending <= reset ? 0 : {ending, release_all};
    waits <= still && !reset;
  end
  // Every fault is taken at once, so a fault is output in the cycle after the refusal.
  always @(*) begin
    assume (fault_ready);
    if (op_kind == WRITE) assume (op_state != 0);
  end
  always @(posedge clock) if (begun && !reset) begin
    if (still || coming[`EFFECT-1:0] != 0) a_stays: assert (waiting[who]);
    if (!still && coming[`EFFECT-1:0] == 0) b_goes: assert (!waiting[who]);
`ifdef COVER
    wakes: cover (released && waits && !waiting[who]);
    faulty: cover (refused && !waiting[who]);
    saved: cover (forgotten && waits);
`endif
  end
endmodule
