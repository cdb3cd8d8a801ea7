// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Executes the instructions of warpgroups (`wgmma`) as far as they order anything: the groups of products, the bytes of shared memory
//! and the registers that products use, and the rule that all four warps execute the same instructions.

use super::super::warp::threads::{bits, At};
use super::super::warp::{Chosen, Hazard, RegisterUse, Warp};
use super::warpgroup_log::{Difference, Executed};
use super::Sm;
use crate::report::Misuse;
use bcu_program::arith::{Calc, Operation};
use bcu_program::{GroupProduct, Instr, Multiplicand, Op, Operand, Place, Warpgroup, GROUP_WARPS};
use std::ops::Range;
use std::rc::Rc;

/// Rows of A that one warp reads.
const WARP_ROWS: u64 = 16;

/// What is reported about a warp: the code, a sentence, and the related location with a note.
pub(super) type Reported = (&'static str, String, Option<(usize, Place, String)>);

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
        let Some(missing) = self.warpgroups.exit(key, number) else { return };
        let sentence =
            format!("warp {number} exits without an instruction that warp {} of its warpgroup executes", missing.warp);
        let note = format!("warp {} executes it here", missing.warp);
        self.report_misuse(index, at, (NOT_CONVERGED, sentence, Some((missing.warp, missing.place, note))));
    }

    /// Records an instruction of a warp, before the instruction is executed.
    pub(super) fn in_warpgroup(&mut self, index: usize, chosen: Chosen, cycle: u64) {
        let warp = &self.warps[index];
        let code = warp.code().clone();
        let Some(instr) = code.instr(chosen.at.function, chosen.at.instr).filter(|_| code.has_warpgroups) else { return };
        let lanes = warp.active(instr.guard, chosen.lanes).executing;
        if lanes == 0 || chosen.lanes & warp.threads.on_unknown_path() != 0 {
            return;
        }
        let Op::Warpgroup(op) = &instr.op else {
            if self.races.is_some() {
                self.uses_registers(index, chosen, (instr, lanes));
            }
            return;
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
                let uncommitted = products.uncommitted;
                products.waited(products.end(*max_in_flight));
                self.races.iter().for_each(|races| races.borrow_mut().waited_for_products(issuer, *max_in_flight));
                if let Some((number, last)) = uncommitted {
                    self.not_committed(index, chosen.at, (number, last));
                }
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
                if self.races.is_some() {
                    self.hazard(index, chosen, (instr, lanes), hazard);
                    self.reads(index, chosen.at, (product, lanes), cycle);
                }
            }
        }
    }

    fn written(&self, index: usize, (instr, lanes): (&Instr, u64)) -> Vec<usize> {
        let base = base(&self.warps[index], lanes);
        instr.written().map(|slot| base + slot).collect()
    }

    /// Records the registers of an instruction that is no `wgmma`.
    fn uses_registers(&mut self, index: usize, chosen: Chosen, (instr, lanes): (&Instr, u64)) {
        let base = base(&self.warps[index], lanes);
        if matches!(instr.op, Op::Return) && chosen.depth > 0 {
            self.warps[index].products.returns(base);
            return;
        }
        let (read, written): (Vec<usize>, Vec<usize>) =
            (instr.reads().map(|slot| base + slot).collect(), instr.written().map(|slot| base + slot).collect());
        let moved = match &instr.op {
            Op::Calc { calc: Calc { op: Operation::Move(_), .. }, sources } => sources.first().zip(written.first()),
            _ => None,
        };
        let used = match moved {
            Some((Operand::Register { slot, negated: false }, to)) => RegisterUse::Copied { from: base + slot, to: *to },
            Some((_, to)) => RegisterUse::Set { to: *to },
            None => RegisterUse::Used { read: &read, written: &written },
        };
        let hazard = self.warps[index].products.use_registers(chosen.at, &used);
        self.hazard(index, chosen, (instr, lanes), hazard);
    }

    fn hazard(&mut self, index: usize, chosen: Chosen, (instr, lanes): (&Instr, u64), hazard: Option<Hazard>) {
        let Some(hazard) = hazard else { return };
        let warp = &self.warps[index];
        let base = base(warp, lanes);
        let function = warp.code().functions.get(chosen.at.function);
        let name = |register: usize| {
            let name = register.checked_sub(base).and_then(|slot| function?.registers.get(slot));
            name.map_or("a register".to_string(), |name| format!("`{name}`"))
        };
        let number = warp.warp;
        let related = |at: At, note: &str| Some((number, warp.place_of(at), note.to_string()));
        let reported = match hazard {
            Hazard::NeverFenced => {
                (FENCE_MISSING, format!("warp {number} starts its first product without `wgmma.fence` before it"), None)
            }
            Hazard::NotFenced { register, by } => {
                let name = name(register);
                let sentence = format!(
                    "warp {number} starts a product with {name}, which another instruction has used since the last `wgmma.fence`"
                );
                (FENCE_MISSING, sentence, related(by, "it uses the register here"))
            }
            Hazard::NotWaited { register, of, accumulates } => {
                let uses = if instr.written().any(|slot| base + slot == register) { "writes" } else { "reads" };
                let part = if accumulates { "the accumulator" } else { "matrix A" };
                let name = name(register);
                let sentence = format!(
                    "warp {number} {uses} {name} of {part} of a product that no `wgmma.wait_group` of the warp has waited for"
                );
                (NOT_WAITED, sentence, related(of, "the product starts here"))
            }
        };
        self.report_misuse(index, chosen.at, reported);
    }

    fn not_committed(&mut self, index: usize, at: At, (number, last): (usize, At)) {
        let warp = &self.warps[index];
        let products = if number == 1 { "a product is".to_string() } else { format!("{number} products are") };
        let sentence =
            format!("warp {} waits for groups of products while {products} in no group: the wait excludes them", warp.warp);
        let related = Some((warp.warp, warp.place_of(last), "the last of them starts here".to_string()));
        self.report_misuse(index, at, (NOT_COMMITTED, sentence, related));
    }

    /// Records the bytes of shared memory that a warp reads in a product: 16 rows of A, and the whole of B.
    fn reads(&mut self, index: usize, at: At, (product, lanes): (&GroupProduct, u64), cycle: u64) {
        let warp = &self.warps[index];
        let first_row = (warp.warp % GROUP_WARPS) as u64 * WARP_ROWS;
        let mut bytes: Vec<Range<u64>> = vec![];
        let mut unchecked = vec![];
        for (name, matrix, of_warp) in [('A', &product.a, true), ('B', &product.b, false)] {
            let Multiplicand::Shared { tile, .. } = matrix else { continue };
            let Some(descriptor) = descriptor(warp, matrix, lanes, self.cycle) else {
                unchecked.push(format!("the descriptor of matrix {name} is unknown"));
                continue;
            };
            let found = tile.and_then(|tile| {
                let rows = if of_warp { first_row..first_row + WARP_ROWS } else { 0..tile.rows };
                tile.bytes(descriptor, rows)
            });
            match found {
                Some(found) => bytes.extend(found),
                None => unchecked.push(format!("the descriptor {descriptor:#x} of matrix {name} has no layout of PTX")),
            }
        }
        let issuer = self.issuer(index);
        let key = (Rc::as_ptr(warp.code()) as usize, at.function, at.instr);
        if let Some(races) = &self.races {
            races.borrow_mut().product(issuer, &bytes, (key, || warp.place_of(at)), cycle);
        }
        if !unchecked.is_empty() {
            let sentence = format!("the reads of a product were not checked for races: {}", unchecked.join(", and "));
            self.report_misuse(index, at, (NOT_CHECKED, sentence, None));
        }
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

const FENCE_MISSING: &str = "wgmma_fence_missing";
const NOT_WAITED: &str = "wgmma_not_waited";
const NOT_COMMITTED: &str = "wgmma_not_committed";
const NOT_CONVERGED: &str = "wgmma_not_converged";
const NOT_CHECKED: &str = "wgmma_not_checked";

/// The warpgroup of a warp.
fn key(warp: &Warp) -> (usize, usize) {
    (warp.cta, warp.warp / GROUP_WARPS)
}

/// The first register of the function in which the lanes are.
fn base(warp: &Warp, lanes: u64) -> usize {
    bits(lanes).next().map_or(0, |lane| warp.threads.base[lane])
}

fn registers(warp: &Warp, lanes: u64, operands: &[Operand]) -> Vec<usize> {
    let base = base(warp, lanes);
    let register = |operand: &Operand| match operand {
        Operand::Register { slot, .. } => Some(base + slot),
        _ => None,
    };
    operands.iter().filter_map(register).collect()
}

/// The shape of a product.
fn shape(instr: &Instr) -> Option<&str> {
    match &instr.op {
        Op::Warpgroup(Warpgroup::Product(product)) => Some(&product.shape),
        _ => None,
    }
}

/// The descriptor of a matrix in shared memory, if all lanes know it.
fn descriptor(warp: &Warp, matrix: &Multiplicand, lanes: u64, cycle: u64) -> Option<u64> {
    let Multiplicand::Shared { descriptor, .. } = matrix else { return None };
    let values: Option<Vec<u64>> = bits(lanes).map(|lane| warp.value(descriptor, lane, cycle)).collect();
    values?.first().copied()
}

/// Whether lanes give different descriptors.
fn differs(warp: &Warp, matrix: &Multiplicand, lanes: u64, cycle: u64) -> bool {
    let Multiplicand::Shared { descriptor, .. } = matrix else { return false };
    let mut known = bits(lanes).filter_map(|lane| warp.value(descriptor, lane, cycle));
    let first = known.next();
    known.any(|value| Some(value) != first)
}
