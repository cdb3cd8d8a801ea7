// SPDX-License-Identifier: Apache-2.0 OR MIT
`default_nettype none

// tb_soft_system: bench of `soft_system` with the program barriers.c: compares the result that hart 0 writes to the
// host with its own, and prints the cycles of a barrier, all harts meeting TIMED times. Ends with `PASS` or `FAIL`.
module tb_soft_system #(
  parameter IMAGE = "barriers.hex"
);

  localparam HARTS = 4, POINTS = 32, ROUNDS = 4, LIMIT = 15000;  // As in barriers.c.
  localparam [11:0] RESULT = 12'h0, POLLED = 12'h4, BY_IRQ = 12'h8, FAILED = 12'hc;

  reg              clock, reset, done;
  wire             host_valid, error;
  wire [11:0]      host_address;
  wire [31:0]      host_data;
  wire [HARTS-1:0] stopped;
  reg  [31:0]      polled, by_irq, result, expected;
  reg  [31:0]      from [0:POINTS-1], to [0:POINTS-1];
  integer          i, round, cycles, errors;

  soft_system #(.HARTS(HARTS), .IMAGE(IMAGE)) dut (
    .clock(clock),
    .reset(reset),
    .host_valid(host_valid),
    .host_address(host_address),
    .host_data(host_data),
    .error(error),
    .stopped(stopped)
  );

  initial begin clock = 1'b0; forever #5 clock = !clock; end

  task calculate;
    begin
      for (i = 0; i < POINTS; i = i + 1) from[i] = i * 5 + 3;
      for (round = 0; round < ROUNDS; round = round + 1) begin
        for (i = 0; i < POINTS; i = i + 1)
          to[i] = from[(i + POINTS - 1) % POINTS] + 2 * from[i] + from[(i + 1) % POINTS];
        for (i = 0; i < POINTS; i = i + 1) from[i] = to[i];
      end
      expected = 0;
      for (i = 0; i < POINTS; i = i + 1) expected = expected + from[i] * (i + 1);
    end
  endtask

  initial begin
    reset = 1'b1; done = 1'b0; errors = 0; polled = 0; by_irq = 0; result = 0;
    calculate;
    repeat (2) @(negedge clock);
    reset = 1'b0;
    for (cycles = 0; !done && cycles < LIMIT; cycles = cycles + 1) begin
      if (host_valid)
        case (host_address)
          POLLED:  polled = host_data;
          BY_IRQ:  by_irq = host_data;
          RESULT:  begin result = host_data; done = 1'b1; end
          default: begin $display("the program reports failure %0d", host_data); errors = errors + 1; done = 1'b1; end
        endcase
      if (error) begin $display("%0d: bcu_axil refuses an access", $time); errors = errors + 1; end
      @(negedge clock);
    end
    if (!done) begin
      $display("no result after %0d cycles; stopped harts %b", cycles, stopped);
      errors = errors + 1;
    end
    else if (errors == 0 && result !== expected) begin
      $display("the result is %0d; expected %0d", result, expected);
      errors = errors + 1;
    end
    else
      $display("cycles %0d, cycles of a barrier of %0d harts: polling %0d, by interrupt line %0d",
               cycles, HARTS, polled, by_irq);
    if (errors == 0) $display("PASS"); else $display("FAIL");
    $finish;
  end

  wire unused = &{1'b0, FAILED};

endmodule

`default_nettype wire
