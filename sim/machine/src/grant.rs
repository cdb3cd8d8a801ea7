// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Selects the warp that may issue in a run that follows random priorities.

use super::gpu::Gpu;
use super::sm::Sm;

/// The maximum number of cycles for which other warps wait for a warp with a higher priority whose instruction takes time. A longer
/// instruction is a sleep.
const MOST_BUSY: u64 = 64;

impl Gpu<'_> {
    /// Selects the warp that may issue in the next cycle. An operation takes effect within `latency` cycles after its warp and its
    /// multiprocessor are idle.
    pub(super) fn grant(&mut self, latency: u64) {
        let Some(turns) = self.sms.first().and_then(|sm| sm.turns.clone()) else { return };
        let mut turns = turns.borrow_mut();
        let has_operations = self.has_remote() || self.sms.iter().any(Sm::has_operations_in_flight);
        if turns.is_quiet(has_operations, latency) {
            turns.decide(self.sms.iter().flat_map(|sm| sm.can_continue(MOST_BUSY)));
        }
    }
}
