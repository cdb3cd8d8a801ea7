// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Reads the contents of buffers and variables in a launch file.

use super::super::argument::{check_name, Argument};
use super::super::complaint::complaint;
use super::super::element::Element;
use super::super::fill::Fill;
use super::super::load::{Allocation, Contents};
use super::super::setting::{Data, Setting};
use super::super::text::{BufferText, FillText};
use super::{sizes, Reader};
use std::ops::Range;
use toml::Spanned;

/// Type, shape and contents of a buffer or a variable, as far as the file states them.
struct Parts {
    element: Option<Element>,
    shape: Option<Vec<usize>>,
    data: Data,
}

impl Reader {
    pub(super) fn buffer(&mut self, name: Spanned<String>, text: BufferText) -> Option<Allocation> {
        let span = name.span();
        self.accept(check_name(name.get_ref()), span.clone())?;
        let before = self.errors.len();
        let from_fields = text.fields.is_some();
        if text.element.is_none() && text.npy.is_none() && !from_fields {
            let help = format!("add `type`, one of {}", Element::ALL.map(|(name, _)| name).join(", "));
            self.complain(complaint(format!("`{}` has no type", name.get_ref()), "this buffer").help(help), span.clone());
        }
        if text.npy.is_none() && text.raw.is_none() && text.shape.is_none() && !from_fields {
            let help = "add `shape = [1024]`, or a file: `npy = \"x.npy\"`";
            self.complain(complaint(format!("`{}` has no shape", name.get_ref()), "this buffer").help(help), span.clone());
        }
        let parts = self.parts(name.get_ref(), text);
        if self.errors.len() > before {
            return None;
        }
        let Parts { element, shape, data } = parts?;
        let contents = match (data, element, shape) {
            (Data::Npy(file), element, _) => Contents::Npy { file, element },
            (Data::Raw(file), Some(element), shape) => Contents::Raw { file, element, shape },
            (Data::Value(fields), element, shape) => Contents::Fields { fields, element, shape },
            (Data::Filled(fill), Some(element), Some(shape)) => Contents::Filled { element, shape, fill },
            (Data::Declared, Some(element), Some(shape)) => Contents::Filled { element, shape, fill: Fill::Default },
            _ => return None,
        };
        Some(Allocation { name: name.into_inner(), contents, span })
    }

    pub(super) fn setting(&mut self, name: Spanned<String>, text: BufferText) -> Option<Setting> {
        let span = name.span();
        let Parts { element, shape, data } = self.parts(name.get_ref(), text)?;
        Some(Setting { name: name.into_inner(), element, shape, data, span })
    }

    /// The parts that the file states; `None` after an error.
    fn parts(&mut self, name: &str, text: BufferText) -> Option<Parts> {
        let before = self.errors.len();
        self.check_keys(name, &text);
        let shape = match &text.shape {
            Some(shape) => self.accept(sizes(shape.get_ref()), shape.span()).map(Some),
            None => Some(None),
        };
        let element = text.element.as_ref().map(|element| *element.get_ref());
        let fill = text.fill.as_ref().map(|fill| match *fill.get_ref() {
            FillText::Value(number) => Fill::Value(number),
            FillText::Iota => Fill::Iota,
            FillText::Unknown => Fill::Unknown,
            FillText::Random => Fill::Random {
                seed: text.seed.as_ref().map(|seed| *seed.get_ref()),
                range: text.range.as_ref().map(|range| *range.get_ref()),
            },
        });
        if let (Some(element), Some(fill), Some(written)) = (element, &fill, &text.fill) {
            let place = text.range.as_ref().map_or(written.span(), Spanned::span);
            // One element is enough to check whether the number or the range fits the type.
            self.accept(fill.image(element, 1, 1), place);
        }
        let fields = text.fields.map(|fields| {
            let fields: Vec<Option<Argument>> = fields.into_inner().into_iter().map(|field| self.argument(field)).collect();
            fields.into_iter().collect::<Option<Vec<Argument>>>()
        });
        if self.errors.len() > before {
            return None;
        }
        let data = match (text.npy, text.raw, fields, fill) {
            (Some(file), ..) => Data::Npy(file.into_inner()),
            (_, Some(file), ..) => Data::Raw(file.into_inner()),
            (_, _, Some(fields), _) => Data::Value(Argument::Fields(fields?)),
            (.., Some(fill)) => Data::Filled(fill),
            _ => Data::Declared,
        };
        Some(Parts { element, shape: shape?, data })
    }

    /// Reports keys that exclude each other.
    fn check_keys(&mut self, name: &str, text: &BufferText) {
        let sources: [(&str, Option<Range<usize>>); 3] = [
            ("npy", text.npy.as_ref().map(Spanned::span)),
            ("raw", text.raw.as_ref().map(Spanned::span)),
            ("fields", text.fields.as_ref().map(Spanned::span)),
        ];
        let mut given = sources.iter().filter_map(|(key, span)| Some((*key, span.clone()?)));
        if let (Some((one, _)), Some((other, span))) = (given.next(), given.next()) {
            let message = format!("`{name}` has both `{one}` and `{other}`");
            self.complain(complaint(message, format!("expected either `{one}` or `{other}`")), span);
        }
        let from_file = text.npy.is_some() || text.raw.is_some();
        let other = if from_file { "a file" } else { "`fields`" };
        let superfluous = [
            text.fill.as_ref().filter(|_| from_file || text.fields.is_some()).map(|fill| ("fill", fill.span(), other)),
            text.shape.as_ref().filter(|_| text.npy.is_some()).map(|shape| ("shape", shape.span(), "a file")),
        ];
        for (key, place, other) in superfluous.into_iter().flatten() {
            let message = format!("`{key}` has no effect: the contents are read from {other}");
            self.complain(complaint(message, format!("remove `{key}`; {other} determines it")), place);
        }
        let random = text.fill.as_ref().is_some_and(|fill| *fill.get_ref() == FillText::Random);
        let of_random = [text.seed.as_ref().map(|s| ("seed", s.span())), text.range.as_ref().map(|r| ("range", r.span()))];
        for (key, place) in of_random.into_iter().flatten().filter(|_| !random) {
            self.complain(
                complaint(format!("`{key}` without `fill = \"random\"`"), "has no effect here; remove the key"),
                place,
            );
        }
    }
}
