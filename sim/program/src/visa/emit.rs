// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Translates vISA statements into the instructions of a function. The operands of a signal or wait are scalars; instructions before the
//! signal or wait pack the scalars into the message to the gateway.

use super::scalar::{Scalar, Variable};
use super::Statement;
use crate::arith::{Integer, Type, TypeKind};
use crate::bcu::{alu, mov, Emitter, Line};
use crate::{Form, Op, Operand, Slot, Word};
use bcu_isa::instr::{encode, Instr};
use bcu_isa::nbar::{Nbar, Signal, Wait};
use bcu_isa::register::{Pred, Reg};

/// The register that the instruction word names. Its value is in the register slot of the function that accompanies the word.
const MESSAGE: Reg = Reg(0);

/// The largest id, number of producers and number of consumers in a message. Larger values are clamped to it. The gateway refuses this
/// value.
const LARGEST: u32 = 255;
/// The largest role in a message. Larger values are clamped to it. The gateway refuses this value.
const LARGEST_TYPE: u32 = 3;

/// The operation of a statement, and its destinations. Preparing instructions, which take no time, are emitted before the operation.
pub fn emit(emitter: &mut Emitter, line: &Line, guard: Pred, statement: &Statement) -> (Op, Vec<Option<Slot>>) {
    match statement {
        Statement::Signal { id, role, producers, consumers } => {
            let parts = [(id, 0, LARGEST), (role, 14, LARGEST_TYPE), (producers, 16, LARGEST), (consumers, 24, LARGEST)];
            let message = packed(emitter, line, &parts);
            (word(guard, Nbar::Signal(Signal::Packed(MESSAGE)), message), vec![])
        }
        Statement::Wait { id } => {
            let message = packed(emitter, line, &[(&Scalar::Variable(id.clone()), 0, LARGEST)]);
            (word(guard, Nbar::Wait(Wait::Packed(MESSAGE)), message), vec![])
        }
        Statement::Write { to, op, sources } => {
            let variable = emitter.variable(to);
            let sources: Vec<Operand> = sources.iter().map(|scalar| operand(emitter, scalar)).collect();
            let narrow = mov(Type { kind: TypeKind::Unsigned, bits: to.bits });
            let Some(op) = op else { return (Op::Calc { calc: narrow, sources }, vec![Some(variable)]) };
            if to.bits >= 32 {
                return (Op::Calc { calc: alu(*op), sources }, vec![Some(variable)]);
            }
            let whole = emitter.hidden();
            emitter.push_untimed(line, Op::Calc { calc: alu(*op), sources }, None, Some(whole));
            (Op::Calc { calc: narrow, sources: vec![Operand::register(whole)] }, vec![Some(variable)])
        }
    }
}

fn operand(emitter: &mut Emitter, scalar: &Scalar) -> Operand {
    match scalar {
        Scalar::Number(value) => Operand::Immediate((*value).into()),
        Scalar::Variable(variable) => Operand::register(emitter.variable(variable)),
    }
}

fn word(guard: Pred, nbar: Nbar, message: Slot) -> Op {
    let word = encode(&Instr { guard, op: bcu_isa::instr::Op::Nbar(nbar) });
    Op::Word(Word { word, form: Form::Raw, ra: Some(message), rb: None, predicate: None })
}

/// A register that holds every scalar at its bit position. `parts` has the scalar, its position, and the value to which it is clamped.
fn packed(emitter: &mut Emitter, line: &Line, parts: &[(&Scalar, u32, u32)]) -> Slot {
    let message = emitter.hidden();
    let calculate = |emitter: &mut Emitter, op: Option<Integer>, sources: Vec<Operand>, to: Slot| {
        let calc = op.map_or(mov(Type::U32), alu);
        emitter.push_untimed(line, Op::Calc { calc, sources }, None, Some(to));
    };
    let known = parts.iter().map(|(scalar, at, largest)| match scalar {
        Scalar::Number(value) => (*value).min(*largest) << at,
        Scalar::Variable(_) => 0,
    });
    let known = known.fold(0, |all, part| all | part);
    calculate(emitter, None, vec![Operand::Immediate(known.into())], message);
    let variables = parts.iter().filter_map(|(scalar, at, largest)| Some((scalar.variable()?, *at, *largest)));
    for (variable, at, largest) in variables {
        let part = emitter.hidden();
        let source = Operand::register(emitter.variable(variable));
        let largest = Operand::Immediate(largest.into());
        calculate(emitter, Some(Integer::Min), vec![source, largest], part);
        calculate(emitter, Some(Integer::Shl), vec![Operand::register(part), Operand::Immediate(at.into())], part);
        calculate(emitter, Some(Integer::Or), vec![Operand::register(message), Operand::register(part)], message);
    }
    message
}

impl Emitter {
    fn variable(&mut self, variable: &Variable) -> Slot {
        self.named(variable.number, &variable.name)
    }
}
