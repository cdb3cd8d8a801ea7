// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The terminal that the output is shown on.

use std::io;

/// The columns of the terminal; `None` if the output is not a terminal.
pub fn columns() -> Option<usize> {
    terminal_size::terminal_size_of(io::stdout()).map(|(width, _)| width.0.into())
}
