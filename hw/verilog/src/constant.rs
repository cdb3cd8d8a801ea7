// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Finds ports inside a unit, and registers, that have a constant value, such as an input from a part that the configuration lacks. The
//! exported text omits these ports and registers. The parts of an array share one module, so an input of these parts is omitted only if it
//! has the same constant value for all of them.
//!
//! The statements of each module are walked with the known values. A walk may find constant registers of the module, and constant ports of
//! the parts and of the parent. These modules are then walked again, until no walk finds a further constant.

use super::collect::Tree;
use super::constant_register;
use super::ir;
use super::scope::{Role, Scope};
use num_bigint::BigUint;
use rust_hdl::core::ast::Verilog;
use std::collections::BTreeMap;

/// Constant values by the name of the net.
type Known = BTreeMap<String, BigUint>;

/// The scopes of all modules after their last statement.
pub fn walked(tree: &Tree) -> Vec<Scope<'_>> {
    let parents = tree.parents();
    let mut known = vec![Known::new(); tree.modules.len()];
    let mut scopes: Vec<Option<Scope>> = tree.modules.iter().map(|_| None).collect();
    let mut stale: Vec<usize> = (0..tree.modules.len()).collect();
    while !stale.is_empty() {
        let mut next = vec![];
        for at in stale {
            let scope = walk(tree, at, &known[at]);
            let found = shown(tree, &scope, parents[at], at);
            scopes[at] = Some(scope);
            for (part, name, value) in found {
                // A module that has not been walked yet uses this value in its first walk.
                if known[part].insert(name, value).is_none() && scopes[part].is_some() && !next.contains(&part) {
                    next.push(part);
                }
            }
        }
        stale = next;
    }
    scopes.into_iter().flatten().collect()
}

fn walk<'a>(tree: &'a Tree, at: usize, known: &Known) -> Scope<'a> {
    let module = &tree.modules[at];
    let mut scope = Scope::new(tree, module).knowing(known);
    for leaf in constant_register::leaves(tree, &scope) {
        if scope.is_known(leaf.q) {
            scope.hold(leaf.d, ir::constant(scope.nets[leaf.d].width, leaf.initial));
        }
    }
    if let (None, Verilog::Combinatorial(block)) = (&module.register, &module.code) {
        scope.block(block);
        scope.reset(tree);
    }
    scope
}

/// The constants that the walk of a module finds: its registers, inputs of its parts, and its own outputs. Each is a triple: the index of the
/// module that reads the net, the name of the net in that module, and the value.
fn shown(tree: &Tree, scope: &Scope, parent: Option<usize>, at: usize) -> Vec<(usize, String, BigUint)> {
    let mut found = vec![];
    for net in scope.assigned.keys() {
        let Some(value) = scope.constant(*net) else { continue };
        let name = &scope.nets[*net].name;
        let target = match scope.nets[*net].role {
            Role::ChildInput(child) if is_walked(tree, child) => {
                let port = name.strip_prefix(&format!("{}$", tree.modules[child].instance));
                port.filter(|port| is_equal_in_array(tree, scope, child, port, value)).map(|port| (child, port.to_string()))
            }
            Role::Output => parent.map(|parent| (parent, format!("{}${name}", tree.modules[at].instance))),
            _ => None,
        };
        found.extend(target.map(|(of, name)| (of, name, value.clone())));
    }
    if is_walked(tree, at) {
        let registers = constant_register::constant(tree, scope);
        found.extend(registers.into_iter().map(|leaf| (at, scope.nets[leaf.q].name.clone(), leaf.initial)));
    }
    found
}

/// Whether the input `port` has the constant `value` in all parts of the array to which `child` belongs. A part outside arrays counts as
/// equal.
fn is_equal_in_array(tree: &Tree, scope: &Scope, child: usize, port: &str, value: &BigUint) -> bool {
    let array =
        |part: usize| tree.modules[part].instance.rsplit_once('$').filter(|(_, at)| at.bytes().all(|b| b.is_ascii_digit()));
    let Some((name, _)) = array(child) else { return true };
    let mut parts = scope.module.children.iter().filter(|&&part| array(part).is_some_and(|(other, _)| other == name));
    parts.all(|&part| {
        let net = scope.net(&format!("{}${port}", tree.modules[part].instance));
        net.and_then(|net| scope.constant(net)) == Some(value)
    })
}

/// Whether the text of a module is generated from statements: it is neither a register nor hand-written.
pub fn is_walked(tree: &Tree, at: usize) -> bool {
    let module = &tree.modules[at];
    module.register.is_none() && matches!(module.code, Verilog::Combinatorial(_))
}
