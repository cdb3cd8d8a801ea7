// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Where buffers stand in memory.

use super::buffer::{Buffer, ALIGNMENT};
use super::complaint::complaint;
use super::names::near;
use bcu_isa::diag::Diagnostic;

/// A buffer that has a place in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed {
    pub name: String,
    /// Of its first byte.
    pub address: u64,
    /// Its size.
    pub bytes: u64,
}

/// Buffers take this many bytes more than they have, so that an access just behind one meets no other.
const GAP: u64 = ALIGNMENT;

/// Places buffers from `base` on, in their order, each at a multiple of [`ALIGNMENT`] and with unused bytes behind it.
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

/// The address so many bytes behind the start of a buffer.
///
/// # Errors
/// There is no such buffer, or it has fewer bytes.
pub(super) fn address_of(buffer: &str, offset: u64, placed: &[Placed]) -> Result<u64, Diagnostic> {
    let found = placed.iter().find(|one| one.name == *buffer);
    let found = found.ok_or_else(|| no_buffer(buffer, placed.iter().map(|one| one.name.as_str())))?;
    if offset > found.bytes {
        let message = format!("`{buffer}` has {} bytes, and byte {offset} is not behind it", found.bytes);
        return Err(complaint(message, format!("expected an offset of at most {}", found.bytes)));
    }
    found.address.checked_add(offset).ok_or_else(|| complaint("an address above 64 bits", "too large"))
}

/// A complaint about the name of a buffer, with the one that may have been meant.
pub(super) fn no_buffer<'a>(name: &str, known: impl Iterator<Item = &'a str> + Clone) -> Diagnostic {
    let error = complaint(format!("there is no buffer `{name}`"), "expected the name of a buffer");
    let list: Vec<&str> = known.clone().take(10).collect();
    match near(name, known) {
        Some(near) => error.help(format!("did you mean `{near}`?")),
        None if list.is_empty() => error.help("there are no buffers"),
        None => error.help(format!("there is `{}`", list.join("`, `"))),
    }
}
