// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The report of a run as JSON, with the compiler and the project file.

use crate::cmd::case::Origin;
use crate::failure::{Failure, Result};
use bcu_machine::Report;
use serde::Serialize;

#[derive(Serialize)]
struct Whole<'a> {
    #[serde(flatten)]
    report: &'a Report,
    #[serde(flatten)]
    origin: &'a Origin,
}

pub fn render(report: &Report, origin: &Origin) -> Result<String> {
    let text = serde_json::to_string_pretty(&Whole { report, origin }).map_err(|e| Failure::plain(e, None))?;
    Ok(text + "\n")
}
