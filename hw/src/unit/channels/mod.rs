// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What travels on the channels and strobes of the units, in the order of the data's way.
//!
//! Sizes have the same names everywhere: `W` warps of `LW` bits, counted in `CW` bits, slots of `LC` bits, `L` lanes, contributions of `VW` bits.

mod host;
mod operation;
mod outcome;

pub use host::*;
pub use operation::*;
pub use outcome::*;
