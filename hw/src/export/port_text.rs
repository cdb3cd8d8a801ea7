// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Parts of a port table as Verilog text: ranges, and the condition under which a port is meaningful.

use bcu_isa::ports::When;

/// `[7:0] ` for a port with 8 bits; empty for a port with a single bit.
pub fn range(width: usize) -> String {
    match width {
        1 => String::new(),
        width => format!("[{}:0] ", width - 1),
    }
}

/// A Verilog expression that is true in the cycles in which all conditions in `when` hold; `name` maps each port to its name in the text.
/// `None` if `when` is empty.
pub fn condition<'a>(when: impl IntoIterator<Item = &'a When>, name: impl Fn(&str) -> String) -> Option<String> {
    let one = |When { port, values }: &When| {
        let port = name(port);
        let any: Vec<String> = values.iter().map(|value| format!("{port} == {value}")).collect();
        format!("({})", any.join(" || "))
    };
    let all: Vec<String> = when.into_iter().map(one).collect();
    (!all.is_empty()).then(|| all.join(" && "))
}
