// SPDX-License-Identifier: Apache-2.0 OR MIT
//! All external tests of the crate in one binary, so that the crate is linked once.

mod assert;
mod bar;
mod catalog;
mod comments;
mod common;
mod config;
mod cta;
mod decode_table;
mod defs;
mod dialects;
mod every_file;
mod export;
mod integration;
mod isa_doc;
mod isa_lex;
mod isa_text;
mod isa_words;
mod lanes;
mod layout;
mod lint;
mod measured;
mod op_values;
mod operators;
mod phase;
mod place;
mod port_texts;
mod prim;
mod printer;
mod reset_page;
mod threads;
mod verilog_out;
mod wrapper;
