// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The items that blocks use: rust-hdl, the attributes, the primitive parts, and the values that travel between blocks.

pub use crate::payload::{payload, Packed};
pub use crate::prim::buffer::Buffer;
pub use crate::prim::channel::{Channel, Sink, Source, Strobe, StrobeIn, StrobeOut};
pub use crate::prim::channel_way::ChannelWay;
pub use crate::prim::fifo::Fifo;
pub use crate::prim::least::AtLeast;
pub use crate::prim::merge::Merge;
pub use crate::prim::queue::Queue;
pub use crate::prim::ram::Ram;
pub use crate::prim::ring::Ring;
pub use crate::prim::round_robin::RoundRobin;
pub use crate::prim::spread::Spread;
pub use crate::prim::store::Store;
pub use crate::prim::strobe::StrobeRegister;
pub use crate::prim::strobe_way::StrobeWay;
pub use crate::unit::channels::*;
pub use crate::unit::mbarrier::kind::MbarrierKind;
pub use crate::unit::op::*;
pub use bcu_derive::block;
pub use bcu_isa::config::Config;
pub use rust_hdl::prelude::*;
