// SPDX-License-Identifier: Apache-2.0 OR MIT
// The trapped and hung warps. The solver chooses one warp. The table of docs/contract/warp_status.md alone determines whether this warp is
// trapped and whether it is hung; other effects and other warps have no influence.
`include "sizes.vh"
module warp_status_policy (
`include "warp_status_inputs.vh"
);
`include "warp_status_unit.vh"
  localparam [1:0] TRAP = 1, HANG = 2;
  reg begun = 0;
  always @(posedge clock) begun <= 1;
  always @(*) if (!begun) assume (reset);
  always @(*) assume (fault_policy != 3);
  (* anyconst *) reg [`LW-1:0] who;

  wire mine = commit_valid && commit_warps[who];
  reg traps, hangs;
  wire refuses = (mine && commit_refused) || refused[who];
  always @(posedge clock) begin
    if ((mine && commit_traps) || (refuses && fault_policy == TRAP)) traps <= 1;
    else if (mine && (commit_untraps || commit_cta_release)) traps <= 0;
    if (refuses && fault_policy == HANG) hangs <= 1;
    else if (mine && commit_cta_release) hangs <= 0;
    if (reset) {traps, hangs} <= 0;
  end
  always @(posedge clock) if (begun) begin
    s_trapped: assert (trapped[who] == traps);
    s_stopped: assert (stopped[who] == (traps || hangs));
`ifdef COVER
    both: cover (traps && hangs);
    freed: cover (hangs && $past(traps) && !traps);
`endif
  end
endmodule
