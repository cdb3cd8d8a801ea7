// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Compares the content of a buffer after a run with its expected content.

use super::buffer::Buffer;
use super::element::Number;
use crate::PAGE;
use std::fmt;

/// Maximum number of differing elements that a mismatch keeps and prints.
pub const MOST_SHOWN: usize = 5;

/// Tolerance of a comparison: `|got - want| <= absolute + relative * |want|`. With both 0, every bit must match.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tolerance {
    pub relative: f64,
    pub absolute: f64,
}

/// An element that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Index of the element along each dimension.
    pub index: Vec<usize>,
    /// The actual value; `None` if a byte of it is unknown.
    pub actual: Option<String>,
    pub wanted: String,
}

/// How a buffer differs from its expected content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mismatch {
    /// Type or shape differ; both are given as text for messages.
    Kind { buffer: String, actual: String, wanted: String },
    /// Some elements differ.
    Values {
        buffer: String,
        /// Number of differing elements, including unknown ones.
        differ: usize,
        /// Number of unknown elements among the differing elements.
        unknown: usize,
        /// Number of elements of the buffer.
        elements: usize,
        /// The first differing elements, at most [`MOST_SHOWN`].
        first: Vec<Difference>,
    },
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Mismatch::Kind { buffer, actual, wanted } => write!(f, "`{buffer}` is {actual}, and {wanted} is expected"),
            Mismatch::Values { buffer, differ, unknown, elements, first } => {
                let verb = if *differ == 1 { "differs" } else { "differ" };
                write!(f, "`{buffer}`: {differ} of {elements} elements {verb} from what is expected")?;
                if *unknown > 0 {
                    write!(f, ", {unknown} of them unknown")?;
                }
                for Difference { index, actual, wanted } in first {
                    write!(f, "\n  {buffer}{index:?}: got {}, expected {wanted}", actual.as_deref().unwrap_or("unknown"))?;
                }
                match differ.saturating_sub(first.len()) {
                    0 => Ok(()),
                    more => write!(f, "\n  and {more} more"),
                }
            }
        }
    }
}

/// Compares type, shape and elements of two buffers. An unknown element of `expected` matches any value, and a NaN matches every NaN.
///
/// # Errors
/// The differences.
pub fn compare(expected: &Buffer, actual: &Buffer, tolerance: Tolerance) -> Result<(), Mismatch> {
    let buffer = actual.name.clone();
    if (expected.element, &expected.shape) != (actual.element, &actual.shape) {
        return Err(Mismatch::Kind { buffer, actual: actual.kind(), wanted: expected.kind() });
    }
    let (mut differ, mut unknown, mut first) = (0, 0, vec![]);
    let size = expected.element.size();
    for (number, ((wanted_page, used), (page, _))) in expected.bytes.pages().zip(actual.bytes.pages()).enumerate() {
        // An unknown byte is 0, so a page of known bytes that are all equal has no difference.
        if page.is_known(0, used) && page.data() == wanted_page.data() {
            continue;
        }
        for at in (0..used).step_by(size) {
            let Some(wanted) = wanted_page.known(at, size) else { continue };
            let found = page.known(at, size);
            let value = |bytes: &[u8]| expected.element.decode(bytes);
            if found.is_some_and(|bytes| bytes == wanted || close(value(bytes), value(wanted), tolerance)) {
                continue;
            }
            differ += 1;
            unknown += usize::from(found.is_none());
            if first.len() < MOST_SHOWN {
                let print = |bytes: &[u8]| expected.element.print(bytes);
                let index = expected.index((number * PAGE + at) / size);
                first.push(Difference { index, actual: found.map(print), wanted: print(wanted) });
            }
        }
    }
    match differ {
        0 => Ok(()),
        _ => Err(Mismatch::Values { buffer, differ, unknown, elements: expected.len(), first }),
    }
}

/// Whether two values with different bits are within the tolerance.
fn close(actual: Number, wanted: Number, tolerance: Tolerance) -> bool {
    let exact = tolerance == Tolerance::default();
    match (actual, wanted) {
        (Number::Float(actual), Number::Float(wanted)) if actual.is_nan() && wanted.is_nan() => true,
        (Number::Float(actual), Number::Float(wanted)) if !exact => {
            // Equality is tested first, because the difference of equal infinities is a NaN.
            actual == wanted || (wanted.is_finite() && within((actual - wanted).abs(), wanted, tolerance))
        }
        (Number::Integer(actual), Number::Integer(wanted)) if !exact => {
            within((actual - wanted).unsigned_abs() as f64, wanted as f64, tolerance)
        }
        _ => false,
    }
}

fn within(off: f64, wanted: f64, tolerance: Tolerance) -> bool {
    off <= tolerance.absolute + tolerance.relative * wanted.abs()
}

#[cfg(test)]
mod tests {
    use super::super::element::Element;
    use super::super::fill::Fill;
    use super::*;
    use crate::Image;

    fn buffer_of(element: Element, values: &[&str]) -> Buffer {
        let bytes = values.iter().flat_map(|value| element.parse(value).unwrap()).map(Some).collect();
        Buffer { name: "y".to_string(), element, shape: vec![values.len()], bytes }
    }

    fn equal(element: Element, expected: &str, actual: &str, relative: f64, absolute: f64) -> bool {
        compare(&buffer_of(element, &[expected]), &buffer_of(element, &[actual]), Tolerance { relative, absolute }).is_ok()
    }

    #[test]
    fn without_a_tolerance_every_bit_counts() {
        assert!(equal(Element::F32, "0.1", "0.1", 0.0, 0.0));
        assert!(!equal(Element::F32, "0.1", "0.10000001", 0.0, 0.0));
        assert!(!equal(Element::F32, "0.0", "-0.0", 0.0, 0.0));
        assert!(equal(Element::F32, "nan", "-nan", 0.0, 0.0));
        assert!(!equal(Element::F32, "nan", "1", 1.0, 1.0));
        assert!(!equal(Element::U64, "18446744073709551615", "18446744073709551614", 0.0, 0.0));
    }

    #[test]
    fn a_tolerance_is_relative_and_absolute() {
        assert!(equal(Element::F32, "100", "100.5", 0.01, 0.0) && !equal(Element::F32, "100", "101.5", 0.01, 0.0));
        assert!(equal(Element::F64, "0", "-0.5", 0.0, 0.5) && !equal(Element::F64, "0", "0.6", 0.0, 0.5));
        assert!(equal(Element::F16, "-0.0", "0", 0.1, 0.0));
        assert!(equal(Element::F32, "inf", "inf", 0.1, 0.1) && !equal(Element::F32, "inf", "-inf", 0.1, 0.1));
        assert!(!equal(Element::F32, "inf", "1", 0.1, 0.1) && !equal(Element::F32, "1", "inf", 0.1, 0.1));
        assert!(!equal(Element::F32, "1", "nan", 9.0, 9.0));
        assert!(equal(Element::I8, "-128", "127", 0.0, 255.0) && !equal(Element::I8, "-128", "127", 0.0, 254.0));
        assert!(equal(Element::U8, "100", "110", 0.1, 0.0) && !equal(Element::U8, "100", "111", 0.1, 0.0));
    }

    #[test]
    fn differences_in_later_pages_have_their_index() {
        let zeros = Buffer::filled("w", Element::U64, &[3, 600], &Fill::Value(Number::Integer(0)), 1).unwrap();
        let mut actual = zeros.clone();
        actual.bytes.set(8 * 1799, Some(1));
        actual.bytes.set(8 * 601 + 7, None);
        let text = compare(&zeros, &actual, Tolerance::default()).unwrap_err().to_string();
        let lines: Vec<&str> = text.lines().skip(1).collect();
        assert_eq!(
            lines,
            ["  y[1, 1]: got unknown, expected 0", "  y[2, 599]: got 1, expected 0"].map(|line| line.replace('y', "w"))
        );
    }

    #[test]
    fn a_mismatch_says_where_and_what() {
        let mut expected = Buffer::filled("w", Element::I32, &[2, 4], &Fill::Iota, 1).unwrap();
        let mut actual = Buffer::filled("y", Element::I32, &[2, 4], &Fill::Value(Number::Integer(1)), 1).unwrap();
        actual.bytes.set(22, None);
        let text = compare(&expected, &actual, Tolerance::default()).unwrap_err().to_string();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "`y`: 7 of 8 elements differ from what is expected, 1 of them unknown");
        assert_eq!(lines[1], "  y[0, 0]: got 1, expected 0");
        assert_eq!(lines[5], "  y[1, 1]: got unknown, expected 5");
        assert_eq!((lines[6], lines.len()), ("  and 2 more", 7));
        // An unknown expected element is not compared.
        expected.bytes = Image::unknown(32);
        assert_eq!(compare(&expected, &actual, Tolerance::default()), Ok(()));
        let other = Buffer { shape: vec![8], ..actual };
        let text = compare(&expected, &other, Tolerance::default()).unwrap_err().to_string();
        assert_eq!(text, "`y` is i32 [8], and i32 [2, 4] is expected");
    }
}
