// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The executable specification against the documents: the semantics of operations, and the values at the ports in each cycle.

mod bcu_gateway;
mod bcu_lanes;
pub mod bench;
mod decode_forms;
mod mbarrier_net;
mod mbarrier_object;
mod mbarrier_sm;
mod mbarrier_time;
mod mbarrier_waits;
mod mem_order_waits;
mod ops;
mod policies;
mod port_lists;
mod random;
mod reductions;
mod semantics;
mod sleeper;
mod state_words;

/// Every unit has a separate file.
macro_rules! units {
    ($($unit:ident $Unit:ident,)*) => {
        $(mod $unit;)*
    };
}

bcu_isa::for_each_unit!(units);
