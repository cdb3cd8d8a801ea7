// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Names and texts in the format of a VCD file, and the duration of a cycle.

/// Length of a clock cycle in ns.
pub const CYCLE_NS: u64 = 10;

/// Writes a change of a string variable. Characters that would end the value early are escaped in the way that GTKWave and wellen read.
/// Non-ASCII characters become `?`, because wellen reads each byte as a character.
pub(super) fn put_text(line: &mut Vec<u8>, text: &str, id: &str) {
    line.push(b's');
    for letter in text.chars() {
        match u8::try_from(letter) {
            Ok(byte) if byte.is_ascii_graphic() && byte != b'\\' => line.push(byte),
            Ok(byte) if byte.is_ascii() => {
                line.extend([b'\\', b'0' + (byte >> 6), b'0' + (byte >> 3 & 7), b'0' + (byte & 7)]);
            }
            _ => line.push(b'?'),
        }
    }
    line.push(b' ');
    line.extend_from_slice(id.as_bytes());
    line.push(b'\n');
}

/// Name of the string variable of an enum.
pub fn name_variable(name: &str) -> String {
    format!("{name}{NAME_SUFFIX}")
}

/// The suffix of an enum's string variable.
pub const NAME_SUFFIX: &str = "_name";
