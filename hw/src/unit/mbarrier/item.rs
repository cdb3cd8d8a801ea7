// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What `mbarrier` keeps: an object's word, an entry of the cache, an item of the queue.

use crate::prelude::*;

/// An object: the fields of its word as they stand there, all numbers negated; all 0 is none.
#[payload]
pub struct Word {
    pub expected: Bits<20>,
    pub tx: Bits<21>,
    pub spent: Bit,
    pub pending: Bits<20>,
    pub phase: Bit,
}

/// A word as an operation makes it.
#[payload]
pub struct After {
    pub new_expected: Bits<20>,
    pub new_tx: Bits<21>,
    pub new_spent: Bit,
    pub new_pending: Bits<20>,
    pub new_phase: Bit,
}

/// An entry of the cache; all 0 is free.
#[payload]
pub struct Entry<W, XT> {
    /// It holds an object; that was changed.
    pub live: Bit,
    pub dirty: Bit,
    /// CTA slot and high bits of the object's number.
    pub tag: Bits<XT>,
    /// Warps that are suspended on it.
    pub waiting: Bits<W>,
    pub word: Word,
}

/// What an item does, decoded before it is queued; all 0 looks at an entry and leaves it.
#[payload]
pub struct Does {
    /// It is a time-out; a step of the walk.
    pub times_out: Bit,
    pub walks: Bit,
    /// Neither: it is an operation; one that is wrong as such.
    pub operates: Bit,
    pub flawed: Bit,
    pub init: Bit,
    pub inval: Bit,
    /// It asks for a phase; its warp may be suspended.
    pub waits: Bit,
    pub suspends: Bit,
    /// Arrivals; fewer expected; more pending; more bytes.
    pub arrives: Bit,
    pub drops: Bit,
    pub adds: Bit,
    pub expects: Bit,
    /// It changes the number of bytes, and nothing else but that.
    pub moves_bytes: Bit,
    pub only_expects: Bit,
    /// It may complete a phase; it must not.
    pub completes: Bit,
    pub must_not: Bit,
    /// Its warp gets a result.
    pub has_result: Bit,
}

/// An item of the queue.
#[payload]
pub struct Item<LW, LC, XW, XL> {
    pub does: Does,
    /// What is wrong with it as such.
    pub code: FaultCode,
    /// It is a warp's.
    pub own: Bit,
    pub warp: Bits<LW>,
    pub cta: Bits<LC>,
    pub object: Bits<XW>,
    pub address: Bits<32>,
    /// What is added to the fields of the word, and whether 1 more is.
    pub add_pending: Bits<20>,
    pub add_expected: Bits<20>,
    pub add_tx: Bits<21>,
    pub pending_more: Bit,
    pub expected_more: Bit,
    pub asked_phase: Bit,
    pub hint: Bits<XL>,
    pub destination: Destination,
}

/// Where an item looks, known before the rest of it.
#[payload]
pub struct Place<XI> {
    /// Its entry.
    pub entry: Bits<XI>,
    /// It starts from an empty word.
    pub init: Bit,
}

/// A time-out: a warp, and the entry at which it was suspended.
#[payload]
pub struct TimeOut<LW, XI> {
    pub warp: Bits<LW>,
    pub entry: Bits<XI>,
}
