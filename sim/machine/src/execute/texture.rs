// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Texture fetches and queries: the description that the handle of a lane selects, and the texels at its coordinates.

use super::super::memory::{Bank, Part, Sample, Use};
use super::super::warp::Warp;
use super::access::AccessRange;
use super::address::{address, place_at};
use super::env::Env;
use super::{stop, Stopped};
use bcu_program::texels::Coordinates;
use bcu_program::texture::{self, Texture, MAX_RANK};
use bcu_program::{Access, Instr, Operand, Space, TextureUse};

/// Sets the part of a lane in a texture fetch or query. Without a sample, its results are unknown: if the handle, its description or a
/// coordinate is unknown, or if the texture has other dimensions.
pub(super) fn part(
    warp: &Warp,
    (instr, request, used): (&Instr, &Access, &TextureUse),
    part: &mut Part,
    env: &Env,
) -> Result<(), Stopped> {
    let lane = part.lane;
    part.bank = Bank::Global;
    let Some(texture) = description(warp, (instr, request), lane, env)? else { return Ok(()) };
    match used {
        TextureUse::Extent(axis) => {
            part.sample = texture.extents.get(*axis).map(|extent| Box::new(Sample::Number(*extent)));
        }
        TextureUse::Fetch { fetched, coordinates, is_integer } => {
            let value = |operand: &Operand| warp.value(operand, lane, env.cycle).map(|value| value as u32);
            let known: Option<Vec<u32>> = coordinates.iter().map(value).collect();
            let Some(known) = known.filter(|known| known.len() == texture.extents.len()) else { return Ok(()) };
            let at: [u32; MAX_RANK] = std::array::from_fn(|i| known.get(i).copied().unwrap_or(0));
            let at = match is_integer {
                true => Coordinates::Integer(at.map(|at| at as i32)),
                false => Coordinates::Float(at.map(f32::from_bits)),
            };
            let Some(texels) = texture.texels(at) else { return Ok(()) };
            let bytes = texture.texel_bytes();
            for texel in &texels {
                let range = AccessRange { space: Space::Global, address: texel.address, bytes, align: 1, how: Use::Load };
                part.places.push(Some(place_at(warp, instr, range, lane, env)?.1));
            }
            let weights = texels.iter().map(|texel| texel.weight).collect();
            part.sample = Some(Box::new(Sample::Texels { texture, fetched: *fetched, weights }));
        }
    }
    Ok(())
}

/// The texture that a lane selects; `None` if it is unknown.
fn description(warp: &Warp, (instr, request): (&Instr, &Access), lane: usize, env: &Env) -> Result<Option<Texture>, Stopped> {
    let Some(base) = request.address.as_ref().and_then(|operand| warp.value(operand, lane, env.cycle)) else { return Ok(None) };
    let Some(memory) = env.memory.as_ref() else { return Ok(None) };
    let at = address(request, base, request.offset);
    let (bytes, align) = (texture::BYTES as u64, texture::ALIGNMENT);
    let range = AccessRange { space: Space::Global, address: at, bytes, align, how: Use::Load };
    let (bank, place) = place_at(warp, instr, range, lane, env)?;
    let bytes: Option<Vec<u8>> = memory.range(bank, place, texture::BYTES).into_iter().collect();
    match bytes.map(|bytes| Texture::decode(&bytes)) {
        None => Ok(None),
        Some(Some(texture)) => Ok(Some(texture)),
        Some(None) => {
            let why =
                format!("the handle {at:#x} is not that of a texture; expected an argument `{{ texture = … }}` of the launch");
            Err(stop::misplaced(warp, instr, lane, &why))
        }
    }
}
