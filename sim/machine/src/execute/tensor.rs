// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Tensor copies: the map that a lane selects, and the destination of the box at its coordinates.

use super::super::memory::{Bank, Part, Tile, Use};
use super::super::warp::Warp;
use super::access::AccessRange;
use super::address::{address, how, place_at};
use super::bulk::limited;
use super::env::Env;
use super::{mbarrier, stop, Stopped};
use bcu_program::tensor::{self, Mode, Row, TensorMap};
use bcu_program::{window, Access, Instr, Operand, Signal, Space, TensorCopy};
use smallvec::smallvec;

/// The alignment, in bytes, of the address in shared memory.
const SHARED: u64 = 128;

/// Sets the part of a lane in a tensor copy. A copy that signals an mbarrier reads the tensor; any other copy reads shared memory. The values of
/// the part are the destination (if the coordinates are known), the number of bytes, and a mask that selects all bytes. A prefetch is only
/// checked.
pub(super) fn part(
    warp: &Warp,
    (instr, request, copy): (&Instr, &Access, &TensorCopy),
    part: &mut Part,
    env: &Env,
) -> Result<(), Stopped> {
    let lane = part.lane;
    let wrong = |why: &str| stop::misplaced(warp, instr, lane, why);
    let value = |operand: &Operand| warp.value(operand, lane, env.cycle);
    (part.bank, part.values) = (Bank::Shared(warp.cta), smallvec![None, None, Some(u64::MAX)]);
    let Some((map, place)) = map(warp, (instr, request, copy), lane, env)? else {
        if copy.signal.is_none() || env.memory.is_none() {
            return Ok(());
        }
        let operand = request.address.as_ref().unwrap_or(&Operand::Opaque);
        return Err(stop::operand(warp, (operand, &instr.span), lane, "address of the tensor map of this copy"));
    };
    if copy.coordinates.is_empty() {
        return Ok(());
    }
    part.map = place;
    let (rank, given) = (map.dimensions.len(), copy.coordinates.len());
    if copy.mode.coordinates(rank) != given || copy.mode == Mode::Rows4 && rank != 2 {
        let given = match copy.mode {
            Mode::Tile => given,
            Mode::Rows4 => 2,
            Mode::Im2col => (given + 2) / 2,
        };
        return Err(wrong(&format!("{given} coordinates, but the tensor map has {rank} dimensions")));
    }
    match (copy.mode, &map.pixels) {
        (Mode::Im2col, None) => return Err(wrong("the instruction has im2col mode, but the tensor map has a box")),
        (Mode::Tile | Mode::Rows4, Some(_)) => {
            return Err(wrong("the tensor map is one of im2col mode, but the instruction is not"));
        }
        _ => {}
    }
    if let (Mode::Rows4, Some(rows)) = (copy.mode, map.dimensions.get(1).map(|rows| rows.size).filter(|rows| *rows != 1)) {
        return Err(wrong(&format!("the copy selects four rows, but the box of the tensor map has {rows} rows; expected 1")));
    }
    let element = map.element;
    let reduce = match &copy.reduce {
        None => None,
        Some(known) => match known.iter().find(|(map_element, ..)| *map_element == element) {
            Some((_, ty, op)) => Some((*ty, *op)),
            None => {
                return Err(wrong(&format!(
                    "the tensor map has elements of the type {}, for which PTX does not define this reduction",
                    element.name()
                )))
            }
        },
    };
    let bytes = map.box_bytes(copy.mode);
    limited(warp, instr, lane, bytes)?;
    if let Some((shared, offset)) = &copy.shared {
        let shared = value(shared).map(|shared| shared.wrapping_add(*offset as u64));
        let inside = |at| {
            let request = AccessRange { space: Space::Shared, address: at, bytes, align: SHARED, how: Use::Store };
            place_at(warp, instr, request, lane, env)
        };
        if let Some((bank, at)) = shared.map(inside).transpose()? {
            (part.bank, part.address) = (if env.memory.is_some() { bank } else { part.bank }, Some(at));
        }
    }
    // Coordinates are signed 32-bit numbers, and offsets are unsigned 16-bit numbers.
    let is_offset = |i: usize| copy.mode == Mode::Im2col && i >= rank;
    let number = |i: usize, at: u64| if is_offset(i) { i32::from(at as u16) } else { at as i32 };
    let coordinates = copy.coordinates.iter().enumerate().map(|(i, operand)| value(operand).map(|at| number(i, at)));
    let coordinates: Option<Vec<i32>> = coordinates.collect();
    if let Some((i, at, [low, end])) = coordinates.as_ref().and_then(|coordinates| map.outside_of_corners(coordinates)) {
        let why =
            format!("the coordinate {at} of dimension {i} is outside of the corners of the tensor map, {low} to {}", end - 1);
        return Err(wrong(&why));
    }
    part.values = smallvec![coordinates.as_ref().map(|_| map.address), Some(bytes), Some(u64::MAX)];
    if let Some(coordinates) = coordinates {
        let rows: Vec<Row> = map.rows(copy.mode, &coordinates).collect();
        for Row { address: at, bytes, .. } in &rows {
            let row = AccessRange { space: Space::Global, address: *at, bytes: *bytes, align: 1, how: how(request) };
            place_at(warp, instr, row, lane, env)?;
        }
        // If the address in shared memory is unknown, so are the bytes, in whatever order.
        let shared = part.address.unwrap_or(0);
        let rows = rows.into_iter().flat_map(|row| map.chunks(row, shared)).collect();
        part.tile = Some(Box::new(Tile { rows, outside: map.outside.bytes(), reduce }));
    }
    match &copy.signal {
        Some(signal) => into_shared(warp, (instr, copy, signal), (part, map.address), env),
        None => Ok(()),
    }
}

/// Completes the part of a lane in a copy from the tensor to shared memory. Such a copy signals an mbarrier, and all its operands must be
/// known.
fn into_shared(
    warp: &Warp,
    (instr, copy, signal): (&Instr, &TensorCopy, &Signal),
    (part, tensor): (&mut Part, u64),
    env: &Env,
) -> Result<(), Stopped> {
    let lane = part.lane;
    part.signal = Some(mbarrier::signalled(warp, instr, (signal, part.bank), lane, env)?);
    if let (None, Some((operand, _))) = (part.address, &copy.shared) {
        return Err(stop::operand(warp, (operand, &instr.span), lane, "destination address of this copy"));
    }
    let unknown = |operand: &&Operand| warp.value(operand, lane, env.cycle).is_none();
    if let Some(operand) = copy.coordinates.iter().find(unknown) {
        return Err(stop::operand(warp, (operand, &instr.span), lane, "coordinate of this copy"));
    }
    part.values[0] = part.address;
    (part.to, part.bank, part.address) = (part.bank, Bank::Global, Some(tensor));
    Ok(())
}

/// The tensor map that a lane selects, with its address if it is in global memory; `None` if it is unknown.
fn map(
    warp: &Warp,
    (instr, request, copy): (&Instr, &Access, &TensorCopy),
    lane: usize,
    env: &Env,
) -> Result<Option<(TensorMap, Option<u64>)>, Stopped> {
    let Some(base) = request.address.as_ref().and_then(|operand| warp.value(operand, lane, env.cycle)) else { return Ok(None) };
    let Some(memory) = env.memory.as_ref() else { return Ok(None) };
    let at = address(request, base, request.offset);
    let request = AccessRange {
        space: Space::Global,
        address: at,
        bytes: tensor::BYTES as u64,
        align: tensor::ALIGNMENT,
        how: Use::Load,
    };
    let mut place = None;
    let bytes = match window::classify(at) {
        Some((Space::Param, inside)) if inside.is_multiple_of(tensor::ALIGNMENT) => {
            let first = inside as usize;
            let arguments = &warp.program.grid.arguments;
            match arguments.get(first..first.saturating_add(tensor::BYTES)) {
                Some(bytes) => bytes.to_vec(),
                None => return Err(stop::no_tensor_map(warp, instr, lane, at, None)),
            }
        }
        Some((Space::Shared | Space::Local, _)) => {
            let why = format!("the address {at:#x} is neither in global memory nor in a parameter, where tensor maps are");
            return Err(stop::misplaced(warp, instr, lane, &why));
        }
        // A misaligned address of a kernel argument also reaches this point, and is reported.
        _ => {
            let (bank, at) = place_at(warp, instr, request, lane, env)?;
            place = Some(at);
            memory.range(bank, at, tensor::BYTES)
        }
    };
    let known: Option<Vec<u8>> = bytes.into_iter().collect();
    match known.map(|bytes| TensorMap::decode(&bytes)) {
        Some(Ok(map)) => Ok(Some((map, place))),
        Some(Err(invalid)) => Err(stop::no_tensor_map(warp, instr, lane, at, Some(&invalid))),
        // A prefetch through an unknown map has no effect.
        None if copy.shared.is_none() => Ok(None),
        None => Err(stop::unknown_tensor_map(warp, instr, lane, at)),
    }
}
