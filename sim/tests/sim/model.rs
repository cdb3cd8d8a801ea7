// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The executable specification against the documents: what operations mean, and what stands at the ports in which cycle.

mod bcu;
mod bcu_lanes;
mod bench;
mod decode;
mod decode_forms;
mod gather;
mod named;
mod ops;
mod order;
mod policies;
mod port_lists;
mod random;
mod reductions;
mod residency;
mod semantics;
mod state_words;
mod watch;
