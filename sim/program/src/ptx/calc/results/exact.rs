// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The definition of rounding, with integers of any length: a result is right if no other number of its format is a better choice for the
//! rounding mode.

use bcu_arith::{Format, Round};
use num_bigint::BigInt;
use std::cmp::Ordering;

/// The first field times 2 to the power of the second.
#[derive(Clone, Debug)]
pub struct Dyadic(pub BigInt, pub i64);

impl Dyadic {
    pub fn add(&self, other: &Dyadic) -> Dyadic {
        let low = self.1.min(other.1);
        let at_low = |d: &Dyadic| d.0.clone() << (d.1 - low) as usize;
        Dyadic(at_low(self) + at_low(other), low)
    }

    pub fn mul(&self, other: &Dyadic) -> Dyadic {
        Dyadic(&self.0 * &other.0, self.1 + other.1)
    }

    pub fn negated(&self) -> Dyadic {
        Dyadic(-&self.0, self.1)
    }

    pub fn sign(&self) -> Ordering {
        self.0.cmp(&BigInt::ZERO)
    }

    pub fn cmp(&self, other: &Dyadic) -> Ordering {
        self.add(&other.negated()).sign()
    }
}

/// Bits of exponent and fraction.
fn fields(format: Format) -> (u32, u32) {
    match format {
        Format::F16 => (5, 10),
        Format::Bf16 => (8, 7),
        Format::F32 => (8, 23),
        Format::F64 => (11, 52),
    }
}

/// The number that these bits encode; infinity counts as the number that would follow the largest.
pub fn number(format: Format, bits: u64) -> Dyadic {
    let (exponents, fractions) = fields(format);
    let fraction = bits & ((1 << fractions) - 1);
    let exponent = (bits >> fractions & ((1 << exponents) - 1)) as i64;
    let lowest = 2 - (1i64 << (exponents - 1)) - i64::from(fractions);
    let (fraction, exponent) = match exponent {
        0 => (fraction, lowest),
        _ => (fraction | 1 << fractions, lowest + exponent - 1),
    };
    let size = Dyadic(fraction.into(), exponent);
    if bits >> (exponents + fractions) & 1 == 1 {
        size.negated()
    } else {
        size
    }
}

/// The position of a number in the order of all numbers of its format; both zeros have position 0.
fn place(format: Format, bits: u64) -> i64 {
    let (exponents, fractions) = fields(format);
    let sign = exponents + fractions;
    let size = (bits & ((1 << sign) - 1)) as i64;
    if bits >> sign & 1 == 1 {
        -size
    } else {
        size
    }
}

fn at_place(format: Format, place: i64) -> Dyadic {
    let size = number(format, place.unsigned_abs());
    if place < 0 {
        size.negated()
    } else {
        size
    }
}

/// Whether `bits` is the exact result rounded once; `against` orders a number relative to the exact result.
pub fn is_rounded(format: Format, round: Round, bits: u64, against: impl Fn(&Dyadic) -> Ordering) -> bool {
    let (exponents, fractions) = fields(format);
    let infinity = ((1i64 << exponents) - 1) << fractions;
    let here = place(format, bits);
    if here.abs() > infinity {
        return false;
    }
    // Infinities are beyond every exact result.
    let order = |place: i64| match place {
        _ if place >= infinity => Ordering::Greater,
        _ if place <= -infinity => Ordering::Less,
        _ => against(&at_place(format, place)),
    };
    let down = || order(here).is_le() && order(here + 1).is_gt();
    let up = || order(here).is_ge() && order(here - 1).is_lt();
    match round {
        Round::Down => down(),
        Round::Up => up(),
        Round::Zero if against(&Dyadic(BigInt::ZERO, 0)).is_lt() => down(),
        Round::Zero => up(),
        Round::Even => {
            let middle = |a: i64, b: i64| {
                let sum = at_place(format, a).add(&at_place(format, b));
                against(&Dyadic(sum.0, sum.1 - 1))
            };
            let even = here & 1 == 0;
            let above = here <= -infinity || middle(here - 1, here).is_lt() || (even && middle(here - 1, here).is_eq());
            let below = here >= infinity || middle(here, here + 1).is_gt() || (even && middle(here, here + 1).is_eq());
            above && below
        }
    }
}
