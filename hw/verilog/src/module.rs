// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The text of one module: ports, constants, nets, assignments, instances, registers.

use super::builder::{Builder, Child, Update};
use super::collect::Tree;
use super::docs::{self, Docs};
use super::ir::{mask, NetId};
use super::literal::{constant_range, literal, range};
use super::module_text::{indented, ModuleText, PortText};
use super::names::Names;
use super::options::Options;
use super::reached::Ports;
use super::scope::{Label, Net, Role, Scope};
use super::text::{assignment, Text};
use super::{check, custom, reset, structure, structure_join};
use rust_hdl::core::ast::Verilog;
use std::collections::{BTreeMap, BTreeSet};

/// Prints a module whose statements have been walked and checked. `ports` are the outputs that another module reads and the structures;
/// `None`: the module has all its ports, one for each field of a payload.
pub fn print(
    tree: &Tree,
    scope: &Scope,
    children: &BTreeMap<usize, Child>,
    ports: Option<&Ports>,
    options: &Options,
) -> ModuleText {
    let (module, language) = (scope.module, &options.language);
    if !matches!(module.code, Verilog::Combinatorial(_) | Verilog::Empty) {
        return custom::print(module, &options.phrases, language);
    }
    let mut names = Names::default();
    let mut net_names = vec![String::new(); scope.nets.len()];
    let mut structures = structure_join::structures(tree, scope, children, ports, language);
    let field_of = structure::fields(&structures);
    structure::name(&mut structures, true, &module.instance, &mut names);
    let port = |net: &Net| matches!(net.role, Role::Input | Role::Output);
    let own_first = |pass: usize, net: &Net| if port(net) { 0 } else { 1 + usize::from(net.role != Role::Local) } == pass;
    for pass in 0..3 {
        let built = |net: &Net| net.role != Role::Absent;
        if pass == 2 {
            structure::name(&mut structures, false, "", &mut names);
        }
        for (at, net) in scope.nets.iter().enumerate().filter(|(_, n)| own_first(pass, n) && built(n)) {
            if let Some((of, field)) = field_of
                .get(&at)
                .filter(|(of, _)| language.is_system() && structures[*of].has_fields() && structures[*of].role != Role::Output)
            {
                let structure = &structures[*of];
                net_names[at] = format!("{}.{}", structure.name, structure::paths(&structure.descriptor)[*field]);
                continue;
            }
            let name = register_name(tree, net).unwrap_or_else(|| net.name.clone());
            let other_name = format!("{name}_{}", role_word(net.role));
            net_names[at] = names.fresh_of(&[name, other_name]);
        }
    }
    let mut builder = Builder {
        tree,
        module,
        ports,
        language,
        structures,
        field_of,
        renamed: BTreeSet::new(),
        unpacked: BTreeSet::new(),
        children,
        scope,
        roots: scope.assigned.iter().map(|(&net, assigned)| (net, &assigned.value)).collect(),
        text: Text::new(&scope.labels, net_names, names, language),
        live: BTreeSet::new(),
        named: vec![0; scope.nets.len()],
        aliased: BTreeSet::new(),
        driven_by_child: BTreeSet::new(),
        inputs: BTreeMap::new(),
        index: None,
        reset: options.reset,
        initial_values: options.initial_values,
        docs: Docs::new(module, &options.phrases),
    };
    builder.text.owners = check::owners(scope);
    builder.count_uses();
    builder.name_bits();
    builder.join_structures();
    builder.join_child_outputs();
    if language.is_system() {
        builder.own_structures();
    }
    builder.rename();
    builder.hold_interims();
    builder.state_vectors();
    reset::with_port(builder.finish(), options.reset)
}

/// The word that makes the name of a net differ from an equal name of another net.
fn role_word(role: Role) -> &'static str {
    match role {
        Role::Input => "in",
        Role::Output => "out",
        Role::Local | Role::Absent => "signal",
        Role::ChildInput(_) | Role::ChildOutput(_) => "pin",
    }
}

/// The name of a net of the register `pending`: `pending_q` for its value, `pending_d` for its next value. `None`: the net
/// is not of a register.
fn register_name(tree: &Tree, net: &Net) -> Option<String> {
    let (Role::ChildInput(child) | Role::ChildOutput(child)) = net.role else { return None };
    let module = &tree.modules[child];
    let register = module.register.as_ref()?;
    let port = net.name.strip_prefix(&module.instance)?.strip_prefix('$')?;
    let (field, suffix) = match net.role {
        Role::ChildInput(_) => (port.strip_prefix(&register.d)?, "d"),
        _ => (port.strip_prefix(&register.q)?, "q"),
    };
    let stem = module.instance.strip_suffix("_q").unwrap_or(&module.instance);
    Some(format!("{stem}{field}_{suffix}"))
}

impl<'a> Builder<'a> {
    pub(super) fn nets(&self, wanted: impl Fn(&Net) -> bool) -> Vec<NetId> {
        let nets = self.scope.nets.iter().enumerate();
        nets.filter(|(_, net)| wanted(net)).map(|(at, _)| at).collect()
    }

    /// Makes the text of the module. The order of the steps matters: later steps use the names that earlier steps
    /// create.
    fn finish(mut self) -> ModuleText {
        let mut declarations = vec![];
        let ports = self.ports();
        // Local nets that a child drives: they are declared without a value.
        for net in self.nets(|net| net.role == Role::Local) {
            if self.live.contains(&net) && !self.is_assigned(net) && !self.unpacked.contains(&net) {
                declarations.extend(self.comment(net));
                declarations.push(self.declare("wire", net));
            }
        }
        let mut instances = vec![];
        let mut clocked: Vec<(String, Vec<Update>)> = vec![];
        let mut wires = vec![];
        // Children: a register becomes a `reg` that the process of its clock updates; any other child becomes an instance.
        for &child in &self.module.children {
            let inner = &self.tree.modules[child];
            match &inner.register {
                Some(register) => {
                    let nets = |port: &str| self.scope.leaves(&format!("{}${port}", inner.instance));
                    let (q, d, clock) = (nets(&register.q), nets(&register.d), nets(&register.clock));
                    let Some(&clock) = clock.first() else { continue };
                    let clock = self.connection(clock, &mut wires);
                    let mut low = 0;
                    let structure = q.first().and_then(|net| self.field_of.get(net)).map(|(at, _)| *at);
                    if let Some(at) = structure {
                        declarations.extend(self.comment(q[0]));
                        let initial = Some(&register.initial).filter(|_| self.initial_values);
                        declarations.push(self.declared_structure(at, initial));
                    }
                    for (q, d) in q.into_iter().zip(d) {
                        let width = self.scope.nets[q].width;
                        low += width;
                        if !self.live.contains(&q) {
                            wires.extend(Some(d).filter(|d| self.live.contains(d)));
                            continue;
                        }
                        if structure.is_none() {
                            declarations.extend(self.comment(q));
                            let declaration = self.declare("reg", q);
                            let initial = literal(width, &((&register.initial >> (low - width)) & mask(width)));
                            declarations.push(match self.initial_values {
                                true => format!("{} = {initial};", declaration.trim_end_matches(';')),
                                false => declaration,
                            });
                        }
                        let update = self.update(q, d, &mut wires);
                        match clocked.iter_mut().find(|(c, _)| *c == clock) {
                            Some((_, updates)) => updates.push(update),
                            None => clocked.push((clock.clone(), vec![update])),
                        }
                    }
                }
                None => instances.extend(self.instance(child, &mut wires)),
            }
        }
        declarations.extend(wires.iter().filter(|net| !self.is_assigned(**net)).map(|&net| self.declare("wire", net)));
        declarations.extend(self.vectors());
        for at in 0..self.structures.len() {
            if self.structures[at].role == Role::Local {
                declarations.extend(self.comment(self.structures[at].nets[0]));
                declarations.push(self.declared_structure(at, None));
            }
        }
        let assigned_nets = self.nets(|net| matches!(net.role, Role::Output | Role::Local));
        let is_printed = |net: &NetId| self.live.contains(net) && !self.renamed.contains(net) && !self.is_inside(*net);
        let assigned_nets = assigned_nets.into_iter().filter(is_printed).collect::<Vec<_>>().into_iter();
        // Assignments, each after the nets that it reads.
        let wires = wires.into_iter().filter(|net| !self.renamed.contains(net));
        let mut waiting: BTreeSet<NetId> = assigned_nets.chain(wires).filter(|&net| self.is_assigned(net)).collect();
        while let Some(net) = waiting.first().copied() {
            self.assign(net, &mut waiting);
        }
        let outputs = self.output_structures();
        self.text.lines.extend(outputs);
        // One process for each clock.
        let processes: Vec<Vec<String>> =
            clocked.into_iter().flat_map(|(clock, updates)| self.process(&clock, updates)).collect();
        if !self.language.is_system() {
            declarations.extend(self.index.iter().map(|index| format!("integer {index};")));
        }
        let texts = [&self.text.lines, &instances].into_iter().flatten().chain(processes.iter().flatten());
        let texts: Vec<String> = texts.cloned().collect();
        let unpacking = self.unpacking(&texts.iter().map(String::as_str).collect::<Vec<_>>());
        let mut used: Vec<(&Label, &String)> =
            self.text.label_names.iter().map(|(&label, name)| (&self.scope.labels[label], name)).collect();
        // Constant fields in order of declaration, then each enum's variants in order of their values.
        used.sort_by_key(|(label, _)| label.name.rsplit_once('$').map(|(of, _)| (of, &label.value)));
        let labels = used.into_iter().map(|(label, name)| {
            format!("localparam {}{name} = {};", constant_range(label.width), literal(label.width, &label.value))
        });
        let mut sections = vec![labels.collect::<Vec<_>>(), declarations, unpacking, self.text.lines];
        sections.extend(instances.into_iter().map(|instance| vec![instance]));
        sections.extend(processes);
        ModuleText { doc: self.docs.header(), ports, body: indented(&sections), primitive: None }
    }

    fn ports(&mut self) -> Vec<PortText> {
        let mut ports = vec![];
        let kind = self.language.net();
        for (at, net) in self.scope.nets.iter().enumerate() {
            let direction = match net.role {
                Role::Input | Role::Output if self.field_of.contains_key(&at) => {
                    let (structure, field) = self.field_of[&at];
                    if field == 0 {
                        ports.push(self.structure_port(structure));
                    }
                    continue;
                }
                Role::Input if !self.live.contains(&at) && self.ports.is_some() => continue,
                Role::Input => "input ",
                Role::Output if !self.live.contains(&at) => continue,
                Role::Output => "output",
                _ => continue,
            };
            let declaration = format!("{direction} {kind} {}", range(net.width));
            let (raw, name) = (net.name.clone(), self.text.net_names[at].clone());
            ports.push(PortText { doc: self.docs.take(&raw), raw, name, declaration, fields: vec![] });
        }
        ports
    }

    /// Whether this module's text assigns the net: an output by an `assign`, a wire in its declaration.
    fn is_assigned(&self, net: NetId) -> bool {
        self.scope.nets[net].driven_here() && !self.driven_by_child.contains(&net) && self.roots.contains_key(&net)
    }

    /// The doc comment of the field to which a net belongs.
    fn comment(&mut self, net: NetId) -> Vec<String> {
        self.docs.take(&self.scope.nets[net].name).map(|text| docs::lines(&text)).unwrap_or_default()
    }

    fn declare(&self, kind: &str, net: NetId) -> String {
        let kind = if self.language.is_system() { "logic" } else { kind };
        format!("{kind} {}{};", range(self.scope.nets[net].width), self.text.net_names[net])
    }

    /// Assigns the nets that `net` is computed from, then `net`.
    fn assign(&mut self, net: NetId, waiting: &mut BTreeSet<NetId>) {
        let is_renamed = self.renamed.contains(&net);
        if !waiting.remove(&net) && !is_renamed {
            return;
        }
        let Some(&root) = self.roots.get(&net) else { return };
        for source in check::nets_of(root, &self.text.owners) {
            self.assign(source, waiting);
        }
        if is_renamed {
            return;
        }
        let value = self.text.right_side(root);
        // The wire of an interim value has this name.
        if value == self.text.net_names[net] {
            return;
        }
        let comment = if self.scope.nets[net].role == Role::Local { self.comment(net) } else { vec![] };
        self.text.lines.extend(comment);
        for comment in self.scope.comments.get(&net).into_iter().flatten() {
            self.text.lines.push(format!("// {comment}"));
        }
        let Net { role, width, .. } = &self.scope.nets[net];
        let name = self.text.net_names[net].clone();
        let is_declared = match role {
            Role::Output => !self.is_output_field(net),
            _ => self.field_of.get(&net).is_some_and(|(at, _)| self.structures[*at].role == Role::Local),
        };
        let line = if is_declared {
            assignment(&format!("assign {name}"), &value)
        } else {
            self.text.wire_line(*width, &name, &value)
        };
        self.text.lines.push(line);
    }
}
