// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Lines with statements of vISA.

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

/// Reads a line if its statement is one of vISA; spans count in the line.
pub fn read(header: &Header, text: &str) -> Option<Result<bcu::Read, Diagnostic>> {
    let all = tokens(text);
    // A wrong guard is a matter of whoever reads BCU assembly.
    let (guard, rest) = guard(&all).ok()?;
    let (word, operands) = rest.split_first()?;
    let after = all.last().map_or(text.len(), |token| token.span().end);
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

/// How a statement is written.
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

/// What `mov`, `add` and the others calculate; `None` inside is `mov`.
fn operation(name: &str) -> Option<Option<Integer>> {
    // vISA subtracts by adding.
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
            let label = "expected 0, producer and consumer, 1, producer, or 2, consumer";
            return Err(operands.wrong(second.span, format!("there is no type {role}"), label));
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

/// A number must be that of a barrier that the kernel has.
fn id(operands: &Operands, read: &Operand) -> Result<(), Diagnostic> {
    let Scalar::Number(id) = read.scalar else { return Ok(()) };
    if id > u32::from(MAX_ID) {
        return Err(operands.wrong(read.span.clone(), format!("there is no barrier {id}"), "expected a barrier id, 0 to 31"));
    }
    match operands.header.barriers {
        Some(barriers) if id >= barriers => {
            let message = format!("the kernel has no barrier {id}");
            let label = format!("NBarrierCnt={} makes the barriers 0 to {}", barriers - 1, barriers - 1);
            let error = Diagnostic::new(read.span.clone(), message, label);
            Err(error.help(format!("write `.kernel_attr NBarrierCnt={id}`, or leave the attribute out")))
        }
        _ => Ok(()),
    }
}

/// A number must be one that a message can have.
fn count(operands: &Operands, read: &Operand, what: &str) -> Result<(), Diagnostic> {
    match read.scalar {
        Scalar::Number(0) => {
            Err(operands.wrong(read.span.clone(), format!("a barrier of 0 {what}"), "expected 1 to the threads of the group"))
        }
        Scalar::Number(number) if number > 255 => {
            let message = format!("a barrier of {number} {what}, which 8 bits do not hold");
            Err(operands.wrong(read.span.clone(), message, "expected 1 to the threads of the group"))
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

/// What is no statement here, and what to write instead.
fn unknown(word: &Token, lower: &str, behind: &[Token], header: &Header) -> Diagnostic {
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
            error(format!("`{text}` leaves out which barrier it means"))
                .help(format!("the barrier of all threads of the group is barrier 0: write {instead}"))
        }
        _ if behind.first().is_some_and(|token| token.kind == TokenKind::Mark(':')) => {
            error("there are no labels".to_string()).help("leave it out; LOOP and END of BCU assembly repeat lines")
        }
        _ => error(format!("unknown instruction `{text}`")).help(
            "of vISA there are nbarrier.signal, nbarrier.wait, mov, add, and, or, xor, shl, shr, lsc_fence and ret; the rest is written \
             in BCU assembly, in capitals: LOOP, NOP, LD.SHARED, ST.SHARED",
        ),
    }
}
