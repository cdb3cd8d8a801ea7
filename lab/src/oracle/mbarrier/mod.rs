// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The oracle of `mbarrier`, written from `docs/contract/mbarrier.md`. The oracle has no cache: it
//! holds the word of each object.
//!
//! The oracle reads the order of the decisions from the outputs: each cycle outputs at most one decision, as a `commit`, a `tx_done` or a
//! `net_reply`.
//!
//! Checked:
//! - Each operation takes effect once, in the order of its source. The previous word, the predicate and the registers in `token` are right.
//! - A completion wakes all warps that are suspended on its object, in the same cycle.
//! - A suspended warp gets the answer false for one of two reasons. A time-out, neither early nor late, answers this warp alone. An
//!   eviction of the object answers all warps that are suspended on it, and must have a reason.
//! - `suspended` and `leaving` are right in every cycle.
//! - Data read from memory is the data written. Written data is the word of the object: for all words of a CTA that is saved, and for no
//!   word of a CTA that leaves without `saved`.
//! - `net_out`, `remote` and the maximum number of unacknowledged operations are right.
//! - No latency is shorter than on the page. The latencies of a hit with no older operation, and of `net_out`, are exact. Every operation
//!   is done within a bound.
//!
//! Not checked: which source has its turn in which cycle, and the exact cycles of `op_ready`, `tx_ready`, `net_in_ready`.

mod item;
mod links;
mod object;
mod suspension;

use super::pins::{pins, Oracle, Pin, Pins};
use bcu_isa::config::Config;
use bcu_isa::ports::Port;
use item::{Item, Request, Suspension};
use object::{entry, has_token, Key, Object, COMPLETE, INIT, INVAL, TEST_WAIT, TRY_WAIT};
use std::collections::{BTreeMap, VecDeque};

pins! { Ports:
    op_valid op_ready op_kind op_fault op_uniform op_warp op_cta op_address op_cluster op_count op_bytes op_phase op_hint op_all_live_lanes op_rd op_pu
    tx_valid tx_ready tx_cta tx_object tx_count tx_bytes tx_done_valid tx_done_cta wait_limit
    retire_valid retire_cta retire_saved retire_warps retired_valid retired_cta leaving
    mem_request_valid mem_request_ready mem_request_write mem_request_cta mem_request_object mem_request_data mem_response_valid mem_response_data
    token_valid token_warp token_word token_predicate token_refused token_rd token_pu wake_valid wake_warps wake_value
    commit_valid commit_warps commit_refused suspended fault_valid
}

/// Cycles from the transfer of a hit to `commit`, as the page states.
const CACHE_HIT_LATENCY: u64 = 4;
/// Cycles from a transfer on `tx` to `tx_done`, as the page states.
const TX_DONE: u64 = 5;

pub struct Mbarrier {
    ports: Ports,
    config: Config,
    links: Option<links::Links>,
    /// Operations of warps in flight, the oldest first. Operations of other CTAs are in `links`.
    local: VecDeque<Item>,
    /// Operations of copies in flight, the oldest first.
    tx: VecDeque<Item>,
    objects: BTreeMap<Key, Object>,
    memory: BTreeMap<Key, u64>,
    /// For each cache entry, the object that must be in it; absent if this is not certain.
    entries: BTreeMap<u64, Key>,
    suspended: BTreeMap<usize, Suspension>,
    /// Objects of CTAs that leave without `saved`, if warps were suspended on them.
    abandoned: Vec<Key>,
    requests: VecDeque<Request>,
    is_offered: bool,
    /// For each CTA slot whose CTA is leaving: whether the CTA is saved, and the cycle in which it started to leave.
    leaving: BTreeMap<u64, (bool, u64)>,
    /// The last cycle in which a CTA was retired, an acknowledgement was received, or no CTA was leaving; and the value of `stalls` in that
    /// cycle. The time limit of the next walk counts from that cycle.
    last_end: (u64, u64),
    /// The values of `wait_limit` one cycle and two cycles ago.
    limits: [u64; 2],
    /// `stalls`: the number of cycles in which a request to memory was offered or unanswered.
    /// `answers`: the number of cycles in which suspended warps were answered false.
    stalls: u64,
    answers: u64,
    cycle: u64,
    operations: u64,
}

impl Mbarrier {
    /// # Errors
    /// If a port is missing, or the configuration is not covered.
    pub fn new(ports: &[Port], config: &Config) -> Result<Mbarrier, String> {
        if !config.faults {
            return Err("the oracle of `mbarrier` covers configurations with faults".to_string());
        }
        Ok(Mbarrier {
            ports: Ports::new(ports)?,
            config: config.clone(),
            links: if config.has_clusters() { Some(links::Links::new(ports, config)?) } else { None },
            local: VecDeque::new(),
            tx: VecDeque::new(),
            objects: BTreeMap::new(),
            memory: BTreeMap::new(),
            entries: BTreeMap::new(),
            suspended: BTreeMap::new(),
            abandoned: vec![],
            requests: VecDeque::new(),
            is_offered: false,
            leaving: BTreeMap::new(),
            limits: [1; 2],
            last_end: (0, 0),
            stalls: 0,
            answers: 0,
            cycle: 0,
            operations: 0,
        })
    }

    /// The maximum number of cycles until an operation takes effect, without the cycles in which memory is busy.
    fn bound(&self) -> u64 {
        40 * self.config.warps as u64 + 400
    }

    fn entry_of(&self, key: Key) -> u64 {
        entry(&self.config, key)
    }

    /// The candidates for the next decision: the oldest operation of each source.
    fn candidates(&self) -> impl Iterator<Item = &Item> {
        let net = self.links.as_ref().and_then(|links| links.inbound.front());
        self.local.front().into_iter().chain(self.tx.front()).chain(net)
    }

    /// Applies an operation. Returns the object before it, and the warps that wake if it completes
    /// a phase.
    fn effect(&mut self, item: &Item) -> Result<(Object, u64), String> {
        let index = self.entry_of(item.key);
        if item.kind == INIT {
            self.entries.insert(index, item.key);
            let object = Object::new(item.count);
            self.objects.insert(item.key, object);
            return Ok((object, 0));
        }
        if item.kind == INVAL {
            self.objects.remove(&item.key);
            self.entries.retain(|_, key| *key != item.key);
            return Ok((Object::new(0), 0));
        }
        let object =
            self.objects.get_mut(&item.key).ok_or_else(|| format!("{item:?} takes effect, but its word is unknown"))?;
        let before = *object;
        let completes = object.apply(item.kind, item.count, item.bytes)?;
        let holds_other = self.entries.get(&index).is_some_and(|key| *key != item.key);
        // After an operation that is not a wait, its object is in the entry. A wait does not evict
        // an object on which warps are suspended, so after it the entry may have either object.
        if item.kind < TEST_WAIT {
            self.entries.insert(index, item.key);
        } else if holds_other {
            self.entries.remove(&index);
        }
        let woken = self.suspended.iter().filter(|(_, suspension)| completes && suspension.key == item.key);
        Ok((before, woken.fold(0, |mask, (warp, _)| mask | 1 << warp)))
    }

    /// Checks the decision that `commit`, `tx_done` or `net_reply` reports in this cycle. Returns
    /// the warps that it wakes.
    fn decision(&mut self, pins: &Pins) -> Result<u64, String> {
        let p = &self.ports;
        let (is_commit, is_tx) = (pins.is(&p.commit_valid), pins.is(&p.tx_done_valid));
        let is_reply = self.links.as_ref().is_some_and(|links| links.is_reply(pins));
        if u8::from(is_commit) + u8::from(is_tx) + u8::from(is_reply) > 1 {
            return Err("more than one of `commit`, `tx_done` and `net_reply` is valid".to_string());
        }
        pins.expect(&p.commit_refused, 0)?;
        if !is_commit {
            pins.expect(&p.commit_warps, 0)?;
            pins.expect(&p.token_valid, 0)?;
        }
        if is_commit {
            return self.commit(pins);
        }
        let (item, least) = if is_tx {
            let item = self.tx.pop_front().ok_or("`tx_done`, but no operation of `tx` is in flight")?;
            pins.expect(&p.tx_done_cta, item.key.0)?;
            (item, TX_DONE)
        } else if is_reply {
            let Some(links) = self.links.as_mut() else { return Ok(0) };
            (links.reply(pins)?, TX_DONE)
        } else {
            return Ok(0);
        };
        if self.cycle < item.transfer_cycle + least {
            return Err(format!("{item:?} has its effect after {} cycles", self.cycle - item.transfer_cycle));
        }
        Ok(self.effect(&item)?.1)
    }

    /// Checks a commit: it is the result of a remote operation, or else the decision on the oldest operation of a warp. Returns the warps
    /// that the operation wakes.
    fn commit(&mut self, pins: &Pins) -> Result<u64, String> {
        let warps = pins.get(&self.ports.commit_warps);
        if let Some(item) = self.links.as_mut().and_then(|links| links.result(warps)) {
            if self.cycle < item.transfer_cycle + links::NET_TOKEN {
                return Err(format!("{item:?} has its result {} cycles after its transfer", self.cycle - item.transfer_cycle));
            }
            let token = has_token(item.kind).then_some([item.warp as u64, 0, 0, 0, item.rd, item.pu]);
            self.expect_token(pins, token)?;
            return Ok(0);
        }
        let item = self.local.pop_front().filter(|item| warps == 1 << item.warp);
        let item = item.ok_or_else(|| format!("`commit_warps` is {warps:#x}; expected the warp of the next operation"))?;
        let late = self.cycle - item.transfer_cycle;
        if late < CACHE_HIT_LATENCY || item.is_prompt && late != CACHE_HIT_LATENCY {
            return Err(format!("`commit` of {item:?} after {late} cycles; expected {CACHE_HIT_LATENCY}"));
        }
        let (before, woken) = self.effect(&item)?;
        let predicate = u64::from(item.kind >= TEST_WAIT && before.phase != item.phase);
        // If warps were suspended on another object of the entry when the word was read, the unit
        // may answer false instead of suspending the warp. The oracle accepts both; `token_valid`
        // shows which of them the unit did.
        let is_false_try = item.kind == TRY_WAIT && predicate == 0 && item.may_suspend;
        let is_suspended = is_false_try && !(item.is_beside && pins.is(&self.ports.token_valid));
        let token = [item.warp as u64, before.word(), predicate, 0, item.rd, item.pu];
        self.expect_token(pins, (has_token(item.kind) && !is_suspended).then_some(token))?;
        if is_suspended {
            let limit = if item.hint != 0 { item.hint.min(self.limits[1]) } else { self.limits[1] };
            let (since, stalls, answers) = (self.cycle - 1, self.stalls, self.answers);
            self.suspended.insert(item.warp, Suspension { key: item.key, since, limit, stalls, answers });
        }
        Ok(woken)
    }

    fn expect_token(&self, pins: &Pins, token: Option<[u64; 6]>) -> Result<(), String> {
        let p = &self.ports;
        let fields = [&p.token_warp, &p.token_word, &p.token_predicate, &p.token_refused, &p.token_rd, &p.token_pu];
        pins.expect_strobe(&p.token_valid, fields, token)
    }

    /// Checks the channel to memory, and accounts for its requests and answers.
    fn remember(&mut self, pins: &Pins) -> Result<(), String> {
        let p = &self.ports;
        let key = (pins.get(&p.mem_request_cta), pins.get(&p.mem_request_object));
        let request = Request { is_write: pins.is(&p.mem_request_write), key, data: pins.get(&p.mem_request_data) };
        let is_valid = pins.is(&p.mem_request_valid);
        if is_valid && !self.is_offered {
            let is_inval = self.local.front().is_some_and(|item| item.kind == INVAL && item.key == key);
            let word = self.objects.get(&key).map(Object::word);
            if request.is_write && !(is_inval && request.data == 0) && word != Some(request.data) {
                return Err(format!("memory request {request:x?}: the data differ from the object, {:x?}", word));
            }
            let is_lost = self.leaving.get(&key.0).is_some_and(|(is_saved, since)| !is_saved && self.cycle > since + 1);
            if request.is_write && is_lost {
                return Err(format!("memory request {request:x?}: a write for a CTA that has left without `saved`"));
            }
            if !request.is_write && (request.data != 0 || !self.candidates().any(|item| item.key == key)) {
                return Err(format!("memory request {request:x?}: a read without an operation"));
            }
            if self.requests.len() > 2 {
                return Err(format!(
                    "memory request {request:x?}: offered while {} requests are unanswered",
                    self.requests.len()
                ));
            }
            let index = self.entry_of(key);
            let mut others = self.suspended.values().map(|other| other.key).chain(self.abandoned.iter().copied());
            let is_beside = others.any(|other| other != key && self.entry_of(other) == index);
            if let Some(item) = self.local.front_mut().filter(|item| item.key == key) {
                item.is_beside |= is_beside && !request.is_write;
            }
        }
        self.is_offered = is_valid && !pins.is(&p.mem_request_ready);
        self.stalls += u64::from(is_valid || !self.requests.is_empty());
        if pins.is(&p.mem_response_valid) {
            let request = self.requests.pop_front().ok_or("a legal user answers without a request")?;
            let data = pins.get(&p.mem_response_data);
            if !request.is_write {
                let known = self.objects.entry(request.key).or_insert(Object::from_word(data)).word();
                if known != data {
                    return Err(format!("memory response for {:x?}: {data:#x}; expected {known:#x}", request.key));
                }
                self.memory.insert(request.key, data);
            }
        }
        if is_valid && !self.is_offered {
            if request.is_write {
                self.memory.insert(key, request.data);
            }
            self.requests.push_back(request);
        }
        Ok(())
    }

    /// Accounts for the operations of warps and copies that are transferred in this cycle.
    fn take(&mut self, pins: &Pins) -> Result<(), String> {
        let p = &self.ports;
        let get = |pin: &Pin| pins.get(pin);
        let (transfer_cycle, stalls) = (self.cycle, self.stalls);
        if pins.passes(&p.tx_valid, &p.tx_ready) {
            let (count, bytes) = (get(&p.tx_count), get(&p.tx_bytes));
            let kind = if bytes == 0 { object::ARRIVE } else { COMPLETE };
            let key = (get(&p.tx_cta), get(&p.tx_object));
            self.tx.push_back(Item { kind, key, count, bytes, transfer_cycle, stalls, ..Item::default() });
        }
        if !pins.passes(&p.op_valid, &p.op_ready) {
            return Ok(());
        }
        if get(&p.op_fault) != 0 || !pins.is(&p.op_uniform) {
            return Err("a legal user sends an operation with a fault".to_string());
        }
        self.operations += 1;
        let address = get(&p.op_address);
        let item = Item {
            kind: get(&p.op_kind),
            key: (get(&p.op_cta), (address & 0xff_ffff) / 8),
            count: get(&p.op_count),
            bytes: get(&p.op_bytes),
            warp: get(&p.op_warp) as usize,
            phase: get(&p.op_phase),
            hint: get(&p.op_hint),
            may_suspend: pins.is(&p.op_all_live_lanes),
            rd: get(&p.op_rd),
            pu: get(&p.op_pu),
            address: address >> 24,
            cta: get(&p.op_cta),
            transfer_cycle,
            stalls,
            is_prompt: false,
            is_beside: false,
        };
        let is_remote_form = pins.is(&p.op_cluster);
        if self.links.as_mut().is_some_and(|links| is_remote_form && links.send(item)) {
            return Ok(());
        }
        let is_hit = self.entries.get(&self.entry_of(item.key)) == Some(&item.key);
        let is_calm = self.local.is_empty() && self.tx.is_empty() && self.suspended.is_empty() && self.leaving.is_empty();
        let is_calm = is_calm && self.requests.is_empty() && !self.is_offered && !pins.is(&p.tx_valid);
        let is_alone = self.links.as_ref().is_none_or(|links| links.is_empty());
        let is_prompt = is_hit && is_calm && is_alone && item.kind != INVAL && item.kind != INIT;
        self.local.push_back(Item { is_prompt, ..item });
        Ok(())
    }

    /// Accounts for the CTAs that launch and retire in this cycle.
    fn ctas(&mut self, pins: &Pins) -> Result<(), String> {
        let p = &self.ports;
        if self.leaving.is_empty() || self.links.as_ref().is_some_and(|links| links.is_acknowledged(pins)) {
            self.last_end = (self.cycle, self.stalls);
        }
        if pins.is(&p.retired_valid) {
            self.last_end = (self.cycle, self.stalls);
            let slot = pins.get(&p.retired_cta);
            let (is_saved, _) =
                self.leaving.remove(&slot).ok_or_else(|| format!("CTA slot {slot} is retired, but was not leaving"))?;
            if self.is_offered || self.requests.iter().any(|request| request.key.0 == slot) {
                return Err(format!("CTA slot {slot} is retired while a memory request of it is unanswered"));
            }
            let of_slot = |key: &Key| key.0 == slot;
            let mut saved_objects = self.objects.iter().filter(|(key, _)| is_saved && of_slot(key));
            if let Some((key, object)) = saved_objects.find(|(key, object)| self.memory.get(key) != Some(&object.word())) {
                return Err(format!(
                    "CTA slot {slot} is retired and saved, but the value {:#x} of {key:x?} is not written",
                    object.word()
                ));
            }
            self.objects.retain(|key, _| !of_slot(key));
            self.memory.retain(|key, _| !of_slot(key));
            self.abandoned.retain(|key| !of_slot(key));
            self.entries.retain(|_, key| !of_slot(key));
        }
        pins.expect(&p.leaving, self.leaving.keys().fold(0, |mask, slot| mask | 1 << slot))
    }

    fn leave(&mut self, pins: &Pins) {
        let p = &self.ports;
        if pins.is(&p.retire_valid) {
            let is_saved = pins.is(&p.retire_saved);
            self.leaving.insert(pins.get(&p.retire_cta), (is_saved, self.cycle));
            if !is_saved {
                let warps = pins.get(&p.retire_warps);
                let suspended_of_warps = self.suspended.iter().filter(|(warp, _)| warps >> *warp & 1 == 1);
                self.abandoned.extend(suspended_of_warps.map(|(_, suspension)| suspension.key));
                self.suspended.retain(|warp, _| warps >> warp & 1 == 0);
            }
        }
    }

    /// Fails if an operation, or the walk of a leaving CTA, takes longer than its bound.
    fn patience(&self) -> Result<(), String> {
        let age = |since: u64, stalls: u64| (self.cycle - since).saturating_sub(self.stalls - stalls);
        if let Some(item) = self.candidates().find(|item| age(item.transfer_cycle, item.stalls) > self.bound()) {
            return Err(format!("{item:?} has had no effect for {} cycles", self.cycle - item.transfer_cycle));
        }
        // Walks run one at a time, the lowest CTA slot first. A walk starts when the CTA has no
        // unacknowledged operation. While a walk can start or runs, one must end within the bound.
        let may_go = |slot: &u64| self.links.as_ref().is_none_or(|links| links.unacknowledged(*slot) == 0);
        let first = self.leaving.iter().filter(|(slot, _)| may_go(slot)).map(|(_, (_, since))| *since).min();
        let most = self.bound() + 20 * self.config.mbarrier_objects as u64;
        let (last, stalls) = self.last_end;
        if first.is_some_and(|since| age(since.max(last), stalls) > most) {
            return Err(format!("no leaving CTA has been retired for {most} cycles: {:?}", self.leaving));
        }
        Ok(())
    }
}

impl Oracle for Mbarrier {
    fn advance(&mut self, pins: &Pins, cycle: u64) -> Result<(), String> {
        self.cycle = cycle;
        pins.expect(&self.ports.fault_valid, 0)?;
        self.refuse_false_answers(pins)?;
        let woken = self.decision(pins)?;
        self.answer(pins, woken)?;
        self.ctas(pins)?;
        self.remember(pins)?;
        if let Some(links) = self.links.as_mut() {
            links.advance(pins, self.cycle, self.stalls)?;
        }
        self.take(pins)?;
        self.leave(pins);
        self.limits = [pins.get(&self.ports.wait_limit), self.limits[0]];
        self.patience()
    }

    fn reset(&mut self) {
        (self.local, self.tx) = (VecDeque::new(), VecDeque::new());
        self.objects.clear();
        self.memory.clear();
        self.entries.clear();
        self.suspended.clear();
        self.leaving.clear();
        self.abandoned.clear();
        self.requests.clear();
        self.is_offered = false;
        if let Some(links) = self.links.as_mut() {
            links.reset();
        }
    }

    fn operations(&self) -> u64 {
        self.operations
    }
}
