// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The languages of program texts.

/// The language of a program text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// BCU assembly, `.bcu`.
    Bcu,
    /// PTX, `.ptx`.
    Ptx,
    /// vISA text, `.visa`.
    Visa,
}

impl Kind {
    /// The language for the extension of a file name.
    pub fn from_file_name(file: &str) -> Option<Kind> {
        match file.rsplit_once('.')?.1 {
            "bcu" => Some(Kind::Bcu),
            "ptx" => Some(Kind::Ptx),
            "visa" => Some(Kind::Visa),
            _ => None,
        }
    }
}
