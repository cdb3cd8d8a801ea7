// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Reads a launch file, and checks everything that can be checked without the program and without the files that the launch file names.

mod contents;

use super::argument::Argument;
use super::bind::{Given, Target};
use super::complaint::complaint;
use super::element::Element;
use super::load::{Allocation, Expectation, Wanted};
use super::placed::no_buffer;
use super::tensor::Tensor;
use super::text::{ArgText, ArgsText, ExpectText, FileText, Im2colText, LaunchText, TensorText};
use super::texture::TextureArgument;
use super::{Setting, Tolerance};
use crate::ptx::check_grid;
use crate::{Clusters, Part};
use bcu_isa::diag::Diagnostic;
use std::ops::Range;
use toml::Spanned;

/// A launch file. File names are as written, relative to the folder of the launch file.
#[derive(Clone, Debug, PartialEq)]
pub struct LaunchFile {
    /// The file with the kernels, if one is named.
    pub program: Option<Spanned<String>>,
    /// Buffers in text order.
    pub buffers: Vec<Allocation>,
    /// Variables of the program, in text order.
    pub settings: Vec<Setting>,
    /// The launches, at least one.
    pub launches: Vec<KernelLaunch>,
    pub expects: Vec<Expectation>,
}

/// One launch of a kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct KernelLaunch {
    /// The name as written, not yet resolved; `None`: the only kernel of the program.
    pub kernel: Option<Spanned<String>>,
    /// CTAs along x, y and z.
    pub grid: [u32; 3],
    /// The CTAs of the grid that run; `None`: all.
    pub ctas: Option<Part>,
    /// CTAs of a cluster along x, y and z; `None`: the kernel states the size.
    pub cluster: Option<[u32; 3]>,
    /// Whether the launch may start before the previous launch has ended.
    pub programmatic: bool,
    /// Whether all CTAs must be resident at once; they then have a workspace for barriers of the grid.
    pub cooperative: bool,
    /// Threads of a CTA along x, y and z; `None`: the kernel states the number.
    pub block: Option<[u32; 3]>,
    /// Bytes of dynamic shared memory.
    pub shared: u32,
    pub args: Vec<Given>,
    /// Span of the start of the launch in the text.
    pub span: Range<usize>,
}

impl LaunchFile {
    /// Reads the text of a launch file.
    ///
    /// # Errors
    /// All errors in the text, with spans.
    pub fn parse(text: &str) -> Result<LaunchFile, Vec<Diagnostic>> {
        let file: FileText = toml::from_str(text).map_err(|error| vec![Diagnostic::of_toml(&error, text)])?;
        let mut reader = Reader { errors: vec![], names: vec![] };
        let mut buffers: Vec<_> = file.buffers.into_iter().collect();
        buffers.sort_by_key(|(name, _)| name.span().start);
        let mut variables: Vec<_> = file.variables.into_iter().collect();
        variables.sort_by_key(|(name, _)| name.span().start);
        reader.names = buffers.iter().chain(&variables).map(|(name, _)| name.get_ref().clone()).collect();
        let buffers = buffers.into_iter().filter_map(|(name, buffer)| reader.buffer(name, buffer.into_inner())).collect();
        let settings = variables.into_iter().filter_map(|(name, text)| reader.setting(name, text.into_inner())).collect();
        if file.launch.is_empty() {
            let error = Diagnostic::new(0..0, "no kernel is launched", "expected `[[launch]]`");
            reader.errors.push(error.help("add `[[launch]]` with `kernel`, `grid`, `block` and `args`"));
        }
        if let Some(first) = file.launch.first().and_then(|launch| launch.get_ref().programmatic.as_ref()) {
            if *first.get_ref() {
                reader.complain(
                    complaint("the first launch cannot depend on another launch", "expected a launch before this one"),
                    first.span(),
                );
            }
        }
        let launches = file.launch.into_iter().map(|launch| reader.launch(launch)).collect();
        let expects = file.expect.into_iter().filter_map(|expect| reader.expect(expect)).collect();
        match reader.errors.is_empty() {
            true => Ok(LaunchFile { program: file.program, buffers, settings, launches, expects }),
            false => {
                // Errors are reported in text order, not in the order of the checks.
                reader.errors.sort_by_key(|error| error.span.start);
                Err(reader.errors)
            }
        }
    }
}

struct Reader {
    errors: Vec<Diagnostic>,
    /// Names of all buffers and variables.
    names: Vec<String>,
}

impl Reader {
    fn complain(&mut self, mut error: Diagnostic, span: Range<usize>) {
        error.span = span;
        self.errors.push(error);
    }

    fn accept<T>(&mut self, result: Result<T, Diagnostic>, span: Range<usize>) -> Option<T> {
        result.map_err(|error| self.complain(error, span)).ok()
    }

    fn launch(&mut self, launch: Spanned<LaunchText>) -> KernelLaunch {
        let span = launch.span();
        let LaunchText { kernel, grid, ctas, cluster, programmatic, cooperative, block, shared, args } = launch.into_inner();
        let mut shape = |sizes: Option<Spanned<Vec<u32>>>| {
            let sizes = sizes?;
            self.accept(three(sizes.get_ref()), sizes.span())
        };
        let (at, grid_at) = (self::span(&cluster), self::span(&grid));
        let (grid, cluster, block) = (shape(grid).unwrap_or([1; 3]), shape(cluster), shape(block));
        let ctas_at = self::span(&ctas);
        let ctas = ctas.and_then(|ctas| self.accept(Part::parse(ctas.get_ref()), ctas.span()));
        if let Some(at) = ctas_at.or(grid_at) {
            self.accept(check_grid(grid, ctas.as_ref()), at);
        }
        if let (Some(cluster), Some(at)) = (cluster, at) {
            self.accept(Clusters::new(grid, cluster), at);
        }
        let is_set = |given: &Option<Spanned<bool>>| given.as_ref().is_some_and(|given| *given.get_ref());
        if let (true, Some(at)) = (is_set(&programmatic), cooperative.as_ref().filter(|given| *given.get_ref())) {
            let error = complaint("a launch with `programmatic` and `cooperative`", "expected one of the two");
            self.complain(error.help("a cooperative launch begins when all previous launches have ended"), at.span());
        }
        let (programmatic, cooperative) = (is_set(&programmatic), is_set(&cooperative));
        let mut given = vec![];
        let targets: Vec<(Target, Range<usize>, Spanned<ArgText>)> = match args {
            ArgsText::Listed(list) => {
                list.into_iter().enumerate().map(|(at, arg)| (Target::Position(at), arg.span(), arg)).collect()
            }
            ArgsText::Named(table) => {
                table.into_iter().map(|(name, arg)| (Target::parse(name.get_ref()), name.span(), arg)).collect()
            }
        };
        for (target, key, arg) in targets {
            let span = arg.span();
            if let Some(value) = self.argument(arg) {
                given.push(Given { target, value, span, key });
            }
        }
        KernelLaunch { kernel, grid, ctas, cluster, programmatic, cooperative, block, shared, args: given, span }
    }

    fn argument(&mut self, arg: Spanned<ArgText>) -> Option<Argument> {
        let span = arg.span();
        match arg.into_inner() {
            ArgText::Integer(value) => Some(Argument::Integer(value)),
            ArgText::Unknown => Some(Argument::Unknown),
            ArgText::Typed(element, number) => {
                let bytes = self.accept(element.encode(*number.get_ref()), number.span())?;
                Some(Argument::Typed(element, bytes))
            }
            ArgText::Bytes(text) => self.accept(Argument::bytes(text.get_ref()), text.span()),
            ArgText::Fields(fields) => {
                let fields: Vec<Option<Argument>> = fields.into_iter().map(|field| self.argument(field)).collect();
                Some(Argument::Fields(fields.into_iter().collect::<Option<_>>()?))
            }
            ArgText::Tensor(text) => self.tensor(*text),
            ArgText::Texture(text) => {
                let span = text.buffer.span();
                let address = self.accept(Argument::address(text.buffer.get_ref()), span.clone())?;
                let Argument::Address { buffer, offset } = address else { return None };
                self.known(&buffer, span)?;
                let whole = TextureArgument::whole(buffer, offset);
                let texture = whole.with_text(*text).map_err(|(error, span)| self.complain(error, span)).ok()?;
                Some(Argument::Texture(Box::new(texture)))
            }
            ArgText::Address(text) => {
                let address = self.accept(Argument::address(&text), span.clone())?;
                if let Argument::Address { buffer, .. } = &address {
                    self.known(buffer, span)?;
                }
                Some(address)
            }
        }
    }

    fn tensor(&mut self, text: TensorText) -> Option<Argument> {
        let TensorText { buffer, element, extents, strides, size, im2col, element_strides, interleave, swizzle, fill } = text;
        let before = self.errors.len();
        let address = self.accept(Argument::address(buffer.get_ref()), buffer.span())?;
        let Argument::Address { buffer: name, offset } = address else { return None };
        self.known(&name, buffer.span())?;
        let box_span = span(&size).or(span(&im2col));
        if size.is_some() == im2col.is_some() {
            let error = complaint("a tensor map needs the key `box`, or `im2col` in its place", "expected one of both");
            self.complain(error, box_span.unwrap_or(buffer.span()));
            return None;
        }
        let spans = [Some(buffer.span()), span(&extents), span(&strides), box_span, span(&element_strides)];
        let mut tensor = Tensor {
            element,
            extents: extents.map(Spanned::into_inner),
            strides: strides.map(Spanned::into_inner),
            element_strides: element_strides.map(Spanned::into_inner),
            ..Tensor::whole(name, offset, size.map_or(vec![], Spanned::into_inner))
        };
        if let Some(im2col) = im2col {
            let span = im2col.span();
            let Im2colText { lower, upper, channels, pixels } = im2col.into_inner();
            self.accept(tensor.set_pixels(channels, pixels, &lower, &upper), span)?;
        }
        for (key, mode) in [("interleave", interleave), ("swizzle", swizzle), ("fill", fill)] {
            if let Some(mode) = mode {
                self.accept(tensor.set_mode(key, mode.get_ref()), mode.span());
            }
        }
        if let Err((key, error)) = tensor.check() {
            self.complain(error, spans.get(key as usize).cloned().flatten().unwrap_or_default());
        }
        (self.errors.len() == before).then(|| Argument::Tensor(Box::new(tensor)))
    }

    fn known(&mut self, buffer: &str, span: Range<usize>) -> Option<()> {
        let known = self.names.iter().any(|name| name == buffer);
        let error = no_buffer(buffer, self.names.iter().map(String::as_str));
        self.accept(if known { Ok(()) } else { Err(error) }, span)
    }

    fn expect(&mut self, expect: Spanned<ExpectText>) -> Option<Expectation> {
        let whole = expect.span();
        let ExpectText { buffer, npy, value, rtol, atol } = expect.into_inner();
        let span = buffer.span();
        // A variable needs a section, from which its type and its address follow.
        let variable = format!("for a variable of the program add the line `[variables.{}]`", buffer.get_ref());
        let is_known = self.names.iter().any(|name| name == buffer.get_ref());
        let error = no_buffer(buffer.get_ref(), self.names.iter().map(String::as_str));
        let help = error.help.clone().map_or(String::new(), |help| help + "; ") + &variable;
        let known = self.accept(if is_known { Ok(()) } else { Err(error.help(help)) }, span.clone());
        let mut tolerance = |given: Option<Spanned<f64>>| match given {
            Some(given) if !(given.get_ref().is_finite() && *given.get_ref() >= 0.0) => {
                self.complain(complaint(format!("a tolerance of {:?}", given.get_ref()), "expected 0 or more"), given.span());
                0.0
            }
            given => given.map_or(0.0, Spanned::into_inner),
        };
        let tolerance = Tolerance { relative: tolerance(rtol), absolute: tolerance(atol) };
        let wanted = match (npy, value) {
            (Some(file), None) => Wanted::Npy(file.into_inner()),
            (None, Some(value)) => Wanted::Value(value.into_inner()),
            (Some(_), Some(value)) => {
                self.complain(
                    complaint(
                        format!("the expectation for `{}` has both `npy` and `value`", buffer.get_ref()),
                        "expected either `npy` or `value`",
                    ),
                    value.span(),
                );
                return None;
            }
            (None, None) => {
                let error =
                    complaint(format!("the expectation for `{}` is empty", buffer.get_ref()), "expected `npy` or `value`");
                self.complain(error, whole);
                return None;
            }
        };
        known?;
        Some(Expectation { buffer: buffer.into_inner(), wanted, tolerance, span })
    }
}

fn span<T>(value: &Option<Spanned<T>>) -> Option<Range<usize>> {
    value.as_ref().map(Spanned::span)
}

/// The sizes as `usize`; an error if no buffer may have this shape.
fn sizes(shape: &[u64]) -> Result<Vec<usize>, Diagnostic> {
    let size = |size: &u64| {
        usize::try_from(*size).map_err(|_| complaint(format!("a size of {size} elements"), "expected a smaller size"))
    };
    let sizes = shape.iter().map(size).collect::<Result<Vec<usize>, _>>()?;
    super::bytes_of(Element::U8, &sizes).map(|_| sizes)
}

/// One to three sizes; missing sizes are 1.
fn three(sizes: &[u32]) -> Result<[u32; 3], Diagnostic> {
    if sizes.is_empty() || sizes.len() > 3 || sizes.contains(&0) {
        return Err(complaint(format!("a shape of {sizes:?}"), "expected one to three sizes above 0"));
    }
    let of = |axis: usize| sizes.get(axis).copied().unwrap_or(1);
    Ok([of(0), of(1), of(2)])
}

#[cfg(test)]
mod tests;
