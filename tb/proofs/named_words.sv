// SPDX-License-Identifier: Apache-2.0 OR MIT
// State words: a written word is read back, and a word that was read is accepted when it is written. The solver chooses one barrier and one
// warp.
`include "sizes.vh"
module named_words (
`include "named_inputs.vh"
);
`include "named_ports.vh"
  (* anyconst *) reg [`LC-1:0] slot;
  (* anyconst *) reg [3:0] id, copy;
  (* anyconst *) reg [`LW-1:0] who;
  localparam READ_AFTER = `EFFECT + 1;
  wire good = take && in_fault == 0;
  wire mine = good && op_cta == slot;
  wire read_word = mine && op_kind == READ && op_warp == who && op_uniform;
  // A fault is output in the cycle after the refusal, before any effect of later operations.
  always @(*) assume (fault_ready);
  wire refused = fault_valid && fault_warp == who;

  // The barrier's state word that was last written and accepted, held until an operation may change the barrier.
  reg kept = 0;
  reg [31:0] word = 0;
  reg [READ_AFTER:0] reads = 0;
  wire write_row = mine && op_kind == WRITE && op_state == 1 && op_warp == who && op_id == id;
  wire changes = mine && (op_kind >= EXIT || (op_kind == WRITE && op_state == 0) || (op_kind != READ && op_id == id));
  wire gone = release_valid && release_cta == slot && release_id == id;
  always @(posedge clock) begin
    reads <= reset || changes ? 0 : {reads, kept && read_word && op_state == 1 && op_id == id && !refused && !gone};
    if (refused || gone || changes || reset) kept <= 0;
    if (write_row && !reset) begin
      kept <= 1; word <= op_data;
    end
  end

  // Whether the warp is trapped, as `warp_status` holds it under Report.
  reg stopped = 0;
  always @(posedge clock) if (commit_valid && commit_warps[who]) stopped <= commit_traps || (stopped && !commit_untraps && !commit_cta_release);
  always @(*) assume (trapped[who] == stopped);

  // The warp's state word that was last written and accepted, held until an operation or a release of the warp.
  reg held = 0;
  reg [31:0] warp_word = 0;
  reg [READ_AFTER:0] warp_reads = 0;
  wire write_warp = mine && op_kind == WRITE && op_state == 0 && op_warp == who;
  wire moves = take && ((op_kind <= REDUCE && op_warp == who) || op_kind == WRITE || op_kind == EXIT || op_kind == RELEASE || (op_fault != 0 && op_warp == who));
  wire freed = release_valid && release_warps[who];
  always @(posedge clock) begin
    warp_reads <= reset || moves ? 0 : {warp_reads, held && read_word && op_state == 0 && !refused && !freed};
    if (refused || freed || moves || reset) held <= 0;
    if (write_warp && !reset) begin
      held <= 1; warp_word <= op_data;
    end
  end

  // `seen`: the word read from the barrier, held until an exit, launch or release of the CTA. `fresh`: the CTA has not used barrier `copy`.
  reg up = 0, fresh = 0, known = 0;
  reg [`CW-1:0] alive = 0;
  reg [31:0] seen = 0;
  reg [READ_AFTER:0] looks = 0;
  reg [`EFFECT:0] copies = 0;
  wire copied = mine && op_kind == WRITE && op_state == 1 && op_uniform && op_warp == who && op_id == copy && fresh && known && op_data == seen;
  always @(posedge clock) begin
    if (mine) up <= op_kind == LAUNCH ? 1 : op_kind == RELEASE ? 0 : up;
    if (mine && op_kind == LAUNCH) alive <= op_live;
    if (mine && op_kind == EXIT) alive <= alive - 1'd1;
    if (mine && op_kind == LAUNCH) fresh <= op_barriers > copy && copy < `I;
    if (mine && op_kind != LAUNCH && op_id == copy) fresh <= 0;
    if (mine && op_kind >= EXIT) known <= 0;
    looks <= reset || (mine && op_kind >= EXIT) ? 0 : {looks, read_word && op_state == 1 && op_id == id};
    if (looks[READ_AFTER-1] && read_valid && !(mine && op_kind >= EXIT)) begin
      known <= 1; seen <= read_value;
    end
    copies <= reset ? 0 : {copies, copied};
    if (reset) begin
      up <= 0; fresh <= 0; known <= 0;
    end
  end
  always @(*) begin
    assume (copy != id);
    assume (slot < `C);
    if (mine) begin
      assume (up == (op_kind != LAUNCH));
      if (op_kind <= REDUCE || op_kind == EXIT) assume (alive != 0);
      if (op_kind == REDUCE) assume (op_value <= (op_redop == 2 ? `LANES : 1));
      if (op_kind <= REDUCE && op_count == 0) assume (op_id == id);
      if (op_kind == LAUNCH) assume (op_live <= op_warps && op_warps <= `W);
      // While barrier `copy` is fresh, only it and the followed barrier are written, because a write of a warp's word or a second copy
      // would change the fresh barrier unnoticed.
      if (op_kind == WRITE) assume (op_id == id || op_id == copy || !fresh);
    end
  end

  always @(posedge clock) if (begun && !reset) begin
    if (reads[READ_AFTER-1] && kept && !refused && !gone) i_barrier: assert (read_valid && read_warp == who && read_value == word);
    if (warp_reads[READ_AFTER-1] && held && !refused && !freed) i_warp: assert (read_valid && read_warp == who && read_value == warp_word);
    if (copies[`EFFECT]) i_accepted: assert (!refused);
`ifdef COVER
    barrier: cover (reads[READ_AFTER-1] && kept && !refused && !gone && word[15:14] == 2 && word[13:7] != 0 && word[31]);
    warp: cover (warp_reads[READ_AFTER-1] && held && !refused && !freed && warp_word[14] && warp_word[13:12] == 2);
    accepted: cover (copies[`EFFECT] && !refused && seen[15:14] == 2 && seen[31] && seen[29:18] > 1);
`endif
  end
endmodule
