// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The next operations of the lanes of warps: legal, or wrong in one way, or random in every field.

mod forms;
mod whole;
mod wild;

use super::lanes::{note, part, Group, Op, WarpLanes, OF_CLUSTERS, OF_GRIDS};
use super::shape::Shape;
use super::swarm::Swarm;
use super::Rng;
use bcu_isa::op::{FaultCode, Form, OpKind};
pub use forms::Forms;

/// Errors that an operation can be given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Spoil {
    /// A fault that a unit upstream of `gather` has found.
    Upstream,
    /// Operands that differ between lanes.
    Operands,
    /// A lane that is not live.
    Absent,
    /// A lane that waits.
    Waiting,
    /// Kind, operator, id or count differ from those of the open gathering.
    Mismatched,
    /// The member mask overlaps with the member mask of an open group, and differs from it.
    Members,
    /// The form Elect in place of WarpSync, or WarpSync in place of Elect.
    Form,
    /// A lane that is not among its members.
    Stray,
    /// The form Aligned without all live lanes.
    Partial,
    /// A warp that has not been launched.
    Ghost,
}

/// The lane parameters of a seed; probabilities are in thousandths.
pub struct Profile {
    /// Warps in use; one bit per warp.
    warps: u64,
    /// Weights of the numbers of lanes of an operation: one, few, half or all.
    grains: Vec<(u64, u64)>,
    /// The kinds of operations of warps, by weight.
    moves: Vec<(Move, u64)>,
    spoils: Vec<(Spoil, u64)>,
    /// Probability that the last warp of a launch is partial.
    partial: u64,
    /// Probability that some members have exited.
    missing: u64,
    /// Probability that lanes meet in groups of two members and arrive there one by one, so that a warp can have two open groups.
    pairs: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Move {
    Launch,
    Release,
    Access,
    Exit,
    Raw,
    Aligned,
    Gathered,
    Meet,
}

impl Profile {
    fn draw(rng: &mut Rng, shape: Shape) -> Self {
        use Spoil::*;
        let moves = [Move::Launch, Move::Release, Move::Access, Move::Exit, Move::Raw, Move::Aligned];
        let spoils = [Upstream, Operands, Absent, Waiting, Mismatched, Members, Form, Stray, Partial, Ghost];
        let weight = |rng: &mut Rng| rng.pick(&[0, 1, 3, 10]).unwrap_or(1);
        let few = rng.range(1, 4);
        let pick = |rng: &mut Rng| rng.pick(&[0, 0, 100, 500]).unwrap_or(0);
        let mut moves: Vec<_> = moves.iter().map(|m| (*m, weight(rng))).collect();
        moves.extend([(Move::Gathered, rng.range(5, 40)), (Move::Meet, rng.range(5, 60))]);
        Profile {
            warps: if rng.chance(700) { rng.subset(shape.all_warps(), few) } else { shape.all_warps() },
            grains: (0..4).map(|grain| (grain, 1 + weight(rng))).collect(),
            moves,
            spoils: spoils.iter().map(|s| (*s, weight(rng))).collect(),
            partial: pick(rng),
            missing: pick(rng),
            pairs: rng.pick(&[0, 300, 900]).unwrap_or(0),
        }
    }
}

/// The lanes of all warps, with the lane parameters of a seed.
pub struct Moves {
    shape: Shape,
    pub profile: Profile,
    warps: Vec<WarpLanes>,
}

impl Moves {
    pub fn new(rng: &mut Rng, shape: Shape) -> Self {
        Moves { shape, profile: Profile::draw(rng, shape), warps: vec![WarpLanes::default(); shape.warps as usize] }
    }

    pub fn clear(&mut self) {
        self.warps.iter_mut().for_each(|w| *w = WarpLanes::default());
    }

    /// Accounts for a legal operation that was transferred.
    pub fn note(&mut self, op: &Op) {
        let all_lanes = self.all_lanes();
        note(&mut self.warps, op, all_lanes);
    }

    /// Draws the next operation. Returns it, and whether it was drawn as legal.
    pub fn choose(&self, rng: &mut Rng, swarm: &Swarm) -> (Op, bool) {
        let number = rng.bit(self.profile.warps).unwrap_or(0);
        let idle = self.warps[number].free_lanes() == 0;
        let op = if idle { self.launch(rng) } else { self.act(rng, swarm, number) };
        let wrong = if rng.chance(swarm.broken) {
            Some(self.wild(rng, swarm))
        } else if rng.chance(swarm.misuse) {
            let spoil = rng.weighted(&self.profile.spoils);
            spoil.and_then(|s| self.spoil(rng, op, s))
        } else {
            None
        };
        (wrong.unwrap_or(op), wrong.is_none())
    }

    fn all_lanes(&self) -> u64 {
        u64::MAX >> (64 - self.shape.lanes.clamp(1, 64))
    }

    /// Launches warps that have no live lane, and sometimes other warps.
    fn launch(&self, rng: &mut Rng) -> Op {
        let all_lanes = self.all_lanes();
        let idle = (0..self.warps.len()).filter(|w| self.warps[*w].free_lanes() == 0).fold(0, |m, w| m | 1 << w);
        let pool = self.profile.warps & if rng.chance(900) { idle } else { u64::MAX };
        let pool = if pool == 0 { self.profile.warps } else { pool };
        let mask = rng.subset(pool, 1) | rng.draw() & pool;
        let lanes = if rng.chance(self.profile.partial) { part(rng, all_lanes, &[(2, 1)]) } else { all_lanes };
        Op { kind: OpKind::Launch as u64, mask, lanes, ..Op::default() }
    }

    /// A possible operation of lanes of the warp `number`; the lanes do not wait in `gather`.
    fn act(&self, rng: &mut Rng, swarm: &Swarm, number: usize) -> Op {
        let (all_lanes, warp) = (self.all_lanes(), self.warps[number]);
        let grains = &self.profile.grains;
        let draw_part = |rng: &mut Rng, lanes| part(rng, lanes, grains);
        let of_cluster = if rng.chance(swarm.clusters / 3) { rng.pick(&OF_CLUSTERS) } else { None };
        let arrival = match (rng.chance(swarm.reduce), rng.chance(swarm.wait)) {
            _ if of_cluster.is_some() => of_cluster.unwrap_or(OpKind::ClusterWait),
            (true, _) => OpKind::Reduce,
            (_, true) => OpKind::Sync,
            _ => OpKind::Arrive,
        };
        let op_of = |kind: OpKind, form: Form, lanes| Op { kind: kind as u64, form: form as u64, lanes, ..Op::default() };
        let id = self.id(rng, swarm);
        // Any count may be drawn, legal or not.
        let count = match rng.chance(swarm.counted) {
            true if rng.chance(300) => rng.draw() & 0xfff,
            true => rng.below(self.shape.warps + 1) * self.shape.lanes,
            false => 0,
        };
        let op = match rng.weighted(&self.profile.moves).unwrap_or(Move::Gathered) {
            Move::Launch => return self.launch(rng),
            Move::Release => op_of(OpKind::Release, Form::Raw, 0),
            Move::Access => {
                let [launches, waits] = OF_GRIDS;
                let kinds = [OpKind::Read, OpKind::Write, OpKind::Fence, OpKind::Mbarrier, launches, waits];
                let kind = rng.pick(&kinds).filter(|kind| self.shape.has_kind(*kind)).unwrap_or(OpKind::Read);
                op_of(kind, Form::Raw, draw_part(rng, warp.live))
            }
            Move::Exit => {
                let missing_lanes = rng.sprinkle(all_lanes & !warp.live, self.profile.missing);
                // All lanes that groups wait for may exit at the same time, so that one exit completes two groups.
                let awaited = warp.members() & warp.free_lanes();
                let leaving = if awaited != 0 && rng.chance(300) { awaited } else { draw_part(rng, warp.free_lanes()) };
                op_of(OpKind::Exit, Form::Raw, leaving | missing_lanes)
            }
            Move::Aligned if warp.waiting() == 0 => op_of(arrival, Form::Aligned, warp.live),
            Move::Meet => self.meet(rng, swarm, number),
            Move::Raw => op_of(arrival, Form::Raw, draw_part(rng, warp.free_lanes())),
            _ => match warp.gathering {
                Some((first, _)) => Op { lanes: draw_part(rng, warp.free_lanes()), ..first },
                None => op_of(arrival, Form::Gathered, draw_part(rng, warp.free_lanes())),
            },
        };
        let joins = op.form == Form::Gathered as u64 && warp.gathering.is_some();
        let fresh = Op { warp: number as u64, id, count, ..self.dressed(rng, swarm, op) };
        if joins {
            Op { id: op.id, count: op.count, redop: op.redop, ..fresh }
        } else {
            fresh
        }
    }

    /// Draws lanes that join an open group, or that open a group whose members belong to no open group.
    fn meet(&self, rng: &mut Rng, swarm: &Swarm, number: usize) -> Op {
        let (all_lanes, warp) = (self.all_lanes(), self.warps[number]);
        let apart = warp.free_lanes() & !warp.members();
        let open: Vec<&Group> = warp.groups.iter().flatten().filter(|g| g.members & warp.free_lanes() != 0).collect();
        let pairs = rng.chance(self.profile.pairs);
        let begins_group = if pairs { open.len() < 2 } else { !rng.chance(swarm.join) };
        let joins = if apart == 0 || !begins_group { rng.pick(&open) } else { None };
        let (elect, members) = match joins {
            Some(group) => (group.elect, group.members),
            None => {
                let missing_lanes = rng.sprinkle(all_lanes & !warp.live & !warp.members(), self.profile.missing);
                let waiting = warp.waiting() & !warp.members() & rng.draw();
                let leaving_lanes = if pairs { rng.subset(apart, 2) } else { part(rng, apart, &[(1, 3), (2, 3), (3, 1)]) };
                (rng.chance(500), leaving_lanes | waiting | missing_lanes)
            }
        };
        let movable_lanes = members & warp.free_lanes();
        let lanes = if pairs { rng.subset(movable_lanes, 1) } else { part(rng, movable_lanes, &self.profile.grains) };
        let form = if elect { Form::Elect } else { Form::WarpSync };
        Op { kind: OpKind::Sync as u64, form: form as u64, members, lanes, ..Op::default() }
    }

    /// The operation with the error `spoil`; `None` if the operation cannot have this error.
    fn spoil(&self, rng: &mut Rng, op: Op, spoil: Spoil) -> Option<Op> {
        let all_lanes = self.all_lanes();
        let warp = self.warps[op.warp as usize];
        let meets = op.form >= Form::WarpSync as u64;
        let mut bit = |mask: u64| rng.bit(mask).map(|lane| 1 << lane);
        let mut wrong = op;
        match spoil {
            // Usually a fault that units upstream of `gather` can find.
            Spoil::Upstream => {
                let last = if rng.chance(700) { FaultCode::OperandNotUniform } else { FaultCode::ProducerWaits };
                wrong.fault = rng.range(1, last as u64);
            }
            Spoil::Operands => wrong.lanes_differ = true,
            Spoil::Absent => wrong.lanes |= bit(all_lanes & !warp.live)?,
            Spoil::Waiting => wrong.lanes |= bit(warp.waiting())?,
            Spoil::Mismatched => {
                warp.gathering.filter(|_| op.form == Form::Gathered as u64)?;
                match rng.below(4) {
                    // Two groups of three kinds: Sync, Arrive and Reduce; and the three kinds of clusters. The new kind is another kind of
                    // the same group, or any kind of the other group.
                    0 => {
                        let (own_base, other_base) = match op.kind <= OpKind::Reduce as u64 {
                            true => (OpKind::Sync as u64, OpKind::ClusterArrive as u64),
                            false => (OpKind::ClusterArrive as u64, OpKind::Sync as u64),
                        };
                        let kind = (op.kind - own_base + rng.range(1, 2)) % 3;
                        wrong.kind = kind + if rng.chance(200) { other_base } else { own_base };
                    }
                    1 => wrong.redop = (op.redop + rng.range(1, 2)) % 3,
                    2 => wrong.id ^= 1 << rng.below(4),
                    _ => wrong.count ^= 1 << rng.below(12),
                }
            }
            Spoil::Members => wrong.members ^= bit(all_lanes).filter(|_| meets && op.members & warp.members() != 0)?,
            Spoil::Form => wrong.form = if meets { Form::WarpSync as u64 + Form::Elect as u64 - op.form } else { return None },
            Spoil::Stray => wrong.members &= !bit(op.lanes).filter(|_| meets)?,
            Spoil::Partial => {
                wrong.form = Form::Aligned as u64;
                wrong.lanes = op.lanes ^ bit(all_lanes)?;
            }
            Spoil::Ghost => wrong.warp = rng.bit(self.shape.all_warps() & !self.profile.warps)? as u64,
        }
        // Only a Release has no executing lanes.
        (wrong.lanes != 0 || op.kind == OpKind::Release as u64).then_some(wrong)
    }
}
