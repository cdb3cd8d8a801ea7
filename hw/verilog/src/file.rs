// SPDX-License-Identifier: Apache-2.0 OR MIT
//! All modules of a block in one file under a header; equal modules are printed once.

use super::builder::Child;
use super::check::{self, Paths};
use super::collect::{collect, Tree};
use super::fault::{self, Fault, FaultError};
use super::ir::NetId;
use super::module;
use super::module_names::{instance_path, type_name, whole_path};
use super::module_text::{header, ModuleText};
use super::names::{is_identifier, Names};
use super::options::{module_name, Options, RAM_STYLE};
use super::package::Language;
use super::print_error::PrintError;
use super::reached::Ports;
use super::scope::Scope;
use super::wrap::wrap;
use super::{constant, primitive, primitive_shape, reached, reset, sizes, vector};
use rust_hdl::core::ast::Verilog;
use rust_hdl::prelude::Block;
use std::collections::{BTreeMap, BTreeSet};

/// The lines that select the implementation of memories: block RAM, or distributed RAM if the macro is defined and the device has it.
const STYLES: &str = "`ifndef BCU_RAM_STYLE\n`ifdef BCU_DISTRIBUTED_RAM\n`define BCU_RAM_STYLE \"distributed\"\n\
    `else\n`define BCU_RAM_STYLE \"block\"\n`endif\n`endif\n";

/// The Verilog-2005 text of `block`, on which `connect_all` has been called; or all reasons why it cannot be printed.
///
/// The text depends only on the block and the options, byte for byte.
pub fn export(block: &dyn Block, options: &Options) -> Result<String, Vec<PrintError>> {
    export_changed(block, options, |_, _| Ok(()))
}

/// As [`export`], for the block with this fault.
pub fn export_faulty(block: &dyn Block, options: &Options, fault: &Fault) -> Result<String, FaultError> {
    // A fault may be inside a primitive, so all blocks are printed.
    let options = Options { primitives: false, ..options.clone() };
    export_changed(block, &options, |tree, scopes| fault::apply(fault, tree, scopes))
}

fn export_changed<E: From<Vec<PrintError>>>(
    block: &dyn Block,
    options: &Options,
    change: impl FnOnce(&Tree, &mut [Scope]) -> Result<(), E>,
) -> Result<String, E> {
    let complaint = |reason: &str, help: &str| {
        vec![PrintError { block: options.top.clone(), signal: options.top.clone(), reason: reason.into(), help: help.into() }]
            .into()
    };
    if !is_identifier(&options.top) {
        return Err(complaint("this name is not a Verilog identifier", "use letters, digits and `_`, and no keyword"));
    }
    let mut tree = collect(block, &options.top);
    let children: usize = tree.modules.iter().map(|m| m.children.len()).sum();
    if tree.modules.len() != children + 1 {
        return Err(complaint("this is not one block but a list of blocks", "export the blocks of the list one by one"));
    }
    tree.modules[0].register = None;
    let mut scopes = walk(&tree)?;
    change(&tree, &mut scopes)?;
    reset::apply(&tree, &mut scopes, options.reset)?;
    Ok(assemble(&tree, &print_modules(&tree, &scopes, options), options))
}

/// The text of a tree, and the text of its top.
pub(crate) fn printed(tree: &Tree, options: &Options) -> Result<(String, ModuleText), Vec<PrintError>> {
    let scopes = walk(tree)?;
    let mut modules = print_modules(tree, &scopes, options);
    let text = assemble(tree, &modules, options);
    let top = modules.texts.remove(&0);
    Ok((text, top.unwrap_or_else(|| module::print(tree, &scopes[0], &BTreeMap::new(), None, options))))
}

/// Walks the statements of all modules, and collects all errors.
pub(crate) fn walk(tree: &Tree) -> Result<Vec<Scope<'_>>, Vec<PrintError>> {
    let mut scopes = constant::walked(tree);
    let mut errors = vec![];
    let mut paths = vec![Paths::new(); tree.modules.len()];
    for (at, module) in tree.modules.iter().enumerate().rev() {
        let scope = &mut scopes[at];
        if module.register.is_none() {
            scope.errors.splice(0..0, check::shape(module));
            if let Verilog::Combinatorial(_) = &module.code {
                check::driven(scope);
                let registers = registers(tree, scope);
                vector::vectors(scope, |net| registers.get(&net).copied());
                if scope.errors.is_empty() {
                    paths[at] = check::loops(tree, scope, &paths);
                }
            } else if matches!(module.code, Verilog::Empty) {
                check::driven(scope);
            }
        }
        errors.push(std::mem::take(&mut scope.errors));
    }
    errors.reverse();
    let mut errors: Vec<PrintError> = errors.into_iter().flatten().collect();
    let mut seen = vec![];
    errors.retain(|e| {
        !seen.contains(e) && {
            seen.push(e.clone());
            true
        }
    });
    if errors.is_empty() {
        Ok(scopes)
    } else {
        Err(errors)
    }
}

/// For each net that is the next value of a register, the net of the register's present value.
fn registers(tree: &Tree, scope: &Scope) -> BTreeMap<NetId, NetId> {
    let of = |child: &usize| {
        let inner = &tree.modules[*child];
        let nets = |port: &str| scope.leaves(&format!("{}${port}", inner.instance));
        inner.register.as_ref().map(|register| nets(&register.d).into_iter().zip(nets(&register.q))).into_iter().flatten()
    };
    scope.module.children.iter().flat_map(of).collect()
}

/// The modules of all instances, by index in the tree.
struct Printed {
    texts: BTreeMap<usize, ModuleText>,
    /// The names of the modules; equal texts share one name.
    names: BTreeMap<usize, String>,
    /// Modules whose text is in another file.
    elsewhere: BTreeSet<usize>,
}

/// Prints every module, and names it. Children have higher indexes than their parents, so the loop runs backwards.
fn print_modules(tree: &Tree, scopes: &[Scope], options: &Options) -> Printed {
    let top = options.top.as_str();
    let (elsewhere, inside) = elsewhere(tree, &options.units);
    let mut texts: BTreeMap<usize, ModuleText> = BTreeMap::new();
    let mut names: BTreeMap<usize, String> = BTreeMap::new();
    let mut known: BTreeMap<String, String> = BTreeMap::new();
    let mut used_names = Names::default();
    used_names.fresh(top);
    let prefix = options.prefix.as_str();
    let inner = |name: &str| name.strip_prefix(prefix).and_then(|rest| rest.strip_prefix('_')).map(str::to_string);
    let stem = if top == prefix || inner(top).is_some() { top.to_string() } else { format!("{prefix}_{top}") };
    let unit = inner(&stem).unwrap_or_default();
    let read = reached::ports(tree, scopes, options.structures, |at| at == 0 || elsewhere.contains_key(&at));
    let unread = unread(tree, &read);
    let primitives = if options.primitives { primitive_shape::not_printed(tree) } else { BTreeSet::new() };
    let parents = tree.parents();
    for at in (0..tree.modules.len()).rev() {
        let module = &tree.modules[at];
        // These have no text: registers, modules of which no output is read, and parts of units with a separate text.
        if module.register.is_some() || unread.contains(&at) || inside.contains(&at) {
            continue;
        }
        if let Some(unit) = elsewhere.get(&at) {
            texts.insert(at, module::print(tree, &scopes[at], &BTreeMap::new(), None, options));
            names.insert(at, module_name(prefix, unit));
            continue;
        }
        let children = module
            .children
            .iter()
            .filter_map(|&child| Some((child, Child { module_name: names.get(&child)?, text: texts.get(&child)? })));
        let ports = Some(&read[at]).filter(|_| at > 0);
        let text = module::print(tree, &scopes[at], &children.collect(), ports, options);
        if let Some(block) = module.primitive.as_ref().filter(|_| primitives.contains(&at)) {
            let instance =
                primitive_shape::instance(block, module, options.reset, |net| text.ports.iter().any(|port| port.has(net)));
            names.insert(at, primitive::module_of(prefix, &block.kind));
            texts.insert(at, primitive_shape::text(instance));
            continue;
        }
        let key = text.key();
        // Equal texts get one name. A new text gets the first of these names that is not in use: its type; instance and type; parent,
        // instance and type.
        let name = match known.get(&key) {
            _ if at == 0 => top.to_string(),
            _ if options.separate => format!("{stem}_{}", whole_path(tree, &parents, at)),
            Some(name) => name.clone(),
            None => {
                let of_type = type_name(module);
                let short = of_type.strip_prefix(&unit).and_then(|short| short.strip_prefix('_')).unwrap_or(&of_type);
                let instance = instance_path(module);
                let of_instance = if instance.ends_with(short) { instance } else { format!("{instance}_{short}") };
                let of_parent = parents[at].map(|parent| format!("{}_{of_instance}", type_name(&tree.modules[parent])));
                let names = [Some(short.to_string()), Some(of_instance), of_parent].into_iter().flatten();
                used_names.fresh_of(&names.map(|name| format!("{stem}_{name}")).collect::<Vec<_>>())
            }
        };
        known.insert(key, name.clone());
        names.insert(at, name);
        texts.insert(at, text);
    }
    Printed { texts, names, elsewhere: elsewhere.into_keys().chain(primitives).collect() }
}

/// Indexes of the modules of which no output is read, and of all modules inside these modules.
fn unread(tree: &Tree, read: &[Ports]) -> BTreeSet<usize> {
    let mut unread = BTreeSet::new();
    for (at, module) in tree.modules.iter().enumerate().skip(1) {
        if unread.contains(&at) || read[at].outputs.is_empty() && constant::is_walked(tree, at) {
            unread.insert(at);
            unread.extend(&module.children);
        }
    }
    unread
}

/// The units inside a block: every instance whose field has the name of a unit, except those inside such instances.
pub fn units_in<'a>(block: &dyn Block, units: &[&'a str]) -> BTreeSet<&'a str> {
    elsewhere(&collect(block, ""), units).0.into_values().collect()
}

/// The instances that are a unit with a separate text, each with the unit's name, and the set of all modules inside these instances.
fn elsewhere<'a>(tree: &Tree, units: &[&'a str]) -> (BTreeMap<usize, &'a str>, BTreeSet<usize>) {
    let (mut roots, mut inside) = (BTreeMap::new(), BTreeSet::new());
    for (at, module) in tree.modules.iter().enumerate() {
        let field = module.instance.split('$').next();
        let unit = units.iter().copied().find(|unit| field == Some(unit)).filter(|_| at > 0 && module.register.is_none());
        if inside.contains(&at) {
            inside.extend(&module.children);
        } else if let Some(unit) = unit {
            roots.insert(at, unit);
            inside.extend(&module.children);
        }
    }
    (roots, inside)
}

/// The text of the file: the header, the lint and memory settings, then each distinct module once.
fn assemble(tree: &Tree, printed: &Printed, options: &Options) -> String {
    let Printed { texts, names, elsewhere } = printed;
    let mut out = String::new();
    for line in options.header.iter().flat_map(|l| l.lines()) {
        out.push_str(format!("// {line}").trim_end());
        out.push('\n');
    }
    // No module has delays, so none needs a time unit, even if other modules of a design have one.
    let system = options.language.is_system();
    out.push_str("// verilator lint_off TIMESCALEMOD\n");
    // An input of a variable's type has the default type of nets, which must then be a type.
    if !system {
        out.push_str("`default_nettype none\n");
    }
    if texts.values().any(|text| text.primitive.is_some()) {
        out.push_str("// An open pin is an output that nothing reads.\n// verilator lint_off PINCONNECTEMPTY\n");
    }
    if texts.values().any(|text| text.body.contains(RAM_STYLE)) {
        out.push_str(STYLES);
    }
    let distinct: BTreeSet<&String> = names.iter().filter(|(at, _)| !elsewhere.contains(at)).map(|(_, name)| name).collect();
    if distinct.len() > 1 {
        let others = match texts.values().any(|text| text.primitive.is_some()) {
            true => format!(", but for the primitives of {prefix}_prim.v", prefix = options.prefix),
            false => String::new(),
        };
        out.push_str(&format!("// The modules of the unit are in this file{others}.\n// verilator lint_off DECLFILENAME\n"));
    }
    let mut done: BTreeSet<&str> = BTreeSet::new();
    for (at, text) in texts.iter().filter(|(at, _)| !elsewhere.contains(at)) {
        if let Some(name) = names.get(at).filter(|n| done.insert(n)) {
            out.push('\n');
            let (docs, stated) = if *at == 0 { (&options.port_docs, &options.sizes[..]) } else { (&BTreeMap::new(), &[][..]) };
            for line in &text.doc {
                out.push_str(&format!("{line}\n"));
            }
            out.push_str(&header(&format!("{name}{}", sizes::parameters(stated, system)), text, docs));
            out.push_str(&text.body);
            match &options.language {
                Language::Verilog2005 => out.push_str(&sizes::comparison(stated)),
                Language::SystemVerilog(package) if *at == 0 => {
                    let bodies: String = texts.values().flat_map(|text| [text.declarations(), text.body.clone()]).collect();
                    out.push_str(&sizes::checks(stated, &package.name, package.used(&bodies)));
                }
                Language::SystemVerilog(_) => {}
            }
            out.push_str(&sizes::identity(options.identity.filter(|_| *at == 0), options.language.net()));
            out.push_str("\nendmodule\n");
        }
    }
    let mut cores = BTreeSet::new();
    for module in &tree.modules {
        if let Verilog::Wrapper(wrapper) = &module.code {
            if cores.insert(&wrapper.cores) {
                out.push_str(&format!("\n{}\n", wrapper.cores.trim()));
            }
        }
    }
    if distinct.len() > 1 {
        out.push_str("\n// verilator lint_on DECLFILENAME\n");
    }
    if texts.values().any(|text| text.primitive.is_some()) {
        out.push_str("// verilator lint_on PINCONNECTEMPTY\n");
    }
    if !system {
        out.push_str("`default_nettype wire\n");
    }
    out.push_str("// verilator lint_on TIMESCALEMOD\n");
    wrap(&out)
}
