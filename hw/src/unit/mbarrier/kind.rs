// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The kinds of operations on an mbarrier, in the order of their values at a port.

use crate::port_value::PortValue;
use crate::unit::op::port_enum;
use rust_hdl::prelude::*;

port_enum! {
    /// Kind of an operation on an mbarrier object. The operation has two numbers: n arrivals and t bytes.
    pub enum MbarrierKind {
        /// Makes the word an object that expects n arrivals in each phase.
        Init,
        /// Invalidates the object: the word is no longer an mbarrier object.
        Inval,
        /// n arrivals.
        Arrive,
        /// t more bytes are expected; after that, n arrivals as in Arrive.
        ArriveExpect,
        /// n arrivals that must not complete the phase.
        ArriveNoComplete,
        /// As Arrive, and n fewer arrivals are expected in the next phases.
        Drop,
        /// As ArriveExpect, and n fewer arrivals are expected in the next phases.
        DropExpect,
        /// As ArriveNoComplete, and n fewer arrivals are expected in the next phases.
        DropNoComplete,
        /// t more bytes are expected.
        Expect,
        /// t bytes have completed.
        Complete,
        /// n more arrivals are pending.
        AddPending,
        /// Tests whether a phase is complete.
        TestWait,
        /// As TestWait, and the warp may be suspended until the phase is complete.
        TryWait,
    }
}
