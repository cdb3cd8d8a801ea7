// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The initial content of a buffer that is not read from a file.

use super::complaint::complaint;
use super::element::{Element, Number};
use crate::{Image, PAGE};
use bcu_isa::diag::Diagnostic;

/// Maximum number of attempts to draw a random float. An attempt is repeated when rounding yields the excluded upper end of the range.
const DRAWS: usize = 64;

/// The rule for the initial content of a buffer.
#[derive(Clone, Debug, PartialEq)]
pub enum Fill {
    /// No rule is given: 0 in a buffer, the declared initial value in a variable of the program.
    Default,
    /// All elements have this value.
    Value(Number),
    /// 0, 1, 2 and so on in memory order; integers wrap, floats are rounded.
    Iota,
    /// Random values from `seed`, or from the seed of the run and the buffer's name. Without a range, integers cover their whole type and
    /// floats [0, 1). A range includes its low end and excludes its high end.
    Random { seed: Option<u64>, range: Option<(Number, Number)> },
    /// Unwritten memory.
    Unknown,
}

/// A seed for the buffer of this name, so that two buffers of one run differ: FNV-1a over the seed and the name.
pub fn seed_of(seed: u64, name: &str) -> u64 {
    let bytes = seed.to_le_bytes().into_iter().chain(name.bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

impl Fill {
    /// The bytes of `count` elements, little endian. `seed` is used if the rule has no seed.
    ///
    /// # Errors
    /// A number that does not fit the type, a range that contains no value.
    pub fn image(&self, element: Element, count: usize, seed: u64) -> Result<Image, Diagnostic> {
        let len = count.saturating_mul(element.size());
        match self {
            Fill::Value(number) => {
                let page = element.encode(*number)?.repeat(PAGE / element.size());
                Ok(Image::generated(len, move |_, bytes| bytes.copy_from_slice(&page[..bytes.len()])))
            }
            Fill::Default => Ok(Image::zeroed(len)),
            Fill::Unknown => Ok(Image::unknown(len)),
            Fill::Iota => iota(element, count, len),
            Fill::Random { seed: own, range } => {
                let mut random = fastrand::Rng::with_seed(own.unwrap_or(seed));
                let bytes = match element.integers() {
                    Some(whole) => integers(&mut random, element, count, whole, *range),
                    None => floats(&mut random, element, count, *range),
                };
                bytes.map(Image::from)
            }
        }
    }
}

fn iota(element: Element, count: usize, len: usize) -> Result<Image, Diagnostic> {
    let bits = move |index: u64| match element.is_float() {
        true => element.bits(Number::Integer(index.into())),
        false => Ok(index),
    };
    // The numbers ascend, so all fit if the last one does. Otherwise the error names the first that does not.
    if bits(count.saturating_sub(1) as u64).is_err() {
        (0..count as u64).try_for_each(|index| bits(index).map(drop))?;
    }
    let size = element.size();
    let rule = move |first: usize, bytes: &mut [u8]| {
        for (index, bytes) in ((first / size) as u64..).zip(bytes.chunks_exact_mut(size)) {
            bytes.copy_from_slice(&bits(index).unwrap_or(0).to_le_bytes()[..size]);
        }
    };
    Ok(Image::generated(len, rule))
}

fn integers(
    random: &mut fastrand::Rng,
    element: Element,
    count: usize,
    whole: (i128, i128),
    range: Option<(Number, Number)>,
) -> Result<Vec<u8>, Diagnostic> {
    let (low, high) = match range {
        None => (whole.0, whole.1 + 1),
        Some((Number::Integer(low), Number::Integer(high))) => (low, high),
        Some(_) => {
            return Err(complaint("the range of a buffer of integers has a floating-point bound", "expected two integers"))
        }
    };
    if low >= high || low < whole.0 || high > whole.1 + 1 {
        let message = format!("the range from {low} to below {high} has no {} to draw", element.name());
        return Err(complaint(message, format!("expected two of {} to {}, the smaller first", whole.0, whole.1 + 1)));
    }
    let values = (high - low) as u128;
    let mut bytes = Vec::with_capacity(count.saturating_mul(element.size()));
    for _ in 0..count {
        // Only the range of all 64-bit numbers has a number of values, 2^64, that does not fit 64 bits.
        let drawn = match u64::try_from(values) {
            Ok(values) => random.u64(0..values),
            Err(_) => random.u64(..),
        };
        let value = (low + i128::from(drawn)) as u64;
        bytes.extend_from_slice(&value.to_le_bytes()[..element.size()]);
    }
    Ok(bytes)
}

fn floats(
    random: &mut fastrand::Rng,
    element: Element,
    count: usize,
    range: Option<(Number, Number)>,
) -> Result<Vec<u8>, Diagnostic> {
    let (low, high) = range.map_or((0.0, 1.0), |(low, high)| (low.as_f64(), high.as_f64()));
    if !(low < high && (high - low).is_finite()) {
        let message = format!("the range from {low:?} to below {high:?} has no {} to draw", element.name());
        return Err(complaint(message, "expected two numbers, the smaller first"));
    }
    let lowest = element.bits(Number::Float(low))?;
    element.bits(Number::Float(high))?;
    let mut bytes = Vec::with_capacity(count.saturating_mul(element.size()));
    for _ in 0..count {
        let mut drawn = || element.bits(Number::Float(low + (high - low) * random.f64())).ok();
        let inside = |bits: &u64| (low..high).contains(&element.decode(&bits.to_le_bytes()).as_f64());
        // A range narrower than the type's resolution contains its low end only.
        let bits = (0..DRAWS).find_map(|_| drawn().filter(inside)).unwrap_or(lowest);
        bytes.extend_from_slice(&bits.to_le_bytes()[..element.size()]);
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(fill: Fill, element: Element, count: usize) -> Vec<Number> {
        let bytes = fill.image(element, count, 1).unwrap().to_vec();
        assert_eq!(bytes.len(), count * element.size());
        bytes.chunks(element.size()).map(|one| element.decode(one)).collect()
    }

    fn random(range: Option<(Number, Number)>) -> Fill {
        Fill::Random { seed: None, range }
    }

    #[test]
    fn numbers_repeat_and_iota_counts() {
        assert_eq!(filled(Fill::Value(Number::Integer(7)), Element::U16, 2), [Number::Integer(7); 2]);
        assert_eq!(filled(Fill::Value(Number::Integer(7)), Element::F32, 2), [Number::Float(7.0); 2]);
        assert_eq!(filled(Fill::Iota, Element::F16, 3), [0.0, 1.0, 2.0].map(Number::Float));
        assert_eq!(filled(Fill::Iota, Element::U8, 300)[257], Number::Integer(1));
        assert_eq!(filled(Fill::Iota, Element::U32, 3000)[2999], Number::Integer(2999));
        assert_eq!(filled(Fill::Value(Number::Integer(7)), Element::U64, 1000)[999], Number::Integer(7));
        let too_large = Fill::Iota.image(Element::F16, 70_000, 1).unwrap_err();
        assert_eq!(too_large.message, "65520 is too large for f16");
        assert_eq!(filled(Fill::Iota, Element::I8, 200)[128], Number::Integer(-128));
        assert!(Fill::Value(Number::Float(0.5)).image(Element::I32, 1, 1).is_err());
    }

    #[test]
    fn random_depends_on_its_seed_only() {
        for (_, element) in Element::ALL {
            assert_eq!(filled(random(None), element, 50), filled(random(None), element, 50));
            let own = |seed| Fill::Random { seed: Some(seed), range: None }.image(element, 50, 9).unwrap();
            assert_eq!(own(1), random(None).image(element, 50, 1).unwrap());
            assert_ne!(own(1), own(2));
        }
        assert_ne!(seed_of(1, "x"), seed_of(1, "y"));
        assert_ne!(seed_of(1, "x"), seed_of(2, "x"));
    }

    /// Files of expected values depend on these numbers, so they must not change.
    #[test]
    fn random_is_the_same_in_every_version() {
        let fill = |element| Fill::Random { seed: Some(1), range: None }.image(element, 2, 0).unwrap().to_vec();
        assert_eq!(fill(Element::U32), [205, 189, 51, 168, 229, 151, 220, 136]);
        assert_eq!(fill(Element::F32), [190, 51, 40, 63, 152, 220, 8, 63]);
        assert_eq!(seed_of(1, "x"), 5952180755994350292);
    }

    #[test]
    fn random_covers_its_range_and_no_more() {
        let range = Some((Number::Integer(-2), Number::Integer(3)));
        let mut seen: Vec<i128> = vec![];
        for number in filled(random(range), Element::I8, 500) {
            if let Number::Integer(value) = number {
                seen.push(value);
            }
        }
        seen.sort();
        seen.dedup();
        assert_eq!(seen, [-2, -1, 0, 1, 2]);
        let all = filled(random(None), Element::U8, 5000);
        assert!([0, 255].iter().all(|end| all.contains(&Number::Integer(*end))));
        for (_, element) in Element::ALL.iter().filter(|(_, element)| element.is_float()) {
            assert!(filled(random(None), *element, 5000).iter().all(|value| (0.0..1.0).contains(&value.as_f64())));
            let narrow = Some((Number::Float(3.0), Number::Float(3.0000000001)));
            assert!(filled(random(narrow), *element, 9).iter().all(|value| (3.0..3.0000000001).contains(&value.as_f64())));
        }
    }

    #[test]
    fn a_range_without_values_is_refused() {
        let integer = |low, high| random(Some((Number::Integer(low), Number::Integer(high)))).image(Element::U8, 1, 1);
        assert!(integer(0, 256).is_ok());
        assert!([(3, 3), (4, 3), (-1, 3), (0, 257)].iter().all(|(low, high)| integer(*low, *high).is_err()));
        let float = |low, high| random(Some((Number::Float(low), Number::Float(high)))).image(Element::F16, 1, 1);
        assert!(float(-1.0, 1.0).is_ok());
        for (low, high) in [(1.0, 1.0), (f64::NAN, 1.0), (0.0, f64::INFINITY), (0.0, 1e6), (-f64::MAX, f64::MAX)] {
            assert!(float(low, high).is_err(), "{low} {high}");
        }
        assert!(random(Some((Number::Float(0.5), Number::Integer(3)))).image(Element::U8, 1, 1).is_err());
    }
}
