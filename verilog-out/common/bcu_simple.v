// SPDX-License-Identifier: Apache-2.0 OR MIT
// verilator lint_off TIMESCALEMOD
`default_nettype none
`include "bcu_defs.vh"

// bcu_simple: front of `bcu_named` for a core whose barrier controller sees one strobe per warp.
//
// Warps arrive by strobes, several in one cycle if need be; they start and end by a level, `live`. The module
// makes of these the stream of operations that `bcu_named` takes, one a cycle: Launch when warps of a CTA slot
// that is not in use become live, Sync and Arrive for arrivals, Exit when a live bit falls, Release when the last
// warp of a CTA has gone. It contains `bcu_named`. Sizes come from the `bcu_defs.vh` of the export, whose folder is on the include path.
// Reductions, state words and traps of `bcu_named` are not used. Core without CTAs: `warp_cta` = 0.
//
// Reads: `loading`, `live`, `warp_cta`, `arrive` with `arrive_sync`, `arrive_id` and `arrive_count`.
// Writes: `wake` and `done_*`, `stalled`, `pending`, `member`, `present`, `cta_busy`, `open`, `ready`, `fault_*`, `hang`.
// Latency: 1 from an `arrive` strobe, or the fall of a live bit, to op_valid of `bcu_named` if nothing else is
//   queued. So `wake` comes 4 cycles after the strobe of the last arrival, 5 after the fall of the live bit that
//   completes a barrier. A Launch takes 2 cycles from the rise of the first live bit to op_valid, and CTAS - 1
//   more at most, as one CTA slot is looked at in each cycle. `stalled` has the warp in the cycle after its
//   strobe, and no longer in the cycle of `wake` or of its fault.
//
// Order. Exits go first, then Launch and Release, then arrivals; of the arrivals each warp has its turn. An arrival
// of a warp goes before its exit, and both go after the Launch that makes it a member.
//
// Warps that become live in a CTA that runs (GROW = 1): they join when no barrier of the CTA is open. The module
// then sends a Release and a Launch with all warps that are there. Arrivals of the CTA wait from the cycle after
// the rise, if no barrier of it is open then, so that every later arrival counts the new warps. While a barrier is
// open it needs its old members only; the new ones are no members yet (`member`), their arrivals stay queued, and
// they join in the first cycle in which no barrier is open and no arrival is under way. A CTA that always has a
// barrier open never takes them in, and a barrier that needs one of them hangs, which a message tells in simulation.
// With GROW = 0 they wait until the CTA has ended, and `open` is 0.
//
// Rules for the user:
// - `arrive[w]` is 1 for one cycle per arrival, and only while `live[w]` is 1, `stalled[w]` is 0 and `pending[w]`
//   is 0. A strobe while `pending[w]` is 1 is lost. A strobe while `ready` is 0 is queued.
// - `arrive_id`, `arrive_count` and `arrive_sync` of the warp are valid with the strobe. Ids are below BARRIERS.
//   The count is in warps; 0 means all live warps of the CTA, for a warp that waits only.
// - If the warps of a CTA do not become live in one cycle, `loading` of its slot is 1 from the first of them, or
//   before, to the last of them, or after: nothing is launched and nobody joins meanwhile. Else it may be tied to 0.
// - `warp_cta` of a warp is below CTAS and does not change while `live` or `present` of the warp is 1 nor, once they have
//   been, before `cta_busy` of the slot is 0.
// - A CTA slot is used again only when `cta_busy` of it and `present` of all its warps are 0, as `cta_busy` rises with the
//   Launch; a warp slot only when `present` of it is 0: before the end of its CTA by the same CTA alone.
// - A live bit may fall while the warp waits (the warp was killed). Its Exit is sent once it does not wait any
//   more. If no member of the CTA is live and its members have all exited or wait, the CTA is released 6 cycles after its
//   last operation, and each barrier that is open is a fault, barrier_left_open.
// - A refused arrival has no effect and no `wake`, and the warp goes on: who wants to stop it looks at `fault_valid`.
module bcu_simple #(
  // These are of the export; they may be stated, and are compared with it.
  parameter WARPS    = `BCU_WARPS,
  parameter LANES    = `BCU_LANES,
  parameter CTAS     = `BCU_CTAS,
  parameter BARRIERS = `BCU_BARRIERS,
  parameter ID_BITS  = 4,  // Of an id, 1 to 4: as many as the core has.
  parameter GROW     = 1,  // 1: warps can join a CTA that runs, and `open` is there.
  parameter DETECT   = 0,  // 1: `hang` is built.
  // The following are derived and must not be set.
  parameter LW = WARPS > 4 ? $clog2(WARPS) : 2,
  parameter CW = LW + 1,
  parameter LC = CTAS > 2 ? $clog2(CTAS) : 1,
  parameter VW = LANES > 4 ? $clog2(LANES) + 1 : 3
) (
  input  wire                     clock,
  input  wire                     reset,           // Synchronous, active high.
  output wire                     ready,           // The tables have been cleared after reset.
  input  wire [CTAS-1:0]          loading,         // Per CTA slot: more warps of the CTA are about to become live.
  input  wire [WARPS-1:0]         live,            // Per warp: it runs.
  input  wire [WARPS*LC-1:0]      warp_cta,        // CTA slot of each warp, warp 0 in the lowest bits.
  input  wire [WARPS-1:0]         arrive,          // Strobe per warp: it arrives at a barrier.
  input  wire [WARPS-1:0]         arrive_sync,     // 1: it waits; 0: it arrives and goes on.
  input  wire [WARPS*ID_BITS-1:0] arrive_id,       // Barrier id of each warp.
  input  wire [WARPS*CW-1:0]      arrive_count,    // Warps that take part, for each warp; 0: all live ones of the CTA.
  output wire [WARPS-1:0]         wake,            // Strobe per warp: its barrier has completed, it goes on.
  output wire                     done_valid,      // Strobe: a barrier has completed, with `wake`.
  output wire [LC-1:0]            done_cta,        // Its CTA slot.
  output wire [ID_BITS-1:0]       done_id,         // Its id.
  output wire [WARPS-1:0]         stalled,         // Per warp: it waits at a barrier, or its arrival is queued and will make it wait.
  output wire [WARPS-1:0]         pending,         // Per warp: its arrival is queued.
  output wire [WARPS-1:0]         member,          // Per warp: it counts in its CTA.
  output wire [WARPS-1:0]         present,         // Per warp: its slot is in use.
  output wire [CTAS-1:0]          cta_busy,        // Per CTA slot: it is in use.
  output wire [CTAS*BARRIERS-1:0] open,            // Per CTA slot and id: the barrier is open; 4 cycles behind the transfer. 0 if GROW = 0.
  output wire                     fault_valid,     // Strobe: a fault.
  output wire [5:0]               fault_code,      // Fault code of `bcu_named`.
  output wire                     fault_has_warp,  // 1: it is of an arrival or exit of a warp.
  output wire [LW-1:0]            fault_warp,      // Warp.
  output wire [LC-1:0]            fault_cta,       // CTA slot.
  output wire [ID_BITS-1:0]       fault_id,        // Barrier id.
  output wire [CTAS-1:0]          hang             // Strobe per CTA slot: all its warps wait, and nothing lets one go on; 0 with DETECT = 0.
);

  localparam [3:0] SYNC = 4'd0, ARRIVE = 4'd1, EXIT = 4'd5, LAUNCH = 4'd6, RELEASE = 4'd7;

  // Queue: one arrival per warp.
  reg  [WARPS-1:0]    pend_q, sync_q;
  reg  [WARPS*ID_BITS-1:0] id_q;
  reg  [WARPS*CW-1:0] count_q;
  // Warps and CTAs.
  reg  [WARPS-1:0]    present_q, member_q;
  reg  [WARPS-1:0]    named_q;  // It was in the Launch of its CTA, be it that it has exited since.
  reg  [CTAS-1:0]     up_q;
  reg  [LC-1:0]       look_q;
  reg  [WARPS-1:0]    below_q;  // Arrivals: warps up to the one that went last.
  reg  [2:0]          still_q;  // Cycles in which the slot that is looked at is dead and nothing of it goes.
  reg                 ready_q;
  // The operation that is offered.
  reg                 op_valid_q;
  reg  [3:0]          op_kind_q, op_id_q;
  reg  [LC-1:0]       op_cta_q;
  reg  [11:0]         op_count_q;
  reg  [LW-1:0]       op_warp_q;
  reg  [WARPS-1:0]    op_mask_q;
  reg  [CW-1:0]       op_warps_q;

  wire                op_ready;
  wire [WARPS-1:0]    waiting;
  wire [CTAS-1:0]     open_any;       // Per CTA slot: a barrier is open.
  wire [CTAS-1:0]     under_way;      // Per CTA slot: an arrival is not yet to be seen in `open`.
  wire [WARPS-1:0]    hold;           // The arrival of the warp waits for others to join.

  wire                room      = !op_valid_q || op_ready;
  wire [WARPS-1:0]    accepted  = arrive & ~pend_q;
  wire [WARPS-1:0]    queued    = arrive | pend_q;
  wire [WARPS-1:0]    dying     = present_q & ~live;
  wire [WARPS-1:0]    op_waits  = (op_valid_q && op_kind_q == SYNC) ? {{(WARPS-1){1'b0}}, 1'b1} << op_warp_q : {WARPS{1'b0}};
  wire [WARPS-1:0]    waits     = waiting | op_waits;

  // Of the warps, who goes next.
  wire [WARPS-1:0]    exits     = member_q & dying & ~queued & ~waits;
  wire [WARPS-1:0]    arrivals  = member_q & queued & ~waits & ~hold;
  wire [WARPS-1:0]    in_turn   = arrivals & ~below_q;
  wire [WARPS-1:0]    choice    = |exits ? exits : |in_turn ? in_turn : arrivals;
  wire [WARPS-1:0]    chosen    = choice & (~choice + {{(WARPS-1){1'b0}}, 1'b1});

  // The CTA slot that is looked at.
  reg  [WARPS-1:0]    of_slot;
  wire [WARPS-1:0]    slot_present = present_q & of_slot;
  wire [WARPS-1:0]    slot_members = member_q & of_slot;
  wire                slot_up      = up_q[look_q];
  // No member is live and no arrival queued. Members that are left are killed ones that wait: a barrier of theirs may
  // still be completed by what is under way, and by the exits of whom that sets free.
  wire                dead      = slot_up && ~|(slot_members & (~dying | queued));
  wire                touched   = op_valid_q && op_cta_q == look_q;
  wire                ended     = dead && (~|slot_members || still_q == 3'd5);
  wire                joins     = slot_up && GROW != 0 && |(slot_present & ~member_q) && !loading[look_q]
                                  && !open_any[look_q] && !under_way[look_q];
  wire                releases  = ended || joins;
  wire                launches  = !slot_up && |slot_present && !loading[look_q];

  wire                go_exit    = room && |exits;
  wire                go_release = room && ~|exits && releases;
  wire                go_launch  = room && ~|exits && launches;
  wire                go_arrival = room && ~|exits && !releases && !launches && |arrivals;

  wire [WARPS-1:0]    gone      = (go_exit ? chosen : {WARPS{1'b0}}) | (go_release && ended ? slot_members : {WARPS{1'b0}});

  // Payload of the warp that is chosen, and how many warps are launched.
  reg  [LW-1:0]       warp_d;
  reg  [LC-1:0]       warp_cta_d;
  reg  [ID_BITS-1:0]  id_d;
  reg  [CW-1:0]       count_d, number_d;
  reg                 sync_d;
  wire [WARPS-1:0]    sync_now  = (pend_q & sync_q) | (~pend_q & arrive_sync);
  integer             w;
  always @* begin
    warp_d     = {LW{1'b0}};
    warp_cta_d = {LC{1'b0}};
    id_d       = {ID_BITS{1'b0}};
    count_d    = {CW{1'b0}};
    number_d   = {CW{1'b0}};
    sync_d     = |(chosen & sync_now);
    of_slot    = {WARPS{1'b0}};
    for (w = 0; w < WARPS; w = w + 1) begin
      of_slot[w] = CTAS == 1 || warp_cta[w*LC +: LC] == look_q;
      number_d   = number_d + {{(CW-1){1'b0}}, present_q[w] && of_slot[w]};
      if (chosen[w]) begin
        warp_d     = warp_d | w[LW-1:0];
        warp_cta_d = warp_cta_d | (CTAS == 1 ? {LC{1'b0}} : warp_cta[w*LC +: LC]);
        id_d       = id_d | (pend_q[w] ? id_q[w*ID_BITS +: ID_BITS] : arrive_id[w*ID_BITS +: ID_BITS]);
        count_d    = count_d | (pend_q[w] ? count_q[w*CW +: CW] : arrive_count[w*CW +: CW]);
      end
    end
  end

  // Ids are cut and widened here alone.
  wire [3:0]          id_wide;
  wire [3:0]          released_id, refused_id;
  generate
    if (ID_BITS == 4) begin : g_ids
      assign id_wide = id_d;
    end else begin : g_few_ids
      assign id_wide = {{(4-ID_BITS){1'b0}}, id_d};
      // verilator lint_off UNUSEDSIGNAL
      wire unused = |released_id[3:ID_BITS] || |refused_id[3:ID_BITS];
      // verilator lint_on UNUSEDSIGNAL
    end
  endgenerate
  assign done_id  = released_id[ID_BITS-1:0];
  assign fault_id = refused_id[ID_BITS-1:0];

  localparam [LC-1:0] LAST_SLOT = CTAS[LC-1:0] - 1'b1;

  integer             v;
  always @(posedge clock) begin
    if (reset) begin
      pend_q     <= {WARPS{1'b0}};
      present_q  <= {WARPS{1'b0}};
      member_q   <= {WARPS{1'b0}};
      named_q    <= {WARPS{1'b0}};
      up_q       <= {CTAS{1'b0}};
      look_q     <= {LC{1'b0}};
      below_q    <= {WARPS{1'b0}};
      still_q    <= 3'd0;
      ready_q    <= 1'b0;
      op_valid_q <= 1'b0;
    end else begin
      ready_q   <= ready_q || op_ready;
      pend_q    <= queued & ~(go_arrival ? chosen : {WARPS{1'b0}});
      present_q <= (present_q | live) & ~gone;
      if (go_launch)
        member_q <= member_q | slot_present;
      else
        member_q <= member_q & ~gone & ~(go_release ? slot_members : {WARPS{1'b0}});
      if (go_launch)
        named_q <= named_q | slot_present;
      else if (go_release)
        named_q <= named_q & ~of_slot;
      if (go_launch)
        up_q[look_q] <= 1'b1;
      else if (go_release)
        up_q[look_q] <= 1'b0;
      still_q <= !dead || touched || |exits ? 3'd0 : still_q + {2'd0, still_q != 3'd5};
      if (!releases && !launches && !dead)
        look_q <= look_q == LAST_SLOT ? {LC{1'b0}} : look_q + 1'b1;
      if (go_arrival)
        below_q <= chosen | (chosen - {{(WARPS-1){1'b0}}, 1'b1});
      if (room)
        op_valid_q <= go_exit || go_release || go_launch || go_arrival;
    end
    for (v = 0; v < WARPS; v = v + 1)
      if (accepted[v]) begin
        sync_q[v]            <= arrive_sync[v];
        id_q[v*ID_BITS +: ID_BITS] <= arrive_id[v*ID_BITS +: ID_BITS];
        count_q[v*CW +: CW]  <= arrive_count[v*CW +: CW];
      end
    if (room) begin
      op_kind_q  <= go_exit ? EXIT : go_release ? RELEASE : go_launch ? LAUNCH : sync_d ? SYNC : ARRIVE;
      op_cta_q   <= go_release || go_launch ? look_q : warp_cta_d;
      op_id_q    <= id_wide;
      op_count_q <= {{(12-CW){1'b0}}, count_d} * LANES[11:0];
      op_warp_q  <= warp_d;
      op_mask_q  <= go_launch ? slot_present : named_q & of_slot;
      op_warps_q <= number_d;
    end
  end

  generate
    if (GROW != 0) begin : g_grow
      // Which barriers are open. An arrival opens its barrier if it is neither refused nor completes it: both are
      // known in the third cycle after its transfer. A Release closes all barriers of its CTA slot.
      reg  [CTAS*BARRIERS-1:0] open_q, open_d;
      reg  [2:0]               arrival_q, release_q;  // Bit 0: first cycle after the transfer.
      reg  [LC-1:0]            cta0_q, cta1_q, cta2_q;
      reg  [3:0]               id0_q, id1_q, id2_q;
      reg  [CTAS-1:0]          any, coming;
      reg  [(1<<LC)-1:0]       late;
      reg  [WARPS-1:0]         hold_d;
      wire                     is_arrival = op_kind_q == SYNC || op_kind_q == ARRIVE;
      wire                     moves      = op_valid_q && op_ready;
      wire                     opens      = arrival_q[2] && !fault_valid && !done_valid;
      // There is one write in a cycle: what was sent before a Release has been shown when the Release takes effect here.
      wire                     writes     = done_valid || opens || release_q[2];
      wire [LC-1:0]            write_cta  = done_valid ? done_cta : cta2_q;
      wire [3:0]               write_id   = done_valid ? released_id : id2_q;
      reg  [CTAS-1:0]          in_slot;
      reg  [BARRIERS-1:0]      in_row;
      integer                  c, i, n;
      always @* begin
        late   = {(1<<LC){1'b0}};
        hold_d = {WARPS{1'b0}};
        for (i = 0; i < BARRIERS; i = i + 1)
          in_row[i] = release_q[2] || write_id == i[3:0];
        for (c = 0; c < CTAS; c = c + 1) begin
          any[c]     = |open_q[c*BARRIERS +: BARRIERS];
          coming[c]  = (op_valid_q && is_arrival && op_cta_q == c[LC-1:0])
                       || (arrival_q[0] && cta0_q == c[LC-1:0])
                       || (arrival_q[1] && cta1_q == c[LC-1:0])
                       || (arrival_q[2] && cta2_q == c[LC-1:0]);
          in_slot[c] = writes && write_cta == c[LC-1:0];
          for (i = 0; i < BARRIERS; i = i + 1)
            open_d[c*BARRIERS + i] = in_slot[c] && in_row[i] ? opens : open_q[c*BARRIERS + i];
          for (n = 0; n < WARPS; n = n + 1)
            if (present_q[n] && !member_q[n] && (CTAS == 1 || warp_cta[n*LC +: LC] == c[LC-1:0]))
              late[c] = up_q[c] && !any[c];
        end
        for (n = 0; n < WARPS; n = n + 1)
          hold_d[n] = CTAS == 1 ? late[0] : late[warp_cta[n*LC +: LC]];
      end
      always @(posedge clock) begin
        if (reset) begin
          open_q    <= {(CTAS*BARRIERS){1'b0}};
          arrival_q <= 3'd0;
          release_q <= 3'd0;
        end else begin
          open_q    <= open_d;
          arrival_q <= {arrival_q[1:0], moves && is_arrival};
          release_q <= {release_q[1:0], moves && op_kind_q == RELEASE};
        end
        cta0_q <= op_cta_q;
        cta1_q <= cta0_q;
        cta2_q <= cta1_q;
        id0_q  <= op_id_q;
        id1_q  <= id0_q;
        id2_q  <= id1_q;
      end
      assign open      = open_q;
      assign open_any  = any;
      assign under_way = coming;
      assign hold      = hold_d;
    end else begin : g_fixed
      assign open      = {(CTAS*BARRIERS){1'b0}};
      assign open_any  = {CTAS{1'b0}};
      assign under_way = {CTAS{1'b0}};
      assign hold      = {WARPS{1'b0}};
    end
  endgenerate

  assign ready    = ready_q;
  assign stalled  = waits | (pend_q & sync_q);
  assign pending  = pend_q;
  assign member   = member_q;
  assign present  = present_q;
  assign cta_busy = up_q;

  // Outputs that are not used are left out: results, state words, conflicts, commits.
  // verilator lint_off PINMISSING
  bcu_named #(.WARPS(WARPS), .LANES(LANES), .CTAS(CTAS), .BARRIERS(BARRIERS)) named (
    .clock(clock), .reset(reset),
    .op_valid(op_valid_q), .op_ready(op_ready), .op_kind(op_kind_q), .op_fault(6'd0), .op_uniform(1'b1),
    .op_cta(op_cta_q), .op_id(op_id_q), .op_count(op_count_q), .op_redop(2'd0), .op_state(2'd0), .op_data(32'd0),
    .op_warp(op_warp_q), .op_value({VW{1'b0}}), .op_mask(op_mask_q), .op_warps(op_warps_q), .op_live(op_warps_q),
    .op_barriers(BARRIERS[5:0]), .op_saved(1'b0), .trapped({WARPS{1'b0}}),
    .release_valid(done_valid), .release_cta(done_cta), .release_id(released_id), .release_warps(wake),
    .waiting(waiting),
    .fault_valid(fault_valid), .fault_ready(1'b1), .fault_code(fault_code), .fault_has_warp(fault_has_warp),
    .fault_warp(fault_warp), .fault_cta(fault_cta), .fault_id(refused_id)
  );
  // verilator lint_on PINMISSING

  generate
    if (DETECT != 0) begin : g_detect
      reg  [CTAS*WARPS-1:0] of_slots;
      reg  [CTAS-1:0]       queues;
      reg  [CTAS-1:0]       holds;  // A live member waits: without one the slot ends, and is launched with the others.
      integer               d, e;
      always @*
        for (d = 0; d < CTAS; d = d + 1) begin
          queues[d] = op_valid_q && op_cta_q == d[LC-1:0];
          holds[d]  = 1'b0;
          for (e = 0; e < WARPS; e = e + 1) begin
            of_slots[d*WARPS + e] = present_q[e] && (CTAS == 1 || warp_cta[e*LC +: LC] == d[LC-1:0]);
            // The arrival of a warp that has not joined, or that waits, is not on its way.
            queues[d] = queues[d] || of_slots[d*WARPS + e] && member_q[e] && pend_q[e] && !waits[e];
            holds[d]  = holds[d] || of_slots[d*WARPS + e] && member_q[e] && live[e] && waits[e];
          end
        end
      // A warp that has not joined and whose arrival is queued waits for the others.
      bcu_hang #(.WARPS(WARPS), .GROUPS(CTAS)) detector (
        .clock(clock), .reset(reset), .members(of_slots), .waits(waiting | (pend_q & ~member_q)), .moves(queues | ~holds), .hang(hang));
    end else begin : g_no_detect
      assign hang = {CTAS{1'b0}};
    end
  endgenerate

`ifndef SYNTHESIS
  reg [WARPS-1:0]  live_q;
  // Per CTA slot: all members wait, and the arrival of a warp that has not joined is queued.
  reg [CTAS-1:0]   stuck;
  reg [CTAS*4-1:0] stuck_q;  // For how many cycles, up to 15.
  reg [WARPS-1:0]  of_cta;
  integer          s, t, u;
  always @*
    for (t = 0; t < CTAS; t = t + 1) begin
      for (u = 0; u < WARPS; u = u + 1)
        of_cta[u] = present_q[u] && (CTAS == 1 || warp_cta[u*LC +: LC] == t[LC-1:0]);
      stuck[t] = |(of_cta & member_q) && ~|(of_cta & member_q & ~waiting) && |(of_cta & ~member_q & pend_q);
    end
  always @(posedge clock) begin
    live_q <= live;
    if (reset && |arrive) $display("bcu_simple: %0d: arrivals of warps %b are lost: they come during reset", $time, arrive);
    for (s = 0; s < CTAS; s = s + 1) begin
      stuck_q[s*4 +: 4] <= reset || !stuck[s] ? 4'd0 : stuck_q[s*4 +: 4] + {3'd0, stuck_q[s*4 +: 4] != 4'd15};
      if (!reset && stuck[s] && stuck_q[s*4 +: 4] == 4'd14)
        $display("bcu_simple: %0d: CTA slot %0d hangs: a warp that has not joined arrives while all members wait", $time, s);
    end
    if (!reset)
      for (s = 0; s < WARPS; s = s + 1) begin
        if (arrive[s] && (pend_q[s] || stalled[s]))
          $display("bcu_simple: %0d: warp %0d arrives while it waits or its last arrival is queued", $time, s);
        if (arrive[s] && !live[s])
          $display("bcu_simple: %0d: warp %0d arrives and is not live", $time, s);
        if (live[s] && !live_q[s] && present_q[s])
          $display("bcu_simple: %0d: warp %0d becomes live again before `present` of it is 0", $time, s);
        if (live[s] && CTAS > 1 && {{(32-LC){1'b0}}, warp_cta[s*LC +: LC]} >= CTAS)
          $display("bcu_simple: %0d: warp %0d is in CTA slot %0d, which is not built", $time, s, warp_cta[s*LC +: LC]);
      end
  end
`endif

endmodule

`default_nettype wire
// verilator lint_on TIMESCALEMOD
