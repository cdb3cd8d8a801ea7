// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Textures as arguments: an array of texels in a buffer, and how it is read, with the parameters of `cudaCreateTextureObject`.

use super::buffer::Buffer;
use super::complaint::complaint;
use super::element::Element;
use super::placed::{address_of, Placed};
use super::text::TextureText;
use crate::texture::{is_texel, AddressMode, Texture, MAX_EXTENT, MAX_RANK, STRIDES};
use bcu_isa::diag::Diagnostic;
use std::ops::Range;

const MODES: &str = "clamp, wrap, mirror or border";

/// A texture to create. Lists are in the order of the dimensions, innermost first.
#[derive(Clone, Debug, PartialEq)]
pub struct TextureArgument {
    /// The name of the buffer.
    pub buffer: String,
    /// The byte offset of the first texel from the start of the buffer.
    pub offset: u64,
    /// Type of a channel; `None`: the element type of the buffer.
    pub element: Option<Element>,
    pub channels: usize,
    /// Texels along each dimension; `None`: the shape of the buffer.
    pub extents: Option<Vec<u64>>,
    /// Bytes from one row, and from one slice, to the next; `None`: without gaps.
    pub strides: Option<Vec<u64>>,
    pub linear: bool,
    pub normalized: bool,
    pub to_float: bool,
    pub modes: [AddressMode; MAX_RANK],
}

impl TextureArgument {
    /// A texture that covers the buffer from `offset` on: single texels, outside of the texture the nearest one.
    pub fn whole(buffer: String, offset: u64) -> TextureArgument {
        TextureArgument {
            buffer,
            offset,
            element: None,
            channels: 1,
            extents: None,
            strides: None,
            linear: false,
            normalized: false,
            to_float: false,
            modes: [AddressMode::Clamp; MAX_RANK],
        }
    }

    /// The texture with the properties of a launch file.
    ///
    /// # Errors
    /// A wrong value, with its place.
    pub(super) fn with_text(self, text: TextureText) -> Result<TextureArgument, (Diagnostic, Range<usize>)> {
        let mut texture = TextureArgument {
            element: text.element,
            extents: text.extents,
            strides: text.strides,
            normalized: text.normalized.unwrap_or(false),
            ..self
        };
        let words = [text.filter, text.address, text.read].into_iter().flatten();
        for word in words {
            texture.set(word.get_ref()).map_err(|error| (error, word.span()))?;
        }
        if let Some(channels) = text.channels {
            texture.set(&format!("x{}", channels.get_ref())).map_err(|error| (error, channels.span()))?;
        }
        Ok(texture)
    }

    /// Sets what a word stands for.
    fn set(&mut self, word: &str) -> Result<(), Diagnostic> {
        match word {
            "point" => self.linear = false,
            "linear" => self.linear = true,
            "normalized" => self.normalized = true,
            "element" => self.to_float = false,
            "normalized_float" => self.to_float = true,
            "x1" | "x2" | "x4" => self.channels = usize::from(word.as_bytes()[1] - b'0'),
            _ => {
                let modes: Option<Vec<AddressMode>> = word.split('/').map(AddressMode::named).collect();
                match modes.as_deref() {
                    Some([all]) => self.modes = [*all; MAX_RANK],
                    Some([x, y]) => (self.modes[0], self.modes[1]) = (*x, *y),
                    Some([x, y, z]) => self.modes = [*x, *y, *z],
                    _ => {
                        let message = format!("`{word}` is not a property of a texture");
                        let label = format!(
                            "expected point or linear; {MODES}, or one for each dimension such as wrap/clamp; normalized; element or \
                             normalized_float; x1, x2 or x4 channels"
                        );
                        return Err(complaint(message, label));
                    }
                }
            }
        }
        Ok(())
    }

    /// The properties at the start of a text such as `[linear,wrap,normalized]:f32:[32,64]` or `[]:@x`, and the text after them.
    ///
    /// # Errors
    /// Any other form.
    pub(super) fn of_option(text: &str) -> Result<(TextureArgument, &str), Diagnostic> {
        let wrong = || {
            let label = "expected properties and a buffer: `texture:[linear,wrap,normalized]:f32:[32,64]` or `texture:[]:@x`";
            complaint(format!("`{text}` is not a texture"), label)
        };
        let (words, rest) = text.strip_prefix('[').and_then(|text| text.split_once("]:")).ok_or_else(wrong)?;
        let mut texture = TextureArgument::whole(String::new(), 0);
        for word in words.split(',').map(str::trim).filter(|word| !word.is_empty()) {
            texture.set(word)?;
        }
        if ["tensor:", "texture:"].iter().any(|head| rest.starts_with(head)) {
            return Err(wrong());
        }
        Ok((texture, rest))
    }

    /// Creates the texture, after buffers have addresses.
    ///
    /// # Errors
    /// An unknown buffer, a type that textures do not have, sizes that do not fit the buffer, a filter without numbers to interpolate.
    pub(super) fn texture(&self, buffers: &[Buffer], placed: &[Placed]) -> Result<Texture, Diagnostic> {
        let address = address_of(&self.buffer, self.offset, placed)?;
        let buffer = buffers.iter().find(|buffer| buffer.name == self.buffer);
        let element = self.element.or(buffer.map(|buffer| buffer.element)).unwrap_or(Element::U8);
        let name = element.name();
        if !is_texel(element) {
            return Err(complaint(
                format!("a texture with elements of the type {name}"),
                "expected integers of at most 32 bits, f16 or f32",
            ));
        }
        if !(element.is_float() || self.to_float && element.size() <= 2) && (self.linear || self.to_float) {
            let message = format!("a texture of {name} that returns floating-point numbers");
            let error =
                complaint(message, "expected floating-point elements, or integers of 8 or 16 bits with `normalized_float`");
            return Err(error.help("the linear filter needs results that are floating-point numbers"));
        }
        let shape: Vec<u64> = buffer.map_or(vec![], |buffer| buffer.shape.iter().map(|size| *size as u64).collect());
        let extents = match (&self.extents, self.channels) {
            (Some(extents), _) => extents.clone(),
            (None, 1) => shape.iter().rev().copied().collect(),
            (None, channels) if shape.last() == Some(&(channels as u64)) => shape.iter().rev().skip(1).copied().collect(),
            (None, channels) => {
                let message = format!("the last dimension of `{}` is not the {channels} channels of a texel", self.buffer);
                return Err(complaint(message, "expected a shape such as [32, 64, 4], or `extents`"));
            }
        };
        let is_extent = |extent: &u64| (1..=MAX_EXTENT).contains(extent);
        if !(1..=MAX_RANK).contains(&extents.len()) || !extents.iter().all(is_extent) {
            let label =
                format!("expected 1 to {MAX_EXTENT} texels along each of 1 to {MAX_RANK} dimensions, the innermost first");
            return Err(complaint(format!("a texture of {extents:?} texels"), label));
        }
        let texel = (element.size() * self.channels) as u64;
        let dense = extents.iter().scan(texel, |bytes, extent| {
            *bytes = bytes.saturating_mul(*extent);
            Some(*bytes)
        });
        let strides = self.strides.clone().unwrap_or_else(|| dense.take(extents.len() - 1).collect());
        let is_stride = |stride: &u64| *stride < STRIDES && stride.is_multiple_of(texel);
        if strides.len() + 1 != extents.len() || !strides.iter().all(is_stride) || !address.is_multiple_of(texel) {
            let label = format!(
                "expected a multiple of {texel} bytes, a texel, for each dimension but the innermost, and as the offset"
            );
            return Err(complaint(format!("strides of {strides:?} bytes and an offset of {} bytes", self.offset), label));
        }
        let steps = [texel].into_iter().chain(strides.iter().copied());
        let last =
            extents.iter().zip(steps).fold(0u64, |last, (extent, step)| last.saturating_add((extent - 1).saturating_mul(step)));
        let (needed, held) =
            (last.saturating_add(texel), placed.iter().find(|one| one.name == self.buffer).map_or(0, |one| one.bytes));
        if needed > held.saturating_sub(self.offset) {
            let message =
                format!("a texture of {needed} bytes at byte {} of `{}`, which has {held} bytes", self.offset, self.buffer);
            return Err(complaint(message, "expected a texture inside its buffer"));
        }
        Ok(Texture {
            element,
            channels: self.channels,
            address,
            extents,
            strides,
            linear: self.linear,
            normalized: self.normalized,
            to_float: self.to_float,
            modes: self.modes,
        })
    }
}
