// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Named barriers as observed at the ports of `bcu`: arrivals by row, releases, results.

use super::state::{Arrived, Bcu, Wait, SAMPLE};
use crate::oracle::pins::{bits, Pins};
use std::collections::BTreeMap;

/// The latency `BCU_RELEASE`: the minimum number of cycles from the transfer of the instruction
/// that completes a generation to the release of that generation.
const RELEASE: u64 = 9;

impl Bcu {
    /// Checks a release. Its warps must wait at the barrier. Enough arrivals must have occurred at
    /// least [`RELEASE`] cycles before, and the accesses before these arrivals must be performed.
    /// The result of the reduction must be right.
    pub(super) fn release(&mut self, pins: &Pins) -> Result<(), String> {
        let p = &self.ports;
        let warps = pins.get(&p.release_warps);
        if !pins.is(&p.release_valid) {
            return pins.expect(&p.release_warps, 0);
        }
        let (slot, id) = (pins.get(&p.release_cta), pins.get(&p.release_id));
        let (reduction, value) = (pins.get(&p.release_reduction), pins.get(&p.release_value));
        let live = self.live_of(slot);
        let cycle = self.cycle;
        let row = self.rows.entry((slot, id)).or_default();
        let at = || format!("the release of barrier {id} of CTA slot {slot}");
        let ripe = |arrived: &&Arrived| arrived.arrival_cycle + RELEASE <= cycle;
        let waiting = row.arrivals.iter().filter(|arrived| arrived.waits && warps >> arrived.warp & 1 == 1).filter(ripe);
        let mut chosen: Vec<Arrived> = waiting.copied().collect();
        if chosen.len() as u32 != warps.count_ones() {
            return Err(format!("{}: warps {warps:#x}; expected warps of the arrivals {:?}", at(), row.arrivals));
        }
        let count = row.arrivals.first().map_or(0, |arrived| arrived.count);
        let target = if count == 0 { live.count_ones() as usize } else { (count / self.lanes) as usize };
        let others =
            row.arrivals.iter().filter(|arrived| !arrived.waits).filter(ripe).take(target.saturating_sub(chosen.len()));
        chosen.extend(others.copied());
        if chosen.len() != target || target == 0 {
            return Err(format!("{} is output after {} of {target} arrivals: {:?}", at(), chosen.len(), row.arrivals));
        }
        if let Some(early) = chosen.iter().find(|arrived| arrived.owed != [0, 0]) {
            return Err(format!("{} is output before the accesses before an arrival are performed: {early:?}", at()));
        }
        let sum: u64 = chosen.iter().map(|arrived| arrived.contribution).sum();
        let expected = [0, u64::from(sum == 0), u64::from(sum != 0), sum];
        let kind = chosen.first().map_or(0, |arrived| arrived.reduction);
        if [reduction, value] != [kind, expected[kind as usize & 3]] {
            let wanted = expected[kind as usize & 3];
            return Err(format!("{} has reduction {reduction} and value {value}; expected {kind} and {wanted}", at()));
        }
        row.arrivals.retain(|arrived| {
            !chosen.iter().any(|other| (other.warp, other.arrival_cycle) == (arrived.warp, arrived.arrival_cycle))
        });
        row.idle = 0;
        for warp in bits(warps) {
            self.warps[warp].wait = None;
            if reduction != 0 {
                self.warps[warp].result = [reduction, value];
            }
        }
        Ok(())
    }

    /// Checks the results that B2R.RESULT returns.
    pub(super) fn writeback(&mut self, pins: &Pins) -> Result<(), String> {
        let p = &self.ports;
        if !pins.is(&p.writeback_valid) {
            return Ok(());
        }
        let number = pins.get(&p.writeback_warp) as usize;
        let warp = self.warps.get_mut(number).ok_or("`writeback_warp` is not built")?;
        let [rd, pu] = warp.reads.pop_front().ok_or_else(|| format!("warp {number} gets a result without a read"))?;
        let [reduction, value] = warp.result;
        let [value, predicate] = if reduction == 3 { [value, 0] } else { [0, value] };
        let fields = [&p.writeback_value, &p.writeback_predicate, &p.writeback_rd, &p.writeback_pu];
        pins.expect_strobe(&p.writeback_valid, fields, Some([value, predicate, rd, pu]))
    }

    /// Fails if a barrier has been complete for longer than the bound and is not released. Called
    /// every [`SAMPLE`] cycles.
    pub(super) fn refuse_lost_releases(&mut self) -> Result<(), String> {
        let lives: BTreeMap<u64, u64> = self.ctas.iter().map(|(slot, cta)| (*slot, cta.live)).collect();
        let (lanes, bound) = (self.lanes, self.bound);
        for ((slot, id), row) in self.rows.iter_mut() {
            let Some(first) = row.arrivals.first() else { continue };
            let live = lives.get(slot).copied().unwrap_or_default();
            let target = if first.count == 0 { u64::from(live.count_ones()) } else { first.count / lanes };
            let is_complete = row.arrivals.len() as u64 >= target && row.arrivals.iter().all(|arrived| arrived.owed == [0, 0]);
            row.idle = if is_complete { row.idle + SAMPLE } else { 0 };
            if row.idle > bound {
                return Err(format!("barrier {id} of CTA slot {slot} is complete for {bound} cycles: {:?}", row.arrivals));
            }
        }
        Ok(())
    }

    /// Accounts for the arrival of a warp at the named barrier `id` of its CTA.
    pub(super) fn arrive_named(&mut self, warp: usize, id: u64, mut arrived: Arrived) {
        let slot = self.warps[warp].slot;
        arrived.owed = self.warps[warp].accesses;
        if arrived.waits {
            self.warps[warp].wait = Some((Wait::Named, self.cycle));
        }
        self.rows.entry((slot, id)).or_default().arrivals.push(arrived);
    }
}
