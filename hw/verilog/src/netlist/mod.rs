// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A unit as one flat list of gates, registers and memories, in an order in which each gate comes after what it reads.
//!
//! The values are those that the Verilog printer prints, so what is computed from this list is what the exported text says. Who wants to
//! execute a unit without knowing blocks, or to count what it is made of, starts here.

mod build;
pub mod gates;
mod leaf;

pub use crate::{Cmp, Op, Reduce};
pub use build::{build, build_faulty};
