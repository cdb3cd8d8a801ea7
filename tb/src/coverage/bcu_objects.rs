// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Points of `bcu` about mbarriers: results, suspended warps, shared memory, and the cycles in which they meet traffic of named
//! barriers.

use super::points::{points, CoverageError, Points};
use super::ports::View;

points! {
    pub enum Point {
        /// The token of an arrival at an mbarrier is written to registers.
        TokenOfArrival = "token: of an arrival",
        /// An arrival at an mbarrier discards its token, or a test or wait discards its result, which is false.
        TokenDiscarded = "token: to no register",
        /// A test or wait has the result that the phase of the mbarrier is complete.
        TokenTrue = "token: true",
        /// A test or wait has the result that the phase of the mbarrier is not complete.
        TokenFalse = "token: false",
        /// An operation on an mbarrier that has a result is refused.
        TokenRefused = "token: refused",
        /// Suspended warps resume because the phase of the mbarrier for which they wait is complete.
        WakeTrue = "wake: true",
        /// Suspended warps resume although the phase of the mbarrier for which they wait is not complete, as after a time-out.
        WakeFalse = "wake: false",
        /// Several suspended warps resume in one cycle.
        WakeSeveral = "wake: several warps",
        /// An operation on an mbarrier and an instruction that reads state of `named` have their results in one cycle.
        TokenAndWriteback = "token and writeback in one cycle",
        /// A copy engine offers arrivals or bytes, and these are not taken in this cycle.
        TxWaits = "tx: waits",
        /// A request to read a word of shared memory is transferred.
        MemoryRead = "memory: a read",
        /// A request to write a word of shared memory is transferred.
        MemoryWrite = "memory: a write",
        /// The unit offers a request to shared memory, and the request is not taken in this cycle.
        MemoryWaits = "memory: waits",
        /// The unit offers the fault of an operation on an mbarrier that no warp here has sent, as that of a copy engine.
        FaultOfCopyEngine = "fault: of a copy engine",
        /// The fault of an operation on an mbarrier is taken, and in the next cycle a fault without an address is offered.
        FaultThenOfBarrier = "fault: of an mbarrier, and in the next cycle one of a barrier",
        /// The arrival of a warp at an mbarrier waits until the memory accesses of the warp are performed.
        ArrivalWaits = "an arrival at an mbarrier waits for accesses",
        /// The slot of a retired CTA becomes free more than 20 cycles after the transfer of the retirement.
        RetiredLate = "retire: `retired` after more than 20 cycles",
    }
}

pub fn count(view: &View, points: &mut Points<Point>) -> Result<(), CoverageError> {
    let [reset, token, predicate, refused, rd, pu] =
        view.places(["reset", "token_valid", "token_predicate", "token_refused", "token_rd", "token_pu"])?;
    let [wake, woken, value, back] = view.places(["wake_valid", "wake_warps", "wake_value", "writeback_valid"])?;
    let (tx, request) = (view.places(["tx_valid", "tx_ready"])?, view.places(["mem_request_valid", "mem_request_ready"])?);
    let [write, fault, ready, code, has_warp, address] =
        view.places(["mem_request_write", "fault_valid", "fault_ready", "fault_code", "fault_has_warp", "fault_address"])?;
    let instr = view.places(["instr_valid", "instr_ready"])?;
    let [word, warp, waits_for_memory] = view.places(["instr_word_0", "instr_warp", "waits_for_memory"])?;
    let retire = view.places(["retire_valid", "retire_ready"])?;
    let [slot, retired, retired_cta] = view.places(["retire_cta", "retired_valid", "retired_cta"])?;
    // `arrived`: the warps whose last instruction was an arrival at an mbarrier. `retiring`: the CTA slots whose retirement was
    // transferred, with the cycle of the transfer.
    let mut arrived = 0;
    let mut retiring = std::collections::BTreeMap::new();
    for cycle in view.cycles(reset) {
        let get = |place| view.get(place, cycle);
        if view.both(instr, cycle) {
            let bit = 1 << get(warp);
            arrived = if get(word) & 0xff == 0xea { arrived | bit } else { arrived & !bit };
        }
        points.cover_if(get(waits_for_memory) & arrived != 0, Point::ArrivalWaits);
        if view.both(retire, cycle) {
            retiring.insert(get(slot), cycle);
        }
        if get(retired) == 1 {
            let late = retiring.remove(&get(retired_cta)).is_some_and(|retire_cycle| cycle > retire_cycle + 20);
            points.cover_if(late, Point::RetiredLate);
        }
        if get(token) == 1 {
            // A token of a wait has no destination register, a token of an arrival no predicate.
            points.cover(match (get(refused), get(rd), get(pu), get(predicate)) {
                (1, ..) => Point::TokenRefused,
                (_, 255, 7, 0) => Point::TokenDiscarded,
                (_, 255, _, 1) => Point::TokenTrue,
                (_, 255, ..) => Point::TokenFalse,
                _ => Point::TokenOfArrival,
            });
            points.cover_if(get(back) == 1, Point::TokenAndWriteback);
        }
        if get(wake) == 1 {
            points.cover(if get(value) == 1 { Point::WakeTrue } else { Point::WakeFalse });
            points.cover_if(get(woken).count_ones() > 1, Point::WakeSeveral);
        }
        points.cover_if(get(tx[0]) == 1 && get(tx[1]) == 0, Point::TxWaits);
        points.cover_if(view.both(request, cycle), if get(write) == 1 { Point::MemoryWrite } else { Point::MemoryRead });
        points.cover_if(get(request[0]) == 1 && get(request[1]) == 0, Point::MemoryWaits);
        let of_mbarrier = get(fault) == 1 && get(address) != 0;
        points.cover_if(of_mbarrier && get(has_warp) == 0, Point::FaultOfCopyEngine);
        let next = |place| if cycle + 1 < view.length() { view.get(place, cycle + 1) } else { 0 };
        let is_of_barrier = next(fault) == 1 && next(address) == 0 && next(code) != 0;
        points.cover_if(of_mbarrier && get(ready) == 1 && is_of_barrier, Point::FaultThenOfBarrier);
    }
    Ok(())
}
