// SPDX-License-Identifier: Apache-2.0 OR MIT
// verilator lint_off TIMESCALEMOD
`default_nettype none
`include "bcu_defs.vh"

// bcu_simple: front of `bcu_named` for a core whose barrier controller gets one strobe per warp.
//
// Warps arrive by strobes, several in one cycle if need be; a level, `live`, starts and ends them. The module
// contains `bcu_named` and converts the strobes and levels into its stream of operations, one a cycle: Launch when
// warps of an unused CTA slot become live, Sync and Arrive for arrivals, Exit when a live bit falls, Release when the
// last warp of a CTA has ended. Sizes come from the `bcu_defs.vh` of the export, whose folder is on the include path.
// Reductions, state words and traps of `bcu_named` are not used. A core without CTAs ties `warp_cta` to 0.
//
// Reads: `loading`, `live`, `warp_cta`, `arrive` with `arrive_sync`, `arrive_id` and `arrive_count`.
// Writes: `wake` and `done_*`, `stalled`, `pending`, `member`, `present`, `cta_busy`, `open`, `ready`, `fault_*`,
//   `hang`.
// Latency: 1 cycle from an `arrive` strobe, or the fall of a live bit, to op_valid of `bcu_named` if nothing else is
//   queued. So `wake` comes 4 cycles after the strobe of the last arrival, or 5 cycles after the fall of the live bit
//   that completes a barrier. A Launch takes 2 cycles from the rise of the first live bit to op_valid, and at most
//   CTAS - 1 more, since the module examines one CTA slot per cycle. The bit of a warp in `stalled` is 1 from the cycle
//   after its strobe, and 0 again from the cycle of its `wake` or of its fault.
//
// Order. Exits are sent first, then Launch and Release, then arrivals, with round-robin arbitration between the warps.
// The arrival of a warp is sent before its exit, and both are sent after the Launch that makes the warp a member.
//
// Warps that become live in a running CTA (GROW = 1) join it when no barrier of the CTA is open: the module then
// sends a Release and a Launch with all present warps. If no barrier of the CTA is open in the cycle after the live
// bit rises, arrivals of the CTA are held from that cycle, so that every later arrival counts the new warps. An open
// barrier needs only the old members; the new warps are not members yet (`member`), their arrivals stay queued, and
// they join in the first cycle in which no barrier is open and no arrival is in flight. In a CTA that always has an
// open barrier they never join, and a barrier that needs one of them hangs, which a message reports in simulation.
// With GROW = 0 new warps wait until the CTA has ended, and `open` is 0.
//
// Rules for the user:
// - `arrive[w]` is 1 for one cycle per arrival, and only while `live[w]` is 1, `stalled[w]` is 0 and `pending[w]`
//   is 0. A strobe while `pending[w]` is 1 is lost. A strobe while `ready` is 0 is queued.
// - `arrive_id`, `arrive_count` and `arrive_sync` of the warp are valid with the strobe. Ids are below BARRIERS.
//   The count is in warps; 0 means all live warps of the CTA, and is legal only for an arrival that waits.
// - If the warps of a CTA become live in different cycles, `loading` of its slot is 1 from the first of these cycles,
//   or earlier, to the last, or later: meanwhile no warp is launched or joins. A core without such CTAs ties
//   `loading` to 0.
// - `warp_cta` of a warp is below CTAS. It does not change while `live` or `present` of the warp is 1, nor after that
//   until `cta_busy` of the slot is 0.
// - A CTA slot is used again only when its `cta_busy` and `present` of all its warps are 0, since `cta_busy` rises
//   only with the Launch. A warp slot is used again only when its `present` is 0, and until its CTA has ended only by
//   that CTA.
// - A live bit may fall while the warp waits (the warp was killed). Its Exit is sent when the warp no longer waits.
//   If no member of the CTA is live and its members have all exited or wait, the CTA is released 6 cycles after its
//   last operation, and each open barrier is a fault, barrier_left_open.
// - A refused arrival has no effect and no `wake`, and the warp resumes. A core that stops such a warp uses
//   `fault_valid`.
module bcu_simple #(
  // Sizes of the export. An instance may set them; a value that differs from the export is an error.
  parameter WARPS    = `BCU_WARPS,
  parameter LANES    = `BCU_LANES,
  parameter CTAS     = `BCU_CTAS,
  parameter BARRIERS = `BCU_BARRIERS,
  parameter ID_BITS  = 4,  // Bits of a barrier id in the core, 1 to 4.
  parameter GROW     = 1,  // 1: warps can join a running CTA, and `open` is built.
  parameter DETECT   = 0,  // 1: `hang` is built.
  // These parameters are derived and must not be set.
  parameter LW = WARPS > 4 ? $clog2(WARPS) : 2,
  parameter CW = LW + 1,
  parameter LC = CTAS > 2 ? $clog2(CTAS) : 1,
  parameter VW = LANES > 4 ? $clog2(LANES) + 1 : 3
) (
  input  wire                     clock,
  input  wire                     reset,           // Synchronous, active high.
  output wire                     ready,           // 1: the tables have been cleared after reset.
  input  wire [CTAS-1:0]          loading,         // Per CTA slot: more warps of the CTA are about to become live.
  input  wire [WARPS-1:0]         live,            // Per warp: it runs.
  input  wire [WARPS*LC-1:0]      warp_cta,        // CTA slot of each warp, warp 0 in the lowest bits.
  input  wire [WARPS-1:0]         arrive,          // Strobe per warp: it arrives at a barrier.
  // Per warp: 1: it arrives and waits; 0: it arrives and does not wait.
  input  wire [WARPS-1:0]         arrive_sync,
  input  wire [WARPS*ID_BITS-1:0] arrive_id,       // Barrier id of each warp.
  // Per warp: number of participating warps; 0: all live warps of the CTA.
  input  wire [WARPS*CW-1:0]      arrive_count,
  output wire [WARPS-1:0]         wake,            // Strobe per warp: its barrier has completed, and it resumes.
  output wire                     done_valid,      // Strobe: a barrier has completed, in the cycle of `wake`.
  output wire [LC-1:0]            done_cta,        // CTA slot of the completed barrier.
  output wire [ID_BITS-1:0]       done_id,         // Id of the completed barrier.
  // Per warp: it waits at a barrier, or its arrival is queued and will make it wait.
  output wire [WARPS-1:0]         stalled,
  output wire [WARPS-1:0]         pending,         // Per warp: its arrival is queued.
  output wire [WARPS-1:0]         member,          // Per warp: barriers without a count of its CTA include it.
  output wire [WARPS-1:0]         present,         // Per warp: its slot is in use.
  output wire [CTAS-1:0]          cta_busy,        // Per CTA slot: it is in use.
  // Per CTA slot and id: the barrier is open, 4 cycles after the transfer; 0 if GROW = 0.
  output wire [CTAS*BARRIERS-1:0] open,
  output wire                     fault_valid,     // Strobe: a fault.
  output wire [5:0]               fault_code,      // Fault code of `bcu_named`.
  output wire                     fault_has_warp,  // 1: an arrival or exit of a warp caused the fault.
  output wire [LW-1:0]            fault_warp,      // Warp of the fault.
  output wire [LC-1:0]            fault_cta,       // CTA slot of the fault.
  output wire [ID_BITS-1:0]       fault_id,        // Barrier id of the fault.
  // Strobe per CTA slot: all warps wait, and nothing releases one; 0 with DETECT = 0.
  output wire [CTAS-1:0]          hang
);

  localparam [3:0] SYNC = 4'd0, ARRIVE = 4'd1, EXIT = 4'd5, LAUNCH = 4'd6, RELEASE = 4'd7;

  // Queue: one arrival per warp.
  reg  [WARPS-1:0]    pend_q, sync_q;
  reg  [WARPS*ID_BITS-1:0] id_q;
  reg  [WARPS*CW-1:0] count_q;
  // Warps and CTAs.
  reg  [WARPS-1:0]    present_q, member_q;
  reg  [WARPS-1:0]    named_q;  // Warps that were in the Launch of their CTA, including those that have exited since.
  reg  [CTAS-1:0]     up_q;
  reg  [LC-1:0]       look_q;
  reg  [WARPS-1:0]    below_q;  // Mask of the warps up to the one whose arrival was sent last, for the round robin.
  // Number of cycles, up to 5, for which slot `look_q` has been dead and no operation of it was offered.
  reg  [2:0]          still_q;
  reg                 ready_q;
  // The operation that is offered to `bcu_named`.
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
  wire [CTAS-1:0]     under_way;      // Per CTA slot: an arrival is in flight, and `open` does not include it yet.
  wire [WARPS-1:0]    hold;           // Per warp: its arrival waits until other warps have joined its CTA.

  wire                room      = !op_valid_q || op_ready;
  wire [WARPS-1:0]    accepted  = arrive & ~pend_q;
  wire [WARPS-1:0]    queued    = arrive | pend_q;
  wire [WARPS-1:0]    dying     = present_q & ~live;
  wire [WARPS-1:0]    op_waits  =
    (op_valid_q && op_kind_q == SYNC) ? {{(WARPS-1){1'b0}}, 1'b1} << op_warp_q : {WARPS{1'b0}};
  wire [WARPS-1:0]    waits     = waiting | op_waits;

  // Choice of the warp whose exit or arrival is sent next.
  wire [WARPS-1:0]    exits     = member_q & dying & ~queued & ~waits;
  wire [WARPS-1:0]    arrivals  = member_q & queued & ~waits & ~hold;
  wire [WARPS-1:0]    in_turn   = arrivals & ~below_q;
  wire [WARPS-1:0]    choice    = |exits ? exits : |in_turn ? in_turn : arrivals;
  wire [WARPS-1:0]    chosen    = choice & (~choice + {{(WARPS-1){1'b0}}, 1'b1});

  // State of the CTA slot that is examined in this cycle, `look_q`.
  reg  [WARPS-1:0]    of_slot;
  wire [WARPS-1:0]    slot_present = present_q & of_slot;
  wire [WARPS-1:0]    slot_members = member_q & of_slot;
  wire                slot_up      = up_q[look_q];
  // No member of the slot is live, and none has a queued arrival. The remaining members were killed while they
  // waited. An operation in flight may still complete their barrier, and so may the exits of the warps that it
  // releases.
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

  wire [WARPS-1:0]    gone      = (go_exit ? chosen : {WARPS{1'b0}})
                                  | (go_release && ended ? slot_members : {WARPS{1'b0}});

  // Payload of the chosen warp, and the number of launched warps.
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

  // Conversion between ids of ID_BITS bits and the ids of `bcu_named`, which have 4 bits.
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
      // Tracks which barriers are open. An arrival opens its barrier unless it is refused or completes the barrier:
      // both are known in the third cycle after its transfer. A Release closes all barriers of its CTA slot.
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
      // At most one write per cycle: the outcome of every earlier operation is known when a Release takes effect here.
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

  // Unused outputs are not connected: results, state words, conflicts, commits.
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
      // Per CTA slot: a live member waits. Without one the CTA ends, and the other warps are launched.
      reg  [CTAS-1:0]       holds;
      integer               d, e;
      always @*
        for (d = 0; d < CTAS; d = d + 1) begin
          queues[d] = op_valid_q && op_cta_q == d[LC-1:0];
          holds[d]  = 1'b0;
          for (e = 0; e < WARPS; e = e + 1) begin
            of_slots[d*WARPS + e] = present_q[e] && (CTAS == 1 || warp_cta[e*LC +: LC] == d[LC-1:0]);
            // The queued arrival of a warp that has not joined, or that waits, cannot be sent, so it prevents no hang.
            queues[d] = queues[d] || of_slots[d*WARPS + e] && member_q[e] && pend_q[e] && !waits[e];
            holds[d]  = holds[d] || of_slots[d*WARPS + e] && member_q[e] && live[e] && waits[e];
          end
        end
      // A warp that has not joined and has a queued arrival counts as waiting.
      bcu_hang #(.WARPS(WARPS), .GROUPS(CTAS)) detector (
        .clock(clock),
        .reset(reset),
        .members(of_slots),
        .waits(waiting | (pend_q & ~member_q)),
        .moves(queues | ~holds),
        .hang(hang)
      );
    end else begin : g_no_detect
      assign hang = {CTAS{1'b0}};
    end
  endgenerate

`ifndef SYNTHESIS
  reg [WARPS-1:0]  live_q;
  // Per CTA slot: all members wait, and the arrival of a warp that has not joined is queued.
  reg [CTAS-1:0]   stuck;
  reg [CTAS*4-1:0] stuck_q;  // Per CTA slot, 4 bits: number of cycles for which `stuck` has been 1, up to 15.
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
    if (reset && |arrive)
      $display("bcu_simple: %0d: arrivals of warps %b are lost: they come during reset", $time, arrive);
    for (s = 0; s < CTAS; s = s + 1) begin
      stuck_q[s*4 +: 4] <= reset || !stuck[s] ? 4'd0 : stuck_q[s*4 +: 4] + {3'd0, stuck_q[s*4 +: 4] != 4'd15};
      if (!reset && stuck[s] && stuck_q[s*4 +: 4] == 4'd14)
        $display("bcu_simple: %0d: CTA slot %0d hangs: a warp that has not joined arrives while all members wait",
                 $time, s);
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
          $display("bcu_simple: %0d: warp %0d is in CTA slot %0d; expected a slot below %0d",
                   $time, s, warp_cta[s*LC +: LC], CTAS);
      end
  end
`endif

endmodule

`default_nettype wire
// verilator lint_on TIMESCALEMOD
