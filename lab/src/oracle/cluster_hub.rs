// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The oracle of `cluster_hub`, written from the second half of `docs/contract/clusters.md`.
//!
//! Checked in every cycle: the messages to every multiprocessor with their payload. An operation is
//! a message of a multiprocessor. The field `rank` of a message has no effect, as the page states.

use super::pins::{next_in_turn, Oracle, Pin, Pins};
use bcu_isa::config::Config;
use bcu_isa::ports::Port;

const PRESENT: u64 = 0;
const ARRIVED: u64 = 1;
const GONE_MESSAGE: u64 = 2;
const COMPLETE: u64 = 0;
const CLOSED: u64 = 1;

/// The link ports of one multiprocessor.
struct Link {
    /// Ports of the messages to the hub: `valid`, `kind`, `cluster`, `size`.
    from: [Pin; 4],
    /// Ports of the messages from the hub: `valid`, `kind`, `cluster`.
    to: [Pin; 3],
}

#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    /// Mask of the multiprocessors that have CTAs of the cluster; 0 if the cluster slot is free.
    members: u64,
    living: u64,
    missing: u64,
    is_odd: bool,
    is_due: bool,
}

/// The messages about a cluster slot in a cycle.
#[derive(Clone, Copy, Debug, Default)]
struct Arrivals {
    members: u64,
    size: u64,
    arrived: u64,
    /// Two numbers of messages in this cycle that report the end of a CTA. The first is that of Gone, from CTAs that have sent an even
    /// number of Arrived messages. The second is that of GoneOdd, from CTAs that have sent an odd number.
    gone_counts: [u64; 2],
}

pub struct ClusterHub {
    links: Vec<Link>,
    slots: Vec<Slot>,
    last_turn: usize,
    /// The cluster slot whose phase completes or whose cluster closes in this cycle, and the kind of the message about it.
    acting: Option<(usize, u64)>,
    /// The messages in this cycle: kind, cluster slot and receiving multiprocessors.
    messages: Option<[u64; 3]>,
    operations: u64,
}

impl ClusterHub {
    /// # Errors
    /// If a port is missing.
    pub fn new(ports: &[Port], config: &Config) -> Result<ClusterHub, String> {
        let link = |number: usize| -> Result<Link, String> {
            let pin = |side: &str, field: &str| Pin::new(ports, &format!("{side}_{number}_{field}"));
            let from = [pin("from", "valid")?, pin("from", "kind")?, pin("from", "cluster")?, pin("from", "size")?];
            Ok(Link { from, to: [pin("to", "valid")?, pin("to", "kind")?, pin("to", "cluster")?] })
        };
        Ok(ClusterHub {
            links: (0..config.sms).map(link).collect::<Result<_, _>>()?,
            slots: vec![Slot::default(); config.cluster_slots],
            last_turn: 63,
            acting: None,
            messages: None,
            operations: 0,
        })
    }

    fn compare(&self, pins: &Pins) -> Result<(), String> {
        for (number, Link { to: [valid, kind, cluster], .. }) in self.links.iter().enumerate() {
            let message = self.messages.filter(|[.., members]| members >> number & 1 == 1);
            pins.expect_strobe(valid, [kind, cluster], message.map(|[kind, cluster, _]| [kind, cluster]))?;
        }
        Ok(())
    }

    /// The messages that are received in this cycle, by cluster slot.
    fn arrivals(&mut self, pins: &Pins) -> Vec<Arrivals> {
        let mut arrivals = vec![Arrivals::default(); self.slots.len()];
        for (number, Link { from: [valid, kind, cluster, size], .. }) in self.links.iter().enumerate() {
            if !pins.is(valid) {
                continue;
            }
            self.operations += 1;
            let Some(slot) = arrivals.get_mut(pins.get(cluster) as usize) else { continue };
            match pins.get(kind) {
                PRESENT => {
                    slot.members |= 1 << number;
                    slot.size |= pins.get(size);
                }
                ARRIVED => slot.arrived += 1,
                kind => slot.gone_counts[usize::from(kind != GONE_MESSAGE)] += 1,
            }
        }
        arrivals
    }
}

impl Oracle for ClusterHub {
    fn advance(&mut self, pins: &Pins, _: u64) -> Result<(), String> {
        self.compare(pins)?;
        let arrivals = self.arrivals(pins);
        // Three stages in consecutive cycles: a cluster slot is due, it has its turn (`acting`), and its message is sent.
        let due = (0..self.slots.len()).filter(|slot| self.slots[*slot].is_due).fold(0, |mask, slot| mask | 1 << slot);
        let turn = next_in_turn(due, self.last_turn);
        let acting = self.acting;
        self.messages = acting.map(|(slot, kind)| [kind, slot as u64, self.slots[slot].members]);
        self.acting = turn.map(|slot| (slot, if self.slots[slot].living != 0 { COMPLETE } else { CLOSED }));
        self.last_turn = turn.unwrap_or(self.last_turn);
        for (number, (slot, arrivals_of_slot)) in self.slots.iter_mut().zip(&arrivals).enumerate() {
            let kind = acting.filter(|(acting, _)| *acting == number).map(|(_, kind)| kind);
            if turn == Some(number) {
                slot.is_due = false;
            }
            let all_gone = arrivals_of_slot.gone_counts[0] + arrivals_of_slot.gone_counts[1];
            if slot.members == 0 && arrivals_of_slot.members != 0 {
                (slot.living, slot.missing) = (arrivals_of_slot.size, arrivals_of_slot.size);
            }
            slot.members |= arrivals_of_slot.members;
            let (before, is_complete) = (slot.living, kind == Some(COMPLETE));
            slot.living = before.wrapping_sub(all_gone) % 32;
            // `coming`: the CTAs by which the number of missing CTAs falls. A CTA that ends counts
            // only if it has not arrived in this phase, which the parity of its number of Arrived
            // messages shows. In the cycle of a Complete, the next phase begins with all living
            // CTAs, without those that end in this cycle.
            let coming = if is_complete {
                all_gone
            } else {
                arrivals_of_slot.arrived + arrivals_of_slot.gone_counts[usize::from(slot.is_odd)]
            };
            let base = if is_complete { before } else { slot.missing };
            slot.missing = base.wrapping_sub(coming) % 32;
            slot.is_due |= slot.missing == 0 && (coming != 0 || is_complete);
            slot.is_odd ^= is_complete;
            if kind == Some(CLOSED) {
                (slot.members, slot.is_odd) = (0, false);
            }
        }
        Ok(())
    }

    fn reset(&mut self) {
        self.slots.iter_mut().for_each(|slot| *slot = Slot::default());
        (self.last_turn, self.acting, self.messages) = (63, None, None);
    }

    fn operations(&self) -> u64 {
        self.operations
    }
}
