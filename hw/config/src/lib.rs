// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Configurations: what a text asks for, and which widths of signals that takes. It is a crate of its own because `hw` reads configurations while it
//! is built: widths are const generics.

pub mod diag;
mod read;
mod size;

pub use read::{read, Config};
pub use size::{index_bits, warp_bits, Size};
