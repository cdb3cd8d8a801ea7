// SPDX-License-Identifier: Apache-2.0 OR MIT
//! CTAs of a cluster that a lane selects: by the rank in a shared address, or by a mask.

use super::super::memory::Bank;
use super::super::warp::Warp;
use super::env::Env;
use super::{stop, Stopped};
use bcu_program::window::RANK_AT;
use bcu_program::{Instr, Operand};

/// The CTA whose rank is in the shared address `at` of an mbarrier, and the address of the mbarrier in that CTA.
pub(super) fn owner(warp: &Warp, instr: &Instr, lane: usize, at: u32) -> Result<(usize, u32), Stopped> {
    let rank = at >> RANK_AT;
    match warp.ctas.get(rank as usize) {
        Some(cta) => Ok((*cta, at & ((1 << RANK_AT) - 1))),
        None => {
            let cluster = match warp.ctas.len() {
                1 => "the launch has no clusters, so every CTA has rank 0".to_string(),
                size => format!("the cluster has ranks 0 to {}", size - 1),
            };
            let why = format!("the address {at:#x} of the mbarrier names rank {rank} (bits 31:24), but {cluster}");
            Err(stop::misplaced(warp, instr, lane, &why))
        }
    }
}

/// The address, within CTA `cta`, of the mbarrier at the shared address `at`. Fails if the mbarrier is in another CTA; `what` is the part
/// of the message that states why `cta` is required.
pub(super) fn address_in_cta(
    warp: &Warp,
    instr: &Instr,
    lane: usize,
    at: u32,
    (cta, what): (usize, &str),
) -> Result<u32, Stopped> {
    let (owner, address) = owner(warp, instr, lane, at)?;
    if owner == cta {
        return Ok(address);
    }
    let rank = |cta: usize| warp.ctas.iter().position(|member| *member == cta).unwrap_or(0);
    let (is, must) = (rank(owner), rank(cta));
    let why = format!("the address {at:#x} of the mbarrier names rank {is} (bits 31:24), but {what} of rank {must}");
    Err(stop::misplaced(warp, instr, lane, &why))
}

/// The CTA to whose shared memory `bank` refers; if `bank` is not a shared memory, the CTA of `warp`.
pub(super) fn cta_of(bank: Bank, warp: &Warp) -> usize {
    match bank {
        Bank::Shared(cta) => cta,
        Bank::Global | Bank::Local(..) => warp.cta,
    }
}

/// The ranks of the CTAs in the mask `ctas` of a lane, one bit each; `None` if the instruction has no mask.
pub(super) fn receiving(
    warp: &Warp,
    instr: &Instr,
    (ctas, lane): (Option<&Operand>, usize),
    env: &Env,
) -> Result<Option<u64>, Stopped> {
    let Some(ctas) = ctas else { return Ok(None) };
    let Some(mask) = warp.value(ctas, lane, env.cycle).map(|mask| mask & 0xffff) else {
        return Err(stop::operand(warp, (ctas, &instr.span), lane, "mask of the destination CTAs"));
    };
    if mask >> warp.ctas.len() == 0 {
        return Ok(Some(mask));
    }
    let why = match warp.ctas.len() {
        1 => format!(
            "the mask {mask:#x} of the destination CTAs names ranks other than 0, but the launch has no clusters: launch with `--cluster N`, or give the mask 0x1"
        ),
        size => format!("the mask {mask:#x} of the destination CTAs names ranks that the cluster does not have; its ranks are 0 to {}", size - 1),
    };
    Err(stop::misplaced(warp, instr, lane, &why))
}
