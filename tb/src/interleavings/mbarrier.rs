// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The semantics of one mbarrier: phases of arrivals and bytes.

use super::misuse::Misuse;
use super::program::ArrivalForm;

/// The state of an mbarrier.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Mbarrier {
    /// Not initialised, or invalidated.
    #[default]
    Invalid,
    Live(Phase),
    /// All participants have dropped out; only waits are valid. The phase bit.
    Spent(bool),
}

/// The current phase of an mbarrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Phase {
    /// The phase bit: whether the number of completed phases is odd.
    odd: bool,
    /// The arrivals of each later phase.
    expected: u32,
    /// The arrivals that this phase still needs.
    pending: u32,
    /// The bytes that this phase still needs; negative if bytes came before they were expected.
    bytes: i32,
}

/// The range of the transaction count in both directions (PTX, *Tracking asynchronous operations by the mbarrier object*).
const MOST_BYTES: i32 = (1 << 20) - 1;

impl Phase {
    /// Adds to the expected bytes; a negative number are bytes that have come.
    fn add_bytes(&mut self, bytes: i32) -> Result<(), Misuse> {
        self.bytes += bytes;
        match self.bytes.abs() > MOST_BYTES {
            true => Err(Misuse("mbarrier_tx_range")),
            false => Ok(()),
        }
    }

    fn is_complete(&self) -> bool {
        self.pending == 0 && self.bytes == 0
    }

    /// The state after this phase, if it is complete.
    fn settled(self) -> Mbarrier {
        match (self.is_complete(), self.expected) {
            (false, _) => Mbarrier::Live(self),
            (true, 0) => Mbarrier::Spent(!self.odd),
            (true, expected) => Mbarrier::Live(Phase { odd: !self.odd, expected, pending: expected, bytes: 0 }),
        }
    }

    /// The word of 64 bits, in the layout of sm_90.
    fn word(&self) -> u64 {
        let negated = |number: i64, bits: u32| (-number) as u64 & ((1 << bits) - 1);
        negated(self.expected.into(), 20) << 1
            | negated(self.bytes.into(), 21) << 21
            | negated(self.pending.into(), 20) << 43
            | u64::from(self.odd) << 63
    }
}

impl Mbarrier {
    fn phase(&self) -> Result<Phase, Misuse> {
        match self {
            Mbarrier::Live(phase) => Ok(*phase),
            Mbarrier::Invalid | Mbarrier::Spent(_) => Err(Misuse("mbarrier_invalid")),
        }
    }

    pub fn init(&mut self, count: u32) -> Result<(), Misuse> {
        if count == 0 {
            return Err(Misuse("mbarrier_count"));
        }
        *self = Mbarrier::Live(Phase { odd: false, expected: count, pending: count, bytes: 0 });
        Ok(())
    }

    pub fn inval(&mut self) {
        *self = Mbarrier::Invalid;
    }

    /// An arrival, or with `drop` a drop. Returns the word before it.
    pub fn arrive(&mut self, count: u32, form: ArrivalForm, drop: bool) -> Result<u64, Misuse> {
        let before = self.phase()?;
        if count == 0 {
            return Err(Misuse("mbarrier_count"));
        }
        if count > before.pending {
            return Err(Misuse("mbarrier_over_arrival"));
        }
        let mut phase = before;
        phase.pending -= count;
        if let ArrivalForm::Expect(bytes) = form {
            phase.add_bytes(bytes)?;
        }
        let completes = phase.is_complete();
        if drop {
            phase.expected = phase.expected.checked_sub(count).ok_or(Misuse("mbarrier_drop_to_zero"))?;
            if phase.expected == 0 && (!completes || form == ArrivalForm::NoComplete) {
                return Err(Misuse("mbarrier_drop_to_zero"));
            }
        }
        if completes && form == ArrivalForm::NoComplete {
            return Err(Misuse("mbarrier_completes"));
        }
        *self = phase.settled();
        Ok(before.word())
    }

    /// More bytes are expected in this phase.
    pub fn expect(&mut self, bytes: i32) -> Result<(), Misuse> {
        let mut phase = self.phase()?;
        phase.add_bytes(bytes)?;
        if phase.is_complete() {
            return Err(Misuse("mbarrier_expect_late"));
        }
        *self = Mbarrier::Live(phase);
        Ok(())
    }

    /// Bytes of a copy or an asynchronous store have come.
    pub fn complete(&mut self, bytes: i32) -> Result<(), Misuse> {
        let mut phase = self.phase()?;
        phase.add_bytes(-bytes)?;
        *self = phase.settled();
        Ok(())
    }

    /// This phase needs one more arrival.
    pub fn add_pending(&mut self) -> Result<(), Misuse> {
        let mut phase = self.phase()?;
        phase.pending += 1;
        *self = Mbarrier::Live(phase);
        Ok(())
    }

    /// Whether the phase with this phase bit is over.
    pub fn is_over(&self, odd: bool) -> Result<bool, Misuse> {
        match self {
            Mbarrier::Spent(current) => Ok(*current != odd),
            _ => Ok(self.phase()?.odd != odd),
        }
    }
}
