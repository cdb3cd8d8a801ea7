// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A hash that is the same in every run.

use std::hash::{DefaultHasher, Hash, Hasher};

pub fn hash(what: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    what.hash(&mut hasher);
    hasher.finish()
}
