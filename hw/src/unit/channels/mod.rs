// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The payloads of the channels and strobes between the units, in the order in which an operation passes the units.
//!
//! Sizes have the same names everywhere: `W` warps of `LW` bits, counted in `CW` bits, CTA slots of `LC` bits, `L` lanes,
//! contributions to a reduction of `VW` bits.

mod host;
mod operation;
mod outcome;

pub use host::*;
pub use operation::*;
pub use outcome::*;
