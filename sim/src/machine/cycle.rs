// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What an observer sees of a cycle: the ports, and what each warp does.

use super::sentence;
use super::warp::Warp;

/// One cycle of a run, before the machine reacts to it.
pub struct Cycle<'a> {
    /// One value per input port, in port order.
    pub inputs: &'a [u64],
    /// One value per output port, in port order.
    pub outputs: &'a [u64],
    pub(super) warps: &'a [Warp],
    pub(super) warp_slots: &'a [Option<usize>],
}

impl Cycle<'_> {
    /// What the warp in a warp slot does: the line and text of its next step, or where it waits; empty for a free slot.
    pub fn warp(&self, slot: usize) -> String {
        let Some(warp) = self.warp_slots.get(slot).and_then(|owner| self.warps.get((*owner)?)) else { return String::new() };
        let text = |place: crate::program::Place| format!("{}: {}", place.line, place.text);
        match (warp.exited, warp.stopped, warp.waits_at) {
            (Some(_), _, _) => "exited".to_string(),
            (None, Some(stop), _) => format!("{} ({})", sentence::stopped(stop), text(warp.last_place())),
            (None, None, Some(id)) => format!("waits at barrier {id} ({})", text(warp.last_place())),
            (None, None, None) if warp.waiting != 0 && warp.chosen().is_none() => {
                format!("waits for its own lanes ({})", text(warp.last_place()))
            }
            (None, None, None) => text(warp.place()),
        }
    }
}
