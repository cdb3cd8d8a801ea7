// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Runs a program on the model of `bcu` for at most 1000 cycles. The arrivals in its report must
//! have lines of the text.

use bcu_isa::config;
use bcu_isa::diag::Diagnostic;
use bcu_machine::{run as execute, Machine, RunError};
use bcu_model::{by_name, Sizes};
use bcu_program::{Code, WarpProgram};

pub const LANES: u32 = 32;
/// Programs with more warps, or with more bytes of variables or in a function's frame, are not run,
/// because that would take too long.
const MOST_WARPS: usize = 8;
const MOST_BYTES: u64 = 1 << 12;

fn is_large(code: &Code) -> bool {
    let variables: usize = code.variables.iter().map(|variable| variable.bytes.len()).sum();
    variables as u64 > MOST_BYTES || code.functions.iter().any(|function| function.frame > MOST_BYTES)
}

/// # Errors
/// The reason that the program cannot continue.
pub fn run(programs: &[WarpProgram], threads: u32, text: &str) -> Result<(), Diagnostic> {
    if programs.len() > MOST_WARPS || programs.first().is_none_or(|program| is_large(&program.code)) {
        return Ok(());
    }
    let config = config::named("warp32").unwrap();
    let mut machine = Machine::parse("max_cycles = 1000").unwrap();
    machine.size(threads);
    let mut model = by_name("bcu", Sizes::try_from(&config).unwrap()).unwrap();
    match execute(&mut *model, &config, &machine, programs, &mut |_| ()) {
        Ok(report) => {
            let lines = text.lines().count();
            let mut places = report.generations.iter().flat_map(|g| &g.arrivals).map(|arrival| &arrival.place);
            assert!(places.all(|place| (1..=lines).contains(&place.line)), "{report}");
            Ok(())
        }
        Err(RunError::Program { stopped, .. }) => Err(stopped.diagnostic),
        Err(other) => panic!("{other}"),
    }
}
