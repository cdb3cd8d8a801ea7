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
    tile.bytes(&MatrixDescriptor::of_wgmma(descriptor), rows).into_iter().flatten().collect()
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
    let mn = |rows| Tile { rows, major: Major::Mn { packed: 8, steps: 16 } };
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

/// The reason for which a descriptor has no layout for a tile.
fn reason(tile: Tile, descriptor: u64) -> String {
    tile.check(&MatrixDescriptor::of_wgmma(descriptor)).err().unwrap_or_default()
}

#[test]
fn rows_that_are_wider_than_the_swizzle_have_no_layout() {
    let tile = Tile { rows: 8, major: Major::K { chunks: 4 } };
    assert!(reason(tile, descriptor(0, (16, 256), 0, B32)).starts_with("64 contiguous bytes of the matrix start at byte 0"));
    assert!([NONE, B64, B128].iter().all(|mode| reason(tile, descriptor(0, (128, 512), 0, *mode)).is_empty()));
    let tile = Tile { rows: 8, major: Major::K { chunks: 2 } };
    assert!(reason(tile, descriptor(96, (16, 1024), 0, B128)).is_empty());
    assert!(reason(tile, descriptor(112, (16, 1024), 0, B128)).contains("byte 112 of a row with a swizzle of 128 bytes"));
}

#[test]
fn strides_that_are_no_multiple_of_the_pattern_have_no_layout() {
    let (k, mn) =
        (|rows| Tile { rows, major: Major::K { chunks: 2 } }, |rows| Tile { rows, major: Major::Mn { packed: 8, steps: 16 } });
    for (mode, pattern) in [(B128, 1024), (B64, 512), (B32, 256)] {
        for wrong in [0, 16, pattern / 2, pattern + 128] {
            let found = reason(k(16), descriptor(0, (16, wrong), 0, mode));
            assert!(
                found.contains(&format!("the stride dimension byte offset is {wrong}")) && found.contains(&pattern.to_string())
            );
            assert!(reason(k(8), descriptor(0, (16, wrong), 0, mode)).is_empty(), "eight rows have no stride");
            let found = reason(mn(256), descriptor(0, (wrong, 4096), 0, mode));
            assert!(found.contains(&format!("the leading dimension byte offset is {wrong}")), "{found}");
        }
        assert!(reason(k(256), descriptor(0, (0, pattern), 0, mode)).is_empty(), "the leading offset is not used");
        assert!(reason(mn(256), descriptor(0, (2 * pattern, 64 * pattern), 0, mode)).is_empty());
    }
    for (leading, stride) in [(0, 256), (128, 128), (256, 0), (64, 256)] {
        let found = reason(k(64), descriptor(0, (leading, stride), 0, NONE));
        assert!(found.contains("two parts of the matrix have the same address"), "{leading} {stride}: {found}");
    }
    assert!(reason(k(64), descriptor(0, (128, 256), 0, NONE)).is_empty());
    assert!(reason(k(64), descriptor(16, (1024 + 128, 128), 0, NONE)).is_empty());
}

#[test]
fn a_start_in_the_middle_of_the_pattern_needs_the_base_offset() {
    let tile = Tile { rows: 64, major: Major::K { chunks: 2 } };
    for (mode, lines) in [(B128, 8), (B64, 4), (B32, 2)] {
        for line in 0..8 {
            let expected = if line % lines == 0 { "" } else { "the base offset is 0" };
            let found = reason(tile, descriptor(2048 + line * 128, (16, 1024), 0, mode));
            assert!(found.contains(expected) && found.is_empty() == expected.is_empty(), "{mode} {line}: {found}");
            assert!(reason(tile, descriptor(2048 + line * 128, (16, 1024), line, mode)).is_empty());
        }
    }
    assert!(reason(tile, descriptor(2048 + 128, (128, 256), 0, NONE)).is_empty());
    assert!(reason(tile, descriptor(2048, (128, 256), 1, NONE)).contains("expected 0 without swizzle"));
}
