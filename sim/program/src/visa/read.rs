// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Reads lines with statements of vISA.

use super::header::Header;
use super::operand::{Operands, Read as Operand};
use super::scalar::Scalar;
use super::statement::Statement;
use crate::arith::Integer;
use crate::bcu::{self, ALU};
use crate::Form;
use bcu_isa::diag::Diagnostic;
use bcu_isa::instr::{Instr, Op};
use bcu_isa::lex::{tokens, Token, TokenKind};
use bcu_isa::nbar::{Message, Nbar, Signal, Wait, MAX_ID, MAX_TYPE};
use bcu_isa::operands::{guard, shown};
use bcu_isa::register::Pred;

const SIGNAL: &str = "nbarrier.signal 0x1:ub 0x4:ub` (id, threads) or `nbarrier.signal 0x1:ub 0x0:uw 0x4:ub 0x2:ub` (id, type, producers, consumers)";

/// Reads a line if its statement is a vISA statement; spans are positions in the line.
pub fn read(header: &Header, text: &str) -> Option<Result<bcu::Read, Diagnostic>> {
    let words = tokens(text);
    // An invalid guard is left to the reader of BCU assembly, which reports it.
    let (guard, instruction) = guard(&words).ok()?;
    let (word, operands) = instruction.split_first()?;
    let after = words.last().map_or(text.len(), |token| token.span().end);
    let lower = word.text.to_ascii_lowercase();
    if lower != word.text && !lower.starts_with("nbarrier") {
        return None;
    }
    if !lower.starts_with(|c: char| c.is_ascii_lowercase() || c == '_') {
        return None;
    }
    let form = form(&lower);
    let mut operands = Operands { header, tokens: operands, after, name: lower.clone(), form };
    let statement = match lower.as_str() {
        "nbarrier.signal" => signal(&mut operands, guard),
        "nbarrier.wait" => wait(&mut operands, guard),
        "ret" => leave(&mut operands),
        _ if lower.starts_with("lsc_fence.") => {
            operands.end().map(|()| bcu::Statement::Barrier(Instr { guard, op: Op::Fence }, Form::Raw))
        }
        _ => match operation(&lower) {
            Some(op) => write(&mut operands, op),
            None => Err(unknown(word, &lower, operands.tokens, header)),
        },
    };
    Some(statement.map(|statement| bcu::Read { statement, guard, warnings: vec![] }))
}

/// The syntax of a statement.
fn form(name: &str) -> &'static str {
    match name {
        "nbarrier.signal" => SIGNAL,
        "nbarrier.wait" => "nbarrier.wait 0x1:ub",
        "mov" => "mov (M1_NM, 1) V32(0,0)<1> 0x1:ub",
        "ret" => "ret (M1, 1)",
        _ if name.starts_with("lsc_fence") => "lsc_fence.slm.none.group",
        _ => "add (M1_NM, 1) V32(0,0)<1> V32(0,0)<0;1,0> 0x1:ub",
    }
}

/// The operation of an arithmetic statement such as `add`; `Some(None)`: `mov`; `None`: not such a statement.
fn operation(name: &str) -> Option<Option<Integer>> {
    // vISA has no subtraction; it adds negated values.
    let alu = || ALU.iter().find(|(known, _)| *known != "SUB" && known.eq_ignore_ascii_case(name));
    if name == "mov" {
        return Some(None);
    }
    alu().map(|(_, op)| Some(*op))
}

fn signal(operands: &mut Operands, guard: Pred) -> Result<bcu::Statement, Diagnostic> {
    let id = operands.scalar("a barrier id, 0 to 31")?;
    self::id(operands, &id)?;
    let second = operands.scalar("a number of threads, or a type")?;
    if operands.tokens.is_empty() {
        count(operands, &second, "threads")?;
        if let (Scalar::Number(id), Scalar::Number(threads)) = (&id.scalar, &second.scalar) {
            let signal = Signal::Threads { id: *id as u8, threads: *threads as u8 };
            return Ok(unit(Nbar::Signal(signal), guard));
        }
        let (producers, consumers) = (second.scalar.clone(), second.scalar);
        let statement = Statement::Signal { id: id.scalar, role: Scalar::Number(0), producers, consumers };
        return Ok(bcu::Statement::Visa(statement));
    }
    if let Scalar::Number(role) = second.scalar {
        if role > u32::from(MAX_TYPE) {
            let label = "expected 0 (producer and consumer), 1 (producer) or 2 (consumer)";
            return Err(operands.wrong(second.span, format!("type {role} does not exist"), label));
        }
    }
    let producers = operands.scalar("a number of producers")?;
    count(operands, &producers, "producers")?;
    let consumers = operands.scalar("a number of consumers")?;
    count(operands, &consumers, "consumers")?;
    operands.end()?;
    let scalars = [id, second, producers, consumers].map(|read| read.scalar);
    if let [Scalar::Number(id), Scalar::Number(role), Scalar::Number(producers), Scalar::Number(consumers)] = scalars {
        let [id, role, producers, consumers] = [id, role, producers, consumers].map(|number| number as u8);
        return Ok(unit(Nbar::Signal(Signal::Message(Message { id, role, producers, consumers })), guard));
    }
    let [id, role, producers, consumers] = scalars;
    Ok(bcu::Statement::Visa(Statement::Signal { id, role, producers, consumers }))
}

fn wait(operands: &mut Operands, guard: Pred) -> Result<bcu::Statement, Diagnostic> {
    let id = operands.scalar("a barrier id, 0 to 31")?;
    self::id(operands, &id)?;
    operands.end()?;
    Ok(match id.scalar {
        Scalar::Number(id) => unit(Nbar::Wait(Wait::Id(id as u8)), guard),
        Scalar::Variable(id) => bcu::Statement::Visa(Statement::Wait { id }),
    })
}

fn unit(nbar: Nbar, guard: Pred) -> bcu::Statement {
    bcu::Statement::Barrier(Instr { guard, op: Op::Nbar(nbar) }, Form::Raw)
}

/// Checks that a constant id is a barrier of the kernel.
fn id(operands: &Operands, read: &Operand) -> Result<(), Diagnostic> {
    let Scalar::Number(id) = read.scalar else { return Ok(()) };
    if id > u32::from(MAX_ID) {
        return Err(operands.wrong(
            read.span.clone(),
            format!("barrier {id} does not exist"),
            "expected a barrier id, 0 to 31",
        ));
    }
    match operands.header.barriers {
        Some(barriers) if id >= barriers => {
            let message = format!("the kernel has no barrier {id}");
            let label = format!("NBarrierCnt={} declares the barriers 0 to {}", barriers - 1, barriers - 1);
            let error = Diagnostic::new(read.span.clone(), message, label);
            Err(error.help(format!("write `.kernel_attr NBarrierCnt={id}`, or leave the attribute out")))
        }
        _ => Ok(()),
    }
}

/// Checks that a constant count fits a message.
fn count(operands: &Operands, read: &Operand, what: &str) -> Result<(), Diagnostic> {
    match read.scalar {
        Scalar::Number(0) => Err(operands.wrong(
            read.span.clone(),
            format!("a barrier of 0 {what}"),
            "expected 1 up to the number of threads of the group",
        )),
        Scalar::Number(number) if number > 255 => {
            let message = format!("a barrier of {number} {what} does not fit 8 bits");
            Err(operands.wrong(read.span.clone(), message, "expected 1 up to the number of threads of the group"))
        }
        _ => Ok(()),
    }
}

fn write(operands: &mut Operands, op: Option<Integer>) -> Result<bcu::Statement, Diagnostic> {
    operands.execution_size()?;
    let to = operands.destination()?;
    let count = if op.is_some() { 2 } else { 1 };
    let sources = (0..count).map(|_| Ok(operands.scalar("a number or a variable")?.scalar)).collect::<Result<_, _>>()?;
    operands.end()?;
    Ok(bcu::Statement::Visa(Statement::Write { to, op, sources }))
}

fn leave(operands: &mut Operands) -> Result<bcu::Statement, Diagnostic> {
    if !operands.tokens.is_empty() {
        operands.execution_size()?;
    }
    operands.end().map(|()| bcu::Statement::Exit)
}

/// The diagnostic for an unknown statement, with a suggestion.
fn unknown(word: &Token, lower: &str, following: &[Token], header: &Header) -> Diagnostic {
    let text = shown(word.text);
    let error = |message: String| Diagnostic::new(word.span(), message, "expected a statement");
    match lower {
        "nbarrier" => error("NBARRIER is not complete".to_string()).help("write `nbarrier.signal` or `nbarrier.wait`"),
        _ if lower.starts_with("nbarrier.") => {
            error(format!("unknown modifier in `{text}`")).help("write `nbarrier.signal` or `nbarrier.wait`")
        }
        "barrier" | "sbarrier.signal" | "sbarrier.wait" => {
            let (signal, wait) = (format!("`nbarrier.signal 0x0:ub {:#x}:ub`", header.threads), "`nbarrier.wait 0x0:ub`");
            let instead = match lower {
                "barrier" => format!("{signal} and on the next line {wait}"),
                "sbarrier.signal" => signal,
                _ => wait.to_string(),
            };
            error(format!("`{text}` does not name a barrier"))
                .help(format!("the barrier of all threads of the group is barrier 0: write {instead}"))
        }
        _ if following.first().is_some_and(|token| token.kind == TokenKind::Mark(':')) => {
            error("labels are not supported".to_string()).help("leave it out; LOOP and END of BCU assembly repeat lines")
        }
        _ => error(format!("unknown instruction `{text}`")).help(
            "the vISA instructions are nbarrier.signal, nbarrier.wait, mov, add, and, or, xor, shl, shr, lsc_fence and ret; write \
             others in BCU assembly, in capitals: LOOP, NOP, LD.SHARED, ST.SHARED",
        ),
    }
}
