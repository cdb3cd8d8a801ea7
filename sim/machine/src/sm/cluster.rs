// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Cluster events on a multiprocessor: warps that arrive at the barrier of their cluster and resume after it, closed clusters, and accesses
//! to the shared memory of CTAs that have exited.

use super::super::memory::Access;
use super::super::race::EarlyExit;
use super::super::report::Misuse;
use super::super::warp::threads::bits;
use super::super::warp::Warp;
use super::Sm;
use crate::uncore::{Blocks, Uncore};
use bcu_model::op::{Code, Kind};
use bcu_program::Place;

impl Sm<'_> {
    /// Processes the strobes for clusters; returns whether there are any.
    pub(super) fn cluster(&mut self, blocks: &mut Blocks) -> bool {
        let at = &self.pins.at;
        let (closed, release) = (self.pins.is_set(at.cluster_closed_valid), self.pins.is_set(at.cluster_release_valid));
        let (slot, warps) = (self.pins.get(at.cluster_closed_cluster), self.pins.get(at.cluster_release_warps));
        if closed {
            blocks.closed(self.number, slot as usize);
        }
        for slot in bits(if release { warps } else { 0 }) {
            let Some(index) = self.warp_slots.get(slot).copied().flatten() else { continue };
            let (cycle, warp) = (self.cycle, &mut self.warps[index]);
            warp.waited += warp.at_cluster.take().map_or(0, |since| cycle - since);
            let (issuer, phase) = (self.issuer(index), self.warps[index].phases);
            self.races.iter().for_each(|races| races.borrow_mut().after_cluster(issuer, phase));
        }
        closed || release
    }

    /// Records that an operation of the warp with index `index` at the barrier of its cluster has taken effect, or was refused.
    pub(super) fn at_cluster(&mut self, index: usize, kind: Kind, code: Code) {
        if kind == Kind::ClusterWait && code == Code::None {
            self.warps[index].at_cluster = Some(self.cycle);
        }
        if !matches!(kind, Kind::ClusterArrive | Kind::ClusterArriveRelaxed) {
            return;
        }
        let issuer = self.issuer(index);
        let phase = (code == Code::None).then(|| {
            self.warps[index].phases += 1;
            self.warps[index].phases
        });
        if kind == Kind::ClusterArrive && phase.is_some() {
            self.record.mbarriers.releases(issuer.cta, self.cycle);
        }
        self.races.iter().for_each(|races| races.borrow_mut().at_cluster(issuer, phase));
    }

    /// Records that a CTA has exited, if the warp with index `index` was its last one.
    pub(super) fn exits_last(&mut self, index: usize, uncore: &mut Uncore) {
        let cta = self.warps[index].cta;
        let of_cta = |warp: &&Warp| warp.cta == cta;
        if !self.resident_warps().filter(of_cta).all(|warp| warp.exited.is_some()) {
            return;
        }
        uncore.exited_ctas.insert(cta);
        let early = self.races.as_ref().map_or(vec![], |races| races.borrow_mut().early_exits(cta));
        for EarlyExit { cta: from, warp, does, place } in early {
            let sentence = format!(
                "warp {warp} of CTA {from} {does} {}, and CTA {cta} exits without waiting for it",
                self.shared_memory(index, cta)
            );
            let (code, warp, cycle, place) = ("cluster_early_exit", Some(warp), self.cycle, Some(place));
            self.record.mbarriers.report(Misuse { code, cta: from, warp, cycle, place, sentence, related: None });
        }
    }

    /// Reports an access to the shared memory of another CTA that may not have started.
    pub(super) fn enters(&mut self, access: &Access) {
        if let (Some(to), Some(place)) = (access.others().next(), &access.place) {
            let does = if access.stores() { "stores to" } else { "reads" };
            self.enters_at(access.warp, (to, does), place);
        }
    }

    /// Reports an operation of a warp, at `place`, on the shared memory of CTA `to`, if that CTA may not have started. `index` is the
    /// warp's index; `does` is the verb of the message.
    pub(super) fn enters_at(&mut self, index: usize, (to, does): (usize, &str), place: &Place) {
        let Warp { cta, warp, .. } = self.warps[index];
        if self.races.as_ref().is_none_or(|races| !races.borrow().may_enter_late(cta)) {
            return;
        }
        let sentence = format!(
            "warp {warp} of CTA {cta} {does} {}, which may not have started: the CTAs have not synchronised before",
            self.shared_memory(index, to)
        );
        let (code, cycle, place) = ("cluster_late_entry", self.cycle, Some(place.clone()));
        self.record.mbarriers.report(Misuse { code, cta, warp: Some(warp), cycle, place, sentence, related: None });
    }

    /// The shared memory of a CTA of the cluster of the warp with index `index`, as text.
    fn shared_memory(&self, index: usize, cta: usize) -> String {
        let rank = self.warps[index].ctas.iter().position(|of| *of == cta).unwrap_or(0);
        format!("the shared memory of CTA {cta} (rank {rank} of the cluster)")
    }

    /// Reports an access to the shared memory of a CTA that has exited.
    pub(super) fn reaches(&mut self, access: &Access, uncore: &Uncore) {
        let Some(place) = &access.place else { return };
        let Some(exited_cta) = access.others().find(|cta| uncore.exited_ctas.contains(cta)) else { return };
        let warp = &self.warps[access.warp];
        let does = if access.stores() { "stores to" } else { "reads" };
        let sentence = format!(
            "warp {} of CTA {} {does} {}, which has exited",
            warp.warp,
            warp.cta,
            self.shared_memory(access.warp, exited_cta)
        );
        let (code, cta, cycle, place) = ("cluster_cta_exited", warp.cta, self.cycle, Some((**place).clone()));
        self.record.mbarriers.report(Misuse { code, cta, warp: Some(warp.warp), cycle, place, sentence, related: None });
    }
}
