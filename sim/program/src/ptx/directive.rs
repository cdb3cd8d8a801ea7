// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `// bcu:` comments: what a run needs and PTX cannot express.
//!
//! `threads X[, Y[, Z]]`, `warps LIST run NAME`, `param NAME VALUE`.

use super::ast::Role;
use super::launch::MAX_WARPS;
use super::lex::{integer, Kind};
use super::parser::Parser;
use super::scope::similar;
use bcu_isa::diag::Diagnostic;

/// The first word of each directive, and an example of the whole directive.
const FORMS: [(&str, &str); 3] = [("threads", "threads 64"), ("warps", "warps 0-1 run NAME"), ("param", "param NAME VALUE")];

impl Parser<'_> {
    /// Consumes the `// bcu:` directive at the present token. After `warps … run NAME`, instructions outside of kernels belong to the fragment
    /// NAME, which these warps run.
    pub(super) fn directive(&mut self) -> Result<(), Diagnostic> {
        let span = self.cursor.span();
        let text = self.cursor.take(Kind::Directive).unwrap_or_default();
        let words: Vec<&str> = text.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty()).collect();
        let trimmed = span.end - text.trim_start().len()..span.start + text.trim_end().len();
        let span = if trimmed.start < trimmed.end { trimmed } else { span };
        let directives = &mut self.module.directives;
        let error = match words[..] {
            ["threads", ref sizes @ ..] => match shape(sizes) {
                Some(_) if directives.threads.is_some() => "the number of threads is given twice",
                Some(shape) => {
                    directives.threads = Some((shape, span));
                    return Ok(());
                }
                None => "a number of threads is 1 to 3 sizes above 0",
            },
            ["warps", ref lists @ .., "run", name] if !lists.is_empty() => match roles(lists, name) {
                Some(roles) if directives.roles.len() + roles.len() > MAX_WARPS as usize => {
                    "the `bcu: warps` comments assign roles to more warps than a CTA can have"
                }
                Some(roles) => {
                    directives.roles.extend(roles.into_iter().map(|role| (role, span.clone())));
                    self.section = name.to_string();
                    return Ok(());
                }
                None => "a list of warps is numbers and ranges, like `0, 2-3`",
            },
            ["param", name, value] => match signed(value) {
                Some(value) => {
                    directives.params.push((name.to_string(), value, span));
                    return Ok(());
                }
                None => "the value of a parameter is an integer",
            },
            _ => "unknown `bcu:` comment",
        };
        Err(Diagnostic::new(span, error, "expected a directive").help(help(words.first().copied().unwrap_or(""))))
    }
}

/// The syntax of the directive with this first word, or a suggestion.
fn help(word: &str) -> String {
    let form = |word: &str| FORMS.iter().find(|(known, _)| *known == word).map(|(_, form)| form);
    let similar = similar(word, FORMS.iter().map(|(known, _)| *known));
    match (form(word), similar.and_then(|near| Some((near, form(near)?)))) {
        (Some(form), _) => format!("write it like `// bcu: {form}`"),
        (None, Some((near, form))) => format!("did you mean `{near}`? write it like `// bcu: {form}`"),
        (None, None) => format!("the directives are {}", FORMS.map(|(_, form)| format!("`{form}`")).join(", ")),
    }
}

fn shape(sizes: &[&str]) -> Option<[u32; 3]> {
    let mut shape = [1; 3];
    if sizes.is_empty() || sizes.len() > 3 {
        return None;
    }
    for (size, word) in shape.iter_mut().zip(sizes) {
        *size = word.parse().ok().filter(|&size| size > 0)?;
    }
    Some(shape)
}

fn roles(lists: &[&str], name: &str) -> Option<Vec<Role>> {
    lists
        .iter()
        .map(|list| {
            let (first, last) = list.split_once('-').unwrap_or((list, list));
            let (first, last) = (first.parse().ok()?, last.parse().ok()?);
            (first <= last).then(|| Role { entry: name.to_string(), first, last })
        })
        .collect()
}

fn signed(value: &str) -> Option<u64> {
    match value.strip_prefix('-') {
        Some(magnitude) => integer(magnitude).map(u64::wrapping_neg),
        None => integer(value),
    }
}
