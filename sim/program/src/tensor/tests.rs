// SPDX-License-Identifier: Apache-2.0 OR MIT

use super::*;
use crate::launch::Element;
use crate::swizzle::Swizzle;

fn map() -> TensorMap {
    let dimension = |(extent, stride, size, element_stride)| Dimension { extent, stride, size, element_stride };
    let dimensions = [(10, 4, 8, 1), (MAX_EXTENT, STRIDES - 16, 3, 2)].map(dimension).to_vec();
    TensorMap {
        element: Element::F32,
        address: 0x1_0000_0010,
        dimensions,
        swizzle: Swizzle::B32,
        outside: Outside::Nan,
        pixels: None,
    }
}

/// The bytes of `map` with another value of a field.
fn with(map: &TensorMap, field: Field, value: u64) -> Vec<u8> {
    let (mut bytes, (first, count)) = (map.encode(), field.place());
    bytes[first..first + count].copy_from_slice(&value.to_le_bytes()[..count]);
    bytes
}

#[test]
fn a_map_comes_back_from_its_bytes() {
    let bytes = map().encode();
    assert_eq!((bytes.len(), TensorMap::decode(&bytes)), (BYTES, Ok(map())));
    assert!(TensorMap::decode(&bytes[..127]).is_err());
    for element in Element::ALL.map(|(_, element)| element) {
        let size = element.size() as u64;
        let dimensions = vec![Dimension { extent: 10, stride: size, size: 32 / size, element_stride: 1 }];
        let outside = if element.is_float() { Outside::Nan } else { Outside::Zeros };
        let map = TensorMap { element, dimensions, outside, ..map() };
        let back = TensorMap::decode(&map.encode()).map(|map| (map.element.size(), map.element.is_float(), map.outside));
        assert_eq!(back, Ok((element.size(), element.is_float(), outside)), "{element:?}");
    }
    for (_, swizzle) in Swizzle::ALL {
        let mut map = TensorMap { swizzle, ..map() };
        map.dimensions[0].size = swizzle.span().unwrap_or(16) / 4;
        assert_eq!(TensorMap::decode(&map.encode()), Ok(map));
    }
}

#[test]
fn no_two_fields_have_a_common_byte() {
    let mut fields = vec![Field::GlobalAddress, Field::Rank, Field::ElemType, Field::InterleaveLayout, Field::SwizzleMode];
    fields.extend([Field::SwizzleAtomicity, Field::FillMode, Field::AccessMode]);
    fields.extend((0..MAX_RANK).flat_map(|i| [Field::GlobalDim(i), Field::BoxDim(i), Field::ElementStride(i)]));
    fields.extend((0..MAX_RANK - 1).map(Field::GlobalStride));
    let mut used = [false; BYTES];
    for field in fields {
        let (first, count) = field.place();
        assert!(first % count == 0 && used[first..first + count].iter().all(|used| !used), "{field:?}");
        used[first..first + count].fill(true);
    }
}

#[test]
fn the_message_names_the_invalid_field() {
    for (field, value, what, expected) in [
        (Field::GlobalAddress, 8, "its `global_address` is 0x8", "a multiple of 16"),
        (Field::Rank, 5, "its `rank` is 5", "0 to 4"),
        (Field::ElemType, 11, "its `elemtype` is 11", "an unpacked type"),
        (Field::GlobalDim(0), 0, "its `global_dim[0]` is 0", "1 to 4294967296"),
        (Field::GlobalDim(1), MAX_EXTENT + 1, "its `global_dim[1]` is 4294967297", "1 to 4294967296"),
        (Field::GlobalStride(0), 24, "its `global_stride[0]` is 24", "a multiple of 16 below"),
        (Field::GlobalStride(0), STRIDES, "its `global_stride[0]` is", "a multiple of 16 below"),
        (Field::BoxDim(1), 257, "its `box_dim[1]` is 257", "1 to 256"),
        (Field::BoxDim(0), 6, "its `box_dim[0]` is 24 bytes", "a multiple of 16 bytes"),
        (Field::ElementStride(1), 9, "its `element_stride[1]` is 9", "1 to 8"),
        (Field::SwizzleMode, 4, "its `swizzle_mode` is 4", "0 to 3"),
        (Field::SwizzleMode, 2, "its `box_dim[0]` is 32 bytes with swizzle 64B", "64 bytes; shorter rows"),
        (Field::InterleaveLayout, 1, "its `interleave_layout` is 1", "0"),
        (Field::FillMode, 2, "its `fill_mode` is 2", "0 or 1"),
        (Field::ElemType, 2, "its `fill_mode` is that of NaN", "a floating-point type"),
    ] {
        let found = TensorMap::decode(&with(&map(), field, value)).unwrap_err();
        assert!(found.what.starts_with(what) && found.expected.contains(expected), "{field:?}: {found:?}");
    }
    // A map whose fields are not set yet.
    assert_eq!(TensorMap::decode(&[0; BYTES]).unwrap_err().what, "its `global_dim[0]` is 0");
}

#[test]
fn rows_are_what_of_the_box_is_in_the_tensor() {
    let map = map();
    assert_eq!(map.box_bytes(Mode::Tile), 64);
    let rows = |coordinates: [i32; 2]| {
        map.rows(Mode::Tile, &coordinates).map(|row| (row.address, row.first, row.bytes)).collect::<Vec<_>>()
    };
    let stride = STRIDES - 16;
    assert_eq!(rows([4, 1]), [(map.address + 16 + stride, 0, 24), (map.address + 16 + 3 * stride, 32, 24)]);
    assert_eq!(rows([-3, -1]), [(map.address + stride, 12 + 32, 20)]);
    assert_eq!(rows([10, 0]), []);
    assert_eq!(rows([-8, 0]), []);
    assert_eq!(rows([i32::MIN, i32::MAX]), []);
    // An address beyond 64 bits, where there is no memory, is replaced by the highest address.
    let far = TensorMap { address: u64::MAX - 15, ..map.clone() };
    assert_eq!(far.rows(Mode::Tile, &[0, i32::MAX]).next().map(|row| row.address), Some(u64::MAX));
}

/// 2 images of 3 x 5 pixels with 16 channels of one byte; filters of 3 x 2 pixels, every second column.
fn images() -> TensorMap {
    let dimensions = [(16, 1, 16, 1), (5, 16, 1, 2), (3, 80, 1, 1), (2, 240, 1, 1)];
    let dimensions =
        dimensions.map(|(extent, stride, size, element_stride)| Dimension { extent, stride, size, element_stride });
    let pixels = Some(Pixels { count: 7, corners: vec![[-1, -1], [0, -1]] });
    let (swizzle, outside) = (Swizzle::None, Outside::Zeros);
    TensorMap { element: Element::U8, address: 4096, dimensions: dimensions.to_vec(), swizzle, outside, pixels }
}

#[test]
fn pixels_follow_each_other_as_a_filter_meets_them() {
    let map = images();
    assert_eq!((TensorMap::decode(&map.encode()), map.box_bytes(Mode::Im2col)), (Ok(map.clone()), 7 * 16));
    // The filter is at columns -1, 1, 3 and rows 0, 1; the offset of 1 along W moves the pixels.
    let rows = map.rows(Mode::Im2col, &[0, 1, 0, 0, 1, 1]).map(|row| (row.address - 4096, row.first, row.bytes));
    let pixel = |w: u64, h: u64, n: u64| 240 * n + 80 * h + 16 * w;
    let wanted = [(2, 1, 0), (4, 1, 0), (0, 2, 0), (2, 2, 0), (4, 2, 0), (0, 1, 1), (2, 1, 1)];
    let wanted = wanted.iter().enumerate().map(|(i, (w, h, n))| (pixel(*w, *h, *n), 16 * i as u64, 16));
    assert_eq!(rows.collect::<Vec<_>>(), wanted.collect::<Vec<_>>());
    // Without the offset the pixels at column -1 are outside of the tensor, and so are those of the third image.
    let rows = map.rows(Mode::Im2col, &[8, -1, 1, 1, 0, 0]).map(|row| (row.address - 4096, row.first, row.bytes));
    assert_eq!(rows.collect::<Vec<_>>(), [(pixel(1, 1, 1) + 8, 16, 8), (pixel(3, 1, 1) + 8, 32, 8)]);
    assert_eq!(map.outside_of_corners(&[0, 3, 0, 0, 9, 9]), None);
    assert_eq!(map.outside_of_corners(&[0, 4, 0, 0, 0, 0]), Some((1, 4, [-1, 4])));
    assert_eq!(map.outside_of_corners(&[0, 0, -1, 0, 0, 0]), Some((2, -1, [0, 2])));
}

#[test]
fn an_im2col_map_has_limits_of_its_own() {
    let with = |change: &dyn Fn(&mut TensorMap, &mut Pixels)| {
        let (mut map, mut pixels) = (images(), images().pixels.unwrap());
        change(&mut map, &mut pixels);
        TensorMap { pixels: Some(pixels), ..map }.check().unwrap_err().what
    };
    assert_eq!(with(&|_, pixels| pixels.count = 1025), "its `pixels` is 1025");
    assert_eq!(with(&|_, pixels| pixels.corners[1][0] = -129), "its `lower[1]` is -129");
    assert_eq!(with(&|_, pixels| pixels.corners[0][1] = 128), "its `upper[0]` is 128");
    assert_eq!(with(&|_, pixels| pixels.corners[1] = [2, -1]), "its `lower[1]` is 2, and its `upper[1]` is -1 with 3 elements");
    assert_eq!(with(&|map, _| map.dimensions.truncate(2)), "its `rank` is 2");
    assert_eq!(with(&|map, _| map.dimensions[0].size = 8), "its `box_dim[0]` is 8 bytes");
}

#[test]
fn four_rows_are_gathered() {
    let map = TensorMap { swizzle: Swizzle::None, outside: Outside::Zeros, ..map() };
    let stride = STRIDES - 16;
    let rows = map.rows(Mode::Rows4, &[4, 7, -1, 0, 7]).map(|row| (row.address - map.address, row.first, row.bytes));
    assert_eq!(rows.collect::<Vec<_>>(), [(16 + 7 * stride, 0, 24), (16, 64, 24), (16 + 7 * stride, 96, 24)]);
    assert_eq!(map.box_bytes(Mode::Rows4), 128);
}

#[test]
fn a_row_is_split_where_chunks_change_places() {
    let chunks = |map: &TensorMap, first: u64, bytes: u64, shared: u64| {
        let chunks = map.chunks(Row { address: 1000, first, bytes }, shared);
        chunks.map(|row| (row.address, row.first, row.bytes)).collect::<Vec<_>>()
    };
    let map = map();
    // Bytes 12 to 32 of the second line of 128 bytes, in which the chunks of each 32 bytes are exchanged.
    assert_eq!(chunks(&map, 128 + 12, 20, 1024), [(1000, 128 + 28, 4), (1004, 128, 16)]);
    // The same box 128 bytes further is in a line without exchange.
    assert_eq!(chunks(&map, 128 + 12, 20, 128), [(1000, 128 + 12, 4), (1004, 128 + 16, 16)]);
    let whole = TensorMap { swizzle: Swizzle::None, ..map };
    assert_eq!(chunks(&whole, 12, 300, 128), [(1000, 12, 300)]);
    assert_eq!(chunks(&whole, 12, 0, 128), []);
}

/// Kernels may overwrite a map with any bytes.
#[test]
fn any_bytes_are_no_map_or_one_with_rows() {
    let mut random = fastrand::Rng::with_seed(5);
    let (mut maps, mut rows) = (0, 0);
    for _ in 0..20_000 {
        let mut bytes = map().encode();
        for _ in 0..random.usize(1..5) {
            bytes[random.usize(0..BYTES)] = [0, 1, 2, 5, 128, 240, 255][random.usize(0..7)];
        }
        let Ok(map) = TensorMap::decode(&bytes) else { continue };
        maps += 1;
        assert_eq!(TensorMap::decode(&map.encode()), Ok(map.clone()));
        let coordinates = [0; MAX_RANK].map(|_| [0, -1, 7, i32::MIN, i32::MAX][random.usize(0..5)]);
        let bytes = map.box_bytes(Mode::Tile);
        for row in map.rows(Mode::Tile, &coordinates[..map.dimensions.len()]).take(100) {
            rows += 1;
            assert!(row.bytes > 0 && row.first + row.bytes <= bytes, "{map:?} {row:?}");
            let chunks: Vec<Row> = map.chunks(row, 128 * random.u64(0..9)).collect();
            assert!(chunks.iter().all(|chunk| chunk.first + chunk.bytes <= bytes), "{map:?} {chunks:?}");
            assert_eq!(chunks.iter().map(|chunk| chunk.bytes).sum::<u64>(), row.bytes);
        }
    }
    assert!(maps > 100 && rows > 100, "{maps} {rows}");
}
