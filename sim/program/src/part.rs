// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A part of a grid: the CTAs that run, by their numbers in the grid.

use bcu_isa::diag::Diagnostic;
use std::fmt;
use std::ops::RangeInclusive;

/// The most CTAs along x, y and z of a grid of which a part runs, as in CUDA.
const MOST: [u32; 3] = [0x7fff_ffff, 0xffff, 0xffff];

/// The CTAs of a grid that run. They are numbered along x, then y, then z, from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// In ascending order, without common numbers.
    ranges: Vec<RangeInclusive<u64>>,
}

impl Part {
    /// Parses numbers and ranges such as `0-3,8`.
    ///
    /// # Errors
    /// Another form, numbers that are not in ascending order.
    pub fn parse(text: &str) -> Result<Part, Diagnostic> {
        let wrong = |message: String| {
            let error = Diagnostic::new(0..0, message, "expected numbers of CTAs in ascending order");
            error.help("numbers and ranges from 0, such as `0-3` or `0,7,12-15`")
        };
        let range = |part: &str| {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            let (first, last): (u64, u64) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
            (first <= last).then_some(first..=last)
        };
        let ranges: Option<Vec<RangeInclusive<u64>>> = text.split(',').map(range).collect();
        let ranges = ranges.ok_or_else(|| wrong(format!("`{text}` is not a list of CTAs")))?;
        match ranges.windows(2).find(|pair| pair[0].end() >= pair[1].start()) {
            Some(pair) => Err(wrong(format!("CTA {} comes after CTA {}", pair[1].start(), pair[0].end()))),
            None => Ok(Part { ranges }),
        }
    }

    /// The number of CTAs.
    pub fn count(&self) -> u64 {
        self.ranges.iter().fold(0u64, |count, range| count.saturating_add(range.end() - range.start()).saturating_add(1))
    }

    /// The numbers of the CTAs.
    pub fn numbers(&self) -> impl Iterator<Item = u64> + '_ {
        self.ranges.iter().cloned().flatten()
    }

    /// Checks that the part belongs to a grid, and has at most `most` CTAs.
    ///
    /// # Errors
    /// A grid larger than CUDA allows, a CTA that the grid does not have, too many CTAs; the caller adds the span.
    pub fn check(&self, grid: [u32; 3], most: u64) -> Result<(), Diagnostic> {
        let wrong = |message: String, label: String| Err(Diagnostic::new(0..0, message, label));
        if let Some(axis) = (0..3).find(|axis| !(1..=MOST[*axis]).contains(&grid[*axis])) {
            let name = ["x", "y", "z"][axis];
            return wrong(format!("a grid of {} CTAs along {name}", grid[axis]), format!("expected 1 to {}", MOST[axis]));
        }
        let (all, last) = (total(grid), self.ranges.last().map_or(0, |range| *range.end()));
        if last >= all {
            return wrong(format!("CTA {last} of a grid of {all} CTAs"), format!("expected numbers below {all}"));
        }
        if self.count() > most {
            return wrong(format!("{} CTAs run", self.count()), format!("expected at most {most}"));
        }
        Ok(())
    }

    /// The statement of a report on a grid of which only this part runs.
    pub fn sentence(&self, grid: [u32; 3]) -> String {
        let (count, all) = (self.count(), total(grid));
        let numbered = match (count, &self.ranges[..]) {
            (_, [only]) if *only.start() == 0 => "with these numbers in this report".to_string(),
            (1, _) => "CTA 0 in this report".to_string(),
            _ => format!("CTAs 0-{} in this report, in this order", count - 1),
        };
        format!(
            "part of the grid: only CTA{} {self} of {all} run{}, {numbered}",
            plural(count),
            if count == 1 { "s" } else { "" }
        )
    }
}

fn plural(count: u64) -> &'static str {
    if count == 1 {
        ""
    } else {
        "s"
    }
}

fn total(grid: [u32; 3]) -> u64 {
    grid.iter().fold(1u64, |total, &size| total.saturating_mul(size.into()))
}

/// The position in a grid (%ctaid) of the CTA with this number.
pub fn ctaid(number: u64, [x, y, _]: [u32; 3]) -> [u32; 3] {
    let (x, y) = (u64::from(x.max(1)), u64::from(y.max(1)));
    [number % x, number / x % y, number / x / y].map(|at| at as u32)
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, range) in self.ranges.iter().enumerate() {
            let comma = if at == 0 { "" } else { "," };
            match range.start() == range.end() {
                true => write!(f, "{comma}{}", range.start())?,
                false => write!(f, "{comma}{}-{}", range.start(), range.end())?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_has_the_listed_ctas() {
        let part = Part::parse("0-2, 7,9 - 10").unwrap();
        assert_eq!((part.numbers().collect::<Vec<_>>(), part.count()), (vec![0, 1, 2, 7, 9, 10], 6));
        assert_eq!(part.to_string(), "0-2,7,9-10");
        for wrong in ["", "x", "3-1", "1,1", "4,2", "0-4,4", "-1", "1-", "99999999999999999999999"] {
            assert!(Part::parse(wrong).is_err(), "{wrong}");
        }
        assert_eq!(Part::parse("0-18446744073709551615").unwrap().count(), u64::MAX);
    }

    #[test]
    fn a_part_is_within_its_grid() {
        let refused = |text: &str, grid, most| Part::parse(text).unwrap().check(grid, most).map_err(|error| error.message);
        assert_eq!(refused("99999", [100_000, 1, 1], 4), Ok(()));
        assert_eq!(refused("3-4", [2, 2, 1], 4), Err("CTA 4 of a grid of 4 CTAs".to_string()));
        assert_eq!(refused("0-4", [100_000, 1, 1], 4), Err("5 CTAs run".to_string()));
        assert_eq!(refused("0", [1, 65536, 1], 4), Err("a grid of 65536 CTAs along y".to_string()));
        assert_eq!(refused("0", [u32::MAX; 3], 4), Err(format!("a grid of {} CTAs along x", u32::MAX)));
    }

    #[test]
    fn numbers_are_along_x_then_y_then_z() {
        assert_eq!(
            [0, 1, 3, 7, 23].map(|number| ctaid(number, [3, 2, 4])),
            [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 0, 1], [2, 1, 3]]
        );
    }

    #[test]
    fn a_report_states_the_part() {
        let of = |text: &str| Part::parse(text).unwrap().sentence([4, 4, 1]);
        assert_eq!(of("0-3"), "part of the grid: only CTAs 0-3 of 16 run, with these numbers in this report");
        assert_eq!(of("8,12"), "part of the grid: only CTAs 8,12 of 16 run, CTAs 0-1 in this report, in this order");
        assert_eq!(of("15"), "part of the grid: only CTA 15 of 16 runs, CTA 0 in this report");
    }
}
