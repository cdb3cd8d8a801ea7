// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The main ways through `gather`, `order` and `watch`, cycle by cycle, mostly at `tiny`: 4 warps of 4 lanes, at most 3 accesses outstanding.

mod bench;
mod gather;
mod order;
mod watch;
