// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Describes where an unknown value comes from, and what gives it a value.

use super::super::sentence::place::line;
use super::super::warp::threads::{bits, At};
use super::super::warp::{UnknownRead, Warp};
use bcu_isa::diag::Diagnostic;
use bcu_program::deciding::{self, Missing};
use bcu_program::{Access, Op, Operand, Space, Special};

/// The maximum number of addresses in the description of one value, each of which was loaded from the next one.
const MOST_ADDRESSES: usize = 4;

/// What to do if a kernel reads a workspace that the launch does not have.
const COOPERATIVE: &str = "launch the kernel with `--cooperative`, or with `cooperative = true` in a launch file";

/// Adds to `diagnostic` the instruction that made the operand unknown, and what gives it a value.
pub(super) fn explain(warp: &Warp, operand: &Operand, lanes: u64, diagnostic: Diagnostic) -> Diagnostic {
    let Operand::Register { slot, .. } = operand else { return diagnostic };
    let Some(lane) = bits(lanes).next() else { return diagnostic };
    let at = warp.threads.place_in(lane, warp.threads.depth(lane)).unwrap_or_default();
    let function = warp.code().functions.get(at.function);
    let name = function.and_then(|function| function.registers.get(*slot)).map_or("it", String::as_str);
    let help = match warp.values.origin(warp.threads.base[lane] + slot) {
        None => format!("`{name}` has no value yet: set it before this line, for instance with `mov.u32 {name}, 1;`"),
        Some(origin) => {
            let missing = missing(warp);
            let mut named = None;
            let source = source(warp, &format!("`{name}`"), origin, &missing, &mut named);
            source + &others(warp, &missing, named)
        }
    };
    diagnostic.help(help)
}

/// The parameters without a value on which a decision of the kernel may depend.
fn missing(warp: &Warp) -> Vec<Missing> {
    warp.program.function().map_or(vec![], |kernel| deciding::missing(kernel, &warp.program.grid))
}

/// Text with the other arguments that this kernel needs, so that the user can give all of them at once. `named`: the parameter that is
/// already named.
fn others(warp: &Warp, missing: &[Missing], named: Option<usize>) -> String {
    let others = missing.iter().filter(|missing| Some(missing.param) != named);
    let others: Vec<String> = others.filter_map(|missing| option(warp, missing)).collect();
    match others.is_empty() {
        true => String::new(),
        false => format!("; give these too, on which decisions of this kernel depend: {}", others.join(" ")),
    }
}

/// The command-line option that gives a value to a parameter of the kernel, with an example of a value.
fn option(warp: &Warp, missing: &Missing) -> Option<String> {
    let param = warp.program.grid.params.get(missing.param)?;
    let name = &param.name;
    let value = match param.ty.as_str() {
        _ if missing.pointer => "u32:[1024]:0".to_string(),
        ".f16" | ".bf16" | ".f32" | ".f64" => format!("{}:1.5", &param.ty[1..]),
        _ if param.bytes <= 8 => "64".to_string(),
        _ => return Some(format!("`--arg {name}=bytes:…` ({} bytes)", param.bytes)),
    };
    Some(format!("`--arg {name}={value}`"))
}

/// Describes the instruction that made a value unknown; `subject` is the value. Sets `named` if this is a parameter.
fn source(warp: &Warp, subject: &str, origin: At, missing: &[Missing], named: &mut Option<usize>) -> String {
    let (mut subject, mut origin) = (subject.to_string(), origin);
    let mut text = String::new();
    for _ in 0..MOST_ADDRESSES {
        let place = warp.place_of(origin);
        let instr = format!("{}, `{}`", line(&place), place.text);
        let read = warp.unknown_reads.get(&origin);
        // Another warp may have loaded the parameter.
        let of_text = warp.instr(origin).and_then(|instr| constant_argument(&instr.op));
        let byte = match read {
            Some(UnknownRead::Argument(byte)) => Some(*byte),
            _ => of_text,
        };
        if let Some(byte) = byte {
            return text + &argument(warp, &subject, (byte, &line(&place)), missing, named);
        }
        let is_store = |access: &Access| !access.loads();
        match warp.instr(origin).map(|instr| &instr.op) {
            Some(Op::Access(access)) => match read {
                Some(UnknownRead::NoAddress(_)) if is_store(access) => {
                    text += &format!(
                        "{subject} depends on {instr}, which stores at an unknown address, after which all of that memory is unknown"
                    );
                }
                Some(UnknownRead::NoAddress(_)) => {
                    text += &format!("{subject} depends on {instr}, which reads at an unknown address");
                }
                _ => return text + &unwritten(&subject, &instr, access.space),
            },
            Some(Op::Calc { sources, .. }) if sources.iter().any(is_workspace) => {
                return text + &format!("{subject} depends on {instr}, the workspace of a cooperative launch: {COOPERATIVE}");
            }
            Some(Op::Calc { .. }) if read == Some(&UnknownRead::NoValue) => {
                return text + &format!("{subject} depends on {instr}, which reads a register that was never written");
            }
            Some(Op::Calc { .. }) => {
                return text
                    + &format!("{subject} depends on {instr}, whose sources are unknown, or whose result is undefined");
            }
            _ => return text + &format!("{subject} depends on {instr}, whose result is unknown"),
        }
        let Some(UnknownRead::NoAddress(Some(of_address))) = read else { return text };
        text += "; ";
        (subject, origin) = ("its address".to_string(), *of_address);
    }
    text.trim_end_matches("; ").to_string()
}

/// Describes a parameter of the kernel without a value, from byte `byte` of the arguments.
fn argument(warp: &Warp, subject: &str, (byte, line): (usize, &str), missing: &[Missing], named: &mut Option<usize>) -> String {
    let params = &warp.program.grid.params;
    let contains = |param: &bcu_program::ptx::Param| (param.offset..param.offset + param.bytes).contains(&(byte as u64));
    let Some(at) = params.iter().position(contains) else {
        return format!("{subject} depends on byte {byte} of the arguments of the kernel ({line}), which has no value");
    };
    *named = Some(at);
    let param = &params[at];
    let pointer =
        missing.iter().any(|missing| missing.param == at && missing.pointer) || subject == "its address" && param.bytes == 8;
    let option = option(warp, &Missing { param: at, pointer }).unwrap_or_default();
    let name = &param.name;
    let directive = match param.bytes <= 8 && !pointer && !param.ty.starts_with(".f") {
        true => format!(", or in the text `// bcu: param {name} 64`"),
        false => String::new(),
    };
    let inside = byte as u64 - param.offset;
    let part = if param.bytes > 8 { format!("byte {inside} of ") } else { String::new() };
    format!("{subject} depends on {part}the parameter `{name}` ({line}); give it a value: {option}{directive}")
}

/// Describes a load of memory that was never written.
fn unwritten(subject: &str, instr: &str, space: Space) -> String {
    let remedy = match space {
        Space::Global => "store to it before, or give the buffer a `fill`",
        _ => "store to it before",
    };
    format!("{subject} depends on {instr}, which reads memory that was never written: {remedy}")
}

/// The byte of the arguments that an instruction loads, if the instruction states it.
pub(in super::super) fn constant_argument(op: &Op) -> Option<usize> {
    match op {
        Op::Access(Access { space: Space::Param, address: Some(Operand::Immediate(at)), offset, .. }) => {
            usize::try_from(at.checked_add(*offset)?).ok()
        }
        _ => None,
    }
}

/// Whether an operand is a half of the address of the workspace of a cooperative launch.
fn is_workspace(operand: &Operand) -> bool {
    matches!(operand, Operand::Special(Special::WorkspaceHigh | Special::WorkspaceLow))
}
