// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Whatever can be clocked: the rust-hdl block, the model, the verilated export. All of them look the same from here.

use bcu_hw::ports::Port;

/// A device under test with the ports of one unit.
pub trait Dut {
    /// All ports but the clock, in the unit's port order.
    fn ports(&self) -> &[Port];

    /// One clock cycle: drives the inputs, samples every output before the rising edge, then clocks.
    ///
    /// `inputs` holds one value per input port and `outputs` one per output port, each in port order; `reset` is an input
    /// like any other. Since no unit has a combinational path from input to output, the outputs of a cycle do not depend
    /// on the inputs of the same cycle.
    fn cycle(&mut self, inputs: &[u64], outputs: &mut [u64]);
}
