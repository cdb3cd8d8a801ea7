// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The resident CTAs, and the host that launches them.

use crate::stimulus::Rng;
use std::collections::VecDeque;

/// The state of the CTA in a CTA slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The CTA's launch has not been taken yet.
    Coming,
    Live,
    /// The CTA's retirement is offered, or is about to be.
    Retiring,
}

/// A CTA in its CTA slot.
#[derive(Clone, Copy, Debug)]
pub struct Resident {
    pub team: usize,
    pub group: usize,
    pub at: Place,
    pub warps: u64,
    pub rank: u64,
    pub grid: Option<usize>,
    /// The first cycle in which the CTA's launch or retirement may be offered.
    pub from: u64,
    /// Number of cycles without progress, counted only while the unit alone could delay the CTA.
    pub idle: u64,
}

/// A CTA that was retired, until the strobe `retired` reports it.
#[derive(Clone, Copy, Debug)]
pub struct Departure {
    /// The warp slots of the CTA.
    pub warps: u64,
    /// The cycle in which its retirement was taken.
    pub since: u64,
    /// Number of cycles since `retired` last reported any CTA, counted only while the unit alone could delay the report of this one.
    pub idle: u64,
}

pub struct Host {
    pub residents: Vec<Option<Resident>>,
    /// For each CTA slot, the CTAs that were retired and that the strobe `retired` has not yet reported, oldest first.
    pub departures: Vec<VecDeque<Departure>>,
    /// `clusters`: clusters of more than one CTA are launched. `prompt`, used only without `clusters`: a launch into a CTA slot may precede
    /// the `retired` strobe of the previous CTA in that slot.
    pub clusters: bool,
    pub prompt: bool,
    pub launches: VecDeque<usize>,
    pub(super) retires: VecDeque<usize>,
    /// The CTA slot of the launch on offer.
    pub(super) launch: Option<usize>,
    /// The CTA slot of the retirement on offer.
    pub(super) retire: Option<usize>,
    /// Cluster slots in use, one bit each: the strobe `closed` has not yet reported them.
    pub open: u64,
    pub(super) next: u64,
}

impl Host {
    pub fn new(slots: usize, rng: &mut Rng) -> Host {
        Host {
            residents: vec![None; slots],
            departures: vec![VecDeque::new(); slots],
            clusters: rng.chance(600),
            prompt: rng.chance(500),
            launches: VecDeque::new(),
            retires: VecDeque::new(),
            launch: None,
            retire: None,
            open: 0,
            next: 0,
        }
    }

    pub(super) fn resident(&self, slot: usize) -> Option<&Resident> {
        self.residents.get(slot)?.as_ref()
    }

    pub fn team(&self, slot: usize) -> Option<usize> {
        Some(self.resident(slot)?.team)
    }

    /// The number, in its team, of the CTA in `slot`.
    pub fn group(&self, slot: usize) -> Option<usize> {
        Some(self.resident(slot)?.group)
    }

    pub fn rank(&self, slot: usize) -> u64 {
        self.resident(slot).map_or(0, |resident| resident.rank)
    }

    pub fn grid(&self, slot: usize) -> Option<usize> {
        self.resident(slot)?.grid
    }

    pub fn place(&self, slot: usize) -> Option<Place> {
        Some(self.resident(slot)?.at)
    }

    pub fn warps(&self, slot: usize) -> u64 {
        self.resident(slot).map_or(0, |resident| resident.warps)
    }

    /// Warp slots of all resident CTAs of a team.
    pub fn warps_of(&self, team: usize) -> u64 {
        self.residents.iter().flatten().filter(|resident| resident.team == team).fold(0, |mask, resident| mask | resident.warps)
    }

    /// Whether every CTA of a team has been launched.
    pub fn is_whole(&self, team: usize) -> bool {
        self.residents.iter().flatten().all(|resident| resident.team != team || resident.at != Place::Coming)
    }

    pub fn progress(&mut self, slot: usize) {
        self.progress_but(slot, false);
    }

    /// Notes progress of the CTA in `slot`. Does nothing if `vain` is true: a test of a phase is no progress, because the phase may be
    /// incomplete.
    pub fn progress_but(&mut self, slot: usize, vain: bool) {
        if let Some(Some(resident)) = self.residents.get_mut(slot).filter(|_| !vain) {
            resident.idle = 0;
        }
    }

    /// Counts one more cycle without progress of the CTA in `slot`, and returns the number of such cycles since its last progress.
    pub fn idle(&mut self, slot: usize) -> u64 {
        self.residents[slot].as_mut().map_or(0, |resident| {
            resident.idle += 1;
            resident.idle
        })
    }

    /// Whether a cluster of more than one CTA is open.
    pub fn has_open(&self) -> bool {
        self.open != 0
    }

    /// Whether the strobe `retired` has not yet reported some retired CTA.
    pub fn has_departures(&self) -> bool {
        self.departures.iter().any(|slot| !slot.is_empty())
    }

    /// The oldest CTA that was retired from `slot` and is not yet reported.
    pub fn departure(&mut self, slot: usize) -> Option<&mut Departure> {
        self.departures[slot].front_mut()
    }

    /// Removes the CTA of `slot` that `retired` reports, if there is one, and sets the idle count of every other retired CTA to 0. The unit
    /// handles one CTA at a time, the lowest slot first, so the wait of a single CTA has no bound.
    pub fn report(&mut self, slot: usize) -> Option<Departure> {
        let reported = self.departures.get_mut(slot)?.pop_front();
        self.departures.iter_mut().flatten().for_each(|departure| departure.idle = 0);
        reported
    }
}
