// SPDX-License-Identifier: Apache-2.0 OR MIT
// The nine object words that were observed on devices. The solver chooses one of nine short programs, an object, and the timing of memory
// and operations; the program always leaves the observed word in the object, and the wait after it returns that word.
`include "sizes.vh"
module mbarrier_observed (
`include "mbarrier_inputs.vh"
);
`include "mbarrier_unit.vh"
`include "mbarrier_kinds.vh"
  reg begun = 0;
  always @(posedge clock) begun <= 1;
  always @(*) assume (reset == !begun);

  (* anyconst *) reg [3:0] which;
  (* anyconst *) reg [`XW-1:0] number;
  always @(*) assume (which < 9);

  // Each of the nine programs is an Init, up to two operations, and a test.
  reg [20:0] n;
  reg [3:0] first, second;
  reg [20:0] first_count, first_bytes;
  reg [63:0] word;
  always @(*) begin
    {first, first_count, first_bytes, second} = {TEST_WAIT, 21'd0, 21'd0, TEST_WAIT};
    case (which)
      0: {n, word} = {21'd1, 64'h7ffff800001ffffe};
      1: {n, word} = {21'd2, 64'h7ffff000001ffffc};
      2: {n, word} = {21'd3, 64'h7fffe800001ffffa};
      3: {n, first, first_count, word} = {21'd3, ARRIVE, 21'd1, 64'h7ffff000001ffffa};
      4: {n, first, first_count, word} = {21'd3, DROP, 21'd1, 64'h7ffff000001ffffc};
      5: {n, first, first_bytes, word} = {21'd3, EXPECT, 21'd64, 64'h7fffebfff81ffffa};
      6: {n, first, first_bytes, word} = {21'd3, EXPECT, 21'h12345, 64'h7fffebdb977ffffa};
      7: {n, first, first_count, second, word} = {21'd2, ARRIVE, 21'd1, ARRIVE, 64'hfffff000001ffffc};
      default: {n, word} = {21'd32, 64'h7fff0000001fffc0};
    endcase
  end

  // The CTA launches, then the operations follow, each after the commit of the previous one.
  reg [2:0] step = 0;
  reg busy = 0, there = 0;
  wire sends = op_valid && op_ready;
  always @(posedge clock) begin
    there <= there || launch_valid;
    if (sends) {busy, step} <= {1'b1, step + 3'd1};
    if (commit_valid) busy <= 0;
  end
  wire [3:0] kind = step == 0 ? INIT : step == 1 ? first : step == 2 ? second : TEST_WAIT;
  always @(*) begin
    assume (launch_size == 1 && launch_rank == 0 && !net_in_valid && !net_ack_valid);
    assume (launch_valid == (begun && !there) && launch_cta == 0 && !retire_valid && !tx_valid && !mem_response_valid);
    assume (!op_valid || (there && !busy && step < 4));
    assume (op_fault == 0 && op_uniform && op_cta == 0 && op_address == {number, 3'd0} && wait_limit != 0 && op_kind == kind);
    assume (op_count == (step == 0 ? n : step == 1 ? first_count : kind == ARRIVE));
    assume (op_bytes == (step == 1 ? first_bytes : 0));
  end
  always @(*) if (begun && token_valid && step == 4) begin
    f_word: assert (token_word == word && !token_refused && token_predicate == (word[63] != 0 ^ asked));
  end
  reg asked;
  always @(posedge clock) if (sends) asked <= op_phase;
`ifdef COVER
  genvar g;
  generate
    for (g = 0; g < 9; g = g + 1) begin : observed
      always @(*) if (begun) cover (token_valid && step == 4 && which == g);
    end
  endgenerate
`endif
endmodule
