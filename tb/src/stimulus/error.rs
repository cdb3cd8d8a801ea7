// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The errors of creating a stimulus.

use bcu_isa::units::UNITS;
use bcu_model::dut::NoPort;

/// Why a stimulus for a unit cannot be created.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum StimulusError {
    #[error("no stimulus for unit `{0}`; there is one for {units}", units = UNITS.join(", "))]
    UnknownUnit(String),
    #[error("{0}, which this unit's stimulus needs")]
    NoPort(#[from] NoPort),
}
