// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Misuse of a barrier: what PTX leaves undefined. It ends an execution.

use std::fmt;

/// A misuse, by the name of its fault in `docs/contract/faults.md`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Misuse(pub &'static str);

impl fmt::Display for Misuse {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.0)
    }
}
