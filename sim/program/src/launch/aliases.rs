// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The names of a buffer: its own, and those of the parameter whose argument is its address; and the names of a variable of the program.

use super::bind::{Given, Target};
use super::cuda::name_parameters;
use super::setting::{find, Setting};
use super::{Allocation, Argument};
use crate::ptx;

/// The buffer or variable that `name` refers to: one of this name, or the buffer whose address is the argument for the parameter of this
/// name or position, or the variable that has this name too. `text` is the PTX program, and `base` selects the kernel.
pub fn buffer_named(
    name: &str,
    text: &str,
    base: &ptx::Launch,
    (buffers, settings): (&[Allocation], &[Setting]),
    given: &[Given],
) -> Option<String> {
    let names = buffers.iter().map(|buffer| &buffer.name).chain(settings.iter().map(|setting| &setting.name));
    if names.into_iter().any(|known| known == name) {
        return Some(name.to_string());
    }
    let module = ptx::parse(text).ok()?;
    let (kernel, mut params) = ptx::kernel(&module, base.kernel.as_deref()).unwrap_or_default();
    name_parameters(&base.cuda, &kernel, &mut params);
    let Some(wanted) = Target::parse(name).position(&kernel, &params) else {
        let number = find(&module, name).ok()?;
        let same = settings.iter().find(|setting| find(&module, &setting.name) == Ok(number))?;
        return Some(same.name.clone());
    };
    let argument = given.iter().find(|one| one.target.position(&kernel, &params) == Some(wanted))?;
    match &argument.value {
        Argument::Address { buffer, offset: 0 } => Some(buffer.clone()),
        Argument::Tensor(tensor) => Some(tensor.buffer.clone()),
        Argument::Texture(texture) => Some(texture.buffer.clone()),
        _ => None,
    }
}
