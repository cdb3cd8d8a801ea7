// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Values and their constructors from `basic`, `bits` and `make`.

pub use super::basic::*;
pub use super::bits::*;
pub use super::make::*;
pub use super::value::*;
