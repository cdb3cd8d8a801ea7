// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Ranges and constants.

use num_bigint::BigUint;

/// `[7:0] `, or nothing for a single bit.
pub fn range(width: usize) -> String {
    if width == 1 {
        String::new()
    } else {
        format!("[{}:0] ", width - 1)
    }
}

/// As [`range`], with a range for a single bit too, so that a constant has a type.
pub fn constant_range(width: usize) -> String {
    format!("[{}:0] ", width - 1)
}

/// `4'd3`, `32'h1f4`, `1'b0`: a number up to 99 is decimal.
pub fn literal(width: usize, value: &BigUint) -> String {
    if width == 1 {
        format!("1'b{value}")
    } else if *value < BigUint::from(100u8) {
        format!("{width}'d{value}")
    } else {
        format!("{width}'h{value:x}")
    }
}
