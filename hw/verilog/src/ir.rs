// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Values and their constructors, which `basic`, `bits` and `make` have.

pub use super::basic::*;
pub use super::bits::*;
pub use super::make::*;
pub use super::value::*;
