// SPDX-License-Identifier: Apache-2.0 OR MIT
// verilator lint_off TIMESCALEMOD
`default_nettype none
`ifdef BCU_RAM_STYLE
`define BCU_BAR_RAM_STYLE `BCU_RAM_STYLE
`else
`ifdef BCU_BLOCK_RAM
`define BCU_BAR_RAM_STYLE "block"
`else
`define BCU_BAR_RAM_STYLE "distributed"
`endif
`endif

// bcu_bar_words: part of `bcu_bar`: a memory with one write port and one registered read port.
//
// Reads: `read_id`; `write_word` at `write_id` while `write` is 1.
// Writes: `word`.
// Latency: 1 cycle from `read_id` to `word`.
//
// A word that is read in the cycle in which it is written may have any value; with the macro
// BCU_UNKNOWN_COLLISIONS it is x. Words have no reset.
//
// As in bcu_prim.v, the memory is distributed RAM, or block RAM with the macro BCU_BLOCK_RAM, which
// devices without distributed RAM, such as iCE40, need; BCU_RAM_STYLE is another `ram_style`.
module bcu_bar_words #(
  parameter WORD_BITS = 8,
  parameter ID_BITS   = 4
) (
  input  wire                 clock,
  input  wire [ID_BITS-1:0]   read_id,
  output reg  [WORD_BITS-1:0] word,
  input  wire                 write,
  input  wire [ID_BITS-1:0]   write_id,
  input  wire [WORD_BITS-1:0] write_word
);

  (* no_rw_check, ram_style = `BCU_BAR_RAM_STYLE *)
  reg [WORD_BITS-1:0] words [0:(1<<ID_BITS)-1];

  always @(posedge clock) begin
    if (write) words[write_id] <= write_word;
    word <= words[read_id];
`ifdef BCU_UNKNOWN_COLLISIONS
    if (write && read_id == write_id) word <= {WORD_BITS{1'bx}};
`endif
  end

endmodule

`default_nettype wire
// verilator lint_on TIMESCALEMOD
