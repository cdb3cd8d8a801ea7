// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What of a port table is written into Verilog around a unit: ranges, and in which cycles a port means something.

use bcu_isa::ports::When;

/// `[7:0] ` of a port with 8 bits; nothing of one with a single bit.
pub fn range(width: usize) -> String {
    match width {
        1 => String::new(),
        width => format!("[{}:0] ", width - 1),
    }
}

/// The cycles in which all of these hold, as an expression, with a name for each port; none if nothing is asked for.
pub fn condition<'a>(when: impl IntoIterator<Item = &'a When>, name: impl Fn(&str) -> String) -> Option<String> {
    let one = |When { port, values }: &When| {
        let port = name(port);
        let any: Vec<String> = values.iter().map(|value| format!("{port} == {value}")).collect();
        format!("({})", any.join(" || "))
    };
    let all: Vec<String> = when.into_iter().map(one).collect();
    (!all.is_empty()).then(|| all.join(" && "))
}
