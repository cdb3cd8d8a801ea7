// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Binds arguments to the parameters of a kernel, and returns the bytes of all parameters.

use super::argument::{Argument, ArgumentBytes};
use super::complaint::complaint;
use super::names::{kernel_title, near};
use super::placed::Placed;
use crate::ptx::Param;
use bcu_isa::diag::Diagnostic;
use std::ops::Range;

/// Maximum number of parameters listed in the diagnostic for an unknown name.
const MOST_NAMED: usize = 10;

/// Identifies a parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// Position among the kernel's parameters, from 0.
    Position(usize),
    /// The parameter's name in PTX, or the part of that name after the kernel's name and `_`.
    Name(String),
}

impl Target {
    /// Parses a position or a name. A number is a position, because no PTX name starts with a digit.
    pub fn parse(text: &str) -> Target {
        text.parse().map_or_else(|_| Target::Name(text.to_string()), Target::Position)
    }

    /// The position of the parameter among those of a kernel.
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
    /// Span of the argument in the launch file; empty if the argument is not from a launch file.
    pub span: Range<usize>,
    /// Span of its key if the launch file gives it by name, otherwise as `span`.
    pub key: Range<usize>,
}

/// Treatment of a parameter for which a launch gives no argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// The missing argument is an error. Launch files are read this way.
    Refused,
    /// All bytes of the parameter are unknown during the run. Options of the command line are read this way.
    Unknown,
}

/// The bytes of each of the kernel's parameters, in order. `variables` are the names of variables, which an option of the command line may
/// give as well. `whole` is the span of the launch, for errors without a more precise span.
///
/// # Errors
/// All errors in the arguments: unknown parameters, parameters given twice or missing, and the errors of [`Argument::encode`].
pub fn bind(
    kernel: &str,
    params: &[Param],
    given: &[Given],
    (placed, variables): (&[Placed], &[String]),
    missing: Missing,
    whole: Range<usize>,
) -> Result<Vec<ArgumentBytes>, Vec<Diagnostic>> {
    let shown = kernel_title(kernel);
    let mut errors = vec![];
    let mut bytes: Vec<Option<ArgumentBytes>> = vec![None; params.len()];
    let beyond =
        given.iter().filter(|given_argument| matches!(given_argument.target, Target::Position(at) if at >= params.len()));
    if let Some(first) = beyond.clone().next() {
        let most = given.iter().filter(|given_argument| matches!(given_argument.target, Target::Position(_))).count();
        let message = match most == given.len() && missing == Missing::Refused {
            true => format!("{most} arguments, but `{shown}` has {}", parameters(params.len())),
            false => format!("`{shown}` has {}, counted from 0", parameters(params.len())),
        };
        let error = with_span(complaint(message, "this argument has no parameter"), &first.span);
        errors.push(error.help(list(kernel, params, missing)));
    }
    for given_argument in given {
        let found = match (given_argument.target.position(kernel, params), &given_argument.target) {
            (Some(position), _) => position,
            (None, Target::Position(_)) => continue,
            (None, Target::Name(name)) => {
                errors.push(with_span(no_parameter((kernel, params), variables, name, missing), &given_argument.key));
                continue;
            }
        };
        let param = &params[found];
        if bytes[found].is_some() {
            errors.push(with_span(
                complaint(format!("`{}` is given twice", title(kernel, param)), "given here again"),
                &given_argument.span,
            ));
            continue;
        }
        match given_argument.value.encode(&param.ty, param.bytes, placed) {
            Ok(value) => bytes[found] = Some(value),
            Err(mut error) => {
                error.message = format!("`{}`: {}", title(kernel, param), error.message);
                errors.push(with_span(error, &given_argument.span));
                // The parameter is given, so it must not be reported as missing too.
                bytes[found] = Some(vec![]);
            }
        }
    }
    let absent: Vec<&str> = params.iter().zip(&bytes).filter(|(_, b)| b.is_none()).map(|(p, _)| p.title()).collect();
    if missing == Missing::Refused && !absent.is_empty() && errors.is_empty() {
        let names = absent.iter().take(MOST_NAMED).copied().collect::<Vec<_>>().join("`, `");
        let message = format!("{}, but `{shown}` has {}", arguments(given.len()), parameters(params.len()));
        let error = with_span(complaint(message, format!("`{names}` is missing")), &whole);
        errors.push(error.help("give every parameter, with `{ unknown = true }` for one whose value does not matter"));
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    let sized = params.iter().zip(bytes).map(|(param, bytes)| match bytes {
        Some(bytes) => Ok(bytes),
        None => Argument::Unknown.encode(&param.ty, param.bytes, placed).map_err(|error| vec![with_span(error, &whole)]),
    });
    sized.collect()
}

fn with_span(mut error: Diagnostic, span: &Range<usize>) -> Diagnostic {
    error.span = span.clone();
    error
}

/// Whether `name` is the parameter's name in PTX, the part of it after the kernel's name, or the name in the CUDA source.
fn called(kernel: &str, param: &Param, name: &str) -> bool {
    param.name == name || short(kernel, param) == name || param.source_name.as_deref() == Some(name)
}

/// The part of the parameter's name after the kernel's name and `_`: `param_2` of `_Z6reducePKfi_param_2`.
fn short<'a>(kernel: &str, param: &'a Param) -> &'a str {
    param
        .name
        .strip_prefix(kernel)
        .and_then(|rest| rest.strip_prefix('_'))
        .filter(|rest| !rest.is_empty())
        .unwrap_or(&param.name)
}

/// The shortest name that selects the parameter: that of the CUDA source, or the part of the PTX name after the kernel's name.
fn title<'a>(kernel: &str, param: &'a Param) -> &'a str {
    param.source_name.as_deref().unwrap_or_else(|| short(kernel, param))
}

fn no_parameter((kernel, params): (&str, &[Param]), variables: &[String], name: &str, missing: Missing) -> Diagnostic {
    let shown = kernel_title(kernel);
    // A launch file has a section of its own for variables.
    let variables = if missing == Missing::Unknown { variables } else { &[] };
    let (message, label) = match variables {
        [] => (format!("`{shown}` has no parameter `{name}`"), "expected a parameter of the kernel"),
        _ => (
            format!("`{shown}` has no parameter `{name}`, and the program no such variable"),
            "expected a parameter of the kernel, or a variable of the program",
        ),
    };
    let error = complaint(message, label);
    let known = params.iter().flat_map(|param| {
        [Some(param.name.as_str()), Some(short(kernel, param)), param.source_name.as_deref()].into_iter().flatten()
    });
    let known = known.chain(variables.iter().map(String::as_str));
    let list = list(kernel, params, missing) + &list_variables(variables);
    match (near(name, known), missing) {
        (Some(near), Missing::Unknown) => error.help(format!("did you mean `--arg {near}=…`? {list}")),
        (Some(near), Missing::Refused) => error.help(format!("did you mean `{near}`? {list}")),
        (None, _) => error.help(list),
    }
}

/// The parameters with position and type; for the command line each as the option that gives it a value.
fn list(kernel: &str, params: &[Param], missing: Missing) -> String {
    if params.is_empty() {
        return "it has no parameters".to_string();
    }
    let numbered = params.iter().take(MOST_NAMED).enumerate();
    let others = match params.len().saturating_sub(MOST_NAMED) {
        0 => String::new(),
        others => format!(" and {others} more"),
    };
    match missing {
        Missing::Unknown => {
            let line = |(at, param): (usize, &Param)| {
                format!("\n  `--arg {}=…` or `--arg {at}=…`, {}", title(kernel, param), param.ty)
            };
            let others = if others.is_empty() { others } else { format!("\n {others}") };
            format!("its parameters are:{}{others}", numbered.map(line).collect::<String>())
        }
        Missing::Refused => {
            let one = |(at, param): (usize, &Param)| format!("{at} `{}` {}", param.title(), param.ty);
            format!("its parameters are {}{others}", numbered.map(one).collect::<Vec<_>>().join(", "))
        }
    }
}

/// The variables as options that give them contents.
fn list_variables(variables: &[String]) -> String {
    let named: String = variables.iter().take(MOST_NAMED).map(|name| format!("\n  `--arg {name}=…`")).collect();
    let others = match variables.len().saturating_sub(MOST_NAMED) {
        0 => String::new(),
        others => format!("\n  and {others} more"),
    };
    if named.is_empty() {
        named
    } else {
        format!("\nthe variables of the program are:{named}{others}")
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
