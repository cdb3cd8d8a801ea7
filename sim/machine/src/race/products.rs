// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Products of warpgroups (`wgmma.mma_async`): they read shared memory by the asynchronous proxy from their start until a wait for their
//! group. A group belongs to the warpgroup, so the wait of one warp completes the products that all four warps have put into the group.

use super::clock::{join, Clock};
use super::event::{Event, Proxy};
use super::shadow::Bytes;
use super::touching::Touching;
use super::warps::{Issuer, Stream};
use super::{InstrKey, Races};
use crate::memory::Bank;
use bcu_program::{Place, GROUP_WARPS};
use std::ops::Range;
use std::rc::Rc;

impl Races {
    /// Records that a warp starts a product that reads bytes of the shared memory of its CTA. What is ordered before one of the lanes is
    /// ordered before the product.
    pub fn product(
        &mut self,
        issuer: Issuer,
        bytes: &[Range<u64>],
        (at, place): (InstrKey, impl FnOnce() -> Place),
        cycle: u64,
    ) {
        self.remove_unused_events();
        let place = self.place(at, place);
        let warp = self.warp(issuer);
        warp.products.started += 1;
        let (source, step, lanes) = (warp.source(Stream::Product), warp.products.started, warp.all());
        let event = Event { source, step, proxy: Proxy::Async, is_copy: true, ..self.weak_event(issuer, place) };
        let number = self.events.push(event);
        let mut found = vec![];
        for Range { start, end } in bytes {
            let bytes = Bytes { bank: Bank::Shared(issuer.cta), at: *start, count: end - start };
            let touching = Touching { number, lanes, kept: 1, bytes, stores: false, is_atomic: false };
            self.touch_bytes(issuer, &touching, |_, _| None, &mut found);
        }
        found.into_iter().for_each(|found| self.add(&found, cycle));
    }

    /// Records that a warp puts its products that belong to no group into a new group.
    pub fn commit_products(&mut self, issuer: Issuer) {
        let products = &mut self.warp(issuer).products;
        products.groups.push(products.started);
    }

    /// Records that a warp has waited until at most `max_in_flight` groups are in flight.
    pub fn waited_for_products(&mut self, issuer: Issuer, max_in_flight: u32) {
        let groups = self.warp(issuer).products.groups.len();
        let Some(last) = groups.checked_sub(max_in_flight as usize + 1) else { return };
        let first = issuer.warp / GROUP_WARPS * GROUP_WARPS;
        let mut complete = Clock::default();
        for number in first..first + GROUP_WARPS {
            let Some(warp) = self.warps.get(&(issuer.cta, number)) else { continue };
            let groups = &warp.products.groups;
            if let Some(products) = groups.get(last).or(groups.last()) {
                complete.raise_all(warp.source(Stream::Product), *products);
            }
        }
        let complete = Rc::new(complete);
        // Lanes that share a clock still share it afterwards.
        let mut before_and_after: Option<(Rc<Clock>, Rc<Clock>)> = None;
        for lane in &mut self.warp(issuer).lanes {
            let seen = &mut lane.known.seen;
            match &before_and_after {
                Some((before, after)) if Rc::ptr_eq(before, seen) => *seen = after.clone(),
                _ => {
                    let before = seen.clone();
                    join(seen, &complete);
                    before_and_after = Some((before, seen.clone()));
                }
            }
        }
    }
}
