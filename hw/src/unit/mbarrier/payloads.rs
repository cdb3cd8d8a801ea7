// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The payloads between the blocks of `mbarrier`, in pipeline order: remote operations, the item that is started, the item in the decide
//! stage, its check, its decision. The payloads that are stored are in [`item`](super::item), with the sizes.

use super::item::{Entry, Item, Lookup, NewWord};
use super::ports::NetOut;
use crate::prelude::*;

/// The result of a remote operation that the network has taken.
#[payload]
pub struct RemoteResult<LW> {
    /// Warp of the operation.
    pub warp: Bits<LW>,
    /// The warp gets a token.
    pub has_result: Bit,
    /// The destination of the token.
    pub destination: Destination,
}

/// A remote operation: the message for the network, and the result for its warp.
#[payload]
pub struct RemoteOp<LW, LC, XW, KC> {
    /// The result for the warp once the network has taken the message.
    pub result: RemoteResult<LW>,
    /// The message for the network.
    pub message: NetOut<LC, XW, KC>,
}

/// A remote operation found its target CTA absent.
#[payload]
pub struct AbsentTarget<LC> {
    /// CTA slot of the sender.
    pub cta: Bits<LC>,
}

/// The data of an item that the queue outputs one cycle before the item itself: its cache entry, and whether the two items
/// queued before it have the same entry.
#[payload]
pub struct Queued<XI> {
    /// Cache entry of the item.
    pub lookup: Lookup<XI>,
    /// The item queued directly before this item has the same entry.
    pub same_as_last: Bit,
    /// The item queued two items before this item has the same entry.
    pub same_as_second_last: Bit,
}

/// The item that is started, as the cache needs it.
#[payload]
pub struct Start<XI> {
    /// An item is started.
    pub valid: Bit,
    /// Cache entry of the item that is started, and whether the two items queued before it have the same entry.
    pub queued: Queued<XI>,
    /// An item is in the sums stage: it was started in the previous cycle.
    pub sums_valid: Bit,
    /// Cache entry of the item in the sums stage.
    pub sums_entry: Bits<XI>,
    /// The decision of the previous cycle restarts the later items: the items that were started after the decided item are
    /// void, and no item is started in this cycle.
    pub restarted: Bit,
}

/// The kind of decision that the item in the decide stage needs, determined in the sums stage; at most one bit is 1.
#[payload]
pub struct Case {
    /// The item is refused, whatever its object holds: it has a fault already, or its CTA is absent.
    pub refuses: Bit,
    /// The operation is an Init.
    pub inits: Bit,
    /// The operation is an Inval.
    pub invals: Bit,
    /// The operation is neither Init nor Inval, and its object is available: cached, or returned from memory.
    pub available: Bit,
    /// The operation is neither Init nor Inval, and its entry holds another object, which is evicted.
    pub evicts: Bit,
    /// The operation is neither Init nor Inval, and its object must be read from memory.
    pub reads: Bit,
    /// The item is a step of the walk.
    pub is_walk_step: Bit,
    /// The item is a time-out, or the result of a remote operation.
    pub expires: Bit,
}

/// The sums of an operation on the word of its object.
#[payload]
pub struct WordSums {
    /// The word after the operation, before a completion is applied; 0 if there is no item.
    pub new_word: NewWord,
    /// Carry out of the sum of `expected`.
    pub expected_carry: Bit,
    /// Carry out of the sum of `tx`, in which the sign bit of the stored `tx` is inverted.
    pub tx_carry: Bit,
    /// Carry out of the sum of `pending`.
    pub pending_carry: Bit,
    /// 1: the operation completes the phase if it is not refused. Always 0 for kinds that expect bytes, whose completion is `late_complete`
    /// of [`Judgement`].
    pub complete: Bit,
}

/// The item in the decide stage, with its entry and sums.
#[payload]
pub struct Ctrl<W, LW, LC, XW, XI, XT, XL> {
    /// There is an item to decide.
    pub valid: Bit,
    /// The item to decide.
    pub item: Item<LW, LC, XW, XL>,
    /// Number of the item's entry.
    pub entry: Bits<XI>,
    /// The entry as the item found it.
    pub entry_data: Entry<W, XT>,
    /// The case of the decision.
    pub case: Case,
    /// The entry is free or holds the item's object: once the item is done, the entry holds that object.
    pub entry_usable: Bit,
    /// The entry holds the item's object.
    pub entry_hit: Bit,
    /// The tag of the item's object.
    pub object_tag: Bits<XT>,
    /// The item's word was returned from memory.
    pub word_returned: Bit,
    /// Bit 0 of the item's word from memory: 1 = not an mbarrier object.
    pub bad_layout: Bit,
    /// The sums of the operation.
    pub sums: WordSums,
    /// Waits: the phase that the wait tests is complete.
    pub phase_over: Bit,
    /// TryWait: maximum number of ticks that the warp is suspended.
    pub limit: Bits<XL>,
}

/// The check of the operation in the decide stage against its object.
#[payload]
pub struct Judgement {
    /// The operation is refused.
    pub refused: Bit,
    /// The fault; None if the operation is not refused.
    pub code: FaultCode,
    /// The operation completes the phase, if it is not refused.
    pub complete: Bit,
    /// The operation is of a kind that expects bytes, and completes the phase. The completion is detected only in the decide stage, so
    /// the later items restart.
    pub late_complete: Bit,
    /// The expected count is 0 after the operation: if the operation completes the phase, the object is then spent.
    pub spent: Bit,
}

/// The state of the CTA whose object an entry holds.
#[payload]
pub struct EntryCta {
    /// The CTA leaves without `saved`: its objects are dropped unwritten, and its suspended warps get no result.
    pub unsaved: Bit,
    /// The object in the entry belongs to the CTA of the walk.
    pub in_walk: Bit,
}

/// An entry as the item in the decide stage leaves it.
#[payload]
pub struct Decided<W, XI, XT> {
    /// An item is in the decide stage.
    pub valid: Bit,
    /// Number of the item's entry.
    pub entry: Bits<XI>,
    /// The entry for the next item, if there is no restart.
    pub entry_data: Entry<W, XT>,
}

/// The outcome of an item.
#[payload]
pub struct Outcome<W> {
    /// The item is done, and leaves the queue.
    pub done: Bit,
    /// The item is refused with `code`, and is done.
    pub refused: Bit,
    /// Fault code of the refusal.
    pub code: FaultCode,
    /// The warp of the item is suspended.
    pub suspends: Bit,
    /// Suspended warps that are woken.
    pub woken_warps: Bits<W>,
    /// Predicate for the woken warps: 1 = the phase is complete.
    pub value: Bit,
}

/// The requests of an item to shared memory; at most one bit is 1.
#[payload]
pub struct Requests {
    /// The object that the entry holds is written.
    pub writes_back: Bit,
    /// The object of the item is read.
    pub reads: Bit,
    /// The word of the item's object is written with 0 (Inval).
    pub erases: Bit,
}

/// The decision on an item.
#[payload]
pub struct Decision<W> {
    /// The outcome of the item.
    pub outcome: Outcome<W>,
    /// The items that were started after the decided item are started again.
    pub restart: Bit,
    /// The item is a step of the walk, and is done.
    pub walk_step_done: Bit,
    /// The requests of the item to memory.
    pub requests: Requests,
}
