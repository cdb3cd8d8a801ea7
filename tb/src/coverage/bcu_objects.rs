// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Points of `bcu` about mbarriers: results, suspended warps, shared memory, and the cycles in which they meet traffic of named barriers.

use super::points::{CoverageError, Points};
use super::ports::View;

pub fn list(unreachable: Option<&'static str>, points: &mut Points) {
    let mut list = |names: &[&str]| names.iter().for_each(|name| points.list(*name, unreachable));
    list(&["token: of an arrival", "token: to no register", "token: true", "token: false", "token: refused"]);
    list(&["wake: true", "wake: false", "wake: several warps"]);
    list(&["token and writeback in one cycle", "tx: waits", "memory: a read", "memory: a write", "memory: waits"]);
    list(&["fault: of a copy engine", "fault: of an mbarrier, and in the next cycle one of a barrier"]);
    list(&["an arrival at an mbarrier waits for accesses", "retire: `retired` after more than 20 cycles"]);
}

pub fn count(view: &View, points: &mut Points) -> Result<(), CoverageError> {
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
    // Warps whose last instruction was an arrival at an mbarrier; CTA slots whose retirement was taken, with the cycle.
    let mut arrived = 0;
    let mut retiring = std::collections::BTreeMap::new();
    for cycle in view.cycles(reset) {
        let get = |place| view.get(place, cycle);
        if view.both(instr, cycle) {
            let bit = 1 << get(warp);
            arrived = if get(word) & 0xff == 0xea { arrived | bit } else { arrived & !bit };
        }
        points.cover_if(get(waits_for_memory) & arrived != 0, "an arrival at an mbarrier waits for accesses");
        if view.both(retire, cycle) {
            retiring.insert(get(slot), cycle);
        }
        if get(retired) == 1 {
            let late = retiring.remove(&get(retired_cta)).is_some_and(|retire_cycle| cycle > retire_cycle + 20);
            points.cover_if(late, "retire: `retired` after more than 20 cycles");
        }
        if get(token) == 1 {
            // A token of a wait has no destination register, a token of an arrival no predicate.
            let what = match (get(refused), get(rd), get(pu), get(predicate)) {
                (1, ..) => "refused",
                (_, 255, 7, 0) => "to no register",
                (_, 255, _, 1) => "true",
                (_, 255, ..) => "false",
                _ => "of an arrival",
            };
            points.cover(&format!("token: {what}"));
            points.cover_if(get(back) == 1, "token and writeback in one cycle");
        }
        if get(wake) == 1 {
            points.cover(if get(value) == 1 { "wake: true" } else { "wake: false" });
            points.cover_if(get(woken).count_ones() > 1, "wake: several warps");
        }
        points.cover_if(get(tx[0]) == 1 && get(tx[1]) == 0, "tx: waits");
        points.cover_if(view.both(request, cycle), if get(write) == 1 { "memory: a write" } else { "memory: a read" });
        points.cover_if(get(request[0]) == 1 && get(request[1]) == 0, "memory: waits");
        let of_mbarrier = get(fault) == 1 && get(address) != 0;
        points.cover_if(of_mbarrier && get(has_warp) == 0, "fault: of a copy engine");
        let next = |place| if cycle + 1 < view.length() { view.get(place, cycle + 1) } else { 0 };
        let is_of_barrier = next(fault) == 1 && next(address) == 0 && next(code) != 0;
        points.cover_if(
            of_mbarrier && get(ready) == 1 && is_of_barrier,
            "fault: of an mbarrier, and in the next cycle one of a barrier",
        );
    }
    Ok(())
}
