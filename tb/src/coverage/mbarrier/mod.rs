// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Points of `mbarrier`: every kind with every outcome, every fault, and the actions of the cache, memory, timer and CTAs, at the
//! ports.

mod points;

use super::points::{CoverageError, Points};
use super::ports::View;
use bcu_hw::unit::mbarrier::kind::MbarrierKind;
use bcu_isa::config::Config;
use bcu_isa::op::FaultCode;
pub use points::{reach, Point};
use points::{Answer, WokenWarps};

/// After a wake, a time-out of the ended suspension may still be in flight for this number of cycles.
const SOON: usize = 40;

fn answer(value: u64) -> Answer {
    if value == 1 {
        Answer::True
    } else {
        Answer::False
    }
}

/// Counts the points of operations between CTAs of a cluster.
fn count_remote(config: &Config, view: &View, points: &mut Points<Point>) -> Result<(), CoverageError> {
    let reset = view.place("reset")?;
    let (op, tx) = (view.places(["op_valid", "op_ready"])?, view.places(["tx_valid", "tx_ready"])?);
    let (out, net_in) = (view.places(["net_out_valid", "net_out_ready"])?, view.places(["net_in_valid", "net_in_ready"])?);
    let [net_out_cta, kind, in_kind] = view.places(["net_out_cta", "net_out_kind", "net_in_kind"])?;
    let [ack, acked, ack_absent] = view.places(["net_ack_valid", "net_ack_cta", "net_ack_absent"])?;
    let [reply, absent] = view.places(["net_reply_valid", "net_reply_absent"])?;
    let [retire, retiring] = view.places(["retire_valid", "retire_cta"])?;
    let [cluster, address, op_cta] = view.places(["op_cluster", "op_address", "op_cta"])?;
    let [launch, launched, rank] = view.places(["launch_valid", "launch_cta", "launch_rank"])?;
    // For each CTA slot number, built or not: the number of unacknowledged operations, and the rank.
    let mut away = vec![0; config.cta_slots.next_power_of_two().max(2)];
    let mut ranks = away.clone();
    for cycle in 1..view.length() {
        let get = |place| view.get(place, cycle);
        if get(reset) == 1 {
            away.fill(0);
            continue;
        }
        if view.both(out, cycle) {
            points.cover(Point::Sent(MbarrierKind::ALL[get(kind) as usize]));
            away[get(net_out_cta) as usize] += 1;
            points.cover_if(away[get(net_out_cta) as usize] == config.max_remote as u64, Point::RemoteAtLimit);
        }
        points.cover_if(get(out[0]) == 1 && get(out[1]) == 0, Point::RemoteWaits);
        if get(ack) == 1 {
            away[get(acked) as usize] -= 1;
            points.cover_if(get(ack_absent) == 1, Point::RemoteAbsent);
        }
        points.cover_if(get(retire) == 1 && away[get(retiring) as usize] > 0, Point::RemoteRetires);
        if view.both(net_in, cycle) {
            points.cover(Point::Received(MbarrierKind::ALL[get(in_kind) as usize]));
            points.cover_if(view.both(op, cycle) && view.both(tx, cycle), Point::ReceivedWithOpAndTx);
        }
        points.cover_if(get(net_in[0]) == 1 && get(net_in[1]) == 0, Point::ReceivedWaits);
        points.cover_if(get(reply) == 1 && get(absent) == 1, Point::ReceivedAbsent);
        let is_own_rank = get(address) >> 24 == ranks[get(op_cta) as usize] && get(address) >> 24 != 0;
        points.cover_if(view.both(op, cycle) && get(cluster) == 1 && is_own_rank, Point::ClusterFormOwnRank);
        if get(launch) == 1 {
            ranks[get(launched) as usize] = get(rank);
        }
    }
    Ok(())
}

pub fn count(config: &Config, view: &View, points: &mut Points<Point>) -> Result<(), CoverageError> {
    if config.has_clusters() {
        count_remote(config, view, points)?;
    }
    let [reset, kind, op_warp] = view.places(["reset", "op_kind", "op_warp"])?;
    let (op, tx) = (view.places(["op_valid", "op_ready"])?, view.places(["tx_valid", "tx_ready"])?);
    let request = view.places(["mem_request_valid", "mem_request_ready"])?;
    let [write, data, response] = view.places(["mem_request_write", "mem_request_data", "mem_response_valid"])?;
    let [token, word, predicate, refused, token_warp] =
        view.places(["token_valid", "token_word", "token_predicate", "token_refused", "token_warp"])?;
    let [wake, warps, value] = view.places(["wake_valid", "wake_warps", "wake_value"])?;
    let [commit, commits, suspended_now] = view.places(["commit_valid", "commit_warps", "suspended"])?;
    let (fault, [fault_code, has_warp]) =
        (view.places(["fault_valid", "fault_ready"])?, view.places(["fault_code", "fault_has_warp"])?);
    let [tx_done, done_cta, retire_cta] = view.places(["tx_done_valid", "tx_done_cta", "retire_cta"])?;
    // `sent_messages`: the number of transfers on `tx` that are not done. `just_done`: the CTA of a transfer that was done in the previous
    // cycle. `woken`: the cycle in which each warp was last woken, or 0.
    let (mut sent_messages, mut just_done, mut woken) = (0u64, None, vec![0; config.warps.next_power_of_two()]);
    let [retire, saved, retired, leaving] = view.places(["retire_valid", "retire_saved", "retired_valid", "leaving"])?;
    // `kinds`: the kind of each warp's last operation. `suspended`: the suspended warps. `unanswered`: the number of unanswered requests.
    // `row`: the number of operations in consecutive cycles. `last_tx`: set to 20 by a `tx`, and then counted down to 0, one per cycle.
    // `alone`: the cycle of the last `retire`; 0 if another CTA was leaving in that cycle.
    let mut kinds = vec![0; config.warps.next_power_of_two()];
    let (mut suspended, mut unanswered, mut row, mut last_tx, mut alone) = (0u64, 0u64, 0, 0, 0);
    for cycle in 1..view.length() {
        let get = |place| view.get(place, cycle);
        if get(reset) == 1 {
            points.cover_if(suspended != 0, Point::ResetWhileSuspended);
            (suspended, unanswered, row, alone) = (0, 0, 0, 0);
            (sent_messages, just_done) = (0, None);
            woken.fill(0);
            continue;
        }
        let of_kind = |kind: u64| MbarrierKind::ALL[kind as usize];
        if get(commit) == 1 {
            let kind = of_kind(kinds[get(commits).trailing_zeros() as usize]);
            let is_refused = get(token) == 1 && get(refused) == 1;
            points.cover_if(!is_refused, Point::Done(kind));
            points.cover_if(get(suspended_now) & get(commits) != 0, Point::WaitSuspended);
            let since = woken[get(commits).trailing_zeros() as usize];
            let soon = since > 0 && cycle - since <= SOON;
            points.cover_if(soon && get(suspended_now) & get(commits) != 0, Point::WaitSuspendedAgain);
        }
        if get(token) == 1 && get(refused) == 0 {
            if [MbarrierKind::TestWait, MbarrierKind::TryWait].contains(&of_kind(kinds[get(token_warp) as usize])) {
                points.cover(Point::WaitAnswered(answer(get(predicate))));
            }
            points.cover_if(get(word) >> 63 == 1, Point::TokenPhase1);
            points.cover_if(get(word) >> 42 & 1 == 1, Point::TokenSpent);
        }
        if get(wake) == 1 {
            let woken_warps = if get(warps).count_ones() == 1 { WokenWarps::One } else { WokenWarps::Several };
            points.cover(Point::Wake(woken_warps, answer(get(value))));
            points.cover_if(get(value) == 1 && get(commit) == 0 && last_tx > 0, Point::TxCompletes);
            points.cover_if(get(retire) == 1, Point::RetireWithWake);
            woken.iter_mut().enumerate().filter(|(warp, _)| get(warps) >> warp & 1 == 1).for_each(|(_, when)| *when = cycle);
        }
        if view.both(fault, cycle) {
            let code = FaultCode::from_u64(get(fault_code));
            points.cover_if(code != FaultCode::None, Point::Fault(code));
            points.cover_if(get(has_warp) == 0, Point::FaultWithoutWarp);
        }
        points.cover_if(get(fault[0]) == 1 && get(fault[1]) == 0, Point::FaultWaits);
        if view.both(request, cycle) {
            points.cover(match (get(write), get(data)) {
                (0, _) => Point::MemoryRead,
                (_, 0) => Point::MemoryErased,
                _ => Point::MemoryWritten,
            });
            unanswered += 1;
        }
        points.cover_if(get(request[0]) == 1 && get(request[1]) == 0, Point::MemoryWaits);
        points.cover_if(unanswered >= 2, Point::MemoryTwoUnanswered);
        unanswered -= get(response).min(unanswered);
        points.cover_if(get(op[0]) == 1 && get(op[1]) == 0, Point::OpWaits);
        points.cover_if(get(tx[0]) == 1 && get(tx[1]) == 0, Point::TxWaits);
        points.cover_if(view.both(op, cycle) && view.both(tx, cycle), Point::OpAndTx);
        row = if view.both(op, cycle) { row + 1 } else { 0 };
        points.cover_if(row >= config.warps.min(4), Point::OpInEveryCycle);
        last_tx = if view.both(tx, cycle) { 20 } else { last_tx - i32::from(last_tx > 0) };
        if view.both(op, cycle) {
            kinds[get(op_warp) as usize] = get(kind);
        }
        if get(retire) == 1 {
            let done = just_done == Some(get(retire_cta));
            points.cover_if(done, Point::RetireAfterTxDone);
            points.cover(if get(saved) == 1 { Point::RetireSaved } else { Point::RetireNotSaved });
            points.cover_if(suspended != 0, Point::RetireWhileSuspended);
            points.cover_if(get(leaving) != 0, Point::RetireWhileAnotherLeaves);
            alone = if get(leaving) == 0 { cycle } else { 0 };
        }
        points.cover_if(get(retired) == 1, Point::Retired);
        points.cover_if(get(retired) == 1 && alone + 4 == cycle, Point::RetireWithoutObjects);
        if get(tx_done) == 1 {
            sent_messages = sent_messages.saturating_sub(1);
            points.cover(if sent_messages == 0 { Point::TxDone } else { Point::TxDoneBeforeOthers });
        }
        just_done = (get(tx_done) == 1).then_some(get(done_cta));
        sent_messages += u64::from(view.both(tx, cycle));
        suspended = get(suspended_now);
    }
    Ok(())
}
