// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A single fault in one instance of a block, injected into the values from which text and netlist are made.
//!
//! The fault makes a signal read as a different value, in its whole block or only in the driver of one other signal. A fault is given by
//! the names of a block and of signals, not by source lines. A fault whose names no longer exist is an error.

use super::collect::{readable, Tree};
use super::ir::{self, NetId, Node, Value};
use super::print_error::PrintError;
use super::scope::Scope;
use std::collections::HashMap;
use std::rc::Rc;

/// A fault: a signal of one block reads as a wrong value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Path of the instance from the unit: `named.ctas`, `bcu.barriers.named`, `named` for the unit itself.
    pub block: String,
    /// Signal of that block or port of one of its children: `settled`, `queue.left`, `entries[3].hit`.
    pub signal: String,
    /// The only signal whose driver reads the faulty value; `None`: every driver in the block reads it.
    pub seen_by: Option<String>,
    pub reads: Reads,
}

/// The wrong value of the signal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reads {
    Zeros,
    Ones,
    Inverted,
    /// The value of another signal of the block, equally wide.
    Signal(String),
}

impl Reads {
    /// Parses `0`, `1`, `~` or the name of a signal.
    pub fn parse(text: &str) -> Self {
        match text {
            "0" => Reads::Zeros,
            "1" => Reads::Ones,
            "~" => Reads::Inverted,
            name => Reads::Signal(name.to_string()),
        }
    }
}

/// Why the unit with this fault cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FaultError {
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Print(Vec<PrintError>),
    #[error("block `{path}` does not exist; the blocks are {}", blocks.join(", "))]
    NoBlock { path: String, blocks: Vec<String> },
    #[error("the block `{block}` has no signal `{signal}`; its signals are {}", signals.join(", "))]
    NoSignal { block: String, signal: String, signals: Vec<String> },
    #[error("the block `{block}` does not drive `{signal}`; it drives {}", driven.join(", "))]
    NotDriven { block: String, signal: String, driven: Vec<String> },
    #[error("no driver in the block `{block}` that the fault applies to reads `{signal}`: the fault has no effect")]
    NotRead { block: String, signal: String },
    #[error("in the block `{block}` `{signal}` has {width} bits and `{other_signal}` {other_width}: expected equal widths")]
    Width { block: String, signal: String, width: usize, other_signal: String, other_width: usize },
}

impl From<Vec<PrintError>> for FaultError {
    fn from(errors: Vec<PrintError>) -> Self {
        FaultError::Print(errors)
    }
}

/// Injects the fault into the values of one instance. The first part of the fault's path denotes the top, and is not compared.
pub fn apply(fault: &Fault, tree: &Tree, scopes: &mut [Scope]) -> Result<(), FaultError> {
    let below = |path: &str| path.split_once('.').map_or(String::new(), |(_, rest)| rest.to_string());
    let wanted = below(&fault.block);
    let unit = fault.block.split('.').next().unwrap_or_default();
    let at = tree.modules.iter().position(|m| m.register.is_none() && below(&m.path) == wanted);
    let at = at.ok_or_else(|| {
        let all = tree.modules.iter().filter(|m| m.register.is_none()).map(|m| below(&m.path));
        let blocks = all.map(|path| if path.is_empty() { unit.to_string() } else { format!("{unit}.{path}") }).collect();
        FaultError::NoBlock { path: fault.block.clone(), blocks }
    })?;
    let scope = &mut scopes[at];
    let signal = find(fault, scope, &fault.signal)?;
    let width = scope.nets[signal].width;
    let reads = match &fault.reads {
        Reads::Zeros => Some(ir::constant(width, 0u8)),
        Reads::Ones => Some(ir::constant(width, ir::mask(width))),
        Reads::Inverted => None,
        Reads::Signal(name) => {
            let other_net = find(fault, scope, name)?;
            let other_width = scope.nets[other_net].width;
            if other_width != width {
                let (block, signal, other_signal) = (fault.block.clone(), fault.signal.clone(), name.clone());
                return Err(FaultError::Width { block, signal, width, other_signal, other_width });
            }
            scope.read.insert(other_net);
            let other_value = scope.assigned.get(&other_net).map(|assigned| assigned.value.clone());
            Some(other_value.unwrap_or_else(|| ir::expr(width, Node::Net(other_net))))
        }
    };
    let place = fault.seen_by.as_deref().map(|name| find(fault, scope, name)).transpose()?;
    if let Some(place) = place.filter(|place| !scope.assigned.contains_key(place)) {
        let driven = scope.assigned.keys().map(|&net| readable(&scope.nets[net].name)).collect();
        return Err(FaultError::NotDriven { block: fault.block.clone(), signal: readable(&scope.nets[place].name), driven });
    }
    let mut change = Change { signal, reads, place, done: HashMap::new(), found: false };
    for (&net, assigned) in &mut scope.assigned {
        assigned.value = change.value(&assigned.value, place.is_none_or(|place| place == net));
        if net == signal && place.is_none() {
            change.found = true;
            assigned.value = change.wrong(&assigned.value);
        }
    }
    if change.found {
        Ok(())
    } else {
        Err(FaultError::NotRead { block: fault.block.clone(), signal: fault.signal.clone() })
    }
}

/// The net `name` of the fault's block; an error if the block has no such net.
fn find(fault: &Fault, scope: &Scope, name: &str) -> Result<NetId, FaultError> {
    scope.nets.iter().position(|net| readable(&net.name) == name).ok_or_else(|| {
        let signals = scope.nets.iter().map(|net| readable(&net.name)).collect();
        FaultError::NoSignal { block: fault.block.clone(), signal: name.to_string(), signals }
    })
}

struct Change {
    signal: NetId,
    /// The faulty value; `None`: the inverse of the signal.
    reads: Option<Value>,
    /// The only net whose driver reads the faulty value; other nets are affected through this net only.
    place: Option<NetId>,
    /// The new value of each old value, by the address of the old value and by whether the new value reads the fault. The old values are
    /// kept here so that no address is reused.
    done: HashMap<(*const ir::Expr, bool), (Value, Value)>,
    found: bool,
}

impl Change {
    fn wrong(&self, right: &Value) -> Value {
        self.reads.clone().unwrap_or_else(|| ir::not(right))
    }

    /// The value `old` with reads of the signal replaced: all reads if `sees`, else only reads inside the driver of `place`.
    fn value(&mut self, old: &Value, sees: bool) -> Value {
        let key = (Rc::as_ptr(old), sees);
        if let Some((_, new)) = self.done.get(&key) {
            return new.clone();
        }
        let new = self.anew(old, sees);
        self.done.insert(key, (old.clone(), new.clone()));
        new
    }

    fn anew(&mut self, old: &Value, sees: bool) -> Value {
        if sees && matches!(&old.node, Node::Net(net) | Node::Assigned(net, _) if *net == self.signal) {
            self.found = true;
            return self.wrong(old);
        }
        let sees = sees || matches!(&old.node, Node::Assigned(net, _) if Some(*net) == self.place);
        ir::remade(old, &mut |v| self.value(v, sees))
    }
}
