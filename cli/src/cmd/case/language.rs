// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The language of a program: by `--lang`, by the extension of its file, or, if there is no file name, by its first statement.

use bcu_isa::lex::{blank_comments, tokens, Token, TokenKind};
use bcu_program::Kind;

/// The languages by name: BCU assembly, PTX and vISA.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Lang {
    Bcu,
    Ptx,
    Visa,
}

impl From<Lang> for Kind {
    fn from(lang: Lang) -> Kind {
        match lang {
            Lang::Bcu => Kind::Bcu,
            Lang::Ptx => Kind::Ptx,
            Lang::Visa => Kind::Visa,
        }
    }
}

/// Detects the language by the first statement; `None` if the statement fits no language. A
/// directive of BCU assembly or vISA is recognised by its name; any other directive counts as PTX.
/// An instruction is vISA if it begins with `nbarrier`, otherwise BCU assembly in capitals and PTX
/// in lower case.
pub fn detect_kind(text: &str) -> Option<Kind> {
    let text = blank_comments(text).ok()?;
    let first = text.lines().find(|line| !line.trim().is_empty())?;
    let words = tokens(first);
    let guarded = words.first().is_some_and(|t| t.kind == TokenKind::Mark('@'));
    // Skips the predicate of a guard, such as `P0` in `@!P0` or, in PTX, `p1` in `@%p1`.
    let mut names = words.iter().filter(|t| t.kind == TokenKind::Word).skip(usize::from(guarded));
    let word = names.next().map(|t: &Token| t.text)?;
    let of_visa = [".kernel_attr", ".decl", ".threads", ".group_threads", ".kernel"].contains(&word);
    match word.chars().next()? {
        _ if of_visa || word.to_ascii_lowercase().starts_with("nbarrier") => Some(Kind::Visa),
        '.' if [".cta_warps", ".warps"].contains(&word) => Some(Kind::Bcu),
        '.' | '$' => Some(Kind::Ptx),
        c if c.is_ascii_uppercase() => Some(Kind::Bcu),
        c if c.is_ascii_lowercase() => Some(Kind::Ptx),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_statement_tells_the_language() {
        for text in ["BAR.SYNC 0", "# c\n\n.cta_warps 2\n", ".warps all", "@!P0 BAR.ARV 1, 64", "/* x */ EXIT", "Q"] {
            assert_eq!(detect_kind(text), Some(Kind::Bcu), "{text}");
        }
        for text in
            ["// bcu: threads 64\nbar.sync 0;", ".version 8.0", ".visible .entry k()", "@%p1 bra L;", "@p ret;", "$L: ret;"]
        {
            assert_eq!(detect_kind(text), Some(Kind::Ptx), "{text}");
        }
        for text in
            ["NBARRIER.signal 1 4", "nbarrier.wait 0x1:ub", ".kernel_attr NBarrierCnt=2", ".threads all", ".decl V v_type=G"]
        {
            assert_eq!(detect_kind(text), Some(Kind::Visa), "{text}");
        }
        for text in ["", "// nothing", "/* open", "{", "0x12", "\u{e9}"] {
            assert_eq!(detect_kind(text), None, "{text}");
        }
    }
}
