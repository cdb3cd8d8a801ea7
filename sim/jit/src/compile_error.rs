// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Why a unit cannot be compiled to machine code.

use bcu_hw::verilog::PrintError;

/// Why a unit cannot be compiled to machine code.
#[derive(Debug, thiserror::Error)]
pub enum CompileError {
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Print(Vec<PrintError>),
    #[error("port `{0}` is not in the netlist: give the field of the unit the name of its port")]
    Port(String),
    #[error("{what} of {width} bits: only moves, logic and equality are supported above 64 bits; split the value")]
    TooWide { what: &'static str, width: usize },
    #[error("no machine code for this processor: {0}; use the rust-hdl engine")]
    Target(String),
}
