// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The languages that have these statements in common, and what they call what they are about.

use crate::kind::Kind;

/// A text is in one of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// BCU assembly.
    Bcu,
    /// vISA text, which has statements and directives of its own beside these.
    Visa,
}

impl Language {
    pub fn kind(self) -> Kind {
        match self {
            Language::Bcu => Kind::Bcu,
            Language::Visa => Kind::Visa,
        }
    }

    /// Who executes a section.
    pub fn warp(self) -> &'static str {
        match self {
            Language::Bcu => "warp",
            Language::Visa => "thread",
        }
    }

    /// The directive that begins a section.
    pub fn section(self) -> &'static str {
        match self {
            Language::Bcu => ".warps",
            Language::Visa => ".threads",
        }
    }

    /// The directive that says how many warps there are.
    pub fn size(self) -> &'static str {
        match self {
            Language::Bcu => ".cta_warps",
            Language::Visa => ".group_threads",
        }
    }
}
