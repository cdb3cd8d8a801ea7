// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Loads the buffers of a launch and its expected results, with the files that they name.

use super::argument::{Addresses, Argument};
use super::buffer::{bytes_of, Buffer, MOST_BYTES};
use super::compare::Tolerance;
use super::complaint::complaint;
use super::element::{Element, Number};
use super::fill::{seed_of, Fill};
use super::npy;
use super::placed::no_buffer;
use crate::Image;
use bcu_isa::diag::Diagnostic;
use std::ops::Range;

/// Reads a file by the name in the text; an error is a sentence with that name. The function need not read more than [`MOST_BYTES`] and a
/// header of 64 KiB.
pub type ReadFile<'a> = dyn FnMut(&str) -> Result<Vec<u8>, String> + 'a;

/// The source of a buffer's bytes.
#[derive(Clone, Debug, PartialEq)]
pub enum Contents {
    /// The values are given by a rule.
    Filled { element: Element, shape: Vec<usize>, fill: Fill },
    /// A NumPy file; if `element` is given, the file must have that type.
    Npy { file: String, element: Option<Element> },
    /// A file of raw bytes; without a shape the buffer has one dimension.
    Raw { file: String, element: Element, shape: Option<Vec<usize>> },
    /// A structure, which may have the addresses of buffers. Without a type its elements are addresses if all fields are, otherwise bytes.
    Fields { fields: Argument, element: Option<Element>, shape: Option<Vec<usize>> },
}

/// A buffer to create.
#[derive(Clone, Debug, PartialEq)]
pub struct Allocation {
    pub name: String,
    pub contents: Contents,
    /// Span of the buffer's name in the launch file; empty if the buffer is not from a launch file.
    pub span: Range<usize>,
}

/// The expected content of a buffer after the last launch.
#[derive(Clone, Debug, PartialEq)]
pub struct Expectation {
    /// The buffer's name.
    pub buffer: String,
    pub wanted: Wanted,
    pub tolerance: Tolerance,
    /// Span of the buffer's name in the launch file; empty if the expectation is not from a launch file.
    pub span: Range<usize>,
}

/// The expected elements of a buffer.
#[derive(Clone, Debug, PartialEq)]
pub enum Wanted {
    /// A NumPy file with an array of the buffer's type and shape.
    Npy(String),
    /// Every element has this value.
    Value(Number),
}

/// The expected content of a buffer, ready to be compared.
#[derive(Clone, Debug, PartialEq)]
pub struct Expected {
    /// Index of the buffer.
    pub buffer: usize,
    pub wanted: Buffer,
    pub tolerance: Tolerance,
}

impl Allocation {
    /// Creates the buffer, whose size may be up to `most` bytes. `seed` is the seed of the run, and addresses have `pointer` bytes; they are
    /// unknown until all buffers have one.
    ///
    /// # Errors
    /// A file that cannot be read or has other content, or too many bytes.
    pub fn load(&self, seed: u64, (most, pointer): (u64, u64), read: &mut ReadFile) -> Result<Buffer, Diagnostic> {
        let buffer = match &self.contents {
            Contents::Filled { element, shape, fill } => {
                fits(&self.name, bytes_of(*element, shape)?, most)?;
                Buffer::filled(&self.name, *element, shape, fill, seed_of(seed, &self.name))?
            }
            Contents::Npy { file, element } => {
                let buffer = npy::read(&self.name, bytes(file, read)?, *element);
                buffer.map_err(|error| of_file(file, error))?
            }
            Contents::Raw { file, element, shape } => {
                let buffer = Buffer::raw(&self.name, *element, shape.as_deref(), bytes(file, read)?);
                buffer.map_err(|error| of_file(file, error))?
            }
            Contents::Fields { fields, element, shape } => {
                let bytes: Image = fields.contents(Addresses::Later(pointer as usize))?.into_iter().collect();
                let addresses = if pointer == 4 { Element::U32 } else { Element::U64 };
                let default = if fields.has_only_addresses() { addresses } else { Element::U8 };
                Buffer::structure(&self.name, element.unwrap_or(default), shape.as_deref(), bytes)?
            }
        };
        fits(&self.name, buffer.bytes.len(), most)?;
        Ok(buffer)
    }
}

/// Creates all buffers, in order.
///
/// # Errors
/// Those of [`Allocation::load`], each at the buffer's name; two buffers of one name.
pub fn load(allocations: &[Allocation], seed: u64, pointer: u64, read: &mut ReadFile) -> Result<Vec<Buffer>, Vec<Diagnostic>> {
    let (mut buffers, mut errors, mut remaining_bytes): (Vec<Buffer>, Vec<Diagnostic>, u64) = (vec![], vec![], MOST_BYTES);
    for allocation in allocations {
        let twice = buffers.iter().any(|buffer| buffer.name == allocation.name);
        let loaded = match twice {
            true => Err(complaint(
                format!("two buffers are called `{}`", allocation.name),
                "the second buffer of this name; expected another name",
            )),
            false => allocation.load(seed, (remaining_bytes, pointer), read),
        };
        match loaded {
            Ok(buffer) => {
                remaining_bytes -= buffer.bytes.len() as u64;
                buffers.push(buffer);
            }
            Err(error) => errors.push(Diagnostic { span: allocation.span.clone(), ..error }),
        }
    }
    if errors.is_empty() {
        Ok(buffers)
    } else {
        Err(errors)
    }
}

/// Reads the expected content of the buffers, before anything runs.
///
/// # Errors
/// An unknown buffer, a file that cannot be read, an array of another type or shape, a value out of the type's range.
pub fn expected(
    expectations: &[Expectation],
    buffers: &[Buffer],
    read: &mut ReadFile,
) -> Result<Vec<Expected>, Vec<Diagnostic>> {
    let (mut loaded, mut errors) = (vec![], vec![]);
    for expectation in expectations {
        match expectation.load(buffers, read) {
            Ok(expected) => loaded.push(expected),
            Err(error) => errors.push(Diagnostic { span: expectation.span.clone(), ..error }),
        }
    }
    if errors.is_empty() {
        Ok(loaded)
    } else {
        Err(errors)
    }
}

impl Expectation {
    fn load(&self, buffers: &[Buffer], read: &mut ReadFile) -> Result<Expected, Diagnostic> {
        let found = buffers.iter().position(|buffer| buffer.name == self.buffer);
        let at = found.ok_or_else(|| no_buffer(&self.buffer, buffers.iter().map(|buffer| buffer.name.as_str())))?;
        let buffer = &buffers[at];
        let wanted = match &self.wanted {
            Wanted::Value(number) => Buffer::filled(&self.buffer, buffer.element, &buffer.shape, &Fill::Value(*number), 0)?,
            Wanted::Npy(file) => {
                // NumPy has no `bf16`, so only the type of the buffer determines how the file is read.
                let element = (buffer.element == Element::Bf16).then_some(Element::Bf16);
                let wanted = npy::read(&self.buffer, bytes(file, read)?, element).map_err(|error| of_file(file, error))?;
                if (wanted.element, &wanted.shape) != (buffer.element, &buffer.shape) {
                    let message = format!("`{}` is {}, and {file} has {}", self.buffer, buffer.kind(), wanted.kind());
                    return Err(complaint(message, "expected an array of the same type and shape"));
                }
                wanted
            }
        };
        Ok(Expected { buffer: at, wanted, tolerance: self.tolerance })
    }
}

pub(super) fn bytes(file: &str, read: &mut ReadFile) -> Result<Vec<u8>, Diagnostic> {
    read(file).map_err(|message| complaint(message, "required here"))
}

pub(super) fn of_file(file: &str, mut error: Diagnostic) -> Diagnostic {
    error.message = format!("{file}: {}", error.message);
    error
}

fn fits(name: &str, bytes: usize, most: u64) -> Result<(), Diagnostic> {
    if bytes as u64 <= most {
        return Ok(());
    }
    let message = format!("with `{name}` all buffers together have more than {} MiB", MOST_BYTES >> 20);
    Err(complaint(message, "too large"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(name: &str, element: Element, shape: &[usize]) -> Allocation {
        let contents = Contents::Filled { element, shape: shape.to_vec(), fill: Fill::Random { seed: None, range: None } };
        Allocation { name: name.to_string(), contents, span: 3..4 }
    }

    fn no_file(name: &str) -> Result<Vec<u8>, String> {
        Err(format!("cannot read {name}: it is not there"))
    }

    #[test]
    fn buffers_are_made_from_rules_and_files() {
        let array = Buffer::filled("a", Element::Bf16, &[2, 2], &Fill::Iota, 1).unwrap();
        let file = npy::file(&array);
        let of = |name: &str, contents| Allocation { name: name.to_string(), contents, span: 0..0 };
        let list = [
            filled("x", Element::U32, &[4]),
            filled("y", Element::U32, &[4]),
            of("a", Contents::Npy { file: "a.npy".to_string(), element: Some(Element::Bf16) }),
            of("r", Contents::Raw { file: "r.bin".to_string(), element: Element::U8, shape: None }),
        ];
        let mut read = |name: &str| Ok(if name == "a.npy" { file.clone() } else { vec![1, 2, 3] });
        let buffers = load(&list, 1, 8, &mut read).unwrap();
        assert_ne!(buffers[0].bytes, buffers[1].bytes);
        assert_eq!((&buffers[2], buffers[3].bytes.to_vec()), (&array, vec![1, 2, 3]));
        assert_ne!(load(&list, 2, 8, &mut read).unwrap()[0], buffers[0]);
    }

    #[test]
    fn what_cannot_be_made_is_told_at_its_name() {
        let npy = Contents::Npy { file: "a.npy".to_string(), element: None };
        let list = [
            filled("x", Element::U8, &[1]),
            filled("x", Element::U8, &[1]),
            Allocation { name: "a".to_string(), contents: npy, span: 7..8 },
        ];
        let errors = load(&list, 1, 8, &mut no_file).unwrap_err();
        assert_eq!(errors[0].message, "two buffers are called `x`");
        assert_eq!((errors[1].message.as_str(), errors[1].span.clone()), ("cannot read a.npy: it is not there", 7..8));
        let errors = load(&list[2..], 1, 8, &mut |_| Ok(vec![0])).unwrap_err();
        assert_eq!(errors[0].message, "a.npy: this is not a .npy file");
    }

    #[test]
    fn all_buffers_together_have_a_limit() {
        let small = filled("s", Element::U8, &[16]);
        assert!(small.load(1, (15, 8), &mut no_file).unwrap_err().message.contains("more than 1024 MiB"));
        let raw = Contents::Raw { file: "r".to_string(), element: Element::U8, shape: None };
        let raw = Allocation { name: "r".to_string(), contents: raw, span: 0..0 };
        assert!(raw.load(1, (2, 8), &mut |_| Ok(vec![0; 3])).is_err() && raw.load(1, (3, 8), &mut |_| Ok(vec![0; 3])).is_ok());
    }

    #[test]
    fn expectations_have_the_type_and_shape_of_their_buffer() {
        let buffers = [Buffer::filled("y", Element::Bf16, &[2], &Fill::Iota, 1).unwrap()];
        let file = npy::file(&buffers[0]);
        let of = |buffer: &str, wanted| Expectation {
            buffer: buffer.to_string(),
            wanted,
            tolerance: Tolerance::default(),
            span: 5..6,
        };
        let one = |buffer: &str, wanted| expected(&[of(buffer, wanted)], &buffers, &mut |_| Ok(file.clone()));
        assert_eq!(one("y", Wanted::Npy("y.npy".to_string())).unwrap()[0].wanted, buffers[0]);
        let threes = one("y", Wanted::Value(Number::Integer(3))).unwrap();
        assert_eq!(threes[0].wanted.bytes.to_vec(), [0x40, 0x40, 0x40, 0x40]);
        assert!(one("z", Wanted::Value(Number::Integer(3))).unwrap_err()[0].help.as_deref() == Some("did you mean `y`?"));
        assert_eq!(one("y", Wanted::Value(Number::Float(1e300))).unwrap_err()[0].span, 5..6);
        let other = [Buffer { shape: vec![1, 2], ..buffers[0].clone() }];
        let wrong = expected(&[of("y", Wanted::Npy("y.npy".to_string()))], &other, &mut |_| Ok(file.clone())).unwrap_err();
        assert_eq!(wrong[0].message, "`y` is bf16 [1, 2], and y.npy has bf16 [2]");
    }
}
