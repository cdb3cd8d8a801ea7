// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A design with an asynchronous, active-low reset, in a module with a synchronous, active-high one, for the comparison with a model.

use super::Design;
use bcu_isa::ports::{Dir, Port};
use std::fmt::Write as _;

/// The design `text` with the module `top`, whose reset is the input `reset_n`, in a module with the ports `ports`.
///
/// The unit is in reset from the edge that ends the first cycle with `reset` = 1 to the end of the last cycle with it, so its registers have
/// their reset values in the same cycles as with a synchronous reset.
pub fn with_sync_reset(text: &str, top: &str, ports: Vec<Port>) -> Design {
    let name = format!("{top}_sync");
    let (mut declared, mut pins) = ("input wire clock".to_string(), ".clock(clock)".to_string());
    for port in &ports {
        let direction = if port.dir == Dir::In { "input" } else { "output" };
        let _ = write!(declared, ", {direction} wire [{}:0] {}", port.width - 1, port.name);
        let _ = match port.name.as_str() {
            "reset" => write!(pins, ", .reset_n(!(in_reset && reset))"),
            name => write!(pins, ", .{name}({name})"),
        };
    }
    let wrapper = format!(
        "module {name} ({declared});\n  reg in_reset;\n  always @(posedge clock) in_reset <= reset;\n  {top} unit ({pins});\nendmodule\n"
    );
    Design { text: format!("{text}\n{wrapper}"), top: name, ports }
}
