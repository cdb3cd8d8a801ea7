// SPDX-License-Identifier: Apache-2.0 OR MIT
//! General-purpose parts: queues, memories, channels, arbiters, registers. They do not depend on barriers.

pub mod buffer;
pub mod channel;
pub mod channel_way;
pub mod component;
pub mod fifo;
pub mod least;
pub mod merge;
pub mod place;
pub mod queue;
pub mod ram;
pub mod ring;
pub mod round_robin;
pub mod spread;
pub mod store;
pub mod strobe;
pub mod strobe_way;
