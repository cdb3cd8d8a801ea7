// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The warps that spin on memory when a run ends: the words that they read, the last stores to them, and the possible next stores.

use super::lookahead::{next_store, Next};
use super::memory::{Bank, Memory};
use super::report::{Absent, LastWriter, NextWriter, SpinWait, SpinWord};
use super::sm::Sm;
use super::warp::Warp;

/// All spinning warps.
pub(super) fn spinning(sms: &[Sm], memory: &Memory) -> Vec<SpinWait> {
    let of_sm = |sm: &Sm| -> Vec<(usize, usize)> {
        // A warp that polls an mbarrier in a loop counts as waiting at the mbarrier, not as spinning; likewise at the barrier of a grid.
        let waits = |index: usize, warp: &Warp| {
            sm.record.mbarriers.waiters.contains_key(&index) || warp.polled_grid_barrier().is_some()
        };
        let spins = sm.warps.iter().enumerate().filter(|(index, warp)| sm.spins(warp) && !waits(*index, warp));
        spins.map(|(index, _)| (sm.number, index)).collect()
    };
    let mut spin_waits: Vec<SpinWait> = vec![];
    let mut writers: Vec<(Bank, u64, Vec<NextWriter>)> = vec![];
    for (sm, index) in sms.iter().flat_map(of_sm) {
        let Some(warp) = sms.iter().find(|candidate| candidate.number == sm).and_then(|sm| sm.warps.get(index)) else {
            continue;
        };
        let Some(at) = warp.spun_words().first().map(|(at, ..)| *at).or_else(|| warp.spins_at()) else { continue };
        let words = warp.spun_words().iter().map(|(_, bank, address, bytes)| word(sms, memory, *bank, *address, *bytes));
        let (place, words) = (warp.place_of(at), words.collect());
        let mut spin = SpinWait { cta: warp.cta, warp: warp.warp, place, words, writers: vec![], absent: None };
        for (_, bank, address, _) in warp.spun_words() {
            let known = writers
                .iter()
                .find(|(known_bank, first, _)| known_bank == bank && first == address)
                .map(|(.., known)| known.clone());
            let next = known.unwrap_or_else(|| {
                let found = next_writers(sms, *bank, *address);
                writers.push((*bank, *address, found.clone()));
                found
            });
            spin.writers.extend(next.into_iter().filter(|next| !spin.writers.contains(next)).collect::<Vec<_>>());
            spin.absent = spin.absent.or_else(|| absent(sms, memory, *bank, *address));
        }
        spin_waits.push(spin);
    }
    spin_waits.sort_by_key(|wait| (wait.cta, wait.warp));
    spin_waits
}

fn word(sms: &[Sm], memory: &Memory, bank: Bank, address: u64, bytes: u64) -> SpinWord {
    let (shared, name) = match bank {
        Bank::Shared(cta) => {
            let name = u32::try_from(address).ok().and_then(|at| sms.iter().find_map(|sm| sm.record.mbarriers.name(cta, at)));
            (Some(cta), name)
        }
        _ => (None, memory.name(address)),
    };
    let find =
        |cta: usize, number: usize| sms.iter().flat_map(|sm| &sm.warps).find(|warp| (warp.cta, warp.warp) == (cta, number));
    let writer = memory.last_writer(bank, address).and_then(|last| {
        let place = find(last.cta, last.warp)?.place_of(last.at);
        Some(LastWriter { cta: last.cta, warp: last.warp, cycle: last.cycle, place })
    });
    SpinWord { shared, address, bytes, name, value: memory.read(bank, address, bytes as usize), writer }
}

/// A CTA that has exited without a store to a buffer, while other CTAs have stored to other words of the buffer.
fn absent(sms: &[Sm], memory: &Memory, bank: Bank, address: u64) -> Option<Absent> {
    if bank != Bank::Global || memory.last_writer(bank, address).is_some() {
        return None;
    }
    let writers = memory.writers_beside(address);
    let first = writers.first()?;
    let warps = || sms.iter().flat_map(|sm| &sm.warps);
    let is_writer = |cta: usize| writers.iter().any(|writer| writer.cta == cta);
    let lives = |cta: usize| warps().any(|warp| warp.cta == cta && warp.exited.is_none());
    let exited = warps().find(|warp| !is_writer(warp.cta) && !lives(warp.cta))?;
    let writer = warps().find(|warp| (warp.cta, warp.warp) == (first.cta, first.warp))?;
    let (store_cta, store_warp, store) = (first.cta, first.warp, writer.place_of(first.at));
    Some(Absent { cta: exited.cta, warp: exited.warp, exit: exited.last_place(), store_cta, store_warp, store })
}

/// Warps that would store to a word if they were not blocked.
fn next_writers(sms: &[Sm], bank: Bank, address: u64) -> Vec<NextWriter> {
    let live = sms.iter().flat_map(|sm| &sm.warps).filter(|warp| warp.exited.is_none() && warp.stopped.is_none());
    let writer = |warp: &Warp| {
        let place = match next_store(warp, bank, address) {
            Next::Arrives(place) => Some(place),
            Next::Unclear => None,
            Next::Never => return None,
        };
        Some(NextWriter { cta: warp.cta, warp: warp.warp, place })
    };
    // Warps of other clusters cannot access the shared memory of a CTA.
    let reaches = |warp: &&Warp| !matches!(bank, Bank::Shared(cta) if !warp.ctas.contains(&cta));
    live.filter(reaches).filter_map(writer).collect()
}
