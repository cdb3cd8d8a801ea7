// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Memory on the stack of a lane, beyond the frame of its function; a return gives it back.

use super::super::warp::threads::{bits, At};
use super::super::warp::{Active, Warp};
use super::{stop, unknown, Begun, Env, Stopped};
use crate::program::{Instr, Stack};

/// Bytes of local memory of a thread (CUDA's table of technical specifications).
const MAX_STACK: u64 = 512 << 10;

pub(super) fn go(
    warp: &mut Warp,
    (instr, asked): (&Instr, &Stack),
    at: At,
    lanes: Active,
    env: &Env,
) -> Result<Begun, Stopped> {
    let own = warp.code().functions.get(at.function).map_or(0, |function| function.frame.next_multiple_of(16));
    unknown::forget(warp, instr.written(), at, lanes.executing | lanes.unknown);
    // Where nobody knows whether it is executed the pointer is unknown, and nothing else.
    for lane in bits(lanes.executing) {
        let frame = warp.threads.stack[lane].saturating_add(own);
        let top = frame.saturating_add(warp.threads.dynamic[lane]);
        let pointer = match asked {
            Stack::Save => Some(top),
            Stack::Allocate { bytes, align } => {
                let Some(bytes) = warp.value(bytes, lane, env.cycle) else { continue };
                let start = top.checked_next_multiple_of(*align).unwrap_or(u64::MAX);
                let end = start.saturating_add(bytes);
                if end > MAX_STACK {
                    let why = format!("{bytes} more bytes than the {top} in use pass the {MAX_STACK} of its local memory");
                    return Err(stop::misplaced(warp, instr, lane, &why));
                }
                warp.threads.dynamic[lane] = end - frame;
                Some(start)
            }
            Stack::Restore(from) => {
                let to = warp.value(from, lane, env.cycle).ok_or_else(|| stop::pointer(warp, instr, from, lane))?;
                if !(frame..=top).contains(&to) {
                    let why = format!("{to:#x} is no place that `stacksave` gives here: {frame:#x} to {top:#x}");
                    return Err(stop::misplaced(warp, instr, lane, &why));
                }
                warp.threads.dynamic[lane] = to - frame;
                None
            }
        };
        instr.written().for_each(|slot| warp.set(slot, lane, pointer));
    }
    Ok(Begun::Time(1))
}
