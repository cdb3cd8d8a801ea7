// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The memories of `prim`, recognised by their ports. Their text is hand-written, so nothing else describes their function.

use crate::collect::Module;
use crate::reset::RESET;
use rust_hdl::prelude::AtomKind;

/// The number of words and the port names of a memory.
#[derive(Clone)]
pub struct Leaf {
    pub words: usize,
    /// Width, write port, read port.
    pub fields: Vec<(usize, String, String)>,
    /// Words are selected by one bit each, not by an index.
    pub marked: bool,
    /// True: the memory has an input `read`, and its output holds the last word while `read` is 0. False: it reads in every
    /// cycle.
    pub holds_read_word: bool,
}

/// The memory that the leaf with hand-written text implements; `None` if the leaf is not a memory.
pub fn leaf(module: &Module) -> Option<Leaf> {
    let width = |name: &str| module.signals.iter().find(|s| s.name == name).map(|s| s.width);
    let mut fields = vec![];
    for signal in module.signals.iter().filter(|s| s.kind == AtomKind::OutputParameter) {
        let field = signal.name.strip_prefix("read_")?;
        let write = format!("write_{field}");
        if width(&write)? != signal.width {
            return None;
        }
        fields.push((signal.width, write, signal.name.clone()));
    }
    // Words have no reset: an input `reset` is for exports in which all registers have one.
    let ports = module.signals.iter().filter(|s| s.name != RESET).count();
    let known = |names: &[&str]| ports == names.len() + 2 * fields.len() && names.iter().all(|n| width(n).is_some());
    let holds_read_word = known(&["clock", "write", "write_address", "read", "read_address"]);
    if holds_read_word || known(&["clock", "write", "write_address", "read_address"]) {
        let words = 1usize.checked_shl(u32::try_from(width("read_address")?).ok()?)?;
        return (width("write")? == 1).then_some(Leaf { words, fields, marked: false, holds_read_word });
    }
    let selects: Vec<String> = fields.iter().filter_map(|(_, write, _)| select(write)).collect();
    let names: Vec<&str> = ["clock", "write"].into_iter().chain(selects.iter().map(String::as_str)).collect();
    known(&names).then_some(Leaf { words: width("write")?, fields, marked: true, holds_read_word: false })
}

/// The name of the port that selects the word to read, for the field that the port `write` writes.
pub fn select(write: &str) -> Option<String> {
    Some(format!("select_{}", write.strip_prefix("write_")?))
}
