// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The legal user of `cta_table`: a host that launches and retires CTAs, warps that issue and exit, and downstream units of any latency.

mod checks;
mod host;

use super::base::{has_base, Base, UnitUser};
use super::pins::{Offer, Pace, Shown};
use crate::stimulus::shape::Shape;
use crate::stimulus::Rng;
use bcu_isa::config::Config;
use bcu_isa::ports::Port;
use bcu_model::dut::{ByName, Input, NoPort, Output};
use std::collections::VecDeque;

#[rustfmt::skip]
const LAUNCH: [&str; 10] = ["cta", "warps", "exited", "lanes", "barriers", "cluster", "rank", "size", "has_grid", "grid"];

/// The state of a warp.
#[derive(Clone, Copy, Debug, Default)]
struct Warp {
    lanes: u64,
    /// Cycles of the warp's last operation. `in_decode`: the first cycle in which the operation is no longer in `decode`. `in_flight`: the
    /// first cycle in which it has taken effect. `blocked`: the first cycle in which the warp no longer waits for it.
    in_decode: u64,
    in_flight: u64,
    blocked: u64,
    /// The warp's exit is offered, or was taken and is not yet passed on as an operation.
    exits: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Launching,
    Live,
    Retiring,
    /// The CTA's Release was transferred; the strobe `flushed` follows in the given cycle.
    Leaving(u64),
}

#[derive(Clone, Copy, Debug)]
struct Cta {
    slot: u64,
    stage: Stage,
    warps: u64,
    launch: [u64; 10],
    saved: bool,
    since: u64,
}

pub struct CtaTableUser {
    rng: Rng,
    shape: Shape,
    base: Base,
    launch: Offer,
    retire: Offer,
    exit: Offer,
    exit_offered: (usize, u64),
    /// Input ports `blocked`, `clearing`, `launching`, `in_decode`, `in_flight`, `copying`.
    levels: [Input; 6],
    warp_exited: Offer,
    flushed: Offer,
    op_ready: Input,
    op: Shown<6>,
    standing: Option<[u64; 6]>,
    sizes: [Output; 4],
    launched: Shown<7>,
    retired: Shown<1>,
    live_port: Output,
    exits_port: Output,
    /// Warp and lanes of each exit that was transferred into the unit and not yet passed on, in order.
    exits: VecDeque<(usize, u64)>,
    /// Warps whose last lanes have exited, each with the cycle in which the strobe `warp_exited` reports it.
    exited: VecDeque<(u64, usize)>,
    warps: Vec<Warp>,
    live: u64,
    ctas: Vec<Cta>,
    expected_retired: Option<u64>,
    clearing: u64,
    launching: u64,
    copying: Vec<u64>,
    /// The values of `clearing`, `in_flight` and `copying` in the previous two cycles, the more recent cycle first.
    before: [[u64; 3]; 2],
    pace: Pace,
    ready: Pace,
    exit_rate: u64,
    issue_rate: u64,
    delay: u64,
}

impl CtaTableUser {
    pub fn new(ports: &[Port], _config: &Config, shape: Shape, seed: u64) -> Result<CtaTableUser, NoPort> {
        let mut rng = Rng::new(seed, "legal cta_table");
        let input = |name: &str| ports.input(name);
        let output = |name: &str| ports.output(name);
        Ok(CtaTableUser {
            base: Base::new(ports, &mut rng)?,
            launch: Offer::new(ports, "launch", &LAUNCH)?,
            retire: Offer::new(ports, "retire", &["cta", "saved"])?,
            exit: Offer::new(ports, "exit", &["warp", "lanes"])?,
            exit_offered: (0, 0),
            levels: [
                input("blocked")?,
                input("clearing")?,
                input("launching")?,
                input("in_decode")?,
                input("in_flight")?,
                input("copying")?,
            ],
            warp_exited: Offer::strobe(ports, "warp_exited", &["warp"])?,
            flushed: Offer::strobe(ports, "flushed", &["cta"])?,
            op_ready: input("op_ready")?,
            op: Shown::new(ports, "op", ["kind", "fault", "warp", "cta", "mask", "lanes"])?,
            standing: None,
            sizes: [output("size_warps")?, output("size_live")?, output("size_barriers")?, output("saved")?],
            launched: Shown::new(ports, "launched", ["cta", "cluster", "rank", "size", "has_grid", "grid", "warps"])?,
            retired: Shown::new(ports, "retired", ["cta"])?,
            live_port: output("live")?,
            exits_port: output("exits")?,
            exits: [].into(),
            exited: [].into(),
            warps: vec![Warp::default(); 64],
            live: 0,
            ctas: vec![],
            expected_retired: None,
            clearing: 0,
            launching: 0,
            copying: vec![0; shape.slots as usize],
            before: [[0; 3]; 2],
            pace: Pace::draw(&mut rng),
            ready: Pace::draw(&mut rng),
            exit_rate: rng.pick(&[20, 200, 900]).unwrap_or(20),
            issue_rate: rng.pick(&[0, 50, 500]).unwrap_or(0),
            delay: rng.pick(&[0, 3, 20]).unwrap_or(0),
            shape,
            rng,
        })
    }

    /// Simulates the warps of running CTAs: they issue, wait, and exit.
    fn issue(&mut self, outputs: &[u64]) {
        let cycle = self.base.ledger.cycle;
        self.exit.begin(&mut self.base.pins);
        let running = self.ctas.iter().filter(|cta| cta.stage == Stage::Live).fold(0, |mask, cta| mask | cta.warps) & self.live;
        for warp in (0..64).filter(|warp| running >> warp & 1 == 1) {
            let state = &mut self.warps[warp];
            let may_issue = !state.exits && state.in_flight <= cycle && state.blocked <= cycle && state.lanes != 0;
            if may_issue && self.rng.chance(self.issue_rate) {
                // From the next cycle on the operation is in `decode`. After that it may be parked, and after that the warp may wait.
                state.in_decode = cycle + 1 + self.rng.range(2, 9);
                state.in_flight = state.in_decode + if self.rng.chance(300) { self.rng.below(30) } else { 0 };
                state.blocked = if self.rng.chance(300) { state.in_flight + self.rng.below(40) } else { 0 };
            }
        }
        // A warp may exit right after an operation that does not wait.
        let able = |warp: &usize| {
            let state = self.warps[*warp];
            running >> warp & 1 == 1 && !state.exits && state.lanes != 0 && state.blocked <= cycle
        };
        let able: Vec<usize> = (0..64).filter(able).collect();
        if !self.exit.is_pending() && self.rng.chance(self.exit_rate) {
            if let Some(warp) = self.rng.pick(&able) {
                let live_lanes = self.warps[warp].lanes;
                let lanes = if self.rng.chance(700) { live_lanes } else { live_lanes & self.rng.draw() };
                let lanes = if lanes == 0 { live_lanes } else { lanes };
                self.warps[warp].exits = true;
                self.exit_offered = (warp, lanes);
                self.exit.put(&mut self.base.pins, &[warp as u64, lanes]);
            }
        }
        if self.exit.take(outputs) {
            self.exits.push_back(self.exit_offered);
        }
    }

    /// Simulates the downstream units: operations in flight, copies, rows to clear, and CTA slots of which no unit holds state any more.
    fn drive_downstream(&mut self) {
        let cycle = self.base.ledger.cycle;
        let which = |is: &dyn Fn(&Warp) -> bool| {
            (0..64).filter(|warp| is(&self.warps[*warp])).fold(0u64, |mask, warp| mask | 1 << warp)
        };
        let in_decode = which(&|warp| warp.in_decode > cycle);
        let in_flight = which(&|warp| warp.in_flight > cycle);
        let blocked = which(&|warp| warp.blocked > cycle);
        let copying = (0..self.copying.len()).filter(|slot| self.copying[*slot] > cycle).fold(0, |mask, slot| mask | 1 << slot);
        let (clearing, launching) = (u64::from(self.clearing > cycle), u64::from(self.launching > cycle));
        for (port, value) in self.levels.iter().zip([blocked, clearing, launching, in_decode, in_flight, copying]) {
            self.base.pins.set(*port, value);
        }
        self.before = [[clearing, in_flight, copying], self.before[0]];
        for slot in 0..self.copying.len() {
            let runs = self.ctas.iter().any(|cta| cta.slot == slot as u64 && cta.stage == Stage::Live);
            if runs && self.rng.chance(10) {
                self.copying[slot] = cycle + 2 + self.rng.below(60);
            }
        }
        self.warp_exited.take(&[]);
        self.warp_exited.begin(&mut self.base.pins);
        if let Some((_, warp)) = self.exited.pop_front_if(|(due, _)| *due <= cycle) {
            self.warp_exited.put(&mut self.base.pins, &[warp as u64]);
            self.live &= !(1 << warp);
        }
        self.flushed.take(&[]);
        self.flushed.begin(&mut self.base.pins);
        let due = self.ctas.iter().position(|cta| matches!(cta.stage, Stage::Leaving(at) if at <= cycle));
        if let Some(place) = due {
            let cta = self.ctas.remove(place);
            self.flushed.put(&mut self.base.pins, &[cta.slot]);
            self.expected_retired = Some(cta.slot);
        }
    }
}

impl UnitUser for CtaTableUser {
    has_base!();

    fn play_cycle(&mut self, outputs: &[u64]) {
        self.check(outputs);
        self.operations(outputs);
        self.launches(outputs);
        self.retires(outputs);
        if self.pace.allows_event(&mut self.rng) {
            self.issue(outputs);
        } else {
            self.exit.begin(&mut self.base.pins);
            if self.exit.take(outputs) {
                self.exits.push_back(self.exit_offered);
            }
        }
        self.drive_downstream();
    }
}
