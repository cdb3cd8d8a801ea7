// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The kernels of a CUDA source with the names of their parameters, because nvcc replaces these names in PTX by `kernel_param_0` and so on.

use super::names::demangled;
use crate::ptx::Param;

/// A kernel of a CUDA source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CudaKernel {
    /// The name without namespace and template arguments.
    pub name: String,
    /// The names of the parameters in order; `None` for a parameter without a name.
    pub params: Vec<Option<String>>,
}

/// Words that may precede the name of a parameter but do not make a type on their own.
const QUALIFIERS: [&str; 12] = [
    "const",
    "volatile",
    "struct",
    "class",
    "enum",
    "union",
    "typename",
    "register",
    "__restrict__",
    "__restrict",
    "restrict",
    "__grid_constant__",
];

/// Words that end a type and so are not the name of a parameter.
const TYPES: [&str; 14] = [
    "void", "bool", "char", "short", "int", "long", "float", "double", "signed", "unsigned", "auto", "const", "volatile",
    "size_t",
];

/// The kernels of a CUDA source: the functions with `__global__`, in text order. Text that macros produce is not read.
pub fn cuda_kernels(text: &str) -> Vec<CudaKernel> {
    let words = words(text);
    let marks = words.iter().enumerate().filter(|(_, word)| **word == "__global__");
    marks.filter_map(|(at, _)| kernel(&words[at + 1..])).collect()
}

/// Gives the parameters of a PTX kernel the names of the CUDA source. Where kernels with the same name and number of parameters have
/// different names for a parameter, the parameter gets none.
pub fn name_parameters(kernels: &[CudaKernel], kernel: &str, params: &mut [Param]) {
    let name = identifier(kernel);
    // A list of parameters that is a macro has one parameter without a name; the other declarations may be of an earlier revision.
    let is_macro = |one: &CudaKernel| one.params.len() != params.len() && one.params.contains(&None);
    if kernels.iter().any(|one| one.name == name && is_macro(one)) {
        return;
    }
    let of_kernel: Vec<&CudaKernel> =
        kernels.iter().filter(|one| one.name == name && one.params.len() == params.len()).collect();
    for (at, param) in params.iter_mut().enumerate() {
        let mut names: Vec<&String> = of_kernel.iter().filter_map(|one| one.params[at].as_ref()).collect();
        names.dedup();
        if let [only] = names[..] {
            param.source_name = Some(only.clone());
        }
    }
}

/// The name of a kernel without namespace, template arguments and parameters: `scan` for `_ZN2ns4scanIfLi4EEEvPT_`.
fn identifier(kernel: &str) -> String {
    let Some(whole) = demangled(kernel) else { return kernel.to_string() };
    let mut depth = 0u32;
    let (mut word, mut last) = (String::new(), String::new());
    for c in whole.chars() {
        match c {
            '(' if depth == 0 && !(word.is_empty() && last.is_empty()) => break,
            '<' | '(' => depth += 1,
            '>' | ')' => depth = depth.saturating_sub(1),
            _ if depth > 0 => {}
            c if is_name(c) => word.push(c),
            _ => last = std::mem::take(&mut word),
        }
    }
    if word.is_empty() {
        last
    } else {
        word
    }
}

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '$' || !c.is_ascii()
}

/// The names, numbers and single marks of a C++ text, without comments and literals of characters.
fn words(text: &str) -> Vec<&str> {
    let mut words = vec![];
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let until =
            |end: &str, from: usize| rest.get(from..).and_then(|t| t.find(end)).map_or(rest.len(), |at| from + at + end.len());
        let length = match c {
            '/' if rest.starts_with("//") => until("\n", 2),
            '/' if rest.starts_with("/*") => until("*/", 2),
            '"' | '\'' => literal(rest, c),
            c if is_name(c) => rest.find(|c| !is_name(c)).unwrap_or(rest.len()),
            _ => c.len_utf8(),
        };
        let (word, tail) = rest.split_at(length);
        if is_name(c) || !(c.is_whitespace() || matches!(c, '"' | '\'') || word.starts_with("//") || word.starts_with("/*")) {
            words.push(word);
        }
        rest = tail;
    }
    words
}

/// The length of a literal that begins with `quote`.
fn literal(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            '\n' => return at,
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// The kernel whose declaration begins after `__global__`.
fn kernel(words: &[&str]) -> Option<CudaKernel> {
    let mut name = None;
    let mut at = 0;
    while let Some(word) = words.get(at) {
        match *word {
            "(" => {
                let end = closing(words, at)?;
                match name {
                    // The brackets of `__launch_bounds__(128)` and other attributes.
                    Some(attribute) if is_attribute(attribute) => at = end,
                    Some(name) => return Some(CudaKernel { name: name.to_string(), params: params(&words[at + 1..end]) }),
                    None => return None,
                }
            }
            "<" => at = closing(words, at)?,
            ";" | "{" | "}" => return None,
            word if word.starts_with(is_name) => name = Some(word),
            _ => {}
        }
        at += 1;
    }
    None
}

fn is_attribute(name: &str) -> bool {
    name.starts_with("__") && name.ends_with("__") || matches!(name, "__declspec" | "alignas")
}

/// The index of the bracket that closes the bracket at `open`.
fn closing(words: &[&str], open: usize) -> Option<usize> {
    let mut depth = 0u32;
    for (at, word) in words.iter().enumerate().skip(open) {
        depth += u32::from(opens(word));
        depth = depth.saturating_sub(u32::from(closes(word)));
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

fn opens(word: &str) -> bool {
    matches!(word, "(" | "[" | "{" | "<")
}

fn closes(word: &str) -> bool {
    matches!(word, ")" | "]" | "}" | ">")
}

/// The names of parameters between the brackets of a declaration.
fn params(words: &[&str]) -> Vec<Option<String>> {
    if words.is_empty() || words == ["void"] {
        return vec![];
    }
    let mut depth = 0u32;
    let is_comma = |word: &&str| {
        depth += u32::from(opens(word));
        depth = depth.saturating_sub(u32::from(closes(word)));
        depth == 0 && *word == ","
    };
    words.split(is_comma).map(|words| param(words).map(str::to_string)).collect()
}

/// The name of one parameter: the last word of its declaration if a type precedes it.
fn param<'a>(words: &[&'a str]) -> Option<&'a str> {
    // A pointer to a function or an array has its name in brackets: `void (*f)(int)`.
    if let Some(at) = words.windows(2).position(|pair| pair == ["(", "*"]) {
        return words.get(at + 2).copied().filter(|word| word.starts_with(is_name));
    }
    let end = words.iter().position(|word| matches!(*word, "[" | "=")).unwrap_or(words.len());
    let (last, before) = words[..end].split_last()?;
    let is_type = |word: &&str| !QUALIFIERS.contains(word);
    let named =
        last.starts_with(|c: char| is_name(c) && !c.is_ascii_digit()) && !TYPES.contains(last) && !QUALIFIERS.contains(last);
    (named && before.iter().any(is_type) && before.last() != Some(&":")).then_some(*last)
}

#[cfg(test)]
mod tests;
