// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A run: assembles the machine, clocks it until no further change is possible, and reports the result.

use crate::constraints::Constraints;
use crate::cooperative;
use crate::cycle::{Cycle, Observer};
use crate::describe::{Fill, Machine};
use crate::gpu::Gpu;
use crate::grids::Grids;
use crate::memory::{Fresh, Memory, Overlap};
use crate::patience::Patience;
use crate::plan::{self, CtaPlan};
use crate::priorities::Turns;
use crate::race::Races;
use crate::record::RemoteOp;
use crate::report::program_stop::ProgramStop;
use crate::report::{
    self, Fault, Hang, HangCause, RaceMemory, RaceVariable, Report, Scheduled, UnknownBuffer, UnknownValue, Verdict, WarpTotal,
};
use crate::run_error::RunError;
use crate::schedule_file::{Constraint, Execution};
use crate::sm::{Shared, Sm};
use crate::uncore::{Blocks, Uncore};
use crate::{dependents, extent, gateway, grid_waits, hang, object_waits, peers, spin_waits, unit, waits, warp};
use bcu_isa::config::Config;
use bcu_isa::diag::Diagnostic;
use bcu_model::dut::Dut;
use bcu_program::launch::written;
use bcu_program::{Bare, Code, Place, Variable, WarpProgram};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

/// The maximum number of instructions that are listed for one buffer with unknown bytes.
const MOST_MAKERS: usize = 4;

/// Executes `programs` on `dut`. The device may be in any state, because the first cycle resets it. The model of the unit runs on the same
/// inputs.
///
/// `observe` gets every cycle, for traces. Programs are assigned to warps as in the description; a description without CTAs gets one CTA
/// with a warp per program. `sizes` must be the configuration of `dut`.
pub fn run(
    dut: &mut dyn Dut,
    sizes: &Config,
    machine: &Machine,
    programs: &[WarpProgram],
    observe: &mut dyn FnMut(&Cycle),
) -> Result<Report, RunError> {
    run_with(Some(dut), sizes, machine, programs, &mut vec![], Observer::of_all(observe))
}

/// As [`run`], but on the model alone if `dut` is `None`. At the call, `variables` are the contents of global memory before the run:
/// buffers, and data of earlier runs. At the return, they are the contents after the run, including the variables of the programs.
pub fn run_with(
    dut: Option<&mut dyn Dut>,
    sizes: &Config,
    machine: &Machine,
    programs: &[WarpProgram],
    variables: &mut Vec<Variable>,
    mut observer: Observer,
) -> Result<Report, RunError> {
    let dut = dut.map(|dut| -> &mut dyn Dut { dut });
    let mut gpu = assemble(dut, sizes, machine, programs, variables)?;
    let patience = Patience::new(sizes, gpu.unit.has_several(), machine.hang_after.get());
    match gpu.play(&patience, machine.max_cycles.get().into(), &mut observer) {
        Ok((cause, cycles)) => {
            *variables = gpu.uncore.memory.variables();
            Ok(report(gpu, machine, sizes, cause, cycles))
        }
        Err(RunError::Program { cta, warp, stopped, .. }) => {
            let cycles = gpu.cycle;
            let stop = Some(ProgramStop { cta, warp, stopped: stopped.clone() });
            let report = Report { verdict: Verdict::Stopped, stop, ..report(gpu, machine, sizes, None, cycles) };
            Err(RunError::Program { cta, warp, stopped, report: Some(Box::new(report)) })
        }
        Err(error) => Err(error),
    }
}

/// The machine in the state before its first cycle.
pub(crate) fn assemble<'a>(
    dut: Option<&'a mut dyn Dut>,
    sizes: &'a Config,
    machine: &'a Machine,
    programs: &[WarpProgram],
    variables: &[Variable],
) -> Result<Gpu<'a>, RunError> {
    let plans = plan::plan(machine, sizes, programs).map_err(RunError::Misfit)?;
    let extent = extent::extent(machine, sizes, &plans).map_err(RunError::Misfit)?;
    let mut memory = memory(machine, &plans, variables);
    if machine.races {
        memory.keep_writers();
    }
    let ctas = plans.len();
    let (unit, pins) = unit::Unit::new(dut, sizes, extent.several)?;
    if extent.several && !unit.has_several() {
        let message = "several multiprocessors or clusters of several CTAs need the unit `gpu`";
        return Err(RunError::Misfit(Diagnostic::new(0..0, message, "this unit has one multiprocessor")));
    }
    let races = machine.races.then(|| Rc::new(RefCell::new(Races::new(machine.is_explored))));
    if let Some(races) = &races {
        let regions = plans.iter().filter_map(|plan| Some((plan.cta, plan.programs.first()?.grid.reserved_shared()?)));
        regions.for_each(|(cta, region)| races.borrow_mut().reserves(cta, region));
    }
    let constraints = (machine.is_explored || !machine.schedule.constraints.is_empty())
        .then(|| Rc::new(RefCell::new(Constraints::new(&machine.schedule.constraints))));
    let turns = machine.schedule.priorities.map(|priorities| Rc::new(RefCell::new(Turns::new(priorities))));
    let shared = Shared { races, constraints, turns };
    let sms = pins.into_iter().enumerate().map(|pins| Sm::new(pins, sizes, machine, (ctas, shared.clone()))).collect();
    let blocks = Blocks::new(plan::in_order(plans), sizes);
    let grids = Grids::new(&blocks.grids(), sizes.grid_slots, machine.latency.global.get().into());
    let uncore = Uncore { memory, blocks, grids, exited_ctas: BTreeSet::new() };
    Ok(Gpu { unit, sms, used: extent.sms, uncore, cycle: 0, changes: 0, changed_at: 0 })
}

/// The memory of a run, with the variables of its programs and the data of earlier runs.
fn memory(machine: &Machine, plans: &[CtaPlan], variables: &[Variable]) -> Memory {
    let mut codes: Vec<&Arc<Code>> = vec![];
    for code in plans.iter().flat_map(|plan| &plan.programs).map(|program| &program.code) {
        if !codes.iter().any(|known| Arc::ptr_eq(known, code)) {
            codes.push(code);
        }
    }
    let bare = codes.first().map_or_else(Bare::default, |code| code.bare);
    let fresh = match machine.fill {
        _ if bare.zeroed => Fresh::Zero,
        Fill::Unknown => Fresh::Unknown,
        Fill::Zero => Fresh::Zero,
        Fill::Random => Fresh::Random(machine.seed),
    };
    let mut lets: Vec<bool> = vec![];
    for plan in plans {
        let code = plan.programs.first().map(|program| &program.code);
        lets.resize(plan.grid + 1, code.is_some_and(|code| code.lets_dependents_begin()));
    }
    let mut memory = Memory::new(fresh, Overlap::new(lets));
    codes.iter().flat_map(|code| &code.variables).chain(variables).for_each(|variable| memory.allocate(variable));
    for plan in plans {
        let Some(grid) = plan.programs.first().map(|program| &program.grid) else { continue };
        grid.reserved_shared().into_iter().for_each(|range| memory.clear_shared(plan.cta, range));
    }
    cooperative::workspaces(plans).iter().for_each(|part| memory.allocate(part));
    memory.grid_barriers.provide(cooperative::grids(plans));
    memory
}

/// The report of a run that has stopped after `cycles` cycles; `cause` is `None` if the run ended.
pub(crate) fn report(gpu: Gpu, machine: &Machine, sizes: &Config, cause: Option<HangCause>, cycles: u64) -> Report {
    let Gpu { unit, sms, uncore, .. } = gpu;
    let reference = &unit.reference;
    let hang = cause.map(|cause| {
        let hang_of_sm = |sm: &Sm| {
            let barriers = hang::Barriers { unit: reference.unit(sm.number), record: &sm.record };
            // Operations that other CTAs of a cluster may still send are not examined. It is certain that no signal follows only if the CTA
            // is alone in its cluster.
            let alone = |cta: usize| sm.warps.iter().any(|warp| warp.cta == cta && warp.ctas.len() == 1);
            let has_no_signals = |cta: usize| alone(cta) && !sm.has_signals_to(cta);
            Hang {
                cause,
                causes: vec![],
                circle: vec![],
                hung_ctas: hang::find_hung_ctas(cause, &sm.warps, &sm.faults, barriers, &has_no_signals),
                blocked: hang::blocked(&sm.warps, barriers, sizes),
                resumable: hang::find_resumable(cause, &sm.warps, barriers),
                lanes: hang::lanes(&sm.warps, barriers),
                at_mbarriers: vec![],
                at_clusters: vec![],
                at_grids: vec![],
                at_grid_barriers: vec![],
                at_gateway: gateway::at_gateway(&sm.warps, barriers, sizes),
                spinning: vec![],
                stopped: hang::stopped(&sm.warps),
                not_launched: 0,
                unlaunched: vec![],
            }
        };
        let mut hang = Hang::merge(cause, sms.iter().map(hang_of_sm));
        hang.at_mbarriers = object_waits::at_mbarriers(&sms, reference);
        hang.at_clusters = peers::at_clusters(&sms, reference, sizes);
        hang.at_clusters.sort_by_key(|wait| (wait.cta, wait.warp));
        hang.at_grids = dependents::at_grids(&sms, &uncore);
        hang.at_grid_barriers = grid_waits::at_grid_barriers(&sms, &uncore.memory, reference);
        hang.spinning = spin_waits::spinning(&sms, &uncore.memory);
        hang.unlaunched = uncore.blocks.unlaunched();
        hang.not_launched = hang.unlaunched.len();
        (hang.causes, hang.circle) = waits::causes(&hang, &waits::users(sms.iter().flat_map(|sm| &sm.generations), &hang));
        hang
    });
    let lost_faults = sms.iter().map(|sm| sm.record.lost_faults).sum();
    let faulty = lost_faults > 0 || sms.iter().any(|sm| !sm.faults.is_empty());
    let verdict = match (cause, faulty) {
        (Some(HangCause::NothingCanChange), _) => Verdict::Hung,
        (Some(HangCause::MaxCycles | HangCause::Interrupted), _) => Verdict::Unfinished,
        (None, true) => Verdict::Fault,
        (None, false) => Verdict::Completed,
    };
    let several = sms.len() > 1;
    // A wait that has not ended is included in the waiting time up to the end of the run.
    let unfinished = |w: &warp::Warp| {
        let since = hang.as_ref().and_then(|hang: &Hang| hang.since(w.cta, w.warp).or(w.at_cluster));
        since.map_or(0, |since| cycles.saturating_sub(since + 1))
    };
    let total = |(index, w): (usize, &warp::Warp), sm: &Sm| WarpTotal {
        cta: w.cta,
        multiprocessor: several.then_some(sm.number),
        warp: w.warp,
        program: w.program.name.clone(),
        steps: w.threads.issued as usize,
        waited: w.waited + sm.record.mbarriers.waited.get(&index).unwrap_or(&0) + unfinished(w),
        exited: w.exited,
    };
    let warps: Vec<WarpTotal> = sms.iter().flat_map(|sm| sm.warps.iter().enumerate().map(|warp| total(warp, sm))).collect();
    let mut report = Report {
        format_version: report::FORMAT_VERSION,
        verdict,
        cycles,
        policy: machine.policy,
        seed: machine.seed,
        engine: None,
        grids: dependents::grids(&sms, &uncore),
        warps,
        memory: uncore.memory.words(),
        generations: vec![],
        phases: vec![],
        faults: vec![],
        lost_faults,
        assumed: vec![],
        unknown_values: vec![],
        unknown_buffers: vec![],
        unknown_addresses: vec![],
        unknown_conditions: vec![],
        unset_reads: uncore.memory.unset_reads(),
        mismatches: vec![],
        unknown_stores: uncore.memory.unknown_stores,
        races: vec![],
        unordered: vec![],
        scheduled: Scheduled::default(),
        has_dropped_accesses: false,
        misuses: vec![],
        early_waits: vec![],
        unwaited: vec![],
        stop: None,
        hang,
    };
    let remote_ops: Vec<RemoteOp> = sms.iter().flat_map(|sm| sm.record.remote_ops.clone()).collect();
    // All multiprocessors share one race detector, so its races are moved to the report once.
    if let Some(races) = sms.first().and_then(|sm| sm.races.as_ref()) {
        let mut races = races.borrow_mut();
        report.races.append(&mut races.found);
        report.unordered = races.unordered();
        (report.scheduled.pairs, report.scheduled.has_other_pairs) = races.pairs();
        report.has_dropped_accesses = races.has_dropped();
    }
    report.scheduled.operations = sms.iter().flat_map(|sm| &sm.warps).map(warp::Warp::operations).sum();
    if let Some(constraints) = sms.first().and_then(|sm| sm.constraints.as_ref()).map(|constraints| constraints.borrow()) {
        report.scheduled.given_up_constraints = constraints.given_up;
        let occurs = |execution: &Execution| sms.iter().flat_map(|sm| &sm.warps).any(|warp| warp.has_executed(execution));
        let is_vacuous = |constraint: &&Constraint| !occurs(&constraint.delayed) || !occurs(&constraint.after);
        let vacuous = machine.schedule.constraints.iter().filter(is_vacuous).count();
        report.scheduled.infeasible_constraints = constraints.infeasible;
        report.scheduled.unfollowed_constraints = constraints.given_up + constraints.infeasible + vacuous;
    }
    for race in &mut report.races {
        let owner = match race.memory {
            RaceMemory::Global => None,
            RaceMemory::Shared { cta } => Some(cta),
        };
        let of_cta = |cta: usize| sms.iter().flat_map(|sm| &sm.warps).find(|warp| warp.cta == cta).map(|warp| warp.code());
        let found = match owner {
            None => uncore.memory.located(race.address),
            Some(cta) => of_cta(cta).and_then(|code| code.shared_variable(race.address)),
        };
        race.variable = found.map(|(name, offset)| RaceVariable { name: written(name), offset });
    }
    for sm in sms {
        report.generations.extend(sm.generations);
        report.phases.extend(sm.record.phases);
        report.faults.extend(sm.faults);
        report.assumed.extend(sm.assumptions.used);
        report.unknown_addresses.extend(sm.unknown_values.addresses.clone());
        report.unknown_conditions.extend(sm.unknown_values.conditions.clone());
        report.unknown_values.extend(sm.unknown_values.found(&uncore.memory));
        report.early_waits.extend(sm.record.mbarriers.early_waits());
        report.unwaited.extend(sm.record.mbarriers.unwaited());
        report.misuses.extend(sm.record.mbarriers.misuses);
        report.misuses.extend(sm.warpgroups.misuses);
    }
    report.faults.iter_mut().for_each(|fault| name_sender(fault, &remote_ops));
    report.merge();
    report.unknown_buffers = unknown_buffers(&uncore.memory, &report.unknown_values);
    report
}

/// If another CTA sent the refused operation, attributes the fault to the instruction of that CTA.
fn name_sender(fault: &mut Fault, remote_ops: &[RemoteOp]) {
    let Some((sender, address)) = fault.remote_sender else { return };
    let known = remote_ops.iter().rev().find(|op| (op.cta, op.address) == (sender, address));
    let Some(RemoteOp { cta, warp, place, .. }) = known else { return };
    fault.sentence = format!("an operation of CTA {cta} on an mbarrier of CTA {}: {}", fault.cta, fault.sentence);
    (fault.cta, fault.warp, fault.place) = (*cta, Some(*warp), Some(place.clone()));
}

/// Buffers and variables with unknown stored bytes, and the instructions that made these bytes unknown.
fn unknown_buffers(memory: &Memory, values: &[UnknownValue]) -> Vec<UnknownBuffer> {
    let buffer = |(first, bytes, name, unknown): (u64, u64, &str, u64)| {
        let inside = values.iter().filter(|value| (first..first + bytes).contains(&value.address));
        let mut made_by: Vec<Place> = vec![];
        for place in inside.filter_map(|value| value.from.as_ref()) {
            if made_by.len() < MOST_MAKERS && !made_by.contains(place) {
                made_by.push(place.clone());
            }
        }
        UnknownBuffer { name: written(name), unknown, bytes, made_by }
    };
    memory.unknown_stored().into_iter().map(buffer).collect()
}
