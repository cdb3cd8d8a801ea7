// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Unknown values that a run leaves in memory.

use super::super::sentence;
use bcu_program::Place;
use serde::Serialize;

/// An unknown value in global memory, and its origin.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UnknownValue {
    /// The address of the first byte of the value.
    pub address: u64,
    pub bytes: u64,
    /// The CTA, warp and lane that stored it.
    pub cta: usize,
    pub warp: usize,
    pub lane: usize,
    /// The location of the store.
    pub place: Place,
    /// The instruction that made the value, or the guard of the store, unknown; `None` if the origin is a register that was never written.
    pub from: Option<Place>,
    /// The parameter without a value that this instruction loads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub argument: Option<String>,
}

impl std::fmt::Display for UnknownValue {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let UnknownValue { cta, warp, lane, place, from, .. } = self;
        let from = from.as_ref().map_or("a register without a value".to_string(), sentence::place);
        write!(f, "stored by CTA {cta} warp {warp} lane {lane} at {}, unknown since {from}", sentence::place(place))
    }
}

/// A buffer or variable with stored bytes that are unknown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UnknownBuffer {
    pub name: String,
    /// The number of unknown bytes of the buffer.
    pub unknown: u64,
    /// The number of all bytes of the buffer.
    pub bytes: u64,
    /// Instructions that made bytes of the buffer unknown, at most four, in order of the addresses
    /// of these bytes.
    pub made_by: Vec<Place>,
}

impl std::fmt::Display for UnknownBuffer {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let UnknownBuffer { name, unknown, bytes, made_by } = self;
        write!(f, "{unknown} of {bytes} bytes of `{name}` were stored with unknown values")?;
        let places: Vec<String> = made_by.iter().map(sentence::place).collect();
        if places.is_empty() {
            Ok(())
        } else {
            write!(f, "; caused by {}", places.join(", "))
        }
    }
}

/// An access at an unknown address, in a launch whose arguments are all known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UnknownAddress {
    pub cta: usize,
    pub warp: usize,
    pub lane: usize,
    pub place: Place,
    /// The instruction that made the address unknown.
    pub from: Place,
    /// Whether this instruction loads memory that was never written; otherwise its result is not calculated.
    pub is_unwritten: bool,
}

/// An instruction of which it is unknown whether a lane executes it, or a branch of which it is unknown where a lane continues.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UnknownCondition {
    pub cta: usize,
    pub warp: usize,
    pub lane: usize,
    pub place: Place,
    /// Whether the instruction is a branch, call, return or exit; otherwise it is an access.
    pub is_branch: bool,
    /// The instruction that made the condition unknown; `None`: a register that was never written.
    pub from: Option<Place>,
    pub cause: ConditionCause,
}

/// Why a condition is unknown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ConditionCause {
    /// It depends on memory, or on a register, that was never written.
    Unwritten,
    /// It depends on a parameter without a value; its name.
    Argument(String),
    /// It depends on a result that is not calculated, or possibly on another parameter without a value.
    NotCalculated,
}

/// The first read of a variable that has neither an initial value nor data from a launch, and that no kernel writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnsetRead {
    /// The name of the variable in PTX.
    pub variable: String,
    pub address: u64,
    pub bytes: u64,
    /// Whether the variable is in constant memory.
    pub is_constant: bool,
    pub cta: usize,
    pub warp: usize,
    pub place: Place,
}
