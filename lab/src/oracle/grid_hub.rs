// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The oracle of `grid_hub`, written from the second half of `docs/contract/grids.md`.
//!
//! Checked in every cycle: the messages to every multiprocessor, the answers to the host, `flush`,
//! `may_launch`, `open_grids`, `flushed_grids`. An operation is a message of a multiprocessor, an
//! open or a close. Whether an open or close is refused is predicted as well.

use super::pins::{bits, next_in_turn, pins, Oracle, Pin, Pins};
use bcu_isa::config::Config;
use bcu_isa::ports::Port;

pins! { Ports:
    open_valid open_ready open_grid open_ctas open_prerequisites open_early opened_valid opened_grid opened_refused
    close_valid close_ready close_grid closed_valid closed_grid closed_refused flush_valid flush_ready flush_grid flushed_valid flushed_grid
    may_launch open_grids flushed_grids
}

const LAUNCHED_DEPENDENTS: u64 = 0;
const OPENED: u64 = 0;
const READY: u64 = 1;
/// Width in bits of the count of CTAs that have sent LaunchedDependents and not yet Ended.
const UNENDED_BITS: u64 = 13;

/// The ports `valid`, `kind` and `grid` of one direction of a link.
type Way = [Pin; 3];

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Phase {
    #[default]
    Unused,
    Open,
    Flushing,
    Flushed,
}

#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    phase: Phase,
    unissued: u64,
    unended: u64,
    /// Whether `unissued` was 0 in the previous cycle.
    all_issued: bool,
    /// Whether `unissued` and `unended` were 0 in the previous cycle.
    all_ended: bool,
    prerequisites: u64,
    is_early: bool,
    has_opened: bool,
    has_readied: bool,
    is_requested: bool,
}

pub struct GridHub {
    ports: Ports,
    from: Vec<Way>,
    to: Vec<Way>,
    slots: Vec<Slot>,
    /// Messages received in the previous cycle: kind and grid.
    previous_messages: Vec<[u64; 2]>,
    last_flush: usize,
    last_message: usize,
    flush: Option<[u64; 1]>,
    message: Option<[u64; 2]>,
    opened: Option<[u64; 2]>,
    closed: Option<[u64; 2]>,
    may_launch: u64,
    operations: u64,
}

impl GridHub {
    /// # Errors
    /// If a port is missing.
    pub fn new(ports: &[Port], config: &Config) -> Result<GridHub, String> {
        let way = |side: &str, number: usize| -> Result<Way, String> {
            let pin = |field: &str| Pin::new(ports, &format!("{side}_{number}_{field}"));
            Ok([pin("valid")?, pin("kind")?, pin("grid")?])
        };
        Ok(GridHub {
            ports: Ports::new(ports)?,
            from: (0..config.sms).map(|number| way("from", number)).collect::<Result<_, _>>()?,
            to: (0..config.sms).map(|number| way("to", number)).collect::<Result<_, _>>()?,
            slots: vec![Slot::default(); config.grid_slots],
            previous_messages: vec![],
            last_flush: 63,
            last_message: 63,
            flush: None,
            message: None,
            opened: None,
            closed: None,
            may_launch: 0,
            operations: 0,
        })
    }

    fn mask(&self, holds: impl Fn(&Slot) -> bool) -> u64 {
        let set = self.slots.iter().enumerate().filter(|(_, slot)| holds(slot));
        set.fold(0, |mask, (number, _)| mask | 1 << number)
    }

    fn compare(&self, pins: &Pins) -> Result<(), String> {
        let p = &self.ports;
        for [valid, kind, grid] in &self.to {
            pins.expect_strobe(valid, [kind, grid], self.message)?;
        }
        pins.expect(&p.open_ready, 1)?;
        pins.expect(&p.close_ready, 1)?;
        pins.expect_strobe(&p.opened_valid, [&p.opened_grid, &p.opened_refused], self.opened)?;
        pins.expect_strobe(&p.closed_valid, [&p.closed_grid, &p.closed_refused], self.closed)?;
        pins.expect_strobe(&p.flush_valid, [&p.flush_grid], self.flush)?;
        pins.expect(&p.may_launch, self.may_launch)?;
        pins.expect(&p.open_grids, self.mask(|slot| slot.phase == Phase::Open))?;
        pins.expect(&p.flushed_grids, self.mask(|slot| slot.phase == Phase::Flushed))
    }

    /// Predicts the request on `flush` in the next cycle.
    fn request(&mut self, pins: &Pins) {
        if self.flush.is_some() {
            self.flush = self.flush.filter(|_| !pins.is(&self.ports.flush_ready));
            return;
        }
        let waiting = self.mask(|slot| slot.phase == Phase::Flushing && !slot.is_requested);
        if let Some(grid) = next_in_turn(waiting, self.last_flush) {
            self.last_flush = grid;
            self.slots[grid].is_requested = true;
            self.flush = Some([grid as u64]);
        }
    }

    /// Predicts the message that all multiprocessors receive in the next cycle.
    fn send(&mut self) {
        let needs_opened = |slot: &Slot| slot.phase == Phase::Open && !slot.has_opened;
        let needs_ready =
            |slot: &Slot| slot.phase == Phase::Open && slot.has_opened && !slot.has_readied && slot.prerequisites == 0;
        let due = self.mask(|slot| needs_opened(slot) || needs_ready(slot));
        self.message = None;
        if let Some(grid) = next_in_turn(due, self.last_message) {
            self.last_message = grid;
            let slot = &mut self.slots[grid];
            let kind = if needs_opened(slot) { OPENED } else { READY };
            (slot.has_opened, slot.has_readied) = (true, kind == READY);
            self.message = Some([kind, grid as u64]);
        }
    }

    /// Counts the messages that were received in the previous cycle.
    fn count(&mut self) {
        for [kind, grid] in std::mem::take(&mut self.previous_messages) {
            let Some(slot) = self.slots.get_mut(grid as usize) else { continue };
            if kind == LAUNCHED_DEPENDENTS {
                slot.unissued = slot.unissued.wrapping_sub(1) & 0xffff_ffff;
                slot.unended += 1;
            } else {
                slot.unended = slot.unended.wrapping_sub(1);
            }
            slot.unended &= (1 << UNENDED_BITS) - 1;
        }
    }
}

impl Oracle for GridHub {
    fn advance(&mut self, pins: &Pins, _: u64) -> Result<(), String> {
        self.compare(pins)?;
        let before = self.slots.clone();
        let p = &self.ports;
        let passes = |valid, ready, grid: &Pin| pins.passes(valid, ready).then(|| pins.get(grid) as usize);
        let opens = passes(&p.open_valid, &p.open_ready, &p.open_grid);
        let closes = passes(&p.close_valid, &p.close_ready, &p.close_grid);
        let (ctas, named, is_early) = (pins.get(&p.open_ctas), pins.get(&p.open_prerequisites), pins.is(&p.open_early));
        let flushed = pins.is(&p.flushed_valid).then(|| pins.get(&p.flushed_grid) as usize);
        let flushed = flushed.filter(|grid| before.get(*grid).is_some_and(|slot| slot.phase == Phase::Flushing));
        let in_flight =
            self.mask(|slot| matches!(slot.phase, Phase::Open | Phase::Flushing)) & !flushed.map_or(0, |grid| 1 << grid);
        let launches = |slot: &Slot| {
            let issued = bits(slot.prerequisites).all(|grid| before.get(grid).is_some_and(|slot| slot.all_issued));
            slot.phase == Phase::Open && (slot.prerequisites == 0 || slot.is_early && issued)
        };
        // `may_launch` of the next cycle follows from the state at the beginning of this cycle.
        self.may_launch = self.mask(launches);
        let messages =
            self.from.iter().filter(|[valid, ..]| pins.is(valid)).map(|[_, kind, grid]| [pins.get(kind), pins.get(grid)]);
        let messages: Vec<[u64; 2]> = messages.collect();
        self.operations += messages.len() as u64 + u64::from(opens.is_some()) + u64::from(closes.is_some());
        self.request(pins);
        self.send();
        self.count();
        self.previous_messages = messages;
        for (slot, slot_before) in self.slots.iter_mut().zip(&before) {
            // The hub registers these conditions, so in the next cycle they have the values of the
            // counts at the beginning of this cycle.
            slot.all_issued = slot_before.unissued == 0;
            slot.all_ended = slot_before.unissued == 0 && slot_before.unended == 0;
            if slot_before.phase == Phase::Open && slot_before.all_ended {
                slot.phase = Phase::Flushing;
            }
            slot.prerequisites &= !flushed.map_or(0, |grid| 1 << grid);
        }
        if let Some(grid) = flushed {
            self.slots[grid].phase = Phase::Flushed;
        }
        let is_in = |grid: usize, phase: Phase| before.get(grid).is_some_and(|slot| slot.phase == phase);
        self.closed = closes.map(|grid| [grid as u64, u64::from(!is_in(grid, Phase::Flushed))]);
        if let Some([grid, 0]) = self.closed {
            self.slots[grid as usize].phase = Phase::Unused;
        }
        self.opened = opens.map(|grid| [grid as u64, u64::from(!is_in(grid, Phase::Unused) || ctas == 0)]);
        if let Some([grid, 0]) = self.opened {
            // Of the named grids, only those that are open or being flushed become prerequisites.
            let prerequisites = named & in_flight;
            self.slots[grid as usize] = Slot { phase: Phase::Open, unissued: ctas, prerequisites, is_early, ..Slot::default() };
        }
        Ok(())
    }

    fn reset(&mut self) {
        self.slots.iter_mut().for_each(|slot| *slot = Slot::default());
        self.previous_messages.clear();
        (self.last_flush, self.last_message, self.may_launch) = (63, 63, 0);
        (self.flush, self.message, self.opened, self.closed) = (None, None, None, None);
    }

    fn operations(&self) -> u64 {
        self.operations
    }
}
