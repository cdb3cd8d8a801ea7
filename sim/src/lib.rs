// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Executes the barrier unit: programs and cycles in, verdicts and traces out. Nothing here opens a file.

pub mod bench;
pub mod check;
pub mod compiled;
mod config;
pub mod dut;
pub mod engine;
pub mod launch;
pub mod machine;
pub mod meaning;
pub mod model;
pub mod program;
pub mod trace;
pub mod view;
