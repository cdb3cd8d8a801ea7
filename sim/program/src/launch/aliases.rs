// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The names of a buffer: its own, and those of the parameter whose argument is its address.

use super::bind::{Given, Target};
use super::cuda::name_parameters;
use super::{Allocation, Argument};
use crate::ptx;

/// The buffer that `name` refers to: a buffer of this name, or the buffer whose address is the argument for the parameter of this name or
/// position. `text` is the PTX program, and `base` selects the kernel.
pub fn buffer_named(name: &str, text: &str, base: &ptx::Launch, buffers: &[Allocation], given: &[Given]) -> Option<String> {
    if buffers.iter().any(|buffer| buffer.name == name) {
        return Some(name.to_string());
    }
    let module = ptx::parse(text).ok()?;
    let (kernel, mut params) = ptx::kernel(&module, base.kernel.as_deref()).ok()?;
    name_parameters(&base.cuda, &kernel, &mut params);
    let wanted = Target::parse(name).position(&kernel, &params)?;
    let argument = given.iter().find(|one| one.target.position(&kernel, &params) == Some(wanted))?;
    match &argument.value {
        Argument::Address { buffer, offset: 0 } => Some(buffer.clone()),
        Argument::Tensor(tensor) => Some(tensor.buffer.clone()),
        _ => None,
    }
}
