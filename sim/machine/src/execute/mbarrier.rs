// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Operations on mbarriers: the lanes that go to the unit together, and their operands. Lanes with the same address, and with the same
//! number or phase bit, go together. The group of the lowest lane is first; the other lanes issue separately.

use super::super::memory::Bank;
use super::super::warp::threads::bits;
use super::super::warp::{Active, Warp};
use super::env::{Env, Late};
use super::issue::issue;
use super::{cluster, stop, Stopped};
use bcu_isa::instr::{decode, Op};
use bcu_isa::mbar::{Mbar, MbarOp, Phase};
use bcu_model::decode::Instruction;
use bcu_program::mbarrier::{Mbarrier, MbarrierOp};
use bcu_program::{window, Instr, Operand, Signal, Space, Word};

/// An mbarrier operation of one lane.
#[derive(Clone, Copy, Debug)]
struct Ask {
    address: u32,
    /// The number of arrivals or bytes of the operation, or the word whose phase bit a wait uses.
    second: u32,
    hint: u64,
}

/// The operation of the lowest executing lane and of the lanes that agree with it. `None` if no
/// lane executes, or if the unit gets no operation because the arrivals are deferred (see
/// `addresses`).
pub(super) fn issue_of(
    warp: &Warp,
    (instr, request): (&Instr, &Mbarrier),
    lanes: Active,
    env: &Env,
) -> Result<Option<Instruction>, Stopped> {
    let mut first: Option<Ask> = None;
    let mut group = 0;
    for lane in bits(lanes.executing) {
        let ask = ask(warp, (instr, request), lane, env)?;
        let lowest = *first.get_or_insert(ask);
        group |= u64::from(agree(request, &lowest, &ask)) << lane;
    }
    let Some(lowest) = first else { return Ok(None) };
    let writes = instr.written().next().is_some();
    let Some(word) = request.word(lowest.second.into(), lowest.hint, writes) else { return Ok(None) };
    Ok(Some(Instruction { word, ra: lowest.address, rb: lowest.second, ..issue(lanes.present, group) }))
}

/// The arrivals that the executing lanes defer: for each lane, one arrival in each CTA that the
/// lane selects.
pub(super) fn addresses(warp: &Warp, named: (&Instr, &Mbarrier), lanes: Active, env: &Env) -> Result<Vec<Late>, Stopped> {
    let (instr, request) = named;
    let ctas = match &request.op {
        MbarrierOp::Commit { ctas } => ctas.as_ref(),
        _ => None,
    };
    let mut late = vec![];
    for lane in bits(lanes.executing) {
        let receiving = cluster::receiving(warp, instr, (ctas, lane), env)?;
        if receiving == Some(0) {
            continue;
        }
        let address = ask(warp, named, lane, env)?.address;
        match receiving {
            Some(ranks) => late.extend(bits(ranks).map(|rank| Late { lane, cta: warp.ctas[rank], address })),
            None => late.push(Late { lane, cta: warp.cta, address }),
        }
    }
    Ok(late)
}

fn ask(warp: &Warp, (instr, request): (&Instr, &Mbarrier), lane: usize, env: &Env) -> Result<Ask, Stopped> {
    let value = |operand: &Operand, what: &str| {
        let value = warp.value(operand, lane, env.cycle);
        value.ok_or_else(|| stop::operand(warp, (operand, &instr.span), lane, what))
    };
    let base = value(&request.address, "address of this mbarrier")?;
    let address = address(warp, instr, (request.space, base, request.offset, request.narrow), lane)?;
    if request.later() {
        // The address keeps its rank, which the unit compares with that of the CTA.
        let own_cta = (warp.cta, "the awaited copies belong to the CTA");
        aligned(warp, instr, lane, cluster::address_in_cta(warp, instr, lane, address, own_cta)?)?;
    }
    let (second, hint) = match &request.op {
        MbarrierOp::Init(number) => (value(number, "count of this mbarrier")?, 0),
        MbarrierOp::Tx { bytes, .. } => (value(bytes, "number of bytes")?, 0),
        MbarrierOp::Arrive { number, .. } => (value(number, "number of this arrival")?, 0),
        MbarrierOp::Wait(wait) => {
            let phase = value(&wait.phase, "phase of this wait")?;
            let hint = wait.hint.as_ref().map_or(Ok(0), |hint| value(hint, "hint of this wait"))?;
            (if wait.parity { phase } else { phase >> 32 }, hint & 0xffff_ffff)
        }
        MbarrierOp::Inval | MbarrierOp::Copies { .. } | MbarrierOp::Commit { .. } => (0, 0),
    };
    Ok(Ask { address, second: second as u32, hint })
}

fn agree(request: &Mbarrier, first: &Ask, second: &Ask) -> bool {
    let bit = |ask: &Ask| match &request.op {
        MbarrierOp::Wait(wait) => ask.second >> (if wait.parity { 0 } else { 31 }) & 1,
        _ => ask.second,
    };
    first.address == second.address && bit(first) == bit(second)
}

/// The shared address of an mbarrier, from base plus offset.
fn address(
    warp: &Warp,
    instr: &Instr,
    (space, base, offset, narrow): (Space, u64, i64, bool),
    lane: usize,
) -> Result<u32, Stopped> {
    let base = if narrow { base & 0xffff_ffff } else { base };
    let at = base.wrapping_add(offset as u64);
    match (space, window::classify(at)) {
        (_, Some((Space::Shared, at))) => Ok(at as u32),
        (Space::Generic, _) => {
            let why = format!("the address {at:#x} is not in shared memory, where mbarriers are");
            Err(stop::misplaced(warp, instr, lane, &why))
        }
        _ => Ok(at as u32),
    }
}

/// The address of the mbarrier that a lane's copy signals. `to` is the destination memory of the copy; the mbarrier must be in the CTA that
/// receives the bytes.
pub(super) fn signalled(
    warp: &Warp,
    instr: &Instr,
    (signal, to): (&Signal, Bank),
    lane: usize,
    env: &Env,
) -> Result<u32, Stopped> {
    let Some(base) = warp.value(&signal.address, lane, env.cycle) else {
        return Err(stop::operand(warp, (&signal.address, &instr.span), lane, "address of the mbarrier of this copy"));
    };
    let at = address(warp, instr, (Space::Shared, base, signal.offset, signal.narrow), lane)?;
    if env.memory.is_none() {
        // A look-ahead has no memory, so the memory `to` may be wrong, and its CTA is not checked.
        return aligned(warp, instr, lane, cluster::owner(warp, instr, lane, at)?.1);
    }
    let to = (cluster::cta_of(to, warp), "the bytes are copied to the CTA");
    aligned(warp, instr, lane, cluster::address_in_cta(warp, instr, lane, at, to)?)
}

/// Returns the address `at`. Fails if it is not a multiple of 8: the unit gets the number of an 8-byte word, which cannot represent another
/// address.
fn aligned(warp: &Warp, instr: &Instr, lane: usize, at: u32) -> Result<u32, Stopped> {
    match at.is_multiple_of(8) {
        true => Ok(at),
        false => {
            Err(stop::misplaced(warp, instr, lane, &format!("the address {at:#x} of the mbarrier is not a multiple of 8")))
        }
    }
}

/// The executing lanes whose mbarrier operation has the same operands as that of the lowest lane; `None` if the word is not an mbarrier
/// operation.
pub(super) fn together(warp: &Warp, request: &Word, executing: u64) -> Option<u64> {
    let Ok(Op::Mbar(Mbar { does, .. })) = decode(request.word).map(|instr| instr.op) else { return None };
    let mask = match does {
        MbarOp::Test { phase, .. } | MbarOp::Try { phase, .. } => match phase {
            Phase::Token(_) => 1 << 31,
            Phase::Parity(_) => 1,
        },
        _ => u32::MAX,
    };
    let register_value = |slot: Option<usize>, lane: usize| slot.and_then(|slot| warp.register(slot, lane)).unwrap_or(0) as u32;
    let ask = |lane: usize| (register_value(request.ra, lane), register_value(request.rb, lane) & mask);
    let lowest = bits(executing).next().map(ask);
    Some(bits(executing).filter(|lane| Some(ask(*lane)) == lowest).fold(0, |group, lane| group | 1 << lane))
}
