// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The operation in its last cycle inside, in which it has its effects.
//!
//! *Reads:* the operation one cycle inside with what becomes of it. *Writes:* the same one cycle later. *Latency:* 1. Implements cycle e of
//! `docs/interface.md`.

use super::enter::Step;
use super::operands::Traits;
use crate::unit::op::{FaultCode, StateWord};
use rust_hdl::prelude::*;

/// Warps of `LW` bits, slots of `LC` bits, results of `AW` bits.
#[derive(LogicBlock, Default)]
pub struct Effect<const LW: usize, const LC: usize, const AW: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub in_doing: Signal<In, Step>,
    pub in_code: Signal<In, FaultCode>,
    pub in_exempt: Signal<In, Bit>,
    pub in_state: Signal<In, StateWord>,
    pub in_warp: Signal<In, Bits<LW>>,
    pub in_cta: Signal<In, Bits<LC>>,
    pub in_id: Signal<In, Bits<4>>,
    pub in_row: Signal<In, Bits<4>>,
    pub in_saved: Signal<In, Bit>,
    pub in_traits: Signal<In, Traits>,
    pub in_result: Signal<In, Bits<AW>>,
    pub in_result_of: Signal<In, Bits<2>>,
    /// It arrived or wrote its row, or its exit completed it; a generation is complete; its warp's state is written.
    pub in_moves: Signal<In, Bit>,
    pub in_complete: Signal<In, Bit>,
    pub in_restores: Signal<In, Bit>,
    /// The marks of its row before.
    pub in_marks: Signal<In, Bits<3>>,
    pub doing: Signal<Out, Step>,
    pub code: Signal<Out, FaultCode>,
    pub exempt: Signal<Out, Bit>,
    pub state: Signal<Out, StateWord>,
    /// 0 if a row has its turn.
    pub warp: Signal<Out, Bits<LW>>,
    pub cta: Signal<Out, Bits<LC>>,
    pub id: Signal<Out, Bits<4>>,
    pub row: Signal<Out, Bits<4>>,
    pub saved: Signal<Out, Bit>,
    pub traits: Signal<Out, Traits>,
    pub result: Signal<Out, Bits<AW>>,
    pub result_of: Signal<Out, Bits<2>>,
    pub moves: Signal<Out, Bit>,
    pub complete: Signal<Out, Bit>,
    pub restores: Signal<Out, Bit>,
    pub marks: Signal<Out, Bits<3>>,
    /// Its warps lose their state: it is a release, or there was a reset.
    pub forgets: Signal<Out, Bit>,
    reg_doing: DFF<Step>,
    reg_code: DFF<FaultCode>,
    reg_exempt: DFF<Bit>,
    reg_state: DFF<StateWord>,
    reg_warp: DFF<Bits<LW>>,
    reg_cta: DFF<Bits<LC>>,
    reg_id: DFF<Bits<4>>,
    reg_row: DFF<Bits<4>>,
    reg_saved: DFF<Bit>,
    reg_traits: DFF<Traits>,
    reg_result: DFF<Bits<AW>>,
    reg_result_of: DFF<Bits<2>>,
    reg_moves: DFF<Bit>,
    reg_complete: DFF<Bit>,
    reg_restores: DFF<Bit>,
    reg_marks: DFF<Bits<3>>,
    reg_forgets: DFF<Bit>,
}

impl<const LW: usize, const LC: usize, const AW: usize> Logic for Effect<LW, LC, AW> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, reg_doing, reg_code, reg_exempt, reg_state, reg_warp, reg_cta, reg_id, reg_row, reg_saved);
        dff_setup!(self, clock, reg_traits, reg_result, reg_result_of, reg_moves, reg_complete, reg_restores, reg_marks);
        dff_setup!(self, clock, reg_forgets);
        self.reg_doing.d.next = self.in_doing.val();
        self.reg_code.d.next = self.in_code.val();
        self.reg_exempt.d.next = self.in_exempt.val();
        self.reg_state.d.next = self.in_state.val();
        self.reg_warp.d.next = self.in_warp.val();
        if self.in_doing.val().turn {
            self.reg_warp.d.next = 0.into();
        }
        self.reg_cta.d.next = self.in_cta.val();
        self.reg_id.d.next = self.in_id.val();
        self.reg_row.d.next = self.in_row.val();
        self.reg_saved.d.next = self.in_saved.val();
        self.reg_traits.d.next = self.in_traits.val();
        self.reg_result.d.next = self.in_result.val();
        self.reg_result_of.d.next = self.in_result_of.val();
        self.reg_moves.d.next = self.in_moves.val();
        self.reg_complete.d.next = self.in_complete.val();
        self.reg_restores.d.next = self.in_restores.val();
        self.reg_marks.d.next = self.in_marks.val();
        self.reg_forgets.d.next = self.in_doing.val().releases;
        if self.reset.val() {
            self.reg_doing.d.next.acts = false;
            self.reg_doing.d.next.reads = false;
            self.reg_doing.d.next.releases = false;
            self.reg_doing.d.next.waiter = false;
            self.reg_doing.d.next.turn = false;
            self.reg_moves.d.next = false;
            self.reg_complete.d.next = false;
            self.reg_restores.d.next = false;
            self.reg_forgets.d.next = true;
        }
        self.doing.next = self.reg_doing.q.val();
        self.code.next = self.reg_code.q.val();
        self.exempt.next = self.reg_exempt.q.val();
        self.state.next = self.reg_state.q.val();
        self.warp.next = self.reg_warp.q.val();
        self.cta.next = self.reg_cta.q.val();
        self.id.next = self.reg_id.q.val();
        self.row.next = self.reg_row.q.val();
        self.saved.next = self.reg_saved.q.val();
        self.traits.next = self.reg_traits.q.val();
        self.result.next = self.reg_result.q.val();
        self.result_of.next = self.reg_result_of.q.val();
        self.moves.next = self.reg_moves.q.val();
        self.complete.next = self.reg_complete.q.val();
        self.restores.next = self.reg_restores.q.val();
        self.marks.next = self.reg_marks.q.val();
        self.forgets.next = self.reg_forgets.q.val();
    }
}
