// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Cycle model of `grid_hub`: the grids of all multiprocessors (`docs/contract/grids.md`, `grid_hub`).

use super::bits::{members, next_in_turn};
use super::grid::{GridHubKind, GridHubMessage, GridMessage, GridMessageKind};
use super::in_place::clone_in_place;
use super::sizes::Sizes;
use super::wire::{Clocked, Fields, PortAction, Walk};

/// A request of the host to open a grid in a grid slot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GridOpen {
    pub grid: u8,
    pub ctas: u32,
    /// The grids on which the new grid depends, one bit each.
    pub prerequisites: u64,
    pub early: bool,
}

impl GridOpen {
    fn fields(&mut self, at: &mut Fields<impl PortAction>) {
        number(&mut self.grid, at);
        at.field("ctas", &mut self.ctas, 32);
        at.field("prerequisites", &mut self.prerequisites, at.sizes().grid_slots());
        at.field("early", &mut self.early, 1);
    }
}

/// Visits the number of a grid as the field `grid`.
fn number(grid: &mut u8, at: &mut Fields<impl PortAction>) {
    at.field("grid", grid, at.sizes().grid_bits());
}

/// The answer to a request of the host.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct GridAnswer {
    pub grid: u8,
    pub refused: bool,
}

impl GridAnswer {
    fn fields(&mut self, at: &mut Fields<impl PortAction>) {
        number(&mut self.grid, at);
        at.field("refused", &mut self.refused, 1);
    }
}

clone_in_place! {
    /// Input ports of `grid_hub`.
    #[derive(Debug, Default, PartialEq)]
    pub struct GridHubIn {
        pub reset: bool,
        /// For each multiprocessor, the message from it in this cycle.
        pub from: Vec<Option<GridMessage>>,
        pub open: Option<GridOpen>,
        pub close: Option<u8>,
        pub flush_ready: bool,
        pub flushed: Option<u8>,
    }
}

impl GridHubIn {
    /// Visits the ports to the host and to memory.
    pub fn host(&mut self, o: &mut GridHubOut, at: &mut Walk<impl PortAction>) {
        let grids = at.sizes().grid_slots();
        // The hub accepts requests of the host in every cycle.
        let mut always = true;
        at.channel_in("open", &mut self.open, &mut always, GridOpen::fields);
        at.strobe_out("opened", &mut o.opened_valid, &mut o.opened, GridAnswer::fields);
        at.channel_in("close", &mut self.close, &mut always, number);
        at.strobe_out("closed", &mut o.closed_valid, &mut o.closed, GridAnswer::fields);
        at.channel_out("flush", &mut o.flush_valid, &mut self.flush_ready, &mut o.flush, number);
        at.strobe_in("flushed", &mut self.flushed, number);
        at.output("may_launch", &mut o.may_launch, grids);
        at.output("open_grids", &mut o.open_grids, grids);
        at.output("flushed_grids", &mut o.flushed_grids, grids);
    }
}

/// Output ports of `grid_hub`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct GridHubOut {
    pub to_valid: bool,
    pub to: GridHubMessage,
    pub opened_valid: bool,
    pub opened: GridAnswer,
    pub closed_valid: bool,
    pub closed: GridAnswer,
    pub flush_valid: bool,
    pub flush: u8,
    /// The grids that may be launched, one bit each.
    pub may_launch: u64,
    pub open_grids: u64,
    pub flushed_grids: u64,
}

/// The state of a grid slot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum State {
    #[default]
    Closed,
    Open,
    Flushing,
    Flushed,
}

/// A grid slot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Slot {
    pub state: State,
    /// The number of CTAs whose LaunchedDependents has not arrived.
    pub unissued: u32,
    /// The number of CTAs whose LaunchedDependents has arrived, and whose Ended has not.
    pub running: u16,
    /// In the cycle before, all CTAs had issued.
    pub all_issued: bool,
    /// In the cycle before, all CTAs had ended.
    pub all_ended: bool,
    /// The grids on which this grid still waits, one bit each.
    pub prerequisites: u64,
    /// The grid may be launched once all CTAs of its prerequisites have issued, before these grids are flushed.
    pub early: bool,
    /// The Opened message was sent.
    pub opened_sent: bool,
    /// The Ready message was sent.
    pub ready_sent: bool,
    /// The flush of the grid's memory was requested.
    pub requested: bool,
}

/// Mask for the number of CTAs that have issued and not ended.
const RUNNING: u16 = 0x1fff;

clone_in_place! {
    /// The state of `grid_hub`.
    #[derive(Debug, PartialEq, Eq, Hash)]
    pub struct GridHub {
        sizes: Sizes,
        slots: Vec<Slot>,
        /// The messages of the cycle before.
        arrived: Vec<GridMessage>,
        /// The grid whose message was sent last.
        last_message: Option<usize>,
        /// The grid whose flush was requested last.
        requested: Option<usize>,
        out: GridHubOut,
    }
}

impl GridHub {
    /// The grid slots.
    pub fn slots(&self) -> &[Slot] {
        &self.slots
    }

    /// The messages that change the counts at the end of this cycle.
    pub fn arrived(&self) -> &[GridMessage] {
        &self.arrived
    }

    /// The grids for whose grid slot `is` holds, one bit each.
    pub fn slots_where(&self, is: impl Fn(&Slot) -> bool) -> u64 {
        self.slots.iter().enumerate().filter(|(_, slot)| is(slot)).fold(0, |all, (grid, _)| all | 1 << grid)
    }

    /// The message that is sent to all multiprocessors in the next cycle.
    pub fn message(&self) -> Option<(usize, GridHubKind)> {
        let opened = self.slots_where(|slot| slot.state == State::Open && !slot.opened_sent);
        let is_ready =
            |slot: &Slot| slot.state == State::Open && slot.opened_sent && !slot.ready_sent && slot.prerequisites == 0;
        let grid = next_in_turn(opened | self.slots_where(is_ready), self.last_message)?;
        Some((grid, if opened >> grid & 1 == 1 { GridHubKind::Opened } else { GridHubKind::Ready }))
    }

    /// The grids that may be launched in the present state, one bit each.
    fn launches(&self) -> u64 {
        let issued = self.slots_where(|slot| slot.all_issued);
        self.slots_where(|slot| slot.state == State::Open && slot.prerequisites & !(if slot.early { issued } else { 0 }) == 0)
    }

    /// Whether the host may open this grid.
    fn can_open(&self, open: &GridOpen) -> bool {
        open.ctas != 0 && self.slots[usize::from(open.grid)].state == State::Closed
    }

    /// Sets `all_issued` and `all_ended` from the counts at the beginning of the cycle, then changes the counts by the messages in
    /// `arrived`.
    fn count(&mut self) {
        for slot in &mut self.slots {
            slot.all_issued = slot.unissued == 0;
            slot.all_ended = slot.all_issued && slot.running == 0;
        }
        for message in &self.arrived {
            let slot = &mut self.slots[usize::from(message.grid)];
            match message.kind {
                GridMessageKind::LaunchedDependents => {
                    slot.unissued = slot.unissued.wrapping_sub(1);
                    slot.running = slot.running.wrapping_add(1) & RUNNING;
                }
                GridMessageKind::Ended => slot.running = slot.running.wrapping_sub(1) & RUNNING,
            }
        }
    }
}

impl Clocked for GridHub {
    type Inputs = GridHubIn;
    type Outputs = GridHubOut;

    fn new(sizes: Sizes) -> GridHub {
        GridHub {
            sizes,
            slots: vec![Slot::default(); sizes.grid_slots()],
            arrived: vec![],
            last_message: None,
            requested: None,
            out: GridHubOut::default(),
        }
    }

    fn ports(i: &mut GridHubIn, o: &mut GridHubOut, at: &mut Walk<impl PortAction>) {
        let sms = at.sizes().sms();
        at.input("reset", &mut i.reset, 1);
        i.from.resize(sms, None);
        for (sm, from) in i.from.iter_mut().enumerate() {
            at.strobe_in(&format!("from_{sm}"), from, GridMessage::fields);
        }
        for sm in 0..sms {
            at.strobe_out(&format!("to_{sm}"), &mut o.to_valid, &mut o.to, GridHubMessage::fields);
        }
        i.host(o, at);
    }

    fn outputs(&self) -> GridHubOut {
        GridHubOut {
            open_grids: self.slots_where(|slot| slot.state == State::Open),
            flushed_grids: self.slots_where(|slot| slot.state == State::Flushed),
            ..self.out
        }
    }

    fn clock(&mut self, inputs: &GridHubIn) {
        if inputs.reset {
            *self = GridHub::new(self.sizes);
            return;
        }
        // All decisions are made in the state at the beginning of the cycle.
        let message = self.message();
        let ended = self.slots_where(|slot| slot.state == State::Open && slot.all_ended);
        let in_flight = self.slots_where(|slot| [State::Open, State::Flushing].contains(&slot.state));
        let flush_due = self.slots_where(|slot| slot.state == State::Flushing && !slot.requested);
        let flushed = inputs.flushed.filter(|grid| self.slots[usize::from(*grid)].state == State::Flushing);
        let opens = inputs.open.is_some_and(|open| self.can_open(&open));
        let closes = inputs.close.is_some_and(|grid| self.slots[usize::from(grid)].state == State::Flushed);
        self.out.may_launch = self.launches();

        self.count();
        self.arrived.clear();
        self.arrived.extend(inputs.from.iter().flatten());

        // Requests the flush of grids that have ended, and marks the grid whose flush is complete.
        members(ended).for_each(|grid| self.slots[grid].state = State::Flushing);
        match self.out.flush_valid {
            true => self.out.flush_valid = !inputs.flush_ready,
            false => {
                if let Some(grid) = next_in_turn(flush_due, self.requested) {
                    self.requested = Some(grid);
                    self.slots[grid].requested = true;
                    (self.out.flush_valid, self.out.flush) = (true, grid as u8);
                }
            }
        }
        if let Some(grid) = flushed {
            self.slots[usize::from(grid)].state = State::Flushed;
            self.slots.iter_mut().for_each(|slot| slot.prerequisites &= !(1 << grid));
        }

        // Sends the message that was due in the cycle before to all multiprocessors.
        self.out.to_valid = message.is_some();
        if let Some((grid, kind)) = message {
            self.last_message = Some(grid);
            self.out.to = GridHubMessage { kind, grid: grid as u8 };
            match kind {
                GridHubKind::Opened => self.slots[grid].opened_sent = true,
                GridHubKind::Ready => self.slots[grid].ready_sent = true,
            }
        }

        // The requests of the host to open and to close a grid.
        self.out.opened_valid = inputs.open.is_some();
        if let Some(open) = inputs.open {
            self.out.opened = GridAnswer { grid: open.grid, refused: !opens };
            if opens {
                let completed = flushed.map_or(0, |grid| 1 << grid);
                self.slots[usize::from(open.grid)] = Slot {
                    state: State::Open,
                    unissued: open.ctas,
                    prerequisites: open.prerequisites & in_flight & !completed,
                    early: open.early,
                    ..Slot::default()
                };
            }
        }
        self.out.closed_valid = inputs.close.is_some();
        if let Some(grid) = inputs.close {
            self.out.closed = GridAnswer { grid, refused: !closes };
            if closes {
                self.slots[usize::from(grid)].state = State::Closed;
            }
        }
    }
}
