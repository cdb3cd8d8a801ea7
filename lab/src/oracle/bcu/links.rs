// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Clusters, grids and mbarriers as observed at the ports of `bcu`.

use super::state::{Bcu, ClusterPorts, GridPorts, Wait};
use crate::oracle::pins::{bits, Pin, Pins};

/// Kinds of messages of a CTA to the hub of clusters.
const PRESENT: u64 = 0;
const ARRIVED: u64 = 1;

impl Bcu {
    /// Whether the event that warp `number` waits for has occurred, according to the arrivals and the messages from the hubs so far. Always
    /// false for a named barrier and a token.
    pub(super) fn is_over(&self, number: usize, wait: Wait) -> bool {
        let warp = &self.warps[number];
        let Some(cta) = self.ctas.get(&warp.slot) else { return true };
        match wait {
            Wait::Cluster { phase } if cta.size > 1 => cta.completes >= phase,
            Wait::Cluster { phase } => bits(cta.live).all(|other| self.warps[other].cluster_arrivals >= phase),
            Wait::Grid => !cta.has_grid || self.grids.get(&cta.grid).is_some_and(|grid| grid.is_ready),
            Wait::Named | Wait::Token => false,
        }
    }

    /// Checks the strobe that releases warps from a wait for their cluster (`is_cluster`) or for the prerequisites of their grid.
    fn go_on(&mut self, pins: &Pins, valid: &Pin, warps: &Pin, is_cluster: bool) -> Result<(), String> {
        if !pins.is(valid) {
            return pins.expect(warps, 0);
        }
        for number in bits(pins.get(warps)) {
            let wait = self.warps.get(number).and_then(|warp| warp.wait);
            let wait = wait.filter(|(wait, _)| {
                matches!(wait, Wait::Cluster { .. }) == is_cluster && !matches!(wait, Wait::Named | Wait::Token)
            });
            let (wait, _) = wait.ok_or_else(|| format!("warp {number} resumes, but has no such wait"))?;
            if !self.is_over(number, wait) {
                return Err(format!("warp {number} resumes before its wait is over: {wait:?}"));
            }
            self.warps[number].wait = None;
        }
        Ok(())
    }

    pub(super) fn releases_of_links(&mut self, pins: &Pins) -> Result<(), String> {
        if let Some(p) = self.cluster.take() {
            let done = self.go_on(pins, &p.cluster_release_valid, &p.cluster_release_warps, true);
            self.cluster = Some(p);
            done?;
        }
        if let Some(p) = self.grid.take() {
            let done = self.go_on(pins, &p.grid_release_valid, &p.grid_release_warps, false);
            self.grid = Some(p);
            done?;
        }
        Ok(())
    }

    /// Checks the messages to the hubs, and accounts for those from the hubs.
    pub(super) fn messages(&mut self, pins: &Pins) -> Result<(), String> {
        if let Some(p) = self.cluster.take() {
            let done = self.cluster_messages(pins, &p);
            self.cluster = Some(p);
            done?;
        }
        if let Some(p) = self.grid.take() {
            let done = self.grid_messages(pins, &p);
            self.grid = Some(p);
            done?;
        }
        Ok(())
    }

    /// Checks each message to the hub of clusters in the first cycle of its offer, and counts the Complete messages from the hub.
    fn cluster_messages(&mut self, pins: &Pins, p: &ClusterPorts) -> Result<(), String> {
        let is_new = pins.is(&p.cluster_out_valid) && !self.is_offered[0];
        self.is_offered[0] = pins.is(&p.cluster_out_valid) && !pins.is(&p.cluster_out_ready);
        if is_new {
            let [kind, cluster, rank] =
                [&p.cluster_out_kind, &p.cluster_out_cluster, &p.cluster_out_rank].map(|pin| pins.get(pin));
            let slot =
                self.ctas.iter().find(|(_, cta)| cta.size > 1 && !cta.is_gone && (cta.cluster, cta.rank) == (cluster, rank));
            let (slot, cta) = slot.ok_or_else(|| format!("message of cluster {cluster}, rank {rank}: no such resident CTA"))?;
            let (slot, live, sent_arrivals) = (*slot, cta.live, cta.sent_arrivals);
            let warps = &self.warps;
            let has_arrived = |warp: usize| warps[warp].cluster_arrivals > sent_arrivals && warps[warp].cluster_owed == [0, 0];
            let is_right = match kind {
                PRESENT => !cta.is_present,
                // `live` excludes a warp from the transfer of its exit on. The unit may still count
                // an arrival of that warp, because the exit is parked until the arrivals before it
                // have passed. So all warps of `live`, which may be empty, and at least one warp of
                // the CTA must have arrived.
                ARRIVED => bits(live).all(has_arrived) && bits(cta.warps).any(has_arrived),
                _ => {
                    live == 0
                        && (kind == 3) == (sent_arrivals % 2 == 1)
                        && bits(cta.warps).all(|warp| warps[warp].accesses == [0, 0])
                }
            };
            if !is_right {
                return Err(format!("CTA slot {slot}: message {kind} to the hub of clusters is not due: {cta:?}"));
            }
            if let Some(cta) = self.ctas.get_mut(&slot) {
                cta.is_present |= kind == PRESENT;
                cta.is_gone |= kind > ARRIVED;
                cta.sent_arrivals += u64::from(kind == ARRIVED);
            }
        }
        if pins.is(&p.cluster_in_valid) && pins.get(&p.cluster_in_kind) == 0 {
            let cluster = pins.get(&p.cluster_in_cluster);
            let members = self.ctas.values_mut().filter(|cta| cta.size > 1 && cta.cluster == cluster);
            members.for_each(|cta| cta.completes += 1);
        }
        Ok(())
    }

    fn grid_messages(&mut self, pins: &Pins, p: &GridPorts) -> Result<(), String> {
        let is_new = pins.is(&p.grid_out_valid) && !self.is_offered[1];
        self.is_offered[1] = pins.is(&p.grid_out_valid) && !pins.is(&p.grid_out_ready);
        if is_new {
            let (kind, number) = (pins.get(&p.grid_out_kind), pins.get(&p.grid_out_grid));
            let grid = self.grids.entry(number).or_default();
            grid.sent_counts[kind as usize & 1] += 1;
            if grid.sent_counts[0] > grid.begun || grid.sent_counts[1] > grid.ended.min(grid.sent_counts[0]) {
                return Err(format!("grid {number}: message {kind} to the hub of grids is not due: {grid:?}"));
            }
        }
        if pins.is(&p.grid_in_valid) {
            let is_ready = pins.get(&p.grid_in_kind) == 1;
            self.grids.entry(pins.get(&p.grid_in_grid)).or_default().is_ready = is_ready;
        }
        Ok(())
    }

    /// Checks the strobes `token` and `wake`, which output the results of operations on mbarriers:
    /// each result is output once, in order, to its registers.
    pub(super) fn tokens(&mut self, pins: &Pins) -> Result<(), String> {
        let Some(p) = &self.mbarrier else { return Ok(()) };
        self.requests += u64::from(pins.passes(&p.mem_request_valid, &p.mem_request_ready));
        self.requests = self.requests.saturating_sub(pins.get(&p.mem_response_valid));
        if pins.is(&p.token_valid) {
            let number = pins.get(&p.token_warp) as usize;
            let warp = self.warps.get_mut(number).ok_or("`token_warp` is not built")?;
            let token = warp
                .tokens
                .pop_front()
                .ok_or_else(|| format!("warp {number} gets a token, but has no operation that returns one"))?;
            if token.rd.is_none() {
                warp.wait = None;
            }
            pins.expect(&p.token_refused, 0)?;
            match token.rd {
                Some(rd) => pins.expect(&p.token_rd, rd)?,
                None => pins.expect(&p.token_pu, token.pu)?,
            }
        }
        let woken = pins.get(&p.wake_warps);
        if !pins.is(&p.wake_valid) && woken != 0 {
            return Err(format!("`wake_warps` is {woken:#x} without `wake_valid`"));
        }
        for number in bits(woken) {
            let warp = self.warps.get_mut(number).ok_or("`wake_warps` names a warp that is not built")?;
            if warp.tokens.pop_front().is_none_or(|token| !token.is_try) {
                return Err(format!("warp {number} is answered, but is not suspended"));
            }
            warp.wait = None;
        }
        Ok(())
    }
}
