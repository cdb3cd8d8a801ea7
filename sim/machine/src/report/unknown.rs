// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What a run leaves in memory without a value that is known.

use super::super::sentence;
use bcu_program::Place;
use serde::Serialize;

/// A value in global memory that is not known, and where it comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UnknownValue {
    /// Of its first byte.
    pub address: u64,
    pub bytes: u64,
    /// Who stored it.
    pub cta: usize,
    pub warp: usize,
    pub lane: usize,
    /// The store.
    pub place: Place,
    /// The instruction that made the value, or the guard of the store, unknown; `None`: a register that was never written.
    pub from: Option<Place>,
}

impl std::fmt::Display for UnknownValue {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let UnknownValue { cta, warp, lane, place, from, .. } = self;
        let from = from.as_ref().map_or("a register without a value".to_string(), sentence::place);
        write!(f, "stored by CTA {cta} warp {warp} lane {lane} at {}, unknown since {from}", sentence::place(place))
    }
}

/// A buffer or variable with bytes that were stored and are not known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UnknownBuffer {
    pub name: String,
    /// How many bytes, of so many.
    pub unknown: u64,
    pub bytes: u64,
    /// Instructions that made values unknown that are there, of the lowest addresses.
    pub made_by: Vec<Place>,
}

impl std::fmt::Display for UnknownBuffer {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let UnknownBuffer { name, unknown, bytes, made_by } = self;
        write!(f, "{unknown} of {bytes} bytes of `{name}` were stored and are not known")?;
        let places: Vec<String> = made_by.iter().map(sentence::place).collect();
        if places.is_empty() {
            Ok(())
        } else {
            write!(f, "; made so by {}", places.join(", "))
        }
    }
}

/// An access at an address that depends on memory that was never written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UnknownAddress {
    pub cta: usize,
    pub warp: usize,
    pub lane: usize,
    pub place: Place,
    /// The load of that memory.
    pub from: Place,
}
