// SPDX-License-Identifier: Apache-2.0 OR MIT
`default_nettype none

// counted_masks: the least that a scheduler whose barriers have a count needs: for each id a mask of the warps that
// wait and their number, in registers. It is no part of the unit: `cargo xtask synth` measures it for the comparison
// with other designs in docs/evidence/quality.md.
//
// Reads: `valid` with `wid`, `id` and `size_m1`: a warp arrives and waits. Writes: `unlock`, the warps that resume.
// Latency: 1 cycle.
module counted_masks #(
  parameter WARPS = 8,
  parameter IDS   = 8,
  // These parameters are derived and must not be set.
  parameter LW = $clog2(WARPS),
  parameter IW = $clog2(IDS)
) (
  input  wire             clock,
  input  wire             reset,
  input  wire             valid,
  input  wire [LW-1:0]    wid,
  input  wire [IW-1:0]    id,
  input  wire [LW-1:0]    size_m1,
  output reg  [WARPS-1:0] unlock
);

  reg  [WARPS-1:0] masks_q [0:IDS-1];
  reg  [LW-1:0]    counts_q [0:IDS-1];
  wire [WARPS-1:0] mask    = masks_q[id] | {{(WARPS-1){1'b0}}, 1'b1} << wid;
  wire [LW-1:0]    count   = counts_q[id];
  wire             is_last = count == size_m1;
  integer          i;

  always @(posedge clock) begin
    for (i = 0; i < IDS; i = i + 1)
      if (reset) begin
        masks_q[i]  <= {WARPS{1'b0}};
        counts_q[i] <= {LW{1'b0}};
      end else if (valid && id == i[IW-1:0]) begin
        masks_q[i]  <= is_last ? {WARPS{1'b0}} : mask;
        counts_q[i] <= is_last ? {LW{1'b0}} : count + 1'b1;
      end
    unlock <= !reset && valid && is_last ? mask : {WARPS{1'b0}};
  end

endmodule

`default_nettype wire
