// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Checks that a configuration has the units that a program's instructions need. A configuration has the barriers of one vendor: `named`,
//! `mbarrier`, `cluster` and `grid`, or Intel's gateway instead.

use crate::sentence::place::line;
use bcu_isa::config::Config;
use bcu_isa::diag::Diagnostic;
use bcu_isa::instr::{decode, Op as IsaOp};
use bcu_program::{Code, Instr, Op, WarpProgram};
use std::rc::Rc;
use std::sync::Arc;

/// The unit that executes an instruction.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NeededUnit {
    /// The unit with this name, which a configuration has if it has no gateway.
    WithoutGateway(&'static str),
    Gateway,
}

fn needed_unit(instr: &Instr) -> Option<NeededUnit> {
    match &instr.op {
        Op::Word(word) => match decode(word.word).ok()?.op {
            IsaOp::Bar { .. } | IsaOp::Red { .. } | IsaOp::B2r { .. } | IsaOp::Result { .. } | IsaOp::R2b { .. } => {
                Some(NeededUnit::WithoutGateway("named"))
            }
            IsaOp::Mbar(_) => Some(NeededUnit::WithoutGateway("mbarrier")),
            IsaOp::Cluster(_) => Some(NeededUnit::WithoutGateway("cluster")),
            IsaOp::Grid(_) => Some(NeededUnit::WithoutGateway("grid")),
            IsaOp::Nbar(_) => Some(NeededUnit::Gateway),
            IsaOp::Fence => None,
        },
        Op::Barrier(_) | Op::Result(_) => Some(NeededUnit::WithoutGateway("named")),
        Op::Mbarrier(_) => Some(NeededUnit::WithoutGateway("mbarrier")),
        _ => None,
    }
}

/// Fails if no unit of the configuration executes an instruction of the programs. The diagnostic has no span; its message gives the line.
pub(super) fn fits(sizes: &Config, programs: &[Rc<WarpProgram>]) -> Result<(), Diagnostic> {
    let mut codes: Vec<&Arc<Code>> = vec![];
    for program in programs {
        if !codes.iter().any(|known| Arc::ptr_eq(known, &program.code)) {
            codes.push(&program.code);
        }
    }
    let instrs = codes.iter().flat_map(|code| &code.functions).flat_map(|function| &function.instrs);
    let wrong = instrs
        .filter_map(|instr| Some((instr, needed_unit(instr)?)))
        .find(|(_, needed)| (*needed == NeededUnit::Gateway) != sizes.has_gateway());
    let Some((instr, needed)) = wrong else { return built(sizes, &codes) };
    let (line, text, name) = (line(&instr.place), &instr.place.text, &sizes.name);
    Err(match needed {
        NeededUnit::Gateway => {
            let message = format!("{line}: `{text}` needs Intel's gateway, but the configuration `{name}` has none");
            let help = "use a configuration with `gateway_ids`: `--config intel`, or `intel_tiny`, a small one";
            Diagnostic::new(0..0, message, "does not fit the configuration").help(help)
        }
        NeededUnit::WithoutGateway(unit) => {
            let message =
                format!("{line}: `{text}` needs the unit `{unit}`, but the configuration `{name}` has Intel's gateway instead");
            let help = "use a configuration without `gateway_ids`, such as `--config default`; on this one the barriers of a thread group \
                        are `nbarrier.signal` and `nbarrier.wait`, or `NBAR.SIGNAL` and `NBAR.WAIT`";
            Diagnostic::new(0..0, message, "does not fit the configuration").help(help)
        }
    })
}

/// Fails if an instruction needs state words and the configuration has none, because the instruction would give no result.
fn built(sizes: &Config, codes: &[&Arc<Code>]) -> Result<(), Diagnostic> {
    let needs = |instr: &&Instr| match &instr.op {
        Op::Result(_) => true,
        Op::Word(word) => {
            decode(word.word).is_ok_and(|word| matches!(word.op, IsaOp::B2r { .. } | IsaOp::Result { .. } | IsaOp::R2b { .. }))
        }
        _ => false,
    };
    let mut instrs = codes.iter().flat_map(|code| &code.functions).flat_map(|function| &function.instrs);
    let Some(instr) = instrs.find(needs).filter(|_| !sizes.state_words) else { return Ok(()) };
    let (line, text, name) = (line(&instr.place), &instr.place.text, &sizes.name);
    let message = format!("{line}: `{text}` needs state words, but the configuration `{name}` has none");
    let help = "use a configuration with `state_words`, such as `--config default`";
    Err(Diagnostic::new(0..0, message, "does not fit the configuration").help(help))
}

#[cfg(test)]
mod tests {
    use super::fits;
    use bcu_isa::config::named;
    use bcu_program::bcu::parse;
    use std::rc::Rc;

    #[test]
    fn what_needs_state_words_fits_no_configuration_without() {
        for text in ["B2R.WARP R4", "BAR.RED.POPC 0x1, PT\nB2R.RESULT R4", "MOV R4, 0\nR2B.BAR 0x1, R4"] {
            let programs: Vec<_> = parse(text, None).unwrap().warps.into_iter().map(Rc::new).collect();
            assert!(fits(&named("warp8").unwrap(), &programs).is_ok(), "{text}");
            let (line, last) = (text.lines().count(), text.lines().last().unwrap_or(""));
            let said = format!("line {line}: `{last}` needs state words, but the configuration `warp8_no_state` has none");
            assert_eq!(fits(&named("warp8_no_state").unwrap(), &programs).unwrap_err().message, said);
        }
    }
}
