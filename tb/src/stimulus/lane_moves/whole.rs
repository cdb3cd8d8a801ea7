// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Lane operations for the stimulus of the whole unit. That stimulus chooses the arriving warp and the barrier. The functions here choose
//! whether the warp arrives at once, with any of its lanes, or in parts. They also let lanes of one warp meet.

use super::forms::Forms;
use super::{part, Moves, Op, Spoil};
use crate::stimulus::lanes::has_form;
use crate::stimulus::swarm::Swarm;
use crate::stimulus::transaction::Arrival;
use crate::stimulus::Rng;
use bcu_isa::op::{Form, OpKind};

impl Moves {
    /// Warps that have a live lane that does not wait.
    pub fn able(&self) -> u64 {
        (0..self.warps.len()).filter(|w| self.warps[*w].free_lanes() != 0).fold(0, |mask, w| mask | 1 << w)
    }

    /// The live lanes of a warp, or all existing lanes if none is live.
    pub fn live(&self, warp: usize) -> u64 {
        match self.warps[warp].live {
            0 => self.all_lanes(),
            live => live,
        }
    }

    /// A random part of the live lanes of a warp, or of all existing lanes if none is live.
    pub fn draw_lanes(&self, rng: &mut Rng, warp: usize) -> u64 {
        part(rng, self.live(warp), &self.profile.grains)
    }

    /// The live lanes of a launch's last warp.
    pub fn last_lanes(&self, rng: &mut Rng) -> u64 {
        let all_lanes = self.all_lanes();
        if rng.chance(self.profile.partial) {
            part(rng, all_lanes, &[(0, 1), (2, 1)])
        } else {
            all_lanes
        }
    }

    /// Lanes of a warp for an exit: lanes that do not wait and, sometimes, lanes that are not live. If all lanes of the warp wait: every
    /// lane that a warp can have.
    pub fn leaving(&self, rng: &mut Rng, forms: &Forms, warp: usize) -> u64 {
        let lanes = self.warps[warp].free_lanes();
        let missing_lanes = rng.sprinkle(self.all_lanes() & !self.warps[warp].live, self.profile.missing);
        match lanes {
            0 => self.all_lanes(),
            _ if rng.chance(forms.piecewise) => part(rng, lanes, &self.profile.grains) | missing_lanes,
            _ => lanes | missing_lanes,
        }
    }

    /// The next operation for the arrival `a`. If some lanes of the warp have already arrived in a gathering and `joins` is true, further
    /// lanes join that gathering instead.
    pub fn arrive(&self, rng: &mut Rng, forms: &Forms, a: &Arrival, joins: bool) -> Op {
        let kind = match (a.redop, a.sync) {
            (Some(_), _) => OpKind::Reduce,
            (None, true) => OpKind::Sync,
            (None, false) => OpKind::Arrive,
        };
        let redop = a.redop.map_or(0, |redop| redop as u64);
        let op = Op { kind: kind as u64, warp: a.warp as u64, id: a.id, count: a.count.min(4095), redop, ..Op::default() };
        self.formed(rng, forms, op, joins)
    }

    /// The operation `op` with some lanes of its warp, in some form. If some lanes of the warp have already arrived in a gathering and
    /// `joins` is true, further lanes join that gathering instead.
    pub fn formed(&self, rng: &mut Rng, forms: &Forms, op: Op, joins: bool) -> Op {
        let warp = &self.warps[op.warp as usize];
        let movable_lanes = if warp.free_lanes() == 0 { self.all_lanes() } else { warp.free_lanes() };
        let moved_lanes = part(rng, movable_lanes, &self.profile.grains);
        let form = rng.weighted(&forms.arrivals).unwrap_or(Form::Raw);
        match (form, warp.gathering) {
            (_, Some((first, _))) if joins => Op { lanes: moved_lanes, ..first },
            (Form::Aligned, _) if warp.waiting() == 0 => Op { form: Form::Aligned as u64, lanes: movable_lanes, ..op },
            (Form::Gathered, None) => Op { form: Form::Gathered as u64, lanes: moved_lanes, ..op },
            _ => Op { lanes: moved_lanes, ..op },
        }
    }

    /// Draws an operation in which lanes of a warp meet.
    pub fn group(&self, rng: &mut Rng, swarm: &Swarm, warp: usize) -> Op {
        Op { warp: warp as u64, ..self.meet(rng, swarm, warp) }
    }

    /// The operation with an error in its lanes; `None` if no error can be applied.
    pub fn wrong(&self, rng: &mut Rng, op: Op) -> Option<Op> {
        use Spoil::*;
        let spoil = rng.pick(&[Absent, Waiting, Mismatched, Mismatched, Members, Form, Stray, Partial, Partial])?;
        self.spoil(rng, op, spoil)
    }

    /// Accounts for a legal operation of a warp that was transferred. Returns the arrival of the whole warp, if this operation completes
    /// it.
    pub fn come(&mut self, op: &Op) -> Option<Op> {
        let gathers = |moves: &Moves| moves.warps[op.warp as usize].gathering.map(|(first, _)| first);
        let before = gathers(self);
        self.note(op);
        let arrives = has_form(op.kind);
        match gathers(self) {
            // The gathering is complete, by the arrival of its last lane or by an exit.
            None if before.is_some() => before,
            None if arrives && op.form <= Form::Gathered as u64 => Some(*op),
            _ => None,
        }
    }

    /// Whether no lane of the warp is live.
    pub fn is_gone(&self, warp: usize) -> bool {
        self.warps[warp].live == 0
    }
}
