// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The main paths through `gather`, `mem_order` and `deadlock_detector`, cycle by cycle. Most tests use `tiny`: 4 warps of 4 lanes, and at
//! most 3 outstanding accesses.

mod bench;
mod deadlock_detector;
mod gather;
mod mem_order;
