// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The memories of `prim`, told by their ports. Their text is written by hand, so nothing else says what they do.

use crate::verilog::collect::Module;
use rust_hdl::prelude::AtomKind;

/// Names of the ports of a memory.
#[derive(Clone)]
pub struct Leaf {
    pub words: usize,
    /// Bits, port to write, port to read.
    pub fields: Vec<(usize, String, String)>,
    pub marked: bool,
}

/// The memory that a leaf with hand-written text is; `None` if it is something else.
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
    let known =
        |names: &[&str]| module.signals.len() == names.len() + 2 * fields.len() && names.iter().all(|n| width(n).is_some());
    if known(&["clock", "write", "write_address", "read_address"]) {
        let words = 1usize.checked_shl(u32::try_from(width("read_address")?).ok()?)?;
        return (width("write")? == 1).then_some(Leaf { words, fields, marked: false });
    }
    (known(&["clock", "write", "select"])).then_some(Leaf { words: width("select")?, fields, marked: true })
}
