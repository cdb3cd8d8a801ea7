// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The record of lanes in `gather`, before their warp as a whole arrives at a barrier.

use super::accepted::Progress;
use super::{Event, Record};
use bcu_model::gather::{Laned, Offered};
use bcu_model::op::{Code, Form, Kind};
use bcu_model::Bcu;
use bcu_program::Place;

/// Lanes that wait in `gather` (`lanes`), the lanes for which they wait (`missing`), and a location. At a barrier it is the location of the
/// lanes that arrived last; at a WarpSync or Elect, of the lanes that arrived first.
pub(in super::super) struct Partly {
    pub lanes: u64,
    pub missing: u64,
    pub place: Place,
}

impl Record {
    /// Records the operation that `gather` processed at the last clock edge, and returns its result.
    pub fn gathers(&mut self, unit: &Bcu) -> Option<Event> {
        let (offered, effect) = unit.gather().looked_at()?;
        let op = &offered.laned.carried.op;
        if matches!(op.kind, Kind::Launch | Kind::Release) {
            return None;
        }
        if let Some(accepted) = self.accepted.get_mut(&op.tag).filter(|_| offered.laned.carried.from_instr) {
            accepted.progress = Progress::Gathering;
        }
        let event = effect.passed.as_ref().and_then(|passed| self.passes(offered, passed));
        // An instruction that `gather` has neither kept nor passed on is complete, so its record is
        // removed.
        let warp = unit.gather().warp(op.warp);
        let waits = |tag: u32| {
            warp.gathering.is_some_and(|gathering| gathering.tag == tag)
                || warp.rendezvous.iter().flatten().any(|rendezvous| rendezvous.tag == tag)
        };
        let slot = op.warp;
        self.accepted.retain(|tag, accepted| {
            accepted.decoded.op.warp != slot || accepted.progress != Progress::Gathering || waits(*tag)
        });
        event
    }

    /// Records that `gather` passes an operation on: the offered operation, or one that the offered operation completes.
    fn passes(&mut self, offered: &Offered, passed: &Laned) -> Option<Event> {
        let op = &passed.carried.op;
        if op.kind == Kind::Exit {
            return None;
        }
        let accepted = self.accepted.get_mut(&op.tag)?;
        let warp = accepted.index;
        accepted.progress = Progress::Passed { refused: op.fault != Code::None };
        let by_exit = offered.laned.carried.op.kind == Kind::Exit;
        let lanes_wait = matches!(offered.form, Form::Gathered | Form::WarpSync | Form::Elect);
        if lanes_wait && (op.fault != Code::None || !op.uniform) {
            return Some(Event::Refused { warp, lanes: offered.laned.lanes });
        }
        let gathered = by_exit || offered.form == Form::Gathered;
        match op.kind {
            _ if !gathered => None,
            // The warp now waits at the barrier of its cluster, so its lanes no longer wait in `gather`.
            Kind::ClusterWait => Some(Event::Whole { warp, lanes: passed.lanes }),
            _ => op.waits().then_some(Event::Gathered { warp, lanes: passed.lanes, id: op.id }),
        }
    }

    /// For the warp in slot `slot`, the lanes that wait for other lanes of the warp.
    pub fn partly(&self, slot: usize, unit: &Bcu) -> Vec<Partly> {
        let warp = unit.gather().warp(slot as u8);
        let gathering = warp.gathering.iter().map(|gathering| (warp.live, gathering.lanes, gathering.tag));
        let meetings = warp.rendezvous.iter().flatten();
        let meetings = meetings.map(|meeting| (meeting.members & warp.live, meeting.lanes, meeting.tag));
        let partly = |(all, lanes, tag): (u64, u64, u32)| {
            Some(Partly { lanes, missing: all & !lanes, place: self.accepted.get(&tag)?.place.clone() })
        };
        gathering.chain(meetings).filter_map(partly).collect()
    }
}
