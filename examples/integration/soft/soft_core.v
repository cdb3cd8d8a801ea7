// SPDX-License-Identifier: Apache-2.0 OR MIT
`default_nettype none

// soft_core: a small RV32I core as an example of a soft core on the bus of `bcu_axil`: one instruction at a time, in
// three cycles and the cycles of its memory accesses.
//
// It has RV32I without traps: a fence does nothing, since accesses are performed in order; `wfi` holds the core until
// `irq` is 1; of the CSRs it has `mhartid` and `mcycle`, which can be read. Any other instruction, and a misaligned
// access, stops the core.
//
// Reads: `irq`, a level; `mem_ready` with `mem_read_data`, which end an access.
// Writes: `mem_*`, an access that holds until `mem_ready`, a read if `mem_strobes` is 0; `stopped`.
module soft_core #(
  parameter HART = 0
) (
  input  wire        clock,
  input  wire        reset,          // Synchronous, active high; the first instruction is at address 0.
  input  wire        irq,
  output wire        mem_valid,
  input  wire        mem_ready,
  output wire [31:0] mem_address,    // Of a byte in the word.
  output wire [3:0]  mem_strobes,    // Bytes that are written.
  output wire [31:0] mem_write_data,
  input  wire [31:0] mem_read_data,
  output wire        stopped
);

  localparam [1:0] FETCH = 2'd0, EXECUTE = 2'd1, ACCESS = 2'd2, STOPPED = 2'd3;
  localparam [4:0] LOAD  = 5'h00, FENCE = 5'h03, OP_IMM = 5'h04, AUIPC  = 5'h05,
                   STORE = 5'h08, OP    = 5'h0c, LUI    = 5'h0d, BRANCH = 5'h18,
                   JALR  = 5'h19, JAL   = 5'h1b, SYSTEM = 5'h1c;
  localparam [31:0] WFI = 32'h10500073;

  reg  [1:0]  state_q;
  reg  [31:0] pc_q, word_q, cycle_q;
  reg  [31:0] registers_q [1:31];

  // Decode.
  wire [4:0]  opcode = word_q[6:2], rd = word_q[11:7], rs1 = word_q[19:15], rs2 = word_q[24:20];
  wire [2:0]  funct3 = word_q[14:12];
  wire [31:0] a      = rs1 == 5'd0 ? 32'd0 : registers_q[rs1];
  wire [31:0] b      = rs2 == 5'd0 ? 32'd0 : registers_q[rs2];
  wire [31:0] imm_i  = {{20{word_q[31]}}, word_q[31:20]};
  wire [31:0] imm_s  = {{20{word_q[31]}}, word_q[31:25], word_q[11:7]};
  wire [31:0] imm_b  = {{20{word_q[31]}}, word_q[7], word_q[30:25], word_q[11:8], 1'b0};
  wire [31:0] imm_u  = {word_q[31:12], 12'd0};
  wire [31:0] imm_j  = {{12{word_q[31]}}, word_q[19:12], word_q[20], word_q[30:21], 1'b0};

  // Arithmetic and comparison.
  wire        is_op  = opcode == OP;
  wire [31:0] second = is_op || opcode == BRANCH ? b : imm_i;
  wire        less   = $signed(a) < $signed(second), below = a < second;
  reg  [31:0] result;
  always @*
    case (funct3)
      3'd0:    result = is_op && word_q[30] ? a - second : a + second;
      3'd1:    result = a << second[4:0];
      3'd2:    result = {31'd0, less};
      3'd3:    result = {31'd0, below};
      3'd4:    result = a ^ second;
      3'd5:    result = word_q[30] ? $signed(a) >>> second[4:0] : a >> second[4:0];
      3'd6:    result = a | second;
      default: result = a & second;
    endcase
  wire        taken  = (funct3[2] ? (funct3[1] ? below : less) : a == b) != funct3[0];

  // What the instruction writes, and the next program counter.
  wire [31:0] next_pc = pc_q + 32'd4;
  wire [31:0] csr     = word_q[31:20] == 12'hf14 ? HART : cycle_q;
  reg  [31:0] value, target;
  reg         writes, known;
  always @* begin
    value  = result;
    target = next_pc;
    writes = 1'b0;
    known  = 1'b1;
    case (opcode)
      LOAD, STORE, FENCE: ;
      OP:      begin
        writes = 1'b1;
        known  = ({word_q[31], word_q[29:25]} == 6'd0) && (!word_q[30] || funct3 == 3'd0 || funct3 == 3'd5);
      end
      OP_IMM:  writes = 1'b1;
      LUI:     begin writes = 1'b1; value = imm_u; end
      AUIPC:   begin writes = 1'b1; value = pc_q + imm_u; end
      JAL:     begin writes = 1'b1; value = next_pc; target = pc_q + imm_j; end
      JALR:    begin writes = 1'b1; value = next_pc; target = (a + imm_i) & ~32'd1; end
      BRANCH:  if (taken) target = pc_q + imm_b;
      SYSTEM:  begin  // csrr of a CSR of the core, and wfi.
        writes = word_q != WFI;
        value  = csr;
        known  = word_q == WFI
                 || (funct3 == 3'd2 && rs1 == 5'd0 && (word_q[31:20] == 12'hf14 || word_q[31:20] == 12'hb00));
      end
      default: known = 1'b0;
    endcase
  end

  // Loads and stores.
  wire        is_store   = opcode == STORE;
  wire        is_access  = is_store || opcode == LOAD;
  wire [31:0] address    = a + (is_store ? imm_s : imm_i);
  wire        misaligned = (funct3[1:0] == 2'd1 && address[0]) || (funct3[1:0] == 2'd2 && address[1:0] != 2'd0);
  wire [3:0]  bytes      = funct3[1] ? 4'b1111 : funct3[0] ? 4'b0011 : 4'b0001;
  wire [31:0] loaded     = mem_read_data >> {address[1:0], 3'd0};
  wire [31:0] extended   = funct3[1] ? loaded : funct3[0] ? {{16{loaded[15] && !funct3[2]}}, loaded[15:0]}
                                                          : {{24{loaded[7] && !funct3[2]}}, loaded[7:0]};

  assign mem_valid      = state_q == FETCH || state_q == ACCESS;
  assign mem_address    = state_q == FETCH ? pc_q : address;
  assign mem_strobes    = state_q == ACCESS && is_store ? bytes << address[1:0] : 4'd0;
  assign mem_write_data = b << {address[1:0], 3'd0};
  assign stopped        = state_q == STOPPED;

  wire        holds   = word_q == WFI && !irq;
  wire        done    = state_q == ACCESS ? mem_ready : state_q == EXECUTE && known && !is_access && !holds;
  wire        to_rd   = done && rd != 5'd0 && (state_q == ACCESS ? !is_store : writes);

  always @(posedge clock) begin
    cycle_q <= reset ? 32'd0 : cycle_q + 32'd1;
    if (reset) begin
      state_q <= FETCH;
      pc_q    <= 32'd0;
    end else begin
      case (state_q)
        FETCH:   if (mem_ready) state_q <= pc_q[1:0] == 2'd0 ? EXECUTE : STOPPED;
        EXECUTE: state_q <= !known || (is_access && misaligned) ? STOPPED :
                            is_access                           ? ACCESS  :
                            holds                               ? EXECUTE : FETCH;
        ACCESS:  if (mem_ready) state_q <= FETCH;
        default: ;
      endcase
      if (done) pc_q <= state_q == ACCESS ? next_pc : target;
    end
    if (state_q == FETCH && mem_ready) word_q <= mem_read_data;
    if (to_rd) registers_q[rd] <= state_q == ACCESS ? extended : value;
  end

endmodule

`default_nettype wire
