// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The order of uses of tensor memory (PTX, *Memory Consistency Model for 5th generation of TensorCore operations*): products and copies
//! are complete for a thread that has waited for their `tcgen05.commit`, loads and stores after `tcgen05.wait`. What a thread has waited for
//! is passed on as the order of execution, also by relaxed operations.

use super::event::{Event, Proxy};
use super::shadow::Bytes;
use super::tensor_use::TensorUse;
use super::touching::Touching;
use super::warps::{Issuer, Stream};
use super::{InstrKey, Races};
use crate::memory::Bank;
use crate::warp::threads::bits;
use bcu_program::Place;
use std::rc::Rc;

impl Races {
    /// The present step of a warp.
    pub fn step_of(&mut self, issuer: Issuer) -> u32 {
        self.warp(issuer).step
    }

    /// Whether the end of a use, with number `number`, of a lane of `by` is ordered before the lanes `lanes` of `issuer`.
    pub fn sees_end(
        &mut self,
        (issuer, lanes): (Issuer, u64),
        (by, lane): (Issuer, usize),
        (of, number): (TensorUse, u32),
    ) -> bool {
        let source = self.warp(by).source(of.stream());
        self.sees_execution(issuer, lanes, (source, lane), number)
    }

    /// Whether the instruction that a lane of `by` has executed in step `step` is ordered before the lanes `lanes` of `issuer`.
    pub fn sees_issue(&mut self, (issuer, lanes): (Issuer, u64), (by, lane): (Issuer, usize), step: u32) -> bool {
        let source = self.warp(by).source(Stream::Program);
        self.sees_execution(issuer, lanes, (source, lane), step)
    }

    fn sees_execution(&mut self, issuer: Issuer, lanes: u64, (source, of): (super::clock::Source, usize), step: u32) -> bool {
        let warp = self.warp(issuer);
        let sees = |lane: usize| warp.sees(lane, source, of, step) || warp.lanes[lane].known.executed.step(source, of) >= step;
        bits(lanes & warp.all()).all(sees)
    }

    /// Records that all lanes of a warp have waited for its loads or stores up to number `number`.
    pub fn waited_for_transfers(&mut self, issuer: Issuer, of: TensorUse, number: u32) {
        let warp = self.warp(issuer);
        let source = warp.source(of.stream());
        let mut before_and_after: Option<(Rc<super::clock::Clock>, Rc<super::clock::Clock>)> = None;
        for lane in &mut warp.lanes {
            let seen = &mut lane.known.seen;
            match &before_and_after {
                // Lanes that share a clock still share it afterwards.
                Some((before, after)) if Rc::ptr_eq(before, seen) => *seen = after.clone(),
                _ => {
                    let before = seen.clone();
                    Rc::make_mut(seen).raise_all(source, number);
                    before_and_after = Some((before, seen.clone()));
                }
            }
        }
    }

    /// Records that a product or a copy, with number `number`, which a lane starts, reads chunks of the shared memory of its CTA until its
    /// end. What is ordered before the lane is ordered before the reads.
    pub fn core_reads(
        &mut self,
        (issuer, lane): (Issuer, usize),
        number: u32,
        (chunks, bytes): (&[u64], u64),
        (at, place): (InstrKey, impl FnOnce() -> Place),
        cycle: u64,
    ) {
        self.remove_unused_events();
        let place = self.place(at, place);
        let source = self.warp(issuer).source(Stream::TensorCore);
        let event = Event { source, step: number, proxy: Proxy::Async, is_copy: true, ..self.weak_event(issuer, place) };
        let event = self.events.push(event);
        let mut found = vec![];
        for at in chunks {
            let bytes = Bytes { bank: Bank::Shared(issuer.cta), at: *at, count: bytes };
            let touching =
                Touching { number: event, lanes: 1 << lane, kept: 1 << lane, bytes, stores: false, is_atomic: false };
            self.touch_bytes(issuer, &touching, |_, _| None, &mut found);
        }
        found.into_iter().for_each(|found| self.add(&found, cycle));
    }
}
