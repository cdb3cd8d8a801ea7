// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Collects the names and widths of the ports of a field that the configuration leaves out, since statements of `update` may still mention
//! these ports.

use super::signal::{variants_of, Signal, Variants};
use crate::marks::ABSENT;
use rust_hdl::prelude::*;

/// Visits one field: a port of the block itself, or a part with its ports.
pub struct Outline<'a> {
    /// Ports of the block itself.
    pub block_ports: Vec<Signal>,
    /// Ports of a part, under their names in the block.
    pub part_ports: Vec<Signal>,
    variants: &'a mut Variants,
    path: Vec<String>,
    /// Number of blocks that the visit is in: 0 at a port of the block itself, 1 at a port of the
    /// part.
    depth: usize,
}

impl<'a> Outline<'a> {
    pub fn new(variants: &'a mut Variants) -> Outline<'a> {
        Outline { block_ports: vec![], part_ports: vec![], variants, path: vec![], depth: 0 }
    }
}

impl Probe for Outline<'_> {
    fn visit_start_scope(&mut self, name: &str, _: &dyn Block) {
        self.path.push(name.to_string());
        self.depth += 1;
    }

    fn visit_end_scope(&mut self, _: &str, _: &dyn Block) {
        self.path.pop();
        self.depth -= 1;
    }

    fn visit_start_namespace(&mut self, name: &str, node: &dyn Block) {
        // Statements may also mention fields that the part itself does not build.
        if let Some(field) = name.strip_prefix(ABSENT) {
            node.accept(field, self);
        }
        self.path.push(name.to_string());
    }

    fn visit_end_namespace(&mut self, _: &str, _: &dyn Block) {
        self.path.pop();
    }

    fn visit_atom(&mut self, name: &str, atom: &dyn Atom) {
        if self.depth > 1 || !atom.kind().is_parameter() {
            return;
        }
        variants_of(&atom.descriptor(), self.variants);
        let path = [self.path.as_slice(), &[name.to_string()]].concat();
        let list = if self.depth == 0 { &mut self.block_ports } else { &mut self.part_ports };
        list.push(Signal::new(path.join("$"), atom));
    }
}
