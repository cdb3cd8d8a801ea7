// SPDX-License-Identifier: Apache-2.0 OR MIT
// verilator lint_off TIMESCALEMOD
`default_nettype none
`include "bcu_defs.vh"

// bcu_registers: named barriers as a register map, around `bcu_simple`; `bcu_axil` connects it to a bus.
//
// Each core, or each thread of a core, is a warp. A warp arrives by a write, and polls a register or waits for its
// interrupt line until it may resume. The dispatcher of the work writes which warps run in which CTA slot. The module
// contains `bcu_simple`, which contains `bcu_named`; the sizes are those of `bcu_defs.vh`.
//
// Reads: one write and one read of a whole word per cycle.
// Writes: `write_taken`, `read_there` and `read_data` in the cycle of the access; the levels `warp_irq` and `irq`.
// Latency: a write takes effect at the end of its cycle. If the interrupt line of a warp is enabled, it is 1 from 5
//   cycles after the arrival that completes the warp's barrier, if nothing else is queued in `bcu_simple`.
//
// Reads have no side effects. A write is refused, with `write_taken` 0, if the address has no register, if the
// register is read only, or if the map says so. A refused write has no effect except those that the map lists.
//
// The map. A register with a bit per warp or CTA slot is a pair of words: the first for warps (or slots) 0 to 31, the
// second, 4 bytes after it, for 32 to 63 if there are that many. Bits without a meaning read as 0 and are ignored in
// writes.
//
//   0x000  ID            R    0x42435501: "BCU" in ASCII, and the version of this map.
//   0x004  SIZES         R    7:0 WARPS, 15:8 LANES, 23:16 CTAS, 31:24 BARRIERS.
//   0x008  STATUS        R    0: `ready`, the tables have been cleared after reset; 1: `irq`; 2: FAULT holds a fault;
//                             8: GROW is not 0.
//   0x00c  CONTROL       R W  0: a fault in FAULT raises `irq`.
//   0x010  FAULT         R W  The first fault: 5:0 code, 13:8 warp, 21:16 CTA slot, 27:24 barrier id, 30: the fault
//                             has a warp, 31: the register holds a fault. Later faults are only counted. Writing 1 to
//                             bit 31 clears it.
//   0x014  FAULTS        R    15:0: number of all faults since reset, modulo 65536.
//   0x040  LIVE_SET      R W  Warps that run. Writing 1 starts a warp. The write is refused, and starts no warp, if
//                             one of the warps has ended and its bit in PRESENT is still 1.
//   0x048  LIVE_CLEAR    R W  Reads like LIVE_SET. Writing 1 ends a warp.
//   0x050  ENABLE_SET    R W  Warps whose interrupt line is enabled. Writing 1 enables the line.
//   0x058  ENABLE_CLEAR  R W  Reads like ENABLE_SET. Writing 1 disables the line.
//   0x060  WAKE          R W  A barrier at which the warp waited has completed. Writing 1 clears the bit.
//   0x068  REFUSED       R W  An arrival of the warp was refused. Writing 1 clears the bit.
//   0x070  IRQ           R    `warp_irq`: the bits of WAKE or REFUSED of warps whose line is enabled.
//   0x078  STALLED       R    The warp waits, or its arrival is queued and will make it wait.
//   0x080  PENDING       R    The arrival of the warp is queued.
//   0x088  MEMBER        R    The warp is a member of its CTA: barriers without a count include it.
//   0x090  PRESENT       R    The warp slot is in use.
//   0x0a0  LOADING_SET   R W  CTA slots of which more warps are to be started. Writing 1 sets the bit.
//   0x0a8  LOADING_CLEAR R W  Reads like LOADING_SET. Writing 1 clears the bit.
//   0x0b0  CTA_BUSY      R    The CTA slot is in use.
//   0x100  OPEN + 4 c    R    15:0: open barriers of CTA slot c, a bit per id; 0 without GROW.
//   0x400  ARRIVE + 16 w   W  Warp w arrives: 7:0 barrier id, 8: the warp waits, 23:16 number of participating warps,
//                             0: all live warps of the CTA. Reads as 0. The write is refused, and is a fault, if the
//                             warp is not live, if it waits or an arrival of it is queued, or if the id is above 15.
//   0x404  WARP + 16 w   R    Bits of warp w: 0 live, 1 present, 2 member, 3 stalled, 4 pending, 5 wake, 6 refused,
//                             7 irq.
//   0x408  CTA + 16 w    R W  5:0: CTA slot of warp w, 0 after reset. The write is refused if the slot is not built,
//                             while the warp is live or present, and after that until the warp's former CTA slot is
//                             no longer busy.
//
// Faults are those of `bcu_named`, with its codes, and those of ARRIVE: not_resident (1), the warp is not live;
// warp_blocked (2), the warp waits or its last arrival is queued; id_out_of_range (5). A fault with a warp sets the
// bit of the warp in REFUSED, and the refused arrival does not stall the warp.
//
// To arrive, a core writes ARRIVE. If the warp waits, the core waits until `warp_irq` is 1 or the warp's bit in
// STALLED is 0, writes the warp's bit to WAKE, and reads REFUSED. To start a CTA, the dispatcher writes CTA of each
// warp and then LIVE_SET; if the warps need several writes, it writes LOADING_SET before the first and LOADING_CLEAR
// after the last. A write to LIVE_CLEAR ends a warp. A CTA slot may be used for another CTA when its bit in CTA_BUSY
// is 0. The header of `bcu_simple.v` describes warps that join a running CTA and warps that end while they wait.
module bcu_registers #(
  // Sizes of the export. An instance may set them; a value that differs from the export is an error.
  parameter WARPS    = `BCU_WARPS,
  parameter LANES    = `BCU_LANES,
  parameter CTAS     = `BCU_CTAS,
  parameter BARRIERS = `BCU_BARRIERS,
  parameter GROW     = 1,  // 1: warps can join a running CTA, and the register OPEN is built.
  // These parameters are derived and must not be set.
  parameter LW = WARPS > 4 ? $clog2(WARPS) : 2,
  parameter CW = LW + 1,
  parameter LC = CTAS > 2 ? $clog2(CTAS) : 1
) (
  input  wire             clock,
  input  wire             reset,         // Synchronous, active high.
  input  wire             write_valid,   // Strobe: a word is written.
  input  wire [9:0]       write_word,    // Bits 11:2 of the address that is written.
  input  wire [31:0]      write_data,    // The written word.
  output wire             write_taken,   // Combinational: a write of `write_data` to `write_word` is not refused.
  input  wire [9:0]       read_word,     // Bits 11:2 of the address that is read.
  output wire             read_there,    // Combinational: the address that is read has a register.
  output wire [31:0]      read_data,     // Combinational: the word that is read; 0 if `read_there` is 0.
  output wire [WARPS-1:0] warp_irq,      // Per warp: its bit in WAKE or REFUSED is 1, and its line is enabled.
  // A bit of `warp_irq` is 1, or FAULT holds a fault and CONTROL enables its interrupt.
  output wire             irq
);

  // Registers of one word: bits 11:2 of the address.
  localparam [9:0] ID      = 10'h000, SIZES = 10'h001, STATUS = 10'h002,
                   CONTROL = 10'h003, FAULT = 10'h004, FAULTS = 10'h005;
  // Registers of two words: bits 11:3 of the address.
  localparam [8:0] LIVE_SET      = 9'h008, LIVE_CLEAR = 9'h009, ENABLE_SET  = 9'h00a,
                   ENABLE_CLEAR  = 9'h00b, WAKE       = 9'h00c, REFUSED     = 9'h00d,
                   IRQ           = 9'h00e, STALLED    = 9'h00f, PENDING     = 9'h010,
                   MEMBER        = 9'h011, PRESENT    = 9'h012, LOADING_SET = 9'h014,
                   LOADING_CLEAR = 9'h015, CTA_BUSY   = 9'h016;
  // Registers of a warp: bits 3:2 of the address.
  localparam [1:0] ARRIVE = 2'd0, WARP = 2'd1, CTA = 2'd2;
  // Fault codes of `bcu_named`.
  localparam [5:0] NOT_RESIDENT = 6'd1, WARP_BLOCKED = 6'd2, ID_OUT_OF_RANGE = 6'd5;

  // Registers of the map.
  reg  [WARPS-1:0]         live_q, enable_q, wake_q, refused_q;
  reg  [WARPS-1:0]         used_q;    // Warps that have run in their CTA slot, while the slot is still busy.
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

  // Decode of the write.
  wire [8:0]               w_pair   = write_word[9:1];
  wire                     w_warp   = write_word[9:8] == 2'b01;
  // Warps whose bit is written as 1; the warp whose own registers are addressed.
  reg  [WARPS-1:0]         w_mask, w_chosen;
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

  // Fault of an arrival that this module refuses. A fault of `bcu_named` in the same cycle has priority for FAULT.
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

  // A count that does not fit in `arrive_count` becomes the largest value of that port, which exceeds every CTA as
  // well.
  wire [CW-1:0]            arrive_count = |(write_data[23:16] >> CW) ? {CW{1'b1}} : write_data[16 +: CW];
  wire [WARPS-1:0]         irqs         = (wake_q | refused_q) & enable_q;
  wire                     any_irq      = |irqs || (held_q && fault_irq_q);

  // Decode of the read.
  wire [8:0]               r_pair    = read_word[9:1];
  reg  [31:0]              r_data;
  reg                      r_there;
  reg  [WARPS-1:0]         r_mask;    // The value of the addressed register with a bit per warp.
  reg  [CTAS-1:0]          r_slots;   // The value of the addressed register with a bit per CTA slot.
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
      live_q      <= (live_q | (write_valid && starts ? w_mask : {WARPS{1'b0}}))
                     & ~(write_valid && ends ? w_mask : {WARPS{1'b0}});
      enable_q    <= (enable_q | (write_valid && enables ? w_mask : {WARPS{1'b0}}))
                     & ~(write_valid && disables ? w_mask : {WARPS{1'b0}});
      // A bit that is set and cleared in the same cycle stays set, so that no event is lost.
      wake_q      <= wake | (wake_q & ~(write_valid && wakes ? w_mask : {WARPS{1'b0}}));
      refused_q   <= refused | (refused_q & ~(write_valid && forgives ? w_mask : {WARPS{1'b0}}));
      loading_q   <= (loading_q | (write_valid && loads ? w_slots : {CTAS{1'b0}}))
                     & ~(write_valid && loaded ? w_slots : {CTAS{1'b0}});
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

  // All warps get the same payload, and only the arriving warp gets a strobe. `done_*` is unused: WAKE reports
  // completions.
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
