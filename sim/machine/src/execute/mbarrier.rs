// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Operations on mbarriers: the lanes that go to the unit together, and their operands. Lanes that agree in address and in number or phase
//! bit go together, the group of the lowest lane first; the other lanes issue separately.

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

/// The operation of a lane.
#[derive(Clone, Copy, Debug)]
struct Ask {
    address: u32,
    /// The number of the operation, or the word with the phase.
    second: u32,
    hint: u64,
}

/// The operation of the lowest executing lane and of the lanes that agree with it; `None` if there is no operation for the unit.
pub(super) fn issue_of(
    warp: &Warp,
    (instr, asked): (&Instr, &Mbarrier),
    lanes: Active,
    env: &Env,
) -> Result<Option<Instruction>, Stopped> {
    let mut first: Option<Ask> = None;
    let mut group = 0;
    for lane in bits(lanes.executing) {
        let ask = ask(warp, (instr, asked), lane, env)?;
        let lowest = *first.get_or_insert(ask);
        group |= u64::from(agree(asked, &lowest, &ask)) << lane;
    }
    let Some(lowest) = first else { return Ok(None) };
    let writes = instr.written().next().is_some();
    let Some(word) = asked.word(lowest.second.into(), lowest.hint, writes) else { return Ok(None) };
    Ok(Some(Instruction { word, ra: lowest.address, rb: lowest.second, ..issue(lanes.here, group) }))
}

/// The mbarrier that each executing lane names.
pub(super) fn addresses(warp: &Warp, named: (&Instr, &Mbarrier), lanes: Active, env: &Env) -> Result<Vec<Late>, Stopped> {
    let (instr, asked) = named;
    let ctas = match &asked.op {
        MbarrierOp::Commit { ctas } => ctas.as_ref(),
        _ => None,
    };
    let mut late = vec![];
    for (lane, ctas) in cluster::receiving(warp, instr, (ctas, lanes.executing), env)? {
        let address = ask(warp, named, lane, env)?.address;
        late.extend(ctas.unwrap_or(vec![warp.cta]).into_iter().map(|cta| Late { lane, cta, address }));
    }
    Ok(late)
}

fn ask(warp: &Warp, (instr, asked): (&Instr, &Mbarrier), lane: usize, env: &Env) -> Result<Ask, Stopped> {
    let value = |operand: &Operand, what: &str| {
        let held = warp.value(operand, lane, env.cycle);
        held.ok_or_else(|| stop::operand(warp, (operand, &instr.span), lane, what))
    };
    let base = value(&asked.address, "address of this mbarrier")?;
    let mut address = address(warp, instr, (asked.space, base, asked.offset, asked.narrow), lane)?;
    if asked.later() {
        let own = (warp.cta, "the awaited copies belong to the CTA");
        address = aligned(warp, instr, lane, cluster::of(warp, instr, lane, address, own)?)?;
    }
    let (second, hint) = match &asked.op {
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

fn agree(asked: &Mbarrier, one: &Ask, other: &Ask) -> bool {
    let bit = |ask: &Ask| match &asked.op {
        MbarrierOp::Wait(wait) => ask.second >> (if wait.parity { 0 } else { 31 }) & 1,
        _ => ask.second,
    };
    one.address == other.address && bit(one) == bit(other)
}

/// The shared address of base plus offset.
fn address(
    warp: &Warp,
    instr: &Instr,
    (space, base, offset, narrow): (Space, u64, i64, bool),
    lane: usize,
) -> Result<u32, Stopped> {
    let base = if narrow { base & 0xffff_ffff } else { base };
    let at = base.wrapping_add(offset as u64);
    match (space, window::of(at)) {
        (_, Some((Space::Shared, at))) => Ok(at as u32),
        (Space::Generic, _) => {
            let why = format!("the address {at:#x} is not in shared memory, where mbarriers are");
            Err(stop::misplaced(warp, instr, lane, &why))
        }
        _ => Ok(at as u32),
    }
}

/// The mbarrier that a lane's copy into this memory signals: it must be of the same CTA.
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
        // In a look-ahead, memories cannot be distinguished.
        return aligned(warp, instr, lane, cluster::owner(warp, instr, lane, at)?.1);
    }
    let to = (cluster::cta_of(to, warp), "the bytes are copied to the CTA");
    aligned(warp, instr, lane, cluster::of(warp, instr, lane, at, to)?)
}

/// Refuses an address that is no multiple of 8: the unit gets the numbers of words, so it cannot represent any other address.
fn aligned(warp: &Warp, instr: &Instr, lane: usize, at: u32) -> Result<u32, Stopped> {
    match at.is_multiple_of(8) {
        true => Ok(at),
        false => {
            Err(stop::misplaced(warp, instr, lane, &format!("the address {at:#x} of the mbarrier is not a multiple of 8")))
        }
    }
}

/// Of the lanes that execute an instruction word, those whose operands of an mbarrier operation agree with the lowest lane; `None` for any
/// other word.
pub(super) fn together(warp: &Warp, asked: &Word, executing: u64) -> Option<u64> {
    let Ok(Op::Mbar(Mbar { does, .. })) = decode(asked.word).map(|instr| instr.op) else { return None };
    let mask = match does {
        MbarOp::Test { phase, .. } | MbarOp::Try { phase, .. } => match phase {
            Phase::Token(_) => 1 << 31,
            Phase::Parity(_) => 1,
        },
        _ => u32::MAX,
    };
    let held = |slot: Option<usize>, lane: usize| slot.and_then(|slot| warp.register(slot, lane)).unwrap_or(0) as u32;
    let ask = |lane: usize| (held(asked.ra, lane), held(asked.rb, lane) & mask);
    let lowest = bits(executing).next().map(ask);
    Some(bits(executing).filter(|lane| Some(ask(*lane)) == lowest).fold(0, |group, lane| group | 1 << lane))
}
