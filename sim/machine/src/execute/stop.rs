// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Why a program cannot continue: a required value is unknown, or no hardware can execute the operation.

use super::super::memory::{Unordered, User};
use super::super::warp::threads::bits;
use super::super::warp::Warp;
use bcu_isa::diag::Diagnostic;
use bcu_program::tensor::InvalidMap;
use bcu_program::{window, Guard, Instr, Op, Operand, Space};
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};
use std::ops::Range;

/// The kind of a stop; `docs/guide/check.md` has a finding for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum StopKind {
    BadAccess,
    LaneMask,
    GridRace,
    BadCall,
    Trapped,
    UnknownDecision,
    NotBuilt,
    /// A wait for tensor memory that never ends.
    #[serde(rename = "tcgen05_alloc_wait")]
    AllocWait,
}

/// An error of a program that stops the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stopped {
    /// The diagnostic, with spans in the program's text.
    pub diagnostic: Diagnostic,
    pub kind: StopKind,
    /// The CTA and warp at fault; `None` if it is the warp that executes the instruction. An access
    /// of one warp may show that an earlier access of another warp was wrong.
    pub(in super::super) culprit: Option<(usize, usize)>,
}

impl Stopped {
    pub(super) fn new(kind: StopKind, diagnostic: Diagnostic) -> Stopped {
        Stopped { diagnostic, kind, culprit: None }
    }

    fn unknown(diagnostic: Diagnostic) -> Stopped {
        Stopped::new(StopKind::UnknownDecision, diagnostic)
    }

    /// Whether the program is wrong. If the program is not wrong, the run cannot continue because the run lacks a value or the machine
    /// lacks a function.
    pub fn is_wrong(&self) -> bool {
        !matches!(self.kind, StopKind::UnknownDecision | StopKind::NotBuilt)
    }
}

impl Serialize for Stopped {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Diagnostic { message, label, help, .. } = &self.diagnostic;
        let mut object = serializer.serialize_struct("Stopped", 4)?;
        object.serialize_field("code", &self.kind)?;
        object.serialize_field("message", message)?;
        object.serialize_field("label", label)?;
        object.serialize_field("help", help)?;
        object.end()
    }
}

fn name_warp(warp: &Warp) -> String {
    format!("warp {} of CTA {}", warp.warp, warp.cta)
}

/// The stop at an instruction whose guard is unknown in these lanes.
pub(super) fn guard(warp: &Warp, instr: &Instr, lanes: u64) -> Stopped {
    let (what, why) = match instr.op {
        Op::Barrier(_) | Op::Word(_) => ("whether this barrier is executed", "its guard is unknown in some lanes"),
        _ => ("whether this instruction is executed", "its guard is unknown in some lanes"),
    };
    let message = format!("{what} in {} is unknown", name_warp(warp));
    let operand = instr.guard.map_or(Operand::Opaque, |Guard { slot, negated }| Operand::Register { slot, negated });
    or_assume(instr, explain(warp, &operand, lanes, Diagnostic::new(instr.span.clone(), message, why)))
}

/// The stop at a branch with an unknown condition; `why` is the reason that the machine cannot
/// follow both sides.
pub(super) fn branch(warp: &Warp, instr: &Instr, operand: &Operand, lanes: u64, why: &str) -> Stopped {
    let what = match instr.op {
        Op::Branch { .. } => "whether this branch is taken",
        Op::Switch { .. } => "the target of this branch",
        _ => "whether this instruction is executed",
    };
    let message = format!("{what} in {} is unknown", name_warp(warp));
    or_assume(instr, explain(warp, operand, lanes, Diagnostic::new(instr.span.clone(), message, why)))
}

/// The stop at an instruction with an operand that is unknown in a lane; `what` describes the
/// operand.
pub(super) fn operand(warp: &Warp, (operand, span): (&Operand, &Range<usize>), lane: usize, what: &str) -> Stopped {
    let message = format!("the {what} in {} is unknown", name_warp(warp));
    explain(warp, operand, 1 << lane, Diagnostic::new(span.clone(), message, "expected a known value"))
}

pub(super) fn members(warp: &Warp, instr: &Instr, operand: &Operand) -> Stopped {
    let message = format!("the member mask in {} is unknown", name_warp(warp));
    let error = Diagnostic::new(instr.span.clone(), message, "expected a known value");
    explain(warp, operand, warp.lanes, error)
}

pub(super) fn callee(warp: &Warp, instr: &Instr, operand: &Operand, lane: usize) -> Stopped {
    let message = format!("the function that {} calls is unknown", name_warp(warp));
    explain(warp, operand, 1 << lane, Diagnostic::new(instr.span.clone(), message, "expected the address of a function"))
}

pub(super) fn counts_differ(warp: &Warp, span: &Range<usize>) -> Stopped {
    let message = format!("the lanes of {} give different values for the thread count", name_warp(warp));
    let error = Diagnostic::new(span.clone(), message, "expected one value for all lanes");
    Stopped::new(
        StopKind::NotBuilt,
        error.help(
            "a reduction has no form with two registers: give the barrier id as a constant, or the same count in all lanes",
        ),
    )
}

pub(super) fn outside(warp: &Warp, instr: &Instr, lane: usize, mask: u64) -> Stopped {
    let message = format!("lane {lane} of {} is not in the mask {mask:#x} that it gives", name_warp(warp));
    Stopped::new(
        StopKind::LaneMask,
        Diagnostic::new(instr.span.clone(), message, "expected a mask that contains the executing lane"),
    )
}

pub(super) fn trap(warp: &Warp, instr: &Instr) -> Stopped {
    let message = format!("{} executes `trap`", name_warp(warp));
    Stopped::new(StopKind::Trapped, Diagnostic::new(instr.span.clone(), message, "the kernel stops itself here"))
}

pub(super) fn assertion(warp: &Warp, instr: &Instr, lanes: u64) -> Stopped {
    let lane = bits(lanes).next().unwrap_or(0);
    let message = format!("an assertion fails in lane {lane} of {}", name_warp(warp));
    Stopped::new(StopKind::Trapped, Diagnostic::new(instr.span.clone(), message, "the kernel stops itself here"))
}

pub(super) fn not_built(instr: &Instr, opcode: &str) -> Stopped {
    let error =
        Diagnostic::new(instr.span.clone(), format!("`{opcode}` is not supported yet"), "expected a supported instruction");
    Stopped::new(StopKind::NotBuilt, error)
}

/// The stop at an mbarrier operation in a configuration without mbarriers.
pub(in super::super) fn no_mbarrier(instr: &Instr, config: &str) -> Stopped {
    let message = format!("the configuration `{config}` has no mbarriers");
    let error = Diagnostic::new(instr.span.clone(), message, "this instruction needs mbarriers");
    Stopped::new(
        StopKind::NotBuilt,
        error.help("use a configuration with `mbarrier_objects` above 0; `bcu configs` lists them"),
    )
}

/// The stop at an allocation of tensor memory whose columns no warp can free; `held` lists the allocations.
pub(in super::super) fn no_columns(warp: &Warp, instr: &Instr, columns: usize, held: &str) -> Stopped {
    let message = format!(
        "{} waits for {columns} free columns of tensor memory, and no warp that could free columns can continue",
        name_warp(warp)
    );
    let error = Diagnostic::new(instr.span.clone(), message, "this allocation never continues");
    let help = format!("of the 512 columns of the multiprocessor {held}; allocate fewer columns, or free them first");
    Stopped::new(StopKind::AllocWait, error.help(help))
}

/// The stop at a use of memory by a dependent grid that has not waited for an earlier grid with a conflicting use.
pub(super) fn not_awaited(Unordered { user, overwrites }: &Unordered, name: &str) -> Stopped {
    let does = match overwrites {
        false => format!("loads data that the previous grid stores to `{name}`"),
        true => format!("overwrites data that the previous grid loads from `{name}`"),
    };
    let User { cta, warp, lane, .. } = user;
    let message = format!("lane {lane} of warp {warp} of CTA {cta} {does}, without waiting for that grid");
    let error = Diagnostic::new(user.span.clone(), message, "the previous grid may still be running");
    let error = error.help("put `griddepcontrol.wait` (`cudaGridDependencySynchronize()`) before this access");
    Stopped { culprit: Some((*cta, *warp)), ..Stopped::new(StopKind::GridRace, error) }
}

pub(super) fn no_target(warp: &Warp, instr: &Instr, lane: usize, index: u64, targets: usize) -> Stopped {
    let message = format!("lane {lane} of {} branches to target {index} of a list of {targets}", name_warp(warp));
    Stopped::new(StopKind::BadCall, Diagnostic::new(instr.span.clone(), message, format!("expected an index below {targets}")))
}

pub(super) fn pointer(warp: &Warp, instr: &Instr, operand: &Operand, lane: usize) -> Stopped {
    let message = format!("the operand of `stackrestore` in {} is unknown", name_warp(warp));
    let error = Diagnostic::new(instr.span.clone(), message, "expected a result of `stacksave`");
    explain(warp, operand, 1 << lane, error)
}

pub(super) fn no_function(warp: &Warp, instr: &Instr, lane: usize, address: u64) -> Stopped {
    let message = format!("lane {lane} of {} calls {address:#x}, which is not the address of a function", name_warp(warp));
    Stopped::new(StopKind::BadCall, Diagnostic::new(instr.span.clone(), message, "expected the address of a function"))
}

pub(super) fn too_deep(warp: &Warp, instr: &Instr, depth: usize) -> Stopped {
    let message = format!("{} has {depth} nested calls; one more exceeds the limit of depth or of registers", name_warp(warp));
    let error = Diagnostic::new(instr.span.clone(), message, "expected fewer nested calls");
    Stopped::new(StopKind::BadCall, error.help("check the condition that ends this recursion"))
}

pub(super) fn arguments(instr: &Instr, name: &str, given: usize, wanted: usize) -> Stopped {
    let message = format!("`{name}` is called with {given} arguments; expected {wanted}");
    Stopped::new(StopKind::BadCall, Diagnostic::new(instr.span.clone(), message, format!("expected {wanted}")))
}

/// The stop at a `free` of an address that is no block of the heap.
pub(super) fn freed(warp: &Warp, instr: &Instr, lane: usize, why: &str) -> Stopped {
    let error = Diagnostic::new(instr.span.clone(), format!("lane {lane} of {} {why}", name_warp(warp)), "frees memory here");
    Stopped::new(StopKind::BadAccess, error.help("free each block once, by the address that `malloc` has returned"))
}

pub(super) fn misplaced(warp: &Warp, instr: &Instr, lane: usize, why: &str) -> Stopped {
    let error =
        Diagnostic::new(instr.span.clone(), format!("lane {lane} of {}: {why}", name_warp(warp)), "accesses memory here");
    Stopped::new(StopKind::BadAccess, error)
}

/// The stop at a fetch that cannot read its texture; `what` states why, `help` what to do.
pub(super) fn texture(warp: &Warp, instr: &Instr, lane: usize, what: &str, help: &str) -> Stopped {
    let message = format!("lane {lane} of {}: {what}", name_warp(warp));
    Stopped::new(StopKind::BadAccess, Diagnostic::new(instr.span.clone(), message, "fetches from a texture here").help(help))
}

/// The stop at a product of a warpgroup whose matrix is outside of shared memory.
pub(in super::super) fn no_matrix(warp: &Warp, instr: &Instr, why: &str) -> Stopped {
    let error = Diagnostic::new(instr.span.clone(), format!("{}: {why}", name_warp(warp)), "reads shared memory here");
    let help = "check the start address and the byte offsets of the matrix descriptor, and the shared memory of the launch";
    Stopped::new(StopKind::BadAccess, error.help(help))
}

/// The stop at a tensor copy without a valid tensor map at address `at`, with the invalid field, if the bytes were read.
pub(super) fn no_tensor_map(warp: &Warp, instr: &Instr, lane: usize, at: u64, invalid: Option<&InvalidMap>) -> Stopped {
    let (message, label) = match invalid {
        None => ("no tensor map".to_string(), "expected the address of a tensor map".to_string()),
        Some(InvalidMap { what, expected }) => {
            (format!("no valid tensor map: {what}, expected {expected}"), format!("expected {expected}"))
        }
    };
    let (place, help) = map_place(warp, at);
    let message = format!("lane {lane} of {}: at {place} is {message}", name_warp(warp));
    Stopped::new(StopKind::BadAccess, Diagnostic::new(instr.span.clone(), message, label).help(help))
}

/// The stop at a tensor copy by the tensor map at address `at`, which is unknown.
pub(super) fn unknown_tensor_map(warp: &Warp, instr: &Instr, lane: usize, at: u64) -> Stopped {
    let (place, help) = map_place(warp, at);
    let message = format!("lane {lane} of {}: the tensor map at {place} is unknown", name_warp(warp));
    let label = "the destination of this copy depends on the tensor map";
    Stopped::unknown(Diagnostic::new(instr.span.clone(), message, label).help(help))
}

/// The place of a tensor map in words, and what gives one there.
fn map_place(warp: &Warp, at: u64) -> (String, String) {
    let params = &warp.program.grid.params;
    let (place, name) = match window::classify(at) {
        Some((Space::Param, inside)) => {
            match params.iter().find(|param| (param.offset..param.offset + param.bytes).contains(&inside)) {
                Some(param) => {
                    let first = inside - param.offset;
                    let byte = if first > 0 { format!("byte {first} of ") } else { String::new() };
                    (format!("{byte}the parameter `{}`", param.name), param.name.as_str())
                }
                None => (format!("byte {inside} of the arguments of the kernel"), "NAME"),
            }
        }
        _ => (format!("address {at:#x}"), "NAME"),
    };
    let help = format!(
        "give one in a launch file, `{{ tensor = {{ buffer = \"x\", box = [64, 64], swizzle = \"128B\" }} }}`, or with `--arg \
         {name}=tensor:[64,64]:swizzle=128B:f16:[128,64]`; a kernel that makes it with `tensormap.replace` sets every field, and waits for \
         the change before the copy"
    );
    (place, help)
}

/// Adds to the help text the option that assumes a value for the unknown guard.
fn or_assume(instr: &Instr, mut stopped: Stopped) -> Stopped {
    if instr.guard.is_some() {
        let option = format!("`--assume {}=taken` (or `not`, `random`) continues with an assumed value", instr.place.line);
        let help = stopped.diagnostic.help.take().map_or(String::new(), |help| help + "; ");
        stopped.diagnostic.help = Some(help + &option);
    }
    stopped
}

/// The stop at a use of an unknown operand, with the instruction that made the operand unknown.
fn explain(warp: &Warp, operand: &Operand, lanes: u64, diagnostic: Diagnostic) -> Stopped {
    Stopped::unknown(super::explain::explain(warp, operand, lanes, diagnostic))
}
