// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Ports inside of a unit that have the same value always: what a configuration leaves out, the number of a part. They are no ports in the text.
//!
//! Statements are walked with what is known of the ports; what that shows of the ports of parts, and of the block that it is a part of, is known when
//! these are walked again, until nothing new is known.

use super::collect::Tree;
use super::scope::{Role, Scope};
use num_bigint::BigUint;
use rust_hdl::core::ast::Verilog;
use std::collections::BTreeMap;

/// Values by the names of ports.
type Known = BTreeMap<String, BigUint>;

/// The scopes of all modules, behind their last statement.
pub fn walked(tree: &Tree) -> Vec<Scope<'_>> {
    let parents = tree.parents();
    let mut known = vec![Known::new(); tree.modules.len()];
    let mut scopes: Vec<Option<Scope>> = tree.modules.iter().map(|_| None).collect();
    let mut stale: Vec<usize> = (0..tree.modules.len()).collect();
    while !stale.is_empty() {
        let mut next = vec![];
        for at in stale {
            let scope = walk(tree, at, &known[at]);
            for (of, name, value) in shown(tree, &scope, parents[at], at) {
                // One that has not been walked will be, with this.
                if known[of].insert(name, value).is_none() && scopes[of].is_some() && !next.contains(&of) {
                    next.push(of);
                }
            }
            scopes[at] = Some(scope);
        }
        stale = next;
    }
    scopes.into_iter().flatten().collect()
}

fn walk<'a>(tree: &'a Tree, at: usize, known: &Known) -> Scope<'a> {
    let module = &tree.modules[at];
    let mut scope = Scope::new(tree, module).knowing(known);
    if let (None, Verilog::Combinatorial(block)) = (&module.register, &module.code) {
        scope.block(block);
        scope.reset(tree);
    }
    scope
}

/// What a module shows of the ports of its parts, and of its own for the module that it is a part of: which one, the port's name there, its value.
fn shown(tree: &Tree, scope: &Scope, parent: Option<usize>, at: usize) -> Vec<(usize, String, BigUint)> {
    let mut found = vec![];
    for net in scope.held.keys() {
        let Some(value) = scope.constant(*net) else { continue };
        let name = &scope.nets[*net].name;
        let target = match scope.nets[*net].role {
            Role::ChildInput(child) if is_walked(tree, child) => {
                name.strip_prefix(&format!("{}$", tree.modules[child].instance)).map(|port| (child, port.to_string()))
            }
            Role::Output => parent.map(|parent| (parent, format!("{}${name}", tree.modules[at].instance))),
            _ => None,
        };
        found.extend(target.map(|(of, name)| (of, name, value.clone())));
    }
    found
}

/// Whether the text of a module is made of its statements: no register, nothing written by hand.
pub fn is_walked(tree: &Tree, at: usize) -> bool {
    let module = &tree.modules[at];
    module.register.is_none() && matches!(module.code, Verilog::Combinatorial(_))
}
