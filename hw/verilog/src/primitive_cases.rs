// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The primitives inside a block: for each the text of its Rust logic, and a module with the same ports that contains only the parameterised
//! module. A proof compares the two.

use super::collect::collect;
use super::file::printed;
use super::options::Options;
use super::primitive_shape;
use super::print_error::PrintError;
use super::reset::Reset;
use super::signal::Signal;
use rust_hdl::prelude::Block;
use std::collections::BTreeMap;

/// Name of the module with the Rust logic of a [`Case`].
pub const LOGIC: &str = "logic_text";
/// Name of the module with the instance of a [`Case`].
pub const PART: &str = "part_text";

/// A primitive at one size.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Case {
    pub kind: String,
    pub parameters: Vec<(String, usize)>,
    /// The module [`LOGIC`], and modules inside it.
    pub logic: String,
    /// The module [`PART`].
    pub part: String,
    /// The ports of both modules except the clock: direction and range, and name.
    pub ports: Vec<(String, String)>,
}

/// The primitives inside `block`, each size once.
pub fn primitives(block: &dyn Block, prefix: &str) -> Result<Vec<Case>, Vec<PrintError>> {
    let tree = collect(block, "");
    let mut cases = BTreeMap::new();
    for (at, module) in tree.modules.iter().enumerate() {
        let Some(primitive) = &module.primitive else { continue };
        let shape =
            |signal: &Signal| format!("{} {:?}", signal.name, signal.nets().iter().map(|n| n.width).collect::<Vec<_>>());
        let key = (primitive.kind.clone(), module.signals.iter().map(shape).collect::<Vec<_>>());
        if cases.contains_key(&key) {
            continue;
        }
        let (logic, top) = printed(&tree.part(at), &Options::prefixed(LOGIC, "part").top(LOGIC))?;
        let instance = primitive_shape::instance(primitive, module, Reset::default(), |_| true);
        let part = primitive_shape::wrapper(&instance, prefix, PART, &top.ports);
        let ports =
            top.ports.into_iter().filter(|port| port.raw != "clock").map(|port| (port.declaration, port.name)).collect();
        cases.insert(key, Case { kind: primitive.kind.clone(), parameters: instance.parameters, logic, part, ports });
    }
    Ok(cases.into_values().collect())
}
