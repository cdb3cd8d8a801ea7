// SPDX-License-Identifier: Apache-2.0 OR MIT
// verilator lint_off TIMESCALEMOD
`default_nettype none
`ifdef BCU_RAM_STYLE
`define BCU_PHASE_RAM_STYLE `BCU_RAM_STYLE
`else
`ifdef BCU_DISTRIBUTED_RAM
`define BCU_PHASE_RAM_STYLE "distributed"
`else
`define BCU_PHASE_RAM_STYLE "block"
`endif
`endif

// bcu_phase_rows: part of `bcu_phase`: a row of bits for each barrier, in registers or in a RAM with one write and
// one read port.
//
// Reads: `read_id`; the write port.
// Writes: `row`, with every write of the cycles before; 0 for a row that was cleared, or not written since reset.
// Latency: AHEAD cycles from `read_id` to `row`.
//
// With AHEAD = 1 a row that is written in the cycle of `read_id` comes from a register: a word that is read while it
// is written is not used.
module bcu_phase_rows #(
  parameter ROW_BITS = 8,
  parameter IDS      = 8,
  parameter RAM      = 0,  // 1: in a RAM; needs AHEAD = 1.
  parameter AHEAD    = 0,  // 0 or 1.
  parameter IW       = 3   // Bits of an id.
) (
  input  wire                clock,
  input  wire                reset,  // Synchronous, active high.
  input  wire [IW-1:0]       read_id,
  output wire [ROW_BITS-1:0] row,
  input  wire                write,  // The row changes.
  input  wire                clear,  // With `write`: the row becomes 0, whatever `write_row` is.
  input  wire [IW-1:0]       write_id,
  input  wire [ROW_BITS-1:0] write_row
);

  localparam AW = $clog2(IDS);

  reg  [(1<<IW)-1:0]  written_q;  // Rows that were written since reset and not cleared. The other words have any value.
  wire [ROW_BITS-1:0] word;       // The word of `read_id`, or with AHEAD = 1 of the last `read_id`.

  always @(posedge clock)
    if (reset) written_q <= {(1<<IW){1'b0}};
    else if (write) written_q[write_id] <= !clear;

  generate
    if (RAM != 0) begin : g_ram
      (* no_rw_check, ram_style = `BCU_PHASE_RAM_STYLE *) reg [ROW_BITS-1:0] words [0:IDS-1];
      reg [ROW_BITS-1:0] word_q;
      always @(posedge clock) begin
        if (write) words[write_id[AW-1:0]] <= write_row;
        word_q <= words[read_id[AW-1:0]];
      end
      assign word = word_q;
    end else begin : g_registers
      (* ram_style = "registers" *) reg [ROW_BITS-1:0] words [0:IDS-1];
      always @(posedge clock) if (write) words[write_id[AW-1:0]] <= write_row;
      if (AHEAD == 0) begin : g_same_cycle
        assign word = words[read_id[AW-1:0]];
      end else begin : g_next_cycle
        reg [ROW_BITS-1:0] word_q;
        always @(posedge clock) word_q <= words[read_id[AW-1:0]];
        assign word = word_q;
      end
    end
    if (AHEAD == 0) begin : g_direct
      assign row = written_q[read_id] ? word : {ROW_BITS{1'b0}};
    end else begin : g_forward
      wire               same = write && write_id == read_id;
      reg                was_written_q, is_new_q;
      reg [ROW_BITS-1:0] new_row_q;
      always @(posedge clock) begin
        was_written_q <= !reset && !same && written_q[read_id];
        is_new_q      <= !reset && same && !clear;
        new_row_q     <= write_row;
      end
      assign row = is_new_q ? new_row_q : was_written_q ? word : {ROW_BITS{1'b0}};
    end
  endgenerate

endmodule

`default_nettype wire
// verilator lint_on TIMESCALEMOD
