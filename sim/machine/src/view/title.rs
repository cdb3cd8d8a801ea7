// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The title of a picture.

/// The parts of a picture's title.
#[derive(Clone, Copy, Debug)]
pub struct Title<'a> {
    /// Name of the program.
    pub program: &'a str,
    /// Name of the hardware configuration.
    pub config: &'a str,
}
