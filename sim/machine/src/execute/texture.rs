// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Texture fetches and queries: the description that the handle of a lane selects, and the texels at its coordinates.

use super::super::memory::{Bank, Limits, Memory, Part, Sample, Use};
use super::super::warp::Warp;
use super::access::AccessRange;
use super::address::{address, place_at};
use super::env::Env;
use super::{stop, Stopped};
use bcu_program::launch::written;
use bcu_program::ptx::Param;
use bcu_program::texels::Coordinates;
use bcu_program::texture::{self, Fetched, Texture, MAX_RANK};
use bcu_program::{Access, Instr, Operand, Space, TextureUse};

/// Sets the part of a lane in a texture fetch or query. Without a sample, its results are unknown: if the handle, its description or a
/// coordinate is unknown.
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
            if let Some(why) = misfit(&texture, *fetched, coordinates.len()) {
                return Err(stop::texture(warp, instr, lane, &why.0, &why.1));
            }
            let Some(known) = coordinates.iter().map(value).collect::<Option<Vec<u32>>>() else { return Ok(()) };
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
    let limits =
        Limits { ctas: &warp.ctas, cta: warp.cta, warp: env.index, lane, grid: &warp.program.grid, bare: warp.code().bare };
    let (bytes, align) = (texture::BYTES as u64, texture::ALIGNMENT);
    let range = AccessRange { space: Space::Global, address: at, bytes, align, how: Use::Load };
    let Ok((bank, place)) = memory.place(range, limits) else { return Err(no_texture(warp, instr, lane, at, memory)) };
    let bytes: Option<Vec<u8>> = memory.range(bank, place, texture::BYTES).into_iter().collect();
    match bytes.map(|bytes| Texture::decode(&bytes)) {
        None => Ok(None),
        Some(Some(texture)) => Ok(Some(texture)),
        Some(None) => Err(no_texture(warp, instr, lane, at, memory)),
    }
}

/// The stop at a fetch whose handle `at` is that of no texture.
fn no_texture(warp: &Warp, instr: &Instr, lane: usize, at: u64, memory: &Memory) -> Stopped {
    let grid = &warp.program.grid;
    let is_handle = |param: &&Param| {
        let first = param.offset as usize;
        param.bytes == 8
            && grid.arguments.get(first..first + 8).is_some_and(|bytes| bytes.iter().copied().eq(at.to_le_bytes().map(Some)))
    };
    let param = grid.params.iter().find(is_handle);
    let what = match (param, memory.name(at)) {
        (Some(param), Some(buffer)) => {
            format!("the parameter `{}` is the address of the buffer `{}`, not a texture", param.name, written(&buffer))
        }
        (Some(param), None) => format!("the parameter `{}` is {at:#x}, not a texture", param.name),
        (None, Some(buffer)) => {
            format!("the handle of this fetch is the address of the buffer `{}`, not a texture", written(&buffer))
        }
        (None, None) => format!("the handle {at:#x} of this fetch is not that of a texture"),
    };
    let option = param.map_or(String::new(), |param| format!("`--arg {}=texture:[]:f32:[64]`, ", param.name));
    let help = format!("give a texture: {option}in a launch file `{{ texture = {{ buffer = \"x\" }} }}`");
    stop::texture(warp, instr, lane, &what, &help)
}

/// Why a fetch cannot read a texture, and what to do.
fn misfit(texture: &Texture, fetched: Fetched, coordinates: usize) -> Option<(String, String)> {
    let rank = texture.extents.len();
    let dimensions = |count: usize| format!("{count} dimension{}", if count == 1 { "" } else { "s" });
    if rank != coordinates {
        let what = format!("the texture has {}, and this fetch has {coordinates} coordinates", dimensions(rank));
        let extents: Vec<String> = (0..coordinates).map(|_| "N".to_string()).collect();
        let extents = extents.join(", ");
        let help = format!(
            "give the texture {}: the buffer's shape, or `extents = [{extents}]`; or fetch with {}",
            dimensions(coordinates),
            ["`tex1D`", "`tex2D`", "`tex3D`"][rank.clamp(1, MAX_RANK) - 1]
        );
        return Some((what, help));
    }
    let element = texture.element.name();
    match (texture.element.is_float() || texture.to_float, fetched) {
        (true, Fetched::F32) | (false, Fetched::S32 | Fetched::U32) => None,
        (false, Fetched::F32) => {
            let what = format!("the texture has integers of type {element}, and this fetch returns floating-point numbers");
            let as_numbers = match texture.element.size() {
                4 => String::new(),
                _ => "read them as numbers up to 1 with `read = \"normalized_float\"` (`--arg t=texture:[normalized_float]:…`), or ".to_string(),
            };
            Some((what, format!("{as_numbers}fetch integers, for instance with `tex2D<int>`")))
        }
        (true, _) => {
            let how = if texture.to_float { "read as `normalized_float`" } else { "of floating-point numbers" };
            let what = format!("the texture of type {element} is {how}, and this fetch returns integers");
            Some((
                what,
                "fetch floating-point numbers, for instance with `tex2D<float>`, or give a texture of integers".to_string(),
            ))
        }
    }
}
