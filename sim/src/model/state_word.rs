// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The state words `BARState` and `WarpBARState`: composed for a Read, checked and taken apart for a Write
//! (`docs/interface.md`, `named`, Read and Write; their layout is that of the design notes).

use super::op::{Reduced, Reduction};
use super::row::Row;

/// The CTA that a word is to be true of.
#[derive(Clone, Copy, Debug)]
pub struct Cta {
    pub launched: u32,
    pub live: u32,
    pub lanes: u32,
}

/// A `WarpBARState` word that is possible as far as the word alone can say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WarpWord {
    pub result: Reduced,
    /// The id at which the warp waits, if it does.
    pub waits_at: Option<u8>,
    pub trapped: bool,
}

/// Kinds of a `BARState` word.
const IDLE: u32 = 0;
const SYNC: u32 = 1;
const REDUCTION: u32 = 2;

/// `redop` of a warp that has no result.
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

/// A row as the warp of this bit sees it.
pub fn of_row(row: &Row, bit: u64) -> u32 {
    let shared = row.count | row.expected << 7;
    let kind = match (row.is_open(), row.reduction) {
        (false, _) => IDLE << 14,
        (true, Reduction::None) => SYNC << 14,
        (true, reduction) => REDUCTION << 14 | redop(reduction) << 16 | u32::from(row.result().value) << 18,
    };
    shared | kind | u32::from(row.arrived & bit != 0) << 31
}

/// A warp, with the id at which it waits.
pub fn of_warp(result: Reduced, waits_at: Option<u8>, trapped: bool) -> u32 {
    let waits = waits_at.map_or(0, |id| 1 << 14 | u32::from(id) << 15);
    u32::from(result.value) | redop(result.reduction) << 12 | waits | u32::from(trapped) << 19
}

/// Whether the warp that writes a `BARState` word has arrived.
pub fn arrived(word: u32) -> bool {
    field(word, 31, 31) != 0
}

/// The shared fields of a `BARState` word, with nobody in its masks; idle for an idle word, `None` for an impossible one.
pub fn row(word: u32, cta: &Cta) -> Option<Row> {
    let (count, expected, kind) = (field(word, 6, 0), field(word, 13, 7), field(word, 15, 14));
    let (redop, accumulator) = (field(word, 17, 16), field(word, 29, 18));
    if kind == IDLE {
        return (word == 0).then(Row::default);
    }
    let numbers = match expected {
        0 => count <= cta.live,
        _ => expected <= cta.launched && count < expected,
    };
    let reduction = if kind == REDUCTION { reduction(redop) } else { Reduction::None };
    let reduces = match (kind, reduction) {
        (SYNC, _) => redop == 0 && accumulator == 0,
        (REDUCTION, Reduction::And | Reduction::Or) => accumulator <= 1,
        (REDUCTION, Reduction::Popc) => accumulator <= count * cta.lanes,
        _ => false,
    };
    let possible = count > 0 && field(word, 30, 30) == 0 && numbers && reduces;
    // AND is 0 as soon as one contribution was false: one such warp stands for all that there were.
    let sum = if reduction == Reduction::And { 1 - accumulator.min(1) } else { accumulator };
    possible.then_some(Row { open: true, count, expected, reduction, sum, ..Row::default() })
}

/// A `WarpBARState` word; `None` for an impossible one.
pub fn warp(word: u32, cta: &Cta) -> Option<WarpWord> {
    let (value, reduction) = (field(word, 11, 0), reduction(field(word, 13, 12)));
    let (waits, id) = (field(word, 14, 14) != 0, field(word, 18, 15));
    let possible = match reduction {
        Reduction::None => value == 0,
        Reduction::And | Reduction::Or => value <= 1,
        Reduction::Popc => value <= cta.launched * cta.lanes,
    };
    let possible = possible && field(word, 31, 20) == 0 && (waits || id == 0);
    possible.then_some(WarpWord {
        result: Reduced { reduction, value: value as u16 },
        waits_at: waits.then_some(id as u8),
        trapped: field(word, 19, 19) != 0,
    })
}
