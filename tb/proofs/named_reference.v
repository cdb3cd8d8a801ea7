// SPDX-License-Identifier: Apache-2.0 OR MIT
// Second implementation of `named`, written by hand from docs/contract/named.md alone, for clarity alone. All state is in registers and
// changes in one place, in the cycle e in which an operation takes effect. The comments give the headings of that page.
`include "sizes.vh"
module named_reference (
`include "named_inputs.vh"
  ,
  output wire op_ready,
  output reg release_valid,
  output reg [`LC-1:0] release_cta,
  output reg [3:0] release_id,
  output reg [`W-1:0] release_warps,
  output reg [1:0] release_reduction,
  output reg [11:0] release_value,
  output reg read_valid,
  output reg [`LW-1:0] read_warp,
  output reg [31:0] read_value,
  output reg read_predicate,
  output reg implicit_conflict_valid,
  output reg [`LC-1:0] implicit_conflict_cta,
  output wire commit_valid,
  output wire [`W-1:0] commit_warps,
  output wire commit_warp_done,
  output wire commit_refused,
  output wire commit_traps,
  output wire commit_untraps,
  output wire commit_cta_release,
  output wire [`W-1:0] waiting,
  output wire clearing,
  output wire fault_valid,
  output wire [5:0] fault_code,
  output wire fault_has_warp,
  output wire [`LW-1:0] fault_warp,
  output wire [`LC-1:0] fault_cta,
  output wire [3:0] fault_id,
  output reg [15:0] lost_faults,
  // Not ports of the unit: a fault that arises in this cycle.
  output wire given,
  output wire [`LW+`LC+10:0] given_fault
);
  // Kind 8, a fence, only reports the fault that it carries.
  localparam [3:0] SYNC = 0, ARRIVE = 1, REDUCE = 2, READ = 3, WRITE = 4, EXIT = 5, LAUNCH = 6, RELEASE = 7;
  localparam [1:0] WARP = 0, BARRIER = 1, RESULT = 2;
  localparam [1:0] NONE = 0, AND = 1, OR = 2, POPC = 3;
  localparam [5:0] NOT_RESIDENT = 1, ID_OUT_OF_RANGE = 5, OPERAND_NOT_UNIFORM = 6, COUNT_ZERO_ARRIVE = 9,
    COUNT_NOT_WARP_MULTIPLE = 10, COUNT_EXCEEDS_CTA = 11, DOUBLE_ARRIVAL = 12, KIND_MISMATCH = 13, COUNT_MISMATCH = 14,
    NO_RESULT = 15, BAD_STATE_WORD = 16, BARRIER_LEFT_OPEN = 17;
  localparam Q = 4, SLOTS = `C, ROWS = SLOTS * `I;
  // An operation that names a CTA slot that is not built has the fault `not_resident`.
  wire [5:0] in_fault = op_fault == 0 && op_cta >= SLOTS ? NOT_RESIDENT : op_fault;

  // Pipeline slots: the operations in flight, one and two cycles after their transfer. An operation that takes two pipeline slots is also
  // in the third, three cycles after its transfer.
  localparam N = 4 + 6 + 1 + `LW + `LC + 4 + 12 + 2 + `VW + 2 + 32 + 2 * `CW + 6 + `W + 1;
  reg under_1, under_2, under_3;
  reg [N-1:0] op_1, op_2, op_3;
  reg long_1, long_2, release_1, release_2, release_3, reported_1, reported_2, reported_3, waiting_1, waiting_2, waiting_3;
  reg [`LW-1:0] warp_1, warp_2, warp_3;
  wire take = op_valid && op_ready;
  wire op_long = op_kind == EXIT || op_kind == LAUNCH || op_kind == RELEASE || (op_kind == WRITE && op_state == WARP);
  wire op_waits = (op_kind == SYNC || op_kind == REDUCE || (op_kind == WRITE && op_state == WARP && op_data[14])) && in_fault == 0;
  always @(posedge clock) begin
    {under_1, under_2, under_3} <= reset ? 3'd0 : {take, under_1, under_2 && long_2};
    op_1 <= {op_kind, in_fault, op_uniform, op_warp, op_cta, op_id, op_count, op_redop, op_value, op_state, op_data, op_warps,
      op_live, op_barriers, op_mask, op_saved};
    {op_2, op_3} <= {op_1, op_2};
    {long_1, long_2} <= {op_long, long_1};
    {release_1, release_2, release_3} <= {op_kind == RELEASE, release_1, release_2};
    {reported_1, reported_2, reported_3} <= {in_fault != 0, reported_1, reported_2};
    {waiting_1, waiting_2, waiting_3, warp_1, warp_2, warp_3} <= {op_waits, waiting_1, waiting_2, op_warp, warp_1, warp_2};
  end

  // The operation that takes effect in this cycle, if any.
  wire act = under_3 || (under_2 && !long_2);
  wire [3:0] kind;
  wire [5:0] upstream;
  wire [5:0] barriers;
  wire uniform, saved;
  wire [`LW-1:0] warp;
  wire [`LC-1:0] cta;
  wire [3:0] id;
  wire [11:0] count;
  wire [1:0] redop, state;
  wire [`VW-1:0] value;
  wire [31:0] data;
  wire [`CW-1:0] warps, lives;
  wire [`W-1:0] mask;
  assign {kind, upstream, uniform, warp, cta, id, count, redop, value, state, data, warps, lives, barriers, mask, saved} =
    under_3 ? op_3 : op_2;

  // State, as docs/contract/named.md lists it.
  reg open [0:ROWS-1];
  reg [`W-1:0] arrived [0:ROWS-1], awaited [0:ROWS-1];
  reg [`CW-1:0] number [0:ROWS-1], expected [0:ROWS-1];
  reg [1:0] reduction [0:ROWS-1];
  reg [$clog2(`W*`LANES+1)-1:0] sum [0:ROWS-1];
  reg [`CW-1:0] launched [0:SLOTS-1], live [0:SLOTS-1];
  reg [4:0] declared [0:SLOTS-1];
  reg [$clog2(`I+1)-1:0] open_rows [0:SLOTS-1], loose_rows [0:SLOTS-1];
  reg [3:0] last [0:SLOTS-1];
  reg [`W-1:0] waits;
  reg [3:0] place [0:`W-1];
  reg [1:0] has [0:`W-1];
  reg [11:0] result [0:`W-1];

  // The row that the operation reads.
  wire [3:0] looked = kind == EXIT ? last[cta] : kind == WRITE && state == WARP ? data[18:15] : id;
  wire [31:0] row = cta * `I + looked % `I;
  wire [`W-1:0] row_arrived = arrived[row], row_waiting = awaited[row];
  wire [`CW-1:0] row_number = number[row], row_expected = expected[row];
  wire [1:0] row_reduction = reduction[row];
  wire [$clog2(`W*`LANES+1)-1:0] row_sum = sum[row];
  wire row_open = open[row];
  wire [`W-1:0] self = 1 << warp;

  // The state word of a Write.
  wire [11:0] accumulator = data[29:18];
  wire bad_barrier = row_waiting != 0 || data[30] || data[15:14] == 3 || (data[15:14] == 0 && data != 0)
    || (data[15:14] != 0 && data[6:0] == 0) || (data[15:14] == 1 && (data[17:16] != 0 || accumulator != 0))
    || (data[15:14] == 2 && (data[17:16] == 3 || accumulator > (data[17:16] == 2 ? data[6:0] * `LANES : 1)))
    || data[13:7] > launched[cta] || (data[13:7] != 0 && data[6:0] >= data[13:7]) || (data[13:7] == 0 && data[6:0] > live[cta]);
  wire bad_warp = waits[warp] || data[31:20] != 0
    || data[11:0] > (data[13:12] == 3 ? 0 : data[13:12] == 2 ? launched[cta] * `LANES : 1)
    || (data[14] ? data[18:15] >= declared[cta] || !row_arrived[warp] : data[18:15] != 0);

  // The faults of each kind in order of precedence; only the first that applies is reported.
  wire arrival = kind == SYNC || kind == ARRIVE || kind == REDUCE;
  wire [11:0] groups = count / `LANES;
  wire [1:0] wanted = kind == REDUCE ? redop + 2'd1 : NONE;
  reg [5:0] fault;
  always @* begin
    fault = 0;
    if (upstream != 0) fault = upstream;
    else if (arrival) begin
      if (id >= declared[cta]) fault = ID_OUT_OF_RANGE;
      else if (!uniform) fault = OPERAND_NOT_UNIFORM;
      else if (kind == ARRIVE && count == 0) fault = COUNT_ZERO_ARRIVE;
      else if (count % `LANES != 0) fault = COUNT_NOT_WARP_MULTIPLE;
      else if (groups > launched[cta]) fault = COUNT_EXCEEDS_CTA;
      else if (row_arrived[warp]) fault = DOUBLE_ARRIVAL;
      else if (row_open && row_reduction != wanted) fault = KIND_MISMATCH;
      else if (row_open && row_expected != groups) fault = COUNT_MISMATCH;
    end else if (kind == READ) begin
      if (state == BARRIER && id >= declared[cta]) fault = ID_OUT_OF_RANGE;
      else if (!uniform) fault = OPERAND_NOT_UNIFORM;
      else if (state == RESULT && has[warp] == NONE) fault = NO_RESULT;
    end else if (kind == WRITE) begin
      if (state == BARRIER && id >= declared[cta]) fault = ID_OUT_OF_RANGE;
      else if (!uniform) fault = OPERAND_NOT_UNIFORM;
      else if (state == BARRIER ? bad_barrier : bad_warp) fault = BAD_STATE_WORD;
    end
  end
  wire good = act && fault == 0;
  wire refused = act && fault != 0;

  // A result kept for a warp has the width of a sum of valid contributions; a larger sum saturates.
  function [11:0] least(input [11:0] value);
    least = value > `W * `LANES ? `W * `LANES : value;
  endfunction

  // The row after the operation: its next state, and whether the generation is complete.
  reg [`W-1:0] new_arrived, new_waiting;
  reg [`CW-1:0] new_number, new_expected;
  reg [1:0] new_reduction;
  reg [$clog2(`W*`LANES+1)-1:0] new_sum;
  reg new_open, complete;
  wire [`CW-1:0] one_more = row_number + 1;
  wire [`CW-1:0] target = count == 0 ? live[cta] : groups;
  always @* begin
    {new_arrived, new_waiting, new_number} = {row_arrived, row_waiting, row_number};
    {new_expected, new_reduction, new_sum} = {row_expected, row_reduction, row_sum};
    {new_open, complete} = {row_open, 1'b0};
    if (good && arrival) begin
      new_arrived = row_arrived | self;
      if (kind != ARRIVE) new_waiting = row_waiting | self;
      new_open = 1;
      new_number = one_more;
      new_expected = groups;
      new_reduction = wanted;
      if (kind == REDUCE) new_sum = row_sum + (wanted == POPC ? value : value[0]);
      complete = one_more == target;
    end
    if (good && kind == EXIT) complete = row_open && row_expected == 0 && one_more == live[cta];
    if (good && kind == WRITE && state == BARRIER) begin
      new_arrived = data[15:14] == 0 ? 0 : data[31] ? row_arrived | self : row_arrived & ~self;
      new_open = data[15:14] != 0;
      new_number = data[6:0];
      new_expected = data[13:7];
      new_reduction = data[15:14] == 2 ? data[17:16] + 2'd1 : NONE;
      new_sum = new_reduction == AND ? 1 - accumulator : accumulator;
      complete = data[15:14] != 0 && data[13:7] == 0 && data[6:0] == live[cta];
    end
    if (good && kind == WRITE && state == WARP && data[14]) new_waiting = row_waiting | self;
  end
  wire [11:0] outcome = new_reduction == AND ? new_sum == 0 : new_reduction == OR ? new_sum != 0 : new_reduction == POPC ? new_sum : 0;
  wire [11:0] own = least(outcome);
  wire row_loose = row_open && row_expected == 0;
  wire now_open = new_open && !complete;
  wire now_loose = now_open && new_expected == 0;
  wire [$clog2(`I+1)-1:0] new_loose = loose_rows[cta] + now_loose - row_loose;

  // The other effects of the operation on its warps.
  wire of_cta = kind == LAUNCH || kind == RELEASE;
  wire restores = good && kind == WRITE && state == WARP;
  assign {commit_valid, commit_warps} = {act, act ? (kind == RELEASE ? mask : self) : {`W{1'b0}}};
  assign commit_warp_done = act && !of_cta && (kind != EXIT || upstream == 0);
  assign commit_refused = refused && !of_cta && fault != NOT_RESIDENT;
  assign {commit_traps, commit_untraps, commit_cta_release} = {restores && data[19], restores && !data[19], good && kind == RELEASE};

  // The rows to clear, and the turns in the pipeline.
  reg to_clear, every, silent, turn_1, turn_2, silent_1, silent_2, was_reset;
  reg [`LC-1:0] slot, slot_1, slot_2;
  reg [3:0] next, next_1, next_2;
  wire [2:0] faults;
  wire [31:0] under_way = under_1 + under_2 + under_3 + turn_1 + turn_2;
  // With `lose_faults` no operation and no turn waits for space in the fault queue.
  wire room = `LOSES || faults + under_way + 1 <= Q;
  wire turn = to_clear && room;
  wire left_open = turn_2 && !silent_2 && open[slot_2 * `I + next_2];

  // The fault queue; the fault port outputs its head.
  localparam F = 6 + 1 + `LW + `LC + 4;
  wire [(Q-1)*F-1:0] queue_behind;
  wire lost = `LOSES && faults == Q;
  assign given = (refused || left_open) && !lost;
  assign given_fault = left_open ? {BARRIER_LEFT_OPEN, 1'b0, {`LW{1'b0}}, slot_2, next_2} : {fault, !of_cta, warp, cta, id};
  always @(posedge clock)
    lost_faults <= reset ? 0 : lost_faults + ((refused || left_open) && lost && ~lost_faults != 0);
  assign fault_valid = faults != 0;
  named_reference_queue #(.F(F), .Q(Q)) queue (
    .clock(clock), .reset(reset), .push(given), .fault(given_fault), .pop(fault_valid && fault_ready),
    .faults(faults), .head({fault_code, fault_has_warp, fault_warp, fault_cta, fault_id}), .behind(queue_behind)
  );

  assign op_ready = !was_reset && !(under_1 && long_1) && !to_clear && room
    && !((under_1 && release_1) || (under_2 && release_2) || (under_3 && release_3));
  assign clearing = was_reset || to_clear || turn_1 || (under_1 && release_1 && !reported_1)
    || (under_2 && release_2 && !reported_2) || (under_3 && release_3 && !reported_3);
  wire [`W-1:0] one = 1;
  assign waiting = waits | (under_1 && waiting_1 ? one << warp_1 : 0) | (under_2 && waiting_2 ? one << warp_2 : 0)
    | (under_3 && waiting_3 ? one << warp_3 : 0);

`include "named_state.vh"

  integer k;
  always @(posedge clock) begin
    was_reset <= reset;
    release_valid <= complete;
    release_warps <= 0;
    read_valid <= good && kind == READ;
    implicit_conflict_valid <= good && (arrival || kind == WRITE) && new_loose >= 2 && now_loose && !row_loose;

    if (good && (arrival || kind == EXIT || kind == WRITE)) begin
      open[row] <= now_open;
      arrived[row] <= complete ? 0 : new_arrived; awaited[row] <= complete ? 0 : new_waiting;
      number[row] <= complete ? 0 : new_number; expected[row] <= complete ? 0 : new_expected;
      reduction[row] <= complete ? 0 : new_reduction; sum[row] <= complete ? 0 : new_sum;
      open_rows[cta] <= open_rows[cta] + now_open - row_open;
      loose_rows[cta] <= new_loose;
      if (now_loose && !row_loose) implicit_conflict_cta <= new_loose >= 2 ? cta : implicit_conflict_cta;
    end
    if (complete) begin
      {release_cta, release_id, release_warps} <= {cta, looked, new_waiting};
      {release_reduction, release_value} <= {new_reduction, outcome};
      waits <= waits & ~new_waiting;
      if (new_reduction != NONE) for (k = 0; k < `W; k = k + 1) if (new_waiting[k]) begin
        has[k] <= new_reduction; result[k] <= own;
      end
    end

    // Arrivals
    if (good && arrival && count == 0 && !complete) last[cta] <= id;
    if (good && arrival && kind != ARRIVE && !complete) waits <= waits | self;
    if (refused && upstream == 0 && arrival && kind != ARRIVE) waits <= waits & ~self;
    if (act && upstream == 0 && arrival && kind != ARRIVE) place[warp] <= id;
    // Exit
    if (good && kind == EXIT) live[cta] <= live[cta] - 1;
    // Read
    if (good && kind == READ) begin
      read_warp <= warp;
      read_predicate <= state == RESULT && has[warp] != POPC && result[warp][0];
      if (state == BARRIER) begin
        read_value <= 0;
        read_value[6:0] <= row_number; read_value[13:7] <= row_expected;
        read_value[15:14] <= !row_open ? 2'd0 : row_reduction == NONE ? 2'd1 : 2'd2;
        read_value[17:16] <= row_reduction == NONE ? 2'd0 : row_reduction - 2'd1;
        read_value[29:18] <= row_reduction == AND ? row_sum == 0 : row_reduction == OR ? row_sum != 0 : row_sum;
        read_value[31] <= row_arrived[warp];
      end
      if (state == WARP) read_value <= {trapped[warp], waits[warp] ? place[warp] : 4'd0, waits[warp], has[warp] - 2'd1, result[warp]};
      if (state == RESULT) read_value <= has[warp] == POPC ? result[warp] : 0;
    end
    // Write to Barrier
    if (good && kind == WRITE && state == BARRIER && data[15:14] != 0 && data[13:7] == 0 && !complete) last[cta] <= id;
    // Write to Warp
    if (good && kind == WRITE && state == WARP) begin
      has[warp] <= data[13:12] + 2'd1;
      result[warp] <= least(data[11:0]);
      if (data[14]) begin
        waits <= waits | self; place[warp] <= data[18:15];
      end
    end
    // Launch
    if (good && kind == LAUNCH) begin
      launched[cta] <= warps;
      live[cta] <= lives;
      declared[cta] <= barriers < `I ? barriers : `I;
      open_rows[cta] <= 0; loose_rows[cta] <= 0;
    end
    // Release
    if (good && kind == RELEASE) begin
      waits <= waits & ~mask;
      for (k = 0; k < `W; k = k + 1) if (mask[k]) begin
        has[k] <= NONE; result[k] <= 0;
      end
      open_rows[cta] <= 0; loose_rows[cta] <= 0;
      if (open_rows[cta] != 0) begin
        {to_clear, every, silent} <= {1'b1, 1'b0, saved};
        slot <= cta;
        next <= 0;
      end
    end
    // Turns of rows
    {turn_1, turn_2, silent_1, silent_2, slot_1, slot_2, next_1, next_2} <=
      {turn, turn_1, silent, silent_1, slot, slot_1, next, next_1};
    if (turn) begin
      next <= next == `I - 1 ? 0 : next + 1;
      if (next == `I - 1) begin
        slot <= slot + 1;
        if (!every || slot == SLOTS - 1) to_clear <= 0;
      end
    end
    if (turn_2) begin
      k = slot_2 * `I + next_2;
      open[k] <= 0; arrived[k] <= 0; awaited[k] <= 0; number[k] <= 0; expected[k] <= 0; reduction[k] <= 0; sum[k] <= 0;
    end
    if (reset) begin
      for (k = 0; k < ROWS; k = k + 1) begin
        open[k] <= 0; arrived[k] <= 0; awaited[k] <= 0; number[k] <= 0; expected[k] <= 0; reduction[k] <= 0; sum[k] <= 0;
      end
      for (k = 0; k < SLOTS; k = k + 1) begin
        launched[k] <= 0; live[k] <= 0; declared[k] <= 0; open_rows[k] <= 0; loose_rows[k] <= 0; last[k] <= 0;
      end
      for (k = 0; k < `W; k = k + 1) begin
        place[k] <= 0; has[k] <= 0; result[k] <= 0;
      end
      {waits, release_valid, release_cta, release_id, release_warps, release_reduction, release_value} <= 0;
      {read_valid, read_warp, read_value, read_predicate, implicit_conflict_valid, implicit_conflict_cta, turn_1, turn_2, slot, next} <= 0;
      {to_clear, every, silent} <= 3'b111;
    end
  end
endmodule
