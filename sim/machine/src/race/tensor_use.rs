// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The uses of tensor memory, each with a source of its own.

use super::warps::Stream;

/// How an instruction uses tensor memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TensorUse {
    /// A product or a copy, by the tensor core.
    Core,
    Load,
    Store,
}

impl TensorUse {
    pub(super) fn stream(self) -> Stream {
        match self {
            TensorUse::Core => Stream::TensorCore,
            TensorUse::Load => Stream::TensorLoad,
            TensorUse::Store => Stream::TensorStore,
        }
    }
}
