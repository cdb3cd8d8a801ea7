// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Configurations: the reader, the derived signal widths, and the configurations of the project.

mod keys;
mod named;
mod read;
mod size;

pub use keys::{Config, Ranges, RANGES};
pub use named::{named, NAMED};
pub use read::read;
pub use size::{index_bits, warp_bits, Size};
