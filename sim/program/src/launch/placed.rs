// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The addresses of buffers in memory.

use super::buffer::{Buffer, ALIGNMENT};
use super::complaint::complaint;
use super::names::near;
use bcu_isa::diag::Diagnostic;

/// A buffer with an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed {
    pub name: String,
    /// Address of its first byte.
    pub address: u64,
    /// Size of the buffer.
    pub bytes: u64,
}

/// Unused bytes after each buffer, so that an access just past its end hits no other buffer.
const GAP: u64 = ALIGNMENT;

/// Places buffers from `base` on, in order, each at a multiple of [`ALIGNMENT`] and followed by unused bytes.
pub fn place(buffers: &[Buffer], base: u64) -> Vec<Placed> {
    let mut next = base;
    let mut place = |buffer: &Buffer| {
        let address = next.next_multiple_of(ALIGNMENT);
        let bytes = buffer.bytes.len() as u64;
        next = address + bytes + GAP;
        Placed { name: buffer.name.clone(), address, bytes }
    };
    buffers.iter().map(&mut place).collect()
}

/// The address at this offset in bytes from the start of a buffer.
///
/// # Errors
/// An unknown buffer, or an offset beyond the end of the buffer.
pub(super) fn address_of(buffer: &str, offset: u64, placed: &[Placed]) -> Result<u64, Diagnostic> {
    let found = placed.iter().find(|one| one.name == *buffer);
    let found = found.ok_or_else(|| no_buffer(buffer, placed.iter().map(|one| one.name.as_str())))?;
    if offset > found.bytes {
        let message = format!("`{buffer}` has {} bytes; offset {offset} is out of range", found.bytes);
        return Err(complaint(message, format!("expected an offset of at most {}", found.bytes)));
    }
    found
        .address
        .checked_add(offset)
        .ok_or_else(|| complaint(format!("the address of `{buffer}`+{offset} exceeds 64 bits"), "expected a smaller offset"))
}

/// The diagnostic for an unknown buffer, with a suggestion.
pub(super) fn no_buffer<'a>(name: &str, known: impl Iterator<Item = &'a str> + Clone) -> Diagnostic {
    let error = complaint(format!("buffer `{name}` does not exist"), "expected the name of a buffer");
    let list: Vec<&str> = known.clone().take(10).collect();
    match near(name, known) {
        Some(near) => error.help(format!("did you mean `{near}`?")),
        None if list.is_empty() => error.help("there are no buffers"),
        None => error.help(format!("the buffers are `{}`", list.join("`, `"))),
    }
}
