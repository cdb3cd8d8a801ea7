// SPDX-License-Identifier: Apache-2.0 OR MIT
// One object and one warp, both chosen by the solver: the object's word, the result of each operation on it, and the warps that it wakes.
`include "sizes.vh"
module mbarrier_object (
`include "mbarrier_inputs.vh"
  // A store of the program to the object's address while no CTA is in the slot.
  , input wire store, input wire [63:0] store_word
);
`include "mbarrier_ports.vh"

  // The decision of the previous cycle, which the ports output in this one.
  reg was_done = 0, was_op, was_tx, was_net, was_late, was_told, was_mine, was_mine_waits, was_flips, was_result, was_answer, was_may_suspend, was_erase, was_lost = 0;
  reg [5:0] was_code;
  reg [63:0] was_word;
  reg [`LW-1:0] was_warp;
  reg [`LC-1:0] was_cta;
  reg [31:0] was_address;
  reg [10:0] was_destination;
  reg fault_stays = 0, request_stays = 0;
  always @(posedge clock) begin
    was_done <= done && !reset;
    {was_op, was_tx, was_net, was_late, was_told, was_mine, was_code, was_word, was_flips, was_result, was_answer} <=
      {now_op, now_tx, now_net, now_source == TIME_OUT, told, mine, code, word, flips, has_result, answer};
    was_may_suspend <= now_op && now_kind == TRY_WAIT && now_whole;
    {was_warp, was_cta, was_address, was_destination} <= {now_warp, now_cta, now_address, now_rd, now_pu};
    was_erase <= now_op && now_own && now_kind == INVAL && there_1;
    was_lost <= lost;
    fault_stays <= fault_valid && !fault_ready && !reset;
    request_stays <= mem_request_valid && !mem_request_ready && !reset;
  end
  // A wait that has no answer yet suspends its warp.
  wire suspends = was_done && was_op && was_result && !token_valid;
  // An operation of the network that finds no CTA in its slot causes no fault here: its sender reports the fault.
  wire harmless = was_code == 0 || (was_net && was_code == ABSENT);
  wire refused = was_done && was_told && !harmless;
  wire accepted = was_done && was_told && harmless;

  // The followed warp: `busy`, it has an operation in flight; `asleep`, it is suspended; `where`, the entry at which it is suspended;
  // `on_it`, it waits for the followed object.
  (* anyconst *) reg [`LW-1:0] who;
  reg busy_before = 0, asleep_before = 0, left_before = 0, on_it_before, asked_phase;
  reg [`XI-1:0] where_before;
  wire shown = commit_valid && commit_warps[who];
  wire busy = busy_before && !shown;
  wire ends = retired_valid && retired_cta == slot;
  // The unit may forget a suspended warp of a CTA that was retired without `saved`.
  wire asleep = (shown ? suspends : asleep_before) && !(ends && !saved);
  wire on_it = shown ? was_mine : on_it_before;
  wire [`XI-1:0] where = shown ? entry_of(was_cta, was_address >> 3) : where_before;
  wire wakes = wake_valid && wake_warps[who];
  wire sends = put_op && op_warp == who;
  always @(posedge clock) begin
    busy_before <= !reset && (busy || sends);
    asleep_before <= !reset && asleep && !wakes;
    {on_it_before, where_before} <= {on_it, where};
    if (done && now_op && now_warp == who) asked_phase <= now_phase;
  end
  // The warp's CTA was retired without `saved`, so the warp receives no further answer.
  wire left = left_before && !ends;
  always @(posedge clock) left_before <= !reset && (left || (goes && !retire_saved && retire_warps[who]));
  // Interface assumptions on the warp.
  always @(*) begin
    if (sends) assume (!busy && !(asleep && !wakes) && !left);
    if (retire_valid && (busy || asleep)) assume (retire_warps[who] == goes);
  end

  always @(*) if (begun && !reset) begin
    // The unit outputs the result of each operation.
    o_commit: assert (commit_valid == (was_done && was_op) && commit_warps == (commit_valid ? 1 << was_warp : 0));
    if (commit_valid && was_told) o_refused: assert (commit_refused == (was_code != 0 && was_code != NOT_RESIDENT));
    if (token_valid) o_token: assert (was_done && was_op && was_result && token_warp == was_warp && {token_rd, token_pu} == was_destination);
    o_copied: assert (tx_done_valid == (was_done && was_tx) && (!tx_done_valid || tx_done_cta == was_cta));
    if (suspends) o_waits: assert (was_may_suspend && (!was_told || (was_mine && was_code == 0 && !was_answer)));
    if (token_valid && was_told) a_token: assert (token_refused == (was_code != 0)
      && {token_word, token_predicate} == (was_code != 0 ? 65'd0 : {was_word, was_answer}));
    if (refused) a_refused: assert (fault_valid && !fault_stays && fault_code == was_code && fault_has_warp == was_op
      && fault_warp == (was_op ? was_warp : 0) && fault_cta == was_cta && fault_address == was_address);
    if (accepted) a_accepted: assert (!fault_valid || fault_stays);
    if (fault_valid && !fault_stays) a_invented: assert (was_done && (was_op || was_tx || was_net));
`ifdef NET
    // Each operation of the network is replied to once, to its source, when it is decided.
    if (put_net) n_order: assert (net_filled != 0);
    n_once: assert (net_reply_valid == (was_done && was_net));
    if (net_reply_valid) n_source: assert (net_reply_source == was_destination[10:3]);
    if (net_reply_valid && was_told) n_absent: assert (net_reply_absent == (was_code == ABSENT));
`endif

    // The warps that resume.
    if (wakes) b_once: assert (asleep_before && !left_before);
    b_suspended: assert (suspended[who] == (asleep && !wakes && !left));
    if (wakes && wake_value && on_it_before) b_true: assert (was_done && was_mine && was_flips && word[63] != asked_phase);
    if (asleep_before && on_it_before && was_done && was_mine && was_flips) b_all: assert (wakes && wake_value);

    // The word of an object whose CTA retires without `saved` is not written to memory; only an Inval writes its 0. When a CTA has
    // retired, no request of the CTA remains.
    if (mem_request_valid && !request_stays && mem_request_write && mem_request_cta == slot && was_lost)
      c_lost: assert (was_erase && mem_request_data == 0);
    if (ends) c_gone: assert (!mem_request_valid && unanswered == 0);
  end
`ifdef INSIDE
`include "mbarrier_inside.vh"
`endif
endmodule
