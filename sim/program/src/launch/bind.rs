// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Which argument is for which parameter of a kernel, and the bytes of them all.

use super::argument::{Argument, ArgumentBytes};
use super::complaint::complaint;
use super::names::near;
use super::placed::Placed;
use crate::ptx::Param;
use bcu_isa::diag::Diagnostic;
use std::ops::Range;

/// A complaint about an unknown name lists so many parameters.
const MOST_NAMED: usize = 10;

/// Which parameter is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// In the order of the kernel's parameters, from 0.
    Position(usize),
    /// Its name in PTX, or what stands in it behind the kernel's name and `_`.
    Name(String),
}

impl Target {
    /// A number is a position: no name in PTX begins with a digit.
    pub fn parse(text: &str) -> Target {
        text.parse().map_or_else(|_| Target::Name(text.to_string()), Target::Position)
    }

    /// Which of the parameters of a kernel it is.
    pub(super) fn position(&self, kernel: &str, params: &[Param]) -> Option<usize> {
        match self {
            Target::Position(position) => Some(*position).filter(|position| *position < params.len()),
            Target::Name(name) => params.iter().position(|param| called(kernel, param, name)),
        }
    }
}

/// An argument of a launch.
#[derive(Clone, Debug, PartialEq)]
pub struct Given {
    pub target: Target,
    pub value: Argument,
    /// Its place in the launch file; empty if it is from elsewhere.
    pub span: Range<usize>,
}

/// What becomes of a parameter for which there is no argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// It is an error, as in a launch file.
    Refused,
    /// Its bytes are unknown, as on the command line.
    Unknown,
}

/// The bytes of each of the kernel's parameters, in their order. `whole` is the place of the launch, for what has none of its own.
///
/// # Errors
/// All complaints about the arguments: one that is no parameter, one that is given twice, missing ones, and those of
/// [`Argument::encode`].
pub fn bind(
    kernel: &str,
    params: &[Param],
    given: &[Given],
    placed: &[Placed],
    missing: Missing,
    whole: Range<usize>,
) -> Result<Vec<ArgumentBytes>, Vec<Diagnostic>> {
    let mut errors = vec![];
    let mut bytes: Vec<Option<ArgumentBytes>> = vec![None; params.len()];
    let beyond = given.iter().filter(|one| matches!(one.target, Target::Position(at) if at >= params.len()));
    if let Some(first) = beyond.clone().next() {
        let most = given.iter().filter(|one| matches!(one.target, Target::Position(_))).count();
        let message = match most == given.len() && missing == Missing::Refused {
            true => format!("{most} arguments, but `{kernel}` has {}", parameters(params.len())),
            false => format!("`{kernel}` has {}, counted from 0", parameters(params.len())),
        };
        let error = at(complaint(message, "one that it does not have"), &first.span);
        errors.push(error.help(list(params)));
    }
    for one in given {
        let found = match (one.target.position(kernel, params), &one.target) {
            (Some(position), _) => position,
            (None, Target::Position(_)) => continue,
            (None, Target::Name(name)) => {
                errors.push(at(no_parameter(kernel, params, name), &one.span));
                continue;
            }
        };
        let param = &params[found];
        if bytes[found].is_some() {
            errors.push(at(complaint(format!("`{}` is given twice", param.name), "the second time"), &one.span));
            continue;
        }
        match one.value.encode(&param.ty, param.bytes, placed) {
            Ok(value) => bytes[found] = Some(value),
            Err(mut error) => {
                error.message = format!("`{}`: {}", param.name, error.message);
                errors.push(at(error, &one.span));
                // It is given, so it is not missing as well.
                bytes[found] = Some(vec![]);
            }
        }
    }
    let absent: Vec<&str> = params.iter().zip(&bytes).filter(|(_, b)| b.is_none()).map(|(p, _)| p.name.as_str()).collect();
    if missing == Missing::Refused && !absent.is_empty() && errors.is_empty() {
        let shown = absent.iter().take(MOST_NAMED).copied().collect::<Vec<_>>().join("`, `");
        let message = format!("{}, but `{kernel}` has {}", arguments(given.len()), parameters(params.len()));
        let error = at(complaint(message, format!("`{shown}` is missing")), &whole);
        errors.push(error.help("give every parameter, with `{ unknown = true }` for one whose value does not matter"));
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    let sized = params.iter().zip(bytes).map(|(param, bytes)| match bytes {
        Some(bytes) => Ok(bytes),
        None => Argument::Unknown.encode(&param.ty, param.bytes, placed).map_err(|error| vec![at(error, &whole)]),
    });
    sized.collect()
}

fn at(mut error: Diagnostic, span: &Range<usize>) -> Diagnostic {
    error.span = span.clone();
    error
}

/// Whether a parameter is called by this name: the PTX name, or the part of it behind the kernel's name.
fn called(kernel: &str, param: &Param, name: &str) -> bool {
    param.name == name || short(kernel, param) == name
}

/// `param_2` of `_Z6reducePKfi_param_2`.
fn short<'a>(kernel: &str, param: &'a Param) -> &'a str {
    param
        .name
        .strip_prefix(kernel)
        .and_then(|rest| rest.strip_prefix('_'))
        .filter(|rest| !rest.is_empty())
        .unwrap_or(&param.name)
}

fn no_parameter(kernel: &str, params: &[Param], name: &str) -> Diagnostic {
    let error = complaint(format!("`{kernel}` has no parameter `{name}`"), "expected a parameter of the kernel");
    let known = params.iter().flat_map(|param| [param.name.as_str(), short(kernel, param)]);
    match near(name, known) {
        Some(near) => error.help(format!("did you mean `{near}`? {}", list(params))),
        None => error.help(list(params)),
    }
}

fn list(params: &[Param]) -> String {
    let shown = params.iter().take(MOST_NAMED).enumerate().map(|(at, param)| format!("{at} `{}` {}", param.name, param.ty));
    match params.is_empty() {
        true => "it has no parameters".to_string(),
        false => format!("its parameters are {}", shown.collect::<Vec<_>>().join(", ")),
    }
}

fn parameters(count: usize) -> String {
    format!("{count} parameter{}", if count == 1 { "" } else { "s" })
}

fn arguments(count: usize) -> String {
    format!("{count} argument{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests;
