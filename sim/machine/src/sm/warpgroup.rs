// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Executes the instructions of warpgroups (`wgmma`) as far as they order anything: the groups of products, the bytes of shared memory
//! and the registers that products use, and the rule that all four warps execute the same instructions.

use super::super::execute::Stopped;
use super::super::memory::Memory;
use super::super::warp::threads::At;
use super::super::warp::{Chosen, Warp};
use super::warpgroup_log::{Difference, Executed};
use super::warpgroup_operands::{descriptor, differs, registers, Reported};
use super::Sm;
use crate::report::Misuse;
use bcu_program::{Instr, Multiplicand, Op, Operand, Warpgroup, GROUP_WARPS};

impl Sm<'_> {
    /// Whether an instruction is a wait for groups that another warp of the warpgroup has not committed yet: a group belongs to the whole
    /// warpgroup. A wait that cannot end is held for a limited time.
    pub(super) fn awaits_warpgroup(&mut self, index: usize, chosen: Chosen) -> bool {
        let warp = &self.warps[index];
        let Some(instr) = warp.instr(chosen.at) else { return false };
        let Op::Warpgroup(Warpgroup::Wait { max_in_flight }) = &instr.op else { return false };
        if warp.active(instr.guard, chosen.lanes).executing == 0 {
            return false;
        }
        let (end, key) = (warp.products.end(*max_in_flight), key(warp));
        let others = self.warpgroup(warp).filter(|other| other.exited.is_none() && other.products.committed < end);
        let late: Vec<usize> = others.map(|other| other.warp).collect();
        if late.is_empty() || self.warpgroups.is_diverged(key) {
            return false;
        }
        let are_held = self.warpgroup(warp).filter(|other| late.contains(&other.warp)).all(|other| self.cannot_continue(other));
        if self.holds_back(index, are_held) {
            return true;
        }
        let sentence = format!(
            "warp {} waits for a group of products that warp {} of its warpgroup has not committed",
            self.warps[index].warp, late[0]
        );
        if self.warpgroups.diverges(key) {
            self.report_misuse(index, chosen.at, (NOT_CONVERGED, sentence, None));
        }
        false
    }

    /// The warps of the warpgroup of a warp, with the warp itself.
    fn warpgroup<'b>(&'b self, warp: &'b Warp) -> impl Iterator<Item = &'b Warp> + 'b {
        self.resident_warps().filter(|other| key(other) == key(warp))
    }

    pub(super) fn report_misuse(&mut self, index: usize, at: At, (code, sentence, related): Reported) {
        if self.races.is_none() {
            return;
        }
        let warp = &self.warps[index];
        let (cta, place) = (warp.cta, warp.place_of(at));
        let warp = Some(warp.warp);
        self.warpgroups.add(Misuse { code, cta, warp, cycle: self.cycle, place: Some(place), sentence, related });
    }

    /// Records the exit of a warp.
    pub(super) fn exits_warpgroup(&mut self, index: usize) {
        let (warp, at) = (&self.warps[index], self.warps[index].last_at());
        if !warp.code().has_warpgroups {
            return;
        }
        let (key, number) = (key(warp), warp.warp);
        if let Some((wait, products)) = warp.products.not_covered {
            self.not_committed(index, wait, products);
        }
        let Some(missing) = self.warpgroups.exit(key, number) else { return };
        let sentence =
            format!("warp {number} exits without an instruction that warp {} of its warpgroup executes", missing.warp);
        let note = format!("warp {} executes it here", missing.warp);
        self.report_misuse(index, at, (NOT_CONVERGED, sentence, Some((missing.warp, missing.place, note))));
    }

    /// Records an instruction of a warp, before the instruction is executed.
    pub(super) fn in_warpgroup(&mut self, index: usize, chosen: Chosen, cycle: u64, memory: &Memory) -> Result<(), Stopped> {
        let warp = &self.warps[index];
        let code = warp.code().clone();
        let Some(instr) = code.instr(chosen.at.function, chosen.at.instr).filter(|_| code.has_warpgroups) else {
            return Ok(());
        };
        let active = warp.active(instr.guard, chosen.lanes);
        let (lanes, is_unknown) = (active.executing, chosen.lanes & warp.threads.on_unknown_path() != 0);
        if active.unknown != 0 || is_unknown {
            let written = self.written(index, (instr, chosen.lanes));
            written.into_iter().for_each(|register| self.warps[index].accumulators.overwrite(register));
        }
        if lanes == 0 || is_unknown {
            return Ok(());
        }
        let Op::Warpgroup(op) = &instr.op else {
            if self.races.is_some() || !self.warps[index].accumulators.is_idle() {
                self.uses_registers(index, chosen, (instr, lanes));
            }
            return Ok(());
        };
        self.compare(index, chosen.at, (op, lanes));
        let issuer = self.issuer(index);
        match op {
            Warpgroup::Fence => self.warps[index].products.fence(),
            Warpgroup::Commit => {
                self.warps[index].products.commit();
                self.races.iter().for_each(|races| races.borrow_mut().commit_products(issuer));
            }
            Warpgroup::Wait { max_in_flight } => {
                let products = &mut self.warps[index].products;
                let end = products.end(*max_in_flight);
                let uncommitted = products.waited(end);
                self.completes(index, end, memory);
                self.races.iter().for_each(|races| races.borrow_mut().waited_for_products(issuer, *max_in_flight));
                let products = &mut self.warps[index].products;
                products.not_covered = products.not_covered.or(uncommitted.map(|uncommitted| (chosen.at, uncommitted)));
            }
            Warpgroup::Product(product) => {
                let number = |operands: &[Operand]| registers(&self.warps[index], lanes, operands);
                let (a, d) = match &product.a {
                    Multiplicand::Registers(a) => (number(a), self.written(index, (instr, lanes))),
                    Multiplicand::Shared { .. } => (vec![], self.written(index, (instr, lanes))),
                };
                let is_shape =
                    |at: At| code.instr(at.function, at.instr).is_some_and(|other| shape(other) == Some(&product.shape));
                let hazard = self.warps[index].products.start(chosen.at, (&d, &a), is_shape);
                let factors = self.factors(index, (product, lanes), chosen.at)?;
                if self.races.is_some() {
                    self.hazard(index, chosen, (instr, lanes), hazard);
                    self.reads(index, chosen.at, &factors, cycle);
                }
                self.calculates(index, chosen.at, (instr, lanes), &factors, memory);
            }
        }
        Ok(())
    }

    /// Compares an instruction with those of the other lanes and warps of the warpgroup.
    fn compare(&mut self, index: usize, at: At, (op, lanes): (&Warpgroup, u64)) {
        let warp = &self.warps[index];
        let (number, key) = (warp.warp, key(warp));
        let all_lanes = u64::MAX >> (64 - warp.width);
        let first_of_group = number / GROUP_WARPS * GROUP_WARPS;
        let given = |matrix: &Multiplicand| descriptor(warp, matrix, lanes, self.cycle);
        let (descriptors, differing) = match op {
            Warpgroup::Product(product) => {
                let matrices = [&product.a, &product.b];
                let differs = matrices.into_iter().zip(['A', 'B']).find(|(matrix, _)| differs(warp, matrix, lanes, self.cycle));
                (matrices.map(given), differs.map(|(_, name)| name))
            }
            Warpgroup::Fence | Warpgroup::Commit | Warpgroup::Wait { .. } => ([None; 2], None),
        };
        let own = if lanes != all_lanes {
            let (some, all) = (lanes.count_ones(), all_lanes.count_ones());
            Some(format!("only {some} of {all} lanes of warp {number} execute this instruction of a warpgroup"))
        } else if warp.warps < first_of_group + GROUP_WARPS {
            let count = warp.warps - first_of_group;
            Some(format!("the warpgroup of warp {number} has {count} of 4 warps"))
        } else {
            differing.map(|name| format!("the lanes of warp {number} give different descriptors of matrix {name}"))
        };
        if let Some(sentence) = own {
            if self.warpgroups.diverges(key) {
                self.report_misuse(index, at, (NOT_CONVERGED, sentence, None));
            }
        }
        let warp = &self.warps[index];
        let executed = Executed { warp: number, at, place: warp.place_of(at), descriptors };
        let Some(difference) = self.warpgroups.execute(key, executed) else { return };
        let related = |other: Executed| Some((other.warp, other.place, format!("the instruction of warp {}", other.warp)));
        let (sentence, related) = match difference {
            Difference::Instruction(other) => (
                format!("warp {number} executes another instruction than warp {} of its warpgroup", other.warp),
                related(other),
            ),
            Difference::Descriptor(name, [given, known], other) => (
                format!("warp {number} gives the descriptor {given:#x} of matrix {name}, warp {} {known:#x}", other.warp),
                related(other),
            ),
            Difference::Exited(other) => {
                (format!("warp {} of the warpgroup of warp {number} has exited", first_of_group + other), None)
            }
        };
        self.report_misuse(index, at, (NOT_CONVERGED, sentence, related));
    }
}

const NOT_CONVERGED: &str = "wgmma_not_converged";

/// The warpgroup of a warp.
fn key(warp: &Warp) -> (usize, usize) {
    (warp.cta, warp.warp / GROUP_WARPS)
}

/// The shape of a product.
fn shape(instr: &Instr) -> Option<&str> {
    match &instr.op {
        Op::Warpgroup(Warpgroup::Product(product)) => Some(&product.shape),
        _ => None,
    }
}
