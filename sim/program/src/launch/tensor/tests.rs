// SPDX-License-Identifier: Apache-2.0 OR MIT

use super::super::argument::Argument;
use super::super::{from_options, parse_arg, Fill, LaunchFile, Number, OptionValue};
use super::*;

fn tensor(extents: &[u64], size: &[u64]) -> Tensor {
    Tensor { extents: Some(extents.to_vec()), ..Tensor::whole("x".to_string(), 16, size.to_vec()) }
}

fn map(tensor: &Tensor) -> Result<TensorMap, Diagnostic> {
    let buffer = Buffer::filled("x", Element::F16, &[64], &Fill::Value(Number::Integer(0)), 1)?;
    tensor.map(&[buffer], &[Placed { name: "x".to_string(), address: 0x1000, bytes: 128 }])
}

#[test]
fn what_is_left_out_is_dense_and_of_the_type_of_the_buffer() {
    let made = map(&tensor(&[24, 3, 5], &[8, 1, 256])).unwrap();
    let numbers: Vec<[u64; 4]> =
        made.dimensions.iter().map(|one| [one.extent, one.stride, one.size, one.element_stride]).collect();
    assert_eq!((made.element, made.address), (Element::F16, 0x1010));
    assert_eq!(numbers, [[24, 2, 8, 1], [3, 48, 1, 1], [5, 144, 256, 1]]);
    let whole = map(&Tensor::whole("x".to_string(), 0, vec![8])).unwrap();
    assert_eq!((whole.dimensions.len(), whole.dimensions[0].extent), (1, 64));
    let given = Tensor { element: Some(Element::U8), strides: Some(vec![64]), ..tensor(&[3, 9], &[16, 2]) };
    let given = map(&Tensor { element_strides: Some(vec![1, 3]), ..given }).unwrap();
    assert_eq!((given.element, given.dimensions[1].stride, given.dimensions[1].element_stride), (Element::U8, 64, 3));
    assert_eq!(TensorMap::decode(&given.encode()), Ok(given));
}

#[test]
fn what_the_buffer_says_is_checked_with_it() {
    let refused = |tensor: &Tensor| map(tensor).map_err(|error| format!("{}: {}", error.message, error.label)).unwrap_err();
    assert!(refused(&tensor(&[24], &[4])).contains(
        "a box of 4 elements of f16, 8 bytes, along the innermost dimension: expected a multiple of 16 bytes, 8 elements"
    ));
    assert!(refused(&tensor(&[25, 2], &[8, 2])).contains("a stride of 50 bytes: expected a multiple of 16 below"));
    assert!(refused(&tensor(&[1 << 32, 1 << 32, 2], &[8, 2, 2])).contains("expected a multiple of 16 below"));
    assert!(refused(&Tensor { buffer: "y".to_string(), ..tensor(&[24], &[8]) }).contains("buffer `y` does not exist"));
    let flat = Tensor::whole("x".to_string(), 0, vec![8, 2]);
    assert!(refused(&flat).contains("a box of 2 dimensions, but `x` has 1: expected one size for each dimension, or `extents`"));
    assert!(refused(&Tensor { offset: 144, ..tensor(&[24], &[8]) }).contains("an offset of at most 128"));
    let images = |corner: i64, count: u64| {
        let mut images = tensor(&[8, 4, 3], &[]);
        images.set_pixels(8, count, &[corner], &[-1]).map(|()| images)
    };
    let made = map(&images(-1, 5).unwrap()).unwrap();
    assert_eq!((made.dimensions[0].size, made.pixels), (8, Some(Pixels { count: 5, corners: vec![[-1, -1]] })));
    assert!(refused(&images(3, 5).unwrap())
        .contains("its `lower[0]` is 3, and its `upper[0]` is -1 with 4 elements: expected a box"));
    assert!(refused(&images(0, 2000).unwrap()).contains("its `pixels` is 2000: expected 1 to 1024"));
    let swizzled = |size: u64| Tensor { swizzle: Swizzle::B64, ..tensor(&[24, 2], &[size, 2]) };
    assert!(refused(&swizzled(40)).contains("the tensor map: its `box_dim[0]` is 80 bytes with swizzle 64B: expected 64 bytes"));
    assert!(refused(&swizzled(16)).contains("expected 64 bytes; shorter rows, which CUDA permits, are not supported"));
    assert_eq!(map(&swizzled(32)).map(|map| map.swizzle), Ok(Swizzle::B64));
}

#[test]
fn wrong_maps_in_a_file_have_their_places() {
    let refused = |inside: &str| {
        let text = format!("[buffers.x]\ntype = \"f32\"\nshape = [64]\n[[launch]]\nargs = [{{ tensor = {{ {inside} }} }}]\n");
        let errors = LaunchFile::parse(&text).unwrap_err();
        errors.iter().map(|e| format!("[{}] {}: {}\n", &text[e.span.clone()], e.message, e.label)).collect::<String>()
    };
    let with = |more: &str| refused(&format!("buffer = \"x\", extents = [8, 8], box = [4, 4], {more}"));
    for (found, part) in [
        (
            refused("buffer = \"x\", extents = [], box = []"),
            "[[]] a tensor of 0 dimensions: expected the elements along each of 1 to 5",
        ),
        (refused("buffer = \"x\", extents = [1, 1, 1, 1, 1, 1], box = [4]"), "a tensor of 6 dimensions"),
        (refused("buffer = \"x\", extents = [8, 0], box = [4, 4]"), "[[8, 0]] an extent of 0: expected 1 to 4294967296"),
        (refused("buffer = \"x\", extents = [8, 4294967297], box = [4, 4]"), "an extent of 4294967297"),
        (
            refused("buffer = \"x\", extents = [8, 8], box = [4]"),
            "[[4]] 1 sizes of the box of a tensor of 2 dimensions: expected 2",
        ),
        (refused("buffer = \"x\", extents = [8, 8], box = [4, 257]"), "[[4, 257]] a size of the box of 257: expected 1 to 256"),
        (
            refused("buffer = \"x+8\", extents = [8], box = [4]"),
            "[\"x+8\"] a tensor that starts 8 bytes after the start of `x`: expected a multiple of 16",
        ),
        (refused("buffer = \"z\", extents = [8], box = [4]"), "[\"z\"] buffer `z` does not exist"),
        (refused("buffer = \"x\", extents = [8]"), "[\"x\"] a tensor map needs the key `box`, or `im2col` in its place"),
        (
            with("im2col = { lower = [], upper = [], channels = 4, pixels = 1 }"),
            "[[4, 4]] a tensor map needs the key `box`, or `im2col` in its place",
        ),
        (
            refused("buffer = \"x\", im2col = { lower = [0, 0], upper = [0], channels = 4, pixels = 1 }"),
            "2 lower and 1 upper corners: expected one of each",
        ),
        (
            with("strides = [32, 32]"),
            "[[32, 32]] 2 strides of a tensor of 2 dimensions: expected 1, one for each dimension but",
        ),
        (with("strides = [40]"), "[[40]] a stride of 40 bytes: expected a multiple of 16 below 1099511627776"),
        (with("strides = [1099511627776]"), "a stride of 1099511627776 bytes"),
        (with("element_strides = [1]"), "[[1]] 1 element strides of a tensor of 2 dimensions"),
        (with("element_strides = [1, 9]"), "[[1, 9]] an element stride of 9: expected 1 to 8"),
        (with("interleave = \"16B\""), "[\"16B\"] tensor maps with interleave 16B are not supported yet: expected \"none\""),
        (
            with("swizzle = \"128B_atom_32B_flip_8B\""),
            "[\"128B_atom_32B_flip_8B\"] tensor maps with swizzle 128B_atom_32B_flip_8B are not supported yet",
        ),
        (with("fill = \"ones\""), "[\"ones\"] `ones` is not a known fill of a tensor map: expected \"zeros\", \"nan\""),
        (
            with("swizzle = \"yes\""),
            "[\"yes\"] `yes` is not a known swizzle of a tensor map: expected \"none\", \"32B\", \"64B\"",
        ),
        (with("rank = 2"), "unknown field `rank`"),
    ] {
        assert!(found.contains(part), "{part} in {found}");
    }
    let text = "[buffers.x]\ntype = \"f32\"\nshape = [64]\n[[launch]]\nargs = [{ tensor = { buffer = \"x\", extents = [8, 8], box = [4, 4], interleave = \"none\", swizzle = \"none\", fill = \"zeros\" } }]\n";
    let file = LaunchFile::parse(text).unwrap();
    let expected = Tensor { offset: 0, ..tensor(&[8, 8], &[4, 4]) };
    assert_eq!(file.launches[0].args[0].value, Argument::Tensor(Box::new(expected)));
}

#[test]
fn an_option_makes_a_tensor_or_names_one() {
    let parsed = |text: &str| parse_arg(text).map_err(|error| format!("{}: {}", error.message, error.label));
    let other = Argument::Tensor(Box::new(Tensor::whole("x".to_string(), 16, vec![8, 1])));
    assert_eq!(parsed("m=tensor:[8, 1]:@x+16").map(|option| option.value), Ok(OptionValue::Argument(other)));
    let own = parsed("m=tensor:[8,1]:f16:[3,8]:iota").unwrap();
    let (allocations, given) = from_options(&[own]).unwrap();
    assert_eq!(given[0].value, Argument::Tensor(Box::new(Tensor::whole("m".to_string(), 0, vec![8, 1]))));
    assert_eq!((allocations.len(), allocations[0].name.as_str()), (1, "m"));
    let swizzled = Tensor { swizzle: Swizzle::B128, ..Tensor::whole("x".to_string(), 0, vec![64, 8]) };
    let option = parsed("m=tensor:[64,8]:swizzle=128B:fill=zeros:@x").map(|option| option.value);
    assert_eq!(option, Ok(OptionValue::Argument(Argument::Tensor(Box::new(swizzled.clone())))));
    let own = parsed("m=tensor:[64,8]:swizzle=128B:f16:[8,64]").unwrap();
    let expected = Tensor { buffer: "m".to_string(), ..swizzled };
    assert_eq!(from_options(&[own]).unwrap().1[0].value, Argument::Tensor(Box::new(expected)));
    for text in ["tensor:x", "tensor:[8]", "tensor:[]:@x", "tensor:[-4]:@x", "tensor:8:@x", "tensor:[8]:tensor:[8]:@x"] {
        assert!(
            parsed(&format!("m={text}")).is_err_and(|error| error.contains("is not a tensor map: expected the box")),
            "{text}"
        );
    }
    for (text, part) in [
        ("tensor:[8]:5", "`5` is not a tensor"),
        ("tensor:[8]:f32:5", "`f32:5` is not a tensor"),
        ("tensor:[0]:@x", "expected 1 to 256"),
        ("tensor:[8,1,1,1,1,1]:@x", "a tensor of 6 dimensions"),
        ("tensor:[8]:@a b", "not a valid name of a buffer"),
        ("tensor:[8]:f8:[8]", "not a type"),
        ("tensor:[8]:swizzle=8B:@x", "`8B` is not a known swizzle"),
        ("tensor:[8]:turn=8B:@x", "`turn=8B` is not a type"),
    ] {
        assert!(parsed(&format!("m={text}")).is_err_and(|error| error.contains(part)), "{text}");
    }
}
