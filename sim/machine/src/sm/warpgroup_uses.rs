// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What the products of a warpgroup use: registers, which no other instruction may use without a fence or a wait, and bytes of shared
//! memory.

use super::super::warp::threads::At;
use super::super::warp::{Chosen, Hazard, RegisterUse};
use super::warpgroup_operands::{base, Factors};
use super::Sm;
use bcu_program::arith::{Calc, Operation};
use bcu_program::{Instr, Op, Operand};
use std::ops::Range;
use std::sync::Arc;

const FENCE_MISSING: &str = "wgmma_fence_missing";
const NOT_WAITED: &str = "wgmma_not_waited";
const NOT_COMMITTED: &str = "wgmma_not_committed";
const NOT_CHECKED: &str = "wgmma_not_checked";

impl Sm<'_> {
    /// The registers that an instruction writes, numbered over all open calls.
    pub(super) fn written(&self, index: usize, (instr, lanes): (&Instr, u64)) -> Vec<usize> {
        let base = base(&self.warps[index], lanes);
        instr.written().map(|slot| base + slot).collect()
    }

    /// Records the registers of an instruction that is no `wgmma`.
    pub(super) fn uses_registers(&mut self, index: usize, chosen: Chosen, (instr, lanes): (&Instr, u64)) {
        let base = base(&self.warps[index], lanes);
        let is_whole = lanes == self.warps[index].lanes;
        if matches!(instr.op, Op::Return) && chosen.depth > 0 {
            self.warps[index].products.returns(base);
            self.warps[index].accumulators.returns(base);
            return;
        }
        let (read, written): (Vec<usize>, Vec<usize>) =
            (instr.reads().map(|slot| base + slot).collect(), instr.written().map(|slot| base + slot).collect());
        let moved = match &instr.op {
            Op::Calc { calc: Calc { op: Operation::Move(_), .. }, sources } => {
                sources.first().zip(written.first()).filter(|_| written.len() == 1)
            }
            _ => None,
        };
        let used = match moved {
            Some((Operand::Register { slot, negated: false }, to)) => RegisterUse::Copied { from: base + slot, to: *to },
            Some((_, to)) => RegisterUse::Set { to: *to },
            None => RegisterUse::Used { read: &read, written: &written },
        };
        let accumulators = &mut self.warps[index].accumulators;
        match used {
            RegisterUse::Copied { from, to } => accumulators.copy(from, to, is_whole),
            RegisterUse::Set { to } => accumulators.overwrite(to),
            RegisterUse::Used { written, .. } => written.iter().for_each(|register| accumulators.overwrite(*register)),
        }
        if self.races.is_none() {
            return;
        }
        let hazard = self.warps[index].products.use_registers(chosen.at, &used);
        self.hazard(index, chosen, (instr, lanes), hazard);
    }

    /// Reports the forbidden use of a register, if there is one.
    pub(super) fn hazard(&mut self, index: usize, chosen: Chosen, (instr, lanes): (&Instr, u64), hazard: Option<Hazard>) {
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

    /// Reports a wait at `at` that did not cover `number` products in no group, the last of which starts at `last`.
    pub(super) fn not_committed(&mut self, index: usize, at: At, (number, last): (usize, At)) {
        let warp = &self.warps[index];
        let products = if number == 1 { "a product is".to_string() } else { format!("{number} products are") };
        let sentence = format!(
            "warp {} has no group of products to wait for, but {products} in no group: the wait excludes them",
            warp.warp
        );
        let related = Some((warp.warp, warp.place_of(last), "the last of them starts here".to_string()));
        self.report_misuse(index, at, (NOT_COMMITTED, sentence, related));
    }

    /// Records the bytes of shared memory that a warp reads in a product: 16 rows of A, and the whole of B.
    pub(super) fn reads(&mut self, index: usize, at: At, factors: &Factors, cycle: u64) {
        let warp = &self.warps[index];
        let placed = factors.placed.iter();
        let bytes: Vec<Range<u64>> =
            placed.flat_map(|placed| placed.tile.bytes(&placed.descriptor, placed.rows.clone())).collect();
        let issuer = self.issuer(index);
        let key = (Arc::as_ptr(warp.code()) as usize, at.function, at.instr);
        if let Some(races) = &self.races {
            races.borrow_mut().product(issuer, &bytes, (key, || warp.place_of(at)), cycle);
        }
        if !factors.unplaced.is_empty() {
            let why = factors.unplaced.join(", and ");
            let sentence = format!("the reads of a product were not checked for races: {why}");
            self.report_misuse(index, at, (NOT_CHECKED, sentence, None));
        }
        if let Some(wrong) = &factors.wrong {
            self.report_misuse(index, at, wrong.clone());
        }
    }
}
