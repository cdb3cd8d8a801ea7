// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What leaves for warps: tokens, those that go on, effects; and faults.
//!
//! *Reads:* the item that is decided, and what comes of it. *Writes:* the strobes and the fault channel; whether a fault may be offered.
//! *Latency:* 1. Implements *Results* of `docs/mbarrier.md`.

use super::decide::Verdict;
use super::ports::{MbarrierEffect, MbarrierFault, MbarrierToken, MbarrierWake};
use super::sums::Deed;
use crate::prelude::*;

#[block]
pub struct Leave<W, LW, LC, XW, XI, XT, XL> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub deed: Signal<In, Deed<W, LW, LC, XW, XI, XT, XL>>,
    pub verdict: Signal<In, Verdict<W>>,
    pub token: StrobeOut<MbarrierToken<LW>>,
    pub wake: StrobeOut<MbarrierWake<W>>,
    pub effect: StrobeOut<MbarrierEffect<LW>>,
    pub fault: Source<MbarrierFault<LW, LC>>,
    pub room: Signal<Out, Bit>,
    tokens: StrobeRegister<MbarrierToken<LW>>,
    effects: StrobeRegister<MbarrierEffect<LW>>,
    #[reset]
    wakes: DFF<Bit>,
    #[reset]
    woken: DFF<MbarrierWake<W>>,
    #[init(Buffer::cleared())]
    faults: Buffer<MbarrierFault<LW, LC>>,
    own: Signal<Local, Bit>,
    shows: Signal<Local, Bit>,
    kept_word: DFF<Bits<64>>,
    word: Signal<Local, Bits<64>>,
    #[init(Constant::new(config.faults))]
    checks: Constant<Bit>,
}

#[block]
impl Logic for Leave<W, LW, LC, XW, XI, XT, XL> {
    fn update(&mut self) {
        self.own.next = self.verdict.val().done & self.deed.val().item.own;
        self.effects.in_.valid.next = self.own.val();
        self.effects.in_.payload.next.warp = self.deed.val().item.warp;
        self.effects.in_.payload.next.waits = self.verdict.val().suspends;
        Strobe::join(&mut self.effects.out, &mut self.effect);

        self.word.next = (bit_cast::<64, 20>(self.deed.val().found.word.expected) << 1)
            | (bit_cast::<64, 21>(self.deed.val().found.word.tx) << 21)
            | (bit_cast::<64, 20>(self.deed.val().found.word.pending) << 43);
        self.word.next = self.word.val().replace_bit(42, self.deed.val().found.word.spent);
        self.word.next = self.word.val().replace_bit(63, self.deed.val().found.word.phase);
        self.shows.next = self.own.val() & self.deed.val().item.does.has_result & !self.verdict.val().suspends;
        // Cleared by one signal, so that the registers do it.
        if self.shows.val() {
            self.kept_word.d.next = self.word.val();
        }
        if (self.shows.val() & self.verdict.val().refused) | self.reset.val() {
            self.kept_word.d.next = 0.into();
        }
        self.tokens.in_.valid.next = self.shows.val();
        self.tokens.in_.payload.next.warp = self.deed.val().item.warp;
        self.tokens.in_.payload.next.word = 0.into();
        self.tokens.in_.payload.next.predicate = self.deed.val().answer & !self.verdict.val().refused;
        self.tokens.in_.payload.next.refused = self.verdict.val().refused;
        self.tokens.in_.payload.next.destination = self.deed.val().item.destination;
        self.token.valid.next = self.tokens.out.valid.val();
        self.token.payload.next = self.tokens.out.payload.val();
        self.token.payload.next.word = self.kept_word.q.val();

        self.wakes.d.next = self.verdict.val().wakes.any();
        self.woken.d.next.warps = self.verdict.val().wakes;
        if self.verdict.val().wakes.any() {
            self.woken.d.next.value = self.verdict.val().value;
        }
        self.wake.valid.next = self.wakes.q.val();
        self.wake.payload.next = self.woken.q.val();

        self.faults.in_.valid.next = self.verdict.val().refused & self.checks.val();
        self.faults.in_.payload.next.code = self.verdict.val().code;
        self.faults.in_.payload.next.has_warp = self.deed.val().item.own;
        self.faults.in_.payload.next.warp = 0.into();
        if self.deed.val().item.own {
            self.faults.in_.payload.next.warp = self.deed.val().item.warp;
        }
        self.faults.in_.payload.next.cta = self.deed.val().item.cta;
        self.faults.in_.payload.next.address = self.deed.val().item.address;
        self.room.next = self.faults.in_.ready.val();
        Channel::join(&mut self.faults.out, &mut self.fault);
    }
}
