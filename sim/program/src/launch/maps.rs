// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Creates the tensor maps and textures of launches, after buffers have addresses; a map for a pointer parameter, and the description of
//! a texture, get a separate address.

use super::argument::{Argument, DEEPEST};
use super::bind::Given;
use super::buffer::{Buffer, ALIGNMENT};
use super::placed::Placed;
use crate::ptx::Param;
use crate::Variable;
use bcu_isa::diag::Diagnostic;

/// The tensor maps of all launches, while they are created.
pub(super) struct Maps<'a> {
    buffers: &'a [Buffer],
    /// The buffers, then variables of the program, then the tensor maps that have an address.
    placed: Vec<Placed>,
    /// Bytes of an address.
    pointer: u64,
    /// The tensor maps that have an address, as variables in global memory.
    pub variables: Vec<Variable>,
}

impl Maps<'_> {
    pub fn new(buffers: &[Buffer], placed: Vec<Placed>, pointer: u64) -> Maps<'_> {
        Maps { buffers, placed, pointer, variables: vec![] }
    }

    pub fn placed(&self) -> &[Placed] {
        &self.placed
    }

    /// The arguments `given` for a kernel, with a created map in place of each map to create: for a pointer parameter the address of the
    /// map, otherwise its bytes.
    pub fn create(&mut self, kernel: &str, params: &[Param], given: &[Given]) -> Result<Vec<Given>, Vec<Diagnostic>> {
        let (mut created, mut errors) = (vec![], vec![]);
        for given_argument in given {
            let param = given_argument.target.position(kernel, params).and_then(|at| params.get(at));
            let pointer = param.is_some_and(|param| param.bytes == self.pointer);
            match self.argument(&given_argument.value, pointer, 0) {
                Ok(value) => created.push(Given { value, ..given_argument.clone() }),
                Err(error) => {
                    let message = format!("`{}`: {}", param.map_or("", |param| param.title()), error.message);
                    errors.push(Diagnostic { span: given_argument.span.clone(), message, ..error });
                }
            }
        }
        if errors.is_empty() {
            Ok(created)
        } else {
            Err(errors)
        }
    }

    /// The contents of a buffer or a variable, with created maps in place of the maps to create.
    pub fn contents(&mut self, contents: &Argument) -> Result<Argument, Diagnostic> {
        self.argument(contents, false, 0)
    }

    fn argument(&mut self, argument: &Argument, pointer: bool, depth: usize) -> Result<Argument, Diagnostic> {
        match argument {
            Argument::Tensor(tensor) => {
                let map = tensor.map(self.buffers, &self.placed)?;
                Ok(if pointer { self.place_map("tensor map", map.encode()) } else { Argument::TensorMap(Box::new(map)) })
            }
            // The handle of a texture is the address of its description.
            Argument::Texture(texture) => Ok(self.place_map("texture", texture.texture(self.buffers, &self.placed)?.encode())),
            // More deeply nested fields give an error when the structure is laid out.
            Argument::Fields(fields) if depth < DEEPEST => {
                let fields = fields.iter().map(|field| self.argument(field, false, depth + 1));
                Ok(Argument::Fields(fields.collect::<Result<_, _>>()?))
            }
            other => Ok(other.clone()),
        }
    }

    /// Places a map after everything placed so far, and returns its address.
    fn place_map(&mut self, what: &str, map: Vec<u8>) -> Argument {
        // A map refers to a buffer, so the list is not empty. Variables of the program are before all buffers.
        let end = self.placed.iter().map(|placed| placed.address + placed.bytes + ALIGNMENT).max().unwrap_or(0);
        let address = end.next_multiple_of(ALIGNMENT);
        // Buffer names have no blanks, so this name is unique.
        let name = format!("{what} {}", self.variables.len());
        self.placed.push(Placed { name: name.clone(), address, bytes: map.len() as u64 });
        self.variables.push(Variable::new(name.clone(), address, map.into()));
        Argument::Address { buffer: name, offset: 0 }
    }
}
