// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The ports of one multiprocessor of `gpu`: the ports of `bcu` except its links. They are one bundle, so that their names begin with the
//! number of the multiprocessor (`sm_0_launch_valid`).

use crate::ports::PortField;
use crate::prim::channel::{Sink, Source, StrobeIn, StrobeOut};
use crate::prim::component::{Component, Fresh};
use crate::unit::channels::*;
use crate::unit::cluster::ports::NamedCluster;
use crate::unit::grid::ports::NamedGrid;
use crate::unit::mbarrier::ports::{MbarrierToken, MbarrierTx, MbarrierWake, MemRequest, MemResponse, TxDone};
use crate::unit::op::FaultPolicy;
use bcu_isa::ports::Port;
use rust_hdl::prelude::*;
use std::slice::{Iter, IterMut};

macro_rules! ports {
    ($(#[$meta:meta])* $Type:ident<$($N:ident),*> { $($(#[doc = $doc:literal])* $group:literal $field:ident: $of:ty,)* }) => {
        $(#[$meta])*
        pub struct $Type<$(const $N: usize),*> {
            $($(#[doc = $doc])* pub $field: $of,)*
        }

        impl<$(const $N: usize),*> Fresh for $Type<$($N),*> {
            fn fresh() -> Self {
                $Type { $($field: Fresh::fresh()),* }
            }
        }

        impl<$(const $N: usize),*> Component for $Type<$($N),*> {
            fn waits(&self) -> bool {
                $(self.$field.waits())||*
            }
        }

        impl<$(const $N: usize),*> Logic for $Type<$($N),*> {
            fn update(&mut self) {}
        }

        impl<$(const $N: usize),*> Block for $Type<$($N),*> {
            fn connect_all(&mut self) {}
            fn update_all(&mut self) {
                $(self.$field.update_all();)*
            }
            fn has_changed(&self) -> bool {
                $(self.$field.has_changed())||*
            }
            fn accept(&self, name: &str, probe: &mut dyn Probe) {
                probe.visit_start_namespace(name, self);
                $(self.$field.accept(stringify!($field), probe);)*
                probe.visit_end_namespace(name, self);
            }
        }

        impl<$(const $N: usize),*> PortField for $Type<$($N),*> {
            fn describe(&self, name: &str, _: &'static str, _: &str, out: &mut Vec<Port>) {
                $(self.$field.describe(&format!("{name}_{}", stringify!($field)), $group, concat!($($doc),*).trim(), out);)*
            }
            fn drive(&mut self, inputs: &mut Iter<u64>) {
                $(self.$field.drive(inputs);)*
            }
            fn sample(&self, outputs: &mut IterMut<u64>) {
                $(self.$field.sample(outputs);)*
            }
        }
    };
}

ports! {
    /// The ports of one multiprocessor.
    SmPorts<W, LW, LC, S, L, P, XW, XL, KC, KG> {
        "launch" launch: Sink<Launch<W, LC, L, KC, KG>>,
        "retire" retire: Sink<Retire<LC>>,
        "exit" exit: Sink<Exit<LW, L>>,
        "launched" launched: StrobeOut<NewCta<W, LC, KC, KG>>,
        "retired" retired: StrobeOut<RetiredCta<LC>>,
        "instruction" instr: Sink<Instruction<LW, L>>,
        "memory" issue: [StrobeIn<Issue<LW>>; P],
        "memory" perform: [StrobeIn<Perform<LW>>; P],
        "memory" copy_issue: StrobeIn<CopyIssue<LC>>,
        "memory" copy_perform: StrobeIn<CopyPerform<LC>>,
        "tx" tx: Sink<MbarrierTx<LC, XW>>,
        "tx" tx_done: StrobeOut<TxDone<LC>>,
        /// Longest time that a warp is suspended on an mbarrier, in ticks of 64 cycles, at least 1.
        "tx" wait_limit: Signal<In, Bits<XL>>,
        "memory" mem_request: Source<MemRequest<LC, XW>>,
        "memory" mem_response: StrobeIn<MemResponse>,
        /// CTA slots that must not issue another copy.
        "CTAs" copies_full: Signal<Out, Bits<S>>,
        /// The present epoch of each warp: the epoch of the accesses that it issues.
        "CTAs" epoch: Signal<Out, Bits<W>>,
        /// Lane that leads an Elect: 0 = the lowest, 1 = the highest.
        "policy" leader_policy: Signal<In, Bit>,
        /// Policy for a warp whose operation is refused: report the fault only, or also trap or hang the warp.
        "policy" fault_policy: Signal<In, FaultPolicy>,
        "release" release: StrobeOut<Release<W, LC>>,
        "lanes" lanes: StrobeOut<LaneRelease<LW, L>>,
        "writeback" writeback: StrobeOut<Writeback<LW>>,
        "token" token: StrobeOut<MbarrierToken<LW>>,
        "wake" wake: StrobeOut<MbarrierWake<W>>,
        "cluster_release" cluster_release: StrobeOut<Woken<W>>,
        "cluster_closed" cluster_closed: StrobeOut<NamedCluster<KC>>,
        "grid_release" grid_release: StrobeOut<Woken<W>>,
        "grid_opened" grid_opened: StrobeOut<NamedGrid<KG>>,
        /// Warps that must not issue, except B2R, B2R_RESULT and R2B while their bit in `busy` is 0.
        "warps" blocked: Signal<Out, Bits<W>>,
        /// Warps that must not issue even a B2R, B2R_RESULT or R2B: an operation of the warp is in flight.
        "warps" busy: Signal<Out, Bits<W>>,
        /// Warps whose live lanes all wait for other lanes of the warp; at least one lane is live.
        "warps" gathering: Signal<Out, Bits<W>>,
        /// Warps with an operation or a fence that waits for memory accesses.
        "warps" waits_for_memory: Signal<Out, Bits<W>>,
        /// Launched warps that have neither exited nor been retired.
        "warps" live: Signal<Out, Bits<W>>,
        /// Warps that are trapped.
        "warps" trapped: Signal<Out, Bits<W>>,
        "fault" fault: Source<Fault<LW, LC>>,
        /// Number of faults lost since reset because the fault queue was full; it stops at 65535. Always 0 without `lose_faults` in the
        /// configuration.
        "fault" lost_faults: Signal<Out, Bits<16>>,
    }
}
