// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Tensor copies of pixels (`.im2col`) and of four rows (`.tile::gather4`, `.tile::scatter4`), against sequential descriptions.

use crate::ptx_tensor::{done, kernel, launched};
use bcu_machine::RunError;

/// Loads by `copy`, with `%r20` as the destination and `%r1` as the mbarrier, and copies `bytes` bytes to the second buffer.
fn load(copy: &str, bytes: usize) -> String {
    format!(
        "mbarrier.init.shared.b64 [%r1], 1;\nfence.mbarrier_init.release.cluster;\nadd.u32 %r20, %r1, 1024;\n\
         mbarrier.arrive.expect_tx.shared.b64 %rd9, [%r1], {bytes};\n{copy}\n\
         W:\nmbarrier.try_wait.shared.b64 %p5, [%r1], %rd9;\n@!%p5 bra W;\nmov.u32 %r21, 0;\n\
         OUT:\nadd.u32 %r22, %r20, %r21;\nld.shared.u32 %r23, [%r22];\ncvt.u64.u32 %rd5, %r21;\nadd.u64 %rd5, %rd5, %rd2;\n\
         st.global.u32 [%rd5], %r23;\nadd.u32 %r21, %r21, 4;\nsetp.lt.u32 %p6, %r21, {bytes};\n@%p6 bra OUT;"
    )
}

fn launch(extents: &[i32], tensor: &str, bytes: usize) -> String {
    let elements: i32 = extents.iter().product();
    format!(
        "[buffers.tensor]\ntype = \"u16\"\nshape = [{elements}]\nfill = \"random\"\n[buffers.raw]\ntype = \"u8\"\nshape = [{bytes}]\n\
         fill = \"random\"\n[[launch]]\nshared = {}\nargs = [{{ tensor = {{ buffer = \"tensor\", extents = {extents:?}, {tensor} }} }}, \"raw\"]\n",
        1024 + bytes
    )
}

/// The bytes of element `c` of the pixel at `place`, or zeros outside of the tensor.
fn element(from: &[u8], extents: &[i32], place: &[i32]) -> [u8; 2] {
    let is_inside = place.iter().zip(extents).all(|(at, extent)| (0..*extent).contains(at));
    let flat = || place.iter().zip(extents).rev().fold(0, |flat, (at, extent)| flat * extent + at) as usize;
    if is_inside {
        [from[2 * flat()], from[2 * flat() + 1]]
    } else {
        [0; 2]
    }
}

#[test]
fn pixels_come_in_the_order_of_a_loop_over_the_filter_positions() {
    let mut random = fastrand::Rng::with_seed(81);
    let mut outside = 0;
    for round in 0..30 {
        let spatial = 1 + round % 3;
        let channels = 8 * random.i32(1..3);
        let mut extents = vec![8 * random.i32(1..4)];
        extents.extend((0..spatial).map(|_| random.i32(3..7)));
        extents.push(random.i32(1..4));
        let (lower, upper): (Vec<i32>, Vec<i32>) = (0..spatial).map(|_| (random.i32(-2..2), random.i32(-1..2))).unzip();
        let strides: Vec<i32> = (0..spatial + 2).map(|i| if i == 0 { 1 } else { random.i32(1..3) }).collect();
        let offsets: Vec<i32> = (0..spatial).map(|_| random.i32(0..3)).collect();
        let (pixels, bytes) = (random.i32(1..20), 0);
        let bytes = bytes + (2 * channels * pixels) as usize;
        // Every position of the filter in the order of nested loops, from the first one of the instruction on.
        let mut first = vec![random.i32(0..extents[0])];
        first.extend((0..spatial).map(|d| random.i32(lower[d]..extents[1 + d] + upper[d])));
        first.push(random.i32(0..extents[spatial + 1]));
        let mut filter = first[1..].to_vec();
        let mut wanted = vec![];
        for _ in 0..pixels {
            let pixel: Vec<i32> = (0..=spatial).map(|d| filter[d] + offsets.get(d).copied().unwrap_or(0)).collect();
            for c in 0..channels {
                let place: Vec<i32> = std::iter::once(first[0] + c).chain(pixel.iter().copied()).collect();
                outside += usize::from(!place.iter().zip(&extents).all(|(at, extent)| (0..*extent).contains(at)));
                wanted.push(place);
            }
            for d in 0..=spatial {
                filter[d] += strides[1 + d];
                if d == spatial || filter[d] < extents[1 + d] + upper[d] {
                    break;
                }
                filter[d] = lower[d];
            }
        }
        let tensor = format!(
            "element_strides = {strides:?}, im2col = {{ lower = {lower:?}, upper = {upper:?}, channels = {channels}, pixels = {pixels} }}"
        );
        let list = |numbers: &[i32]| numbers.iter().map(i32::to_string).collect::<Vec<_>>().join(", ");
        let copy = format!(
            "cp.async.bulk.prefetch.tensor.{0}d.L2.global.im2col [%rd1, {{{1}}}], {{{2}}};\n\
             cp.async.bulk.tensor.{0}d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%r20], [%rd1, {{{1}}}], [%r1], {{{2}}};",
            spatial + 2,
            list(&first),
            list(&offsets)
        );
        let run = done(&launch(&extents, &tensor, bytes), &kernel(random.bool(), 0, &load(&copy, bytes)));
        let from = run.before[0].bytes.to_vec();
        let wanted: Vec<u8> = wanted.iter().flat_map(|place| element(&from, &extents, place)).collect();
        assert_eq!(run.after[1].bytes.to_vec(), wanted, "{tensor} {first:?} {offsets:?} of {extents:?}");
        assert!(run.reports[0].misuses.is_empty(), "{:?}", run.reports[0].misuses);
    }
    assert!(outside > 500, "{outside}");
}

#[test]
fn four_rows_are_gathered_and_scattered() {
    let (extents, rows) = ([24, 6], [5, 0, -1, 2]);
    let tensor = "box = [16, 1], swizzle = \"32B\"";
    // The second row of 32 bytes is in the same line of 128 bytes as the first one, so nothing changes places.
    let copy = "cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes [%r20], [%rd1, {12, 5, 0, -1, 2}], [%r1];";
    let run = done(&launch(&extents, tensor, 128), &kernel(false, 0, &load(copy, 128)));
    let from = run.before[0].bytes.to_vec();
    let places = rows.iter().flat_map(|row| (12..28).map(move |column| [column, *row]));
    let wanted: Vec<u8> = places.clone().flat_map(|place| element(&from, &extents, &place)).collect();
    assert_eq!(run.after[1].bytes.to_vec(), wanted);
    let copy = "cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group [%rd1, {12, 5, 0, 1, 2}], [%r1];\n\
                cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;";
    let run = done(&launch(&extents, tensor, 128), &kernel(false, 128, copy));
    let (mut wanted, raw) = (run.before[0].bytes.to_vec(), run.before[1].bytes.to_vec());
    for (i, row) in [5, 0, 1, 2].into_iter().enumerate() {
        let to = 2 * (24 * row + 12);
        wanted[to..to + 24].copy_from_slice(&raw[32 * i..32 * i + 24]);
    }
    assert_eq!(run.after[0].bytes.to_vec(), wanted);
}

#[test]
fn the_map_fits_the_mode() {
    let im2col = "im2col = { lower = [-1], upper = [-1], channels = 8, pixels = 4 }";
    let end = "mbarrier::complete_tx::bytes [%r20], [%rd1, {0, 0, 0}], [%r1]";
    for (extents, tensor, copy, message) in [
        (
            &[8, 4, 2][..],
            im2col,
            format!("cp.async.bulk.tensor.3d.shared::cta.global.tile.{end};"),
            "the tensor map is one of im2col mode",
        ),
        (
            &[8, 4, 2],
            "box = [8, 4, 2]",
            format!("cp.async.bulk.tensor.3d.shared::cta.global.im2col.{end}, {{0}};"),
            "the tensor map has a box",
        ),
        (
            &[8, 4, 2],
            im2col,
            format!("cp.async.bulk.tensor.3d.shared::cta.global.im2col.{end}, {{0}};").replace("{0, 0, 0}", "{0, 3, 0}"),
            "the coordinate 3 of dimension 1 is outside of the corners of the tensor map, -1 to 2",
        ),
        (
            &[8, 4],
            "box = [8, 2]",
            format!("cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.{end};").replace("{0, 0, 0}", "{0, 0, 1, 2, 3}"),
            "the box of the tensor map has 2 rows; expected 1",
        ),
        (
            &[8, 4, 2],
            "box = [8, 1, 1]",
            format!("cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.{end};").replace("{0, 0, 0}", "{0, 0, 1, 2, 3}"),
            "2 coordinates, but the tensor map has 3 dimensions",
        ),
    ] {
        let error =
            launched(&launch(extents, tensor, 256), &kernel(false, 0, &load(&copy, 64)), "").unwrap().map(|_| ()).unwrap_err();
        let RunError::Program { stopped, .. } = error else { panic!("{error:?}") };
        assert!(stopped.is_wrong() && stopped.diagnostic.message.contains(message), "{copy}: {stopped:?}");
    }
}
