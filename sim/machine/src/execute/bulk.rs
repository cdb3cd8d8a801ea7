// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Bulk copies: source, destination and size of a lane's copy, and their checks.

use super::super::memory::{Bank, Part, Use};
use super::super::warp::Warp;
use super::access::AccessRange;
use super::address::{address, place_at};
use super::env::Env;
use super::{mbarrier, stop, Stopped};
use bcu_program::{Access, Bulk, Instr, Operand, Signal, Space};
use smallvec::smallvec;

/// The addresses and sizes of bulk copies are multiples of this number of bytes (PTX pages on
/// cp.async.bulk).
const UNIT: u64 = 16;
/// The maximum size of a bulk copy in bytes; no shared memory is that large.
const MAX_BYTES: u64 = 1 << 20;

/// Sets a lane's part in a bulk copy. The `values` of the part are the destination address, the number of bytes, and a mask that selects the
/// bytes to copy in each block of 16 bytes.
pub(super) fn part(
    warp: &Warp,
    (instr, request, bulk): (&Instr, &Access, &Bulk),
    part: &mut Part,
    env: &Env,
) -> Result<(), Stopped> {
    let lane = part.lane;
    let value = |operand: &Operand| warp.value(operand, lane, env.cycle);
    let bytes = size(warp, (instr, &bulk.size), lane, env)?;
    let checked = |space: Space, at: u64, how: Use| {
        let request = AccessRange { space, address: at, bytes: bytes.unwrap_or(0), align: UNIT, how };
        place_at(warp, instr, request, lane, env)
    };
    let from = value(&bulk.from).map(|from| from.wrapping_add(bulk.offset as u64));
    let to = request.address.as_ref().and_then(value).map(|to| address(request, to, request.offset));
    let from = from.map(|from| checked(bulk.space, from, Use::Load)).transpose()?;
    let to = to.map(|to| checked(request.space, to, Use::Store)).transpose()?;
    if let Some(signal) = &bulk.signal {
        let bank = to.map_or(Bank::Shared(warp.cta), |(bank, _)| bank);
        // With a mask of CTAs, the instruction gives an address of an mbarrier in the CTA of the
        // warp. The copy to each selected CTA signals the mbarrier at the same address of that CTA.
        let bank = if request.ctas().is_some() { Bank::Shared(warp.cta) } else { bank };
        part.signal = Some(mbarrier::signalled(warp, instr, (signal, bank), lane, env)?);
        for (known, operand, what) in [
            (to.is_some(), request.address.as_ref(), "destination address of this copy"),
            (bytes.is_some(), Some(&bulk.size), "number of bytes of this copy"),
        ] {
            if let (false, Some(operand)) = (known, operand) {
                return Err(stop::operand(warp, (operand, &instr.span), lane, what));
            }
        }
    }
    let bank = |place: Option<(Bank, u64)>, otherwise: Bank| place.map_or(otherwise, |(bank, _)| bank);
    part.to = bank(to, Bank::Global);
    let own_bank = if bulk.space == Space::Shared { Bank::Shared(warp.cta) } else { Bank::Global };
    let (bank, from, to) = (bank(from, own_bank), from.map(|(_, at)| at), to.map(|(_, at)| at));
    let mask = bulk.mask.as_ref().map_or(Some(u64::MAX), value);
    (part.bank, part.address, part.values) = (bank, from, smallvec![to, bytes, mask]);
    Ok(())
}

/// Sets a lane's part in a store of registers that signals an mbarrier (`st.async`). The `values` of the part are the destination address, the
/// number of bytes, and a mask that selects all bytes.
pub(super) fn signalling_part(
    warp: &Warp,
    (instr, request, signal): (&Instr, &Access, &Signal),
    part: &mut Part,
    env: &Env,
) -> Result<(), Stopped> {
    let lane = part.lane;
    let Some(base) = request.address.as_ref().and_then(|operand| warp.value(operand, lane, env.cycle)) else {
        let operand = request.address.as_ref().unwrap_or(&Operand::Opaque);
        return Err(stop::operand(warp, (operand, &instr.span), lane, "destination address of this store"));
    };
    let bytes = super::address::bytes(request);
    let at = address(request, base, request.offset);
    let (bank, at) = place_at(
        warp,
        instr,
        AccessRange { space: request.space, address: at, bytes, align: bytes, how: Use::Store },
        lane,
        env,
    )?;
    // A look-ahead has no memory, so it cannot distinguish a shared address from a global one.
    if bank == Bank::Global && env.memory.is_some() {
        return Err(stop::misplaced(warp, instr, lane, &format!("the address {at:#x} is not in shared memory")));
    }
    part.signal = Some(mbarrier::signalled(warp, instr, (signal, bank), lane, env)?);
    (part.bank, part.to, part.address, part.values) = (bank, bank, Some(at), smallvec![Some(at), Some(bytes), Some(u64::MAX)]);
    Ok(())
}

/// The bytes of the registers that a lane stores.
pub(super) fn bytes(warp: &Warp, request: &Access, sources: &[Operand], lane: usize, env: &Env) -> Vec<Option<u8>> {
    let source_bytes = |source: &Operand| {
        let value = warp.value(source, lane, env.cycle);
        (0..request.ty.bytes()).map(move |byte| value.map(|value| (value >> (8 * byte)) as u8))
    };
    sources.iter().flat_map(source_bytes).collect()
}

/// Checks that the addresses of a prefetch exist; a prefetch has no other effect.
pub(super) fn prefetch(
    warp: &Warp,
    (instr, request, bytes): (&Instr, &Access, &Operand),
    lane: usize,
    env: &Env,
) -> Result<(), Stopped> {
    let bytes = size(warp, (instr, bytes), lane, env)?;
    let at = request.address.as_ref().and_then(|operand| warp.value(operand, lane, env.cycle));
    if let Some(at) = at {
        let at = address(request, at, request.offset);
        let bytes = bytes.unwrap_or(0);
        place_at(
            warp,
            instr,
            AccessRange { space: request.space, address: at, bytes, align: UNIT, how: Use::Hint },
            lane,
            env,
        )?;
    }
    Ok(())
}

/// The number of bytes that a lane copies; `None` if the number is unknown. Fails if it is not a
/// multiple of `UNIT`, or is above `MAX_BYTES`.
fn size(warp: &Warp, (instr, operand): (&Instr, &Operand), lane: usize, env: &Env) -> Result<Option<u64>, Stopped> {
    let Some(bytes) = warp.value(operand, lane, env.cycle).map(|bytes| bytes & 0xffff_ffff) else { return Ok(None) };
    if !bytes.is_multiple_of(UNIT) {
        return Err(stop::misplaced(
            warp,
            instr,
            lane,
            &format!("the size of {bytes} bytes is not a multiple of {UNIT} bytes"),
        ));
    }
    limited(warp, instr, lane, bytes)?;
    Ok(Some(bytes))
}

/// Fails if a copy has more than `MAX_BYTES` bytes.
pub(super) fn limited(warp: &Warp, instr: &Instr, lane: usize, bytes: u64) -> Result<(), Stopped> {
    if bytes <= MAX_BYTES {
        return Ok(());
    }
    let why = format!("{bytes} bytes exceed the maximum of a bulk copy, {MAX_BYTES}");
    Err(stop::misplaced(warp, instr, lane, &why))
}
