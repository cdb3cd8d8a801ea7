// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Finds what makes a block unprintable: undriven nets, latches, bidirectional ports, combinational loops.

use super::collect::{readable, Module, Tree};
use super::ir::{self, NetId, Node, Value};
use super::names::is_keyword;
use super::print_error::PrintError;
use super::scope::{Net, Role, Scope};
use super::value::id;
use rust_hdl::core::ast::Verilog;
use rust_hdl::prelude::AtomKind;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

fn complaint(module: &Module, signal: &str, reason: impl Into<String>, help: &str) -> PrintError {
    PrintError { block: module.path.clone(), signal: readable(signal), reason: reason.into(), help: help.to_string() }
}

/// Checks the signals of a module and the kind of its code, not its statements; returns the errors.
pub fn shape(module: &Module) -> Vec<PrintError> {
    let mut errors = vec![];
    let mut complain = |signal: &str, reason: &str, help: &str| errors.push(complaint(module, signal, reason, help));
    for signal in &module.signals {
        if signal.width == 0 {
            complain(&signal.name, "is zero bits wide", "give it a type of at least one bit");
        }
        if signal.kind == AtomKind::InOutParameter {
            complain(
                &signal.name,
                "bidirectional signals cannot be printed",
                "split it into an input, an output and an enable",
            );
        }
    }
    let outputs = || module.signals.iter().filter(|s| s.kind == AtomKind::OutputParameter);
    match &module.code {
        Verilog::Combinatorial(_) => {}
        Verilog::Blackbox(b) => complain(
            &b.name,
            "a black box contains no Verilog text",
            "use `Verilog::Wrapper` and put the outside module in `cores`",
        ),
        Verilog::Empty => {
            for output in outputs() {
                complain(&output.name, "no `update` or `hdl()` drives it", "mark `update` with `#[hdl_gen]`, or write `hdl()`");
            }
        }
        Verilog::Custom(_) | Verilog::Wrapper(_) => {
            for output in outputs().filter(|s| !s.connected) {
                complain(
                    &output.name,
                    "no `connect()` call declares it as driven",
                    "call `connect()` on it in the block's `connect`, and `connect_all()` on the top before the export",
                );
            }
            for signal in module.signals.iter().filter(|s| is_keyword(&s.name)) {
                complain(
                    &signal.name,
                    "has the name of a Verilog keyword, which hand-written text cannot use",
                    "rename the field",
                );
            }
            if !module.children.is_empty() {
                complain("hdl()", "hand-written text cannot have children in rust-hdl", "move the text into a leaf");
            }
        }
    }
    errors
}

/// Checks that every net that the module must drive has one value on every path.
pub fn driven(scope: &mut Scope) {
    for (net, Net { name, .. }) in scope.nets.clone().iter().enumerate().filter(|(_, n)| n.driven_here()) {
        match scope.assigned.get(&net) {
            Some(assigned) if assigned.always => {}
            Some(_) => scope.error(
                name,
                "only some paths through `update` assign it, so it would be a latch",
                "give it a default at the top of `update`, above every `if` and `match`",
            ),
            None => scope.error(name, "it is not driven", "assign it in `update`, or remove it"),
        }
    }
}

/// For each output of a module, by name, the names of the inputs on which the output depends combinationally.
pub type Paths = BTreeMap<String, BTreeSet<String>>;

/// For each net of a module, the nets that it is computed from, through the module's statements and through its children.
fn dependencies(tree: &Tree, scope: &Scope, paths: &[Paths]) -> BTreeMap<NetId, BTreeSet<NetId>> {
    let owners = owners(scope);
    let mut found: BTreeMap<NetId, BTreeSet<NetId>> =
        scope.assigned.iter().map(|(&net, assigned)| (net, nets_of(&assigned.value, &owners))).collect();
    for (at, net) in scope.nets.iter().enumerate() {
        let Role::ChildOutput(child) = net.role else { continue };
        let prefix = format!("{}$", tree.modules[child].instance);
        let inputs = net.name.strip_prefix(&prefix).and_then(|port| paths[child].get(port));
        let nets = inputs.into_iter().flatten().filter_map(|port| scope.net(&format!("{prefix}{port}")));
        found.insert(at, nets.collect());
    }
    found
}

/// For each node that is the settled value of a net (its value after all statements of `update`), that net. A literal belongs to no net,
/// because several nets may share it.
pub fn owners(scope: &Scope) -> HashMap<usize, NetId> {
    let owned = scope.assigned.iter().filter(|(_, assigned)| matches!(assigned.value.node, Node::Assigned(..)));
    owned.map(|(&net, assigned)| (id(&assigned.value), net)).collect()
}

/// The nets a value is computed from.
pub fn nets_of(root: &Value, owners: &HashMap<usize, NetId>) -> BTreeSet<NetId> {
    let (mut nets, mut seen) = (BTreeSet::new(), HashSet::new());
    let mut open: Vec<&Value> = ir::operands(&root.node);
    if let Node::Net(net) = root.node {
        nets.insert(net);
    }
    while let Some(value) = open.pop() {
        if !seen.insert(id(value)) {
            continue;
        }
        match &value.node {
            _ if owners.contains_key(&id(value)) => nets.extend(owners.get(&id(value))),
            Node::Net(net) => {
                nets.insert(*net);
            }
            node => open.extend(ir::operands(node)),
        }
    }
    nets
}

/// Reports a net that depends on itself as an error. If there is none, returns for each output the inputs on which it depends.
///
/// The text of a hand-written leaf is not parsed: every path through it counts as registered.
pub fn loops(tree: &Tree, scope: &mut Scope, paths: &[Paths]) -> Paths {
    let edges = dependencies(tree, scope, paths);
    if let Some(cycle) = cycle(&edges) {
        let names: Vec<String> = cycle.iter().map(|&net| readable(&scope.nets[net].name)).collect();
        let first = cycle.first().map(|&net| scope.nets[net].name.clone()).unwrap_or_default();
        scope.error(
            &first,
            format!("it depends on itself without a register between: {}", names.join(" <- ")),
            "put a register into the loop, or split the signal if the loop runs through different bits of it",
        );
        return Paths::new();
    }
    let mut reached: BTreeMap<NetId, BTreeSet<NetId>> = BTreeMap::new();
    let mut result = Paths::new();
    for (at, net) in scope.nets.iter().enumerate().filter(|(_, n)| n.role == Role::Output) {
        let sources = reach(at, scope, &edges, &mut reached);
        let inputs = sources.iter().map(|&input| scope.nets[input].name.clone()).collect();
        result.insert(net.name.clone(), inputs);
    }
    result
}

/// The inputs of the module that the value of the net `from` depends on.
fn reach(
    from: NetId,
    scope: &Scope,
    edges: &BTreeMap<NetId, BTreeSet<NetId>>,
    known: &mut BTreeMap<NetId, BTreeSet<NetId>>,
) -> BTreeSet<NetId> {
    if let Some(set) = known.get(&from) {
        return set.clone();
    }
    let mut set = BTreeSet::new();
    if scope.nets[from].role == Role::Input {
        set.insert(from);
    }
    for &next in edges.get(&from).into_iter().flatten() {
        set.extend(reach(next, scope, edges, known));
    }
    known.insert(from, set.clone());
    set
}

/// A cycle, found by depth-first search, with its first net repeated at the end; `None` if there is no cycle.
fn cycle(edges: &BTreeMap<NetId, BTreeSet<NetId>>) -> Option<Vec<NetId>> {
    let mut done = BTreeSet::new();
    for &start in edges.keys() {
        let mut path: Vec<(NetId, Vec<NetId>)> = vec![];
        let open = |net: NetId| edges.get(&net).into_iter().flatten().copied().collect::<Vec<_>>();
        if !done.contains(&start) {
            path.push((start, open(start)));
        }
        while let Some((net, rest)) = path.last_mut() {
            let Some(next) = rest.pop() else {
                done.insert(*net);
                path.pop();
                continue;
            };
            if let Some(at) = path.iter().position(|(n, _)| *n == next) {
                let mut cycle: Vec<NetId> = path.iter().skip(at).map(|(n, _)| *n).collect();
                cycle.push(next);
                return Some(cycle);
            }
            if !done.contains(&next) {
                path.push((next, open(next)));
            }
        }
    }
    None
}
