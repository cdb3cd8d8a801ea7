// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A module on its way to text.

use super::collect::{Module, Tree};
use super::docs::Docs;
use super::ir::{NetId, Value};
use super::module_text::ModuleText;
use super::scope::Scope;
use super::text::Text;
use std::collections::{BTreeMap, BTreeSet};

/// What a register becomes: a value, or a net that has a name.
pub(super) enum Next {
    Value(Value),
    Named(String),
}

/// A register's net, the net of its next value, and that.
pub(super) struct Update {
    pub q: NetId,
    pub d: NetId,
    pub next: Next,
}

/// What is known of a printed child: its module's name and text.
pub struct Child<'a> {
    pub module_name: &'a str,
    pub text: &'a ModuleText,
}

/// A module on its way to text.
pub(super) struct Builder<'a> {
    pub(super) tree: &'a Tree,
    pub(super) module: &'a Module,
    /// Those that somebody reads; `None` has all, and all inputs.
    pub(super) outputs: Option<&'a BTreeSet<String>>,
    pub(super) children: &'a BTreeMap<usize, Child<'a>>,
    pub(super) scope: &'a Scope<'a>,
    pub(super) text: Text<'a>,
    pub(super) roots: BTreeMap<NetId, &'a Value>,
    /// Nets that the text must have, and how often it names them.
    pub(super) live: BTreeSet<NetId>,
    pub(super) named: Vec<usize>,
    /// Nets that are another net under its name.
    pub(super) aliased: BTreeSet<NetId>,
    /// Own nets that a child drives directly.
    pub(super) driven_by_child: BTreeSet<NetId>,
    /// The index of loops over bits, where there are any.
    pub(super) index: Option<String>,
    /// The doc comments of fields that are yet to be printed.
    pub(super) docs: Docs<'a>,
}
