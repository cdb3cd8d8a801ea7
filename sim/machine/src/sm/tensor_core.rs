// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The tensor core of a multiprocessor (`tcgen05`): it executes the instructions on tensor memory, products and copies later and in order.

mod order;
mod perform;
pub(super) mod state;

use super::super::execute::{no_columns, resolve, TensorRequest, TensorWork};
use super::super::memory::Memory;
use super::super::race::TensorUse;
use super::super::report::Misuse;
use super::super::tensor_memory::Allocation;
use super::super::warp::threads::{bits, At};
use super::super::warp::{Chosen, Warp};
use super::Sm;
use crate::execute::env::Env;
use crate::run_error::RunError;
use bcu_program::{Op, TensorCore, CHUNK};
use order::Using;
use state::Queued;

/// The cycles of a product or a copy in the tensor core.
const CYCLES: u64 = 16;

const NOT_FREED: &str = "tcgen05_not_freed";
const NOT_CHECKED: &str = "tcgen05_not_checked";

impl Sm<'_> {
    /// Executes an instruction `tcgen05` on tensor memory, before its lanes move on.
    pub(super) fn tensor_core(&mut self, index: usize, chosen: Chosen, memory: &mut Memory) -> Result<(), RunError> {
        let warp = &self.warps[index];
        if !warp.tensor_loads.is_empty() {
            self.uses_loaded_registers(index, chosen);
        }
        let warp = &self.warps[index];
        let code = warp.code().clone();
        let Some(instr) = code.instr(chosen.at.function, chosen.at.instr) else { return Ok(()) };
        let Op::TensorCore(op) = &instr.op else { return Ok(()) };
        let mut lanes = warp.active(instr.guard, chosen.lanes);
        if lanes.unknown != 0 {
            lanes.assume(self.assumptions.guard(instr));
        }
        if lanes.executing | lanes.unknown == 0 || chosen.lanes & warp.threads.on_unknown_path() != 0 {
            return Ok(());
        }
        let number = self.number_of(index);
        let env = Env { cycle: self.cycle, index: number, memory: Some(memory), assumptions: None, scratch: &mut self.scratch };
        let request = resolve(warp, (instr, op), lanes, &env, &self.tensor_cores.memory);
        let request = request.map_err(|stopped| {
            let (cta, warp) = (warp.cta, warp.warp);
            RunError::Program { cta, warp, stopped: Box::new(stopped), report: None }
        })?;
        self.apply(index, chosen.at, lanes.executing, request);
        Ok(())
    }

    fn apply(&mut self, index: usize, at: At, lanes: u64, request: TensorRequest) {
        let cta = self.warps[index].cta;
        match request {
            TensorRequest::Allocate { columns } => {
                // The scheduler issues this instruction only when the columns are free.
                let Some(first) = self.tensor_cores.memory.free_columns(columns) else { return };
                self.tensor_cores.memory.allocate(Allocation { cta, first, columns, by: (index, at) });
                self.warps[index].allocated = Some(first as u64);
            }
            TensorRequest::Free { first, columns } => {
                let cells: Vec<_> = (0..bcu_program::TENSOR_LANES).map(|lane| (lane, first..first + columns)).collect();
                self.unordered(&Using { index, at, lanes, of: None }, (&[], &cells));
                self.tensor_cores.memory.free(cta, first, columns);
            }
            TensorRequest::Relinquish => {
                let relinquished = &mut self.tensor_cores.memory.relinquished;
                if !relinquished.contains(&cta) {
                    relinquished.push(cta);
                }
            }
            TensorRequest::Transfer { transfer, origin, stored: None } => self.load(index, at, lanes, (&transfer, origin)),
            TensorRequest::Transfer { transfer, origin, stored: Some(stored) } => {
                self.store(index, at, lanes, (&transfer, origin), &stored)
            }
            TensorRequest::Wait { stores } => self.waits_for_transfers(index, stores),
            TensorRequest::Work(works) => {
                for (lane, work) in works {
                    self.starts(index, at, lane, work);
                }
            }
            TensorRequest::Nothing => {}
        }
    }

    /// Queues a product or a copy of a lane.
    fn starts(&mut self, index: usize, at: At, lane: usize, work: TensorWork) {
        if let Some(unknown) = &work.unknown {
            let sentence = format!("the result of {unknown} is not calculated: it is unknown");
            self.report_misuse(index, at, (NOT_CHECKED, sentence, None));
        }
        let using = Using { index, at, lanes: 1 << lane, of: Some(TensorUse::Core) };
        self.unordered(&using, (&work.reads, &work.writes));
        let number = self.begins_use(&using, (&work.reads, &work.writes));
        self.tensor_cores.last_work.insert((index, lane), number + 1);
        if let Some(races) = &self.races {
            let (issuer, warp) = (self.issuer(index), &self.warps[index]);
            let key = (std::sync::Arc::as_ptr(warp.code()) as usize, at.function, at.instr);
            let place = || warp.place_of(at);
            races.borrow_mut().core_reads((issuer, lane), number + 1, (&work.chunks, CHUNK), (key, place), self.cycle);
        }
        let last = self.tensor_cores.queue.back().map_or(0, |queued| queued.due);
        let due = self.pipe.answer(self.cycle).max(last) + CYCLES;
        self.tensor_cores.queue.push_back(Queued { number, due, work });
    }

    /// Records the end of a CTA: columns that it has not freed are free afterwards.
    pub(super) fn ends_tensor_memory(&mut self, cta: usize) {
        for Allocation { first, columns, by: (index, at), .. } in self.tensor_cores.memory.end_cta(cta) {
            if self.races.is_none() {
                continue;
            }
            let warp = &self.warps[index];
            let (place, number) = (Some(warp.place_of(at)), Some(warp.warp));
            let sentence = format!(
                "CTA {cta} ends without `tcgen05.dealloc` of {columns} columns of tensor memory from column {first} on, which warp {} has allocated",
                warp.warp
            );
            let (code, cycle) = (NOT_FREED, self.cycle);
            self.warpgroups.add(Misuse { code, cta, warp: number, cycle, place, sentence, related: None });
        }
    }

    /// Whether a warp must wait at `tcgen05.alloc` for columns that other allocations have. If no warp can free them, the run ends.
    pub(super) fn awaits_columns(&mut self, index: usize, chosen: Chosen) -> Result<bool, RunError> {
        let Some(columns) = self.columns_wanted(index, chosen) else { return Ok(false) };
        if self.tensor_cores.memory.free_columns(columns).is_some() {
            return Ok(false);
        }
        let slot = self.warps[index].slot;
        let is_held = |other: &Warp| other.slot == slot || other.held_back.is_some() || self.cannot_continue(other);
        let are_held = self.resident_warps().all(is_held);
        if self.holds_back(index, are_held) {
            return Ok(true);
        }
        let warp = &self.warps[index];
        let Some(instr) = warp.instr(chosen.at) else { return Ok(true) };
        let held = self.tensor_cores.memory.allocations.iter().map(|of| {
            let line = self.warps[of.by.0].place_of(of.by.1).line;
            format!("CTA {} has {} from line {line}", of.cta, of.columns)
        });
        let stopped = no_columns(warp, instr, columns, &held.collect::<Vec<_>>().join(", "));
        Err(RunError::Program { cta: warp.cta, warp: warp.warp, stopped: Box::new(stopped), report: None })
    }

    /// The columns that the instruction of a warp allocates; `None` for another instruction, or if they are unknown.
    fn columns_wanted(&self, index: usize, chosen: Chosen) -> Option<usize> {
        let warp = &self.warps[index];
        let instr = warp.instr(chosen.at)?;
        let Op::TensorCore(TensorCore::Allocate { columns, .. }) = &instr.op else { return None };
        let lane = bits(warp.active(instr.guard, chosen.lanes).executing).next()?;
        let columns = warp.value(columns, lane, self.cycle)? & 0xffff_ffff;
        usize::try_from(columns).ok().filter(|columns| (32..=512).contains(columns) && columns.is_power_of_two())
    }

    /// Whether the columns that the next instruction of a warp allocates are free.
    pub(super) fn has_columns(&self, index: usize, chosen: Chosen) -> bool {
        self.columns_wanted(index, chosen).is_none_or(|columns| self.tensor_cores.memory.free_columns(columns).is_some())
    }
}
