// SPDX-License-Identifier: Apache-2.0 OR MIT
//! All tests of the crate from outside, in one binary: the crate is linked once.

mod common;
mod decode_table;
mod isa_doc;
mod isa_text;
mod isa_words;
mod lanes;
mod op_values;
mod printer;
mod verilog_out;
