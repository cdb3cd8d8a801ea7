// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The stack of a lane, for memory that a function allocates. The stack grows down from an address far from the frames of the lane's calls.
//! The return from the function frees the memory.

use super::super::warp::threads::{bits, At};
use super::super::warp::{Active, Warp};
use super::env::{Begun, Env};
use super::{stop, unknown, Stopped};
use bcu_program::{window, Instr, Stack};

/// Bytes of local memory of a thread (CUDA's table of technical specifications).
const MAX_STACK: u64 = 512 << 10;

pub(super) fn execute(
    warp: &mut Warp,
    (instr, request): (&Instr, &Stack),
    at: At,
    lanes: Active,
    env: &Env,
) -> Result<Begun, Stopped> {
    // The size is read before the pointer is written, because one register may hold both.
    let operand = match request {
        Stack::Allocate { bytes: operand, .. } | Stack::Restore(operand) => Some(operand),
        Stack::Save => None,
    };
    let given: Vec<_> =
        bits(lanes.executing).map(|lane| (lane, operand.and_then(|operand| warp.value(operand, lane, env.cycle)))).collect();
    // In lanes with an unknown guard the result register becomes unknown, and the stack does not
    // change.
    unknown::forget(warp, instr.written(), at, lanes.executing | lanes.unknown);
    for (lane, given) in given {
        let pointer = warp.threads.pointer[lane];
        match (request, given) {
            (Stack::Save, _) => {}
            (Stack::Allocate { align, .. }, Some(bytes)) => {
                let start = pointer.saturating_sub(bytes) & !(align - 1);
                if window::STACK - start > MAX_STACK {
                    let used = window::STACK - pointer;
                    let why = format!(
                        "{bytes} bytes in addition to {used} bytes of stack exceed the {MAX_STACK} bytes of local memory"
                    );
                    return Err(stop::misplaced(warp, instr, lane, &why));
                }
                warp.threads.pointer[lane] = start;
            }
            (Stack::Allocate { .. }, None) => continue,
            (Stack::Restore(from), None) => return Err(stop::pointer(warp, instr, from, lane)),
            (Stack::Restore(_), Some(to)) => {
                let first = warp.threads.first_pointer(lane);
                if !(pointer..=first).contains(&to) {
                    let why =
                        format!("{to:#x} is not a result of `stacksave` in this call; expected {pointer:#x} to {first:#x}");
                    return Err(stop::misplaced(warp, instr, lane, &why));
                }
                warp.threads.pointer[lane] = to;
            }
        }
        let pointer = warp.threads.pointer[lane];
        instr.written().for_each(|slot| warp.set(slot, lane, Some(pointer)));
    }
    Ok(Begun::Time(1))
}
