// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The value of an option for a parameter, and the buffers that it creates.

use super::argument::Argument;
use super::bind::Target;
use super::complaint::complaint;
use super::load::{Allocation, Contents};
use super::tensor::Tensor;
use super::texture::TextureArgument;
use bcu_isa::diag::Diagnostic;

/// `--arg PARAMETER=VALUE`.
#[derive(Clone, Debug, PartialEq)]
pub struct ArgOption {
    pub target: Target,
    pub value: OptionValue,
}

/// The value of an option for a parameter.
#[derive(Clone, Debug, PartialEq)]
pub enum OptionValue {
    Argument(Argument),
    /// The address of a buffer that is created for the parameter and has the parameter's name.
    Buffer(Contents),
    /// The tensor map, with this box and these modes, of a buffer that is created for the parameter.
    Tensor(Contents, Box<Tensor>),
    /// The texture, with these properties, of a buffer that is created for the parameter.
    Texture(Contents, Box<TextureArgument>),
    /// A structure.
    Fields(Vec<ArgOption>),
    /// The address of a buffer that is created for the parameter and holds this structure.
    New(Vec<ArgOption>),
}

impl OptionValue {
    /// The argument for the parameter or the field `name`, after the buffers that it needs are added to `allocations`.
    ///
    /// # Errors
    /// A buffer that is created twice.
    pub(super) fn argument(&self, name: &str, allocations: &mut Vec<Allocation>) -> Result<Argument, Diagnostic> {
        let create = |contents: Contents, allocations: &mut Vec<Allocation>| {
            if allocations.iter().any(|one| one.name == name) {
                return Err(complaint(format!("`{name}` is given twice"), "expected one"));
            }
            allocations.push(Allocation { name: name.to_string(), contents, span: 0..0 });
            Ok(())
        };
        let address = || Argument::Address { buffer: name.to_string(), offset: 0 };
        match self {
            OptionValue::Argument(argument) => Ok(argument.clone()),
            OptionValue::Buffer(contents) => create(contents.clone(), allocations).map(|()| address()),
            OptionValue::Tensor(contents, tensor) => {
                create(contents.clone(), allocations)?;
                Ok(Argument::Tensor(Box::new(Tensor { buffer: name.to_string(), ..(**tensor).clone() })))
            }
            OptionValue::Texture(contents, texture) => {
                create(contents.clone(), allocations)?;
                Ok(Argument::Texture(Box::new(TextureArgument { buffer: name.to_string(), ..(**texture).clone() })))
            }
            OptionValue::Fields(fields) => structure(name, fields, allocations),
            OptionValue::New(fields) => {
                let fields = structure(name, fields, allocations)?;
                create(Contents::Fields { fields, element: None, shape: None }, allocations).map(|()| address())
            }
        }
    }
}

fn structure(name: &str, fields: &[ArgOption], allocations: &mut Vec<Allocation>) -> Result<Argument, Diagnostic> {
    let fields =
        fields.iter().enumerate().map(|(number, field)| field.value.argument(&format!("{name}.{number}"), allocations));
    Ok(Argument::Fields(fields.collect::<Result<_, _>>()?))
}
