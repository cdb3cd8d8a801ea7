// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The memory of a variable or buffer, which shares its pages with the variable until they are stored to.

use bcu_program::{Image, Mask, Page, PAGE};

#[derive(Clone, Debug)]
pub(super) struct Region {
    /// The address of the first byte.
    pub first: u64,
    pub image: Image,
    /// The stored bytes of each page; `None`: no byte of the page was stored.
    stored: Vec<Option<Box<Mask>>>,
}

impl Region {
    pub fn new(first: u64, image: Image) -> Region {
        let stored = vec![None; image.len().div_ceil(PAGE)];
        Region { first, image, stored }
    }

    /// The offset of the byte at `address`, if the region contains it.
    pub fn offset(&self, address: u64) -> Option<usize> {
        let offset = address.checked_sub(self.first)?;
        (offset < self.image.len() as u64).then_some(offset as usize)
    }

    /// A page and the mask of its stored bytes, to be changed.
    pub fn page_mut(&mut self, number: usize) -> (&mut Page, &mut Mask) {
        (self.image.page_mut(number), self.stored[number].get_or_insert_with(|| Box::new(Mask::of(false))))
    }

    /// The stored bytes of a page; `None`: no byte of the page was stored.
    pub fn stored(&self, number: usize) -> Option<&Mask> {
        self.stored.get(number)?.as_deref()
    }

    /// The pages with stored bytes: page number and stored bytes.
    pub fn stored_pages(&self) -> impl Iterator<Item = (usize, &Mask)> {
        self.stored.iter().enumerate().filter_map(|(number, stored)| Some((number, stored.as_deref()?)))
    }

    /// Makes all bytes unknown, and not stored.
    pub fn forget(&mut self) {
        *self = Region::new(self.first, Image::unknown(self.image.len()));
    }
}
