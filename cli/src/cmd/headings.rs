// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The headings of options in the help of `bcu run` and `bcu check`.

pub const PROGRAM: &str = "Program";
pub const LAUNCH: &str = "Launch";
pub const MACHINE: &str = "Machine";
pub const OUTPUT: &str = "Output";
