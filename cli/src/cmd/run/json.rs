// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The report of a run as JSON, with the compiler and the project file.

use crate::cmd::case::Setup;
use crate::failure::{Failure, Result};
use bcu_machine::Report;
use serde::Serialize;

#[derive(Serialize)]
struct Whole<'a> {
    #[serde(flatten)]
    report: &'a Report,
    #[serde(flatten)]
    setup: &'a Setup,
}

pub fn render(report: &Report, setup: &Setup) -> Result<String> {
    let text = serde_json::to_string_pretty(&Whole { report, setup }).map_err(|e| Failure::plain(e, None))?;
    Ok(text + "\n")
}
