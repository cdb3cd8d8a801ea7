// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Parses any text as PTX, lowers it for one CTA, and runs it on the model. The result must be a
//! number of warps within the limits, or diagnostics that mark spans in the text.
#![no_main]

mod run;

use bcu_isa::diag::Diagnostic;
use bcu_program::ptx::{lower, parse, Launch, MAX_WARPS};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let marks = |reports: &[Diagnostic]| reports.iter().all(|r| text.get(r.span.clone()).is_some());
    let lowered = match parse(text).and_then(|module| lower(&module, &Launch::new(run::LANES))) {
        Ok(lowered) => lowered,
        Err(errors) => {
            assert!(!errors.is_empty() && marks(&errors), "{errors:?}");
            return;
        }
    };
    assert!(marks(&lowered.warnings), "{:?}", lowered.warnings);
    assert_eq!(lowered.warps.len(), lowered.threads.div_ceil(run::LANES) as usize);
    assert!((1..=MAX_WARPS as usize).contains(&lowered.warps.len()));
    let lines = text.lines().count();
    for instr in lowered.warps.iter().flat_map(|warp| warp.function()).flat_map(|function| &function.instrs) {
        assert!((1..=lines).contains(&instr.place.line) && !instr.place.text.is_empty(), "{instr:?}");
        assert!(text.get(instr.span.clone()).is_some(), "{instr:?}");
    }
    if let Err(stopped) = run::run(&lowered.warps, lowered.threads, text) {
        assert!(marks(&[stopped]));
    }
});
