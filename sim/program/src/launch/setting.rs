// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Contents that a launch gives to variables of the program, as `cudaMemcpyToSymbol` does, and the type in which they are read.

use super::argument::Argument;
use super::buffer::{bytes_of, Buffer};
use super::complaint::complaint;
use super::element::Element;
use super::fill::{seed_of, Fill};
use super::load::{bytes, of_file, ReadFile};
use super::names::{near, written};
use super::npy;
use crate::ptx::{Module, VariableType};
use crate::{Image, Variable};
use bcu_isa::diag::Diagnostic;
use std::ops::Range;

/// Maximum number of variables listed in the diagnostic for an unknown name.
const MOST_NAMED: usize = 10;

/// What a launch states about a variable of the program.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    /// The name in PTX or in CUDA.
    pub name: String,
    /// The type of an element; by default that of the declaration.
    pub element: Option<Element>,
    /// Elements along each dimension; by default those of the declaration, or as many elements of the type as fit.
    pub shape: Option<Vec<usize>>,
    pub data: Data,
    /// Span of the name in the launch file; empty if the setting is not from a launch file.
    pub span: Range<usize>,
}

/// The contents of a variable.
#[derive(Clone, Debug, PartialEq)]
pub enum Data {
    /// Those of its declaration.
    Declared,
    Filled(Fill),
    /// A NumPy file.
    Npy(String),
    /// A file of raw bytes.
    Raw(String),
    /// One value: a number, an address, a structure.
    Value(Argument),
}

/// A variable of the program that a launch gives or reads.
#[derive(Clone, Debug)]
pub(super) struct SetVariable {
    /// The variable with the type in which the launch reads it; it may be a first part of the variable.
    pub buffer: Buffer,
    /// Index of the variable in the module.
    pub number: usize,
    /// Whether the launch gives its contents.
    pub given: bool,
    /// Whether the launch states neither type nor shape.
    pub untyped: bool,
    /// A value that needs the addresses of buffers.
    pub value: Option<Argument>,
    pub span: Range<usize>,
}

/// The index of a variable in the module, by its name in PTX or in CUDA.
///
/// # Errors
/// No such variable, or several.
pub(super) fn find(module: &Module, name: &str) -> Result<usize, Diagnostic> {
    let names = || module.variables.iter().map(|variable| variable.name.as_str());
    if let Some(exact) = names().position(|known| known == name) {
        return Ok(exact);
    }
    let dense = |text: &str| text.split_whitespace().collect::<String>();
    let wanted = dense(name);
    let readable: Vec<String> = names().map(|known| dense(&written(known))).collect();
    let with = |is_it: &dyn Fn(&str) -> bool| -> Vec<usize> {
        (0..readable.len()).filter(|number| is_it(&readable[*number])).collect()
    };
    let mut found = with(&|known| known == wanted);
    if found.is_empty() {
        // The namespace may be left out.
        found = with(&|known| known.strip_suffix(&wanted).is_some_and(|space| space.ends_with("::")));
    }
    if let [only] = found[..] {
        return Ok(only);
    }
    let readable: Vec<String> = readable.into_iter().filter(|name| !name.starts_with('$')).collect();
    let list = readable.iter().take(MOST_NAMED).cloned().collect::<Vec<_>>().join("`, `");
    if !found.is_empty() {
        let mangled: Vec<&str> = found.iter().filter_map(|number| names().nth(*number)).collect();
        let error = complaint(format!("{} variables are called `{name}`", found.len()), "expected the name of one variable");
        return Err(error.help(format!("write its name in PTX: `{}`", mangled.join("`, `"))));
    }
    let error = complaint(format!("the program has no variable `{name}`"), "expected a `.const` or `.global` variable");
    Err(match (near(name, readable.iter().map(String::as_str)), readable.is_empty()) {
        (Some(near), _) => error.help(format!("did you mean `{near}`?")),
        (None, true) => error.help("the program has no variables in constant or global memory"),
        (None, false) => error.help(format!("its variables are `{list}`")),
    })
}

/// Finds the variables of all settings, and reads their contents. `seed` is the seed of the run.
///
/// # Errors
/// All errors, each at the name of its setting.
pub(super) fn resolve(
    settings: &[Setting],
    module: &Module,
    seed: u64,
    read: &mut ReadFile,
) -> Result<Vec<SetVariable>, Vec<Diagnostic>> {
    let (mut found, mut errors): (Vec<SetVariable>, Vec<Diagnostic>) = (vec![], vec![]);
    for setting in settings {
        match setting.resolve(module, seed, read) {
            Ok(set) if found.iter().any(|known| known.number == set.number) => {
                let error = complaint(format!("the variable `{}` is given twice", setting.name), "given here again");
                errors.push(Diagnostic { span: setting.span.clone(), ..error });
            }
            Ok(set) => found.push(set),
            Err(error) => errors.push(Diagnostic { span: setting.span.clone(), ..error }),
        }
    }
    if errors.is_empty() {
        Ok(found)
    } else {
        Err(errors)
    }
}

impl Setting {
    /// A variable whose contents the launch does not give.
    pub fn declared(name: &str) -> Setting {
        Setting { name: name.to_string(), element: None, shape: None, data: Data::Declared, span: 0..0 }
    }

    fn resolve(&self, module: &Module, seed: u64, read: &mut ReadFile) -> Result<SetVariable, Diagnostic> {
        let number = find(module, &self.name)?;
        let (variable, declared) = (&module.variables[number], &module.variable_types[number]);
        let whole = variable.bytes.len();
        if whole == 0 {
            let message = format!("the variable `{}` has no size in this program", self.name);
            return Err(complaint(message, "expected a variable that the program defines"));
        }
        let (element, shape) = self.kind(declared, whole)?;
        let buffer = match &self.data {
            Data::Declared | Data::Value(_) => {
                let bytes = prefix(&variable.bytes, bytes_of(element, &shape)?.min(whole));
                Buffer { name: self.name.clone(), element, shape, bytes }
            }
            Data::Filled(fill) => Buffer::filled(&self.name, element, &shape, fill, seed_of(seed, &self.name))?,
            Data::Npy(file) => npy::read(&self.name, bytes(file, read)?, self.element).map_err(|error| of_file(file, error))?,
            Data::Raw(file) => {
                let raw = Buffer::raw(&self.name, element, self.shape.as_deref(), bytes(file, read)?);
                raw.map_err(|error| of_file(file, error))?
            }
        };
        let read = bytes_of(buffer.element, &buffer.shape)?;
        if matches!(self.data, Data::Value(_)) && read != whole {
            let message = format!("{} has {read} bytes, but the variable `{}` has {whole}", buffer.kind(), self.name);
            return Err(complaint(message, "expected the size of the variable"));
        }
        if read > whole {
            let message = format!("{} has {read} bytes, but the variable `{}` has {whole}", buffer.kind(), self.name);
            let error = complaint(message, format!("expected at most {whole} bytes"));
            return Err(error.help(format!("its declaration in PTX has the type `{}`", declared.ty)));
        }
        let value = match &self.data {
            Data::Value(argument) => Some(argument.clone()),
            _ => None,
        };
        let given = self.data != Data::Declared;
        let untyped = self.element.is_none() && self.shape.is_none();
        Ok(SetVariable { buffer, number, given, untyped, value, span: self.span.clone() })
    }

    /// The type and the shape in which the variable of `whole` bytes is read.
    fn kind(&self, declared: &VariableType, whole: usize) -> Result<(Element, Vec<usize>), Diagnostic> {
        let (own, packed) = Element::of_ptx(&declared.ty);
        let mut declared_shape: Vec<usize> = declared.dimensions.iter().map(|size| *size as usize).collect();
        declared_shape.extend((packed > 1).then_some(packed));
        let flat = |element: Element| vec![(whole / element.size()).max(1)];
        // A size that follows from the initial value has no number in the declaration.
        let fits = bytes_of(own, &declared_shape).is_ok_and(|bytes| bytes == whole);
        Ok(match (self.element, &self.shape) {
            (Some(element), Some(shape)) => (element, shape.clone()),
            (Some(element), None) if whole.is_multiple_of(element.size()) => (element, flat(element)),
            (Some(element), None) => {
                let message = format!("the variable `{}` of {whole} bytes is not an array of {}", self.name, element.name());
                return Err(complaint(message, "expected another `type`, or a `shape`"));
            }
            (None, Some(shape)) => (own, shape.clone()),
            (None, None) if fits => (own, declared_shape),
            (None, None) if whole.is_multiple_of(own.size()) => (own, flat(own)),
            (None, None) => (Element::U8, flat(Element::U8)),
        })
    }
}

impl SetVariable {
    /// Takes type and shape of an array with as many bytes, if the launch states none.
    pub fn adopt(&mut self, other: &Buffer) {
        if self.untyped && other.bytes.len() == self.buffer.bytes.len() {
            (self.buffer.element, self.buffer.shape) = (other.element, other.shape.clone());
        }
    }

    /// The variable with the given contents, which may be those of its first part only.
    pub fn variable(&self, module: &Module) -> Variable {
        let declared = &module.variables[self.number];
        let bytes = match self.buffer.bytes.len() == declared.bytes.len() {
            true => self.buffer.bytes.clone(),
            false => {
                let mut whole = declared.bytes.clone();
                self.buffer.bytes.values().into_iter().enumerate().for_each(|(at, value)| whole.set(at, value));
                whole
            }
        };
        Variable::new(declared.name.clone(), declared.address, bytes)
    }
}

/// The first `len` bytes of an image.
pub(super) fn prefix(image: &Image, len: usize) -> Image {
    match image.len() == len {
        true => image.clone(),
        false => image.values().into_iter().take(len).collect(),
    }
}

#[cfg(test)]
mod tests;
