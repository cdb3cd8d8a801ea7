// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The hub of grids: for each grid, counts over all multiprocessors the CTAs that have issued launch_dependents and the CTAs that
//! have ended; reports which grids may be launched and for which grids all prerequisites have completed.
//!
//! *Reads:* the messages of every multiprocessor; the requests of the host; which grid is flushed. *Writes:* the messages to
//! all multiprocessors; the answers to the host; requests to flush; the grids that may be launched. *Latency:* 2 from a flush
//! to a message, 5 from a message to a request to flush. Implements `docs/contract/grids.md`, section `grid_hub`.

pub mod count;
pub mod flush;
pub mod message_decode;
pub mod notify;
pub mod slots;

use crate::prelude::*;
use crate::unit::grid::ports::{GridAnswer, GridHubMessage, GridMessage, GridOpen, NamedGrid};

/// Sizes: `M` multiprocessors, `G` grid slots with numbers of `KG` bits.
#[block(unit = "grid_hub")]
pub struct GridHub<KG, G, M> {
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    #[group("links")]
    pub from: [StrobeIn<GridMessage<KG>>; M],
    #[group("links")]
    pub to: [StrobeOut<GridHubMessage<KG>>; M],
    /// A grid to open
    #[group("host")]
    pub open: Sink<GridOpen<KG, G>>,
    /// An open of the host has taken effect, or was refused.
    #[group("host")]
    pub opened: StrobeOut<GridAnswer<KG>>,
    /// A grid to close
    #[group("host")]
    pub close: Sink<NamedGrid<KG>>,
    /// A close of the host has taken effect, or was refused.
    #[group("host")]
    pub closed: StrobeOut<GridAnswer<KG>>,
    /// A grid to flush
    #[group("memory")]
    pub flush: Source<NamedGrid<KG>>,
    /// A grid is flushed.
    #[group("memory")]
    pub flushed: StrobeIn<NamedGrid<KG>>,
    /// Grids whose CTAs may be launched.
    #[group("grids")]
    pub may_launch: Signal<Out, Bits<G>>,
    /// Grids that are open: opened by the host, and not all their CTAs have ended.
    pub open_grids: Signal<Out, Bits<G>>,
    /// Grids that are flushed: the host may close them.
    pub flushed_grids: Signal<Out, Bits<G>>,

    /// The message of each multiprocessor, decoded.
    messages: [message_decode::GridMessageDecode<KG, G>; M],
    /// The counts of each grid.
    counts: [count::GridCount<M>; G],
    /// The state of every grid.
    slots: slots::GridSlots<KG, G>,
    /// Messages to the multiprocessors.
    notify: notify::GridNotify<KG, G>,
    /// Requests to flush.
    flushes: flush::GridFlush<KG, G>,
    /// Element g: multiprocessors whose message reports that a CTA of grid g has issued.
    issued_sources: [Signal<Local, Bits<M>>; G],
    /// Element g: multiprocessors whose message reports that a CTA of grid g has ended.
    ended_sources: [Signal<Local, Bits<M>>; G],
    /// Grids whose CTAs have all issued.
    all_issued: Signal<Local, Bits<G>>,
    /// Grids whose CTAs have all ended.
    all_ended: Signal<Local, Bits<G>>,
}

#[block]
impl Logic for GridHub {
    fn update(&mut self) {
        for i in 0..M {
            Strobe::join(&mut self.from[i], &mut self.messages[i].from);
            Strobe::join(&mut self.notify.to, &mut self.to[i]);
        }
        self.all_issued.next = 0.into();
        self.all_ended.next = 0.into();
        for g in 0..G {
            self.issued_sources[g].next = 0.into();
            self.ended_sources[g].next = 0.into();
            for m in 0..M {
                self.issued_sources[g].next =
                    self.issued_sources[g].val().replace_bit(m, self.messages[m].issued_grid.val().get_bit(g));
                self.ended_sources[g].next =
                    self.ended_sources[g].val().replace_bit(m, self.messages[m].ended_grid.val().get_bit(g));
            }
            self.counts[g].issued_sources.next = self.issued_sources[g].val();
            self.counts[g].ended_sources.next = self.ended_sources[g].val();
            self.counts[g].opens.next = self.slots.new_grid.val().get_bit(g);
            self.counts[g].grid_size.next = self.open.payload.val().ctas;
            self.all_issued.next = self.all_issued.val().replace_bit(g, self.counts[g].all_issued.val());
            self.all_ended.next = self.all_ended.val().replace_bit(g, self.counts[g].all_ended.val());
        }

        Channel::join(&mut self.open, &mut self.slots.open);
        Strobe::join(&mut self.slots.opened, &mut self.opened);
        Channel::join(&mut self.close, &mut self.slots.close);
        Strobe::join(&mut self.slots.closed, &mut self.closed);
        Strobe::join(&mut self.flushed, &mut self.slots.flushed);
        self.slots.all_issued.next = self.all_issued.val();
        self.slots.all_ended.next = self.all_ended.val();
        self.notify.new_grid.next = self.slots.new_grid.val();
        self.notify.open_grids.next = self.slots.open_grids.val();
        self.notify.unblocked.next = self.slots.unblocked.val();
        self.flushes.new_grid.next = self.slots.new_grid.val();
        self.flushes.flushing_grids.next = self.slots.flushing_grids.val();
        Channel::join(&mut self.flushes.flush, &mut self.flush);
        self.may_launch.next = self.slots.may_launch.val();
        self.open_grids.next = self.slots.open_grids.val();
        self.flushed_grids.next = self.slots.flushed_grids.val();
    }
}
