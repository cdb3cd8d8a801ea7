// SPDX-License-Identifier: Apache-2.0 OR MIT
//! How a command ends, what that means for the exit code, and the two ways to say something.

use std::fmt::Display;
use std::io::{self, Write};

/// A command that ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Good,
    /// What was checked is not as it should be, which has been said.
    CheckFailed,
    /// What was asked could not be done, which a companion has said.
    CouldNotRun,
}

/// A command that stopped early; the text says why, ready to be shown.
#[derive(Debug)]
pub enum Failure {
    CheckFailed(String),
    CouldNotRun(String),
}

pub type Result<T = Outcome> = std::result::Result<T, Failure>;

impl Failure {
    /// A command that could not run: one sentence, and what to do about it.
    pub fn plain(message: impl Display, help: Option<&str>) -> Failure {
        Failure::CouldNotRun(sentence(message, help))
    }

    /// A check that failed: one sentence, and what to do about it.
    pub fn check(message: impl Display, help: Option<&str>) -> Failure {
        Failure::CheckFailed(sentence(message, help))
    }
}

fn sentence(message: impl Display, help: Option<&str>) -> String {
    format!("error: {message}{}", help.map_or(String::new(), |h| format!("\nhelp: {h}")))
}

/// Writes to stdout. A reader who has gone wants no more, which is no failure: `bcu run | head` ends as `bcu run` does.
pub fn print(text: &str) -> Result<()> {
    show(&mut io::stdout().lock(), text)
}

/// As [`print`], of a text with colours, which only a terminal gets.
pub fn print_coloured(text: &str) -> Result<()> {
    show(&mut anstream::stdout().lock(), text)
}

fn show(out: &mut dyn Write, text: &str) -> Result<()> {
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::plain(format!("cannot write to the output: {error}"), None))
        }
        _ => Ok(()),
    }
}

/// Writes a line to stderr, coloured where that is a terminal; when nobody listens there, there is nobody to tell.
pub fn complain(text: &str) {
    let _ = writeln!(anstream::stderr().lock(), "{}", text.trim_end());
}
