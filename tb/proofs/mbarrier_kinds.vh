// SPDX-License-Identifier: Apache-2.0 OR MIT
// The kinds of operations and the codes of faults, as `docs/contract/mbarrier.md` and `docs/contract/faults.md` number them.
  localparam [3:0] INIT = 0, INVAL = 1, ARRIVE = 2, ARRIVE_EXPECT = 3, ARRIVE_NO_COMPLETE = 4, DROP = 5, DROP_EXPECT = 6,
    DROP_NO_COMPLETE = 7, EXPECT = 8, COMPLETE = 9, ADD_PENDING = 10, TEST_WAIT = 11, TRY_WAIT = 12;
  localparam [5:0] NOT_RESIDENT = 1, NOT_UNIFORM = 6, RANK_OUT = 19, WAIT_REMOTE = 20, MISALIGNED = 21, ADDRESS_OUT = 22, COUNT = 23, ABSENT = 24,
    INVALID = 25, TX_RANGE = 26, OVER_ARRIVAL = 27, DROP_TO_ZERO = 28, COMPLETES = 29, EXPECT_LATE = 30;
