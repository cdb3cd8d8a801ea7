// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What a lane reads of a texture.

use bcu_program::texture::{Fetched, Texture};

/// The numbers that a lane gets from a texture.
#[derive(Clone, Debug)]
pub(in super::super) enum Sample {
    /// The texels of a fetch, which are at the places of the part, each with its weight.
    Texels { texture: Texture, fetched: Fetched, weights: Vec<f64> },
    /// A number of the description of the texture.
    Number(u64),
}

impl Sample {
    /// The number of bytes at each place.
    pub fn bytes(&self) -> u64 {
        match self {
            Sample::Texels { texture, .. } => texture.texel_bytes(),
            Sample::Number(_) => 0,
        }
    }

    /// The results, from the bytes at each place.
    pub fn results(&self, mut bytes: impl Iterator<Item = Vec<Option<u8>>>) -> [Option<u64>; 4] {
        match self {
            Sample::Number(number) => [Some(*number), None, None, None],
            Sample::Texels { texture, fetched, weights } => {
                let texels: Vec<_> = weights.iter().map(|weight| (bytes.next().unwrap_or_default(), *weight)).collect();
                texture.results(*fetched, &texels)
            }
        }
    }
}
