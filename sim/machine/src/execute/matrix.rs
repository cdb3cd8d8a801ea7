// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Addresses of matrix elements that the lanes of a warp load or store together.

use super::super::memory::{Bank, Part};
use super::super::warp::Warp;
use super::address::{address, how, place};
use super::env::Env;
use super::{stop, Stopped};
use bcu_program::arith::Fragment;
use bcu_program::{Access, Instr, Shape};

/// Bytes of a row of eight 16-bit elements.
const ROW: u64 = 16;

/// Computes the address of each element that a lane holds.
pub(super) fn locate(
    warp: &Warp,
    (instr, request, shape): (&Instr, &Access, &Shape),
    parts: &mut [Part],
    env: &Env,
) -> Result<(), Stopped> {
    match shape {
        Shape::Rows { transposed } => rows(warp, (instr, request), *transposed, parts, env),
        Shape::Fragment { fragment, columns, stride } => {
            let default = if *columns { fragment.rows } else { fragment.columns } as u64;
            let stride = |lane: usize| match stride {
                Some(operand) => warp.value(operand, lane, env.cycle).map(|stride| stride & 0xffff_ffff),
                None => Some(default),
            };
            elements(warp, (instr, request), (*fragment, *columns, &stride), parts, env)
        }
    }
}

/// Locates the elements of a fragment: all lanes must have the same address and stride (PTX page on wmma.load).
fn elements(
    warp: &Warp,
    (instr, request): (&Instr, &Access),
    (fragment, columns, stride): (Fragment, bool, &dyn Fn(usize) -> Option<u64>),
    parts: &mut [Part],
    env: &Env,
) -> Result<(), Stopped> {
    let size = request.ty.bytes() as u64;
    let begin = |lane: usize| {
        let base = request.address.as_ref().and_then(|operand| warp.value(operand, lane, env.cycle))?;
        Some((address(request, base, request.offset), stride(lane)?))
    };
    let first = parts.first().and_then(|part| begin(part.lane));
    for part in parts {
        let Some((at, stride)) = begin(part.lane) else {
            part.places = vec![None; fragment.elements()];
            continue;
        };
        let wrong = |why: String| Err(stop::misplaced(warp, instr, part.lane, &why));
        if let Some(first_row) = first.filter(|first_row| *first_row != (at, stride)) {
            let (at, first_row) =
                (format!("{at:#x} and the stride {stride}"), format!("{:#x} and {}", first_row.0, first_row.1));
            return wrong(format!(
                "the lane gives the address {at} for the matrix, but other lanes of the warp give {first_row}"
            ));
        }
        let (aligned, apart) = (fragment.bytes().min(32), fragment.bytes().min(16));
        if env.memory.is_some() && !at.is_multiple_of(aligned) {
            return wrong(format!("the address {at:#x} of the matrix is not a multiple of {aligned}"));
        }
        if env.memory.is_some() && !(stride * size).is_multiple_of(apart) {
            return wrong(format!(
                "the stride of {stride} elements ({} bytes) is not a multiple of {apart} bytes",
                stride * size
            ));
        }
        for i in 0..fragment.elements() {
            let (row, column) = fragment.place(part.lane, i);
            let (outer, inner) = if columns { (column, row) } else { (row, column) };
            let number = (outer as u64).wrapping_mul(stride).wrapping_add(inner as u64);
            let at = at.wrapping_add(number.wrapping_mul(size));
            let (bank, at) = place(warp, instr, (request.space, at, size), how(request), part.lane, env)?;
            part.bank = bank;
            part.places.push(Some(at));
        }
    }
    Ok(())
}

/// Locates the elements of 8x8 matrices: a register holds two 16-bit elements that are neighbours in a row, or in a column (PTX pages on
/// ldmatrix and stmatrix).
fn rows(
    warp: &Warp,
    (instr, request): (&Instr, &Access),
    transposed: bool,
    parts: &mut [Part],
    env: &Env,
) -> Result<(), Stopped> {
    let mut rows = vec![None; 8 * request.count];
    // Eight lanes for each matrix give the addresses of its rows; the addresses of other lanes are not used.
    for part in parts.iter().filter(|part| part.lane < 8 * request.count) {
        let base = request.address.as_ref().and_then(|operand| warp.value(operand, part.lane, env.cycle));
        let Some(base) = base else { continue };
        let (bank, at) =
            place(warp, instr, (request.space, address(request, base, request.offset), ROW), how(request), part.lane, env)?;
        if bank != Bank::Shared(warp.cta) && env.memory.is_some() {
            let why = format!("the address {at:#x} of a row is not in shared memory of the CTA");
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
        part.places = (0..2 * request.count).map(|element| place(element / 2, half(element % 2))).collect();
    }
    Ok(())
}
