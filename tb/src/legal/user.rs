// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The interface of a legal user: an environment of a unit that keeps its contract.

/// An environment of a unit that keeps every rule that the contract states for the user, and checks the unit's responses.
pub trait LegalUser {
    /// Returns the inputs of this cycle, one value per input port in port order. `outputs` are the outputs of the same cycle, in port
    /// order. They are known first, because no output depends on an input of the same cycle.
    fn drive(&mut self, outputs: &[u64]) -> &[u64];
    /// The unit's first failure so far: an unjustified fault, an effect that is lost, early or wrong, or a wait that does not end.
    fn failure(&self) -> Option<&str>;
    /// Counters for the report of the run, as pairs of name and count (barriers completed, accesses, exits, launches, worst waits ...).
    fn figures(&self) -> Vec<(String, u64)>;
}
