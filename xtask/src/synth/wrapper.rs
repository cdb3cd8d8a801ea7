// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The wrapper in which the netlist of a unit is placed.
//!
//! The mapped netlist is instantiated in a wrapper. A shift register drives every
//! input. Registers sample the outputs, four bits per register. So every path of the unit is
//! between registers, and a few pins and cells suffice for all ports. Synthesis does not optimise
//! across the unit's boundary, because the netlist is already mapped. If a unit does not fit on
//! HX8K together with these registers, it is placed a second time. Then the registers of the pins
//! drive the inputs in place of the shift register, each of them several inputs.

use bcu_isa::ports::{Dir, Port};
use std::fmt::Write as _;

/// The wrapper. One long shift register drives the unit's inputs. The unit's outputs are folded into one pin, four bits per register. A
/// cell of these devices holds a function of four bits and its register, so an output only has to reach the register next to it. If `pads`
/// is not 0, the registers of `pads` iCE40 pins drive the inputs instead, and each of these registers drives several inputs.
pub fn wrapper((top, clock): (&str, &str), ports: &[Port], pads: usize) -> String {
    let mut pins = String::new();
    let (mut fed_bits, mut read_bits) = (0, 0);
    for port in ports {
        let (net, at) = if port.dir == Dir::In { ("feed", &mut fed_bits) } else { ("taken", &mut read_bits) };
        let low = *at;
        *at += port.width;
        let _ = write!(pins, ",\n    .{}({net}[{}:{low}])", port.name, *at - 1);
    }
    let (top_bit, pads) = (fed_bits - 1, pads.min(fed_bits));
    let (pin, feed, mut steps) = match pads {
        0 => (
            "in".to_string(),
            format!("reg [{top_bit}:0] feed;"),
            format!("    feed <= {{feed[{}:0], in}};\n", fed_bits.saturating_sub(2)),
        ),
        _ => (
            format!("[{}:0] in", pads - 1),
            format!(
                "wire [{last}:0] read;\n  wire [{top_bit}:0] feed = {{{}{{read}}}};\n  \
                 SB_IO #(.PIN_TYPE(6'b000000)) pad [{last}:0] (.PACKAGE_PIN(in), .INPUT_CLK(clock), .D_IN_0(read));",
                fed_bits.div_ceil(pads),
                last = pads - 1
            ),
            String::new(),
        ),
    };
    let mut wires = format!("  {feed}\n  wire [{}:0] taken;\n", read_bits - 1);
    let mut from = "taken".to_string();
    for level in 0.. {
        let to = format!("folded_{level}");
        let parts: Vec<String> =
            (0..read_bits).step_by(4).map(|low| format!("^{from}[{}:{low}]", (low + 3).min(read_bits - 1))).rev().collect();
        read_bits = parts.len();
        let _ = writeln!(wires, "  reg [{}:0] {to};", read_bits - 1);
        let _ = writeln!(steps, "    {to} <= {{{}}};", parts.join(", "));
        from = to;
        if read_bits == 1 {
            break;
        }
    }
    format!(
        "module wrap (input clock, input {pin}, output out);\n{wires}  assign out = {from};\n  always @(posedge clock) begin\n\
         {steps}  end\n  {top} unit (.{clock}(clock){pins});\nendmodule\n"
    )
}
