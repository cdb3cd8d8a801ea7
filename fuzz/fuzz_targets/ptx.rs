// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Any PTX text, lowered for one CTA of warps of 32 lanes: steps within the limits, or complaints that mark places in the text.
#![no_main]

use bcu_hw::diag::Diagnostic;
use bcu_hw::isa::instr;
use bcu_sim::program::ptx::{lower, parse, Launch, MAX_STEPS, MAX_TOTAL_STEPS, MAX_WARPS};
use bcu_sim::program::Action;
use libfuzzer_sys::fuzz_target;

const LANES: u32 = 32;

fuzz_target!(|text: &str| {
    let marks = |reports: &[Diagnostic]| reports.iter().all(|r| text.get(r.span.clone()).is_some());
    let lowered = match parse(text).and_then(|module| lower(&module, &Launch::new(LANES))) {
        Ok(lowered) => lowered,
        Err(errors) => {
            assert!(!errors.is_empty() && marks(&errors), "{errors:?}");
            return;
        }
    };
    assert!(marks(&lowered.warnings), "{:?}", lowered.warnings);
    assert_eq!(lowered.warps.len(), lowered.threads.div_ceil(LANES) as usize);
    assert!((1..=MAX_WARPS as usize).contains(&lowered.warps.len()));
    assert!(lowered.warps.iter().all(|w| w.steps.len() <= MAX_STEPS));
    assert!(lowered.warps.iter().map(|w| w.steps.len()).sum::<usize>() <= MAX_TOTAL_STEPS);
    let lines = text.lines().count();
    for step in lowered.warps.iter().flat_map(|w| &w.steps) {
        if let Action::Barrier { word, .. } = &step.action {
            assert!(instr::decode(*word).is_ok_and(|instr| instr.guard == step.guard), "{step:?}");
        }
        assert!((1..=lines).contains(&step.place.line) && !step.place.text.is_empty(), "{step:?}");
    }
});
