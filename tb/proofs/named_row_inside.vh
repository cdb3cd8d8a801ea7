// SPDX-License-Identifier: Apache-2.0 OR MIT
// Invariants that relate the checker's followed barrier to the reference: their rows are equal. Further invariants hold for the other rows
// of the CTA.
  localparam SB = $clog2(`W*`LANES+1), RB = 1 + 2 * `W + 2 * `CW + 2 + SB, NB = $clog2(`I+1), TB = 2 * `CW + 5 + 2 * NB + 4;
  (* hierconn *) wire [`C*`I*RB-1:0] \dut.all_rows ;
  (* hierconn *) wire [`C*TB-1:0] \dut.all_slots ;
  (* hierconn *) wire \dut.to_clear , \dut.every , \dut.turn_1 , \dut.turn_2 , \dut.under_1 , \dut.under_2 , \dut.under_3 ;
  (* hierconn *) wire [`LC-1:0] \dut.slot , \dut.slot_1 , \dut.slot_2 ;
  (* hierconn *) wire [3:0] \dut.next , \dut.next_1 , \dut.next_2 ;

  localparam N = 4 + 6 + 1 + `LW + `LC + 4 + 12 + 2 + `VW + 2 + 32 + 2 * `CW + 6 + `W + 1;
  (* hierconn *) wire [N-1:0] \dut.op_1 , \dut.op_2 , \dut.op_3 ;
  wire mine_1 = \dut.under_1 && \dut.op_1 [N-5-:6] == 0 && \dut.op_1 [N-12-`LW-:`LC] == slot;
  wire mine_2 = \dut.under_2 && \dut.op_2 [N-5-:6] == 0 && \dut.op_2 [N-12-`LW-:`LC] == slot;
  wire mine_3 = \dut.under_3 && \dut.op_3 [N-5-:6] == 0 && \dut.op_3 [N-12-`LW-:`LC] == slot;
  wire flying = (pipe[0][BITS-1] && pipe[0][BITS-2-:4] == RELEASE) || (pipe[1][BITS-1] && pipe[1][BITS-2-:4] == RELEASE)
    || (pipe[2][BITS-1] && pipe[2][BITS-2-:4] == RELEASE);
  wire [`I*RB-1:0] of_slot = \dut.all_rows >> (slot * `I * RB);
  wire idle = {arrived, awaited, number, expected, reduction, some_false, some_true, votes} == 0;
  reg [`W-1:0] r_arrived, r_waiting;
  reg [`CW-1:0] r_number, r_expected, heads;
  reg [1:0] r_reduction;
  reg [SB-1:0] r_sum;
  reg [`CW-1:0] r_launched, r_live;
  reg [4:0] r_declared;
  reg [NB-1:0] r_open, r_loose, opened;
  reg [3:0] r_last;
  reg [`I-1:0] counted, lone, quiet;
  reg r_is, pending, same;
  integer n, b;
  always @(*) begin
    {r_launched, r_live, r_declared, r_open, r_loose, r_last} = \dut.all_slots >> (slot * TB);
    opened = 0;
    same = id < `I || idle;
    for (n = 0; n < `I; n = n + 1) begin
      {r_is, r_arrived, r_waiting, r_number, r_expected, r_reduction, r_sum} = of_slot >> (n * RB);
      pending = (\dut.to_clear && !\dut.every && \dut.slot == slot && \dut.next <= n)
        || (\dut.turn_1 && \dut.slot_1 == slot && \dut.next_1 == n) || (\dut.turn_2 && \dut.slot_2 == slot && \dut.next_2 == n);
      opened = opened + (r_is && !pending);
      heads = 0;
      for (b = 0; b < `W; b = b + 1) heads = heads + r_arrived[b];
      counted[n] = r_number == heads && r_is == (r_number != 0) && (r_is ? r_expected == 0 || r_number < r_expected : {r_waiting, r_expected, r_reduction, r_sum} == 0);
      // No barrier of the CTA other than the followed one is open without a count.
      lone[n] = pending || r_number == 0 || r_expected != 0 || (n == id && r_last == id);
      quiet[n] = up || flying || pending || r_number == 0;
      if (n == id) same = pending ? idle : {arrived, awaited, number, expected, reduction} == {r_arrived, r_waiting, r_number, r_expected, r_reduction}
        && some_false == (reduction == AND && r_sum != 0) && some_true == (reduction == OR && r_sum != 0)
        && votes == (reduction == POPC ? r_sum : 0) && r_sum <= (reduction == POPC ? `LANES : 1) * number;
    end
  end
  always @(posedge clock) if (begun) begin
    same_built: assert ((!\dut.to_clear || \dut.slot < `C) && (!\dut.turn_1 || \dut.slot_1 < `C) && (!\dut.turn_2 || \dut.slot_2 < `C)
      && (!\dut.under_1 || \dut.op_1 [N-5-:6] != 0 || \dut.op_1 [N-12-`LW-:`LC] < `C)
      && (!\dut.under_2 || \dut.op_2 [N-5-:6] != 0 || \dut.op_2 [N-12-`LW-:`LC] < `C)
      && (!\dut.under_3 || \dut.op_3 [N-5-:6] != 0 || \dut.op_3 [N-12-`LW-:`LC] < `C));
    same_row: assert (same);
    same_slot: assert (warps == r_launched && live == r_live && barriers == r_declared && r_declared <= `I);
    same_counted: assert (&counted);
    same_lone: assert (&lone);
    same_quiet: assert (&quiet);
    same_open: assert (opened == r_open);
    same_owed: assert (owed == (awaited[who] || (done && go[who])));
    same_next: assert (\dut.next < `I);
    same_rest: assert (!\dut.to_clear || !(\dut.under_1 || \dut.under_2 || \dut.under_3 ));
    // While no CTA is in the slot, only its release may be in flight.
    same_last: assert (up || (pipe[0][BITS-1] ? pipe[0][BITS-2-:4] == RELEASE : pipe[1][BITS-1] ? pipe[1][BITS-2-:4] == RELEASE
      : !pipe[2][BITS-1] || pipe[2][BITS-2-:4] == RELEASE));
    same_pipe: assert (pipe[0][BITS-1] == mine_1 && pipe[1][BITS-1] == mine_2 && (pipe[2][BITS-1] && pipe[2][0]) == mine_3
      && (!mine_1 || pipe[0][BITS-2-:4] == \dut.op_1 [N-1-:4]) && (!mine_2 || pipe[1][BITS-2-:4] == \dut.op_2 [N-1-:4])
      && (!mine_3 || pipe[2][BITS-2-:4] == \dut.op_3 [N-1-:4]));
    same_flying: assert (!flying || !op_ready);
    same_blank: assert (!(\dut.to_clear && \dut.every ) || (\dut.all_rows == 0 && \dut.all_slots == 0));
  end
