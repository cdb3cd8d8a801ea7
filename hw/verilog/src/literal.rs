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

/// `4'd3`, `8'h1f`, `1'b0`.
pub fn literal(width: usize, value: &BigUint) -> String {
    if width == 1 {
        format!("1'b{value}")
    } else if value.bits() < 4 {
        format!("{width}'d{value}")
    } else {
        format!("{width}'h{value:x}")
    }
}
