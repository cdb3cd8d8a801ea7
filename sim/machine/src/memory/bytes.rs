// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Memory contents by byte address; each byte has a known or an unknown value.

use super::fresh::Fresh;
use super::known_bits::KnownBits;
use super::region::Region;
use super::table::{Slot, Table};
use bcu_program::arith::Partial;
use bcu_program::{Image, Mask, Page, PAGE};

/// A memory without bounds.
#[derive(Clone, Debug)]
pub(in super::super) struct Bytes {
    /// The variables and buffers in order of their addresses; no two have a common byte.
    regions: Vec<Region>,
    /// All other bytes.
    table: Table,
    fresh: Fresh,
    /// By address, the known bits of an unknown byte of which not all bits are unknown.
    bits: KnownBits,
}

/// Successive bytes in one page.
struct Piece {
    /// The index of the region that contains the bytes; `None`: the bytes are in the table.
    region: Option<usize>,
    /// Page number in the region or in the table, first byte in the page, and number of bytes.
    number: u64,
    at: usize,
    length: usize,
}

impl Bytes {
    pub fn new(fresh: Fresh) -> Bytes {
        Bytes { regions: vec![], table: Table::default(), fresh, bits: KnownBits::default() }
    }

    /// The first of `bytes` bytes from `address` on, with the bytes after it that are in the same page.
    fn piece(&self, address: u64, bytes: usize) -> Piece {
        let after = self.regions.partition_point(|region| region.first <= address);
        let index = after.wrapping_sub(1);
        if let Some((offset, len)) =
            self.regions.get(index).and_then(|region| Some((region.offset(address)?, region.image.len())))
        {
            let at = offset % PAGE;
            let length = bytes.min(PAGE - at).min(len - offset);
            return Piece { region: Some(index), number: (offset / PAGE) as u64, at, length };
        }
        let at = (address % PAGE as u64) as usize;
        let gap =
            self.regions.get(after).map_or(usize::MAX, |next| usize::try_from(next.first - address).unwrap_or(usize::MAX));
        Piece { region: None, number: address / PAGE as u64, at, length: bytes.min(PAGE - at).min(gap) }
    }

    /// The pieces of `bytes` bytes from `address` on, each with the address of its first byte.
    fn pieces(&self, mut address: u64, mut bytes: usize) -> impl Iterator<Item = (u64, Piece)> + '_ {
        std::iter::from_fn(move || {
            let piece = (bytes > 0).then(|| (address, self.piece(address, bytes)))?;
            address = address.wrapping_add(piece.1.length as u64);
            bytes -= piece.1.length;
            Some(piece)
        })
    }

    /// The page of a piece; `None`: all its bytes are unwritten.
    fn page(&self, piece: &Piece) -> Option<&Page> {
        match piece.region {
            Some(region) => Some(self.regions[region].image.page(piece.number as usize)),
            None => self.table.get(piece.number).map(|slot| &slot.page),
        }
    }

    /// The page of a piece and the mask of its stored bytes, to be changed.
    fn page_mut(&mut self, piece: &Piece) -> (&mut Page, &mut Mask) {
        let (number, fresh) = (piece.number, self.fresh);
        match piece.region {
            Some(region) => self.regions[region].page_mut(number as usize),
            None => {
                let Slot { page, stored } = self.table.get_or_insert(number, || fresh.page(number * PAGE as u64));
                (page, stored)
            }
        }
    }

    pub fn get(&self, address: u64) -> Option<u8> {
        let piece = self.piece(address, 1);
        self.page(&piece).map_or_else(|| self.fresh.byte(address), |page| page.get(piece.at))
    }

    /// Stores a byte; `None` is an unknown value. Returns whether the contents may have changed.
    pub fn set(&mut self, address: u64, value: Option<u8>) -> bool {
        self.bits.remove(address, 1);
        let piece = self.piece(address, 1);
        let (page, stored) = self.page_mut(&piece);
        stored.set(piece.at, 1, true);
        page.set(piece.at, value)
    }

    /// The number in at most 8 bytes from `address` on, lowest byte first, with its known bits.
    pub fn partial(&self, address: u64, bytes: usize) -> Partial {
        let of_bytes = Partial::from_bytes((0..bytes as u64).map(|i| self.get(address.wrapping_add(i))));
        self.bits.add_to(of_bytes, address, bytes)
    }

    /// Stores a number of which not all bits are known, lowest byte first.
    pub fn store_partial(&mut self, address: u64, bytes: usize, value: Partial) {
        for i in 0..bytes {
            let at = address.wrapping_add(i as u64);
            self.set(at, value.byte(i));
            self.bits.set(at, value.shifted(8 * i as u32));
        }
    }

    /// Copies the known bits of unknown bytes within the memory, after the bytes themselves.
    pub fn copy_bits(&mut self, from: u64, to: u64, bytes: u64) {
        self.bits.copy(from, to, bytes);
    }

    /// Places a variable before the run. Its bytes do not count as stored.
    pub fn place(&mut self, address: u64, image: &Image) {
        let same = |region: &Region| region.first == address && region.image.len() == image.len();
        let end = address.saturating_add(image.len() as u64);
        let is_common = |region: &Region| region.first < end && region.first + region.image.len() as u64 > address;
        if let Some(region) = self.regions.iter_mut().find(|region| same(region)) {
            *region = Region::new(address, image.clone());
        } else if self.regions.iter().any(is_common) || end == u64::MAX {
            self.preset(address, image);
        } else if !image.is_empty() {
            let at = self.regions.partition_point(|region| region.first < address);
            self.regions.insert(at, Region::new(address, image.clone()));
        }
    }

    /// Removes the variable at an address.
    pub fn remove(&mut self, address: u64) {
        self.regions.retain(|region| region.first != address);
    }

    /// Sets the bytes of a variable that has bytes in common with another one.
    fn preset(&mut self, address: u64, image: &Image) {
        for (i, value) in image.values().into_iter().enumerate() {
            let piece = self.piece(address.wrapping_add(i as u64), 1);
            self.page_mut(&piece).0.set(piece.at, value);
        }
    }

    /// The contents of a variable of `len` bytes.
    pub fn image(&self, address: u64, len: usize) -> Image {
        let same = |region: &&Region| region.first == address && region.image.len() == len;
        match self.regions.iter().find(same) {
            Some(region) => region.image.clone(),
            None => self.range(address, len).into_iter().collect(),
        }
    }

    /// The contents of `bytes` bytes from `address` on.
    pub fn range(&self, address: u64, bytes: usize) -> Vec<Option<u8>> {
        let mut found = Vec::with_capacity(bytes);
        self.read(address, bytes, &mut found);
        found
    }

    /// Adds the contents of `bytes` bytes from `address` on to `found`.
    pub fn read(&self, address: u64, bytes: usize, found: &mut Vec<Option<u8>>) {
        for (first, piece) in self.pieces(address, bytes) {
            let in_page = piece.at..piece.at + piece.length;
            match self.page(&piece) {
                Some(page) if page.is_known(piece.at, piece.length) => {
                    found.extend(page.data()[in_page].iter().copied().map(Some))
                }
                Some(page) => found.extend(in_page.map(|at| page.get(at))),
                None => found.extend((0..piece.length as u64).map(|i| self.fresh.byte(first.wrapping_add(i)))),
            }
        }
    }

    /// Stores `values` from `address` on. Returns whether the contents may have changed.
    pub fn set_range(&mut self, address: u64, values: &[Option<u8>]) -> bool {
        let mut is_change = false;
        self.bits.remove(address, values.len() as u64);
        let (mut address, mut remaining) = (address, values);
        while !remaining.is_empty() {
            let piece = self.piece(address, remaining.len());
            let (values, later) = remaining.split_at(piece.length);
            let (page, stored) = self.page_mut(&piece);
            stored.set(piece.at, piece.length, true);
            values.iter().enumerate().for_each(|(i, value)| is_change |= page.set(piece.at + i, *value));
            (address, remaining) = (address.wrapping_add(piece.length as u64), later);
        }
        is_change
    }

    /// The number in at most 8 bytes from `address` on, lowest byte first; `None` if one of the bytes is unknown.
    pub fn number(&self, address: u64, bytes: usize) -> Option<u64> {
        let piece = self.piece(address, bytes);
        match self.page(&piece) {
            Some(page) if piece.length == bytes => page.number(piece.at, bytes),
            // Bytes in two pages, or in a page that does not exist yet, are read one by one.
            _ => (0..bytes as u64)
                .try_fold(0, |number, i| Some(number | u64::from(self.get(address.wrapping_add(i))?) << (8 * i))),
        }
    }

    /// Stores a number, lowest byte first; `None` is an unknown value. Returns whether the contents may have changed.
    pub fn store(&mut self, address: u64, bytes: usize, value: Option<u64>) -> bool {
        let piece = self.piece(address, bytes);
        match value {
            Some(value) if piece.length == bytes && bytes <= 8 => {
                self.bits.remove(address, bytes as u64);
                let (page, stored) = self.page_mut(&piece);
                stored.set(piece.at, bytes, true);
                page.store(piece.at, bytes, value)
            }
            _ => (0..bytes as u64).fold(false, |is_change, i| {
                self.set(address.wrapping_add(i), value.map(|value| (value >> (8 * i)) as u8)) || is_change
            }),
        }
    }

    /// Makes all bytes unknown, after a store to an unknown address.
    pub fn forget(&mut self) {
        self.regions.iter_mut().for_each(Region::forget);
        self.table = Table::default();
        self.fresh = Fresh::Unknown;
        self.bits = KnownBits::default();
    }

    /// The number of bytes in a range that were stored with an unknown value.
    pub fn unknown_stored(&self, address: u64, bytes: u64) -> u64 {
        let of_piece = |(_, piece): (u64, Piece)| {
            let stored = match piece.region {
                Some(region) => self.regions[region].stored(piece.number as usize),
                None => self.table.get(piece.number).map(|slot| &slot.stored),
            };
            // Without a stored byte, the page need not exist.
            let Some(stored) = stored else { return 0 };
            let unknown = self.page(&piece).and_then(Page::unknown_mask);
            unknown.map_or(0, |unknown| stored.count_both(unknown, piece.at, piece.length))
        };
        self.pieces(address, bytes as usize).map(of_piece).sum()
    }

    /// Whether one of `bytes` bytes from `address` on was stored.
    pub fn is_stored(&self, address: u64, bytes: u64) -> bool {
        let of_piece = |(_, piece): (u64, Piece)| {
            let stored = match piece.region {
                Some(region) => self.regions[region].stored(piece.number as usize),
                None => self.table.get(piece.number).map(|slot| &slot.stored),
            };
            stored.is_some_and(|stored| stored.any(piece.at, piece.length))
        };
        self.pieces(address, bytes as usize).any(of_piece)
    }

    /// The 32-bit words with addresses below 4 GiB, of which at least one byte was stored and no byte is unknown.
    pub fn words(&self) -> Vec<(u32, u32)> {
        let in_regions = self
            .regions
            .iter()
            .flat_map(|region| region.stored_pages().map(|(number, stored)| (region.first + (number * PAGE) as u64, stored)));
        let in_table = self.table.iter().map(|(number, slot)| (number * PAGE as u64, &slot.stored));
        let stored = in_regions.chain(in_table).filter(|(first, _)| *first <= u32::MAX.into());
        let mut addresses: Vec<u64> = stored
            .flat_map(|(first, stored)| (0..PAGE).filter(|at| stored.get(*at)).map(move |at| (first + at as u64) & !3))
            .collect();
        addresses.sort_unstable();
        addresses.dedup();
        addresses.into_iter().filter_map(|at| Some((u32::try_from(at).ok()?, self.number(at, 4)? as u32))).collect()
    }
}

#[cfg(test)]
mod tests;
