// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The reset of an exported text: synchronous and active high, as in Rust, or asynchronous and active low; of the registers that need it, or
//! of all.
//!
//! A register has a reset if its next value is a constant while `reset` is 1. For an asynchronous reset the next value of each such register
//! is written as a choice by `reset`, from which `process` prints the branch of the reset.

use super::collect::Tree;
use super::ir::{self, NetId, Node, Value};
use super::module_text::ModuleText;
use super::print_error::PrintError;
use super::scope::{assigned_value, Scope};
use std::collections::HashMap;
use std::rc::Rc;

/// Name of the reset of all blocks.
pub const RESET: &str = "reset";
/// Name of an asynchronous, active-low reset.
pub const RESET_N: &str = "reset_n";

/// How registers are reset.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reset {
    /// The reset is asynchronous and active low; otherwise synchronous and active high.
    pub is_async_low: bool,
    /// All registers have a reset, also those whose value is unused until they are written.
    pub of_all: bool,
}

impl Reset {
    /// The name of the port.
    pub fn port(self) -> &'static str {
        match self.is_async_low {
            true => RESET_N,
            false => RESET,
        }
    }

    /// The condition under which registers are reset.
    pub fn condition(self) -> &'static str {
        match self.is_async_low {
            true => "!reset_n",
            false => RESET,
        }
    }

    /// The events of a process of registers with a reset, for the clock `clock`.
    pub fn events(self, clock: &str) -> String {
        match self.is_async_low {
            true => format!("posedge {clock} or negedge {RESET_N}"),
            false => format!("posedge {clock}"),
        }
    }
}

/// Gives the registers of all modules the resets that `style` states.
pub fn apply(tree: &Tree, scopes: &mut [Scope], style: Reset) -> Result<(), Vec<PrintError>> {
    if style == Reset::default() {
        return Ok(());
    }
    let mut errors = vec![];
    for scope in scopes.iter_mut() {
        let reset = scope.net(RESET);
        let registers = scope
            .module
            .children
            .iter()
            .filter_map(|&child| Some((&tree.modules[child], tree.modules[child].register.as_ref()?)));
        let next: Vec<NetId> =
            registers.flat_map(|(inner, register)| scope.leaves(&format!("{}${}", inner.instance, register.d))).collect();
        for d in next {
            let Some(value) = scope.assigned.get(&d).map(|assigned| assigned.value.clone()) else { continue };
            let in_reset = reset.and_then(|reset| value_in_reset(&value, reset));
            let Some(constant) = in_reset.or_else(|| style.of_all.then(|| ir::constant(value.width, 0u8))) else { continue };
            let Some(reset) = reset else {
                errors.push(PrintError {
                    block: scope.module.path.clone(),
                    signal: scope.nets[d].name.clone(),
                    reason: "the block has registers and no input `reset`, so they cannot have a reset".to_string(),
                    help: "add `pub reset: Signal<In, Bit>` to the block".to_string(),
                });
                continue;
            };
            scope.read.insert(reset);
            let chosen = Node::Mux(ir::expr(1, Node::Net(reset)), constant, without_reset(&value, reset));
            let chosen = assigned_value(d, ir::expr(value.width, chosen));
            if let Some(assigned) = scope.assigned.get_mut(&d) {
                assigned.value = chosen;
            }
        }
    }
    match errors.is_empty() {
        true => Ok(()),
        false => Err(errors),
    }
}

/// The constant that `value` is while `reset` is 1; `None` if it is no constant then.
fn value_in_reset(value: &Value, reset: NetId) -> Option<Value> {
    let replaced = replaced(value, reset, &mut HashMap::new());
    let constant = ir::as_constant(ir::peel(&replaced))?.clone();
    Some(ir::constant(value.width, constant))
}

/// `value` with 1 in place of the net `reset`.
fn replaced(value: &Value, reset: NetId, done: &mut HashMap<*const ir::Expr, Value>) -> Value {
    if let Some(known) = done.get(&Rc::as_ptr(value)) {
        return known.clone();
    }
    let new = match &value.node {
        Node::Net(net) if *net == reset => ir::constant(1, 1u8),
        Node::Assigned(_, inner) => replaced(inner, reset, done),
        _ => ir::remade(value, &mut |inner| replaced(inner, reset, done)),
    };
    done.insert(Rc::as_ptr(value), new.clone());
    new
}

/// The branch without reset of a value that is a choice by `reset`; any other value unchanged.
fn without_reset(value: &Value, reset: NetId) -> Value {
    let mut inner = value;
    // The outermost node names the net of the next value itself.
    if let Node::Assigned(_, of) = &inner.node {
        inner = of;
    }
    match &inner.node {
        Node::Mux(condition, _, no) if matches!(condition.node, Node::Net(net) if net == reset) => no.clone(),
        _ => inner.clone(),
    }
}

/// The text of a module with the port of `style`: `reset_n` in place of `reset`. Logic that reads `reset` reads a wire of this name.
pub fn with_port(mut text: ModuleText, style: Reset) -> ModuleText {
    if !style.is_async_low {
        return text;
    }
    for port in text.ports.iter_mut().filter(|port| port.raw == RESET) {
        port.name = RESET_N.to_string();
        port.doc = port.doc.as_ref().map(|_| PORT_DOC.to_string());
    }
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let reads = |line: &str| {
        let code = line.split("//").next().unwrap_or_default();
        code.split(|c: char| !word(c)).any(|name| name == RESET)
    };
    text.body = text.body.replace(".reset_n(reset)", ".reset_n(reset_n)");
    if text.body.lines().any(reads) {
        text.body = format!("\n  wire {RESET} = !{RESET_N};\n{}", text.body);
    }
    text
}

/// Comment of the port `reset_n` of a module.
pub const PORT_DOC: &str = "Asynchronous reset, active low; it ends in a cycle of `clock`.";
