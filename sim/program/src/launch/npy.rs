// SPDX-License-Identifier: Apache-2.0 OR MIT
//! NumPy's file format `.npy`, restricted to what a buffer can hold: the header is a Python dictionary, the data follow in memory order.

mod header;

use super::buffer::{bytes_of, Buffer};
use super::complaint::complaint;
use super::element::Element;
use crate::Image;
use bcu_isa::diag::Diagnostic;
use header::Header;
use std::io::{self, Write};

const MAGIC: &[u8] = b"\x93NUMPY";

/// Longest header that is read; the header of an array of 32 dimensions has less than 1000 bytes.
const LONGEST_HEADER: usize = 1 << 16;

/// The data of a `.npy` file start at a multiple of this number of bytes.
const DATA_ALIGNMENT: usize = 64;

/// Whether the bytes start with the magic of a `.npy` file.
pub fn is_npy(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// Reads a file. The file must have the type `given`, if there is one; `bf16`, which NumPy lacks, is read from `u2`.
///
/// # Errors
/// A file that is not `.npy`, or that a buffer cannot hold: other types, big-endian or Fortran order, a size different from the header.
pub fn read(name: &str, bytes: Vec<u8>, given: Option<Element>) -> Result<Buffer, Diagnostic> {
    let (header, start) = split(&bytes)?;
    let (written, shape) = array(header)?;
    let stored = |element| if element == Element::Bf16 { Element::U16 } else { element };
    let element = match given {
        Some(given) if stored(given) != written => {
            let message = format!("the file has elements of {}, not {}", written.name(), given.name());
            return Err(complaint(message, "another type").help("leave `type` out, or save the array with this type"));
        }
        given => given.unwrap_or(written),
    };
    let size = bytes_of(element, &shape)?;
    let data = Image::of_file(bytes, start);
    if data.len() != size {
        let message =
            format!("the header describes {} {shape:?}, {size} bytes, and {} bytes follow", written.name(), data.len());
        let label = if data.len() > size { "more than the header describes" } else { "the file is cut off or damaged" };
        return Err(complaint(message, label));
    }
    Ok(Buffer { name: name.to_string(), element, shape, bytes: data })
}

/// Writes the file of a buffer; unknown bytes are written as 0, `bf16` as `u2`.
///
/// # Errors
/// Those of `to`, and more dimensions than a header can have; no buffer has as many.
pub fn write(buffer: &Buffer, to: &mut dyn Write) -> io::Result<()> {
    to.write_all(&header(descr(buffer.element), &buffer.shape)?)?;
    buffer.bytes.write(to)
}

/// Writes the file with the mask of a buffer: for each element whether it is known, as `bool`.
///
/// # Errors
/// As for [`write`].
pub fn write_mask(buffer: &Buffer, to: &mut dyn Write) -> io::Result<()> {
    to.write_all(&header("|b1", &buffer.shape)?)?;
    let mask = |known: Vec<bool>| known.into_iter().map(u8::from).collect::<Vec<u8>>();
    buffer.known_elements().try_for_each(|known| to.write_all(&mask(known)))
}

/// The bytes before the data.
fn header(descr: &str, shape: &[usize]) -> io::Result<Vec<u8>> {
    let sizes = shape.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
    // A Python tuple of one element has a trailing comma.
    let comma = if shape.len() == 1 { "," } else { "" };
    let mut text = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({sizes}{comma}), }}");
    let unpadded = MAGIC.len() + 4 + text.len() + 1;
    text.extend(std::iter::repeat_n(' ', unpadded.next_multiple_of(DATA_ALIGNMENT) - unpadded));
    text.push('\n');
    let length = u16::try_from(text.len()).map_err(|_| {
        let message = format!("a shape of {} dimensions does not fit the 65535 bytes of a .npy header", shape.len());
        io::Error::new(io::ErrorKind::InvalidInput, message)
    })?;
    Ok([MAGIC, &[1, 0], &length.to_le_bytes(), text.as_bytes()].concat())
}

/// The file of a buffer.
#[cfg(test)]
pub(super) fn file(buffer: &Buffer) -> Vec<u8> {
    let mut file = vec![];
    write(buffer, &mut file).unwrap();
    file
}

/// NumPy's name of a type.
fn descr(element: Element) -> &'static str {
    match element {
        Element::U8 => "|u1",
        Element::I8 => "|i1",
        Element::U16 | Element::Bf16 => "<u2",
        Element::I16 => "<i2",
        Element::U32 => "<u4",
        Element::I32 => "<i4",
        Element::U64 => "<u8",
        Element::I64 => "<i8",
        Element::F16 => "<f2",
        Element::F32 => "<f4",
        Element::F64 => "<f8",
    }
}

/// The text of the header, and the position of the first data byte.
fn split(bytes: &[u8]) -> Result<(&str, usize), Diagnostic> {
    if !is_npy(bytes) {
        let help = "such a file is written by `numpy.save`; plain bytes are read with `raw`";
        return Err(complaint("this is not a .npy file", "expected a .npy file").help(help));
    }
    let cut = || complaint("the header is cut off", "the file is damaged");
    let version = bytes.get(MAGIC.len()..MAGIC.len() + 2).ok_or_else(cut)?;
    let header_start = MAGIC.len() + 2;
    let (start, length) = match version {
        [1, _] => (header_start + 2, bytes.get(header_start..header_start + 2)),
        [2 | 3, _] => (header_start + 4, bytes.get(header_start..header_start + 4)),
        _ => {
            let message = format!("a .npy file of version {}.{}", version[0], version[1]);
            return Err(complaint(message, "expected version 1, 2 or 3"));
        }
    };
    let length = length.ok_or_else(cut)?.iter().rev().fold(0usize, |length, byte| length << 8 | usize::from(*byte));
    if length > LONGEST_HEADER {
        return Err(complaint(format!("a header of {length} bytes"), "the file is damaged"));
    }
    let text = std::str::from_utf8(bytes.get(start..start + length).ok_or_else(cut)?);
    Ok((text.map_err(|_| complaint("the header is not text", "the file is damaged"))?, start + length))
}

/// Type and shape from a header.
fn array(header: &str) -> Result<(Element, Vec<usize>), Diagnostic> {
    if header.contains('[') {
        return Err(complaint("the file has a structured or a dated type", "expected plain numbers"));
    }
    let Some(Header { descr, fortran_order, shape }) = header::parse(header) else {
        return Err(complaint("the header has no type and shape", "the file is damaged"));
    };
    if shape.is_empty() {
        let help = "save an array with at least one dimension, such as `numpy.array([1.5])`";
        return Err(complaint("the file has a single number without a dimension", "expected an array").help(help));
    }
    if fortran_order && shape.len() > 1 {
        let help = "save `numpy.ascontiguousarray(x)`";
        return Err(complaint("the array is in Fortran order", "expected C order").help(help));
    }
    Ok((element(&descr)?, shape))
}

/// The type for NumPy's name.
fn element(written: &str) -> Result<Element, Diagnostic> {
    // Byte order is irrelevant for one byte.
    let name = if written.ends_with('1') { written.replace(['<', '>', '='], "|") } else { written.replace('=', "<") };
    if let Some((_, element)) = Element::ALL.iter().find(|(_, element)| descr(*element) == name) {
        return Ok(*element);
    }
    let little = name.replace('>', "<");
    if Element::ALL.iter().any(|(_, element)| descr(*element) == little) {
        let help = format!("save `x.astype('{little}')`");
        return Err(complaint(format!("the numbers `{written}` are big endian"), "expected little endian").help(help));
    }
    let help = "save the array with one of these types: u1 to u8, i1 to i8, f2, f4, f8";
    Err(complaint(format!("the file has elements of the type `{written}`"), "expected plain numbers").help(help))
}

#[cfg(test)]
mod tests;
