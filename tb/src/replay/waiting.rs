// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The warps that wait at named barriers at the end of a waveform, and the last operations of the other warps of the CTA.

use bcu_model::dut::Dut;
use bcu_model::named::Action;
use bcu_model::op::{Code, Kind, Operation};
use bcu_model::{by_name, Bcu, Model, Named, Sizes};
use std::collections::BTreeMap;
use std::fmt;

/// The model of a unit. For `named` and `bcu` the named barriers in it are accessible.
pub(super) enum Reference {
    Named(Box<Model<Named>>),
    Bcu(Box<Model<Bcu>>),
    Unit(Box<dyn Dut>),
}

impl Reference {
    pub fn new(unit: &str, sizes: Sizes) -> Option<Reference> {
        Some(match unit {
            "named" => Reference::Named(Box::new(Model::new(sizes))),
            "bcu" => Reference::Bcu(Box::new(Model::new(sizes))),
            _ => Reference::Unit(by_name(unit, sizes)?),
        })
    }

    pub fn dut(&mut self) -> &mut dyn Dut {
        match self {
            Reference::Named(model) => model,
            Reference::Bcu(model) => model,
            Reference::Unit(model) => model,
        }
    }

    fn named(&self) -> Option<&Named> {
        match self {
            Reference::Named(model) => Some(model.unit()),
            Reference::Bcu(model) => Some(model.unit().named()),
            Reference::Unit(_) => None,
        }
    }
}

/// The last operation of a warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Last {
    /// The cycle in which the operation took effect.
    pub cycle: usize,
    pub kind: Kind,
    pub id: u8,
    /// The operation's fault, if the operation was refused.
    pub refused: Option<Code>,
    /// The cycle in which the warp was released from this operation; `None` if it has not been released.
    pub went_on: Option<usize>,
}

impl fmt::Display for Last {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Last { cycle, kind, id, refused, went_on } = self;
        match (kind, refused, went_on) {
            (_, Some(code), _) => write!(f, "was refused in cycle {cycle}: {kind:?}, {code:?}"),
            (Kind::Exit, None, _) => write!(f, "ended in cycle {cycle}"),
            (Kind::Sync | Kind::Reduce, None, Some(went_on)) => write!(f, "was released from barrier {id} in cycle {went_on}"),
            (Kind::Sync | Kind::Reduce, None, None) => write!(f, "waits at barrier {id} since cycle {cycle}"),
            (Kind::Arrive, None, _) => write!(f, "arrived at barrier {id} in cycle {cycle}, without waiting"),
            (_, None, _) => write!(f, "did {kind:?} in cycle {cycle}"),
        }
    }
}

/// For each CTA slot with a CTA, the last operation of each warp since the CTA's launch.
#[derive(Clone, Debug, Default)]
pub(super) struct LastOps(BTreeMap<u8, BTreeMap<u8, Last>>);

impl LastOps {
    /// Notes the operation that took effect at the rising edge at the end of `cycle`.
    pub fn see(&mut self, cycle: usize, model: &Reference) {
        let Some((Action::Operation(op), effect)) = model.named().and_then(Named::done) else { return };
        let Operation { kind, cta, warp, id, .. } = *op;
        match kind {
            Kind::Launch => drop(self.0.insert(cta, BTreeMap::new())),
            Kind::Release => drop(self.0.remove(&cta)),
            _ => {
                let refused = effect.fault.map(|fault| fault.code);
                let last = Last { cycle, kind, id, refused, went_on: None };
                if let Some(warps) = self.0.get_mut(&cta) {
                    warps.insert(warp, last);
                }
            }
        }
        let Some(release) = &effect.release else { return };
        for (warp, last) in self.0.get_mut(&release.cta).into_iter().flatten() {
            if release.warps >> warp & 1 == 1 {
                last.went_on = Some(cycle);
            }
        }
    }

    /// Every barrier at which a warp waits.
    pub fn waiting_barriers(&self, model: &Reference, sizes: &Sizes) -> Vec<WaitingBarrier> {
        let Some(barriers) = model.named().map(Named::barriers) else { return vec![] };
        let mut waiting = vec![];
        for (&cta, warps) in &self.0 {
            for id in 0..sizes.barriers() as u8 {
                let Some(row) = barriers.row(cta, id).filter(|row| row.waiting != 0) else { continue };
                let slot = barriers.slot(cta);
                let waits = |warp: u8| row.waiting >> warp & 1 == 1;
                waiting.push(WaitingBarrier {
                    cta,
                    id,
                    waiting: (0..64)
                        .filter(|warp| waits(*warp))
                        .map(|warp| (warp, warps.get(&warp).map_or(0, |last| last.cycle)))
                        .collect(),
                    arrived: row.count,
                    expected: if row.expected == 0 { slot.live } else { row.expected },
                    silent: slot.launched.saturating_sub(warps.len() as u32),
                    others: warps
                        .iter()
                        .map(|(warp, last)| (*warp, *last))
                        .filter(|(warp, _)| row.arrived >> warp & 1 == 0)
                        .collect(),
                });
            }
        }
        waiting
    }
}

/// A barrier at which warps wait.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaitingBarrier {
    /// CTA slot of the barrier.
    pub cta: u8,
    pub id: u8,
    /// The waiting warps, each with the cycle of its arrival.
    pub waiting: Vec<(u8, usize)>,
    /// Number of warps that have arrived.
    pub arrived: u32,
    /// Number of arrivals that complete the generation: the given count in warps or, without a count, the number of live warps.
    pub expected: u32,
    /// Number of warps of the CTA that have executed no operation since the CTA's launch.
    pub silent: u32,
    /// The other warps of the CTA that have not arrived, each with its last operation.
    pub others: Vec<(u8, Last)>,
}

impl fmt::Display for WaitingBarrier {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let WaitingBarrier { cta, id, arrived, expected, .. } = self;
        write!(f, "CTA slot {cta}, barrier {id}: {arrived} of {expected} warps have arrived")?;
        for (warp, since) in &self.waiting {
            write!(f, "\n  warp {warp} waits since cycle {since}")?;
        }
        for (warp, last) in &self.others {
            write!(f, "\n  warp {warp} {last}")?;
        }
        match self.silent {
            0 => Ok(()),
            1 => write!(f, "\n  1 warp of this CTA has done nothing since the launch"),
            silent => write!(f, "\n  {silent} warps of this CTA have done nothing since the launch"),
        }
    }
}
