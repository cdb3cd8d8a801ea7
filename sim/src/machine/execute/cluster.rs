// SPDX-License-Identifier: Apache-2.0 OR MIT
//! CTAs of a cluster in what a lane names: every CTA is a cluster of its own, of rank 0.

use super::super::warp::threads::bits;
use super::super::warp::Warp;
use super::{stop, Env, Stopped};
use crate::program::window::RANK_AT;
use crate::program::{Instr, Operand};

/// A shared address that something without a warp goes to must be of the own CTA.
pub(super) fn own(warp: &Warp, instr: &Instr, lane: usize, at: u32) -> Result<u32, Stopped> {
    match at >> RANK_AT {
        0 => Ok(at),
        rank => {
            let why =
                format!("the mbarrier {at:#x} is of the CTA of rank {rank}, and every CTA is a cluster of its own, of rank 0");
            Err(stop::misplaced(warp, instr, lane, &why))
        }
    }
}

/// Of these lanes, those whose mask of CTAs has the own one; no other may be named.
pub(super) fn receiving(warp: &Warp, instr: &Instr, (ctas, lanes): (Option<&Operand>, u64), env: &Env) -> Result<u64, Stopped> {
    let Some(operand) = ctas else { return Ok(lanes) };
    let mut receiving = 0;
    for lane in bits(lanes) {
        let Some(mask) = warp.value(operand, lane, env.cycle).map(|mask| mask & 0xffff) else {
            return Err(stop::operand(warp, (operand, &instr.span), lane, "mask of the CTAs that this goes to"));
        };
        if mask > 1 {
            let why = format!("the mask {mask:#x} names CTAs beside that of rank 0, and every CTA is a cluster of its own");
            return Err(stop::misplaced(warp, instr, lane, &why));
        }
        receiving |= mask << lane;
    }
    Ok(receiving)
}
