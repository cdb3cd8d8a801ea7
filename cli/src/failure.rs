// SPDX-License-Identifier: Apache-2.0 OR MIT
//! How a command ends, and what that means for the exit code.

use std::fmt::Display;
use std::io::{self, Write};

/// A command that ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Good,
    /// What was checked is not as it should be, which has been said.
    CheckFailed,
}

/// A command that could not run.
#[derive(Debug)]
pub enum Failure {
    /// Whoever read our output has stopped: nobody wants more.
    ReaderGone,
    /// Why, ready to be shown.
    CouldNotRun(String),
}

pub type Result<T = Outcome> = std::result::Result<T, Failure>;

impl Failure {
    /// One sentence, and what to do about it.
    pub fn plain(message: impl Display, help: Option<&str>) -> Failure {
        let help = help.map_or(String::new(), |h| format!("\nhelp: {h}"));
        Failure::CouldNotRun(format!("error: {message}{help}"))
    }
}

/// Writes to stdout.
pub fn print(text: &str) -> Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Err(Failure::ReaderGone),
        Err(error) => Err(Failure::plain(format!("cannot write to the output: {error}"), None)),
    }
}

/// Writes a line to stderr; when nobody listens there, there is nobody to tell.
pub fn complain(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{}", text.trim_end());
}
