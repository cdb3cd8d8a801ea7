// SPDX-License-Identifier: Apache-2.0 OR MIT
// The common part of every checker of `mbarrier`: the unit with its outputs as wires; one object, chosen by the solver, with its CTA and
// its word in memory; and the items in queue order, with the fields as received at the ports.
`include "mbarrier_unit.vh"
`include "mbarrier_kinds.vh"
`include "mbarrier_order.vh"

  // Nothing is assumed before the first reset: every proof begins with one cycle of reset, from any state.
  reg begun = 0;
  always @(posedge clock) begun <= 1;
  always @(*) if (!begun) assume (reset);
  always @(*) begin
    // Values of enumerations, and a limit, that the contract rules out.
    assume (op_kind <= TRY_WAIT);
    assume (op_fault <= 32);
    assume (wait_limit != 0);
    // A number field that the kind does not use is 0.
    assume (op_count == 0 || op_kind == INIT || (op_kind >= ARRIVE && op_kind <= DROP_NO_COMPLETE) || op_kind == ADD_PENDING);
    assume (op_bytes == 0 || op_kind == ARRIVE_EXPECT || op_kind == DROP_EXPECT || op_kind == EXPECT || op_kind == COMPLETE);
    assume (tx_count == 0 || tx_bytes == 0);
    // Every CTA is alone in its cluster. Without `NET` the network delivers nothing; with `NET` it delivers operations of other
    // multiprocessors.
    if (launch_valid) assume (launch_size == 1 && launch_rank == 0);
    assume (!net_ack_valid);
`ifdef NET
    assume (net_in_kind >= ARRIVE && net_in_kind <= COMPLETE);
    assume ((net_in_count == 0) == (net_in_kind == EXPECT || net_in_kind == COMPLETE));
    assume (net_in_bytes == 0 || net_in_kind == ARRIVE_EXPECT || net_in_kind == DROP_EXPECT || net_in_kind >= EXPECT);
`else
    assume (!net_in_valid);
`endif
  end

  // The followed object: its CTA slot, its number in shared memory, and the cache entry that it maps to.
  (* anyconst *) reg [`LC-1:0] slot;
  (* anyconst *) reg [`XW-1:0] number;
  always @(*) assume (slot < `C);
  function [`XI-1:0] entry_of (input [`LC-1:0] cta, input [`XW-1:0] object);
    integer i;
    begin
      entry_of = object ^ (object >> `XI);
      for (i = 0; i < `LC && i < `XI; i = i + 1) entry_of[`XI-1-i] = entry_of[`XI-1-i] ^ cta[i];
    end
  endfunction
  wire [`XI-1:0] home = entry_of(slot, number);

  // The CTA in the object's slot, as the launch and retire strobes define it, and the interface assumptions on those strobes.
  reg there = 0, there_1 = 0, leaves = 0, saved = 0;
  wire comes = launch_valid && launch_cta == slot;
  wire goes = retire_valid && retire_cta == slot;
  wire going = leaves && !(retired_valid && retired_cta == slot);
  wire absent = !there && !going;
  // The CTA retires without `saved`, so its objects are dropped.
  wire lost = going && !saved;
  always @(posedge clock) begin
    {there, there_1, leaves} <= {there || comes, there, going};
    if (goes) {there, leaves, saved} <= {2'b01, retire_saved};
    if (reset) {there, there_1, leaves} <= 0;
  end
  always @(*) begin
    if (comes) assume (absent);
    if (goes) assume (there);
  end

  // The object's word in memory. Memory performs a request when it is transferred and answers requests in order. While no CTA is in the
  // slot, the program may store any word.
  reg [63:0] stored, read_word;
  reg [2:0] unanswered = 0;
  reg [7:0] reads = 0;
  wire asked_mine = mem_request_cta == slot && mem_request_object == number;
  wire asks = mem_request_valid && mem_request_ready && !reset;
  wire [63:0] stored_next = asks && asked_mine && mem_request_write ? mem_request_data : absent && store ? store_word : stored;
  wire reads_mine = asks && asked_mine && !mem_request_write;
  always @(posedge clock) begin
    stored <= stored_next;
    if (reads_mine) read_word <= stored;
    unanswered <= reset ? 0 : unanswered + asks - mem_response_valid;
    reads <= reset ? 0 : (reads | (reads_mine << unanswered)) >> mem_response_valid;
  end
  always @(*) if (mem_response_valid) begin
    assume (unanswered != 0 && !reset);
    if (reads[0]) assume (mem_response_data == read_word);
  end
  // The word that memory holds after the offered request is performed.
  wire [63:0] behind = mem_request_valid && mem_request_write && asked_mine ? mem_request_data : stored;

  // The items in the order in which the unit enqueues them.
  localparam PLACES = 4 * `W, LQ = $clog2(PLACES), RB = 2 + 4 + 6 + 1 + `LW + `LC + 32 + 1 + 21 + 21 + 1 + `XL + 1 + 8 + 3;
  localparam [1:0] OP = 0, TX = 1, TIME_OUT = 2, STEP = 3;
  wire put_op = op_valid && op_ready && !reset;
  wire sends_tx = tx_valid && tx_ready && !reset;
  reg [RB-1:0] placed [0:PLACES-1];
  reg [LQ-1:0] head = 0, tail = 0;
  reg [RB-1:0] tx_first, tx_second;
  reg [1:0] tx_filled = 0;
  wire [RB-1:0] from_op = {OP, op_kind, op_fault, op_uniform, op_warp, op_cta, op_address, op_cluster, op_count, op_bytes, op_phase,
    op_hint, op_all_live_lanes, op_rd, op_pu};
  wire [31:0] tx_address = {tx_object, 3'd0};
  wire [20:0] tx_number = tx_count;
  wire [RB-1:0] from_tx = {TX, 4'd0, 6'd0, 1'd1, {`LW{1'b0}}, tx_cta, tx_address, 1'd0, tx_number, tx_bytes, 1'd0, {`XL{1'b0}}, 1'd0,
    8'd0, 3'd0};
  // A time-out and a step of the walk have their cache entry in the address field.
  wire [31:0] late_address = late_entry, step_address = step_entry;
  wire [RB-1:0] from_late = {TIME_OUT, 11'd0, late_warp, {`LC{1'b0}}, late_address, {(RB-2-11-`LW-`LC-32){1'b0}}};
  wire [RB-1:0] from_step = {STEP, 11'd0, {`LW{1'b0}}, {`LC{1'b0}}, step_address, {(RB-2-11-`LW-`LC-32){1'b0}}};
`ifdef NET
  // An operation of the network is stored like a transfer of `tx`, but with its kind, which is never 0. The register field holds the
  // source of the operation.
  wire sends_net = net_in_valid && net_in_ready && !reset, put_net = taken_net && !reset;
  reg [RB-1:0] net_first, net_second;
  reg [1:0] net_filled = 0;
  wire [31:0] net_address = {net_in_object, 3'd0};
  wire [20:0] net_number = net_in_count;
  wire [RB-1:0] from_net = {TX, net_in_kind, 6'd0, 1'd1, {`LW{1'b0}}, net_in_cta, net_address, 1'd0, net_number, net_in_bytes, 1'd0,
    {`XL{1'b0}}, 1'd0, net_in_source, 3'd0};
  wire [1:0] net_kept = net_filled - put_net;
  always @(posedge clock) begin
    if (put_net) net_first <= net_second;
    if (sends_net) begin
      if (net_kept == 0) net_first <= from_net;
      else net_second <= from_net;
    end
    net_filled <= reset ? 0 : net_kept + sends_net;
  end
`else
  wire put_net = 0;
  wire [RB-1:0] net_first = 0;
`endif
  wire put = put_op || put_tx || put_net || put_late || put_step;
  wire [1:0] tx_kept = tx_filled - put_tx;
  always @(posedge clock) begin
    if (put) placed[tail] <= put_op ? from_op : put_tx ? tx_first : put_net ? net_first : put_late ? from_late : from_step;
    tail <= reset ? 0 : tail + put;
    head <= reset ? 0 : head + done;
    if (put_tx) tx_first <= tx_second;
    if (sends_tx) begin
      if (tx_kept == 0) tx_first <= from_tx;
      else tx_second <= from_tx;
    end
    tx_filled <= reset ? 0 : tx_kept + sends_tx;
  end
  wire [LQ-1:0] items = tail - head;

  // When the CTA retires, no operation of its warps, and no operation of copy engines or other CTAs on its objects, is in flight.
  localparam CTA_AT = RB - 2 - 4 - 6 - 1 - `LW - 1;
  reg under_way;
  reg [LQ-1:0] of_head;
  integer p;
  always @(*) begin
    under_way = (put_op && op_cta == slot) || (sends_tx && tx_cta == slot) || (tx_filled >= 1 && tx_first[CTA_AT-:`LC] == slot)
      || (tx_filled == 2 && tx_second[CTA_AT-:`LC] == slot);
`ifdef NET
    if ((sends_net && net_in_cta == slot) || (net_filled >= 1 && net_first[CTA_AT-:`LC] == slot)
      || (net_filled == 2 && net_second[CTA_AT-:`LC] == slot)) under_way = 1;
`endif
    for (p = 0; p < PLACES; p = p + 1) begin
      of_head = p - head;
      if (of_head < items && (placed[p][RB-1-:2] == OP || placed[p][RB-1-:2] == TX) && placed[p][CTA_AT-:`LC] == slot) under_way = 1;
    end
    if (goes) assume (!under_way);
  end

  // The oldest item.
  wire [1:0] now_source;
  wire now_uniform, now_cluster, now_phase, now_whole;
  wire [3:0] now_kind;
  wire [5:0] now_fault;
  wire [`LW-1:0] now_warp;
  wire [`LC-1:0] now_cta;
  wire [31:0] now_address;
  wire [20:0] now_count, now_bytes;
  wire [`XL-1:0] now_hint;
  wire [7:0] now_rd;
  wire [2:0] now_pu;
  assign {now_source, now_kind, now_fault, now_uniform, now_warp, now_cta, now_address, now_cluster, now_count, now_bytes, now_phase,
    now_hint, now_whole, now_rd, now_pu} = placed[head];
  wire now_op = now_source == OP, now_tx = now_source == TX && now_kind == 0, now_net = now_source == TX && now_kind != 0;
  wire now_own = now_cta == slot;
  wire now_absent = now_cta >= `C || (now_own && !there_1);
  wire [`XW-1:0] now_object = now_address >> 3;
  wire [5:0] early, code;
  wire [63:0] next;
  wire flips, has_result, waits, answer;
  mbarrier_word semantics (.tx(now_tx), .kind(now_kind), .fault(now_fault), .uniform(now_uniform), .address(now_address), .cluster(now_cluster),
    .count(now_count), .bytes(now_bytes), .phase(now_phase), .absent(now_absent), .word(word), .early(early), .code(code), .next(next),
    .flips(flips), .has_result(has_result), .waits(waits), .answer(answer));
  // The oldest item is a valid operation on the followed object.
  wire mine = (now_op || now_tx || now_net) && early == 0 && now_own && now_object == number;
  // The checker can predict the item's result.
  wire told = mine || ((now_op || now_tx || now_net) && (early != 0 || now_absent));

  // The object's word after all operations on it so far, in the order of their decisions. While the slot has no CTA, or a CTA that was
  // retired without `saved`, the value is that of memory.
  reg [63:0] word;
  always @(posedge clock) begin
    if (done && mine) word <= next;
    if (absent || lost || reset) word <= stored_next;
  end
