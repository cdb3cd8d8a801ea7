// SPDX-License-Identifier: Apache-2.0 OR MIT
// A link that holds two messages: it delivers them in order, each at most `DELAY` cycles after the previous one.
module phase_link #(parameter BITS = 1, DELAY = 1) (
  input wire clock, input wire reset,
  input wire in_valid, input wire [BITS-1:0] in,
  input wire passes,
  output wire full,
  output wire out_valid, output wire [BITS-1:0] out,
  output wire [1:0] filled, output wire [2*BITS-1:0] places
);
  reg [1:0] count = 0;
  reg [BITS-1:0] first, second;
  reg [2:0] waits = 0;
  assign {full, filled, places} = {count == 2, count, second, first};
  assign out_valid = count != 0 && passes;
  assign out = first;
  wire [1:0] kept = count - out_valid;
  always @(posedge clock) begin
    count <= reset ? 0 : kept + in_valid;
    if (out_valid) first <= second;
    if (in_valid) begin
      if (kept == 0) first <= in;
      else second <= in;
    end
    waits <= reset || count == 0 || out_valid ? 0 : waits + 1;
  end
  always @(*) if (waits == DELAY) assume (passes);
  always @(*) if (in_valid && !reset) assume (kept != 2);
endmodule
