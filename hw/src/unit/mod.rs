// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The units, in the order of the data's way.

pub mod op;
