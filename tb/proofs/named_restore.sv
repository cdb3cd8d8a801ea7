// SPDX-License-Identifier: Apache-2.0 OR MIT
// Save and restore of a whole CTA is the identity. After any use, all state words are read, the CTA is released as saved and launched
// again, all words are written back, barriers first, and all words are read again. The second reads give the same words, and the same warps
// are stopped.
`include "sizes.vh"
`ifndef FREE
`define FREE 5
`endif
module named_restore (
`include "named_inputs.vh"
);
`include "named_ports.vh"
  (* anyconst *) reg [`LC-1:0] slot;
  (* anyconst *) reg [3:0] loose;
  // The phases of the run: the rows are cleared; the user is unconstrained for `FREE` cycles; all operations in flight take effect; the
  // schedule follows, with `at` as its cycle number.
  localparam SCHEDULE = `C * `I + 2 + `FREE + 5;
  localparam ROWS = `I * `W, READS = ROWS + `W, LAUNCHED = READS + 4 + `I + 6, ROW_WRITES = LAUNCHED + 2,
    WARP_WRITES = ROW_WRITES + ROWS, AGAIN = WARP_WRITES + 2 * `W, END = AGAIN + READS + 3;
  reg [9:0] cycle = 0;
  always @(posedge clock) cycle <= cycle + 1;
  always @(*) if (begun) assume (!reset);
  wire scheduled = cycle >= SCHEDULE;
  wire [9:0] at = cycle - SCHEDULE;
  wire reads = scheduled && (at < READS || (at >= AGAIN && at < AGAIN + READS));
  wire [9:0] nth = at >= AGAIN ? at - AGAIN : at;
  wire row_writes = scheduled && at >= ROW_WRITES && at < WARP_WRITES;
  wire warp_writes = scheduled && at >= WARP_WRITES && at < AGAIN && !at[0];
  wire [9:0] row_write = at - ROW_WRITES, warp_write = (at - WARP_WRITES) >> 1;
  wire releases = scheduled && at == READS, launches = scheduled && at == LAUNCHED;

  // The trapped warps, as `warp_status` holds them under Report or Trap.
  (* anyseq *) reg under_trap;
  reg [`W-1:0] stopped = 0;
  always @(posedge clock) if (commit_valid)
    stopped <= (stopped & ~(commit_untraps || commit_cta_release ? commit_warps : 0)) | (commit_traps || (commit_refused && under_trap) ? commit_warps : 0);

  // The values that the user records in order to launch the CTA again.
  reg up = 0;
  reg [`CW-1:0] warps = 0, live = 0;
  reg [4:0] barriers = 0;
  reg [`W-1:0] gone = 0;
  always @(posedge clock) if (take && !scheduled) begin
    if (op_kind == LAUNCH) begin
      up <= 1; warps <= op_warps; live <= op_live; barriers <= op_barriers;
    end
    if (op_kind == EXIT && op_fault == 0) begin
      live <= live - 1'd1; gone[op_warp] <= 1;
    end
  end
  always @(*) begin
    assume (slot < `C);
    assume (op_cta == slot);
    assume (fault_ready);
    assume (trapped == stopped);
    if (!scheduled) begin
      assume (!op_valid || cycle + 5 < SCHEDULE);
      assume (op_kind != RELEASE && op_kind != WRITE);
      assume (up == (op_kind != LAUNCH));
      if (op_kind == LAUNCH) assume (op_fault == 0 && op_warps <= `W && op_live == op_warps && op_barriers == `I);
      else assume (op_warp < warps && !gone[op_warp] && (op_kind == READ || !(waiting[op_warp] || trapped[op_warp])));
      if (op_kind == REDUCE) assume (op_value <= (op_redop == 2 ? `LANES : 1));
      if (op_kind <= REDUCE && op_count == 0) assume (op_id == loose);
    end else begin
      assume (up);
      assume (op_valid == (reads || row_writes || warp_writes || releases || launches));
      assume (op_fault == 0 && op_uniform && op_saved && op_mask == {`W{1'b1}});
      assume (op_warps == warps && op_live == live && op_barriers == barriers);
      assume (op_kind == (reads ? READ : releases ? RELEASE : launches ? LAUNCH : WRITE));
      if (reads) begin
        assume (op_state == (nth < ROWS) && op_warp == (nth & (`W - 1)));
        if (nth < ROWS) assume (op_id == nth / `W);
      end
      if (row_writes) assume (op_state == 1 && op_id == row_write / `W && op_warp == (row_write & (`W - 1)) && op_data == saved[row_write]);
      if (warp_writes) assume (op_state == 0 && op_warp == warp_write && op_data == saved[ROWS + warp_write]);
    end
  end

  reg [31:0] saved [0:READS-1];
  reg [`W-1:0] was_waiting, was_trapped;
  wire [9:0] shown = at - 3;
  always @(posedge clock) begin
    if (scheduled && at >= 3 && shown < READS) saved[shown] <= read_value;
    if (scheduled && at == 0) {was_waiting, was_trapped} <= {waiting, trapped};
  end
  always @(posedge clock) if (begun) begin
    if (scheduled && op_valid) i_taken: assert (op_ready);
    if (scheduled) i_accepted: assert (!fault_valid);
    if (scheduled && at >= AGAIN + 3 && at < END) i_same: assert (read_valid && read_value == saved[shown - AGAIN]);
    if (scheduled && at == END) i_stopped: assert (waiting == was_waiting && trapped == was_trapped);
`ifdef COVER
    waits: cover (cycle == SCHEDULE + ROWS && waiting != 0 && saved[0][15:14] == 2 && saved[0][17:16] == 2 && saved[0][31]);
    traps: cover (cycle == SCHEDULE && trapped != 0);
    gone_one: cover (cycle == SCHEDULE && gone != 0 && waiting != 0);
`endif
  end
endmodule
