// SPDX-License-Identifier: Apache-2.0 OR MIT
// The fault queue of the reference: first in, first out. When the last fault is taken, `head` keeps its value.
module named_reference_queue #(
  parameter F = 1,
  parameter Q = 4
) (
  input wire clock, reset, push, pop,
  input wire [F-1:0] fault,
  output reg [2:0] faults,
  output wire [F-1:0] head,
  output wire [(Q-1)*F-1:0] behind
);
  reg [F-1:0] places [0:Q-1];
  wire [2:0] tail = faults - pop;
  integer k;
  always @(posedge clock) begin
    faults <= tail + push;
    if (pop && faults > 1) for (k = 1; k < Q; k = k + 1) places[k-1] <= places[k];
    for (k = 0; k < Q; k = k + 1) if (push && k == tail) places[k] <= fault;
    if (reset) begin
      faults <= 0;
      for (k = 0; k < Q; k = k + 1) places[k] <= 0;
    end
  end
  assign head = places[0];
  genvar g;
  generate
    for (g = 1; g < Q; g = g + 1) begin : place
      assign behind[(g-1)*F +: F] = places[g];
    end
  endgenerate
endmodule
