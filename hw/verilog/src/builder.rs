// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A module while it is being printed.

use super::collect::{Module, Tree};
use super::docs::Docs;
use super::ir::{NetId, Value};
use super::module_text::ModuleText;
use super::package::Language;
use super::reached::Ports;
use super::reset::Reset;
use super::scope::Scope;
use super::structure::Structure;
use super::text::Text;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The next value of a register: a value, or the name of a net.
pub(super) enum Next {
    Value(Value),
    Named(String),
}

/// The net of a register, the net of its next value, and the next value.
pub(super) struct Update {
    pub q: NetId,
    pub d: NetId,
    pub next: Next,
}

/// A printed child: the name of its module, and its text.
pub struct Child<'a> {
    pub module_name: &'a str,
    pub text: &'a ModuleText,
}

/// A module while it is being printed.
pub(super) struct Builder<'a> {
    pub(super) tree: &'a Tree,
    pub(super) module: &'a Module,
    /// The outputs that another module reads, which are the only outputs that become ports, and the structures. `None`: all outputs and
    /// inputs become ports.
    pub(super) ports: Option<&'a Ports>,
    pub(super) language: &'a Language,
    pub(super) structures: Vec<Structure>,
    /// For each net that is a field of a structure: the structure, and the index of the field.
    pub(super) field_of: HashMap<NetId, (usize, usize)>,
    /// Nets that have the name of the net whose value they pass on.
    pub(super) renamed: BTreeSet<NetId>,
    /// Nets that are written with the bits of a child's structure.
    pub(super) unpacked: BTreeSet<NetId>,
    pub(super) children: &'a BTreeMap<usize, Child<'a>>,
    pub(super) scope: &'a Scope<'a>,
    pub(super) text: Text<'a>,
    pub(super) roots: BTreeMap<NetId, &'a Value>,
    /// Nets that the text must contain.
    pub(super) live: BTreeSet<NetId>,
    /// For each net, how often the text names it.
    pub(super) named: Vec<usize>,
    /// Child outputs that have no net: the text names them by the net of this module to which they are connected.
    pub(super) aliased: BTreeSet<NetId>,
    /// Nets of this module that a child drives directly.
    pub(super) driven_by_child: BTreeSet<NetId>,
    /// For registers whose input has no net in the text: the name of the input.
    pub(super) inputs: BTreeMap<NetId, String>,
    /// The index name of loops over bits, if there are any.
    pub(super) index: Option<String>,
    /// How registers are reset.
    pub(super) reset: Reset,
    /// Whether registers have an initial value in their declaration.
    pub(super) initial_values: bool,
    /// The doc comments that are not yet printed, by field.
    pub(super) docs: Docs<'a>,
}
