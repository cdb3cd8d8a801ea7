// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The oracle of `mem_order`, written from `docs/contract/mem_order.md`.
//!
//! Checked:
//! - Every operation leaves once, with its fields, in the order of its warp. Operations that were not parked leave in their order of
//!   arrival.
//! - An operation that waits for accesses leaves after the accesses before it are performed, within eight rounds of the scan. The same
//!   rule says when a fence ceases to hold its warp. No operation is parked without a reason.
//! - `in_ready`, `copying`, `copies_full` and the latency `MEM_ORDER_OP` are checked in their exact cycles.
//! - `epoch`, `outstanding`, `held`, `full`, `parked` and `picked_pending` are checked when the warp has had no event for [`SETTLED`]
//!   cycles.
//! - `access_limit` rises in its exact cycle and falls within eight rounds of the scan.
//!
//! Not checked: the cycle in which the scan picks an operation, apart from the bound.

mod signals;
mod state;

use super::pins::{pins, Oracle, Pin, Pins};
use bcu_isa::config::{warp_bits, Config};
use bcu_isa::op::OpKind as Kind;
use bcu_isa::ports::{Dir, Port, When};
use state::{Field, Op, Warp};
use std::collections::VecDeque;

pins! { Ports:
    in_valid in_ready in_kind in_fault in_warp in_mbarrier in_from_instr in_release op_valid op_ready
    copy_issue_valid copy_issue_cta copy_perform_valid copy_perform_cta epoch copying copies_full held access_limit full parked op_done picked_pending commit
}

/// Number of cycles after an event of a warp in which most outputs of the warp are not compared. By
/// the page the outputs change two cycles after the event, and the oracle notices an event at the
/// ports up to two cycles late.
const SETTLED: u64 = 6;
/// The latency `MEM_ORDER_OP` that the page states, in cycles.
const MEM_ORDER_OP: u64 = 2;
/// Operations whose `MbarrierKind` is this number or more are waits.
const TEST_WAIT: u64 = 11;
/// Number of cycles from the look-up of an operation to its offer on `op`, in addition to the
/// rounds of the scan.
const BOUND_REST: u64 = 8;
/// The maximum number of rounds of the scan until a wait that is over has ended. The page promises
/// one round if `op` is always ready; `docs/evidence/oracle.md` has cases of two and three rounds.
const ROUNDS: u64 = 8;

pub struct MemOrder {
    ports: Ports,
    fields: Vec<Field>,
    issues: Vec<[Pin; 2]>,
    performs: Vec<[Pin; 3]>,
    outstanding: Option<Pin>,
    warps: Vec<Warp>,
    copies: Vec<u64>,
    most_copies: u64,
    limit: u64,
    scan: u64,
    queue: VecDeque<Op>,
    /// The operation that is offered on `op`.
    offered: Option<Op>,
    /// Masks of the warps that had more outstanding accesses in their epoch than `limit` when they issued an access: in the previous
    /// cycle, and in the cycle before it.
    rising: [u64; 2],
    /// The value of `picked_pending` in the previous cycle.
    pending_before: u64,
    /// The last cycle in which a bit of `parked` or `access_limit` was 1. The scan takes look-ups
    /// away from the head of the queue only after such a cycle.
    scanned: u64,
    /// If nothing delays the operation that was transferred last: the cycle in which it must be
    /// offered on `op`.
    due: Option<u64>,
    since_reset: u64,
    cycle: u64,
    operations: u64,
}

impl MemOrder {
    /// # Errors
    /// If a port is missing.
    pub fn new(ports: &[Port], config: &Config) -> Result<MemOrder, String> {
        let pin = |name: String| Pin::new(ports, &name);
        let mut fields = vec![];
        for port in ports.iter().filter(|port| port.dir == Dir::Out && port.name.starts_with("op_")) {
            let Ok(input) = pin(port.name.replacen("op_", "in_", 1)) else { continue };
            if !matches!(port.name.as_str(), "op_valid" | "op_ready") {
                let when = |when: &When| Ok((Pin::new(ports, &when.port)?, when.values.clone()));
                let when = port.when.iter().map(when).collect::<Result<_, String>>()?;
                fields.push(Field { input, output: pin(port.name.clone())?, when });
            }
        }
        let strobes = 0..config.accesses_per_cycle;
        let issue = |n: usize| Ok([pin(format!("issue_{n}_valid"))?, pin(format!("issue_{n}_warp"))?]);
        let perform = |n: usize| {
            Ok([pin(format!("perform_{n}_valid"))?, pin(format!("perform_{n}_warp"))?, pin(format!("perform_{n}_epoch"))?])
        };
        Ok(MemOrder {
            ports: Ports::new(ports)?,
            fields,
            issues: strobes.clone().map(issue).collect::<Result<_, String>>()?,
            performs: strobes.map(perform).collect::<Result<_, String>>()?,
            outstanding: pin("outstanding".to_string()).ok(),
            warps: vec![Warp::default(); config.warps],
            copies: vec![0; config.cta_slots],
            most_copies: config.max_copies as u64,
            limit: (config.max_outstanding as u64).saturating_sub(2 * config.accesses_per_cycle as u64),
            scan: 1 << warp_bits(config.warps),
            queue: VecDeque::new(),
            offered: None,
            rising: [0; 2],
            pending_before: 0,
            scanned: 0,
            due: None,
            since_reset: 0,
            cycle: 0,
            operations: 0,
        })
    }

    fn warp(&mut self, number: usize) -> Result<&mut Warp, String> {
        self.warps.get_mut(number).ok_or_else(|| format!("warp {number} is not built"))
    }

    /// Accounts for `op_done`: the head of the queue was parked or, if it is a fence, now holds its
    /// warp.
    fn park(&mut self, pins: &Pins) -> Result<(), String> {
        let done = pins.get(&self.ports.op_done);
        if done == 0 {
            return Ok(());
        }
        let op = self.queue.pop_front().ok_or("`op_done` names a warp, but the queue is empty")?;
        if done != 1 << op.warp || !op.is_of_warp() {
            return Err(format!("`op_done` is {done:#x}; the head of the queue is {op:?}"));
        }
        let cycle = self.cycle;
        let warp = self.warp(op.warp)?;
        if op.kind == Kind::Fence {
            // After recent events of the warp, the unit may still count its earlier waits or
            // accesses, and hold the warp until the scan finds none.
            let is_quiet = cycle > warp.changed.max(warp.accessed) + SETTLED;
            let is_fenced = !warp.is_empty() || op.owed != [0, 0] || !is_quiet;
            warp.fence = is_fenced.then_some(op.owed);
            warp.fenced_at = cycle;
            warp.idle = 0;
        } else {
            let last = warp.changed.max(warp.accessed).max(op.transfer_cycle);
            if warp.is_empty() && (!op.waits || warp.outstanding() == 0) && cycle > last + SETTLED {
                return Err(format!("{op:?} is parked, and has nothing to wait for"));
            }
            if warp.parked.len() == 3 || warp.parked.len() == 2 && op.is_of_instr || op.kind == Kind::Write {
                return Err(format!(
                    "{op:?} is parked; {} operations of its warp are, and a Write never is",
                    warp.parked.len()
                ));
            }
            warp.has_wait |= op.holds;
            if warp.parked.is_empty() {
                warp.epoch ^= 1;
                warp.idle = 0;
            }
            warp.parked.push_back(op);
        }
        warp.changed = cycle;
        Ok(())
    }

    /// Accounts for the parked operations that are picked. When an operation is picked, the bit of its warp in `picked_pending` becomes 1.
    fn pick(&mut self, pins: &Pins) -> Result<(), String> {
        let shown = pins.get(&self.ports.picked_pending);
        let risen = shown & !std::mem::replace(&mut self.pending_before, shown);
        let cycle = self.cycle;
        for (number, warp) in self.warps.iter_mut().enumerate() {
            if risen >> number & 1 == 0 || warp.is_pending {
                continue;
            }
            let op = warp
                .parked
                .pop_front()
                .ok_or_else(|| format!("warp {number} is `picked_pending`, but has no parked operation"))?;
            if op.waits && op.owed != [0, 0] {
                return Err(format!("{op:?} is picked before the accesses before it are performed"));
            }
            warp.was_full_at_pick = !warp.parked.is_empty();
            warp.epoch ^= u64::from(warp.was_full_at_pick);
            warp.pending_holds = op.holds;
            (warp.picked, warp.is_pending, warp.changed, warp.idle) = (Some(op), true, cycle, 0);
        }
        Ok(())
    }

    /// Checks an operation that is offered on `op` for the first time: it is a picked operation, or
    /// the head of the queue.
    fn offer(&mut self, pins: &Pins) -> Result<(), String> {
        let is_valid = pins.is(&self.ports.op_valid);
        if self.offered.is_some() {
            return pins.expect(&self.ports.op_valid, 1);
        }
        if !is_valid {
            return Ok(());
        }
        let fits = |op: &Op| {
            self.fields.iter().zip(&op.values).all(|(field, value)| {
                let counts = field.when.iter().all(|(pin, values)| values.contains(&pins.get(pin)));
                !counts || pins.get(&field.output) == *value
            })
        };
        // A picked operation may be offered two cycles before `picked_pending` includes its warp.
        let is_first = |warp: &&Warp| warp.picked.as_ref().or(warp.parked.front()).is_some_and(&fits);
        let picked = self.warps.iter().position(|warp| is_first(&warp));
        if let Some(number) = picked {
            let warp = &mut self.warps[number];
            let op = match warp.picked.take() {
                Some(op) => op,
                None => {
                    let op = warp.parked.pop_front().ok_or("nothing is parked")?;
                    warp.was_full_at_pick = !warp.parked.is_empty();
                    warp.epoch ^= u64::from(warp.was_full_at_pick);
                    op
                }
            };
            (warp.is_pending, warp.pending_holds, warp.changed, warp.idle) = (true, op.holds, self.cycle, 0);
            if op.waits && op.owed != [0, 0] {
                return Err(format!("{op:?} leaves before the accesses before it are performed"));
            }
            self.offered = Some(op);
            return Ok(());
        }
        let op = self.queue.front().filter(|op| fits(op)).cloned();
        let op = op.ok_or_else(|| {
            format!("`op` carries neither the head of the queue, {:?}, nor a parked operation", self.queue.front())
        })?;
        if op.is_of_warp() && op.waits && op.owed != [0, 0] {
            return Err(format!("{op:?} passes before the accesses before it are performed"));
        }
        if op.is_of_warp() && !self.warp(op.warp)?.is_empty() {
            return Err(format!("{op:?} passes a parked operation of its warp"));
        }
        self.queue.pop_front();
        self.offered = Some(op);
        Ok(())
    }

    /// Accounts for accesses and copies that are issued and performed in this cycle.
    fn access(&mut self, pins: &Pins) -> Result<(), String> {
        let epoch = pins.get(&self.ports.epoch);
        self.rising = [0, self.rising[0]];
        if self.since_reset <= self.scan {
            return Ok(());
        }
        let (cycle, limit) = (self.cycle, self.limit);
        let issues: Vec<usize> =
            self.issues.iter().filter(|[valid, _]| pins.is(valid)).map(|[_, warp]| pins.get(warp) as usize).collect();
        for number in issues {
            let present = (epoch >> number & 1) as usize;
            let warp = self.warp(number)?;
            warp.numbers[present] += 1;
            warp.accessed = cycle;
            if warp.numbers[present] > limit {
                self.rising[0] |= 1 << number;
            }
        }
        let performs: Vec<[usize; 2]> = self
            .performs
            .iter()
            .filter(|[valid, ..]| pins.is(valid))
            .map(|[_, warp, epoch]| [pins.get(warp) as usize, pins.get(epoch) as usize])
            .collect();
        for [number, epoch] in performs {
            let queued = self.queue.iter_mut().filter(|op| op.warp == number);
            queued.for_each(|op| op.owed[epoch] = op.owed[epoch].saturating_sub(1));
            let warp = self.warp(number)?;
            warp.numbers[epoch] =
                warp.numbers[epoch].checked_sub(1).ok_or("a legal user performs an access that was not issued")?;
            warp.accessed = cycle;
            for owed in warp.parked.iter_mut().map(|op| &mut op.owed).chain(warp.fence.as_mut()) {
                owed[epoch] = owed[epoch].saturating_sub(1);
            }
        }
        let rising = self.rising[0];
        for (number, warp) in self.warps.iter_mut().enumerate() {
            let is_high = warp.numbers[(epoch >> number & 1) as usize] > limit;
            warp.low = if is_high || rising >> number & 1 == 1 { 0 } else { warp.low + 1 };
        }
        Ok(())
    }

    fn copy(&mut self, pins: &Pins) {
        let p = &self.ports;
        let named = |valid: &Pin, slot: &Pin| pins.is(valid).then(|| pins.get(slot) as usize);
        let (issue, perform) =
            (named(&p.copy_issue_valid, &p.copy_issue_cta), named(&p.copy_perform_valid, &p.copy_perform_cta));
        for (slot, number) in self.copies.iter_mut().enumerate() {
            let (issues, performs) = (issue == Some(slot) && *number < self.most_copies, perform == Some(slot) && *number > 0);
            // An issue and a perform of the same CTA in one cycle cancel out, even if the CTA has
            // no copy outstanding: a copy may be performed in the cycle of its issue.
            let at_once = issue == Some(slot) && perform == Some(slot);
            if !at_once {
                *number = *number + u64::from(issues) - u64::from(performs);
            }
        }
    }

    /// Accounts for the operation that is transferred into the unit in this cycle, if any.
    fn take(&mut self, pins: &Pins) -> Result<(), String> {
        let p = &self.ports;
        if !pins.passes(&p.in_valid, &p.in_ready) {
            return Ok(());
        }
        let number = pins.get(&p.in_kind);
        let kind = *Kind::ALL.get(number as usize).ok_or_else(|| format!("`in_kind` is {number}; expected 0 to 15"))?;
        if pins.get(&p.in_fault) != 0 {
            return Err("a legal user sends an operation with a fault".to_string());
        }
        let is_of_instr = pins.is(&p.in_from_instr);
        let (warp, is_mbarrier) = (pins.get(&p.in_warp) as usize, kind == Kind::Mbarrier);
        let holds = matches!(kind, Kind::Sync | Kind::Reduce | Kind::ClusterWait | Kind::GridWait)
            || is_mbarrier && pins.get(&p.in_mbarrier) >= TEST_WAIT;
        let waits = matches!(kind, Kind::Sync | Kind::Arrive | Kind::Reduce | Kind::ClusterArrive)
            || is_mbarrier && pins.is(&p.in_release);
        let values = self.fields.iter().map(|field| pins.get(&field.input)).collect();
        let is_calm = self.queue.is_empty() && self.offered.is_none() && self.cycle > self.scanned + 2;
        let cycle = self.cycle;
        let warp_state = self.warp(warp)?;
        let owed = warp_state.numbers;
        let passes = !waits || owed == [0, 0] && cycle > warp_state.accessed + SETTLED;
        let is_quiet = cycle > warp_state.changed + SETTLED;
        if is_calm && passes && is_quiet && kind != Kind::Fence && self.warps.iter().all(Warp::is_empty) {
            self.due = Some(cycle + MEM_ORDER_OP);
        }
        self.queue.push_back(Op { kind, warp, is_of_instr, holds, waits, values, owed, transfer_cycle: self.cycle });
        self.operations += 1;
        Ok(())
    }

    /// Accounts for the waits that end: those of picked operations that take effect, and those of fences. Counts for how many cycles the
    /// first parked operation of each warp, or its fence, has had nothing to wait for.
    fn end(&mut self, pins: &Pins) {
        let (commit, held, cycle) = (pins.get(&self.ports.commit), pins.get(&self.ports.held), self.cycle);
        let is_stalled = pins.is(&self.ports.op_valid) && !pins.is(&self.ports.op_ready);
        for (number, warp) in self.warps.iter_mut().enumerate() {
            if commit >> number & 1 == 1 && warp.is_pending && warp.picked.is_none() {
                (warp.is_pending, warp.was_full_at_pick, warp.pending_holds, warp.changed) = (false, false, false, cycle);
            }
            if warp.is_empty() && warp.fence == Some([0, 0]) && held >> number & 1 == 0 && cycle > warp.fenced_at + 1 {
                (warp.fence, warp.changed) = (None, cycle);
            }
            warp.has_wait &= !warp.is_empty();
            let first = warp.parked.front().filter(|_| !warp.is_pending);
            // A parked operation of any kind waits for the accesses of the other epoch.
            let may_go = first.is_some() && warp.numbers[(warp.epoch ^ 1) as usize & 1] == 0;
            let may_end = warp.fence == Some([0, 0]) && warp.is_empty();
            warp.idle = if (may_go || may_end) && !is_stalled { warp.idle + 1 } else { 0 };
            // The page bounds only the time after an access is performed. After other events, such
            // as a commit, the oracle allows twice that bound.
            warp.is_access = warp.idle > 1 && warp.is_access || warp.idle == 1 && warp.accessed == cycle;
        }
    }
}

impl Oracle for MemOrder {
    fn advance(&mut self, pins: &Pins, cycle: u64) -> Result<(), String> {
        self.cycle = cycle;
        self.since_reset += 1;
        if pins.get(&self.ports.parked) | pins.get(&self.ports.access_limit) != 0 {
            self.scanned = self.cycle;
        }
        self.park(pins)?;
        self.pick(pins)?;
        self.offer(pins)?;
        self.compare(pins)?;
        if pins.passes(&self.ports.op_valid, &self.ports.op_ready) {
            self.offered = None;
        }
        self.take(pins)?;
        self.access(pins)?;
        self.copy(pins);
        self.end(pins);
        Ok(())
    }

    fn reset(&mut self) {
        self.warps.iter_mut().for_each(|warp| *warp = Warp::default());
        self.copies.iter_mut().for_each(|number| *number = 0);
        self.queue.clear();
        (self.offered, self.rising, self.since_reset) = (None, [0; 2], 0);
        (self.pending_before, self.due) = (0, None);
    }

    fn operations(&self) -> u64 {
        self.operations
    }
}
