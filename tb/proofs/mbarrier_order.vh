// SPDX-License-Identifier: Apache-2.0 OR MIT
// Internal signals of the exported unit that the checkers of `mbarrier` read because no port outputs them: when a transfer of `tx` or
// `net_in`, a time-out or a step of a walk is enqueued, and when the oldest item is decided for the last time.
  (* hierconn *) wire \dut.enqueue.take_tx , \dut.decide_decision_done ;
  (* hierconn *) wire \dut.enqueue.time_out_ready , \dut.enqueue.remote_result_ready , \dut.enqueue.walk_step_ready ;
  (* hierconn *) wire [`XI+`LW-1:0] \dut.ticks_time_out ;
  (* hierconn *) wire [`XI-1:0] \dut.ctas_walk_step_entry ;
  wire put_tx = \dut.enqueue.take_tx , put_step = \dut.enqueue.walk_step_ready ;
  wire put_late = \dut.enqueue.time_out_ready || \dut.enqueue.remote_result_ready ;
  wire done = \dut.decide_decision_done ;
  wire [`LW-1:0] late_warp = \dut.ticks_time_out [`LW-1:0];
  wire [`XI-1:0] late_entry = \dut.ticks_time_out [`XI+`LW-1:`LW], step_entry = \dut.ctas_walk_step_entry ;
`ifdef NET
  (* hierconn *) wire \dut.enqueue.take_net ;
  wire taken_net = \dut.enqueue.take_net ;
`endif
