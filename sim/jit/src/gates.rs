// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The computation of each gate, in instructions on 64-bit words.

use super::compile_error::CompileError;
use super::emit::{Bits, Emitter};
use super::layout::words;
use bcu_hw::netlist::gates::{Function, Gate, Netlist, Wire};
use bcu_hw::netlist::{Cmp, Op, Reduce};
use cranelift_codegen::ir::{condcodes::IntCC, types::I64, InstBuilder, Value};

/// All ones in the lowest `width` bits.
fn ones(width: usize) -> u64 {
    u64::MAX >> (64 - width.clamp(1, 64))
}

/// Checks that each gate's operands have a width that can be compiled.
pub fn check(netlist: &Netlist) -> Result<(), CompileError> {
    for gate in &netlist.gates {
        let (operands, what) = match &gate.function {
            Function::Neg(a) => (vec![*a], "a negation"),
            Function::Select(a, _) => (vec![*a], "a computed index"),
            Function::Binary(Op::Add | Op::Sub | Op::Mul, a, b) => (vec![*a, *b], "a sum or product"),
            Function::Compare(Cmp::Eq | Cmp::Ne, ..) => continue,
            Function::Compare(_, _, a, b) => (vec![*a, *b], "an ordered comparison"),
            Function::Shift(_, a, amount) => (vec![*a, *amount], "a shift"),
            _ => continue,
        };
        if let Some(width) = operands.into_iter().map(|wire| netlist.gates[wire].width).find(|&width| width > 64) {
            return Err(CompileError::TooWide { what, width });
        }
    }
    Ok(())
}

impl Emitter<'_, '_> {
    /// Emits the computation of a gate, and returns its value. A result that may have bits above the width of the gate is cut.
    pub fn gate(&mut self, gate: &Gate) -> Bits {
        let width = gate.width;
        match &gate.function {
            Function::Const(number) => {
                let digits = number.to_u64_digits();
                (0..words(width)).map(|at| self.number(digits.get(at).copied().unwrap_or(0))).collect()
            }
            Function::Input(at) => self.input(*at, width),
            Function::Register(at) => self.load(self.state, self.layout.registers[*at], width),
            Function::Word { memory, field } => self.word(*memory, *field, width),
            Function::Not(a) => {
                let flipped = self.value(*a).into_iter().map(|word| self.code.ins().bnot(word)).collect();
                self.cut(flipped, width)
            }
            Function::Neg(a) => {
                let a = self.value(*a)[0];
                let negated = self.code.ins().ineg(a);
                self.cut(vec![negated], width)
            }
            Function::Reduce(how, a) => vec![self.reduce(*how, *a)],
            Function::Binary(op, a, b) => self.binary(*op, *a, *b, width),
            Function::Compare(how, signed, a, b) => vec![self.compare(*how, *signed, *a, *b)],
            Function::Shift(left, a, amount) => self.shift(*left, *a, *amount, width),
            Function::Mux(condition, yes, no) => {
                let condition = self.value(*condition)[0];
                let pairs: Vec<_> = self.value(*yes).into_iter().zip(self.value(*no)).collect();
                pairs.into_iter().map(|(yes, no)| self.code.ins().select(condition, yes, no)).collect()
            }
            Function::Concat(parts) => self.concat(parts, width),
            Function::Repeat(bit) => {
                let bit = self.value(*bit)[0];
                let all = self.code.ins().ineg(bit);
                self.cut(vec![all; words(width)], width)
            }
            Function::Slice(a, low) => {
                let value = self.value(*a);
                self.part(&value, *low, width)
            }
            Function::Select(a, at) => {
                let (a, at) = (self.value(*a)[0], self.value(*at)[0]);
                let moved = self.code.ins().ushr(a, at);
                self.cut(vec![moved], width)
            }
        }
    }

    pub fn number(&mut self, value: u64) -> Value {
        self.code.ins().iconst(I64, value as i64)
    }

    /// The value without the bits above `width`.
    pub fn cut(&mut self, mut value: Bits, width: usize) -> Bits {
        if let Some(top) = value.last_mut().filter(|_| !width.is_multiple_of(64)) {
            *top = self.code.ins().band_imm(*top, ones(width % 64) as i64);
        }
        value
    }

    fn bit(&mut self, how: IntCC, a: Value, b: Value) -> Value {
        let bit = self.code.ins().icmp(how, a, b);
        self.code.ins().uextend(I64, bit)
    }

    /// Combines the words by an operation whose order does not matter.
    fn fold(&mut self, value: &[Value], mut join: impl FnMut(&mut Self, Value, Value) -> Value) -> Value {
        let mut all = value[0];
        for &word in &value[1..] {
            all = join(self, all, word);
        }
        all
    }

    fn reduce(&mut self, how: Reduce, a: Wire) -> Value {
        let (value, width) = (self.value(a), self.netlist.gates[a].width);
        if width == 1 {
            return value[0];
        }
        match how {
            Reduce::Any => {
                let all = self.fold(&value, |me, a, b| me.code.ins().bor(a, b));
                let zero = self.number(0);
                self.bit(IntCC::NotEqual, all, zero)
            }
            Reduce::All => {
                let full: Vec<u64> = (0..value.len()).map(|at| ones((width - 64 * at).min(64))).collect();
                let missing: Bits =
                    value.iter().zip(full).map(|(&word, full)| self.code.ins().bxor_imm(word, full as i64)).collect();
                let all = self.fold(&missing, |me, a, b| me.code.ins().bor(a, b));
                let zero = self.number(0);
                self.bit(IntCC::Equal, all, zero)
            }
            Reduce::Xor => {
                let all = self.fold(&value, |me, a, b| me.code.ins().bxor(a, b));
                let count = self.code.ins().popcnt(all);
                self.code.ins().band_imm(count, 1)
            }
        }
    }

    fn binary(&mut self, op: Op, a: Wire, b: Wire, width: usize) -> Bits {
        if matches!(op, Op::Add | Op::Sub | Op::Mul) {
            let (a, b) = (self.value(a)[0], self.value(b)[0]);
            let result = match op {
                Op::Add => self.code.ins().iadd(a, b),
                Op::Sub => self.code.ins().isub(a, b),
                _ => self.code.ins().imul(a, b),
            };
            return self.cut(vec![result], width);
        }
        let pairs: Vec<_> = self.value(a).into_iter().zip(self.value(b)).collect();
        let words = pairs.into_iter().map(|(a, b)| match op {
            Op::And => self.code.ins().band(a, b),
            Op::Or => self.code.ins().bor(a, b),
            _ => self.code.ins().bxor(a, b),
        });
        words.collect()
    }

    fn compare(&mut self, how: Cmp, signed: bool, a: Wire, b: Wire) -> Value {
        if matches!(how, Cmp::Eq | Cmp::Ne) {
            let pairs: Vec<_> = self.value(a).into_iter().zip(self.value(b)).collect();
            let condition = if how == Cmp::Eq { IntCC::Equal } else { IntCC::NotEqual };
            if let [(a, b)] = pairs[..] {
                return self.bit(condition, a, b);
            }
            let differ: Bits = pairs.into_iter().map(|(a, b)| self.code.ins().bxor(a, b)).collect();
            let any = self.fold(&differ, |me, a, b| me.code.ins().bor(a, b));
            let zero = self.number(0);
            return self.bit(condition, any, zero);
        }
        let width = self.netlist.gates[a].width;
        let (mut a, mut b) = (self.value(a)[0], self.value(b)[0]);
        if signed {
            // With the sign in the top bit, the order of the words is the order of the numbers.
            a = self.code.ins().ishl_imm(a, (64 - width) as i64);
            b = self.code.ins().ishl_imm(b, (64 - width) as i64);
        }
        let condition = match (how, signed) {
            (Cmp::Lt, false) => IntCC::UnsignedLessThan,
            (Cmp::Le, false) => IntCC::UnsignedLessThanOrEqual,
            (Cmp::Gt, false) => IntCC::UnsignedGreaterThan,
            (_, false) => IntCC::UnsignedGreaterThanOrEqual,
            (Cmp::Lt, true) => IntCC::SignedLessThan,
            (Cmp::Le, true) => IntCC::SignedLessThanOrEqual,
            (Cmp::Gt, true) => IntCC::SignedGreaterThan,
            (_, true) => IntCC::SignedGreaterThanOrEqual,
        };
        self.bit(condition, a, b)
    }

    fn shift(&mut self, left: bool, a: Wire, amount: Wire, width: usize) -> Bits {
        let far = self.netlist.gates[amount].width > 6;
        let (a, amount) = (self.value(a)[0], self.value(amount)[0]);
        let mut moved = if left { self.code.ins().ishl(a, amount) } else { self.code.ins().ushr(a, amount) };
        if far {
            // The shift instruction uses only six bits of the amount, so a larger amount selects 0.
            let near = self.code.ins().icmp_imm(IntCC::UnsignedLessThan, amount, 64);
            let zero = self.number(0);
            moved = self.code.ins().select(near, moved, zero);
        }
        if left {
            self.cut(vec![moved], width)
        } else {
            vec![moved]
        }
    }

    /// The `width` bits of `value` from bit `low` upwards.
    fn part(&mut self, value: &[Value], low: usize, width: usize) -> Bits {
        let (first, bit) = (low / 64, low % 64);
        let mut parts = vec![];
        for at in first..first + words(width) {
            let mut word = value[at];
            if bit > 0 {
                word = self.code.ins().ushr_imm(word, bit as i64);
                if let Some(&above) = value.get(at + 1) {
                    let above = self.code.ins().ishl_imm(above, (64 - bit) as i64);
                    word = self.code.ins().bor(word, above);
                }
            }
            parts.push(word);
        }
        self.cut(parts, width)
    }

    fn concat(&mut self, parts: &[Wire], width: usize) -> Bits {
        let mut words_out: Vec<Option<Value>> = vec![None; words(width)];
        let mut low = 0;
        for &part in parts.iter().rev() {
            let value = self.value(part);
            let (mut at, bit) = (low / 64, low % 64);
            for word in value {
                let here = if bit > 0 { self.code.ins().ishl_imm(word, bit as i64) } else { word };
                self.join(&mut words_out[at], here);
                at += 1;
                if let Some(above) = words_out.get_mut(at).filter(|_| bit > 0) {
                    let rest = self.code.ins().ushr_imm(word, (64 - bit) as i64);
                    self.join(above, rest);
                }
            }
            low += self.netlist.gates[part].width;
        }
        words_out.into_iter().map(|word| word.unwrap_or_else(|| self.number(0))).collect()
    }

    fn join(&mut self, into: &mut Option<Value>, bits: Value) {
        *into = Some(match *into {
            Some(known) => self.code.ins().bor(known, bits),
            None => bits,
        });
    }
}
