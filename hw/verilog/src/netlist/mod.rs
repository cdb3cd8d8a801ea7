// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A unit as one flat list of gates, registers and memories; each gate is after the gates that it reads.
//!
//! The values are those that the Verilog printer prints, so this list and the exported text describe the same circuit. It is the basis for
//! executing a unit without knowledge of blocks, and for counting its parts.

mod atoms;
mod build;
pub mod gates;
mod leaf;

pub use crate::{Cmp, Op, Reduce};
pub use build::{build, build_faulty, build_with_atoms};
