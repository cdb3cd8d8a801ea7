// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Descriptions of textures, and the texels and results of fetches.

use super::*;
use crate::texels::{Coordinates, Texel};

fn texture(extents: &[u64]) -> Texture {
    let strides: Vec<u64> =
        extents.iter().scan(4, |bytes, extent| Some(std::mem::replace(bytes, *bytes * extent))).skip(1).collect();
    Texture {
        element: Element::F32,
        channels: 1,
        address: 0x1000,
        extents: extents.to_vec(),
        strides,
        linear: false,
        normalized: false,
        to_float: false,
        modes: [AddressMode::Clamp; MAX_RANK],
    }
}

/// The indices of the texels of a fetch in one dimension, with their weights.
fn along(texture: &Texture, at: f32) -> Vec<(u64, f64)> {
    let texels = texture.texels(Coordinates::Float([at, 0.0, 0.0])).unwrap();
    texels.iter().map(|Texel { address, weight }| ((address - texture.address) / texture.texel_bytes(), *weight)).collect()
}

#[test]
fn a_description_comes_back_from_its_bytes() {
    let modes = [AddressMode::Wrap, AddressMode::Mirror, AddressMode::Border];
    let whole = Texture { linear: true, normalized: true, modes, ..texture(&[5, 4, 3]) };
    assert_eq!((whole.encode().len(), Texture::decode(&whole.encode())), (BYTES, Some(whole.clone())));
    let wrong = [
        Texture { channels: 3, ..whole.clone() },
        Texture { element: Element::F64, ..whole.clone() },
        Texture { element: Element::U8, ..whole.clone() },
        Texture { extents: vec![5, 4, 0], ..whole.clone() },
        Texture { address: 0x1002, ..whole.clone() },
        Texture { strides: vec![20, 81], ..whole.clone() },
    ];
    for wrong in wrong {
        assert_eq!(Texture::decode(&wrong.encode()), None, "{wrong:?}");
    }
}

#[test]
fn the_nearest_texel_and_the_address_modes() {
    let point = texture(&[4]);
    for (at, index) in [(0.0, 0), (0.99, 0), (3.5, 3), (4.0, 3), (-7.0, 0), (f32::INFINITY, 3), (f32::MIN, 0)] {
        assert_eq!(along(&point, at), [(index, 1.0)], "{at}");
    }
    assert_eq!(point.texels(Coordinates::Float([f32::NAN, 0.0, 0.0])), None);
    let of = |mode: AddressMode, normalized: bool| Texture { modes: [mode; 3], normalized, ..texture(&[4]) };
    for (at, index) in [(0.3, 1), (1.3, 1), (-0.7, 1), (-0.1, 3), (1.0, 0)] {
        assert_eq!(along(&of(AddressMode::Wrap, true), at), [(index, 1.0)], "wrap {at}");
    }
    for (at, index) in [(0.3, 1), (1.3, 2), (-0.3, 1), (1.0, 3), (2.0, 0), (-1.0, 3)] {
        assert_eq!(along(&of(AddressMode::Mirror, true), at), [(index, 1.0)], "mirror {at}");
    }
    assert_eq!(along(&of(AddressMode::Wrap, false), 5.0), [(3, 1.0)], "not normalized, it is as clamp");
    assert_eq!(along(&of(AddressMode::Border, false), 4.0), []);
    assert_eq!(along(&of(AddressMode::Border, true), 0.75), [(3, 1.0)]);
}

#[test]
fn neighbours_are_weighted_in_steps_of_a_256th() {
    let linear = Texture { linear: true, ..texture(&[4]) };
    assert_eq!(along(&linear, 1.5), [(1, 1.0)]);
    assert_eq!(along(&linear, 1.75), [(1, 0.75), (2, 0.25)]);
    assert_eq!(along(&linear, 1.5 + 0.3), [(1, 179.0 / 256.0), (2, 77.0 / 256.0)]);
    assert_eq!(along(&linear, 2.4999), [(2, 1.0)], "the weight is rounded to 1");
    assert_eq!(along(&linear, -9.0), [(0, 1.0)]);
    assert_eq!(along(&linear, 0.25), [(0, 0.25), (0, 0.75)]);
    let border = Texture { modes: [AddressMode::Border; 3], ..linear.clone() };
    assert_eq!(along(&border, 0.25), [(0, 0.75)]);
    assert_eq!(along(&border, 1e30), []);
    let wrapped = Texture { modes: [AddressMode::Wrap; 3], normalized: true, ..linear.clone() };
    assert_eq!(along(&wrapped, 0.0), [(3, 0.5), (0, 0.5)]);
    let plane = Texture { linear: true, ..texture(&[4, 3]) };
    let texels = plane.texels(Coordinates::Float([1.75, 2.0, 0.0])).unwrap();
    let found: Vec<_> = texels.iter().map(|texel| ((texel.address - plane.address) / 4, texel.weight)).collect();
    assert_eq!(found, [(5, 0.375), (9, 0.375), (6, 0.125), (10, 0.125)]);
}

#[test]
fn integers_as_coordinates_are_indices() {
    let line = Texture { linear: true, normalized: true, ..texture(&[4]) };
    let at = |texture: &Texture, at: [i32; 3]| texture.texels(Coordinates::Integer(at)).unwrap();
    assert_eq!(at(&line, [3, 0, 0]), [Texel { address: 0x100c, weight: 1.0 }]);
    assert_eq!((at(&line, [4, 0, 0]), at(&line, [-1, 0, 0])), (vec![], vec![]));
    let plane = texture(&[4, 3]);
    assert_eq!(at(&plane, [-5, 7, 0]), [Texel { address: 0x1020, weight: 1.0 }]);
}

#[test]
fn results_have_the_type_of_the_texture() {
    let known = |bytes: &[u8]| bytes.iter().copied().map(Some).collect::<Vec<_>>();
    let of = |element: Element, channels: usize, to_float: bool| Texture { element, channels, to_float, ..texture(&[4]) };
    let one = |texture: &Texture, fetched, bytes: &[u8]| texture.results(fetched, &[(known(bytes), 1.0)]);
    assert_eq!(one(&of(Element::U8, 2, false), Fetched::U32, &[7, 255]), [Some(7), Some(255), None, None]);
    assert_eq!(one(&of(Element::I8, 1, false), Fetched::S32, &[255])[0], Some(u64::MAX));
    assert_eq!(one(&of(Element::I8, 1, false), Fetched::U32, &[255])[0], Some(0xffff_ffff));
    assert_eq!(one(&of(Element::U8, 1, false), Fetched::F32, &[255]), [None; 4], "bits of another type");
    assert_eq!(one(&of(Element::U8, 1, true), Fetched::F32, &[255])[0], Some(0x3f80_0000));
    assert_eq!(one(&of(Element::I16, 1, true), Fetched::F32, &[0, 0x80])[0], Some(0xbf80_0000));
    assert_eq!(one(&of(Element::F16, 1, false), Fetched::F32, &[0, 0x3c])[0], Some(0x3f80_0000));
    let float = of(Element::F32, 1, false);
    assert_eq!(one(&float, Fetched::F32, &[1, 0, 0x80, 0x7f])[0], Some(0x7f80_0001), "a single number keeps its bits");
    assert_eq!(float.results(Fetched::F32, &[]), [Some(0), None, None, None]);
    let (two, six) = (known(&2f32.to_le_bytes()), known(&6f32.to_le_bytes()));
    assert_eq!(float.results(Fetched::F32, &[(two.clone(), 0.75), (six, 0.25)])[0], Some(3f32.to_bits().into()));
    assert_eq!(float.results(Fetched::F32, &[(two, 0.75), (vec![None; 4], 0.25)])[0], None);
}

/// Kernels may overwrite a description with any bytes, and have any coordinates.
#[test]
fn any_bytes_are_no_texture_or_one_whose_texels_are_inside() {
    let mut random = fastrand::Rng::with_seed(7);
    let mut textures = 0;
    for _ in 0..20_000 {
        let linear = random.bool();
        let mut bytes = Texture { linear, normalized: random.bool(), ..texture(&[5, 4, 3]) }.encode();
        for _ in 0..random.usize(0..4) {
            bytes[random.usize(16..76)] = [0, 1, 2, 3, 4, 8, 240, 255][random.usize(0..8)];
        }
        let Some(texture) = Texture::decode(&bytes) else { continue };
        textures += 1;
        let float =
            [0; 3].map(|_| [0.0, -0.5, 2.7, 1e30, -1e38, f32::INFINITY, f32::NAN, f32::MIN_POSITIVE][random.usize(0..8)]);
        let integer = [0; 3].map(|_| [0, -1, 3, i32::MIN, i32::MAX][random.usize(0..5)]);
        for texels in [texture.texels(Coordinates::Float(float)), texture.texels(Coordinates::Integer(integer))] {
            let texels = texels.unwrap_or_default();
            let steps = [texture.texel_bytes()].into_iter().chain(texture.strides.iter().copied());
            let last = texture
                .extents
                .iter()
                .zip(steps)
                .fold(0u128, |last, (extent, step)| last + u128::from(extent - 1) * u128::from(step));
            let sum: f64 = texels.iter().map(|texel| texel.weight).sum();
            assert!(sum <= 1.0 && texels.len() <= 8, "{texture:?} {texels:?}");
            let is_inside = |texel: &Texel| u128::from(texel.address.wrapping_sub(texture.address)) <= last;
            assert!(texels.iter().all(is_inside), "{texture:?} {float:?} {integer:?} {texels:?}");
        }
    }
    assert!(textures > 1000, "{textures}");
}
