// SPDX-License-Identifier: Apache-2.0 OR MIT
// One barrier of one CTA, both chosen by the solver, modelled from the stream of operations alone and compared with the unit's outputs.
`include "sizes.vh"
module named_row (
`include "named_inputs.vh"
);
`include "named_ports.vh"
  (* anyconst *) reg [`LC-1:0] slot;
  (* anyconst *) reg [3:0] id;
  (* anyconst *) reg [`LW-1:0] who;

  always @(*) assume (slot < `C);

  // The operations of the CTA slot, delayed to the cycle in which they take effect.
  wire long_now = op_kind == EXIT || op_kind == LAUNCH || op_kind == RELEASE || (op_kind == WRITE && op_state == 0);
  wire mine = take && op_cta == slot && op_fault == 0;
  localparam BITS = 1 + 4 + 1 + `LW + 1 + 12 + 2 + `VW + 2 * `CW + 6 + 1;
  reg [BITS-1:0] pipe [0:`EFFECT_LONG-1];
  integer k;
  always @(posedge clock) begin
    pipe[0] <= {mine, op_kind, op_uniform, op_warp, op_id == id, op_count, op_redop, op_value, op_warps, op_live, op_barriers, long_now};
    for (k = 1; k < `EFFECT_LONG; k = k + 1) pipe[k] <= reset ? 0 : pipe[k-1];
    if (reset) pipe[0] <= 0;
  end
  wire late = pipe[`EFFECT_LONG-1][0] && pipe[`EFFECT_LONG-1][BITS-1];
  wire [BITS-1:0] now = late ? pipe[`EFFECT_LONG-1] : pipe[`EFFECT-1][0] ? {BITS{1'b0}} : pipe[`EFFECT-1];
  wire act, uniform, here, is_long;
  wire [3:0] kind;
  wire [`LW-1:0] warp;
  wire [11:0] count;
  wire [1:0] redop;
  wire [`VW-1:0] value;
  wire [`CW-1:0] launch_warps, launch_live;
  wire [5:0] launch_barriers;
  assign {act, kind, uniform, warp, here, count, redop, value, launch_warps, launch_live, launch_barriers, is_long} = now;

  // The CTA and the barrier, according to the rules of the unit.
  reg up = 0;
  reg [`CW-1:0] warps = 0, live = 0;
  reg [4:0] barriers = 0;
  reg [`W-1:0] arrived = 0, awaited = 0;
  reg [`CW-1:0] number = 0, expected = 0;
  reg [1:0] reduction = 0;
  reg some_false = 0, some_true = 0;
  reg [11:0] votes = 0;

  wire arrival = act && here && (kind == SYNC || kind == ARRIVE || kind == REDUCE);
  wire [1:0] wanted = kind == REDUCE ? redop + 2'd1 : 2'd0;
  wire [11:0] groups = count >> $clog2(`LANES);
  wire refused = id >= barriers || !uniform || (kind == ARRIVE && count == 0) || (count & (`LANES - 1)) != 0 || groups > warps
      || arrived[warp] || (number != 0 && (reduction != wanted || expected != groups));
  wire joins = arrival && !refused;
  wire [`W-1:0] one = 1 << warp;
  wire [`CW-1:0] target = count == 0 ? live : groups;
  wire [`CW-1:0] after = number + 1'd1;
  wire leaves = act && kind == EXIT;
  wire last_exit = leaves && number != 0 && expected == 0 && after == live;
  wire complete = (joins && after == target) || last_exit;
  wire [`W-1:0] stay = joins && kind != ARRIVE ? awaited | one : awaited;
  wire any_false = some_false || (joins && wanted == AND && value != 0);
  wire any_true = some_true || (joins && wanted == OR && value != 0);
  wire [11:0] sum = votes + (joins && wanted == POPC ? value : 0);
  wire [1:0] kept = last_exit ? reduction : wanted;

  reg done = 0;
  reg [`W-1:0] go = 0;
  reg [1:0] of = 0;
  reg [11:0] result = 0;
  always @(posedge clock) begin
    done <= complete;
    go <= complete ? stay : 0;
    of <= kept;
    result <= kept == AND ? !any_false : kept == OR ? any_true : kept == POPC ? sum : 0;
    if (joins) begin
      arrived <= arrived | one; awaited <= stay; number <= after; expected <= groups; reduction <= wanted;
      some_false <= any_false; some_true <= any_true; votes <= sum;
    end
    if (leaves) live <= live - 1'd1;
    if (act && kind == LAUNCH) begin
      warps <= launch_warps; live <= launch_live;
      barriers <= launch_barriers > `I ? `I : launch_barriers;
    end
    if (complete || (act && kind == RELEASE) || reset) begin
      arrived <= 0; awaited <= 0; number <= 0; expected <= 0; reduction <= 0; some_false <= 0; some_true <= 0; votes <= 0;
    end
    if (reset) begin
      warps <= 0; live <= 0; barriers <= 0; done <= 0; go <= 0;
    end
  end

  // Interface assumptions for the followed CTA slot; the other slots are unconstrained.
  always @(posedge clock) begin
    if (mine) up <= op_kind == LAUNCH ? 1 : op_kind == RELEASE ? 0 : up;
    if (reset) up <= 0;
  end
  always @(*) if (mine) begin
    assume (up == (op_kind != LAUNCH));
    assume (op_kind != WRITE);
    if (op_kind == REDUCE) assume (op_value <= (op_redop == 2 ? `LANES : 1));
    // Two barriers that are open without a count at the same time may never complete, because exits update only one of them. So only the
    // followed barrier is used without a count.
    if (op_kind <= REDUCE && op_count == 0) assume (op_id == id);
  end

  // `owed`: from its waiting arrival on, the warp must be released. It is 1 until the release is output.
  reg owed = 0;
  always @(posedge clock) begin
    if (shown && release_warps[who]) owed <= 0;
    if (joins && kind != ARRIVE && warp == who) owed <= 1;
    if (reset || (act && kind == RELEASE)) owed <= 0;
  end

  wire shown = release_valid && release_cta == slot && release_id == id;
  always @(posedge clock) if (begun && !reset) begin
    if (shown) a_complete: assert (done);
    if (done && go[who]) b_released: assert (shown && release_warps[who]);
    if (done) b_in_time: assert (shown);
    if (shown && release_warps[who]) c_once: assert (owed);
    if (shown && release_warps[who]) d_nobody_else: assert (go[who]);
    if (shown && done) e_kind: assert (release_reduction == of);
    if (shown && done) e_fold: assert (release_value == result);
  end
`ifdef COVER
  always @(posedge clock) if (begun && !reset) begin
    full: cover (shown && release_warps == {`W{1'b1}});
    exit: cover (shown && $past(last_exit));
    popc: cover (shown && release_reduction == POPC && release_value == `W * `LANES);
    conj: cover (shown && release_reduction == AND && release_value == 1 && release_warps != 0);
    disj: cover (shown && release_reduction == OR && release_value == 0 && release_warps != 0);
  end
`endif
`ifdef REFERENCE
`include "named_row_inside.vh"
`endif
endmodule
