// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Calculates the result of an instruction: of all lanes at once if the operation allows it and every value is known, else lane by lane.

use super::super::warp::threads::{bits, At};
use super::super::warp::{Active, UnknownRead, Warp};
use super::env::Env;
use super::unknown;
use bcu_program::arith::{lane_partial, lane_result, Calc, Partial, MAX_SOURCES};
use bcu_program::Operand;

/// Calculates the result; in lanes with an unknown guard it is unknown.
pub(super) fn calculate(
    warp: &mut Warp,
    at: At,
    (calc, sources): (Calc, &[Operand]),
    writes: &[Option<usize>],
    lanes: Active,
    env: &mut Env,
) {
    let (executing, cycle) = (lanes.executing, env.cycle);
    match writes {
        [Some(slot)] if lanes.unknown == 0 && warp.calculate((calc, sources), *slot, executing, cycle, env.scratch) => {}
        _ => lane_by_lane(warp, at, (calc, sources), writes, lanes, cycle),
    }
}

fn lane_by_lane(
    warp: &mut Warp,
    at: At,
    (calc, sources): (Calc, &[Operand]),
    writes: &[Option<usize>],
    Active { executing, unknown, .. }: Active,
    cycle: u64,
) {
    let mut origins = [None; 2];
    for lane in bits(executing | unknown) {
        let mut values = [None; MAX_SOURCES];
        for (value, source) in values.iter_mut().zip(sources) {
            *value = warp.value(source, lane, cycle);
        }
        let results = match lane_result(calc, values) {
            _ if unknown >> lane & 1 == 1 => (Partial::UNKNOWN, Partial::UNKNOWN),
            (None, _) => {
                let mut partial = [Partial::UNKNOWN; MAX_SOURCES];
                partial.iter_mut().zip(sources).for_each(|(value, source)| *value = warp.partial(source, lane, cycle));
                lane_partial(calc, partial)
            }
            (first, second) => (first.into(), second.into()),
        };
        for ((to, value), origin) in writes.iter().zip([results.0, results.1]).zip(&mut origins) {
            let Some(slot) = to else { continue };
            if value.value().is_none() && origin.is_none() {
                let sources = decisive(warp, (calc, sources), lane, cycle);
                let from = unknown::origin(warp, sources, lane);
                if from.is_none() && sources.iter().any(|source| has_no_value(warp, source, lane)) {
                    warp.unknown_reads.insert(at, UnknownRead::NoValue);
                }
                *origin = Some(from.unwrap_or(at));
            }
            warp.set_partial(*slot, lane, value);
        }
    }
    let base = bits(executing | unknown).next().map_or(0, |lane| warp.threads.base[lane]);
    for (to, origin) in writes.iter().zip(origins) {
        if let (Some(slot), Some(origin)) = (to, origin) {
            warp.values.set_origin(base + slot, Some(origin));
        }
    }
}

/// Whether a source is a register that was never written.
fn has_no_value(warp: &Warp, source: &Operand, lane: usize) -> bool {
    matches!(source, Operand::Register { slot, .. } if warp.register(*slot, lane).is_none())
}

/// The first source of which unknown bits make bits of the result unknown; if no single source does, all sources.
fn decisive<'a>(warp: &Warp, (calc, sources): (Calc, &'a [Operand]), lane: usize, cycle: u64) -> &'a [Operand] {
    let mut partial = [Partial::UNKNOWN; MAX_SOURCES];
    partial.iter_mut().zip(sources).for_each(|(value, source)| *value = warp.partial(source, lane, cycle));
    let known = lane_partial(calc, partial).0.known;
    let changes = |i: &usize| {
        let mut filled = partial;
        filled[*i] = Some(partial[*i].bits).into();
        partial[*i].value().is_none() && lane_partial(calc, filled).0.known != known
    };
    let found = (0..sources.len().min(MAX_SOURCES)).find(changes);
    found.map_or(sources, |i| &sources[i..=i])
}
