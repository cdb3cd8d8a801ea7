// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Chores of the project.

fn main() {}
