// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The main paths through `gather`, `mem_order` and `deadlock_detector`, cycle by cycle, mostly at `tiny`: 4 warps of 4 lanes, at most 3
//! accesses outstanding.

mod bench;
mod deadlock_detector;
mod gather;
mod mem_order;
