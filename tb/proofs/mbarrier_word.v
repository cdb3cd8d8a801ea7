// SPDX-License-Identifier: Apache-2.0 OR MIT
// The effect of an operation on an object's word, and its faults, written from the tables of `docs/contract/mbarrier.md` alone. Counts are
// positive numbers here, whereas the fields of the word hold them negated.
`include "sizes.vh"
module mbarrier_word (
  // `tx`: the operation is from a copy engine or tensor unit and gives `count` arrivals, or `bytes` if `count` is 0. Otherwise the
  // operation is from a warp.
  input  wire        tx,
  input  wire [3:0]  kind,
  input  wire [5:0]  fault,
  input  wire        uniform,
  input  wire [31:0] address,
  input  wire        cluster,
  input  wire [20:0] count,
  input  wire [20:0] bytes,
  input  wire        phase,
  // No CTA is in the slot.
  input  wire        absent,
  input  wire [63:0] word,
  // `early`: the fault that does not depend on the word. `code`: the fault that refuses the operation. 0: no fault.
  output wire [5:0]  early,
  output wire [5:0]  code,
  output wire [63:0] next,
  output wire        flips,
  output wire        has_result,
  output wire        waits,
  output wire        answer
);
`include "mbarrier_kinds.vh"
  wire init = !tx && kind == INIT;
  wire inval = !tx && kind == INVAL;
  assign waits = !tx && (kind == TEST_WAIT || kind == TRY_WAIT);
  wire drops = !tx && (kind == DROP || kind == DROP_EXPECT || kind == DROP_NO_COMPLETE);
  wire no_complete = !tx && (kind == ARRIVE_NO_COMPLETE || kind == DROP_NO_COMPLETE);
  wire arrives = tx ? count != 0 : drops || kind == ARRIVE || kind == ARRIVE_EXPECT || kind == ARRIVE_NO_COMPLETE;
  wire expects = !tx && (kind == EXPECT || kind == ARRIVE_EXPECT || kind == DROP_EXPECT);
  wire comes = tx ? count == 0 : kind == COMPLETE;
  wire adds = !tx && kind == ADD_PENDING;
  wire completes = tx || (!init && !inval && !waits && !adds && !no_complete && kind != EXPECT);
  assign has_result = !tx && (arrives || waits);

  wire counts = !tx && (init || arrives || adds);
  assign early = tx ? 6'd0
    : fault != 0 ? fault
    : !uniform ? NOT_UNIFORM
    : address[31:24] != 0 ? (waits && !cluster ? WAIT_REMOTE : RANK_OUT)
    : address[2:0] != 0 ? MISALIGNED
    : address[23:0] >= `SMEM ? ADDRESS_OUT
    : counts && (count == 0 || count >= 21'h100000) ? COUNT : 6'd0;

  // The word's fields as positive numbers: expected and pending arrivals, and outstanding bytes.
  wire [19:0] expected = -word[20:1];
  wire [19:0] pending = -word[62:43];
  wire signed [23:0] tx_field = $signed(word[41:21]);
  wire signed [23:0] outstanding = -tx_field;
  wire spent = word[42];

  wire [23:0] n = {3'd0, count};
  wire signed [23:0] new_pending = $signed({4'd0, pending}) - (arrives ? $signed(n) : 24'sd0) + (adds ? $signed(n) : 24'sd0);
  wire signed [23:0] new_expected = $signed({4'd0, expected}) - (drops ? $signed(n) : 24'sd0);
  wire signed [23:0] new_outstanding = outstanding + (expects ? $signed({3'd0, bytes}) : 24'sd0) - (comes ? $signed({3'd0, bytes}) : 24'sd0);
  wire nothing_left = new_pending == 0 && new_outstanding == 0;
  assign flips = code == 0 && completes && nothing_left;
  assign answer = waits && code == 0 && word[63] != phase;

  wire is_object = !word[0] && !spent && expected != 0;
  wire is_spent = !word[0] && spent && expected == 0 && pending == 0 && outstanding == 0;
  assign code = early != 0 ? early
    : absent ? ABSENT
    : init || inval ? 6'd0
    : !is_object && !(waits && is_spent) ? INVALID
    : adds && new_pending >= 24'sh100000 ? COUNT
    : (expects || comes) && (new_outstanding > 24'sh0fffff || new_outstanding < -24'sh0fffff) ? TX_RANGE
    : arrives && (new_pending < 0 || pending == 0) ? OVER_ARRIVAL
    : drops && (new_expected < 0 || (new_expected == 0 && !(completes && nothing_left))) ? DROP_TO_ZERO
    : no_complete && nothing_left ? COMPLETES
    : !tx && kind == EXPECT && nothing_left ? EXPECT_LATE : 6'd0;

  wire [19:0] expected_field = -new_expected[19:0];
  wire [19:0] pending_field = -(flips ? new_expected[19:0] : new_pending[19:0]);
  wire [20:0] outstanding_field = -new_outstanding[20:0];
  wire [19:0] n_field = -n[19:0];
  assign next = code != 0 || waits ? word
    : init ? {1'b0, n_field, 1'b0, 21'd0, n_field, 1'b0}
    : inval ? 64'd0
    : {word[63] ^ flips, pending_field, spent || (flips && new_expected == 0), outstanding_field, expected_field, 1'b0};
endmodule
