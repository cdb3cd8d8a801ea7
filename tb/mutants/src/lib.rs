// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The units of bcu-hw, once per fault of `faults.toml`, each copy with that one fault in it.
//!
//! A lockstep run that does not tell these from the model would not find such a fault in the units themselves either.

use bcu_hw::config::Config;
use bcu_hw::ports::Unit;

/// A faulty unit.
pub struct Fault {
    pub name: &'static str,
    /// Unit whose ports must show it.
    pub unit: &'static str,
    /// What it breaks, one sentence.
    pub breaks: &'static str,
    /// The copy's catalogue, which has the configuration `small` only.
    pub build: fn(&Config, &str) -> Option<Box<dyn Unit>>,
}

include!(concat!(env!("OUT_DIR"), "/faults.rs"));
