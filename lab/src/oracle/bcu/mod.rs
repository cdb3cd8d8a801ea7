// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The oracle of `bcu`, the whole unit, written from `docs/contract/bcu.md` and the pages of the
//! units inside it. It observes the ports of `bcu` only.
//!
//! Checked:
//! - The warps of a release wait at its barrier. Its generation has as many arrivals as the count or, without a count, as there are live
//!   warps. The release comes at least `BCU_RELEASE` cycles after the last of these arrivals, and not before the accesses before each
//!   arrival are performed. Its reduction and value are right. A complete barrier is released within the bound.
//! - B2R.RESULT returns the result of the last reduction.
//! - A waiting warp is `blocked` in each cycle up to the cycle in which it resumes. A warp that does not wait is not `blocked` for longer
//!   than the bound.
//! - The right lanes resume or retry after gatherings and warp-level barriers, and an election has a right leader.
//! - Fences, and waits for clusters and grids, end when they must, according to the messages of the hubs. The messages sent to the hubs are
//!   right.
//! - Each operation on an mbarrier that has a result gets it once, with its registers.
//! - `launched` is right.
//! - The fault `barrier_left_open` is reported within the bound, once for each barrier with open arrivals, and no other fault is.
//!
//! Not checked: words of mbarriers (the oracle of `mbarrier` checks them), copies, exact cycles of `instr_ready`, `exit_ready`,
//! `launch_ready`, `retire_ready`. B2R of a barrier or a warp, and R2B, are not covered, because the legal user of `bcu` sends none.

mod barriers;
mod issue;
mod lanes;
mod links;
mod state;

use super::pins::{bits, Oracle, Pins};
use bcu_isa::op::FaultCode;
use lanes::Lanes;
pub use state::Bcu;
use state::{Cta, OpenBarrier, Warp, SAMPLE};

impl Bcu {
    /// Warps of the CTA in `slot` that have not exited.
    fn live_of(&self, slot: u64) -> u64 {
        self.ctas.get(&slot).map_or(0, |cta| cta.live)
    }

    /// Checks the strobe `lanes`: the lanes that resume, or that must issue again, and the leader
    /// of an election.
    fn lanes_shown(&mut self, pins: &Pins) -> Result<(), String> {
        let p = &self.ports;
        if !pins.is(&p.lanes_valid) {
            return Ok(());
        }
        let number = pins.get(&p.lanes_warp) as usize;
        let warp = self.warps.get_mut(number).ok_or("`lanes_warp` is not built")?;
        let shown = warp.shown.pop_front().ok_or_else(|| format!("lanes of warp {number} resume, but none should"))?;
        let (mask, elects, is_retry) = shown;
        pins.expect(&p.lanes_mask, mask)?;
        pins.expect(&p.lanes_retry, is_retry.into())?;
        let leaders = pins.get(&p.lanes_leaders);
        // The leader policy may have changed in the meantime, so the leader may be the lowest or the highest lane.
        let [lowest, highest] = [1 << mask.trailing_zeros().min(63), 1 << (63 - mask.leading_zeros().min(63))];
        match elects {
            Some(_) if leaders != lowest && leaders != highest => Err(format!("`lanes_leaders` is {leaders:#x} of {mask:#x}")),
            None => pins.expect(&p.lanes_leaders, 0),
            _ => Ok(()),
        }
    }

    /// Accounts for the accesses that are issued and performed in this cycle.
    fn access(&mut self, pins: &Pins) -> Result<(), String> {
        let epoch = pins.get(&self.ports.epoch);
        for [_, warp] in self.issues.iter().filter(|[valid, _]| pins.is(valid)) {
            let number = pins.get(warp) as usize;
            let warp = self.warps.get_mut(number).ok_or("`issue_warp` is not built")?;
            warp.accesses[(epoch >> number & 1) as usize] += 1;
        }
        for [_, warp, epoch] in self.performs.iter().filter(|[valid, ..]| pins.is(valid)) {
            let (number, epoch) = (pins.get(warp) as usize, pins.get(epoch) as usize & 1);
            let warp = self.warps.get_mut(number).ok_or("`perform_warp` is not built")?;
            for owed in [&mut warp.accesses, &mut warp.fence, &mut warp.cluster_owed] {
                owed[epoch] = owed[epoch].saturating_sub(1);
            }
            let slot = warp.slot;
            let rows = self.rows.iter_mut().filter(|((of, _), _)| *of == slot);
            let arrivals = rows.flat_map(|(_, row)| row.arrivals.iter_mut()).filter(|arrived| arrived.warp == number);
            arrivals.for_each(|arrived| arrived.owed[epoch] = arrived.owed[epoch].saturating_sub(1));
        }
        Ok(())
    }

    /// Checks that `blocked` is 1 for each waiting warp. Every [`SAMPLE`] cycles, also checks two
    /// times against the bound: for how long a warp is blocked without a reason, and for how long a
    /// warp still waits after the event for which it waits.
    fn blocked(&mut self, pins: &Pins) -> Result<(), String> {
        let (blocked, cycle) = (pins.get(&self.ports.blocked), self.cycle);
        for (number, warp) in self.warps.iter().enumerate() {
            let waits = warp.fence != [0, 0] || warp.wait.is_some_and(|(_, since)| since < cycle);
            if waits && blocked >> number & 1 == 0 {
                return Err(format!("warp {number} may issue, but waits: {warp:?}"));
            }
        }
        if !cycle.is_multiple_of(SAMPLE) {
            return Ok(());
        }
        self.refuse_lost_releases()?;
        let has_requests = self.requests != 0 || self.mbarrier.as_ref().is_some_and(|p| pins.is(&p.mem_request_valid));
        for number in 0..self.warps.len() {
            let slot = self.warps[number].slot;
            let is_live = self.live_of(slot) >> number & 1 == 1;
            let is_over = self.warps[number].wait.is_some_and(|(wait, _)| self.is_over(number, wait)) && self.is_calm(slot);
            let bound = self.bound;
            let warp = &mut self.warps[number];
            let is_free = is_live && warp.accesses == [0, 0] && warp.wait.is_none();
            // While `mbarrier` has requests to memory, the warp's operation may wait for them, so such cycles are not counted.
            let counted = if has_requests { 0 } else { SAMPLE };
            warp.idle = if is_free && blocked >> number & 1 == 1 { warp.idle + counted } else { 0 };
            warp.over = if is_live && is_over { warp.over + SAMPLE } else { 0 };
            if warp.idle.max(warp.over) > bound {
                return Err(format!("warp {number} is blocked for {bound} cycles, and has nothing to wait for: {warp:?}"));
            }
        }
        Ok(())
    }

    /// Whether no warp of the CTA in `slot` has an outstanding access.
    fn is_calm(&self, slot: u64) -> bool {
        let warps = self.ctas.get(&slot).map_or(0, |cta| cta.warps);
        bits(warps).all(|warp| self.warps.get(warp).is_none_or(|warp| warp.accesses == [0, 0]))
    }

    /// Checks the fault at the port: it is `barrier_left_open`, for a barrier whose fault is due. Every [`SAMPLE`] cycles, also checks that
    /// no fault has been due for longer than the bound.
    fn faults(&mut self, pins: &Pins) -> Result<(), String> {
        let p = &self.ports;
        let is_offered = pins.is(&p.fault_valid);
        if is_offered {
            let [code, slot, id] = [&p.fault_code, &p.fault_cta, &p.fault_id].map(|pin| pins.get(pin));
            let due = self.open.iter().position(|open| (open.slot, open.id) == (slot, id));
            let Some(place) = due.filter(|_| code == FaultCode::BarrierLeftOpen as u64) else {
                return Err(format!("fault reported for legal operations: code {code}, CTA slot {slot}, id {id}"));
            };
            if pins.is(&p.fault_ready) {
                self.open.remove(place);
            }
        }
        // While a fault is offered, the other faults may have to wait for its transfer, so these cycles are not counted.
        if is_offered || !self.cycle.is_multiple_of(SAMPLE) {
            return Ok(());
        }
        self.open.iter_mut().for_each(|open| open.idle += SAMPLE);
        match self.open.iter().find(|open| open.idle > self.bound) {
            Some(late) => Err(format!("the fault barrier_left_open is not reported for {} cycles: {late:?}", self.bound)),
            None => Ok(()),
        }
    }

    /// Accounts for CTAs that launch and retire, and checks the strobe `launched`.
    fn ctas(&mut self, pins: &Pins) -> Result<(), String> {
        let p = &self.ports;
        if pins.passes(&p.retire_valid, &p.retire_ready) {
            let slot = pins.get(&p.retire_cta);
            let is_saved = pins.is(&p.retire_saved);
            let rows = std::mem::take(&mut self.rows);
            for ((of, id), row) in rows {
                if of != slot {
                    self.rows.insert((of, id), row);
                } else if !row.arrivals.is_empty() && !is_saved {
                    self.open.push(OpenBarrier { slot, id, idle: 0 });
                }
            }
        }
        let is_launched = pins.passes(&p.launch_valid, &p.launch_ready);
        pins.expect(&p.launched_valid, is_launched.into())?;
        if !is_launched {
            return Ok(());
        }
        let (slot, warps) = (pins.get(&p.launch_cta), pins.get(&p.launch_warps));
        pins.expect(&p.launched_cta, slot)?;
        let live = warps & !pins.get(&p.launch_exited);
        pins.expect(&p.launched_warps, live)?;
        if pins.get(&p.live) & warps != live {
            return Err(format!("`live` is {:#x} in the cycle of the launch of warps {warps:#x}", pins.get(&p.live)));
        }
        let highest = 63 - warps.leading_zeros().min(63) as usize;
        for number in bits(warps) {
            let lanes = if number == highest { pins.get(&p.launch_lanes) } else { self.all_lanes };
            let warp = self.warps.get_mut(number).ok_or("`launch_warps` names a warp that is not built")?;
            // Accesses of the previous warp in this warp slot may still be outstanding after the retirement of that warp's CTA.
            let accesses = warp.accesses;
            *warp = Warp { slot, lanes: Lanes::new(lanes), accesses, ..Warp::default() };
        }
        let [cluster, rank, size, grid] =
            [&p.launch_cluster, &p.launch_rank, &p.launch_size, &p.launch_grid].map(|pin| pins.get(pin));
        let has_grid = pins.is(&p.launch_has_grid);
        self.ctas.insert(slot, Cta { warps, live, cluster, rank, size, has_grid, grid, ..Cta::default() });
        if live == 0 {
            self.end(slot);
        }
        Ok(())
    }

    /// Accounts for the end of the CTA in `slot`, whose last warp has exited.
    fn end(&mut self, slot: u64) {
        let Some(cta) = self.ctas.get(&slot).filter(|cta| cta.has_grid) else { return };
        let grid = self.grids.entry(cta.grid).or_default();
        grid.ended += 1;
        grid.begun += u64::from(!cta.has_asked);
    }
}

impl Oracle for Bcu {
    fn advance(&mut self, pins: &Pins, cycle: u64) -> Result<(), String> {
        self.cycle = cycle;
        self.faults(pins)?;
        self.release(pins)?;
        self.writeback(pins)?;
        self.releases_of_links(pins)?;
        self.tokens(pins)?;
        self.lanes_shown(pins)?;
        self.blocked(pins)?;
        self.messages(pins)?;
        self.ctas(pins)?;
        // If an access and an instruction are in the same cycle, the access is older.
        self.access(pins)?;
        self.issue(pins)?;
        self.exit(pins)
    }

    fn reset(&mut self) {
        self.warps.iter_mut().for_each(|warp| *warp = Warp::default());
        self.ctas.clear();
        self.rows.clear();
        self.grids.clear();
        self.open.clear();
        (self.is_offered, self.requests) = ([false; 2], 0);
    }

    fn operations(&self) -> u64 {
        self.operations
    }
}

#[cfg(test)]
mod tests {
    use super::state::Arrived;
    use super::*;
    use bcu_isa::config::named;
    use bcu_isa::ports::{Dir, Port};
    use bcu_model::dut::ByName;
    use bcu_model::{by_name, Sizes};

    /// An oracle, and the pins of an idle unit in which a CTA retires while its barrier 1 is open.
    struct Bench {
        oracle: Bcu,
        ports: Vec<Port>,
        inputs: Vec<u64>,
        outputs: Vec<u64>,
        cycle: u64,
    }

    impl Bench {
        fn retire() -> Bench {
            let config = named("small").unwrap();
            let ports = by_name("bcu", Sizes::try_from(&config).unwrap()).unwrap().ports().to_vec();
            let [inputs, outputs] = [Dir::In, Dir::Out].map(|dir| vec![0; ports.count(dir)]);
            let mut oracle = Bcu::new(&ports, &config).unwrap();
            let arrived =
                Arrived { warp: 0, waits: false, count: 64, reduction: 0, contribution: 0, arrival_cycle: 0, owed: [0, 0] };
            oracle.rows.entry((0, 1)).or_default().arrivals.push(arrived);
            let mut bench = Bench { oracle, ports, inputs, outputs, cycle: 0 };
            let retire = [("retire_valid", 1), ("retire_ready", 1)];
            assert_eq!(bench.cycle(&retire), Ok(()));
            bench
        }

        /// A cycle in which these ports have these values, and all other ports are 0.
        fn cycle(&mut self, values: &[(&str, u64)]) -> Result<(), String> {
            self.inputs.fill(0);
            self.outputs.fill(0);
            for (name, value) in values {
                match (self.ports.input(name), self.ports.output(name)) {
                    (Ok(port), _) => self.inputs[port.index()] = *value,
                    (_, Ok(port)) => self.outputs[port.index()] = *value,
                    _ => panic!("no port `{name}`"),
                }
            }
            self.cycle += 1;
            self.oracle.advance(&Pins { inputs: &self.inputs, outputs: &self.outputs }, self.cycle)
        }
    }

    #[test]
    fn the_fault_of_a_barrier_left_open_is_taken_once() {
        let mut bench = Bench::retire();
        let offer = [("fault_valid", 1), ("fault_code", FaultCode::BarrierLeftOpen as u64), ("fault_id", 1)];
        let transfer = [&offer[..], &[("fault_ready", 1)]].concat();
        assert_eq!((bench.cycle(&offer), bench.cycle(&offer), bench.cycle(&transfer)), (Ok(()), Ok(()), Ok(())));
        assert!(bench.cycle(&offer).unwrap_err().starts_with("fault reported for legal operations"));
        assert!(Bench::retire().cycle(&[("fault_valid", 1), ("fault_code", 1), ("fault_id", 1)]).is_err());
    }

    #[test]
    fn a_lost_fault_of_a_barrier_left_open_is_found() {
        let mut bench = Bench::retire();
        let bound = bench.oracle.bound;
        let failure = (0..2 * bound).find_map(|_| bench.cycle(&[]).err());
        assert!(failure.is_some_and(|failure| failure.starts_with("the fault barrier_left_open is not reported")));
        assert!(bench.cycle > bound);
    }
}
