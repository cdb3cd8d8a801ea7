// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The executable specification: every unit again in plain Rust, cycle-accurate at its ports.
//!
//! The model is written from the pages under `docs/contract/` and the documents that they implement, never from the hardware description,
//! so that the model and the hardware can be compared. It does not depend on rust-hdl, and has a separate decoder of instruction words.
//!
//! Two levels: [`barriers::Barriers`] defines what operations mean, without time; [`Model`] makes a unit a
//! [`Dut`](dut::Dut) whose ports can be compared with the hardware's in every cycle.

pub mod barriers;
pub mod bcu;
pub mod bcu_ports;
pub mod bench;
pub mod cluster;
pub mod cluster_hub;
pub mod cluster_ports;
pub mod cta_table;
pub mod cta_table_ports;
pub mod deadlock_detector;
pub mod decode;
pub mod dut;
pub mod ended;
pub mod gateway;
pub mod gateway_ports;
pub mod gather;
pub mod gather_ports;
pub mod gpu;
pub mod grid;
pub mod grid_hub;
pub mod latency;
pub mod mbarrier;
pub mod mbarrier_clock;
pub mod mbarrier_object;
pub mod mbarrier_ports;
pub mod mbarrier_request;
pub mod mbarrier_state;
pub mod mbarrier_work;
pub mod meaning;
pub mod mem_order;
pub mod mem_order_ports;
pub mod named;
pub mod network;
pub mod op;
pub mod outcome;
mod port_action;
mod port_value;
pub mod requests;
pub mod row;
pub mod sizes;
pub mod sleeper;
pub mod state_word;
pub mod warp_cta;
pub mod warp_status;
pub mod word;

mod access;
mod arrival;
pub mod bits;
mod gateway_rows;
mod in_place;
mod link;
mod mbarrier_decide;
mod mbarrier_net;
mod merge;
mod stream;
mod wire;

pub use bcu::Bcu;
pub use cluster::Cluster;
pub use cluster_hub::ClusterHub;
pub use cta_table::CtaTable;
pub use deadlock_detector::DeadlockDetector;
pub use decode::Decode;
pub use gateway::Gateway;
pub use gather_ports::Gather;
pub use gpu::Gpu;
pub use grid::Grid;
pub use grid_hub::GridHub;
pub use mbarrier::Mbarrier;
pub use mem_order_ports::MemOrder;
pub use named::Named;
pub use sizes::Sizes;
pub use sleeper::Sleeper;
pub use warp_status::WarpStatus;
pub use wire::{inputs, Clocked, Fields, Model, Value, Walk};

use crate::dut::{Dut, Shown};

macro_rules! models {
    ($($unit:ident $Unit:ident,)*) => {
        /// The model of a unit, in its power-up state; `None` if there is no unit of this name.
        pub fn by_name(unit: &str, sizes: Sizes) -> Option<Box<dyn Dut>> {
            Some(match unit {
                $(stringify!($unit) => Box::new(Model::<$Unit>::new(sizes)),)*
                _ => return None,
            })
        }

        /// The model of a unit, as a device whose outputs can be read before its inputs are chosen.
        pub fn shown_by_name(unit: &str, sizes: Sizes) -> Option<Box<dyn Shown>> {
            Some(match unit {
                $(stringify!($unit) => Box::new(Model::<$Unit>::new(sizes)),)*
                _ => return None,
            })
        }
    };
}

bcu_isa::for_each_unit!(models);
