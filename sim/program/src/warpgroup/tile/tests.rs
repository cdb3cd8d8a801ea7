// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The bytes of a descriptor, against the layouts that the PTX document writes out in its examples, element by element.

use super::*;
use std::collections::BTreeSet;

/// A level of a layout in the notation of the document: extents and strides, in elements.
type Mode<'a> = &'a [(u64, u64)];

/// The offsets of a mode, in elements.
fn offsets(mode: Mode) -> Vec<u64> {
    mode.iter().fold(vec![0], |offsets, (extent, stride)| {
        (0..*extent).flat_map(|i| offsets.iter().map(move |offset| offset + i * stride)).collect()
    })
}

/// The bytes of `Swizzle<bits, 4, 3> o (rows, columns)` at `start`, for elements of `size` bytes.
fn expected((rows, columns): (Mode, Mode), bits: u32, (start, size): (u64, u64)) -> BTreeSet<u64> {
    let columns = offsets(columns);
    let elements = offsets(rows).into_iter().flat_map(|row| columns.iter().map(move |column| row + column));
    let bytes = elements.flat_map(|element| (0..size).map(move |byte| start + element * size + byte));
    bytes.map(|at| at ^ (at >> 7 & ((1 << bits) - 1)) << 4).collect()
}

fn found(tile: Tile, descriptor: u64, rows: Range<u64>) -> BTreeSet<u64> {
    tile.bytes(descriptor, rows).unwrap().into_iter().flatten().collect()
}

/// A descriptor of `start`, leading and stride offsets in bytes, base offset and swizzle mode.
fn descriptor(start: u64, (leading, stride): (u64, u64), base: u64, swizzle: u64) -> u64 {
    start >> 4 | leading >> 4 << 16 | stride >> 4 << 32 | base << 49 | swizzle << 62
}

const NONE: u64 = 0;
const B128: u64 = 1;
const B64: u64 = 2;
const B32: u64 = 3;

#[test]
fn the_examples_of_the_document() {
    // Type size, exact layout, swizzle bits, mode, leading and stride offsets in elements.
    type Example<'a> = (u64, (Mode<'a>, Mode<'a>), (u32, u64), (u64, u64), Tile);
    let k = |chunks| Tile { rows: 16, major: Major::K { chunks } };
    let mn = |rows| Tile { rows, major: Major::Mn { steps: 16 } };
    let examples: [Example; 7] = [
        (4, (&[(8, 4), (2, 32)], &[(4, 1), (4, 64)]), (0, NONE), (64, 32), k(4)),
        // The document has four columns of four elements, of which the last two overlap the next row; here there are two.
        (4, (&[(8, 8), (2, 64)], &[(4, 1), (2, 4)]), (1, B32), (4, 64), k(2)),
        (2, (&[(8, 1), (1, 8), (2, 64)], &[(8, 8), (2, 128)]), (0, NONE), (128, 64), mn(16)),
        (2, (&[(8, 1), (2, 8), (2, 128)], &[(8, 16), (2, 256)]), (1, B32), (128, 256), mn(32)),
        (2, (&[(8, 1), (4, 8), (2, 256)], &[(8, 32), (2, 512)]), (2, B64), (256, 512), mn(64)),
        // The same with the atoms of the table for 64 and 128 bytes: 8 x 4 chunks, and 8 x 8 chunks of 8 elements.
        (2, (&[(8, 32), (2, 256)], &[(8, 1), (2, 8)]), (2, B64), (1, 256), k(2)),
        (2, (&[(8, 1), (8, 8), (2, 1024)], &[(8, 64), (2, 512)]), (3, B128), (1024, 512), mn(128)),
    ];
    for (size, layout, (bits, mode), (leading, stride), tile) in examples {
        for start in [0, 4096, 7 * 1024] {
            let given = descriptor(start, (leading * size, stride * size), 0, mode);
            assert_eq!(found(tile, given, 0..tile.rows), expected(layout, bits, (start, size)), "{tile:?} {mode} at {start}");
        }
    }
}

#[test]
fn a_step_along_k_reads_two_chunks_of_each_swizzled_row() {
    // The second 16 elements of rows of 64 elements of 16 bits.
    let given = descriptor(2048 + 32, (16, 1024), 0, B128);
    let tile = Tile { rows: 64, major: Major::K { chunks: 2 } };
    let rows: BTreeSet<u64> = (0..64)
        .flat_map(|row| [2, 3].map(|chunk| 2048 + row * 128 + (chunk ^ row % 8) * 16))
        .flat_map(|at| at..at + 16)
        .collect();
    assert_eq!(found(tile, given, 0..64), rows);
    // One warp reads 16 rows of A.
    let of_warp: BTreeSet<u64> = rows.range(2048 + 16 * 128..2048 + 32 * 128).copied().collect();
    assert_eq!(found(tile, given, 16..32), of_warp);
}

#[test]
fn all_four_steps_along_k_read_the_whole_swizzled_tile_once() {
    let tile = Tile { rows: 64, major: Major::K { chunks: 2 } };
    let mut all = vec![];
    for step in 0..4 {
        all.extend(found(tile, descriptor(1024 + 32 * step, (16, 1024), 0, B128), 0..64));
    }
    all.sort_unstable();
    assert_eq!(all, (1024..1024 + 8192).collect::<Vec<u64>>());
}

#[test]
fn a_base_offset_moves_the_start_of_the_pattern() {
    // The pattern starts at line 10, which is line 2 of 8.
    let tile = Tile { rows: 8, major: Major::K { chunks: 2 } };
    let given = descriptor(1280, (16, 1024), 2, B128);
    let rows = (0..8).flat_map(|row| [0, 1].map(|chunk| 1280 + row * 128 + (chunk ^ row) * 16));
    assert_eq!(found(tile, given, 0..8), rows.flat_map(|at| at..at + 16).collect());
}

#[test]
fn rows_that_are_wider_than_the_swizzle_have_no_layout() {
    let tile = Tile { rows: 8, major: Major::K { chunks: 4 } };
    assert_eq!(tile.bytes(descriptor(0, (16, 256), 0, B32), 0..8), None);
    assert!([NONE, B64, B128].iter().all(|mode| tile.bytes(descriptor(0, (128, 512), 0, *mode), 0..8).is_some()));
}
