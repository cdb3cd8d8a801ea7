// SPDX-License-Identifier: Apache-2.0 OR MIT
//! From a rust-hdl block to Verilog-2005 text.
