// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The time of a part in a record.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

/// The maximum time of a part in seconds, some thirty years.
const MAX_SECONDS: f64 = 1e9;

/// Reads the time of a part, for `deserialize_with`.
///
/// # Errors
/// If the value is not a time.
pub fn seconds<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    let seconds = f64::deserialize(from)?;
    match (0.0..=MAX_SECONDS).contains(&seconds) {
        true => Ok(seconds),
        false => {
            Err(D::Error::custom(format_args!("`seconds`: {seconds} is not the time of a part; expected 0 to {MAX_SECONDS}")))
        }
    }
}
