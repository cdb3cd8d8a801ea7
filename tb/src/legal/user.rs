// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A user of a unit that keeps its contract.

/// A user of a unit that keeps every sentence which the contract addresses to the user, and checks what the unit does for it.
pub trait LegalUser {
    /// The inputs of this cycle, one value per input port in port order. `outputs` holds the outputs of this same cycle, in port order: no output depends on an input of its cycle.
    fn drive(&mut self, outputs: &[u64]) -> &[u64];
    /// What the unit did wrong up to now: a fault that nobody earned, an effect that is lost, early or wrong, a wait that does not end.
    fn failure(&self) -> Option<&str>;
    /// What was done, as lines `name count`, for the report of a run (barriers completed, accesses, exits, launches, worst waits ...).
    fn figures(&self) -> Vec<(String, u64)>;
}
