// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `bcu_prim.v`: the parameterised modules that the units of an export instantiate. The text is hand-written, in `prim.v`; its lines are
//! selected by the reset of the export.

use crate::verilog::{primitive_module, Reset, PREFIX};

/// The text, in which `@EDGE@`, `@RESET@` and `@PORT@` stand for the events, the condition and the port of the reset. A line that begins with
/// `@SYNC@`, `@ASYNC@`, `@CONTROL@` or `@ALL@` is only in the exports with this reset.
const TEXT: &str = include_str!("prim.v");

/// The name of the file.
pub fn file_name(prefix: &str) -> String {
    format!("{prefix}_prim.v")
}

/// Whether a module of the text `verilog` is an instance of a module of this file.
pub fn is_used_by(prefix: &str, verilog: &str) -> bool {
    verilog.contains(&format!("  {}", primitive_module(prefix, "")))
}

/// The modules of the file, with names for `prefix`.
pub fn text(prefix: &str, reset: Reset) -> String {
    let lines = [
        ("@SYNC@", !reset.is_async_low),
        ("@ASYNC@", reset.is_async_low),
        ("@CONTROL@", !reset.of_all),
        ("@ALL@", reset.of_all),
    ];
    let shown = |line: &'static str| match lines.iter().find_map(|(mark, holds)| Some((line.strip_prefix(mark)?, *holds))) {
        Some((line, holds)) => holds.then_some(line),
        None => Some(line),
    };
    let text: String = TEXT.lines().filter_map(shown).map(|line| format!("{line}\n")).collect();
    let text = text.replace("@EDGE@", &reset.events("clock")).replace("@RESET@", reset.condition());
    text.replace("@PORT@", reset.port())
        .replace("@RESETS@", resets(reset))
        .replace(&primitive_module(PREFIX, ""), &primitive_module(prefix, ""))
}

/// What is reset, in one sentence.
fn resets(reset: Reset) -> &'static str {
    match (reset.is_async_low, reset.of_all) {
        (false, false) => {
            "synchronous, active high, of the registers that control others; payloads, words and memories have none."
        }
        (false, true) => {
            "synchronous, active high, of all registers; memories, with the register of their read port, have none."
        }
        (true, false) => {
            "asynchronous, active low, of the registers that control others; payloads, words and memories have none."
        }
        (true, true) => {
            "asynchronous, active low, of all registers; memories, with the register of their read port, have none."
        }
    }
}
