// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Remote operations of `mbarrier`: those of its warps on objects of other CTAs, and those of other
//! CTAs on its objects (*Remote operations* of the page).

use super::item::Item;
use super::object::{ARRIVE, COMPLETE};
use crate::oracle::pins::{pins, Pins};
use bcu_isa::config::Config;
use bcu_isa::ports::Port;
use std::collections::{BTreeMap, VecDeque};

pins! { Ports:
    net_out_valid net_out_ready net_out_cluster net_out_rank net_out_cta net_out_object net_out_kind net_out_count net_out_bytes
    net_ack_valid net_ack_cta net_ack_absent net_in_valid net_in_ready net_in_cta net_in_object net_in_kind net_in_count net_in_bytes net_in_source
    net_reply_valid net_reply_source net_reply_absent remote launch_valid launch_cta launch_cluster launch_rank
}

/// The latency `MBARRIER_NET_OUT`, in cycles.
const NET_OUT: u64 = 3;
/// The latency `MBARRIER_NET_TOKEN`, in cycles.
pub const NET_TOKEN: u64 = 5;

pub struct Links {
    ports: Ports,
    most: u64,
    bound: u64,
    /// Cluster slot and rank of the CTA in each CTA slot.
    places: BTreeMap<u64, [u64; 2]>,
    /// Operations on objects of other CTAs that are still to be sent, in order.
    outbound: VecDeque<Item>,
    /// Operations that were sent and have no result yet.
    awaiting_result: VecDeque<Item>,
    /// Operations of other CTAs that are in flight here, in order.
    pub inbound: VecDeque<Item>,
    unacknowledged: BTreeMap<u64, u64>,
    is_offered: bool,
    /// Number of cycles for which `net_out` has offered nothing, although the CTA of the oldest operation in `outbound` has fewer
    /// unacknowledged operations than the maximum `most`.
    idle: u64,
    cycle: u64,
}

impl Links {
    pub fn new(ports: &[Port], config: &Config) -> Result<Links, String> {
        Ok(Links {
            ports: Ports::new(ports)?,
            most: config.max_remote as u64,
            bound: 40 * config.warps as u64 + 400,
            places: BTreeMap::new(),
            outbound: VecDeque::new(),
            awaiting_result: VecDeque::new(),
            inbound: VecDeque::new(),
            unacknowledged: BTreeMap::new(),
            is_offered: false,
            idle: 0,
            cycle: 0,
        })
    }

    pub fn reset(&mut self) {
        self.places.clear();
        self.outbound.clear();
        self.awaiting_result.clear();
        self.inbound.clear();
        self.unacknowledged.clear();
        (self.is_offered, self.idle) = (false, 0);
    }

    pub fn is_empty(&self) -> bool {
        self.outbound.is_empty() && self.awaiting_result.is_empty() && self.inbound.is_empty()
    }

    pub fn unacknowledged(&self, slot: u64) -> u64 {
        self.unacknowledged.get(&slot).copied().unwrap_or_default()
    }

    pub fn is_acknowledged(&self, pins: &Pins) -> bool {
        pins.is(&self.ports.net_ack_valid)
    }

    pub fn is_reply(&self, pins: &Pins) -> bool {
        pins.is(&self.ports.net_reply_valid)
    }

    /// Checks the reply of this cycle. The reply answers the oldest operation of another CTA, which takes effect in this cycle. Returns
    /// that operation.
    pub fn reply(&mut self, pins: &Pins) -> Result<Item, String> {
        let item = self.inbound.pop_front().ok_or("`net_reply`, but no operation of `net_in` is in flight")?;
        pins.expect(&self.ports.net_reply_source, item.address)?;
        pins.expect(&self.ports.net_reply_absent, 0)?;
        Ok(item)
    }

    /// The remote operation of a warp that gets its result in this cycle, if any.
    pub fn result(&mut self, warps: u64) -> Option<Item> {
        let is_first = self.awaiting_result.front().is_some_and(|item| warps == 1 << item.warp);
        if is_first {
            self.awaiting_result.pop_front()
        } else {
            None
        }
    }

    /// Whether an operation with a cluster address is remote. If so, it is queued for `net_out`.
    pub fn send(&mut self, item: Item) -> bool {
        let is_own = self.places.get(&item.cta).is_none_or(|[_, rank]| *rank == item.address);
        let is_remote = !is_own && (ARRIVE..=COMPLETE).contains(&item.kind);
        if is_remote {
            let is_prompt = self.outbound.is_empty() && self.awaiting_result.is_empty() && !self.is_offered;
            let is_prompt = is_prompt && self.unacknowledged(item.cta) < self.most;
            self.outbound.push_back(Item { is_prompt, ..item });
        }
        is_remote
    }

    /// Checks an operation that is offered on `net_out` for the first time.
    fn offer(&mut self, pins: &Pins) -> Result<(), String> {
        let p = &self.ports;
        let item = self.outbound.front().ok_or("`net_out` is valid, but no remote operation is in flight")?;
        let late = self.cycle - item.transfer_cycle;
        if late < NET_OUT || item.is_prompt && late != NET_OUT {
            return Err(format!("{item:?} is on `net_out` after {late} cycles; expected {NET_OUT}"));
        }
        if self.unacknowledged(item.cta) >= self.most {
            return Err(format!("{item:?} is on `net_out`, and {} of its CTA are unacknowledged", self.most));
        }
        let [cluster, _] = self.places.get(&item.cta).copied().unwrap_or_default();
        let fields = [
            &p.net_out_cluster,
            &p.net_out_rank,
            &p.net_out_cta,
            &p.net_out_object,
            &p.net_out_kind,
            &p.net_out_count,
            &p.net_out_bytes,
        ];
        let values = [cluster, item.address, item.cta, item.key.1, item.kind, item.count, item.bytes];
        pins.expect_strobe(&p.net_out_valid, fields, Some(values))
    }

    /// Checks and accounts for one cycle of the network ports. `stalls` is the number of cycles so
    /// far in which memory was busy; they do not count for the bounds.
    pub fn advance(&mut self, pins: &Pins, cycle: u64, stalls: u64) -> Result<(), String> {
        self.cycle = cycle;
        let is_valid = pins.is(&self.ports.net_out_valid);
        if is_valid && !self.is_offered {
            self.offer(pins)?;
        }
        let p = &self.ports;
        let is_free = self.outbound.front().is_some_and(|item| self.unacknowledged(item.cta) < self.most);
        self.idle = if is_free && !is_valid { self.idle + 1 } else { 0 };
        let is_late = |item: &Item| cycle - item.transfer_cycle > self.bound + stalls - item.stalls;
        if self.idle > self.bound + NET_OUT || self.awaiting_result.front().is_some_and(is_late) {
            return Err(format!(
                "a remote operation has no result: {:?} {:?}",
                self.outbound.front(),
                self.awaiting_result.front()
            ));
        }
        let offering = is_valid.then(|| pins.get(&p.net_out_cta));
        let busy = self.unacknowledged.iter().filter(|(_, number)| **number > 0).map(|(slot, _)| *slot).chain(offering);
        pins.expect(&p.remote, busy.fold(0, |mask, slot| mask | 1 << slot))?;
        self.is_offered = is_valid && !pins.is(&p.net_out_ready);
        if pins.is(&p.net_ack_valid) {
            if pins.is(&p.net_ack_absent) {
                return Err("a legal user sends to a CTA that is absent".to_string());
            }
            let number = self.unacknowledged.entry(pins.get(&p.net_ack_cta)).or_default();
            *number = number.checked_sub(1).ok_or("a legal user acknowledges an operation that was not sent")?;
        }
        if is_valid && !self.is_offered {
            if let Some(item) = self.outbound.pop_front() {
                *self.unacknowledged.entry(item.cta).or_default() += 1;
                self.awaiting_result.push_back(Item { transfer_cycle: cycle, stalls, ..item });
            }
        }
        if pins.passes(&p.net_in_valid, &p.net_in_ready) {
            let key = (pins.get(&p.net_in_cta), pins.get(&p.net_in_object));
            let (kind, count, bytes) = (pins.get(&p.net_in_kind), pins.get(&p.net_in_count), pins.get(&p.net_in_bytes));
            let address = pins.get(&p.net_in_source);
            self.inbound.push_back(Item { kind, key, count, bytes, address, transfer_cycle: cycle, stalls, ..Item::default() });
        }
        if pins.is(&p.launch_valid) {
            self.places.insert(pins.get(&p.launch_cta), [pins.get(&p.launch_cluster), pins.get(&p.launch_rank)]);
        }
        Ok(())
    }
}
