// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Instructions of warps: the values at the channel `instr` for an operation, correct or corrupted.

use super::{Bcu, Issued};
use crate::stimulus::cta_table::Spare;
use crate::stimulus::decode::{any_message, instruction, Comers};
use crate::stimulus::lanes::{Op, OF_CLUSTERS, OF_GRIDS};
use crate::stimulus::objects::ObjectOp;
use crate::stimulus::swarm::Misuse;
use crate::stimulus::transaction::{excess, ragged, Access, Arrival, Transaction};
use crate::stimulus::word::Meaning;
use crate::stimulus::{driver::Driver, Rng};
use bcu_isa::op::{Form, OpKind, RedOp, StateWord};

/// The wrong warp that issues an instruction, if `misuse` is a misuse by a wrong warp; otherwise `None`.
fn other_warp(rng: &mut Rng, misuse: Option<Misuse>, spare: Spare) -> Option<usize> {
    match misuse {
        Some(Misuse::Ghost) => rng.bit(spare.absent),
        Some(Misuse::Blocked) => rng.bit(spare.blocked),
        _ => None,
    }
}

impl Bcu {
    /// Offers an arrival, with all lanes or a part of them, corrupted according to `misuse`.
    pub(super) fn arrive(&mut self, arrival: Arrival, misuse: Option<Misuse>, stopped: u64, spare: Spare) {
        let shape = self.state.shape;
        let rng = &mut self.driver.rng;
        let mut a = arrival;
        let cta = self.state.cta(a.slot);
        let launched = cta.map_or(0, |c| c.launched.count_ones() as u64);
        match misuse {
            Some(Misuse::Id) => a.id = rng.range(cta.map_or(0, |c| c.declared), 15).min(15),
            Some(Misuse::Zero) => (a.sync, a.count, a.redop) = (false, 0, None),
            Some(Misuse::Multiple) => a.count = ragged(rng, shape, a.count),
            Some(Misuse::Exceeds) => a.count = excess(rng, shape, launched),
            Some(Misuse::Ghost) => a.warp = rng.bit(spare.absent).unwrap_or(a.warp),
            Some(Misuse::Blocked) => a.warp = rng.bit(spare.blocked).unwrap_or(a.warp),
            Some(m @ (Misuse::Double | Misuse::Mismatch | Misuse::Kind)) => {
                a = self.state.clash(rng, m, stopped).unwrap_or(a);
            }
            _ => (),
        }
        let op = self.moves.arrive(rng, &self.forms, &a, misuse.is_none());
        self.lanes(op, misuse);
    }

    /// Offers an operation of lanes of a warp, sometimes with an error.
    pub(super) fn lanes(&mut self, op: Op, misuse: Option<Misuse>) {
        let Driver { rng, swarm, .. } = &mut self.driver;
        let wrong = if rng.chance(swarm.misuse / 4) { self.moves.wrong(rng, op) } else { None };
        let op = wrong.unwrap_or(op);
        let Op { id, count, form, members, lanes, .. } = op;
        let of_cluster = OF_CLUSTERS.iter().find(|kind| **kind as u64 == op.kind);
        let built = of_cluster.is_some() || self.state.shape.gateway_ids == 0;
        let honest = misuse.is_none() && wrong.is_none() && built;
        let meaning = if let Some(kind) = of_cluster {
            Meaning::Plain(*kind)
        } else if op.kind == OpKind::Reduce as u64 {
            let redop = RedOp::ALL.get(op.redop as usize).copied().unwrap_or(RedOp::And);
            Meaning::Reduce { redop, id, count }
        } else {
            Meaning::Bar { sync: op.kind == OpKind::Sync as u64, id, count }
        };
        let comers = Comers { form, members, lanes };
        let values = instruction(&mut self.driver, self.state.shape, misuse, op.warp, meaning, comers);
        self.issued = honest.then_some(Issued::Lanes(op));
        self.driver.offer(&mut self.instr, &values);
    }

    /// Offers a B2R or R2B. `transaction` is its meaning; `None` if the abstract state is not to be updated.
    pub(super) fn access(&mut self, transaction: Option<Transaction>, a: Access, misuse: Option<Misuse>) {
        let Access { warp, state, data, mut id, .. } = a;
        let early = self.fresh >> warp & 1 == 1 || self.busy[warp] > 0;
        if !self.instr.is_free() || early && !self.driver.rng.chance(self.forms.hasty) {
            return;
        }
        let rng = &mut self.driver.rng;
        if misuse == Some(Misuse::Id) && state == StateWord::Barrier {
            id = rng.range(self.state.cta(a.slot).map_or(0, |c| c.declared), 15).min(15);
        }
        let meaning = match transaction {
            Some(Transaction::Write(_)) => Meaning::Write { state, id, data },
            _ => Meaning::Read { state, id },
        };
        let lanes = self.moves.draw_lanes(rng, warp);
        let form = self.forms.any(rng) % Form::WarpSync as u64;
        let comers = Comers { form, members: rng.draw() & lanes, lanes };
        let values = instruction(&mut self.driver, self.state.shape, misuse, warp as u64, meaning, comers);
        self.issued = transaction.filter(|_| misuse.is_none()).map(Issued::Operation);
        self.driver.offer(&mut self.instr, &values);
    }

    /// Offers a fence of any lanes of a warp, in any form that has an instruction word.
    pub(super) fn fence(&mut self, transaction: Transaction, warp: usize, misuse: Option<Misuse>, spare: Spare) {
        if !self.instr.is_free() {
            return;
        }
        let rng = &mut self.driver.rng;
        let warp = other_warp(rng, misuse, spare).unwrap_or(warp);
        let lanes = self.moves.draw_lanes(rng, warp);
        let comers = Comers { form: self.forms.any(rng) % Form::WarpSync as u64, members: rng.draw() & lanes, lanes };
        let values =
            instruction(&mut self.driver, self.state.shape, misuse, warp as u64, Meaning::Plain(OpKind::Fence), comers);
        self.issued = misuse.is_none().then_some(Issued::Operation(transaction));
        self.driver.offer(&mut self.instr, &values);
    }

    /// Offers an operation at the cluster barrier, of a warp or of some of its lanes. Usually it is the operation that is due: an arrival
    /// or the wait for it.
    pub(super) fn at_cluster(&mut self, warp: usize, misuse: Option<Misuse>, spare: Spare) {
        let rng = &mut self.driver.rng;
        let warp = other_warp(rng, misuse, spare).unwrap_or(warp);
        let armed = (self.armed >> warp & 1 == 1) != (misuse.is_some() && rng.chance(300));
        let kind = match armed {
            true => OpKind::ClusterWait,
            false if rng.chance(500) => OpKind::ClusterArrive,
            false => OpKind::ClusterArriveRelaxed,
        };
        let op = Op { kind: kind as u64, warp: warp as u64, ..Op::default() };
        let op = self.moves.formed(rng, &self.forms, op, misuse.is_none());
        self.lanes(op, misuse);
    }

    /// Offers an instruction on the warp's grid.
    pub(super) fn about_grid(&mut self, slot: usize, warp: usize, misuse: Option<Misuse>, spare: Spare) {
        let rng = &mut self.driver.rng;
        let warp = other_warp(rng, misuse, spare).unwrap_or(warp);
        let kind = rng.pick(&OF_GRIDS).unwrap_or(OpKind::GridWait);
        let lanes = self.moves.draw_lanes(rng, warp);
        let comers = Comers { form: self.forms.any(rng) % Form::WarpSync as u64, members: rng.draw() & lanes, lanes };
        let values = instruction(&mut self.driver, self.state.shape, misuse, warp as u64, Meaning::Plain(kind), comers);
        let sensible = misuse.is_none() && self.state.shape.has_grids;
        self.issued = sensible.then_some(Issued::Object { slot, warp, transaction: None });
        self.driver.offer(&mut self.instr, &values);
    }

    /// Offers a signal or a wait at a gateway barrier of the warp's thread group.
    pub(super) fn at_gateway(&mut self, slot: usize, warp: usize, misuse: Option<Misuse>, spare: Spare) {
        let rng = &mut self.driver.rng;
        let built = self.state.shape.gateway_ids > 0;
        let right = if built { self.signals.next(rng, slot, warp) } else { Some(any_message(rng)) };
        let Some(right) = right else { return };
        let message = misuse.map_or(right, |misuse| self.signals.spoil(rng, misuse, slot, right));
        let warp = other_warp(rng, misuse, spare).unwrap_or(warp);
        let lanes = self.moves.draw_lanes(rng, warp);
        let comers = Comers { form: self.forms.any(rng) % Form::WarpSync as u64, members: rng.draw() & lanes, lanes };
        let values = instruction(&mut self.driver, self.state.shape, misuse, warp as u64, Meaning::Nbar(message), comers);
        self.issued = (misuse.is_none() && built).then_some(Issued::Gateway { slot, warp, message });
        self.driver.offer(&mut self.instr, &values);
    }

    /// Offers an MBAR, in any form that has an instruction word.
    pub(super) fn object(&mut self, slot: usize, warp: usize, misuse: Option<Misuse>, spare: Spare) {
        let rng = &mut self.driver.rng;
        let other = other_warp(rng, misuse, spare);
        let ObjectOp { transaction, mbar, lanes, remote } = self.objects.choose(rng, slot, self.moves.live(warp));
        let warp = other.unwrap_or(warp);
        let comers = Comers { form: self.forms.any(rng) % Form::WarpSync as u64, members: rng.draw() & lanes, lanes };
        let values = instruction(&mut self.driver, self.state.shape, misuse, warp as u64, Meaning::Mbar(mbar), comers);
        // The abstract state does not track objects of other CTAs.
        let transaction = (!remote).then_some(transaction);
        let sensible = misuse.is_none() && self.state.shape.mbarriers;
        self.issued = sensible.then_some(Issued::Object { slot, warp, transaction });
        self.driver.offer(&mut self.instr, &values);
    }
}
