// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One traced signal: its declaration, and the text of a change.

use super::vcd_text::{name_variable, put_text};
use std::io::{self, Write};

/// A signal of the VCD file. An enum also has a string variable with the name of its value.
pub struct Wire {
    width: usize,
    id: String,
    names: Option<Names>,
}

struct Names {
    id: String,
    names: Vec<String>,
}

impl Wire {
    /// Declares the signal in the open scope. `values` are the names of the values of an enum; empty for a plain number.
    pub fn declare<W: Write>(header: &mut vcd::Writer<W>, name: &str, width: usize, values: &[String]) -> io::Result<Self> {
        let range = (width > 1).then(|| vcd::ReferenceIndex::Range(width as u32 - 1, 0));
        let id = header.add_var(vcd::VarType::Wire, width as u32, name, range)?.to_string();
        let mut names = None;
        if !values.is_empty() {
            let id = header.add_var(vcd::VarType::String, 1, &name_variable(name), None)?.to_string();
            names = Some(Names { id, names: values.to_vec() });
        }
        Ok(Wire { width, id, names })
    }

    /// The value of an enum with the name `name`; 0 if the enum lacks the name.
    pub fn value_of(&self, name: &str) -> u64 {
        let names = self.names.as_ref().map_or(&[][..], |n| &n.names);
        names.iter().position(|n| n == name).unwrap_or(0) as u64
    }

    /// Appends the change of the signal to a value without a meaning: high impedance, and no name.
    pub fn put_hidden(&self, line: &mut Vec<u8>) {
        line.extend_from_slice(if self.width == 1 { b"z" } else { b"bz " });
        line.extend_from_slice(self.id.as_bytes());
        line.push(b'\n');
        self.names.iter().for_each(|names| put_text(line, "", &names.id));
    }

    /// Appends the change of the signal to `value`, low word first.
    pub fn put(&self, line: &mut Vec<u8>, value: &[u64]) {
        if self.width == 1 {
            line.push(b'0' + (value[0] & 1) as u8);
        } else {
            put_binary(line, value);
        }
        line.extend_from_slice(self.id.as_bytes());
        line.push(b'\n');
        if let Some(names) = &self.names {
            match names.names.get(value[0] as usize) {
                Some(name) => put_text(line, name, &names.id),
                // Only a device other than the rust-hdl block can output a value without a name.
                None => put_text(line, &value[0].to_string(), &names.id),
            }
        }
    }
}

/// Writes `b` and the binary digits without leading zeros, as VCD permits: readers add them.
fn put_binary(line: &mut Vec<u8>, words: &[u64]) {
    line.push(b'b');
    let mut digits = false;
    for &word in words.iter().rev() {
        let from = if digits { 64 } else { 64 - word.leading_zeros() };
        for i in (0..from).rev() {
            line.push(b'0' + (word >> i & 1) as u8);
        }
        digits |= from > 0;
    }
    if !digits {
        line.push(b'0');
    }
    line.push(b' ');
}
