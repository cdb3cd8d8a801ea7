// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The barrier unit: configuration text in, Verilog text out. Nothing here opens a file.

pub mod catalog;
pub mod config;
pub mod diag;
pub mod export;
pub mod isa;
pub mod netlist;
pub mod payload;
pub mod ports;
pub mod prim;
pub mod unit;
pub mod verilog;
