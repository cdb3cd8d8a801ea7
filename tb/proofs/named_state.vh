// SPDX-License-Identifier: Apache-2.0 OR MIT
// The reference's state, packed into one vector for each table, for the invariants of the inductions.
  localparam RB = 1 + 2 * `W + 2 * `CW + 2 + $clog2(`W*`LANES+1), TB = 2 * `CW + 5 + 2 * $clog2(`I+1) + 4;
  wire [ROWS*RB-1:0] all_rows;
  wire [SLOTS*TB-1:0] all_slots;
  wire [`W*18-1:0] all_warps;
  genvar g;
  generate
    for (g = 0; g < ROWS; g = g + 1) begin : row_of
      assign all_rows[g*RB +: RB] = {open[g], arrived[g], awaited[g], number[g], expected[g], reduction[g], sum[g]};
    end
    for (g = 0; g < SLOTS; g = g + 1) begin : slot_of
      assign all_slots[g*TB +: TB] = {launched[g], live[g], declared[g], open_rows[g], loose_rows[g], last[g]};
    end
    for (g = 0; g < `W; g = g + 1) begin : warp_of
      assign all_warps[g*18 +: 18] = {place[g], has[g], result[g]};
    end
  endgenerate
