// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Verilog text as tokens and modules.

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Blanks and line ends.
    Space,
    /// From `//` to the end of the line.
    Comment,
    Word,
    /// A number, with or without size.
    Number,
    /// One other character.
    Mark,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token<'t> {
    pub kind: Kind,
    pub text: &'t str,
}

/// The tokens of a text; together they are the text.
pub fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut found = vec![];
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_number = first.is_ascii_digit() || first == '\'';
        let (kind, length) = if first.is_whitespace() {
            (Kind::Space, run(rest, char::is_whitespace))
        } else if rest.starts_with("//") {
            (Kind::Comment, rest.find('\n').unwrap_or(rest.len()))
        } else if is_number {
            (Kind::Number, run(rest, |c| c.is_ascii_alphanumeric() || c == '\'' || c == '_'))
        } else if first.is_ascii_alphabetic() || "_$`".contains(first) {
            (Kind::Word, run(rest, |c| c.is_ascii_alphanumeric() || "_$`".contains(c)))
        } else {
            (Kind::Mark, first.len_utf8())
        };
        let (text, after) = rest.split_at(length);
        found.push(Token { kind, text });
        rest = after;
    }
    found
}

/// The length of the longest prefix of these characters.
fn run(text: &str, is_inside: impl Fn(char) -> bool) -> usize {
    text.find(|c| !is_inside(c)).unwrap_or(text.len())
}

/// A module with the comment above it.
#[derive(Clone, Debug)]
pub struct Module<'t> {
    pub name: &'t str,
    pub tokens: Vec<Token<'t>>,
}

impl Module<'_> {
    /// The indices of the tokens that determine the circuit.
    pub fn code(&self) -> Vec<usize> {
        let is_code = |i: &usize| !matches!(self.tokens[*i].kind, Kind::Space | Kind::Comment);
        (0..self.tokens.len()).filter(is_code).collect()
    }
}

/// The modules of a text, in order. Directives between modules belong to the module after them.
pub fn modules(text: &str) -> Vec<Module<'_>> {
    let mut found = vec![];
    let mut tokens_of_module: Vec<Token<'_>> = vec![];
    let mut name = None;
    for token in tokens(text) {
        let is_name = token.kind == Kind::Word && name.is_none() && follows_module(&tokens_of_module);
        let ends = token.kind == Kind::Word && token.text == "endmodule";
        if is_name {
            name = Some(token.text);
        }
        tokens_of_module.push(token);
        if ends {
            let tokens = std::mem::take(&mut tokens_of_module);
            found.extend(name.take().map(|name| Module { name, tokens }));
        }
    }
    found
}

/// Whether the last word is `module`.
fn follows_module(tokens: &[Token<'_>]) -> bool {
    let last = tokens.iter().rev().find(|token| token.kind != Kind::Space);
    last.is_some_and(|token| token.kind == Kind::Word && token.text == "module")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_the_whole_text() {
        let text = "module a_1 #(x);\n  wire [3:0] y = 4'hf + 'd1; // 3 warps\nendmodule\n`define B 1\nmodule b;\nendmodule\n";
        assert_eq!(tokens(text).iter().map(|token| token.text).collect::<String>(), text);
        let found = modules(text);
        assert_eq!(found.iter().map(|module| module.name).collect::<Vec<_>>(), ["a_1", "b"]);
        let numbers = |module: &Module<'_>| -> Vec<String> {
            let of = module.code().into_iter().map(|i| &module.tokens[i]);
            of.filter(|token| token.kind == Kind::Number).map(|token| token.text.to_string()).collect()
        };
        assert_eq!(numbers(&found[0]), ["3", "0", "4'hf", "'d1"]);
    }
}
