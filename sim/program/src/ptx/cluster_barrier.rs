// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `barrier.cluster` and `griddepcontrol` from their modifiers: every form of their PTX pages, the versions and targets that they need, and
//! the meaning of `barrier.cluster` in a kernel that was not launched in clusters.

use super::barrier::Modifier;
use super::parser::Parser;
use super::scope::similar;
use super::target::{refusal, Need};
use crate::{Barrier, BarrierKind, Form, Instr, Op, Operand, Word};
use bcu_isa::diag::Diagnostic;
use bcu_isa::instr::{self, decode, encode, ClusterOp, GridOp};
use bcu_isa::register::Pred;
use std::ops::Range;

const CLUSTER: Need = ("`barrier.cluster`", (7, 8), 90);
const ORDER: Need = ("the memory order of `barrier.cluster`", (8, 0), 90);
const GRID: Need = ("`griddepcontrol`", (7, 8), 90);

/// Modifiers after `barrier.cluster`.
const MODIFIERS: &[&str] = &[".arrive", ".wait", ".release", ".relaxed", ".acquire", ".aligned"];
const ORDERS: [&str; 3] = [".release", ".relaxed", ".acquire"];
const ACTIONS: [&str; 2] = [".launch_dependents", ".wait"];

impl Parser<'_> {
    /// The operation of `barrier.cluster.arrive{.release, .relaxed}{.aligned}` or `barrier.cluster.wait{.acquire}{.aligned}`. The modifiers
    /// after `.cluster` may be in any order.
    pub(super) fn cluster_barrier(&mut self, opcode: (&str, Range<usize>), modifiers: &[Modifier]) -> Result<Op, Diagnostic> {
        let head = opcode.1.start..self.cursor.last_end();
        self.no_operands()?;
        let (op, order) = arrives(&head, modifiers)?;
        self.has(CLUSTER, &head)?;
        if let Some(span) = order {
            self.has(ORDER, &span)?;
        }
        let aligned = modifiers.iter().any(|m| m.0 == ".aligned");
        Ok(word(instr::Op::Cluster(op), if aligned { Form::Aligned } else { Form::Gathered }))
    }

    /// The operation of `griddepcontrol.launch_dependents` or `griddepcontrol.wait`. The warp executes it, regardless of the executing
    /// lanes.
    pub(super) fn grid_control(&mut self, opcode: (&str, Range<usize>), modifiers: &[Modifier]) -> Result<Op, Diagnostic> {
        let head = opcode.1.start..self.cursor.last_end();
        self.no_operands()?;
        let op = match modifiers {
            [(".launch_dependents", _)] => GridOp::Launch,
            [(".wait", _)] => GridOp::Wait,
            _ => {
                let wrong = modifiers.iter().find(|m| !ACTIONS.contains(&m.0)).or(modifiers.get(1));
                let (message, span) = match wrong {
                    Some((name, span)) => (format!("`griddepcontrol` has no modifier `{name}` here"), span.clone()),
                    None => ("`griddepcontrol` without an operation".to_string(), head),
                };
                let error = Diagnostic::new(span, message, "expected .launch_dependents or .wait");
                return Err(match wrong.and_then(|(name, _)| similar(name, ACTIONS.into_iter())) {
                    Some(near) => error.help(format!("did you mean `{near}`?")),
                    None => error,
                });
            }
        };
        self.has(GRID, &head)?;
        Ok(word(instr::Op::Grid(op), Form::Raw))
    }

    fn no_operands(&mut self) -> Result<(), Diagnostic> {
        match self.args()?.first() {
            Some(arg) => {
                Err(Diagnostic::new(arg.span.clone(), "this instruction takes no operands", "expected `;` before this"))
            }
            None => Ok(()),
        }
    }

    fn has(&self, need: Need, span: &Range<usize>) -> Result<(), Diagnostic> {
        match refusal(need, self.module.version, self.module.target) {
            Some((message, help)) => {
                Err(Diagnostic::new(span.clone(), message, "not available in this PTX version or for this target").help(help))
            }
            None => Ok(()),
        }
    }
}

fn word(op: instr::Op, form: Form) -> Op {
    Op::Word(Word { word: encode(&instr::Instr { guard: Pred::PT, op }), form, ra: None, rb: None, predicate: None })
}

/// The operation that the modifiers of a `barrier.cluster` select, and the span of its memory order.
fn arrives(head: &Range<usize>, modifiers: &[Modifier]) -> Result<(ClusterOp, Option<Range<usize>>), Diagnostic> {
    let error = |span: &Range<usize>, message: String, label: &str| Diagnostic::new(span.clone(), message, label);
    for (i, (name, span)) in modifiers.iter().enumerate() {
        if *name == ".cluster" && i > 0 {
            return Err(error(span, "`.cluster` is misplaced".into(), "expected it directly after the opcode"));
        }
        if i > 0 && !MODIFIERS.contains(name) {
            let error = error(
                span,
                format!("`barrier.cluster` has no modifier `{name}`"),
                "expected .arrive or .wait, an order, .aligned",
            );
            return Err(match similar(name, MODIFIERS.iter().copied()) {
                Some(near) => error.help(format!("did you mean `{near}`?")),
                None => error,
            });
        }
        if modifiers[..i].iter().any(|m| m.0 == *name) {
            return Err(error(span, format!("the modifier `{name}` is given twice"), "expected it once"));
        }
    }
    let find = |name: &str| modifiers.iter().find(|m| m.0 == name).map(|m| m.1.clone());
    let orders: Vec<&Modifier> = modifiers.iter().filter(|m| ORDERS.contains(&m.0)).collect();
    if let [_, (_, span), ..] = orders[..] {
        return Err(error(span, "`barrier.cluster` with two memory orders".into(), "expected one order"));
    }
    let order = orders.first();
    let (op, wrong) = match (find(".arrive"), find(".wait")) {
        (Some(_), Some(span)) => {
            return Err(error(&span, "`barrier.cluster` with both .arrive and .wait".into(), "expected one of them"))
        }
        (None, None) => {
            return Err(error(head, "`barrier.cluster` without an operation".into(), "expected .arrive or .wait"));
        }
        (Some(_), None) => {
            let relaxed = order.is_some_and(|order| order.0 == ".relaxed");
            let op = if relaxed { ClusterOp::ArriveRelaxed } else { ClusterOp::Arrive };
            (op, order.filter(|order| order.0 == ".acquire").map(|order| (order, "an arrival", ".release or .relaxed")))
        }
        (None, Some(_)) => {
            (ClusterOp::Wait, order.filter(|order| order.0 != ".acquire").map(|order| (order, "a wait", ".acquire")))
        }
    };
    match wrong {
        Some(((name, span), what, right)) => {
            Err(error(span, format!("{what} has no order `{name}`"), &format!("expected {right}")))
        }
        None => Ok((op, order.map(|order| order.1.clone()))),
    }
}

/// The operation of an instruction at the cluster barrier; `None`: the instruction is not for the cluster barrier.
fn at_cluster(instr: &Instr) -> Option<ClusterOp> {
    let Op::Word(Word { word, .. }) = &instr.op else { return None };
    match decode(*word) {
        Ok(instr::Instr { op: instr::Op::Cluster(op), .. }) => Some(op),
        _ => None,
    }
}

/// A diagnostic at the first wait for the cluster barrier, if the code has no arrival.
pub(super) fn unmatched(instrs: &[&Instr]) -> Option<Diagnostic> {
    let waits = |instr: &Instr| at_cluster(instr) == Some(ClusterOp::Wait);
    let first = instrs.iter().find(|instr| waits(instr))?;
    let arrives = instrs.iter().any(|instr| at_cluster(instr).is_some() && !waits(instr));
    let message = "`barrier.cluster.wait` without an arrival in the kernels of this run";
    (!arrives).then(|| Diagnostic::new(first.span.clone(), message, "expected `barrier.cluster.arrive` before this"))
}

/// Replaces an instruction at the cluster barrier as compilers do for a kernel that was not launched in clusters: an arrival has no effect,
/// and a wait is barrier 0 of the CTA.
pub(super) fn alone(instr: &mut Instr) {
    let (Some(op), Op::Word(Word { form, .. })) = (at_cluster(instr), &instr.op) else { return };
    instr.op = match op {
        ClusterOp::Arrive | ClusterOp::ArriveRelaxed => Op::Busy { cycles: 1 },
        ClusterOp::Wait => Op::Barrier(Barrier {
            kind: BarrierKind::Sync,
            aligned: *form == Form::Aligned,
            id: Operand::Immediate(0),
            id_span: instr.span.clone(),
            count: None,
            written: [String::new(), String::new()],
            predicate: None,
        }),
    };
}
