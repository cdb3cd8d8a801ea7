//
// The building blocks of the units, each once, with its sizes as parameters. A payload is one
// vector: at the instance the concatenation of its fields. The same blocks in Rust are in
// hw/src/prim; a proof compares both for every size that the project's configurations have.
//
// Macros, for the whole project:
//   BCU_BLOCK_RAM           all memories are block RAM, for devices without distributed RAM
//   BCU_DISTRIBUTED_RAM     all memories are distributed RAM
//   BCU_RAM_STYLE           the attribute `ram_style` of all memories
//   BCU_RAM_MODULE          a module of the user in the place of every memory
//   BCU_UNKNOWN_COLLISIONS  a word that is read and written in the same cycle reads as x
// Without these a memory of at most 32 words is distributed RAM, which is faster, and a larger one
// block RAM.
//
// Reset: @RESETS@
// verilator lint_off TIMESCALEMOD
// All building blocks are in this file.
// verilator lint_off DECLFILENAME
`default_nettype none
`ifdef BCU_RAM_STYLE
`define BCU_PRIM_SMALL_STYLE `BCU_RAM_STYLE
`define BCU_PRIM_LARGE_STYLE `BCU_RAM_STYLE
`else
`ifdef BCU_BLOCK_RAM
`define BCU_PRIM_SMALL_STYLE "block"
`else
`define BCU_PRIM_SMALL_STYLE "distributed"
`endif
`ifdef BCU_DISTRIBUTED_RAM
`define BCU_PRIM_LARGE_STYLE "distributed"
`else
`define BCU_PRIM_LARGE_STYLE "block"
`endif
`endif

// Memory with one write port and one registered read port.
//
// Reads: `read_address` while `read` is 1. Writes: `write_value` at `write_address` while `write`
// is 1.
// Latency: the word is at `read_value` one cycle after its address, and stays there until the next
// read.
//
// A word that is read and written in the same cycle is never used, whatever its value:
// `no_rw_check` saves a comparator and a bypass per bit. Words have no reset and start unknown.
// BCU_RAM_MODULE has the parameters and ports of this module, and its latency.
module bcu_prim_ram #(
  parameter WIDTH        = 1,  // Bits of a word.
  parameter ADDRESS_BITS = 1   // The memory has 2^ADDRESS_BITS words.
) (
  input  wire                    clock,
  input  wire                    write,
  input  wire [ADDRESS_BITS-1:0] write_address,
  input  wire [WIDTH-1:0]        write_value,
  input  wire                    read,
  input  wire [ADDRESS_BITS-1:0] read_address,
  output wire [WIDTH-1:0]        read_value
);

`ifdef BCU_RAM_MODULE
  `BCU_RAM_MODULE #(.WIDTH(WIDTH), .ADDRESS_BITS(ADDRESS_BITS)) memory (
    .clock(clock),
    .write(write),
    .write_address(write_address),
    .write_value(write_value),
    .read(read),
    .read_address(read_address),
    .read_value(read_value)
  );
`else
  reg [WIDTH-1:0] word;
  assign read_value = word;
  generate
    if (ADDRESS_BITS <= 5) begin : few_words
      (* no_rw_check, ram_style = `BCU_PRIM_SMALL_STYLE *)
      reg [WIDTH-1:0] words [0:(1 << ADDRESS_BITS)-1];
      always @(posedge clock) begin
        if (write) words[write_address] <= write_value;
        if (read) word <= words[read_address];
`ifdef BCU_UNKNOWN_COLLISIONS
        if (read && write && read_address == write_address) word <= {WIDTH{1'bx}};
`endif
      end
    end else begin : many_words
      (* no_rw_check, ram_style = `BCU_PRIM_LARGE_STYLE *)
      reg [WIDTH-1:0] words [0:(1 << ADDRESS_BITS)-1];
      always @(posedge clock) begin
        if (write) words[write_address] <= write_value;
        if (read) word <= words[read_address];
`ifdef BCU_UNKNOWN_COLLISIONS
        if (read && write && read_address == write_address) word <= {WIDTH{1'bx}};
`endif
      end
    end
  endgenerate
`endif

endmodule

// Memory as bcu_prim_ram, read in every cycle; synthesis chooses between block RAM, distributed RAM
// and flip-flops.
module bcu_prim_store #(
  parameter WIDTH        = 1,  // Bits of a word.
  parameter ADDRESS_BITS = 1   // The memory has 2^ADDRESS_BITS words.
) (
  input  wire                    clock,
  input  wire                    write,
  input  wire [ADDRESS_BITS-1:0] write_address,
  input  wire [WIDTH-1:0]        write_value,
  input  wire [ADDRESS_BITS-1:0] read_address,
  output wire [WIDTH-1:0]        read_value
);

`ifdef BCU_RAM_MODULE
  `BCU_RAM_MODULE #(.WIDTH(WIDTH), .ADDRESS_BITS(ADDRESS_BITS)) memory (
    .clock(clock),
    .write(write),
    .write_address(write_address),
    .write_value(write_value),
    .read(1'b1),
    .read_address(read_address),
    .read_value(read_value)
  );
`else
  (* no_rw_check *) reg [WIDTH-1:0] words [0:(1 << ADDRESS_BITS)-1];
  reg [WIDTH-1:0] word;
  assign read_value = word;
  always @(posedge clock) begin
    if (write) words[write_address] <= write_value;
    word <= words[read_address];
`ifdef BCU_UNKNOWN_COLLISIONS
    if (write && read_address == write_address) word <= {WIDTH{1'bx}};
`endif
  end
`endif

endmodule

// Registers, one word per index; any set of words is written at once with one value.
//
// Reads: `select_value`, one bit per index; `write_value`, for every index whose bit is 1 in
// `write`.
// Writes: `read_value`, the selected word in the same cycle; the OR of the words if several are
// selected, 0 if none is.
// Latency: 0 from selection to word, 1 from write to word.
module bcu_prim_spread #(
  parameter WORDS = 1,
  parameter WIDTH = 1   // Bits of a word.
) (
  input  wire             clock,
  input  wire             @PORT@,
  input  wire [WORDS-1:0] write,
  input  wire [WIDTH-1:0] write_value,
  input  wire [WORDS-1:0] select_value,
  output wire [WIDTH-1:0] read_value
);

  genvar b;
  generate
    for (b = 0; b < WIDTH; b = b + 1) begin : plane
      reg [WORDS-1:0] bits;
      integer n;
@CONTROL@      always @(posedge clock)
@CONTROL@        for (n = 0; n < WORDS; n = n + 1) if (write[n]) bits[n] <= write_value[b];
@ALL@      always @(@EDGE@)
@ALL@        if (@RESET@) bits <= {WORDS{1'b0}};
@ALL@        else for (n = 0; n < WORDS; n = n + 1) if (write[n]) bits[n] <= write_value[b];
      assign read_value[b] = |(bits & select_value);
    end
  endgenerate
@CONTROL@  // verilator lint_off UNUSED
@CONTROL@  wire @PORT@_unused = @PORT@;
@CONTROL@  // verilator lint_on UNUSED

endmodule

// A register stage of a strobe.
//
// Reads: the strobe `in`. Writes: the strobe `out`: `in`, delayed by one cycle. Latency: 1.
module bcu_prim_strobe_register #(
  parameter WIDTH = 1  // Bits of the payload.
) (
  input  wire             clock,
  input  wire             @PORT@,
  input  wire             in_valid,
  input  wire [WIDTH-1:0] in_payload,
  output wire             out_valid,
  output wire [WIDTH-1:0] out_payload
);

  reg valid_q;
  reg [WIDTH-1:0] payload_q;
  assign out_valid = valid_q;
  assign out_payload = payload_q;

  always @(@EDGE@)
    if (@RESET@) valid_q <= 1'b0;
    else valid_q <= in_valid;

@CONTROL@  always @(posedge clock) payload_q <= in_payload;
@ALL@  always @(@EDGE@)
@ALL@    if (@RESET@) payload_q <= {WIDTH{1'b0}};
@ALL@    else payload_q <= in_payload;

endmodule

// A register stage of a channel, for one value: accepts a value while it is empty, and offers the
// value until its transfer.
//
// Reads: the channel `in`. Writes: the channel `out`. Latency: 1, and at most one value every other
// cycle.
module bcu_prim_buffer #(
  parameter WIDTH = 1  // Bits of the payload.
) (
  input  wire             clock,
  input  wire             @PORT@,
  input  wire             in_valid,
  output wire             in_ready,
  input  wire [WIDTH-1:0] in_payload,
  output wire             out_valid,
  input  wire             out_ready,
  output wire [WIDTH-1:0] out_payload
);

  // The buffer holds a value.
  reg full_q;
  // The value in the buffer; stale if `full` is 0.
  reg [WIDTH-1:0] value_q;
  assign in_ready = !full_q;
  assign out_valid = full_q;
  assign out_payload = value_q;

  always @(@EDGE@)
    if (@RESET@) full_q <= 1'b0;
    else full_q <= full_q ? !out_ready : in_valid;

@CONTROL@  always @(posedge clock)
@CONTROL@    if (!full_q) value_q <= in_payload;
@ALL@  always @(@EDGE@)
@ALL@    if (@RESET@) value_q <= {WIDTH{1'b0}};
@ALL@    else if (!full_q) value_q <= in_payload;

endmodule

// A short queue in registers, first in first out.
//
// Reads: `push` with `data`, `pop`.
// Writes: `valid` and `head`, the oldest value; `used_next`, the entries in use in the next cycle,
// one bit each, filled from bit 0 up; `full`.
// Latency: one cycle from `push` to `head` when empty. The user pushes only while an entry is free,
// or is freed by `pop` in that cycle.
module bcu_prim_queue #(
  parameter WIDTH = 1,  // Bits of a value.
  parameter DEPTH = 2   // Entries, at least 2.
) (
  input  wire             clock,
  input  wire             @PORT@,
  input  wire             push,
  input  wire [WIDTH-1:0] data,
  input  wire             pop,
  output wire             valid,
  output wire [WIDTH-1:0] head,
  output wire [DEPTH-1:0] used_next,
  output wire             full
);

  // Entries in use, one bit each, filled from bit 0 up.
  reg [DEPTH-1:0] filled_q;
  // The values, entry 0 in the lowest bits; entry 0 is the head.
  reg [DEPTH*WIDTH-1:0] values_q;
  assign valid = filled_q[0];
  assign full = filled_q[DEPTH-1];
  assign head = values_q[WIDTH-1:0];

  // Entries in use after the pop and before the push.
  wire [DEPTH-1:0] remaining = pop ? filled_q >> 1 : filled_q;
  // One-hot: the entry to which the push goes, the lowest that is free after the pop.
  wire [DEPTH-1:0] pushed = push ? ~remaining & {remaining[DEPTH-2:0], 1'b1} : {DEPTH{1'b0}};
@SYNC@  assign used_next = reset ? {DEPTH{1'b0}} : remaining | pushed;
@ASYNC@  assign used_next = !reset_n ? {DEPTH{1'b0}} : remaining | pushed;

@SYNC@  always @(posedge clock) filled_q <= used_next;
@ASYNC@  always @(@EDGE@)
@ASYNC@    if (!reset_n) filled_q <= {DEPTH{1'b0}};
@ASYNC@    else filled_q <= remaining | pushed;

  genvar i;
  generate
    for (i = 0; i < DEPTH; i = i + 1) begin : entry
@CONTROL@      always @(posedge clock)
@CONTROL@        if (pushed[i]) values_q[i*WIDTH +: WIDTH] <= data;
@ALL@      always @(@EDGE@)
@ALL@        if (@RESET@) values_q[i*WIDTH +: WIDTH] <= {WIDTH{1'b0}};
@ALL@        else if (pushed[i]) values_q[i*WIDTH +: WIDTH] <= data;
        else if (i < DEPTH - 1 && pop && filled_q[(i+1) % DEPTH])
          values_q[i*WIDTH +: WIDTH] <= values_q[((i+1) % DEPTH)*WIDTH +: WIDTH];
    end
  endgenerate

endmodule

// A long queue in memory, first in first out.
//
// Reads: `push` with `data`, `pop`. Writes: `valid` and `head`, the oldest value; `value_count`,
// the number of values.
// Latency: two cycles from `push` to `head` when empty, one from `pop` to the next head. The user
// pushes only while an entry is free, and pops only while `valid` is 1.
module bcu_prim_fifo #(
  parameter WIDTH        = 1,  // Bits of a value.
  parameter ADDRESS_BITS = 1   // The queue has 2^ADDRESS_BITS entries, of which one is always free.
) (
  input  wire                    clock,
  input  wire                    @PORT@,
  input  wire                    push,
  input  wire [WIDTH-1:0]        data,
  input  wire                    pop,
  output wire                    valid,
  output wire [WIDTH-1:0]        head,
  output wire [ADDRESS_BITS-1:0] value_count
);

  localparam [ADDRESS_BITS-1:0] ONE = 1;
  // Address of the oldest value, and after the newest one.
  reg [ADDRESS_BITS-1:0] head_address_q, tail_address_q;
  // The oldest value is at the read port of the memory.
  reg head_valid_q;
  wire [ADDRESS_BITS-1:0] next_head_address = pop ? head_address_q + ONE : head_address_q;
  assign valid = head_valid_q;
  assign value_count = tail_address_q - head_address_q;

  bcu_prim_ram #(.WIDTH(WIDTH), .ADDRESS_BITS(ADDRESS_BITS)) values (
    .clock(clock),
    .write(push),
    .write_address(tail_address_q),
    .write_value(data),
    .read(1'b1),
    .read_address(next_head_address),
    .read_value(head)
  );

  always @(@EDGE@)
    if (@RESET@) begin
      head_address_q <= {ADDRESS_BITS{1'b0}};
      tail_address_q <= {ADDRESS_BITS{1'b0}};
      head_valid_q <= 1'b0;
    end else begin
      head_address_q <= next_head_address;
      if (push) tail_address_q <= tail_address_q + ONE;
      head_valid_q <= next_head_address != tail_address_q;
    end

endmodule

// A queue of four values in registers, first in first out, for a `push` that arrives late in the
// cycle.
//
// Reads: `push` with `data`, `pop`.
// Writes: `valid` and `head`, the oldest value; `filled_after_pop`, the entries in use after the
// pop and before the push, one bit each, filled from bit 0 up, combinational; `full`.
// Latency: one cycle from `push` to `head` when empty. The user pushes only while `full` is 0, even
// in a cycle with a pop.
//
// The entry after the newest value is written in every cycle in which `full` is 0, and `push` only
// moves the pointer to that entry, so no write enable waits for `push`.
module bcu_prim_ring #(
  parameter WIDTH = 1  // Bits of a value.
) (
  input  wire             clock,
  input  wire             @PORT@,
  input  wire             push,
  input  wire [WIDTH-1:0] data,
  input  wire             pop,
  output wire             valid,
  output wire [WIDTH-1:0] head,
  output wire [3:0]       filled_after_pop,
  output wire             full
);

  reg [WIDTH-1:0] values_0_q, values_1_q, values_2_q, values_3_q;
  // Number of values in unary: that many bits are 1, from bit 0 up.
  reg [3:0] filled_q;
  // Entry of the head.
  reg [1:0] head_index_q;
  // One-hot: entry after the newest value, which the next push fills.
  reg [3:0] push_entry_q;
  wire [3:0] remaining = pop ? filled_q >> 1 : filled_q;
  assign valid = filled_q[0];
  assign full = filled_q[3];
  assign filled_after_pop = remaining;
  assign head = head_index_q == 2'd3 ? values_3_q :
                head_index_q == 2'd2 ? values_2_q :
                head_index_q == 2'd1 ? values_1_q : values_0_q;

  // A selection by gates: as a write enable, `push` would be on a longer path.
  wire [3:0] next_push_entry =
      (push ? {push_entry_q[2:0], push_entry_q[3]} : 4'd0) | (push ? 4'd0 : push_entry_q);

  always @(@EDGE@)
    if (@RESET@) begin
      filled_q <= 4'd0;
      head_index_q <= 2'd0;
      push_entry_q <= 4'd1;
    end else begin
      filled_q <= push ? {remaining[2:0], 1'b1} : remaining;
      head_index_q <= head_index_q + {1'b0, pop};
      push_entry_q <= next_push_entry;
    end

@CONTROL@  always @(posedge clock) begin
@CONTROL@    if (push_entry_q[0] && !filled_q[3]) values_0_q <= data;
@CONTROL@    if (push_entry_q[1] && !filled_q[3]) values_1_q <= data;
@CONTROL@    if (push_entry_q[2] && !filled_q[3]) values_2_q <= data;
@CONTROL@    if (push_entry_q[3] && !filled_q[3]) values_3_q <= data;
@CONTROL@  end
@ALL@  always @(@EDGE@)
@ALL@    if (@RESET@) begin
@ALL@      values_0_q <= {WIDTH{1'b0}};
@ALL@      values_1_q <= {WIDTH{1'b0}};
@ALL@      values_2_q <= {WIDTH{1'b0}};
@ALL@      values_3_q <= {WIDTH{1'b0}};
@ALL@    end else begin
@ALL@      if (push_entry_q[0] && !filled_q[3]) values_0_q <= data;
@ALL@      if (push_entry_q[1] && !filled_q[3]) values_1_q <= data;
@ALL@      if (push_entry_q[2] && !filled_q[3]) values_2_q <= data;
@ALL@      if (push_entry_q[3] && !filled_q[3]) values_3_q <= data;
@ALL@    end

endmodule

// Round-robin arbiter: grants the first requester after the requester of the last grant.
//
// Reads: the requests, and whether the grant is taken.
// Writes: `grant`, one-hot, or 0 if there is no request; `last_grant`, the last grant that was
// taken, 0 after reset.
// Latency: 0; a grant that is taken is the last grant from the next cycle on.
//
// The lowest bit of `request` that is 1 is `request & -request`, and the bits above that bit are
// `request ^ -request`. Synthesis maps the negation to a carry chain. The lowest request after the
// last grant and the lowest request of all are found in parallel.
module bcu_prim_round_robin #(
  parameter REQUESTERS = 1
) (
  input  wire                  clock,
  input  wire                  @PORT@,
  input  wire [REQUESTERS-1:0] request,
  input  wire                  grant_taken,
  output wire [REQUESTERS-1:0] grant,
  output wire [REQUESTERS-1:0] last_grant
);

  // The last grant, and all requesters after it.
  reg [REQUESTERS-1:0] last_grant_q, after_last_grant_q;
  wire [REQUESTERS-1:0] later = request & after_last_grant_q;
  wire [REQUESTERS-1:0] minus_later = -later;
  wire [REQUESTERS-1:0] minus_request = -request;
  assign grant = |later ? later & minus_later : request & minus_request;
  assign last_grant = last_grant_q;

  always @(@EDGE@)
    if (@RESET@) begin
      last_grant_q <= {REQUESTERS{1'b0}};
      after_last_grant_q <= {REQUESTERS{1'b0}};
    end else if (grant_taken && |request) begin
      last_grant_q <= grant;
      after_last_grant_q <= |later ? later ^ minus_later : request ^ minus_request;
    end

endmodule

// verilator lint_on DECLFILENAME
`undef BCU_PRIM_SMALL_STYLE
`undef BCU_PRIM_LARGE_STYLE
`default_nettype wire
// verilator lint_on TIMESCALEMOD
