// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Tensor maps as arguments: a tensor in a buffer, and the box of it that one copy transfers, with the parameters of
//! `cuTensorMapEncodeTiled`.

use super::buffer::Buffer;
use super::complaint::complaint;
use super::element::Element;
use super::placed::{address_of, Placed};
use crate::swizzle::Swizzle;
use crate::tensor::{
    Dimension, InvalidMap, Outside, Pixels, TensorMap, MAX_BOX, MAX_ELEMENT_STRIDE, MAX_EXTENT, MAX_RANK, STRIDES, UNIT,
};
use bcu_isa::diag::Diagnostic;

/// A tensor map to create. Sizes are in the order of the dimensions, innermost first.
#[derive(Clone, Debug, PartialEq)]
pub struct Tensor {
    /// The name of the buffer.
    pub buffer: String,
    /// The byte offset of the tensor from the start of the buffer.
    pub offset: u64,
    /// Element type of the tensor; `None`: the element type of the buffer.
    pub element: Option<Element>,
    /// Elements along each of one to five dimensions; `None`: the shape of the buffer.
    pub extents: Option<Vec<u64>>,
    /// Bytes from one element to the next along each dimension except the innermost; `None`: contiguous.
    pub strides: Option<Vec<u64>>,
    /// The box, in elements.
    pub size: Vec<u64>,
    /// A number n for each dimension: only every n-th element of the box along it is copied. `None`: n is 1 for every dimension.
    pub element_strides: Option<Vec<u64>>,
    /// The exchange of chunks in shared memory.
    pub swizzle: Swizzle,
    /// The elements that a load gets outside of the tensor.
    pub outside: Outside,
    /// The pixels of an im2col map; the first size of the box is then the number of channels.
    pub pixels: Option<Pixels>,
}

/// The key, in the description of a tensor map, whose value has an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    Buffer,
    Extents,
    Strides,
    Box,
    ElementStrides,
}

/// The keys of the modes of a tensor map, with the modes of CUDA that are not supported.
const MODES: [(&str, &[&str]); 3] = [("interleave", &["16B", "32B"]), ("swizzle", &["128B_atom_32B_flip_8B"]), ("fill", &[])];

impl Tensor {
    /// A tensor that covers the buffer from `offset` on, with this box.
    pub(super) fn whole(buffer: String, offset: u64, size: Vec<u64>) -> Tensor {
        let (swizzle, outside) = (Swizzle::default(), Outside::default());
        let (element, extents, strides, element_strides, pixels) = (None, None, None, None, None);
        Tensor { buffer, offset, element, extents, strides, size, element_strides, swizzle, outside, pixels }
    }

    /// Makes the tensor one of im2col mode, with these corners, innermost dimension first.
    ///
    /// # Errors
    /// Corners of different numbers of dimensions.
    pub(super) fn set_pixels(&mut self, channels: u64, count: u64, lower: &[i64], upper: &[i64]) -> Result<(), Diagnostic> {
        if lower.len() != upper.len() {
            let message = format!("{} lower and {} upper corners", lower.len(), upper.len());
            return Err(complaint(message, "expected one of each for every dimension but the innermost and the outermost"));
        }
        self.size = std::iter::once(channels).chain(std::iter::repeat_n(1, lower.len().saturating_add(1))).collect();
        let corners = lower.iter().zip(upper).map(|(low, high)| [*low, *high]).collect();
        self.pixels = Some(Pixels { count, corners });
        Ok(())
    }

    /// Sets the mode `key` by its name.
    ///
    /// # Errors
    /// A mode that is unknown or not supported.
    pub(super) fn set_mode(&mut self, key: &str, mode: &str) -> Result<(), Diagnostic> {
        let known: Vec<&str> = match key {
            "swizzle" => Swizzle::ALL.iter().map(|(name, _)| *name).collect(),
            "fill" => Outside::ALL.iter().map(|(name, _)| *name).collect(),
            _ => vec!["none"],
        };
        let Some(at) = known.iter().position(|name| *name == mode) else {
            let label = format!("expected \"{}\"", known.join("\", \""));
            let refused = MODES.iter().any(|(of, modes)| *of == key && modes.contains(&mode));
            return Err(match refused {
                true => complaint(format!("tensor maps with {key} {mode} are not supported yet"), label)
                    .help(format!("a kernel that relies on {key} {mode} would access other elements")),
                false => complaint(format!("`{mode}` is not a known {key} of a tensor map"), label),
            });
        };
        match key {
            "swizzle" => self.swizzle = Swizzle::ALL[at].1,
            "fill" => self.outside = Outside::ALL[at].1,
            _ => {}
        }
        Ok(())
    }

    /// Checks everything that does not need the buffer.
    ///
    /// # Errors
    /// The first error.
    pub fn check(&self) -> Result<(), (Key, Diagnostic)> {
        let extents = self.extents.as_deref();
        let (key, rank) = extents.map_or((Key::Box, self.size.len()), |extents| (Key::Extents, extents.len()));
        let wrong = |key: Key, message: String, label: String| Err((key, complaint(message, label)));
        if rank == 0 || rank > MAX_RANK {
            let label = format!("expected the elements along each of 1 to {MAX_RANK} dimensions, the innermost first");
            return wrong(key, format!("a tensor of {rank} dimensions"), label);
        }
        let strides = self.strides.as_ref().map(|strides| (Key::Strides, "strides", strides.len(), rank - 1));
        let element_strides = self.element_strides.as_ref().map(|s| (Key::ElementStrides, "element strides", s.len(), rank));
        let counts = [Some((Key::Box, "sizes of the box", self.size.len(), rank)), strides, element_strides];
        let mismatch = counts.into_iter().flatten().find(|(_, _, count, expected)| count != expected);
        if let Some((key, what, count, expected)) = mismatch {
            let label = match key {
                Key::Strides => format!("expected {expected}, one for each dimension but the innermost"),
                _ => format!("expected {expected}, one for each dimension"),
            };
            return wrong(key, format!("{count} {what} of a tensor of {rank} dimensions"), label);
        }
        let within = |key: Key, what: &str, list: &[u64], most: u64| match list.iter().find(|one| !(1..=most).contains(*one)) {
            Some(one) => wrong(key, format!("{what} of {one}"), format!("expected 1 to {most}")),
            None => Ok(()),
        };
        within(Key::Extents, "an extent", extents.unwrap_or(&[]), MAX_EXTENT)?;
        within(Key::Box, "a size of the box", &self.size, MAX_BOX)?;
        within(Key::ElementStrides, "an element stride", self.element_strides.as_deref().unwrap_or(&[]), MAX_ELEMENT_STRIDE)?;
        for stride in self.strides.iter().flatten() {
            stride_fits(*stride).map_err(|error| (Key::Strides, error))?;
        }
        if !self.offset.is_multiple_of(UNIT) {
            let message = format!("a tensor that starts {} bytes after the start of `{}`", self.offset, self.buffer);
            return wrong(Key::Buffer, message, format!("expected a multiple of {UNIT}"));
        }
        Ok(())
    }

    /// Creates the map, after buffers have addresses.
    ///
    /// # Errors
    /// Those of [`Tensor::check`]; an unknown buffer, and values that do not fit its type.
    pub fn map(&self, buffers: &[Buffer], placed: &[Placed]) -> Result<TensorMap, Diagnostic> {
        self.check().map_err(|(_, error)| error)?;
        let address = address_of(&self.buffer, self.offset, placed)?;
        let buffer = buffers.iter().find(|buffer| buffer.name == self.buffer);
        let element = self.element.or(buffer.map(|buffer| buffer.element)).unwrap_or(Element::U8);
        let shape = || buffer.map_or(vec![], |buffer| buffer.shape.iter().rev().map(|size| *size as u64).collect());
        let extents: Vec<u64> = self.extents.clone().unwrap_or_else(shape);
        if extents.len() != self.size.len() {
            let message = format!("a box of {} dimensions, but `{}` has {}", self.size.len(), self.buffer, extents.len());
            return Err(complaint(message, "expected one size for each dimension, or `extents`"));
        }
        let size = element.size() as u64;
        let (inner, name) = (self.size.first().copied().unwrap_or(0), element.name());
        if !(inner * size).is_multiple_of(UNIT) {
            let message = format!("a box of {inner} elements of {name}, {} bytes, along the innermost dimension", inner * size);
            return Err(complaint(message, format!("expected a multiple of {UNIT} bytes, {} elements", UNIT / size)));
        }
        let mut dimensions: Vec<Dimension> = vec![];
        for (i, (extent, size_of_box)) in extents.iter().zip(&self.size).enumerate() {
            let dense = dimensions.last().map_or(size, |last| last.stride.saturating_mul(last.extent));
            let given = self.strides.as_ref().filter(|_| i > 0).and_then(|strides| strides.get(i - 1)).copied();
            if i > 0 && given.is_none() {
                let help = "give `strides` in bytes with a gap after each row, and a buffer with these gaps";
                stride_fits(dense).map_err(|error| error.help(help))?;
            }
            let element_stride = self.element_strides.as_ref().and_then(|strides| strides.get(i)).copied().unwrap_or(1);
            dimensions.push(Dimension { extent: *extent, stride: given.unwrap_or(dense), size: *size_of_box, element_stride });
        }
        let map = TensorMap {
            element,
            address,
            dimensions,
            swizzle: self.swizzle,
            outside: self.outside,
            pixels: self.pixels.clone(),
        };
        map.check().map_err(|InvalidMap { what, expected }| {
            complaint(format!("the tensor map: {what}"), format!("expected {expected}"))
        })?;
        Ok(map)
    }
}

/// The box and the modes at the start of a text such as `[16,8]:f32:[32,64]:iota` or `[64,8]:swizzle=128B:@x`, as a tensor without a
/// buffer, and the text after them.
///
/// # Errors
/// Any other form.
pub(super) fn box_of(text: &str) -> Result<(Tensor, &str), Diagnostic> {
    let wrong = || {
        let label =
            "expected the box, the innermost dimension first, modes, and a buffer: `tensor:[16,8]:f32:[32,64]` or `tensor:[64,64]:swizzle=128B:@x`";
        complaint(format!("`{text}` is not a tensor map"), label)
    };
    let (sizes, mut rest) = text.strip_prefix('[').and_then(|text| text.split_once("]:")).ok_or_else(wrong)?;
    let sizes = sizes.split(',').map(|one| one.trim().parse().map_err(|_| wrong())).collect::<Result<Vec<u64>, _>>()?;
    let mut tensor = Tensor::whole(String::new(), 0, sizes);
    while let Some((mode, after)) = rest.split_once(':') {
        let Some((key, mode)) = mode.split_once('=').filter(|(key, _)| MODES.iter().any(|(known, _)| known == key)) else {
            break;
        };
        tensor.set_mode(key, mode)?;
        rest = after;
    }
    // The text after the box describes a buffer, which has no box.
    if rest.starts_with("tensor:") {
        return Err(wrong());
    }
    Ok((tensor, rest))
}

fn stride_fits(stride: u64) -> Result<(), Diagnostic> {
    if stride < STRIDES && stride.is_multiple_of(UNIT) {
        return Ok(());
    }
    Err(complaint(format!("a stride of {stride} bytes"), format!("expected a multiple of {UNIT} below {STRIDES}")))
}

#[cfg(test)]
mod tests;
