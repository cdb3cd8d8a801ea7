// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The contents of unwritten bytes.

use bcu_program::{Page, PAGE};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Fresh {
    Unknown,
    Zero,
    /// Random bytes, drawn with this seed.
    Random(u64),
}

impl Fresh {
    pub fn byte(self, address: u64) -> Option<u8> {
        match self {
            Fresh::Unknown => None,
            Fresh::Zero => Some(0),
            Fresh::Random(seed) => Some(fastrand::Rng::with_seed(seed ^ address.wrapping_mul(0x9e37_79b9_7f4a_7c15)).u8(..)),
        }
    }

    /// The page that begins at `address`.
    pub fn page(self, address: u64) -> Page {
        let mut page = if self == Fresh::Unknown { Page::unknown(PAGE) } else { Page::zeroed() };
        if let Fresh::Random(_) = self {
            (0..PAGE).for_each(|at| _ = page.set(at, self.byte(address + at as u64)));
        }
        page
    }
}
