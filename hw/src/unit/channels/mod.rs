// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The payloads of the channels and strobes between the units, in the order in which an operation passes the units.
//!
//! Sizes have the same names everywhere: `W` warps with numbers of `LW` bits and counts of `CW` bits, CTA slots with numbers of
//! `LC` bits, `L` lanes, contributions of a warp to a reduction of `VW` bits, cluster slots with numbers of `KC` bits, grid slots
//! with numbers of `KG` bits.

mod host;
mod operation;
mod outcome;

pub use host::*;
pub use operation::*;
pub use outcome::*;
