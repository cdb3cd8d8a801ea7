// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Default behaviour of the fields of a `#[block]`: a field without a statement in `update` has its default value, a register holds its
//! value, and parts are connected to clock and reset.

#[doc(hidden)]
pub use bcu_derive::sized;
use bcu_verilog::marks::{ABSENT, BLOCK, DOC, PRIMITIVE, RESETS};
use rust_hdl::prelude::*;

/// Reports the type of the block to the printer, by an empty namespace whose name begins with [`BLOCK`].
pub fn mark(block: &dyn Block, type_name: &str, probe: &mut dyn Probe) {
    let name = format!("{BLOCK}{type_name}");
    probe.visit_start_namespace(&name, block);
    probe.visit_end_namespace(&name, block);
}

/// Reports to the printer that `register`, a register or an array of registers, is 0 after reset. The report is an empty namespace
/// whose name begins with [`RESETS`].
pub fn mark_reset(block: &dyn Block, register: &str, probe: &mut dyn Probe) {
    let name = format!("{RESETS}{register}");
    probe.visit_start_namespace(&name, block);
    probe.visit_end_namespace(&name, block);
}

/// Reports to the printer the parameterised module that the block is, by an empty namespace whose name begins with [`PRIMITIVE`].
pub fn mark_primitive(block: &dyn Block, text: &str, probe: &mut dyn Probe) {
    let name = format!("{PRIMITIVE}{text}");
    probe.visit_start_namespace(&name, block);
    probe.visit_end_namespace(&name, block);
}

/// Reports the doc comment of the field `field` to the printer, by an empty namespace whose name begins with [`DOC`].
pub fn mark_doc(block: &dyn Block, field: &str, text: &str, probe: &mut dyn Probe) {
    let name = format!("{DOC}{field}\n{text}");
    probe.visit_start_namespace(&name, block);
    probe.visit_end_namespace(&name, block);
}

/// Reports to the printer that the field `name` is not built. The report is an empty namespace whose name begins with [`ABSENT`].
pub fn mark_absent(field: &dyn Block, name: &str, probe: &mut dyn Probe) {
    let name = format!("{ABSENT}{name}");
    probe.visit_start_namespace(&name, field);
    probe.visit_end_namespace(&name, field);
}

/// The initial value of a field of a block. `Default` does not suffice: rust-hdl's `Constant` and arrays of a
/// generic length do not implement it.
pub trait Fresh: Sized {
    fn fresh() -> Self;
}

/// A field of a block.
pub trait Component {
    /// Drives clock and reset, and drives the input of a register with the register's present value; assignments of `update` come later
    /// and override this value.
    fn feed(&mut self, _clock: Clock, _reset: Bit) {}
    /// Marks the inputs that `feed` drives as connected, which rust-hdl requires.
    fn claim(&mut self) {}
    /// Whether the field is an input of the enclosing block, and the value newly assigned to the input differs from its present value. The
    /// block must then be updated.
    fn waits(&self) -> bool {
        false
    }
}

impl<D: Direction, T: Synth> Fresh for Signal<D, T> {
    fn fresh() -> Self {
        Self::default()
    }
}

impl<T: Synth> Fresh for Constant<T> {
    fn fresh() -> Self {
        Constant::new(T::default())
    }
}

impl<T: Synth> Fresh for DFF<T> {
    fn fresh() -> Self {
        Self::default()
    }
}

impl<C: Fresh, const N: usize> Fresh for [C; N] {
    fn fresh() -> Self {
        std::array::from_fn(|_| C::fresh())
    }
}

impl<T: Synth> Component for Signal<In, T> {
    fn waits(&self) -> bool {
        self.next != self.val()
    }
}

impl<T: Synth> Component for Signal<Out, T> {}

impl<T: Synth> Component for Signal<Local, T> {}

impl<T: Synth> Component for Signal<InOut, T> {}

impl<T: Synth> Component for Constant<T> {}

impl<T: Synth> Component for DFF<T> {
    fn feed(&mut self, clock: Clock, _: Bit) {
        self.clock.next = clock;
        self.d.next = self.q.val();
    }
    fn claim(&mut self) {
        self.clock.connect();
        self.d.connect();
    }
}

impl<C: Component, const N: usize> Component for [C; N] {
    fn feed(&mut self, clock: Clock, reset: Bit) {
        self.iter_mut().for_each(|c| c.feed(clock, reset));
    }
    fn claim(&mut self) {
        self.iter_mut().for_each(Component::claim);
    }
    fn waits(&self) -> bool {
        self.iter().any(Component::waits)
    }
}

/// Parts whose number depends on the configuration.
impl<C: Component> Component for Vec<C> {
    fn feed(&mut self, clock: Clock, reset: Bit) {
        self.iter_mut().for_each(|c| c.feed(clock, reset));
    }
    fn claim(&mut self) {
        self.iter_mut().for_each(Component::claim);
    }
    fn waits(&self) -> bool {
        self.iter().any(Component::waits)
    }
}

/// A field that may have the attribute `#[reset]`.
pub trait Resets {
    /// Sets the next value of the register to 0. The block calls `clear` after `update` while `reset` is 1, so `clear` overrides the
    /// assignments of `update`.
    fn clear(&mut self);
}

impl<T: Synth> Resets for DFF<T> {
    fn clear(&mut self) {
        self.d.next = T::default();
    }
}

impl<R: Resets, const N: usize> Resets for [R; N] {
    fn clear(&mut self) {
        self.iter_mut().for_each(Resets::clear);
    }
}
