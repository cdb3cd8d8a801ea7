// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Expressions of `update` with every width explicit.
//!
//! rust-hdl's expressions have no widths: a literal takes the width of the other operand, a signed cast the width of its target. Both
//! widths are resolved here. So the text has the value that Rust computes, never the wider value of Verilog's context rules.

use super::ir::{self, Cmp, Node, Op, Reduce, Value};
use super::names;
use super::scope::Scope;
use super::signal::literal_value;
use num_bigint::{BigInt, BigUint, Sign};
use rust_hdl::core::ast::{VerilogExpression as X, VerilogOp, VerilogOpUnary};

/// Width of an expression of literals only, if the context gives none.
const LITERAL_BITS: usize = 64;

fn comparison(op: &VerilogOp) -> Option<Cmp> {
    Some(match op {
        VerilogOp::Eq => Cmp::Eq,
        VerilogOp::Ne => Cmp::Ne,
        VerilogOp::Lt => Cmp::Lt,
        VerilogOp::Le => Cmp::Le,
        VerilogOp::Gt => Cmp::Gt,
        VerilogOp::Ge => Cmp::Ge,
        _ => return None,
    })
}

fn arithmetic(op: &VerilogOp) -> Option<Op> {
    Some(match op {
        VerilogOp::Add => Op::Add,
        VerilogOp::Sub => Op::Sub,
        VerilogOp::BitAnd => Op::And,
        VerilogOp::BitOr => Op::Or,
        VerilogOp::BitXor => Op::Xor,
        _ => return None,
    })
}

impl Scope<'_> {
    /// The number of an expression of literals and loop indexes.
    pub fn number(&self, e: &X) -> Option<BigInt> {
        Some(match e {
            X::Literal(l) => literal_value(l),
            X::Signal(s) => self.loops.iter().rev().find(|(name, _)| name == s)?.1.into(),
            X::Paren(x) => self.number(x)?,
            X::Binary(a, op, b) => {
                let (a, b) = (self.number(a)?, self.number(b)?);
                match op {
                    VerilogOp::Add => a + b,
                    VerilogOp::Sub => a - b,
                    VerilogOp::Mul => a * b,
                    VerilogOp::Shl => a << u32::try_from(b).ok().filter(|&n| n < 4096)?,
                    VerilogOp::Shr => a >> u32::try_from(b).ok()?,
                    VerilogOp::BitAnd => a & b,
                    VerilogOp::BitOr => a | b,
                    VerilogOp::BitXor => a ^ b,
                    VerilogOp::LogicalAnd => BigInt::from((a.sign() != Sign::NoSign && b.sign() != Sign::NoSign) as u8),
                    VerilogOp::LogicalOr => BigInt::from((a.sign() != Sign::NoSign || b.sign() != Sign::NoSign) as u8),
                    _ => BigInt::from(match comparison(op)? {
                        Cmp::Eq => a == b,
                        Cmp::Ne => a != b,
                        Cmp::Lt => a < b,
                        Cmp::Le => a <= b,
                        Cmp::Gt => a > b,
                        Cmp::Ge => a >= b,
                    } as u8),
                }
            }
            _ => return None,
        })
    }

    /// The number of the expression `e`, as an index; `None` if `e` is not constant or is negative.
    pub(super) fn index(&self, e: &X) -> Option<usize> {
        usize::try_from(self.number(e)?).ok()
    }

    /// Self-determined width of an expression. `None`: it consists of literals, which take the width of the other operand.
    pub fn width(&self, e: &X) -> Option<usize> {
        if self.number(e).is_some() {
            return None;
        }
        match e {
            X::Literal(_) => None,
            X::Signal(s) => self.shape(s).map(|(width, _)| width),
            X::Cast(_, width) | X::Slice(_, width, _) => Some(*width),
            X::Paren(x) | X::Signed(x) | X::Unsigned(x) => self.width(x),
            X::Unary(VerilogOpUnary::Not | VerilogOpUnary::Neg, x) => self.width(x),
            X::Unary(..) | X::Index(..) => Some(1),
            X::IndexReplace(x, _, _) => self.width(x),
            X::Binary(a, VerilogOp::Shl | VerilogOp::Shr, _) => self.width(a),
            X::Binary(_, VerilogOp::Mul, _) => Some(32),
            X::Binary(a, op, b) if arithmetic(op).is_some() => self.width(a).max(self.width(b)),
            X::Binary(..) => Some(1),
        }
    }

    fn is_signed(&self, e: &X) -> bool {
        match e {
            X::Signal(s) => self.shape(s).is_some_and(|(_, signed)| signed),
            X::Signed(_) => true,
            X::Paren(x) | X::Unary(VerilogOpUnary::Neg, x) => self.is_signed(x),
            X::Binary(a, VerilogOp::Add | VerilogOp::Sub | VerilogOp::Mul, b) => self.is_signed(a) || self.is_signed(b),
            _ => false,
        }
    }

    fn literal(&mut self, value: BigInt, width: usize) -> Value {
        let negative = value.sign() == Sign::Minus;
        let fits = if negative { (&value + 1u8).bits() < width as u64 } else { value.bits() <= width as u64 };
        if !fits {
            self.error(
                &value.to_string(),
                format!("this literal does not fit the {width} bits of the other operand"),
                "write a literal that fits, or widen the other operand first",
            );
        }
        let modulus = BigInt::from(1u8) << width;
        let wrapped: BigInt = ((value % &modulus) + &modulus) % modulus;
        ir::constant(width, wrapped.to_biguint().unwrap_or_default())
    }

    /// The value of `e`, exactly `width` bits wide.
    pub fn lower(&mut self, e: &X, width: usize) -> Value {
        if let Some(number) = self.number(e) {
            return self.literal(number, width);
        }
        match e {
            X::Literal(l) => self.literal(literal_value(l), width),
            X::Paren(x) | X::Unsigned(x) => self.lower(x, width),
            X::Signal(s) => match self.value_of(s) {
                Some(v) if self.is_signed(e) => ir::resize_signed(&v, width),
                Some(v) => ir::resize(&v, width),
                None => ir::constant(width, 0u8),
            },
            X::Cast(x, n) => {
                let operand_width = self.width(x).unwrap_or(*n);
                let inner = self.lower(x, operand_width);
                ir::resize(&ir::resize(&inner, *n), width)
            }
            X::Signed(x) => {
                let operand_width = self.width(x).unwrap_or(width);
                let inner = self.lower(x, operand_width);
                ir::resize_signed(&inner, width)
            }
            X::Binary(a, op, b) => self.lower_binary(e, a, op, b, width),
            X::Unary(VerilogOpUnary::Not, x) => {
                let operand_width = self.width(x).unwrap_or(width);
                let inner = self.lower(x, operand_width);
                ir::resize(&ir::not(&inner), width)
            }
            X::Unary(VerilogOpUnary::Neg, x) => {
                let operand_width = self.width(x).unwrap_or(width).max(width);
                let inner = self.lower(x, operand_width);
                ir::resize(&ir::expr(operand_width, Node::Neg(inner)), width)
            }
            X::Unary(op, x) => {
                let kind = match op {
                    VerilogOpUnary::All => Reduce::All,
                    VerilogOpUnary::Any => Reduce::Any,
                    _ => Reduce::Xor,
                };
                let operand_width = self.width(x).unwrap_or(LITERAL_BITS);
                let inner = self.lower(x, operand_width);
                ir::resize(&ir::reduce(kind, inner), width)
            }
            X::Index(x, at) => ir::resize(&self.lower_bit(x, at), width),
            X::Slice(x, n, at) => ir::resize(&self.lower_slice(x, *n, at), width),
            X::IndexReplace(x, at, bit) => {
                let operand_width = self.width(x).unwrap_or(width);
                ir::resize(&self.lower_replace(x, at, bit, operand_width), width)
            }
        }
    }

    /// The value of `a op b`, the expression `e`, in `width` bits. Operands get the width in which Rust computes the result.
    fn lower_binary(&mut self, e: &X, a: &X, op: &VerilogOp, b: &X, width: usize) -> Value {
        let signed = self.is_signed(a) || self.is_signed(b);
        if let Some(cmp) = comparison(op) {
            let operand_width = self.width(a).max(self.width(b)).unwrap_or(LITERAL_BITS);
            let (a, b) = (self.lower(a, operand_width), self.lower(b, operand_width));
            return ir::resize(&ir::compare(cmp, signed, a, b), width);
        }
        match op {
            VerilogOp::LogicalAnd | VerilogOp::LogicalOr => {
                let (a, b) = (self.lower(a, 1), self.lower(b, 1));
                ir::resize(&ir::logic(matches!(op, VerilogOp::LogicalAnd), a, b), width)
            }
            VerilogOp::Shl | VerilogOp::Shr => {
                let operand_width = self.width(a).unwrap_or(width);
                let value = self.lower(a, operand_width);
                let amount = match self.index(b) {
                    Some(n) => ir::constant(32, BigUint::from(n)),
                    None => self.lower(b, self.width(b).unwrap_or(LITERAL_BITS)),
                };
                ir::resize(&ir::shift(matches!(op, VerilogOp::Shl), value, amount), width)
            }
            VerilogOp::Mul => {
                let factor = |scope: &mut Self, x: &X| {
                    let inner = scope.lower(x, scope.width(x).unwrap_or(16));
                    if signed {
                        ir::resize_signed(&inner, 32)
                    } else {
                        ir::resize(&inner, 32)
                    }
                };
                let (a, b) = (factor(self, a), factor(self, b));
                ir::resize(&ir::binary(Op::Mul, a, b), width)
            }
            _ => {
                let natural = self.width(e).unwrap_or(width);
                // A signed cast that is an operand of a sum has no width by itself: it takes the width to which the sum is assigned.
                let operand_width = if signed { natural.max(width) } else { natural };
                let (a, b) = (self.lower(a, operand_width), self.lower(b, operand_width));
                ir::resize(&ir::binary(arithmetic(op).unwrap_or(Op::Or), a, b), width)
            }
        }
    }

    /// The value of the expression `e` in its self-determined width.
    pub(super) fn lower_whole(&mut self, e: &X) -> Value {
        let width = self.width(e).unwrap_or(LITERAL_BITS);
        self.lower(e, width)
    }

    /// The value of a match arm that is a number, if the number fits the width.
    pub fn arm_number(&self, text: &str, width: usize) -> Option<Value> {
        let value = BigUint::from(names::number(text)?);
        (value.bits() <= width as u64).then(|| ir::constant(width, value))
    }
}
