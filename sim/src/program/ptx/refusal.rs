// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Why something cannot be decided before the run, and what the reader can do about it.

use super::ast::{Instr, Op, Operand, Slot};
use super::eval::Registers;
use super::walk::Walk;
use bcu_hw::diag::Diagnostic;

impl Walk<'_> {
    /// What stands at `instr` hangs on a guard that is not known.
    pub(super) fn refusal(&self, instr: &Instr, registers: &Registers, what: &str, reason: &str) -> Diagnostic {
        let slot = instr.guard.map_or(0, |guard| guard.slot);
        let message = format!("{what} in warp {} is not known before the run", self.context.warp);
        self.explain(slot, registers, Diagnostic::new(instr.span.clone(), message, reason))
    }

    /// Adds where the unknown value of a register comes from.
    pub(super) fn explain(&self, slot: Slot, registers: &Registers, diagnostic: Diagnostic) -> Diagnostic {
        let name = self.code.registers.get(slot).map_or("it", String::as_str);
        let Some(origin) = registers.origin(slot).and_then(|origin| self.code.instrs.get(origin)) else {
            return diagnostic
                .help(format!("`{name}` has no value yet: set it before, for instance with `mov.u32 {name}, 1;`"));
        };
        let (line, text) = (origin.place.line, &origin.place.text);
        diagnostic.help(match &origin.op {
            Op::Barrier(_) => {
                format!("`{name}` depends on the reduction of line {line}, whose result exists only in the run")
            }
            Op::Calc { sources, .. } => match sources.first() {
                Some(Operand::Param(param)) if !self.code.has_param(param) => {
                    format!("`{name}` depends on `{param}`, which is no parameter of the kernel but what a call returned; calls are not evaluated")
                }
                Some(Operand::Param(param)) => {
                    format!("`{name}` depends on a parameter of the kernel; give it a value: `// bcu: param {param} 64`")
                }
                _ => not_evaluated(name, line, text),
            },
            _ => not_evaluated(name, line, text),
        })
    }
}

fn not_evaluated(name: &str, line: usize, text: &str) -> String {
    format!("`{name}` depends on line {line}, `{text}`, which is not evaluated before the run")
}
