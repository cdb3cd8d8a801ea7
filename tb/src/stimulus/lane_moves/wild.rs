// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Operations of lanes with every field at random, and random values for the fields that `gather` passes on unchanged.

use super::Moves;
use crate::stimulus::lanes::Op;
use crate::stimulus::swarm::Swarm;
use crate::stimulus::Rng;
use bcu_hw::unit::mbarrier::kind::MbarrierKind;
use bcu_isa::op::{FaultCode, Form, OpKind};

const ARRIVALS: [OpKind; 6] =
    [OpKind::Sync, OpKind::Arrive, OpKind::Reduce, OpKind::ClusterArrive, OpKind::ClusterArriveRelaxed, OpKind::ClusterWait];

impl Moves {
    /// An operation with every field at random, within its range.
    pub(super) fn wild(&self, rng: &mut Rng, swarm: &Swarm) -> Op {
        let all_lanes = self.all_lanes();
        let fault = if rng.chance(900) { 0 } else { rng.below(FaultCode::ALL.len() as u64) };
        let number = rng.bit(self.profile.warps).unwrap_or(0);
        let kind = self.shape.any_kind(rng);
        // An arrival has at least one lane; other operations may have none.
        let nobody = !ARRIVALS.contains(&kind) && rng.chance(200);
        let members = rng.draw() & all_lanes;
        let lanes = match nobody {
            true => 0,
            false => 1 << rng.below(self.shape.lanes) | if rng.chance(500) { rng.draw() & all_lanes } else { 0 },
        };
        Op {
            kind: kind as u64,
            fault,
            warp: number as u64,
            id: self.id(rng, swarm),
            count: rng.below(2) * self.shape.lanes,
            form: rng.below(Form::ALL.len() as u64),
            lanes,
            votes: lanes & rng.draw(),
            members,
            ..self.dressed(rng, swarm, Op::default())
        }
    }

    /// Usually an id in use; sometimes any id, built or not.
    pub(super) fn id(&self, rng: &mut Rng, swarm: &Swarm) -> u64 {
        match rng.bit(swarm.ids) {
            Some(id) if !rng.chance(100) => id as u64,
            _ => rng.below(16),
        }
    }

    /// Draws random values for the fields that `gather` passes on unchanged.
    pub(super) fn dressed(&self, rng: &mut Rng, swarm: &Swarm, op: Op) -> Op {
        let kind = op.kind;
        let from_decode = kind < OpKind::Exit as u64 || kind >= OpKind::Fence as u64;
        let reduces = kind == OpKind::Reduce as u64 || rng.chance(100);
        Op {
            lanes_differ: op.lanes_differ,
            cta: rng.draw(),
            redop: if reduces { rng.below(3) } else { 0 },
            state: rng.below(3),
            data: rng.draw(),
            mask: if kind == OpKind::Launch as u64 { op.mask } else { rng.draw() },
            votes: op.lanes & rng.draw(),
            from_instr: rng.chance(swarm.broken) != from_decode,
            mbarrier: rng.below(MbarrierKind::ALL.len() as u64),
            number: rng.draw(),
            phase: rng.draw(),
            cluster: rng.draw(),
            release: rng.draw(),
            rd: rng.below(256),
            pu: rng.below(8),
            ..op
        }
    }
}
