// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The units, and the parts of `bcu` that are not units; the description of each is in its file.

pub mod backend;
pub mod channels;
pub mod clear;
pub mod cluster;
pub mod cluster_hub;
pub mod commit_merge;
pub mod cta_table;
pub mod deadlock_detector;
pub mod decode;
pub mod dispatch;
pub mod ended;
pub mod faults;
pub mod fold;
pub mod folded;
pub mod freed;
pub mod frontend;
pub mod gateway;
pub mod gateway_form;
pub mod gather;
pub mod gpu;
pub mod grid;
pub mod grid_hub;
pub mod lane_numbers;
pub mod latency;
pub mod mbarrier;
pub mod mem_order;
pub mod named;
pub mod op;
pub mod op_unit;
pub mod peer_barriers;
pub mod top;
pub mod warp_status;
pub mod warps_of;
pub mod writeback;
