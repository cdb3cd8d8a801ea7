// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Parses any text as a hardware configuration. The result must be a configuration whose size is
//! compiled in, or diagnostics that mark spans in the text.
#![no_main]

use bcu_hw::{catalog, config};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    match config::parse("fuzz", text) {
        Ok(found) => assert!(found.name == "fuzz" && catalog::is_compiled(&found), "{found:?}"),
        Err(errors) => {
            assert!(!errors.is_empty());
            assert!(errors.iter().all(|e| text.get(e.span.clone()).is_some() && !e.message.is_empty()), "{errors:?}");
        }
    }
});
