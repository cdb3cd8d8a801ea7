// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Finds a formula of the sizes for a number that differs between exports.

use std::collections::BTreeSet;

/// The sizes of an export, all powers of two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    pub warps: u64,
    pub lanes: u64,
    pub ctas: u64,
    pub barriers: u64,
}

/// The parameters, each with the name of its logarithm.
pub const NAMES: [(&str, &str); 4] = [("WARPS", "LW"), ("LANES", "LL"), ("CTAS", "LC"), ("BARRIERS", "LB")];

impl Sizes {
    pub fn values(&self) -> [u64; 4] {
        [self.warps, self.lanes, self.ctas, self.barriers]
    }

    fn logarithms(&self) -> [i128; 4] {
        self.values().map(|value| i128::from(value.ilog2()))
    }
}

/// A formula of the sizes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Formula {
    Constant(i128),
    /// `sum of factor * size + constant`; sizes are first the four sizes, then their logarithms.
    Sum([i128; 8], i128),
    /// `factor * product of two sizes + constant`.
    Product(usize, usize, i128, i128),
    /// `factor * 2 ^ (sum of logarithms + constant)`.
    Power(i128, [i128; 4], i128),
}

use Formula::{Constant, Power, Product, Sum};

impl Formula {
    pub fn value(&self, sizes: &Sizes) -> i128 {
        let linear = sizes.values().map(i128::from);
        let logarithms = sizes.logarithms();
        match self {
            Constant(value) => *value,
            Sum(factors, constant) => {
                let all = linear.iter().chain(&logarithms);
                factors.iter().zip(all).map(|(factor, size)| factor * size).sum::<i128>() + constant
            }
            Product(a, b, factor, constant) => factor * linear[*a] * linear[*b] + constant,
            Power(factor, factors, constant) => {
                let exponent = factors.iter().zip(&logarithms).map(|(factor, size)| factor * size).sum::<i128>() + constant;
                u32::try_from(exponent).ok().filter(|exponent| *exponent < 100).map_or(-1, |exponent| factor << exponent)
            }
        }
    }

    /// The names of the sizes and logarithms in the formula.
    pub fn names(&self) -> BTreeSet<&'static str> {
        let name = |i: usize| if i < 4 { NAMES[i].0 } else { NAMES[i - 4].1 };
        match self {
            Constant(_) => BTreeSet::new(),
            Sum(factors, _) => (0..8).filter(|i| factors[*i] != 0).map(name).collect(),
            Product(a, b, ..) => [name(*a), name(*b)].into(),
            Power(_, factors, _) => (0..4).filter(|i| factors[*i] != 0).map(|i| name(i + 4)).collect(),
        }
    }

    /// The formula with `offset` added.
    pub fn plus(&self, offset: i128) -> Formula {
        match self.clone() {
            Constant(value) => Constant(value + offset),
            Sum(factors, constant) => Sum(factors, constant + offset),
            Product(a, b, factor, constant) => Product(a, b, factor, constant + offset),
            power @ Power(..) => power,
        }
    }

    /// The formula as a Verilog expression without outer brackets.
    pub fn text(&self) -> String {
        match self {
            Constant(value) => value.to_string(),
            Sum(factors, constant) => {
                let names = NAMES.iter().map(|(size, _)| *size).chain(NAMES.iter().map(|(_, logarithm)| *logarithm));
                sum(factors.iter().copied().zip(names), *constant)
            }
            Product(a, b, factor, constant) => {
                let product = format!("{} * {}", NAMES[*a].0, NAMES[*b].0);
                let product = if *factor == 1 { product } else { format!("{factor} * {product}") };
                with_constant(product, *constant)
            }
            Power(factor, factors, constant) => {
                let exponent = sum(factors.iter().copied().zip(NAMES.iter().map(|(_, logarithm)| *logarithm)), *constant);
                let exponent = if exponent.contains(' ') { format!("({exponent})") } else { exponent };
                format!("{factor} << {exponent}")
            }
        }
    }
}

/// The positive terms of a sum, then the negative ones, then the constant.
fn sum<'n>(terms: impl Iterator<Item = (i128, &'n str)>, constant: i128) -> String {
    let mut terms: Vec<(i128, &str)> = terms.filter(|(factor, _)| *factor != 0).collect();
    terms.sort_by_key(|(factor, _)| *factor < 0);
    let lead = terms.first().is_some_and(|(factor, _)| *factor < 0).then(|| constant.to_string());
    let mut text = lead.clone().unwrap_or_default();
    for (factor, name) in terms {
        let term = match factor.abs() {
            1 => name.to_string(),
            factor => format!("{factor} * {name}"),
        };
        match (text.is_empty(), factor < 0) {
            (true, _) => text = term,
            (false, true) => text += &format!(" - {term}"),
            (false, false) => text += &format!(" + {term}"),
        }
    }
    if lead.is_some() {
        text
    } else {
        with_constant(text, constant)
    }
}

fn with_constant(text: String, constant: i128) -> String {
    match constant {
        0 => text,
        constant if constant < 0 => format!("{text} - {}", -constant),
        constant => format!("{text} + {constant}"),
    }
}

/// The simplest formula with these values at these sizes; `None` if there is none.
pub fn fit(values: &[i128], sizes: &[Sizes]) -> Option<Formula> {
    if values.windows(2).all(|pair| pair[0] == pair[1]) {
        return values.first().copied().map(Constant);
    }
    let is_right = |formula: &Formula| sizes.iter().zip(values).all(|(sizes, value)| formula.value(sizes) == *value);
    sums().chain(products()).chain(powers()).find_map(|formula| {
        // The constant follows from the first size.
        let offset = values.first()? - formula.value(sizes.first()?);
        Some(formula.plus(offset)).filter(is_right)
    })
}

/// Sums, those with few and small factors first.
fn sums() -> impl Iterator<Item = Formula> {
    let single = [1, -1, 2, -2, 3, 4].into_iter().flat_map(|factor| {
        // Logarithms are widths, which are more frequent than sizes.
        [4, 5, 6, 7, 0, 1, 2, 3].into_iter().map(move |i| {
            let mut factors = [0; 8];
            factors[i] = factor;
            Sum(factors, 0)
        })
    });
    let logarithms = weighted(4, 12).map(|chosen| Sum([0, 0, 0, 0, chosen[0], chosen[1], chosen[2], chosen[3]], 0));
    let mixed = (0..4).flat_map(|size| {
        weighted(4, 2).map(move |chosen| {
            let mut factors = [0, 0, 0, 0, chosen[0], chosen[1], chosen[2], chosen[3]];
            factors[size] = 1;
            Sum(factors, 0)
        })
    });
    single.chain(logarithms).chain(mixed)
}

fn products() -> impl Iterator<Item = Formula> {
    [1, 2].into_iter().flat_map(|factor| (0..4).flat_map(move |a| (a + 1..4).map(move |b| Product(a, b, factor, 0))))
}

fn powers() -> impl Iterator<Item = Formula> {
    let exponents = || weighted(4, 3).flat_map(|factors| (-4..=4).map(move |constant| (factors, constant)));
    [1, 3, 5].into_iter().flat_map(move |factor| exponents().map(move |(factors, constant)| Power(factor, factors, constant)))
}

/// All lists of four factors whose absolute values add up to 1 and more, at most `most`, those with a small sum first; `least` bounds a
/// single negative factor.
fn weighted(least: i128, most: i128) -> impl Iterator<Item = [i128; 4]> {
    (1..=most).flat_map(move |weight| {
        let range = move || -least.min(2)..=most;
        range().flat_map(move |a| {
            range().flat_map(move |b| {
                range().flat_map(move |c| {
                    let known = a.abs() + b.abs() + c.abs();
                    let last = weight - known;
                    let signs: &[i128] = if last > 0 && last <= 2 { &[1, -1] } else { &[1] };
                    signs.iter().filter(move |_| last >= 0).map(move |sign| [a, b, c, sign * last])
                })
            })
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZES: [Sizes; 6] = [
        Sizes { warps: 8, lanes: 4, ctas: 4, barriers: 4 },
        Sizes { warps: 16, lanes: 32, ctas: 4, barriers: 8 },
        Sizes { warps: 8, lanes: 8, ctas: 8, barriers: 8 },
        Sizes { warps: 16, lanes: 4, ctas: 16, barriers: 4 },
        Sizes { warps: 32, lanes: 16, ctas: 8, barriers: 4 },
        Sizes { warps: 32, lanes: 32, ctas: 16, barriers: 8 },
    ];

    fn fitted(of: impl Fn(i128, i128, i128, i128) -> i128) -> String {
        let values: Vec<i128> = SIZES
            .iter()
            .map(|sizes| {
                let [warps, lanes, ctas, barriers] = sizes.values().map(i128::from);
                of(warps, lanes, ctas, barriers)
            })
            .collect();
        fit(&values, &SIZES).map_or("none".to_string(), |formula| formula.text())
    }

    #[test]
    fn the_simplest_formula_is_found() {
        let log = |value: i128| i128::from(value.ilog2());
        assert_eq!(fitted(|_, _, _, _| 7), "7");
        assert_eq!(fitted(|w, _, _, _| w - 1), "WARPS - 1");
        assert_eq!(fitted(|w, _, _, _| log(w)), "LW");
        assert_eq!(fitted(|w, l, _, _| log(w * l)), "LW + LL");
        assert_eq!(fitted(|w, l, _, _| 3 * log(w) + log(l) + 7), "3 * LW + LL + 7");
        assert_eq!(fitted(|w, l, _, _| 11 - log(w * l)), "11 - LW - LL");
        assert_eq!(fitted(|_, _, c, b| c * b - 1), "CTAS * BARRIERS - 1");
        assert_eq!(fitted(|w, l, _, _| 3 * w * l / 2), "3 << (LW + LL - 1)");
        assert_eq!(fitted(|w, l, _, _| 2 * w * l - 2), "2 * WARPS * LANES - 2");
        assert_eq!(fitted(|w, l, c, b| (w * 7 + l * l + c) % (b + 3)), "none");
    }
}
