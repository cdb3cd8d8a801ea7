// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The directives of vISA: kernel attributes, of which only the number of barriers is used, and variables.

use super::scalar::Variable;
use super::types::{bits_of, INTEGERS};
use bcu_isa::diag::Diagnostic;
use bcu_isa::lex::{number, tokens, Token, TokenKind};
use bcu_isa::nbar::MAX_ID;
use bcu_isa::operands::shown;
use std::rc::Rc;

/// Directives that do not concern barriers.
const IGNORED: [&str; 4] = [".version", ".kernel", ".function", ".input"];

/// The declarations of a text.
#[derive(Debug, Default)]
pub struct Header {
    /// Barriers of the kernel, including barrier 0.
    pub barriers: Option<u32>,
    variables: Vec<Declared>,
    /// Hardware threads of the group.
    pub(super) threads: usize,
}

impl Header {
    /// Number of barriers of a thread group. The kernel's attribute states it. Without the attribute, the barriers 0 to the highest id in
    /// the text exist, as if a compiler had declared them. `ids` are the ids of the text; `None`: the id is in a variable or register.
    pub fn declared(&self, ids: impl Iterator<Item = Option<u8>>) -> u32 {
        let all = u32::from(MAX_ID) + 1;
        let named = ids.map(|id| id.map_or(all, |id| u32::from(id) + 1)).max();
        self.barriers.or(named).unwrap_or(0).min(all)
    }
}

/// A variable, or the reason why it cannot be used.
#[derive(Debug)]
struct Declared {
    name: String,
    variable: Result<Rc<Variable>, String>,
}

impl Header {
    /// The header for a group of this number of hardware threads.
    pub fn new(threads: usize) -> Header {
        Header { threads, ..Header::default() }
    }

    /// Reads a directive; spans are positions in `text`.
    ///
    /// # Errors
    /// The error in the directive.
    pub fn directive(&mut self, text: &str) -> Result<(), Diagnostic> {
        let words = tokens(text);
        match words.first().map(|word| word.text) {
            Some(".kernel_attr") => self.attribute(&words, text.len()),
            Some(".decl") => self.variable(&words, text.len()),
            Some(word) if IGNORED.contains(&word) => Ok(()),
            _ => {
                let expected = "expected .threads, .group_threads, .kernel_attr or .decl";
                let error = Diagnostic::new(0..text.len(), "unknown directive", expected);
                Err(error.help("write `.threads 0, 2-3`, `.threads all`, `.group_threads 4` or `.kernel_attr NBarrierCnt=2`"))
            }
        }
    }

    /// Reads `.kernel_attr NBarrierCnt=2`. Other attributes are ignored.
    fn attribute(&mut self, words: &[Token], end: usize) -> Result<(), Diagnostic> {
        if words.get(1).map(|word| word.text) != Some("NBarrierCnt") {
            return Ok(());
        }
        let span = words.get(3).map_or(end..end, Token::span);
        if self.barriers.is_some() {
            return Err(Diagnostic::new(0..end, "NBarrierCnt is given twice", "expected once per kernel"));
        }
        let id_count = u64::from(MAX_ID) + 1;
        match &words[2..] {
            [equals, count] if equals.kind == TokenKind::Mark('=') => match number(count.text) {
                // `NBarrierCnt` does not include barrier 0.
                Some(count) if count <= id_count => {
                    self.barriers = Some((count + 1).min(id_count) as u32);
                    Ok(())
                }
                _ => {
                    let message = format!("NBarrierCnt cannot be {}", shown(count.text));
                    let error = Diagnostic::new(span, message, "expected a number of named barriers, 0 to 32");
                    Err(error.help("`NBarrierCnt=n` declares the ids 0 to n, at most 31"))
                }
            },
            _ => Err(Diagnostic::new(span, "NBarrierCnt has no value", "expected `NBarrierCnt=2`")),
        }
    }

    /// Reads a declaration such as `.decl V32 v_type=G type=ub num_elts=1 align=byte`, and declares the variable.
    fn variable(&mut self, words: &[Token], end: usize) -> Result<(), Diagnostic> {
        let form = "write it like `.decl V32 v_type=G type=ub num_elts=1`";
        let wrong = |span, message: String, label: &str| Err(Diagnostic::new(span, message, label).help(form));
        let Some(name) = words.get(1).filter(|word| word.kind == TokenKind::Word) else {
            return wrong(end..end, "this declaration has no name".to_string(), "expected the name of a variable");
        };
        if self.variables.iter().any(|known| known.name == name.text) {
            return wrong(name.span(), format!("{} is declared twice", shown(name.text)), "expected another name");
        }
        let value = |key: &str| {
            let at = words.iter().position(|word| word.text == key)?;
            let [equals, value] = words.get(at + 1..at + 3)? else { return None };
            (equals.kind == TokenKind::Mark('=')).then_some(value.text)
        };
        let Some(kind) = value("v_type") else {
            return wrong(end..end, format!("{} has no kind", shown(name.text)), "expected `v_type=G`");
        };
        let typed = value("type").unwrap_or_default();
        if kind == "G" && (typed.is_empty() || value("num_elts").is_none()) {
            let message = format!("{} has no type or number of elements", shown(name.text));
            return wrong(end..end, message, "expected `type=ub num_elts=1`");
        }
        let elements = value("num_elts").and_then(number);
        let bits = bits_of(typed);
        let variable = match (kind, bits, elements) {
            _ if value("alias").is_some() => Err("is an alias for a part of another variable".to_string()),
            ("G", Some(bits), Some(1)) => {
                Ok(Rc::new(Variable { number: self.variables.len(), name: name.text.to_string(), bits }))
            }
            ("G", Some(_), _) => Err("has several elements".to_string()),
            ("G", None, _) => Err(format!("is of type {}, not of {}", shown(typed), INTEGERS.map(|(name, _)| name).join(", "))),
            _ => Err("is not a general variable".to_string()),
        };
        self.variables.push(Declared { name: name.text.to_string(), variable });
        Ok(())
    }

    /// The variable of this name.
    pub(super) fn named(&self, name: &Token) -> Result<Rc<Variable>, Diagnostic> {
        let shown = shown(name.text);
        let scalar = format!("declare a scalar: `.decl {shown} v_type=G type=ub num_elts=1`");
        match self.variables.iter().find(|known| known.name == name.text) {
            Some(Declared { variable: Ok(variable), .. }) => Ok(variable.clone()),
            Some(Declared { variable: Err(why), .. }) => {
                Err(Diagnostic::new(name.span(), format!("{shown} {why}"), "expected a scalar variable").help(scalar))
            }
            None => {
                let message = format!("{shown} is not declared");
                Err(Diagnostic::new(name.span(), message, "expected a number or a variable").help(scalar))
            }
        }
    }
}
