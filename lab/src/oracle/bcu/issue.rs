// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Accounts for the instructions and exits at the ports of `bcu`, in the order of their transfers.
//! Their operands are decoded as *Fields of the operation* of `docs/contract/decode.md` describes.

use super::lanes::{Arrival, Whole, ELECT, WARP_SYNC};
use super::state::{Arrived, Bcu, Token, Wait};
use crate::oracle::pins::Pins;
use bcu_isa::instr::{decode, BarMode, ClusterOp, GridOp, Op, RedSource, Source};
use bcu_isa::mbar::MbarOp;

impl Bcu {
    /// Accounts for the instruction that is transferred in this cycle, if any.
    pub(super) fn issue(&mut self, pins: &Pins) -> Result<(), String> {
        let p = &self.ports;
        if !pins.passes(&p.instr_valid, &p.instr_ready) {
            return Ok(());
        }
        self.operations += 1;
        let words = [&p.instr_word_0, &p.instr_word_1, &p.instr_word_2, &p.instr_word_3].map(|pin| pins.get(pin) as u32);
        let (warp, form) = (pins.get(&p.instr_warp) as usize, pins.get(&p.instr_form));
        let lanes = pins.get(&p.instr_active) & pins.get(&p.instr_guard);
        if self.warps.get(warp).is_none() {
            return Err(format!("`instr_warp` is {warp}, which is not built"));
        }
        if lanes == 0 {
            return Ok(());
        }
        if form == WARP_SYNC || form == ELECT {
            let members = pins.get(&p.instr_members);
            let shown = self.warps[warp].lanes.meet(form, members, lanes);
            self.warps[warp].shown.extend(shown);
            return Ok(());
        }
        let instr = decode(words).map_err(|why| format!("a legal user issues an illegal instruction: {why}"))?;
        // Bit 101 of the instruction word inverts the predicate.
        let predicate = pins.get(&p.instr_predicate) ^ if words[3] >> 5 & 1 == 1 { u64::MAX } else { 0 };
        let registers = [pins.get(&p.instr_ra), pins.get(&p.instr_rb)];
        self.execute(warp, form, lanes, predicate & lanes, instr.op, registers)
    }

    fn execute(&mut self, warp: usize, form: u64, lanes: u64, votes: u64, op: Op, [ra, rb]: [u64; 2]) -> Result<(), String> {
        let state = &mut self.warps[warp];
        let arrival = match op {
            Op::Bar { mode, source } => {
                let (id, count) = match source {
                    Source::I { id, count } => (id.into(), count.into()),
                    Source::Rr { .. } => (ra, rb),
                    Source::Rri { count, .. } => (rb, count.into()),
                    Source::Rir { id, .. } => (id.into(), rb),
                };
                Arrival::Named { waits: mode == BarMode::Sync, id: id & 15, count: count & 0xfff, reduction: 0 }
            }
            Op::Red { op, source, .. } => {
                let (id, count) = match source {
                    RedSource::I { id, count } => (id.into(), count.into()),
                    RedSource::Packed(_) => (rb, rb >> self.pack_lsb),
                    RedSource::Rri { count, .. } => (rb, count.into()),
                    RedSource::Rir { id, .. } => (id.into(), rb),
                };
                Arrival::Named { waits: true, id: id & 15, count: count & 0xfff, reduction: 1 + op as u64 }
            }
            Op::Cluster(ClusterOp::Wait) => Arrival::ClusterWait,
            Op::Cluster(op) => Arrival::ClusterArrive { is_relaxed: op == ClusterOp::ArriveRelaxed },
            Op::Result { rd, pu } => {
                state.reads.push_back([rd.0.into(), pu.into()]);
                return Ok(());
            }
            Op::Fence => {
                state.fence = state.accesses;
                return Ok(());
            }
            Op::Grid(GridOp::Wait) => {
                state.wait = Some((Wait::Grid, self.cycle));
                return Ok(());
            }
            Op::Grid(GridOp::Launch) => {
                let slot = state.slot;
                self.ask(slot);
                return Ok(());
            }
            Op::Mbar(mbar) => {
                let token = match mbar.does {
                    MbarOp::Arrive { rd, .. } => Some(Token { rd: Some(rd.0.into()), pu: 7, is_try: false }),
                    MbarOp::Test { pu, .. } => Some(Token { rd: None, pu: pu.into(), is_try: false }),
                    MbarOp::Try { pu, .. } => Some(Token { rd: None, pu: pu.into(), is_try: true }),
                    _ => None,
                };
                // A warp waits for the result of a test or try, but not for the token of an arrive.
                if token.is_some_and(|token| token.rd.is_none()) {
                    state.wait = Some((Wait::Token, self.cycle));
                }
                state.tokens.extend(token);
                return Ok(());
            }
            _ => return Err(format!("{op:?} is not covered")),
        };
        let (whole, shown) = state.lanes.arrive(form, arrival, lanes, votes)?;
        state.shown.extend(shown);
        self.arrive(warp, whole);
        Ok(())
    }

    /// A warp of the CTA in `slot` executes launch_dependents. With the first such warp of a CTA,
    /// the CTA counts as `begun` in its grid.
    fn ask(&mut self, slot: u64) {
        let Some(cta) = self.ctas.get_mut(&slot).filter(|cta| cta.has_grid && !cta.has_asked) else { return };
        cta.has_asked = true;
        self.grids.entry(cta.grid).or_default().begun += 1;
    }

    /// Accounts for the arrival of a whole warp, if its lanes have completed that arrival.
    fn arrive(&mut self, warp: usize, whole: Option<Whole>) {
        let Some((arrival, lanes, votes)) = whole else { return };
        let cycle = self.cycle;
        match arrival {
            Arrival::Named { waits, id, count, reduction } => {
                let contribution = match reduction {
                    0 => 0,
                    1 => u64::from(lanes & !votes != 0),
                    2 => u64::from(votes != 0),
                    _ => u64::from(votes.count_ones()),
                };
                self.arrive_named(
                    warp,
                    id,
                    Arrived { warp, waits, count, reduction, contribution, arrival_cycle: cycle, owed: [0; 2] },
                );
            }
            Arrival::ClusterArrive { is_relaxed } => {
                let state = &mut self.warps[warp];
                state.cluster_arrivals += 1;
                state.cluster_owed = if is_relaxed { [0, 0] } else { state.accesses };
            }
            Arrival::ClusterWait => {
                let phase = self.warps[warp].cluster_arrivals;
                self.warps[warp].wait = Some((Wait::Cluster { phase }, cycle));
            }
        }
    }

    /// Accounts for the exit that is transferred in this cycle, if any. An instruction of the same cycle precedes the exit.
    pub(super) fn exit(&mut self, pins: &Pins) -> Result<(), String> {
        let p = &self.ports;
        if !pins.passes(&p.exit_valid, &p.exit_ready) {
            return Ok(());
        }
        let number = pins.get(&p.exit_warp) as usize;
        let warp = self.warps.get_mut(number).ok_or("`exit_warp` is not built")?;
        let (whole, shown) = warp.lanes.exit(pins.get(&p.exit_lanes));
        warp.shown.extend(shown);
        let slot = warp.slot;
        if warp.lanes.live == 0 {
            if let Some(cta) = self.ctas.get_mut(&slot) {
                cta.live &= !(1 << number);
                if cta.live == 0 {
                    self.end(slot);
                }
            }
        }
        self.arrive(number, whole);
        Ok(())
    }
}
