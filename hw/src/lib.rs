// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The barrier unit: configuration text in, Verilog text out. This crate opens no file.

// The code that the attribute macros generate refers to this crate as `bcu_hw`, in the crate itself and in its tests.
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
