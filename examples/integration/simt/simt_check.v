// SPDX-License-Identifier: Apache-2.0 OR MIT
`default_nettype none
`include "bcu_defs.vh"

// simt_check: the bench around a core with barriers: runs each program of `programs.s` twice, checks the shared
// memory after it, and prints the counters of the second run. Ends with `PASS` or `FAIL`. Inputs change and outputs
// are read at the falling edge.
module simt_check #(
  parameter        WARPS     = `BCU_WARPS,
  parameter        LANES     = `BCU_LANES,
  parameter        PC_BITS   = 7,
  parameter [4:0]  PROGRAMS  = 5'b01111,  // Bit p: program p is run.
  parameter        AW        = $clog2(4 * WARPS * LANES)
) (
  output reg                clock,
  output reg                reset,
  input  wire               ready,
  output reg                start,
  output reg  [PC_BITS-1:0] entry,
  input  wire               idle,
  output reg  [AW-1:0]      peek_address,
  input  wire [31:0]        peek_data,
  input  wire [159:0]       counters,
  input  wire               wrong
);

  localparam N = WARPS * LANES, FIRST = (WARPS + 1) / 2 * LANES, ROUNDS = 5, LIMIT = 10000;
  localparam DATA = 0, RESULT = N, OTHERS = 2 * N;

  reg     refused_q;  // `wrong` was 1.
  integer kernel, run, thread, cycles, errors;
  wire [31:0] barriers = counters[64 +: 32];

  initial begin clock = 1'b0; forever #5 clock = !clock; end

  always @(negedge clock) begin
    refused_q <= !reset && (wrong || refused_q);
    if (!reset && wrong) $display("%0d: program %0d: the barrier unit reports a fault or a hang", $time, kernel);
  end

  task expect_word(input integer address, input integer value);
    begin
      peek_address = address[AW-1:0];
      @(negedge clock);
      if (peek_data !== value) begin
        $display("program %0d: word %0d is %0d; expected %0d", kernel, address, peek_data, value);
        errors = errors + 1;
      end
    end
  endtask

  // RESULT of thread t after the programs `leave` and `leave_counted`.
  function integer left(input integer t);
    left = kernel == 3 ? 2 * t + 7 : t + FIRST < N ? t + FIRST + 1000 : t;
  endfunction

  task check_memory;
    case (kernel)
      0: expect_word(DATA, 3 * N * (N - 1) / 2 + N);
      1: for (thread = FIRST; thread < N; thread = thread + 1)
           expect_word(RESULT + thread, ROUNDS * (thread - FIRST) + ROUNDS * (ROUNDS + 1) / 2);
      4: for (thread = 0; thread < N; thread = thread + 1)
           expect_word(RESULT + thread, 3 * (N - 1 - thread) + 6);
      default: for (thread = 0; thread < FIRST; thread = thread + 1) begin
           expect_word(RESULT + thread, left(thread));
           expect_word(OTHERS + thread, left(FIRST - 1 - thread));
         end
    endcase
  endtask

  task print_counters;
    begin
      case (kernel)
        0: $write("reduce       ");
        1: $write("produce      ");
        2: $write("leave        ");
        3: $write("leave_counted");
        default: $write("split        ");
      endcase
      $display(" instructions %0d, cycles %0d, barriers %0d, cycles of a barrier: least %0d, mean %0d.%0d",
               counters[32 +: 32], counters[0 +: 32], barriers, counters[128 +: 32],
               counters[96 +: 32] / barriers, counters[96 +: 32] * 10 / barriers % 10);
    end
  endtask

  initial begin
    reset = 1'b1; start = 1'b0; errors = 0; entry = 0; peek_address = 0; kernel = 0;
    repeat (2) @(negedge clock);
    reset = 1'b0;
    for (kernel = 0; kernel < 5; kernel = kernel + 1)
      for (run = 0; run < 2 && errors == 0 && !refused_q; run = run + 1)
        if (PROGRAMS[kernel[2:0]]) begin
          for (cycles = 0; !ready && cycles < LIMIT; cycles = cycles + 1) @(negedge clock);
          entry = kernel[PC_BITS-1:0]; start = 1'b1;
          @(negedge clock) start = 1'b0;
          while (idle && cycles < LIMIT) begin @(negedge clock) cycles = cycles + 1; end
          while (!idle && cycles < LIMIT) begin @(negedge clock) cycles = cycles + 1; end
          repeat (4) @(negedge clock);
          if (cycles == LIMIT) begin
            $display("program %0d does not end in %0d cycles", kernel, LIMIT);
            errors = errors + 1;
          end else begin
            check_memory;
            if (barriers == 0) begin $display("program %0d: no barrier has completed", kernel); errors = errors + 1; end
            else if (run == 1) print_counters;
          end
        end
    if (errors == 0 && !refused_q) $display("PASS"); else $display("FAIL");
    $finish;
  end

endmodule

`default_nettype wire
