// SPDX-License-Identifier: Apache-2.0 OR MIT
//! How the run of a kernel ends.

use anyhow::{bail, Result};
use serde::Deserialize;
use std::fmt;

/// How a program ended on a device.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub enum End {
    /// The program completed, with these stored values.
    Completed(Vec<u64>),
    Hangs,
    /// An error stopped the program. The text is the driver's name of the error.
    Error(String),
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            End::Completed(stored_values) => {
                f.write_str("ends")?;
                stored_values.iter().try_for_each(|value| write!(f, " {value}"))
            }
            End::Hangs => f.write_str("hangs"),
            End::Error(name) => f.write_str(name),
        }
    }
}

impl TryFrom<String> for End {
    type Error = anyhow::Error;

    fn try_from(line: String) -> Result<End> {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("ends") => Ok(End::Completed(words.map(str::parse).collect::<Result<_, _>>()?)),
            Some("hangs") => Ok(End::Hangs),
            Some(name) if name.starts_with("CUDA_ERROR_") => Ok(End::Error(name.to_string())),
            _ => bail!("expected `ends`, `hangs` or an error of the driver, got `{line}`"),
        }
    }
}
