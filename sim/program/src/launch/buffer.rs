// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A buffer: an array of one element type in global memory.

use super::complaint::complaint;
use super::element::Element;
use super::fill::Fill;
use crate::{Image, PAGE};
use bcu_isa::diag::Diagnostic;

/// Maximum number of bytes of all buffers together: 1 GiB.
pub const MOST_BYTES: u64 = 1 << 30;

/// Buffers start at a multiple of this number of bytes, as those of `cudaMalloc` do.
pub const ALIGNMENT: u64 = 256;

/// Maximum number of dimensions of a buffer, the same as in NumPy.
pub const MOST_DIMENSIONS: usize = 32;

/// An array in global memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Buffer {
    pub name: String,
    pub element: Element,
    /// Elements along each dimension, at least one dimension; row-major, so that the last dimension varies fastest.
    pub shape: Vec<usize>,
    /// Little endian, as many bytes as the shape has.
    pub bytes: Image,
}

/// Bytes of an array.
///
/// # Errors
/// No dimension or too many, a dimension of 0, more than [`MOST_BYTES`].
pub fn bytes_of(element: Element, shape: &[usize]) -> Result<usize, Diagnostic> {
    if shape.is_empty() || shape.len() > MOST_DIMENSIONS {
        let message = format!("a shape of {} dimensions", shape.len());
        return Err(complaint(message, format!("expected 1 to {MOST_DIMENSIONS} dimensions, such as `[1024]` or `[16, 16]`")));
    }
    if shape.contains(&0) {
        return Err(complaint(format!("the shape {shape:?} is without elements"), "expected sizes above 0"));
    }
    let bytes = shape.iter().try_fold(element.size(), |bytes, size| bytes.checked_mul(*size));
    let too_many = || {
        let message = format!("{} elements of {} are more than {} MiB", product(shape), element.name(), MOST_BYTES >> 20);
        complaint(message, "too large").help(format!("all buffers together have at most {} MiB", MOST_BYTES >> 20))
    };
    bytes.filter(|bytes| *bytes as u64 <= MOST_BYTES).ok_or_else(too_many)
}

/// The shape as text for messages, such as `16 x 16`.
fn product(shape: &[usize]) -> String {
    shape.iter().map(usize::to_string).collect::<Vec<_>>().join(" x ")
}

impl Buffer {
    /// A buffer filled by a rule. `seed` is the seed of a random fill whose rule has no seed.
    ///
    /// # Errors
    /// Those of [`bytes_of`] and of [`Fill::image`].
    pub fn filled(name: &str, element: Element, shape: &[usize], fill: &Fill, seed: u64) -> Result<Buffer, Diagnostic> {
        let size = bytes_of(element, shape)?;
        let bytes = fill.image(element, size / element.size(), seed)?;
        Ok(Buffer { name: name.to_string(), element, shape: shape.to_vec(), bytes })
    }

    /// A buffer with the bytes of a file; without a shape it has one dimension.
    ///
    /// # Errors
    /// Those of [`bytes_of`]; bytes that are not whole elements, or not as many as the shape requires.
    pub fn raw(name: &str, element: Element, shape: Option<&[usize]>, bytes: Vec<u8>) -> Result<Buffer, Diagnostic> {
        Buffer::structure(name, element, shape, bytes.into())
    }

    /// As [`Buffer::raw`], with bytes that may be unknown.
    pub(super) fn structure(name: &str, element: Element, shape: Option<&[usize]>, bytes: Image) -> Result<Buffer, Diagnostic> {
        let whole = [bytes.len() / element.size()];
        let shape = shape.unwrap_or(&whole);
        if bytes.is_empty() || !bytes.len().is_multiple_of(element.size()) {
            let message = format!("{} bytes are not an array of {}", bytes.len(), element.name());
            return Err(complaint(message, format!("expected a multiple of {} bytes", element.size())));
        }
        let expected = bytes_of(element, shape)?;
        if expected != bytes.len() {
            let message =
                format!("{} bytes, but {} elements of {} have {expected}", bytes.len(), product(shape), element.name());
            return Err(complaint(message, "the size does not match"));
        }
        Ok(Buffer { name: name.to_string(), element, shape: shape.to_vec(), bytes })
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.bytes.len() / self.element.size()
    }

    /// Whether the buffer has no elements; a buffer that is created here always has some.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// The bytes of an element, if it exists and all its bytes are known.
    pub fn get(&self, index: usize) -> Option<&[u8]> {
        let size = self.element.size();
        let at = index.checked_mul(size).filter(|at| *at < self.bytes.len())?;
        self.bytes.page(at / PAGE).known(at % PAGE, size)
    }

    /// Number of elements with an unknown byte.
    pub fn unknown_elements(&self) -> usize {
        self.known_elements().map(|known| known.iter().filter(|known| !**known).count()).sum()
    }

    /// For each element of each page, whether all its bytes are known.
    pub(super) fn known_elements(&self) -> impl Iterator<Item = Vec<bool>> + '_ {
        let size = self.element.size();
        self.bytes.pages().map(move |(page, used)| match page.unknown_mask().map_or(0, |unknown| unknown.count(0, used)) {
            0 => vec![true; used / size],
            all if all == used as u64 => vec![false; used / size],
            _ => (0..used).step_by(size).map(|at| page.is_known(at, size)).collect(),
        })
    }

    /// The index, along each dimension, of the element number `place` in memory order.
    pub fn index(&self, mut place: usize) -> Vec<usize> {
        let mut index: Vec<usize> = self
            .shape
            .iter()
            .rev()
            .map(|size| {
                let along = place % (*size).max(1);
                place /= (*size).max(1);
                along
            })
            .collect();
        index.reverse();
        index
    }

    /// Type and shape, for messages: `f32 [16, 16]`.
    pub fn kind(&self) -> String {
        format!("{} {:?}", self.element.name(), self.shape)
    }
}

#[cfg(test)]
mod tests {
    use super::super::element::Number;
    use super::*;

    #[test]
    fn a_buffer_knows_its_elements() {
        let buffer = Buffer::filled("x", Element::U16, &[2, 3], &Fill::Iota, 1).unwrap();
        assert_eq!((buffer.len(), buffer.bytes.len(), buffer.unknown_elements(), buffer.is_empty()), (6, 12, 0, false));
        assert_eq!((buffer.get(4), buffer.get(6)), (Some(&[4, 0][..]), None));
        assert_eq!((buffer.index(0), buffer.index(4), buffer.kind()), (vec![0, 0], vec![1, 1], "u16 [2, 3]".to_string()));
        assert_eq!(buffer.get(usize::MAX), None);
    }

    #[test]
    fn an_unknown_byte_makes_its_element_unknown() {
        let mut buffer = Buffer::filled("x", Element::U16, &[4], &Fill::Unknown, 1).unwrap();
        assert_eq!((buffer.unknown_elements(), buffer.get(0)), (4, None));
        buffer.bytes = (0..8).map(|at| (at != 2).then_some(at)).collect();
        assert_eq!((buffer.unknown_elements(), buffer.get(0), buffer.get(1)), (1, Some(&[0, 1][..]), None));
    }

    #[test]
    fn raw_bytes_are_whole_elements() {
        let raw = |shape: Option<&[usize]>, bytes: usize| Buffer::raw("r", Element::F32, shape, vec![1; bytes]);
        assert_eq!(raw(None, 12).unwrap().shape, [3]);
        assert_eq!(raw(Some(&[3, 1]), 12).unwrap().shape, [3, 1]);
        assert!(raw(None, 0).is_err() && raw(None, 13).is_err());
        assert!(raw(Some(&[4]), 12).unwrap_err().message.contains("12 bytes, but 4 elements of f32 have 16"));
    }

    #[test]
    fn sizes_have_their_limits() {
        let size =
            |shape: &[usize]| Buffer::filled("x", Element::F64, shape, &Fill::Value(Number::Integer(0)), 1).map(|b| b.len());
        assert!([&[][..], &[0], &[4, 0], &[1; 33]].iter().all(|shape| size(shape).is_err()));
        for shape in [&[1 << 27, 2][..], &[usize::MAX, usize::MAX], &[usize::MAX]] {
            assert!(size(shape).unwrap_err().message.contains("more than 1024 MiB"));
        }
        assert_eq!(bytes_of(Element::F64, &[1 << 27]), Ok(1 << 30));
        assert_eq!(size(&[1; 32]), Ok(1));
    }
}
