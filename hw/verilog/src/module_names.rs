// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What the names of modules are made of: the type of a block, the field of an instance.

use super::collect::{Module, Tree};
use super::names::snake_case;

/// The name of a block's type, `AtLeast` as `at_least`; for a module that is not a `#[block]`, the name of its field.
pub(super) fn type_name(module: &Module) -> String {
    module.block.as_deref().map_or_else(|| instance_path(module), snake_case)
}

/// The field of an instance, without the indexes of arrays.
pub(super) fn instance_path(module: &Module) -> String {
    let parts = module.instance.split('$').filter(|p| !p.bytes().all(|b| b.is_ascii_digit()));
    parts.collect::<Vec<_>>().join("_")
}

/// The fields from the top to an instance.
pub(super) fn whole_path(tree: &Tree, parents: &[Option<usize>], at: usize) -> String {
    let above = parents[at].filter(|parent| *parent > 0).map(|parent| whole_path(tree, parents, parent));
    let own = tree.modules[at].instance.replace('$', "_");
    above.map_or(own.clone(), |above| format!("{above}_{own}"))
}
