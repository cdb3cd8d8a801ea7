// SPDX-License-Identifier: Apache-2.0 OR MIT
// Internal signals of the exported unit that the checkers of `mbarrier` read because no port outputs them: when a transfer of `tx` or
// `net_in`, a time-out or a step of a walk is enqueued, and when the oldest item is decided for the last time.
  (* hierconn *) wire \dut.enqueue.take_tx , \dut.enqueue.item_times_out , \dut.enqueue.item_walks , \dut.decide_decision_done ;
  (* hierconn *) wire [`LW-1:0] \dut.ticks_time_out_warp ;
  (* hierconn *) wire [`XI-1:0] \dut.ticks_time_out_entry , \dut.ctas_walk_step_entry ;
  wire put_tx = \dut.enqueue.take_tx , put_late = \dut.enqueue.item_times_out , put_step = \dut.enqueue.item_walks ;
  wire done = \dut.decide_decision_done ;
  wire [`LW-1:0] late_warp = \dut.ticks_time_out_warp ;
  wire [`XI-1:0] late_entry = \dut.ticks_time_out_entry , step_entry = \dut.ctas_walk_step_entry ;
`ifdef NET
  (* hierconn *) wire \dut.enqueue.take_net ;
  wire taken_net = \dut.enqueue.take_net ;
`endif
