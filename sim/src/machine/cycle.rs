// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What an observer sees of a cycle: the ports, and what each warp does.

use super::sentence;
use super::sm::Sm;
use super::warp::Warp;

/// One cycle of a run, before the machine reacts to it.
pub struct Cycle<'a> {
    /// One value per input port, in port order.
    pub inputs: &'a [u64],
    /// One value per output port, in port order.
    pub outputs: &'a [u64],
    pub(super) sms: &'a [Sm<'a>],
}

impl Cycle<'_> {
    /// The warp in a warp slot.
    pub(super) fn owner(&self, slot: usize) -> Option<&Warp> {
        let each = self.sms.first()?.warp_slots.len();
        let sm = self.sms.get(slot / each.max(1))?;
        sm.warps.get(sm.warp_slots[slot % each]?)
    }

    /// What the warp in a warp slot does: the line and text of its next step, or where it waits; empty for a free slot. The slots of a
    /// multiprocessor are numbered behind those of the one before.
    pub fn warp(&self, slot: usize) -> String {
        let Some(warp) = self.owner(slot) else { return String::new() };
        let text = |place: crate::program::Place| format!("{}: {}", place.line, place.text);
        match (warp.exited, warp.stopped, warp.waits_at) {
            (Some(_), _, _) => "exited".to_string(),
            (None, Some(stop), _) => format!("{} ({})", sentence::stopped(stop), text(warp.last_place())),
            (None, None, Some(id)) => format!("waits at barrier {id} ({})", text(warp.last_place())),
            (None, None, None) if warp.at_cluster.is_some() => {
                format!("waits at the barrier of its cluster ({})", text(warp.last_place()))
            }
            (None, None, None) if warp.at_grid.is_some() => {
                format!("waits for the grids before its own ({})", text(warp.last_place()))
            }
            (None, None, None) if warp.waiting != 0 && warp.chosen().is_none() => {
                format!("waits for its own lanes ({})", text(warp.last_place()))
            }
            (None, None, None) => text(warp.place()),
        }
    }
}
