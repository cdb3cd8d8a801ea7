// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Parses any text as a machine file. The result must be a machine whose unspecified sizes can be
//! set by a program, or a diagnostic that marks a span in the text.
#![no_main]

use bcu_machine::Machine;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    match Machine::parse(text) {
        Ok(mut machine) => {
            let places = machine.ctas.iter().flat_map(|c| c.programs.iter().map(|p| p.span()));
            let places = places.chain(machine.ctas.iter().flat_map(|c| c.count.as_ref().map(|n| n.span())));
            assert!(places.into_iter().all(|span| text.get(span).is_some()), "{machine:?}");
            let open = machine.threads(32).is_none() && machine.ctas.first().is_none_or(|c| c.programs.is_empty());
            machine.size(64);
            assert!(!machine.ctas.is_empty() && (!open || machine.threads(32) == Some(64)), "{machine:?}");
        }
        Err(error) => assert!(text.get(error.span.clone()).is_some() && !error.message.is_empty(), "{error:?}"),
    }
});
