// SPDX-License-Identifier: Apache-2.0 OR MIT
// verilator lint_off TIMESCALEMOD
`default_nettype none
`include "bcu_defs.vh"

// bcu_registers: named barriers as a map of registers, around `bcu_simple`; `bcu_axil` puts it on a bus.
//
// Each core, or each thread of a core, is a warp. It arrives by a write, and learns by polling or by its interrupt
// line that it goes on; whoever distributes the work says by writes which warps run in which CTA slot. The module
// contains `bcu_simple`, and that `bcu_named`; sizes are those of `bcu_defs.vh`.
//
// Reads: the write and the read of this cycle, of whole words.
// Writes: whether the write is taken, what is read, both in the same cycle, and `warp_irq` and `irq`, which are levels.
// Latency: a write has its effect at the end of its cycle. A warp whose line is enabled has `warp_irq` 5 cycles behind the
//   arrival that completes its barrier, if nothing else is queued in `bcu_simple`.
//
// Reads change nothing. A write is refused, with `write_taken` 0, of an address without a register, of a register that is
// read only, and where the map says so. A write that is refused has no effect beside what the map says.
//
// The map. Registers with a bit per warp or CTA slot are words in pairs: of warps, or slots, 0 to 31, and 4 bytes behind it,
// if there are so many, of 32 to 63. Bits that have no meaning read as 0, and are ignored in writes.
//
//   0x000  ID            R    0x42435501: "BCU", and the number of this map.
//   0x004  SIZES         R    7:0 WARPS, 15:8 LANES, 23:16 CTAS, 31:24 BARRIERS.
//   0x008  STATUS        R    0 `ready`: the tables have been cleared after reset; 1 `irq`; 2 a fault is held; 8 GROW is not 0.
//   0x00c  CONTROL       R W  0: a fault that is held raises `irq`.
//   0x010  FAULT         R W  The first fault: 5:0 code, 13:8 warp, 21:16 CTA slot, 27:24 barrier id, 30 it has a warp,
//                             31 it is there. Later ones are only counted. Writing 1 to bit 31 lets it go.
//   0x014  FAULTS        R    15:0: number of all faults since reset, modulo 65536.
//   0x040  LIVE_SET      R W  Warps that run. Writing 1 starts them. Refused, and none is started, if one of them has
//                             stopped and its bit in PRESENT is still 1.
//   0x048  LIVE_CLEAR    R W  The same warps. Writing 1 ends them.
//   0x050  ENABLE_SET    R W  Warps whose line is enabled. Writing 1 enables it.
//   0x058  ENABLE_CLEAR  R W  The same. Writing 1 disables it.
//   0x060  WAKE          R W  A barrier has completed at which the warp waited. Writing 1 clears the bit.
//   0x068  REFUSED       R W  An arrival of the warp was refused. Writing 1 clears the bit.
//   0x070  IRQ           R    `warp_irq`: WAKE or REFUSED, of warps that are enabled.
//   0x078  STALLED       R    The warp waits, or will as soon as its arrival goes.
//   0x080  PENDING       R    The arrival of the warp is queued.
//   0x088  MEMBER        R    The warp counts in its CTA.
//   0x090  PRESENT       R    The warp slot is in use.
//   0x0a0  LOADING_SET   R W  CTA slots of which more warps are to be started. Writing 1 sets the bit.
//   0x0a8  LOADING_CLEAR R W  The same. Writing 1 clears the bit.
//   0x0b0  CTA_BUSY      R    The CTA slot is in use.
//   0x100  OPEN + 4 c    R    15:0: barriers of CTA slot c that are open, a bit per id; 0 without GROW.
//   0x400  ARRIVE + 16 w   W  Warp w arrives: 7:0 barrier id, 8: it waits, 23:16 number of warps that take part, 0: all live ones
//                             of the CTA. Reads as 0. Refused if the warp is not live, waits or has an arrival that is queued,
//                             or if the id is above 15: then it is a fault as well.
//   0x404  WARP + 16 w   R    0 live, 1 present, 2 member, 3 stalled, 4 pending, 5 wake, 6 refused, 7 irq: of warp w.
//   0x408  CTA + 16 w    R W  5:0: CTA slot of warp w, 0 after reset. Refused if the slot is not built, while the warp is live or
//                             present, and, if it has been, until its CTA slot is no longer busy.
//
// Faults are those of `bcu_named`, with its codes, and those of ARRIVE: not_resident (1), the warp is not live; warp_blocked
// (2), it waits or its last arrival is queued; id_out_of_range (5). A fault of a warp sets its bit in REFUSED: it goes on.
//
// A core arrives so: write ARRIVE; if it waits, until `warp_irq` is 1, or STALLED 0; write its bit to WAKE, and look at
// REFUSED. A CTA is started so: CTA of each warp, then LIVE_SET; if more than one write sets them, LOADING_SET before the first
// and LOADING_CLEAR behind the last. A warp ends by its bit in LIVE_CLEAR. A CTA slot is used for another CTA when CTA_BUSY
// of it is 0. What a CTA does to warps that join it, and to those that end while they wait, is written in `bcu_simple.v`.
module bcu_registers #(
  // These are of the export; they may be stated, and are compared with it.
  parameter WARPS    = `BCU_WARPS,
  parameter LANES    = `BCU_LANES,
  parameter CTAS     = `BCU_CTAS,
  parameter BARRIERS = `BCU_BARRIERS,
  parameter GROW     = 1,  // 1: warps can join a CTA that runs, and OPEN is there.
  // The following are derived and must not be set.
  parameter LW = WARPS > 4 ? $clog2(WARPS) : 2,
  parameter CW = LW + 1,
  parameter LC = CTAS > 2 ? $clog2(CTAS) : 1
) (
  input  wire             clock,
  input  wire             reset,         // Synchronous, active high.
  input  wire             write_valid,   // Strobe: a word is written.
  input  wire [9:0]       write_word,    // Which: bits 11:2 of its address.
  input  wire [31:0]      write_data,    // What is written.
  output wire             write_taken,   // A gate: such a write is not refused.
  input  wire [9:0]       read_word,     // The word that is read: bits 11:2 of its address.
  output wire             read_there,    // A gate: there is such a word.
  output wire [31:0]      read_data,     // A gate: the word; 0 if it is not there.
  output wire [WARPS-1:0] warp_irq,      // Per warp: WAKE or REFUSED, if it is enabled.
  output wire             irq            // One of them, or a fault that is held, if CONTROL enables it.
);

  // Words of the map: bits 11:2 of an address.
  localparam [9:0] ID = 10'h000, SIZES = 10'h001, STATUS = 10'h002, CONTROL = 10'h003, FAULT = 10'h004, FAULTS = 10'h005;
  // Pairs of words: bits 11:3 of an address.
  localparam [8:0] LIVE_SET = 9'h008, LIVE_CLEAR = 9'h009, ENABLE_SET = 9'h00a, ENABLE_CLEAR = 9'h00b, WAKE = 9'h00c,
                   REFUSED = 9'h00d, IRQ = 9'h00e, STALLED = 9'h00f, PENDING = 9'h010, MEMBER = 9'h011, PRESENT = 9'h012,
                   LOADING_SET = 9'h014, LOADING_CLEAR = 9'h015, CTA_BUSY = 9'h016;
  // Words of a warp: bits 3:2 of an address.
  localparam [1:0] ARRIVE = 2'd0, WARP = 2'd1, CTA = 2'd2;
  // Fault codes of `bcu_named`.
  localparam [5:0] NOT_RESIDENT = 6'd1, WARP_BLOCKED = 6'd2, ID_OUT_OF_RANGE = 6'd5;

  // Registers of the map.
  reg  [WARPS-1:0]         live_q, enable_q, wake_q, refused_q;
  reg  [WARPS-1:0]         used_q;    // The warp has lived in its CTA slot, which is still busy.
  reg  [WARPS*LC-1:0]      cta_q;
  reg  [CTAS-1:0]          loading_q;
  reg                      fault_irq_q, held_q, held_has_warp_q;
  reg  [5:0]               held_code_q;
  reg  [LW-1:0]            held_warp_q;
  reg  [LC-1:0]            held_cta_q;
  reg  [3:0]               held_id_q;
  reg  [15:0]              faults_q;

  wire                     ready, fault_valid, fault_has_warp;
  wire [WARPS-1:0]         wake, stalled, pending, member, present;
  wire [CTAS-1:0]          cta_busy;
  wire [CTAS*BARRIERS-1:0] open;
  wire [5:0]               fault_code;
  wire [LW-1:0]            fault_warp;
  wire [LC-1:0]            fault_cta;
  wire [3:0]               fault_id;

  // A write.
  wire [8:0]               w_pair   = write_word[9:1];
  wire                     w_warp   = write_word[9:8] == 2'b01;
  reg  [WARPS-1:0]         w_mask, w_chosen;  // Warps whose bit is written; the warp whose block it is.
  reg  [CTAS-1:0]          w_slots;
  reg                      w_pair_there, w_slots_there;
  integer                  i;
  always @* begin
    w_pair_there  = WARPS > 32 || !write_word[0];
    w_slots_there = CTAS > 32 || !write_word[0];
    for (i = 0; i < WARPS; i = i + 1) begin
      w_mask[i]   = write_data[i[4:0]] && write_word[0] == i[5];
      w_chosen[i] = w_warp && write_word[7:2] == i[5:0];
    end
    for (i = 0; i < CTAS; i = i + 1)
      w_slots[i] = write_data[i[4:0]] && write_word[0] == i[5];
  end

  wire                     starts      = w_pair == LIVE_SET && w_pair_there && ~|(w_mask & present & ~live_q);
  wire                     ends        = w_pair == LIVE_CLEAR && w_pair_there;
  wire                     enables     = w_pair == ENABLE_SET && w_pair_there;
  wire                     disables    = w_pair == ENABLE_CLEAR && w_pair_there;
  wire                     wakes       = w_pair == WAKE && w_pair_there;
  wire                     forgives    = w_pair == REFUSED && w_pair_there;
  wire                     loads       = w_pair == LOADING_SET && w_slots_there;
  wire                     loaded      = w_pair == LOADING_CLEAR && w_slots_there;
  wire                     controls    = write_word == CONTROL;
  wire                     lets_go     = write_word == FAULT;
  wire                     moves       = |(w_chosen & ~live_q & ~present & ~used_q) && write_word[1:0] == CTA
                                         && write_data[7:0] < CTAS[7:0];
  wire                     to_arrive   = |w_chosen && write_word[1:0] == ARRIVE;
  wire                     not_live    = ~|(w_chosen & live_q);
  wire                     not_free    = |(w_chosen & (stalled | pending));
  wire                     no_barrier  = |write_data[7:4];
  wire                     arrives     = to_arrive && !not_live && !not_free && !no_barrier;
  wire                     taken       = starts || ends || enables || disables || wakes || forgives || loads || loaded
                                         || controls || lets_go || moves || arrives;

  // The fault of an arrival that is refused here; those of `bcu_named` go before it.
  wire                     bus_fault      = write_valid && to_arrive && !arrives;
  wire [5:0]               bus_fault_code = not_live ? NOT_RESIDENT : not_free ? WARP_BLOCKED : ID_OUT_OF_RANGE;
  wire                     lets_fault_go  = write_valid && lets_go && write_data[31];
  reg  [WARPS-1:0]         refused;
  reg  [LC-1:0]            bus_fault_cta;
  integer                  f;
  always @* begin
    bus_fault_cta = {LC{1'b0}};
    for (f = 0; f < WARPS; f = f + 1) begin
      refused[f] = (fault_valid && fault_has_warp && fault_warp == f[LW-1:0]) || (bus_fault && w_chosen[f]);
      if (w_chosen[f])
        bus_fault_cta = bus_fault_cta | cta_q[f*LC +: LC];
    end
  end

  // Counts that do not fit in the front's port are too large for any CTA, as is the largest that does.
  wire [CW-1:0]            arrive_count = |(write_data[23:16] >> CW) ? {CW{1'b1}} : write_data[16 +: CW];
  wire [WARPS-1:0]         irqs         = (wake_q | refused_q) & enable_q;
  wire                     any_irq      = |irqs || (held_q && fault_irq_q);

  // A read.
  wire [8:0]               r_pair    = read_word[9:1];
  reg  [31:0]              r_data;
  reg                      r_there;
  reg  [WARPS-1:0]         r_mask;    // The register of warps that is read.
  reg  [CTAS-1:0]          r_slots;   // The register of CTA slots.
  integer                  r;
  always @* begin
    r_data  = 32'd0;
    r_mask  = {WARPS{1'b0}};
    r_slots = {CTAS{1'b0}};
    r_there = WARPS > 32 || !read_word[0];
    case (r_pair)
      LIVE_SET, LIVE_CLEAR:     r_mask = live_q;
      ENABLE_SET, ENABLE_CLEAR: r_mask = enable_q;
      WAKE:                     r_mask = wake_q;
      REFUSED:                  r_mask = refused_q;
      IRQ:                      r_mask = irqs;
      STALLED:                  r_mask = stalled;
      PENDING:                  r_mask = pending;
      MEMBER:                   r_mask = member;
      PRESENT:                  r_mask = present;
      default:                  r_there = 1'b0;
    endcase
    case (r_pair)
      LOADING_SET, LOADING_CLEAR: r_slots = loading_q;
      CTA_BUSY:                   r_slots = cta_busy;
      default:                    r_slots = {CTAS{1'b0}};
    endcase
    if (r_pair == LOADING_SET || r_pair == LOADING_CLEAR || r_pair == CTA_BUSY)
      r_there = CTAS > 32 || !read_word[0];
    for (r = 0; r < WARPS; r = r + 1) begin
      if (read_word[0] == r[5])
        r_data[r[4:0]] = r_data[r[4:0]] | r_mask[r];
      if (read_word[9:8] == 2'b01 && read_word[7:2] == r[5:0])
        case (read_word[1:0])
          ARRIVE: r_there = 1'b1;
          WARP: begin
            r_there     = 1'b1;
            r_data[7:0] = {irqs[r], refused_q[r], wake_q[r], pending[r], stalled[r], member[r], present[r], live_q[r]};
          end
          CTA: begin
            r_there        = 1'b1;
            r_data[LC-1:0] = cta_q[r*LC +: LC];
          end
          default: r_there = 1'b0;
        endcase
    end
    for (r = 0; r < CTAS; r = r + 1) begin
      if (read_word[0] == r[5])
        r_data[r[4:0]] = r_data[r[4:0]] | r_slots[r];
      if (read_word[9:6] == 4'h1 && read_word[5:0] == r[5:0]) begin
        r_there              = 1'b1;
        r_data[BARRIERS-1:0] = open[r*BARRIERS +: BARRIERS];
      end
    end
    case (read_word)
      ID:      {r_there, r_data} = {1'b1, 32'h42435501};
      SIZES:   {r_there, r_data} = {1'b1, BARRIERS[7:0], CTAS[7:0], LANES[7:0], WARPS[7:0]};
      STATUS: begin
        r_there     = 1'b1;
        r_data[8]   = GROW != 0;
        r_data[2:0] = {held_q, any_irq, ready};
      end
      CONTROL: begin
        r_there   = 1'b1;
        r_data[0] = fault_irq_q;
      end
      FAULT: begin
        r_there            = 1'b1;
        r_data[31:30]      = {held_q, held_q && held_has_warp_q};
        r_data[24 +: 4]    = held_q ? held_id_q : 4'd0;
        r_data[16 +: LC]   = held_q ? held_cta_q : {LC{1'b0}};
        r_data[8 +: LW]    = held_q ? held_warp_q : {LW{1'b0}};
        r_data[5:0]        = held_q ? held_code_q : 6'd0;
      end
      FAULTS: begin
        r_there      = 1'b1;
        r_data[15:0] = faults_q;
      end
      default: ;
    endcase
  end

  integer                  k;
  always @(posedge clock) begin
    if (reset) begin
      live_q      <= {WARPS{1'b0}};
      enable_q    <= {WARPS{1'b0}};
      wake_q      <= {WARPS{1'b0}};
      refused_q   <= {WARPS{1'b0}};
      used_q      <= {WARPS{1'b0}};
      cta_q       <= {(WARPS*LC){1'b0}};
      loading_q   <= {CTAS{1'b0}};
      fault_irq_q <= 1'b0;
      held_q      <= 1'b0;
      faults_q    <= 16'd0;
    end else begin
      live_q      <= (live_q | (write_valid && starts ? w_mask : {WARPS{1'b0}})) & ~(write_valid && ends ? w_mask : {WARPS{1'b0}});
      enable_q    <= (enable_q | (write_valid && enables ? w_mask : {WARPS{1'b0}}))
                     & ~(write_valid && disables ? w_mask : {WARPS{1'b0}});
      // What comes in the cycle in which it is cleared stays.
      wake_q      <= wake | (wake_q & ~(write_valid && wakes ? w_mask : {WARPS{1'b0}}));
      refused_q   <= refused | (refused_q & ~(write_valid && forgives ? w_mask : {WARPS{1'b0}}));
      loading_q   <= (loading_q | (write_valid && loads ? w_slots : {CTAS{1'b0}})) & ~(write_valid && loaded ? w_slots : {CTAS{1'b0}});
      if (write_valid && controls)
        fault_irq_q <= write_data[0];
      held_q      <= fault_valid || bus_fault || (held_q && !lets_fault_go);
      faults_q    <= faults_q + {15'd0, fault_valid} + {15'd0, bus_fault};
      for (k = 0; k < WARPS; k = k + 1) begin
        used_q[k] <= live_q[k] || (used_q[k] && (present[k] || cta_busy[CTAS == 1 ? {LC{1'b0}} : cta_q[k*LC +: LC]]));
        if (write_valid && moves && w_chosen[k])
          cta_q[k*LC +: LC] <= write_data[LC-1:0];
      end
    end
    if (!held_q || lets_fault_go) begin
      held_code_q     <= fault_valid ? fault_code : bus_fault_code;
      held_has_warp_q <= !fault_valid || fault_has_warp;
      held_warp_q     <= fault_valid ? fault_warp : write_word[2 +: LW];
      held_cta_q      <= fault_valid ? fault_cta : bus_fault_cta;
      held_id_q       <= fault_valid ? fault_id : write_data[3:0];
    end
  end

  assign write_taken = taken;
  assign read_there  = r_there;
  assign read_data   = r_there ? r_data : 32'd0;
  assign warp_irq    = irqs;
  assign irq         = any_irq;

  // All warps have the payload on their ports, and one its strobe. Who completes what is told by WAKE.
  // verilator lint_off PINMISSING
  bcu_simple #(.WARPS(WARPS), .LANES(LANES), .CTAS(CTAS), .BARRIERS(BARRIERS), .GROW(GROW)) simple (
    .clock(clock), .reset(reset), .ready(ready), .loading(loading_q), .live(live_q), .warp_cta(cta_q),
    .arrive(write_valid && arrives ? w_chosen : {WARPS{1'b0}}), .arrive_sync({WARPS{write_data[8]}}),
    .arrive_id({WARPS{write_data[3:0]}}), .arrive_count({WARPS{arrive_count}}),
    .wake(wake), .stalled(stalled), .pending(pending), .member(member), .present(present), .cta_busy(cta_busy),
    .open(open), .fault_valid(fault_valid), .fault_code(fault_code), .fault_has_warp(fault_has_warp),
    .fault_warp(fault_warp), .fault_cta(fault_cta), .fault_id(fault_id)
  );
  // verilator lint_on PINMISSING

endmodule

`default_nettype wire
// verilator lint_on TIMESCALEMOD
