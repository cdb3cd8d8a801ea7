// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A design with an asynchronous, active-low reset, in a module with a synchronous, active-high one, for the comparison with a model.

use super::Design;
use bcu_isa::ports::{Dir, Port};
use std::fmt::Write as _;

/// The design `text` with the module `top`, whose reset is the input `reset_n`, in a module with the ports `ports`.
///
/// The unit is in reset in the first half of each cycle after one with `reset` = 1, so its registers have their reset values in the same
/// cycles as with a synchronous reset. `reset_begun` changes at the edge that begins such a half, `reset_ended` at the edge that ends it.
pub fn with_sync_reset(text: &str, top: &str, ports: Vec<Port>) -> Design {
    let name = format!("{top}_sync");
    let (mut declared, mut pins) = ("input wire clock".to_string(), ".clock(clock)".to_string());
    for port in &ports {
        let direction = if port.dir == Dir::In { "input" } else { "output" };
        let _ = write!(declared, ", {direction} wire [{}:0] {}", port.width - 1, port.name);
        let _ = match port.name.as_str() {
            "reset" => write!(pins, ", .reset_n(reset_begun == reset_ended)"),
            name => write!(pins, ", .{name}({name})"),
        };
    }
    let wrapper = format!(
        "module {name} ({declared});\n  reg reset_begun = 0, reset_ended = 0;\n  always @(posedge clock) if (reset) reset_begun <= !reset_ended;\n  \
         always @(negedge clock) reset_ended <= reset_begun;\n  {top} unit ({pins});\nendmodule\n"
    );
    Design { text: format!("{text}\n{wrapper}"), top: name, ports }
}
