// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Where the elements of matrices stand that the lanes of a warp load or store together.

use super::super::memory::{Bank, Part};
use super::super::warp::Warp;
use super::access::{address, place};
use super::{stop, Env, Stopped};
use crate::program::{Access, Instr, Shape};

/// Bytes of a row of eight halves.
const ROW: u64 = 16;

/// Finds the address of each element that a lane holds.
pub(super) fn locate(
    warp: &Warp,
    (instr, asked, shape): (&Instr, &Access, &Shape),
    parts: &mut [Part],
    env: &Env,
) -> Result<(), Stopped> {
    match shape {
        Shape::Rows { transposed } => rows(warp, (instr, asked), *transposed, parts, env),
    }
}

/// Two halves a register: neighbours of a row, or of a column (PTX pages on ldmatrix and stmatrix).
fn rows(
    warp: &Warp,
    (instr, asked): (&Instr, &Access),
    transposed: bool,
    parts: &mut [Part],
    env: &Env,
) -> Result<(), Stopped> {
    let mut rows = vec![None; 8 * asked.count];
    // The addresses of the other lanes are not used.
    for part in parts.iter().filter(|part| part.lane < 8 * asked.count) {
        let base = asked.address.as_ref().and_then(|operand| warp.value(operand, part.lane, env.cycle));
        let Some(base) = base else { continue };
        let (bank, at) = place(warp, instr, (asked.space, address(asked, base, asked.offset), ROW), part.lane, env)?;
        if !matches!(bank, Bank::Shared(_)) && env.memory.is_some() {
            let why = format!("the address {at:#x} of a row is not in shared memory");
            return Err(stop::misplaced(warp, instr, part.lane, &why));
        }
        rows[part.lane] = Some(at);
    }
    for part in parts {
        let (group, within) = (part.lane / 4, part.lane % 4 * 2);
        let half = |i: usize| if transposed { (within + i, group) } else { (group, within + i) };
        let place = |matrix: usize, (row, column): (usize, usize)| {
            let first: Option<u64> = rows.get(8 * matrix + row).copied().flatten();
            first.map(|first| first + 2 * column as u64)
        };
        part.bank = Bank::Shared(warp.cta);
        part.places = (0..2 * asked.count).map(|element| place(element / 2, half(element % 2))).collect();
    }
    Ok(())
}
