// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Configurations: what a text asks for, which widths of signals that takes, and those that come with the project.

mod keys;
mod named;
mod read;
mod size;

pub use keys::Config;
pub use named::{named, NAMED};
pub use read::read;
pub use size::{index_bits, warp_bits, Size};
