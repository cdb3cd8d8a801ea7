// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The keys of a launch file, as written.

use super::element::{Element, Number};
#[cfg(test)]
use crate::{swizzle::Swizzle, tensor::Outside};
use serde::Deserialize;
use std::collections::BTreeMap;
use toml::Spanned;

/// Launches of kernels: the initial memory, the arguments, and the expected memory after the last launch.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, schemars(title = "Launch file"))]
pub(super) struct FileText {
    /// The PTX or CUDA file with the kernels, relative to this file.
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub program: Option<Spanned<String>>,
    /// Arrays in global memory, by name; created and filled before the first launch, in this order.
    #[serde(default)]
    #[cfg_attr(test, schemars(with = "BTreeMap<String, BufferText>"))]
    pub buffers: BTreeMap<Spanned<String>, Spanned<BufferText>>,
    /// Variables of the program in constant or global memory, by their names in PTX or in CUDA: their contents before the first launch, and
    /// the type in which they are compared and written.
    #[serde(default)]
    #[cfg_attr(test, schemars(with = "BTreeMap<String, BufferText>"))]
    pub variables: BTreeMap<Spanned<String>, Spanned<BufferText>>,
    /// One or more launches; each is executed after the previous one has ended.
    #[serde(default)]
    #[cfg_attr(test, schemars(with = "Vec<LaunchText>", length(min = 1)))]
    pub launch: Vec<Spanned<LaunchText>>,
    /// Expected content of buffers after the last launch.
    #[serde(default)]
    #[cfg_attr(test, schemars(with = "Vec<ExpectText>"))]
    pub expect: Vec<Spanned<ExpectText>>,
}

/// An array in global memory: by rule (`type`, `shape`, `fill`), from a file (`npy`, or `raw` and `type`), or a structure (`fields`). A
/// variable has the type, the shape and the contents of its declaration where a key is left out.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, schemars(rename = "Buffer"))]
pub(super) struct BufferText {
    /// Type of the elements; with `npy` the type that the file must have, where `bf16` is stored as `u2`.
    #[serde(rename = "type")]
    #[cfg_attr(test, schemars(with = "Option<Element>"))]
    pub element: Option<Spanned<Element>>,
    /// Elements along each dimension, row-major; optional with `raw`: by default one dimension for the whole file.
    #[cfg_attr(test, schemars(with = "Option<Vec<u64>>", length(min = 1, max = 32)))]
    pub shape: Option<Spanned<Vec<u64>>>,
    /// Value of the elements: a number, `iota` (0, 1, 2 …), `random`, or `unknown`; 0 by default.
    #[cfg_attr(test, schemars(with = "Option<FillText>"))]
    pub fill: Option<Spanned<FillText>>,
    /// Seed of `random`; by default derived from the seed of the run and the buffer's name.
    #[cfg_attr(test, schemars(with = "Option<u64>"))]
    pub seed: Option<Spanned<u64>>,
    /// Range of `random`, low end included, high end excluded; by default the whole type for integers, 0 to 1 for floats.
    #[cfg_attr(test, schemars(with = "Option<(Number, Number)>"))]
    pub range: Option<Spanned<(Number, Number)>>,
    /// A NumPy file, relative to this file; it determines type and shape.
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub npy: Option<Spanned<String>>,
    /// A file of raw bytes, little endian, relative to this file.
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub raw: Option<Spanned<String>>,
    /// Addresses and values, laid out as the fields of a structure in C; by default of the type `u64` if all are addresses, otherwise `u8`.
    #[cfg_attr(test, schemars(with = "Option<Vec<ArgText>>"))]
    pub fields: Option<Spanned<Vec<Spanned<ArgText>>>>,
}

/// One launch of a kernel.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, schemars(rename = "Launch"))]
pub(super) struct LaunchText {
    /// The kernel: its name in PTX or in CUDA, or a part that only one name has; by default the only kernel of the program.
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub kernel: Option<Spanned<String>>,
    /// CTAs along x, y and z, 1 to 3 sizes; 1 by default.
    #[cfg_attr(test, schemars(with = "Option<Vec<u32>>", length(min = 1, max = 3)))]
    pub grid: Option<Spanned<Vec<u32>>>,
    /// The CTAs of the grid that run, by their numbers along x, then y, then z, such as `0-3,8`; by default all.
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub ctas: Option<Spanned<String>>,
    /// CTAs of a cluster along x, y and z, 1 to 3 sizes, 16 CTAs at most; by default the kernel's `.reqnctapercluster`, otherwise no
    /// clusters.
    #[cfg_attr(test, schemars(with = "Option<Vec<u32>>", length(min = 1, max = 3)))]
    pub cluster: Option<Spanned<Vec<u32>>>,
    /// Whether the launch may start before the previous launch has ended, as soon as all CTAs of that launch have executed
    /// `griddepcontrol.launch_dependents` or ended.
    #[serde(default)]
    #[cfg_attr(test, schemars(with = "bool"))]
    pub programmatic: Option<Spanned<bool>>,
    /// Whether all CTAs must be resident at once, so that they may wait for each other at barriers of the grid
    /// (`cudaLaunchCooperativeKernel`).
    #[serde(default)]
    #[cfg_attr(test, schemars(with = "bool"))]
    pub cooperative: Option<Spanned<bool>>,
    /// Threads of a CTA along x, y and z, 1 to 3 sizes; by default the kernel's `.reqntid` or `.maxntid`.
    #[cfg_attr(test, schemars(with = "Option<Vec<u32>>", length(min = 1, max = 3)))]
    pub block: Option<Spanned<Vec<u32>>>,
    /// Bytes of dynamic shared memory; 0 by default.
    #[serde(default)]
    pub shared: u32,
    /// A list in the order of the kernel's parameters, or a table by parameter name.
    #[serde(default)]
    pub args: ArgsText,
}

/// Expected content of a buffer after the last launch: an array from a file, or one value in all elements.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, schemars(rename = "Expect"))]
pub(super) struct ExpectText {
    /// Name of the buffer or variable.
    #[cfg_attr(test, schemars(with = "String"))]
    pub buffer: Spanned<String>,
    /// A NumPy file of the buffer's type and shape, relative to this file.
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub npy: Option<Spanned<String>>,
    /// The value of every element.
    #[cfg_attr(test, schemars(with = "Option<Number>"))]
    pub value: Option<Spanned<Number>>,
    /// Relative tolerance: |got - want| <= atol + rtol * |want|; 0 by default. With both 0 every bit must match.
    #[cfg_attr(test, schemars(with = "Option<f64>"))]
    pub rtol: Option<Spanned<f64>>,
    /// Absolute tolerance; 0 by default.
    #[cfg_attr(test, schemars(with = "Option<f64>"))]
    pub atol: Option<Spanned<f64>>,
}

/// The values of the elements of a buffer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum FillText {
    Value(Number),
    Iota,
    Random,
    Unknown,
}

/// The arguments of a launch.
#[derive(Debug)]
pub(super) enum ArgsText {
    Listed(Vec<Spanned<ArgText>>),
    /// Arguments by parameter name, in text order.
    Named(Vec<(Spanned<String>, Spanned<ArgText>)>),
}

impl Default for ArgsText {
    fn default() -> Self {
        ArgsText::Listed(vec![])
    }
}

/// One argument, or one field of a structure.
#[derive(Debug)]
pub(super) enum ArgText {
    /// The address of a buffer.
    Address(String),
    Integer(i128),
    Typed(Element, Spanned<Number>),
    Bytes(Spanned<String>),
    Fields(Vec<Spanned<ArgText>>),
    Tensor(Box<TensorText>),
    Texture(Box<TextureText>),
    Unknown,
}

/// What a copy takes in im2col mode (`cuTensorMapEncodeIm2col`). Corners have an entry for every dimension but the innermost (channels) and
/// the outermost (images), innermost first.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, schemars(rename = "Im2col"))]
pub(super) struct Im2colText {
    /// The first position of the filter.
    pub lower: Vec<i64>,
    /// The position after its last one, less the extent.
    pub upper: Vec<i64>,
    /// Elements of a pixel, 1 to 256; they take a multiple of 16 bytes.
    pub channels: u64,
    /// Pixels of a copy, 1 to 1024.
    pub pixels: u64,
}

/// A tensor map: a tensor in a buffer, and the box of it that one copy transfers. Lists have one entry per dimension, innermost first.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, schemars(rename = "Tensor"))]
pub(super) struct TensorText {
    /// The buffer, or with `+16` a place at this byte offset from its start, a multiple of 16.
    #[cfg_attr(test, schemars(with = "String"))]
    pub buffer: Spanned<String>,
    /// Type of the elements; by default the type of the buffer.
    #[serde(rename = "type")]
    pub element: Option<Element>,
    /// Elements of the tensor along each of 1 to 5 dimensions; by default the shape of the buffer, last size first.
    #[cfg_attr(test, schemars(with = "Option<Vec<u64>>", length(min = 1, max = 5)))]
    pub extents: Option<Spanned<Vec<u64>>>,
    /// Bytes from one element to the next along each dimension except the innermost, multiples of 16; by default contiguous.
    #[cfg_attr(test, schemars(with = "Option<Vec<u64>>", length(max = 4)))]
    pub strides: Option<Spanned<Vec<u64>>>,
    /// Elements of the box along each dimension, 1 to 256; the innermost ones take a multiple of 16 bytes.
    #[serde(rename = "box")]
    #[cfg_attr(test, schemars(with = "Option<Vec<u64>>", length(min = 1, max = 5)))]
    pub size: Option<Spanned<Vec<u64>>>,
    /// In place of `box`, a map for im2col mode.
    #[cfg_attr(test, schemars(with = "Option<Im2colText>"))]
    pub im2col: Option<Spanned<Im2colText>>,
    /// With n, only every n-th element of the box is copied, 1 to 8; 1 by default. The value for the innermost dimension is ignored.
    #[cfg_attr(test, schemars(with = "Option<Vec<u64>>", length(min = 1, max = 5)))]
    pub element_strides: Option<Spanned<Vec<u64>>>,
    /// The interleave mode: only `none`.
    #[cfg_attr(test, schemars(with = "Option<String>", extend("enum" = ["none"])))]
    pub interleave: Option<Spanned<String>>,
    /// The swizzle mode, by which chunks of 16 (32, 64) bytes change places in shared memory; `none` by default. With another mode the
    /// innermost dimension of the box takes as many bytes as the mode names.
    #[cfg_attr(test, schemars(with = "Option<String>", extend("enum" = Swizzle::ALL.map(|(name, _)| name))))]
    pub swizzle: Option<Spanned<String>>,
    /// The value of a load outside the tensor: `zeros` by default, or `nan` for a floating-point type.
    #[cfg_attr(test, schemars(with = "Option<String>", extend("enum" = Outside::ALL.map(|(name, _)| name))))]
    pub fill: Option<Spanned<String>>,
}

/// A texture: an array of texels in a buffer, and how it is read. Lists have one entry per dimension, innermost first.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, schemars(rename = "Texture"))]
pub(super) struct TextureText {
    /// The buffer, or with `+16` a place at this byte offset from its start.
    #[cfg_attr(test, schemars(with = "String"))]
    pub buffer: Spanned<String>,
    /// Type of the numbers of a texel; by default the type of the buffer.
    #[serde(rename = "type")]
    pub element: Option<Element>,
    /// Numbers of a texel: 1 by default.
    #[cfg_attr(test, schemars(with = "Option<u8>", extend("enum" = [1, 2, 4])))]
    pub channels: Option<Spanned<u8>>,
    /// Texels along each of 1 to 3 dimensions; by default the shape of the buffer, last size first, without the channels.
    #[cfg_attr(test, schemars(length(min = 1, max = 3)))]
    pub extents: Option<Vec<u64>>,
    /// Bytes from one row, and from one slice, to the next; by default contiguous.
    #[cfg_attr(test, schemars(length(max = 2)))]
    pub strides: Option<Vec<u64>>,
    /// `point`, the default, or `linear`.
    #[cfg_attr(test, schemars(with = "Option<String>", extend("enum" = ["point", "linear"])))]
    pub filter: Option<Spanned<String>>,
    /// Coordinates outside of the texture: `clamp`, the default, `wrap`, `mirror`, `border`, or one for each dimension, such as `wrap/clamp`.
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub address: Option<Spanned<String>>,
    /// Whether coordinates are from 0 to 1; false by default.
    pub normalized: Option<bool>,
    /// `element`, the default, or `normalized_float`: integers of 8 or 16 bits as numbers from 0 or -1 to 1.
    #[cfg_attr(test, schemars(with = "Option<String>", extend("enum" = ["element", "normalized_float"])))]
    pub read: Option<Spanned<String>>,
}
