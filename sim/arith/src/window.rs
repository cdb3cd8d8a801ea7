// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Generic addresses: shared memory, local memory and kernel parameters have separate windows, far from global memory.

use super::Space;

/// The first addresses of the windows, each of 4 GiB.
pub const SHARED: u64 = 0x7000_0000_0000;
pub const LOCAL: u64 = 0x7100_0000_0000;
pub const PARAM: u64 = 0x7200_0000_0000;
/// Addresses of functions, one every 16 bytes.
pub const FUNCTIONS: u64 = 0x7300_0000_0000;
/// Start of a lane's stack in local memory; the stack grows down.
pub const STACK: u64 = 0xffff_0000;
/// The workspaces of cooperative launches, one for each grid of a run.
pub const WORKSPACE: u64 = 0x7400_0000_0000;
/// Bytes of the workspace of a cooperative launch, and the distance of two workspaces.
pub const WORKSPACE_BYTES: u64 = 256;
/// The word of a workspace at which the CTAs of the grid arrive at a barrier: its offset, and its size in bytes.
pub const GRID_BARRIER: (u64, u64) = (4, 4);
/// The heap of `malloc` in kernels: the first address, the bytes of its window, and the maximum number of bytes in use, as by default in CUDA.
pub const HEAP: u64 = 0x7500_0000_0000;
pub const HEAP_WINDOW: u64 = 1 << 40;
pub const HEAP_BYTES: u64 = 8 << 20;
/// The first address of variables and buffers.
pub const GLOBAL: u64 = 0x1_0000_0000;
/// The same for PTX with addresses of 32 bits.
pub const NARROW_GLOBAL: u64 = 0x1000_0000;

/// Lowest bit of the CTA's rank in a shared address; the bits below are the address in that CTA's memory.
pub const RANK_AT: u32 = 24;
/// Number of bits of the CTA's rank in a shared address.
pub const RANK_BITS: u32 = 8;

const SIZE: u64 = 1 << 32;

/// The memory of a generic address, and the address in it; `None`: global memory.
#[inline]
pub fn classify(address: u64) -> Option<(Space, u64)> {
    let space = match address - address % SIZE {
        SHARED => Space::Shared,
        LOCAL => Space::Local,
        PARAM => Space::Param,
        _ => return None,
    };
    Some((space, address % SIZE))
}

/// The address in a memory, from an address that may be generic.
#[inline]
pub fn inside(space: Space, address: u64) -> u64 {
    match classify(address) {
        Some((found, at)) if found == space => at,
        _ => address,
    }
}

/// The first generic address of a memory.
pub fn first(space: Space) -> u64 {
    match space {
        Space::Shared => SHARED,
        Space::Local => LOCAL,
        Space::Param => PARAM,
        Space::Global | Space::Generic => 0,
    }
}
