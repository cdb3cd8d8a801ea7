// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Parses any text as a scenario. The result must be a scenario with known configurations and one
//! source of stimulus, or a diagnostic that marks a span in the text.
#![no_main]

use bcu_isa::config;
use bcu_tb::scenario::file::Scenario;
use bcu_tb::scenario::text::compiled_in_program;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    match Scenario::parse("scenario.toml", text, &compiled_in_program) {
        Ok(scenario) => {
            assert!(!scenario.configs.is_empty() && scenario.configs.iter().all(|c| config::named(c.get_ref()).is_some()));
            let given = [scenario.program.is_some(), scenario.example.is_some(), scenario.ports.is_some()];
            assert!(given.into_iter().filter(|given| *given).count() == 1, "{scenario:?}");
        }
        Err(error) => assert!(text.get(error.span.clone()).is_some() && !error.message.is_empty(), "{error:?}"),
    }
});
