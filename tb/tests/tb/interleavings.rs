// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The explorer of all interleavings: programs whose outcomes are known, and random programs on the machine.

mod copies;
mod known;
mod machine;
mod parts;
mod proved;
mod rules;
