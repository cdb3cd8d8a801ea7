// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Numbers that differ between sizes, as expressions of the parameters.

use super::fit::{fit, Formula, Sizes};
use std::collections::BTreeSet;

/// A number of Verilog: its width if it has one, and its value.
type Number = (Option<i128>, i128);

/// A number that differs between sizes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Literal {
    /// Without a width: a bound of a range, an index, a number of copies.
    Plain(Formula),
    Sized(Formula, Value),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    Zero,
    One,
    /// All bits are 1.
    Ones,
    /// All bits but so many of the lowest are 1.
    OnesAbove(u32),
    Other(Formula),
}

impl Literal {
    /// The literal of these texts at these sizes.
    ///
    /// # Errors
    /// The values that no formula gives.
    pub fn new(texts: &[&str], sizes: &[Sizes]) -> Result<Literal, String> {
        let numbers: Vec<Number> = texts
            .iter()
            .map(|text| number(text).ok_or_else(|| format!("`{text}` is not a number")))
            .collect::<Result<_, _>>()?;
        let fitted = |values: Vec<i128>| fit(&values, sizes).ok_or_else(|| format!("no formula gives {values:?}"));
        let values: Vec<i128> = numbers.iter().map(|(_, value)| *value).collect();
        let widths: Option<Vec<i128>> = numbers.iter().map(|(width, _)| *width).collect();
        let Some(widths) = widths else { return Ok(Literal::Plain(fitted(values)?)) };
        let is_ones = numbers.iter().all(|(width, value)| width.is_some_and(|width| *value == ones(width)));
        let all = |wanted: i128| values.iter().all(|value| *value == wanted);
        let above = |zeros: &u32| {
            let is_above = |(width, value): &Number| width.is_some_and(|width| *value == ones(width) >> zeros << zeros);
            numbers.iter().all(is_above)
        };
        let value = match (all(0), all(1), is_ones) {
            (true, ..) => Value::Zero,
            (_, _, true) => Value::Ones,
            (_, true, _) => Value::One,
            _ => match (1..4).find(above) {
                Some(zeros) => Value::OnesAbove(zeros),
                None => Value::Other(fitted(values)?),
            },
        };
        Ok(Literal::Sized(fitted(widths)?, value))
    }

    /// The names of the parameters and their logarithms.
    pub fn names(&self) -> BTreeSet<&'static str> {
        match self {
            Literal::Plain(formula) => formula.names(),
            Literal::Sized(width, Value::Other(value)) => width.names().union(&value.names()).copied().collect(),
            Literal::Sized(width, _) => width.names(),
        }
    }

    /// The Verilog expression; `None` for a number with a width whose value needs a declaration of its own.
    pub fn text(&self, bare: bool) -> Option<String> {
        Some(match self {
            Literal::Plain(formula) if bare => formula.text(),
            Literal::Plain(formula) => bracketed(formula),
            Literal::Sized(width, Value::Zero) => format!("{{{}{{1'b0}}}}", bracketed(width)),
            Literal::Sized(width, Value::Ones) => format!("{{{}{{1'b1}}}}", bracketed(width)),
            Literal::Sized(width, Value::One) => format!("{{{{{}{{1'b0}}}}, 1'b1}}", bracketed(&width.plus(-1))),
            Literal::Sized(width, Value::OnesAbove(zeros)) => {
                format!("{{{{{}{{1'b1}}}}, {zeros}'d0}}", bracketed(&width.plus(-i128::from(*zeros))))
            }
            Literal::Sized(_, Value::Other(_)) => return None,
        })
    }

    /// The declaration of a constant with this name, for a literal without an expression.
    pub fn constant(&self, name: &str) -> String {
        match self {
            Literal::Sized(width, value) if *value != Value::Zero => {
                format!("  localparam [{}:0] {name} = {};\n", width.plus(-1).text(), self.declared())
            }
            other => format!("  localparam {name} = {};\n", other.declared()),
        }
    }

    /// The value as an expression of unstated width, for a constant whose declaration has the width.
    pub fn declared(&self) -> String {
        match self {
            Literal::Sized(_, Value::Other(value)) => value.text(),
            other => other.text(true).unwrap_or_default(),
        }
    }
}

/// The formula as an operand.
fn bracketed(formula: &Formula) -> String {
    let text = formula.text();
    if text.contains(' ') {
        format!("({text})")
    } else {
        text
    }
}

fn ones(width: i128) -> i128 {
    u32::try_from(width).ok().filter(|width| *width < 127).map_or(-1, |width| (1i128 << width) - 1)
}

/// The width and the value of a number such as `7`, `'d7`, `3'd7`, `8'hff`, `1'b0`.
pub fn number(text: &str) -> Option<Number> {
    let Some((width, rest)) = text.split_once('\'') else { return text.parse().ok().map(|value| (None, value)) };
    let width = if width.is_empty() { None } else { Some(width.parse().ok()?) };
    let digits: String = rest.get(1..)?.chars().filter(|c| *c != '_').collect();
    let base = match rest.chars().next()? {
        'd' => 10,
        'h' => 16,
        'b' => 2,
        _ => return None,
    };
    i128::from_str_radix(&digits, base).ok().map(|value| (width, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZES: [Sizes; 2] =
        [Sizes { warps: 8, lanes: 4, ctas: 4, barriers: 4 }, Sizes { warps: 32, lanes: 4, ctas: 4, barriers: 4 }];

    fn text(texts: [&str; 2]) -> String {
        let literal = Literal::new(&texts, &SIZES).unwrap();
        literal.text(false).unwrap_or_else(|| literal.declared())
    }

    #[test]
    fn numbers_become_expressions() {
        assert_eq!(text(["7", "31"]), "(WARPS - 1)");
        assert_eq!(text(["3'd0", "5'd0"]), "{LW{1'b0}}");
        assert_eq!(text(["8'hff", "32'hffffffff"]), "{WARPS{1'b1}}");
        assert_eq!(text(["4'd1", "6'd1"]), "{{LW{1'b0}}, 1'b1}");
        assert_eq!(text(["3'd6", "5'd30"]), "{{(LW - 1){1'b1}}, 1'd0}");
        assert_eq!(text(["4'd8", "6'd32"]), "WARPS");
        let literal = Literal::new(&["4'd8", "6'd32"], &SIZES).unwrap();
        assert_eq!(literal.constant("all"), "  localparam [LW:0] all = WARPS;\n");
        assert!(Literal::new(&["x", "y"], &SIZES).is_err());
    }
}
