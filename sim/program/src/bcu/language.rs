// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The languages that share these statements, and their terms for messages.

use crate::kind::Kind;

/// The language of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// BCU assembly.
    Bcu,
    /// vISA text, which has further statements and directives.
    Visa,
}

impl Language {
    pub fn kind(self) -> Kind {
        match self {
            Language::Bcu => Kind::Bcu,
            Language::Visa => Kind::Visa,
        }
    }

    /// The term for the executor of a section.
    pub fn warp(self) -> &'static str {
        match self {
            Language::Bcu => "warp",
            Language::Visa => "thread",
        }
    }

    /// The directive that starts a section.
    pub fn section(self) -> &'static str {
        match self {
            Language::Bcu => ".warps",
            Language::Visa => ".threads",
        }
    }

    /// The directive that states the number of warps.
    pub fn size(self) -> &'static str {
        match self {
            Language::Bcu => ".cta_warps",
            Language::Visa => ".group_threads",
        }
    }
}
