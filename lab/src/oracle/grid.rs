// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The oracle of `grid`, written from the first half of `docs/contract/grids.md`.
//!
//! Checked in every cycle: `op_ready`, `grid_out` with its payload, `commit`, `release_warps`, `waiting`, `opened`, `freed`, and that no
//! fault is offered. Not checked: whether `release_valid` is 1 for a Ready for which no warp waits, which the page leaves open.

use super::pins::{bits, next_in_turn, pins, Oracle, Pins};
use bcu_isa::config::Config;
use bcu_isa::ports::Port;

pins! { Ports:
    launch_valid launch_cta launch_has_grid launch_grid live ended op_valid op_ready op_kind op_fault op_warp op_cta
    grid_in_valid grid_in_kind grid_in_grid grid_out_valid grid_out_ready grid_out_kind grid_out_grid
    commit_valid commit_warps commit_refused release_valid release_warps waiting opened_valid opened_grid freed fault_valid
}

const LAUNCH_DEPENDENTS: u64 = 0;
const OPENED: u64 = 0;
const LAUNCHED_DEPENDENTS: u64 = 0;
const ENDED: u64 = 1;

#[derive(Clone, Copy, Debug, Default)]
struct Cta {
    is_member: bool,
    grid: u64,
    has_asked: bool,
    has_issued: bool,
}

#[derive(Clone, Copy, Debug)]
struct Op {
    is_wait: bool,
    warp: usize,
    slot: usize,
}

pub struct Grid {
    ports: Ports,
    ctas: Vec<Cta>,
    ready: u64,
    /// Warps that wait, one bit each.
    waits: u64,
    /// For each warp that waits, the grid for whose Ready it waits.
    awaited: Vec<u64>,
    last_turn: usize,
    /// The message that is offered on `grid_out`: the CTA slot that sends it, and its kind and
    /// grid.
    message: Option<(usize, [u64; 2])>,
    /// The operation that was transferred in the previous cycle and takes effect in this one.
    inside: Option<Op>,
    /// The message from the hub (kind and grid) that was transferred in the previous cycle and takes effect in this one.
    from_hub: Option<[u64; 2]>,
    commit: Option<[u64; 1]>,
    release: u64,
    operations: u64,
}

impl Grid {
    /// # Errors
    /// If a port is missing, or the configuration is not covered.
    pub fn new(ports: &[Port], config: &Config) -> Result<Grid, String> {
        if !config.faults {
            return Err("the oracle of `grid` covers configurations with faults".to_string());
        }
        Ok(Grid {
            ports: Ports::new(ports)?,
            ctas: vec![Cta::default(); config.cta_slots],
            ready: 0,
            waits: 0,
            awaited: vec![0; 64],
            last_turn: 63,
            message: None,
            inside: None,
            from_hub: None,
            commit: None,
            release: 0,
            operations: 0,
        })
    }

    fn compare(&self, pins: &Pins) -> Result<(), String> {
        let p = &self.ports;
        pins.expect(&p.fault_valid, 0)?;
        pins.expect(&p.op_ready, 1)?;
        pins.expect_strobe(&p.grid_out_valid, [&p.grid_out_kind, &p.grid_out_grid], self.message.map(|(_, message)| message))?;
        pins.expect_strobe(&p.commit_valid, [&p.commit_warps], self.commit)?;
        pins.expect(&p.commit_warps, self.commit.unwrap_or_default()[0])?;
        pins.expect(&p.commit_refused, 0)?;
        pins.expect(&p.release_warps, self.release)?;
        if self.release != 0 {
            pins.expect(&p.release_valid, 1)?;
        }
        pins.expect(&p.waiting, self.waits)?;
        let opened = self.from_hub.filter(|[kind, _]| *kind == OPENED).map(|[_, grid]| [grid]);
        pins.expect_strobe(&p.opened_valid, [&p.opened_grid], opened)?;
        let freed = |slot: &usize| !self.ctas[*slot].is_member;
        pins.expect(&p.freed, (0..self.ctas.len()).filter(freed).fold(0, |mask, slot| mask | 1 << slot))
    }

    /// The operation that is transferred in this cycle, if any.
    fn offered(&mut self, pins: &Pins) -> Result<Option<Op>, String> {
        let p = &self.ports;
        if !pins.passes(&p.op_valid, &p.op_ready) {
            return Ok(None);
        }
        if pins.get(&p.op_fault) != 0 {
            return Err("a legal user sends an operation with a fault".to_string());
        }
        self.operations += 1;
        let (warp, slot) = (pins.get(&p.op_warp) as usize, pins.get(&p.op_cta) as usize);
        Ok(Some(Op { is_wait: pins.get(&p.op_kind) != LAUNCH_DEPENDENTS, warp, slot }))
    }

    /// Applies the message from the hub and the operation that take effect in this cycle. Returns
    /// the warps that resume.
    fn effects(&mut self) -> u64 {
        let mut woken_warps = 0;
        if let Some([kind, grid]) = self.from_hub {
            if kind == OPENED {
                self.ready &= !(1 << grid);
            } else {
                self.ready |= 1 << grid;
                woken_warps =
                    bits(self.waits).filter(|warp| self.awaited[*warp] == grid).fold(0, |mask, warp| mask | 1 << warp);
                self.waits &= !woken_warps;
            }
        }
        let Some(op) = self.inside else { return woken_warps };
        self.commit = Some([1 << op.warp]);
        let cta = self.ctas.get(op.slot).copied().unwrap_or_default();
        if !op.is_wait {
            if let Some(cta) = self.ctas.get_mut(op.slot) {
                cta.has_asked = true;
            }
        } else if !cta.is_member || self.ready >> cta.grid & 1 == 1 {
            self.waits &= !(1 << op.warp);
            woken_warps |= 1 << op.warp;
        } else {
            self.waits |= 1 << op.warp;
            self.awaited[op.warp] = cta.grid;
        }
        woken_warps
    }

    /// Predicts the channel to the hub. Returns the CTA slot and the kind of the message that is
    /// transferred, if any.
    fn send(&mut self, pins: &Pins) -> Option<(usize, u64)> {
        let p = &self.ports;
        if let Some((slot, [kind, _])) = self.message {
            if !pins.is(&p.grid_out_ready) {
                return None;
            }
            self.message = None;
            return Some((slot, kind));
        }
        let ended = pins.get(&p.ended);
        let is_due = |slot: &usize| {
            let (cta, has_ended) = (self.ctas[*slot], ended >> slot & 1 == 1);
            cta.is_member && (has_ended || cta.has_asked && !cta.has_issued)
        };
        let due = (0..self.ctas.len()).filter(is_due).fold(0, |mask, slot| mask | 1 << slot);
        let slot = next_in_turn(due, self.last_turn)?;
        self.last_turn = slot;
        let cta = self.ctas[slot];
        self.message = Some((slot, [if cta.has_issued { ENDED } else { LAUNCHED_DEPENDENTS }, cta.grid]));
        None
    }
}

impl Oracle for Grid {
    fn advance(&mut self, pins: &Pins, _: u64) -> Result<(), String> {
        self.compare(pins)?;
        self.commit = None;
        // The next message on `grid_out` depends on the state before the effects of this cycle, so
        // it comes first.
        let send_result = self.send(pins);
        let live = pins.get(&self.ports.live);
        let woken_warps = self.effects();
        self.release = woken_warps & live;
        self.waits &= live;
        match send_result {
            Some((slot, ENDED)) => self.ctas[slot].is_member = false,
            Some((slot, _)) => self.ctas[slot].has_issued = true,
            None => {}
        }
        self.inside = self.offered(pins)?;
        let p = &self.ports;
        self.from_hub = pins.is(&p.grid_in_valid).then(|| [pins.get(&p.grid_in_kind), pins.get(&p.grid_in_grid)]);
        if pins.is(&p.launch_valid) {
            let (is_member, grid) = (pins.is(&p.launch_has_grid), pins.get(&p.launch_grid));
            if let Some(cta) = self.ctas.get_mut(pins.get(&p.launch_cta) as usize) {
                *cta = Cta { is_member, grid, has_asked: false, has_issued: false };
            }
        }
        Ok(())
    }

    fn reset(&mut self) {
        self.ctas.iter_mut().for_each(|cta| *cta = Cta::default());
        (self.ready, self.waits, self.last_turn, self.message) = (0, 0, 63, None);
        (self.inside, self.from_hub, self.commit, self.release) = (None, None, None, 0);
    }

    fn operations(&self) -> u64 {
        self.operations
    }
}
