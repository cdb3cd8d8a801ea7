// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Maps an address to a memory, by the windows of the generic address space, and checks the bounds.

use super::bank::Bank;
use super::limits::{AccessRange, Limits, Misplaced};
use super::Memory;
use bcu_program::launch::written;
use bcu_program::window::RANK_AT;
use bcu_program::{window, Space};

/// Whether all these bytes of shared memory are in the region that is reserved for system software.
fn is_reserved(limits: &Limits, address: u64, bytes: u64) -> bool {
    let region = limits.grid.reserved_shared();
    region.is_some_and(|region| address >= region.start && address.saturating_add(bytes) <= region.end)
}

impl Memory {
    /// The memory that contains these bytes, and the address in that memory.
    pub fn place(&self, range: AccessRange, limits: Limits) -> Result<(Bank, u64), Misplaced> {
        let AccessRange { bytes, align, .. } = range;
        let (bank, address) = Memory::bank_of(&range, &limits)?;
        let bare = limits.bare;
        let address = if bare.rounded { address & !(align - 1) } else { address };
        if align > 1 && !address.is_multiple_of(align) {
            let why = if align == bytes { ", the size of the access" } else { "" };
            return Err(Misplaced(format!("the address {address:#x} is not a multiple of {align}{why}")));
        }
        let outside = match bank {
            Bank::Shared(_) if address >> RANK_AT != 0 && !bare.rounded => {
                let rank = address >> RANK_AT;
                Some(format!(
                    "the address {address:#x} names the CTA of rank {rank} (bits 31:24), but the launch has no clusters, so every CTA has rank 0"
                ))
            }
            Bank::Shared(_) if is_reserved(&limits, address, bytes) => None,
            Bank::Shared(_) => limits
                .grid
                .shared_end()
                .filter(|size| address.saturating_add(bytes) > *size)
                .map(|size| format!("the address {address:#x} is outside of the {size} bytes of shared memory of the CTA")),
            Bank::Global if !(bare.unbounded && address < 1 << 32) => self.outside(address, bytes),
            _ => None,
        };
        match outside {
            Some(why) => Err(Misplaced(why)),
            None => Ok((bank, address)),
        }
    }

    /// The memory that contains an address, and the address in that memory; the bounds are not checked.
    pub fn bank_of(range: &AccessRange, limits: &Limits) -> Result<(Bank, u64), Misplaced> {
        let (space, address) = (range.space, range.address);
        let Limits { ctas, cta, warp, lane, .. } = *limits;
        let (bank, address) = match space {
            Space::Generic => match window::classify(address) {
                Some((Space::Shared, at)) => (Bank::Shared(cta), at),
                Some((Space::Local, at)) => (Bank::Local(warp, lane), at),
                _ => (Bank::Global, address),
            },
            Space::Shared => (Bank::Shared(cta), window::inside(Space::Shared, address)),
            Space::Local => (Bank::Local(warp, lane), window::inside(Space::Local, address)),
            Space::Global | Space::Param => (Bank::Global, address),
        };
        Ok(match bank {
            // In a cluster of several CTAs, the upper bits of a shared address are the rank of the CTA.
            Bank::Shared(_) if ctas.len() > 1 => {
                let rank = address >> RANK_AT;
                let Some(cta) = usize::try_from(rank).ok().and_then(|rank| ctas.get(rank)) else {
                    let last = ctas.len() - 1;
                    let why = format!(
                        "the address {address:#x} names the CTA of rank {rank} (bits 31:24), but the cluster has ranks 0 to {last}"
                    );
                    return Err(Misplaced(why));
                };
                (Bank::Shared(*cta), address & ((1 << RANK_AT) - 1))
            }
            _ => (bank, address),
        })
    }

    /// The error if the bytes are not all within one variable or buffer of global memory.
    fn outside(&self, address: u64, bytes: u64) -> Option<String> {
        let below = self.allocations.range(..=address).next_back();
        let end = |(first, (size, _)): (&u64, &(u64, String))| first + size;
        if below.is_some_and(|found| address.saturating_add(bytes) <= end(found)) {
            return None;
        }
        let freed = self.heap.freed_at(address);
        let near = match below {
            _ if !freed.is_empty() => freed,
            Some((first, (size, name))) if address - first < size + (1 << 16) => {
                format!(", byte {} of `{}`, which has {size}", address - first, written(name))
            }
            _ => String::new(),
        };
        Some(format!("the address {address:#x} is outside of all variables and buffers{near}"))
    }
}
