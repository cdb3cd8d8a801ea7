// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The barrier unit: configuration text in, Verilog text out. This crate opens no file.

// The attribute macros name this crate by this path, both in the crate and in its tests.
extern crate self as bcu_hw;

pub mod catalog;
pub mod config;
pub mod export;
pub mod payload;
pub mod port_value;
pub mod ports;
pub mod prelude;
pub mod prim;
pub mod unit;

pub use bcu_verilog::{self as verilog, netlist};
