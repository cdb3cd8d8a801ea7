// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The wires of all signals and constants of all blocks, for waveforms: also of those that no gate reads.

use super::build::Builder;
use super::gates::{Function, Wire};
use crate::collect::VisitedAtom;
use crate::ir::mask;
use crate::print_error::PrintError;
use rust_hdl::prelude::AtomKind;

impl Builder<'_> {
    /// For each atom of the tree, the wires of its plain values, lowest bits first.
    pub(super) fn atoms(&mut self) -> Result<Vec<Vec<Wire>>, PrintError> {
        let tree = self.tree;
        tree.atoms.iter().map(|atom| self.atom(atom)).collect()
    }

    fn atom(&mut self, atom: &VisitedAtom) -> Result<Vec<Wire>, PrintError> {
        let (tree, module) = (self.tree, atom.module);
        let signal = &tree.modules[module].signals[atom.signal];
        if atom.widths.is_empty() {
            return Ok(vec![]);
        }
        if signal.kind == AtomKind::Constant {
            let field = |width, low| Function::Const((&signal.value >> low) & mask(width));
            return Ok(self.fields(&atom.widths, field));
        }
        let mut wires = vec![];
        for net in signal.nets() {
            wires.push(match signal.kind {
                AtomKind::InputParameter => self.input(module, &net.name)?,
                AtomKind::LocalSignal => self.net_named(module, module, &net.name)?,
                AtomKind::OutputParameter | AtomKind::OutputPassthrough => match self.parents[module] {
                    Some(parent) => {
                        let outside = format!("{}${}", tree.modules[module].instance, net.name);
                        self.net_named(module, parent, &outside)?
                    }
                    None => self.net_named(module, module, &net.name)?,
                },
                _ => {
                    return Err(self.complaint(module, &net.name, "has no value in the netlist", "use an input or an output"));
                }
            });
        }
        match wires[..] {
            // A memory has its payload as one vector.
            [packed] if atom.widths.len() > 1 => Ok(self.fields(&atom.widths, |_, low| Function::Slice(packed, low))),
            _ => Ok(wires),
        }
    }

    /// The gates for adjacent fields of these widths; `function` gets the width of a field and its lowest bit.
    fn fields(&mut self, widths: &[usize], function: impl Fn(usize, usize) -> Function) -> Vec<Wire> {
        let mut low = 0;
        let field = |&width: &usize| {
            low += width;
            self.gate(width, function(width, low - width))
        };
        widths.iter().map(field).collect()
    }

    /// The wire of the net `name` in the scope of the module `scope`; `owner` is the module that messages name.
    fn net_named(&mut self, owner: usize, scope: usize, name: &str) -> Result<Wire, PrintError> {
        match self.scopes[scope].net(name) {
            Some(net) => self.net(scope, net),
            None => Err(self.complaint(owner, name, "has no value in the netlist", "assign it in `update`")),
        }
    }
}
