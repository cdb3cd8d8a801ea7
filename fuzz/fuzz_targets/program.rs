// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Any text, on a machine of 1 to 8 warps or without one: a program for every warp, or complaints that mark places in the text.
#![no_main]

use bcu_hw::isa::instr;
use bcu_sim::program::bcu::{parse, MAX_REPORTS, MAX_STEPS};
use bcu_sim::program::Action;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (u8, &str)| {
    let (machine, text) = input;
    let machine = Some(usize::from(machine % 9)).filter(|n| *n > 0);
    let reports = match parse(text, machine) {
        Ok(parsed) => {
            assert!(machine.is_none_or(|n| n == parsed.warps.len()) && !parsed.warps.is_empty());
            let steps: Vec<_> = parsed.warps.iter().flat_map(|w| &w.steps).collect();
            assert!(steps.len() <= MAX_STEPS);
            for step in steps {
                match step.action {
                    // Only `WORD` makes words that are no instruction.
                    Action::Barrier { word, .. } => assert!(instr::decode(word).is_ok() || step.place.text.starts_with("WORD")),
                    Action::Busy { cycles } => assert!(cycles > 0),
                    _ => {}
                }
                assert!(step.place.line <= text.lines().count() && !step.place.text.is_empty());
            }
            parsed.warnings
        }
        Err(errors) => {
            assert!((1..=MAX_REPORTS + 1).contains(&errors.len()));
            errors
        }
    };
    assert!(reports.iter().all(|r| text.get(r.span.clone()).is_some()), "{reports:?}");
});
