// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Branches, calls, returns and exits, lane by lane.

use super::super::memory::Bank;
use super::super::warp::threads::{bits, At};
use super::super::warp::{Active, Chosen, Undecided, Warp};
use super::env::{Begun, Env};
use super::{stop, unknown, Stopped};
use bcu_program::{rejoin, window, Call, Callee, Guard, Instr, Op, Operand};

/// Bytes of an address that `malloc` returns; PTX with addresses of 32 bits has no heap.
const ADDRESS: u64 = 8;
/// The maximum call depth of a lane.
const MAX_DEPTH: usize = 1024;
/// The maximum number of registers of a lane in all its calls.
const MAX_REGISTERS: usize = 1 << 18;

/// Executes a branch, call, return or exit in the lanes with a true guard, and moves the other
/// lanes to the next instruction.
pub(super) fn begin(warp: &mut Warp, instr: &Instr, chosen: Chosen, lanes: Active, env: &mut Env) -> Result<Begun, Stopped> {
    let at = |index: usize| At { instr: index, ..chosen.at };
    let time = Begun::Time(u32::from(!instr.is_untimed));
    if lanes.unknown != 0 {
        let guard = instr.guard.map_or(Operand::Opaque, |Guard { slot, negated }| Operand::Register { slot, negated });
        let join = join(warp, instr, chosen.at, &guard, lanes.unknown)?;
        warp.threads.enter_unknown_path(lanes.unknown, join);
        warp.unknown_path = bits(lanes.unknown).next().and_then(|lane| unknown::origin(warp, &[guard], lane));
    }
    match &instr.op {
        Op::Branch { target } => {
            if lanes.executing != lanes.present && lanes.executing != 0 && !instr.is_untimed {
                warp.diverged_at = Some(chosen.at);
            }
            if lanes.executing != 0 {
                warp.jumped = Some((chosen.at, at(*target)));
            }
            warp.threads.move_to(lanes.executing, at(*target));
        }
        Op::Switch { index, targets } => {
            for lane in bits(lanes.executing) {
                match warp.value(index, lane, env.cycle) {
                    Some(value) => {
                        let value = value & 0xffff_ffff;
                        let target = usize::try_from(value).ok().and_then(|value| targets.get(value));
                        let target = *target.ok_or_else(|| stop::no_target(warp, instr, lane, value, targets.len()))?;
                        warp.threads.move_to(1 << lane, at(target));
                    }
                    None => {
                        let join = join(warp, instr, chosen.at, index, 1 << lane)?;
                        warp.threads.enter_unknown_path(1 << lane, join);
                        warp.unknown_path = unknown::origin(warp, std::slice::from_ref(index), lane);
                        warp.undecided = Some(Undecided { at: chosen.at, lane, origin: warp.unknown_path });
                        warp.threads.move_to(1 << lane, at(chosen.at.instr + 1));
                    }
                }
            }
        }
        Op::Call(call) => {
            // Lanes with a false guard do not call: they advance to the instruction after the call.
            warp.threads.move_to(chosen.lanes & !lanes.executing, at(chosen.at.instr + 1));
            return calls(warp, instr, call, chosen, lanes.executing, env).map(|()| time);
        }
        Op::Return if chosen.depth > 0 => {
            warp.threads.move_to(chosen.lanes & !lanes.executing, at(chosen.at.instr + 1));
            return back(warp, chosen, lanes.executing, env);
        }
        Op::Return | Op::Exit if lanes.executing != 0 => {
            warp.threads.move_to(chosen.lanes & !lanes.executing, at(chosen.at.instr + 1));
            return Ok(Begun::Exit(lanes.executing));
        }
        _ => {}
    }
    warp.threads.move_to(chosen.lanes & !lanes.executing, at(chosen.at.instr + 1));
    Ok(time)
}

/// The instruction at which the two sides of a branch with an unknown condition meet again. Fails
/// if they do not meet, or if a lane could execute an instruction between them more than once.
fn join(warp: &Warp, instr: &Instr, at: At, operand: &Operand, lanes: u64) -> Result<At, Stopped> {
    let code = warp.code();
    let Some(function) = code.functions.get(at.function) else { return Ok(At { instr: at.instr + 1, ..at }) };
    let called = bits(lanes).any(|lane| warp.threads.depth(lane) > 0);
    let join = rejoin(function, at.instr, called).map_err(|why| stop::branch(warp, instr, operand, lanes, &why))?;
    Ok(At { instr: join, ..at })
}

/// Lanes return from their function, or exit from the outermost one.
pub(super) fn back(warp: &mut Warp, chosen: Chosen, lanes: u64, env: &mut Env) -> Result<Begun, Stopped> {
    if chosen.depth == 0 {
        return Ok(Begun::Exit(lanes));
    }
    let code = warp.code().clone();
    let result = code.functions.get(chosen.at.function).and_then(|function| function.result.clone());
    for lane in bits(lanes) {
        let stack = warp.threads.stack[lane];
        let Some(caller) = warp.threads.back(lane) else { continue };
        let wanted = match code.instr(caller.at.function, caller.at.instr).map(|instr| &instr.op) {
            Some(Op::Call(call)) => call.result.clone(),
            _ => None,
        };
        if let (Some(from), Some(to), Some(memory)) = (&result, wanted, env.memory.as_mut()) {
            let bytes = (from.end - from.start).min(to.end - to.start);
            memory.copy(Bank::Local(env.index, lane), stack + from.start, caller.stack + to.start, bytes);
        }
    }
    Ok(Begun::Time(1))
}

/// Calls a function in `lanes`. Lanes that call through a register may call different functions, so each called function is entered
/// separately.
fn calls(warp: &mut Warp, instr: &Instr, call: &Call, chosen: Chosen, lanes: u64, env: &mut Env) -> Result<(), Stopped> {
    let next = At { instr: chosen.at.instr + 1, ..chosen.at };
    let mut targets: Vec<(usize, u64)> = vec![];
    // A call overwrites the carry flag, which is therefore unknown after the call.
    unknown::forget(warp, instr.written(), chosen.at, lanes);
    match &call.callee {
        Callee::Function(callee) => targets.push((*callee, lanes)),
        Callee::Outside(name) => {
            outside(warp, instr, name, call, lanes, env)?;
            warp.threads.move_to(lanes, next);
        }
        Callee::Register(operand) => {
            for lane in bits(lanes) {
                let address = warp.value(operand, lane, env.cycle).ok_or_else(|| stop::callee(warp, instr, operand, lane))?;
                let number =
                    address.checked_sub(window::FUNCTIONS).filter(|at| at.is_multiple_of(16)).map(|at| (at / 16) as usize);
                let known = number.filter(|number| *number < warp.code().functions.len());
                let callee = known.ok_or_else(|| stop::no_function(warp, instr, lane, address))?;
                match targets.iter_mut().find(|(target, _)| *target == callee) {
                    Some((_, lanes)) => *lanes |= 1 << lane,
                    None => targets.push((callee, 1 << lane)),
                }
            }
        }
    }
    for (callee, lanes) in targets {
        enter(warp, instr, call, chosen, (callee, lanes), env)?;
    }
    Ok(())
}

/// Moves `lanes` into function `callee`: gives them registers and a frame, and copies the arguments of the call to the parameters.
fn enter(
    warp: &mut Warp,
    instr: &Instr,
    call: &Call,
    chosen: Chosen,
    (callee, lanes): (usize, u64),
    env: &mut Env,
) -> Result<(), Stopped> {
    let code = warp.code().clone();
    let (Some(from), Some(to)) = (code.functions.get(chosen.at.function), code.functions.get(callee)) else { return Ok(()) };
    let highest = bits(lanes).map(|lane| warp.threads.base[lane]).max().unwrap_or(0);
    let registers = highest + from.registers.len() + to.registers.len();
    if chosen.depth >= MAX_DEPTH || registers > MAX_REGISTERS {
        return Err(stop::too_deep(warp, instr, chosen.depth));
    }
    if call.arguments.len() != to.parameters.len() {
        return Err(stop::arguments(instr, &to.name, call.arguments.len(), to.parameters.len()));
    }
    let before: Vec<(usize, u64)> = bits(lanes).map(|lane| (lane, warp.threads.stack[lane])).collect();
    warp.threads.call(lanes, chosen.at, callee, (from.registers.len(), from.frame.next_multiple_of(16)));
    for (lane, stack) in before {
        let (base, own_stack) = (warp.threads.base[lane], warp.threads.stack[lane]);
        warp.values.grow(base + to.registers.len());
        warp.values.clear(base..base + to.registers.len(), lane);
        let Some(memory) = env.memory.as_mut() else { continue };
        for (argument, parameter) in call.arguments.iter().zip(&to.parameters) {
            let bytes = (argument.end - argument.start).min(parameter.end - parameter.start);
            memory.copy(Bank::Local(env.index, lane), stack + argument.start, own_stack + parameter.start, bytes);
        }
    }
    Ok(())
}

/// Calls a function without a body, such as `printf`; its result is unknown, except that of `malloc`. The functions that end a program, such
/// as `abort`, stop the run.
fn outside(warp: &mut Warp, instr: &Instr, name: &str, call: &Call, lanes: u64, env: &mut Env) -> Result<(), Stopped> {
    if matches!(name, "__assertfail" | "__assert_fail" | "abort") {
        return Err(stop::assertion(warp, instr, lanes));
    }
    let Some(memory) = env.memory.as_mut() else { return Ok(()) };
    for lane in bits(lanes) {
        let (bank, stack) = (Bank::Local(env.index, lane), warp.threads.stack[lane]);
        let argument = match call.arguments.as_slice() {
            [argument] if argument.end - argument.start == ADDRESS => {
                memory.read(bank, stack + argument.start, ADDRESS as usize)
            }
            _ => None,
        };
        if let Some(result) = &call.result {
            memory.unknown(bank, stack + result.start, result.end - result.start);
        }
        match (name, argument, &call.result) {
            ("malloc", Some(bytes), Some(result)) if result.end - result.start == ADDRESS => {
                let address = memory.malloc(bytes);
                memory.write(bank, stack + result.start, ADDRESS as usize, address);
            }
            ("free", Some(address), _) => memory.free(address).map_err(|why| stop::freed(warp, instr, lane, &why))?,
            _ => {}
        }
    }
    Ok(())
}
