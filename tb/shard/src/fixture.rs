// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The options of the runs in tests.

use crate::Options;
use serde::{Deserialize, Serialize};

#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub struct Cycles(pub u32);

impl Options for Cycles {
    const COMMAND: &'static str = "test";

    fn settings(&self) -> Vec<String> {
        vec![format!("--cycles {}", self.0)]
    }

    fn change(&self, _: &Cycles) -> String {
        unreachable!("all options are settings")
    }
}
