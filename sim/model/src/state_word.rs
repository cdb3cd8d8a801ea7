// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The state words `BARState` and `WarpBARState`: composed for a Read, checked and decoded for a Write
//! (`docs/contract/named.md`, Read and Write, which also has their layouts).

use super::op::Reduction;
use super::outcome::Reduced;
use super::row::Row;

/// The limits of the CTA against which a state word is checked.
#[derive(Clone, Copy, Debug)]
pub struct Cta {
    pub launched: u32,
    pub live: u32,
    pub lanes: u32,
}

/// The content of a `WarpBARState` word, checked against the CTA but not against the state of its barriers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WarpWord {
    pub result: Reduced,
    /// The id of the barrier at which the warp waits; `None` if it does not wait.
    pub waits_at: Option<u8>,
}

/// Kinds of a `BARState` word.
const IDLE: u32 = 0;
const SYNC: u32 = 1;
const REDUCTION: u32 = 2;

/// The value of the field `redop` for a warp without a result.
const NONE_YET: u32 = 3;

/// Bits `high`:`low` of a word.
fn field(word: u32, high: u32, low: u32) -> u32 {
    word >> low & (u32::MAX >> (31 - (high - low)))
}

fn redop(reduction: Reduction) -> u32 {
    match reduction {
        Reduction::None => NONE_YET,
        Reduction::And => 0,
        Reduction::Or => 1,
        Reduction::Popc => 2,
    }
}

fn reduction(redop: u32) -> Reduction {
    match redop {
        0 => Reduction::And,
        1 => Reduction::Or,
        2 => Reduction::Popc,
        _ => Reduction::None,
    }
}

/// The `BARState` word of a row, for the warp with this bit in the vectors of the row.
pub fn of_row(row: &Row, bit: u64) -> u32 {
    let shared = row.count | row.expected << 7;
    let kind = match (row.is_open(), row.reduction) {
        (false, _) => IDLE << 14,
        (true, Reduction::None) => SYNC << 14,
        (true, reduction) => REDUCTION << 14 | redop(reduction) << 16 | u32::from(row.result().value) << 18,
    };
    shared | kind | u32::from(row.arrived & bit != 0) << 31
}

/// The `WarpBARState` word of a warp; `waits_at` is the id at which it waits.
pub fn of_warp(result: Reduced, waits_at: Option<u8>, trapped: bool) -> u32 {
    let waits = waits_at.map_or(0, |id| 1 << 14 | u32::from(id) << 15);
    u32::from(result.value) | redop(result.reduction) << 12 | waits | u32::from(trapped) << 19
}

/// Whether a `WarpBARState` word marks its warp as trapped.
pub fn traps(word: u32) -> bool {
    field(word, 19, 19) != 0
}

/// Whether a `BARState` word marks the writing warp as arrived.
pub fn arrived(word: u32) -> bool {
    field(word, 31, 31) != 0
}

/// The shared fields of a `BARState` word, with empty warp masks; an idle row for an idle word. The error states the cause for which the
/// word is impossible.
pub fn row(word: u32, cta: &Cta) -> Result<Row, &'static str> {
    let (count, expected, kind) = (field(word, 6, 0), field(word, 13, 7), field(word, 15, 14));
    let (redop, accumulator) = (field(word, 17, 16), field(word, 29, 18));
    let reduction = if kind == REDUCTION { reduction(redop) } else { Reduction::None };
    let largest = if reduction == Reduction::Popc { count * cta.lanes } else { 1 };
    first_of(&[
        (field(word, 30, 30) != 0, "bit 30 is set"),
        (kind > REDUCTION, "kind 3 is undefined; expected 0 to 2"),
        (kind == IDLE && word != 0, "kind 0 is an idle barrier, whose word is 0"),
        (kind != IDLE && count == 0, "an open barrier with no arrival"),
        (kind == SYNC && (redop != 0 || accumulator != 0), "a reduction in a barrier of kind 1 (sync)"),
        (kind == REDUCTION && reduction == Reduction::None, "reduction 3 is undefined; expected 0 to 2"),
        (kind == REDUCTION && accumulator > largest, "a result above the maximum of the arrivals"),
        (expected > cta.launched, "more warps expected than the CTA has"),
        (expected != 0 && count >= expected, "at least as many arrivals as expected: the generation would be complete"),
        (expected == 0 && count > cta.live, "more arrivals than live warps"),
    ])?;
    if kind == IDLE {
        return Ok(Row::default());
    }
    // The result of AND is 0 after one false contribution, so a sum of 1 represents any number of false contributions.
    let sum = if reduction == Reduction::And { 1 - accumulator } else { accumulator };
    Ok(Row { open: true, count, expected, reduction, sum, ..Row::default() })
}

/// Decodes a `WarpBARState` word. The error states the cause for which the word is impossible.
pub fn warp(word: u32, cta: &Cta) -> Result<WarpWord, &'static str> {
    let (value, reduction) = (field(word, 11, 0), reduction(field(word, 13, 12)));
    let (waits, id) = (field(word, 14, 14) != 0, field(word, 18, 15));
    let largest = match reduction {
        Reduction::None => 0,
        Reduction::And | Reduction::Or => 1,
        Reduction::Popc => cta.launched * cta.lanes,
    };
    first_of(&[
        (field(word, 31, 20) != 0, "a bit of 31:20 is set"),
        (value > largest, "a result above the maximum of the CTA"),
        (!waits && id != 0, "a barrier id without the waiting bit"),
    ])?;
    Ok(WarpWord { result: Reduced { reduction, value: value as u16 }, waits_at: waits.then_some(id as u8) })
}

/// Returns the first cause that applies as the error.
fn first_of(causes: &[(bool, &'static str)]) -> Result<(), &'static str> {
    causes.iter().find(|(applies, _)| *applies).map_or(Ok(()), |(_, why)| Err(*why))
}
