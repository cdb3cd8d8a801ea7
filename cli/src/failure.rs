// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The results of a command, and the functions that write to stdout and stderr.

use std::fmt::Display;
use std::io::{self, Write};

/// The result of a command that ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Good,
    /// A check failed, and the command has already printed the reason.
    CheckFailed,
    /// The command could not run, and a companion has already printed the reason.
    CouldNotRun,
}

/// A command that stopped early; the text is the complete message.
#[derive(Debug)]
pub enum Failure {
    CheckFailed(String),
    CouldNotRun(String),
}

pub type Result<T = Outcome> = std::result::Result<T, Failure>;

impl Failure {
    /// The failure of a command that could not run: `message` is one sentence, and `help` a remedy.
    pub fn plain(message: impl Display, help: Option<&str>) -> Failure {
        Failure::CouldNotRun(sentence(message, help))
    }

    /// The failure of a check: `message` is one sentence, and `help` a remedy.
    pub fn check(message: impl Display, help: Option<&str>) -> Failure {
        Failure::CheckFailed(sentence(message, help))
    }
}

fn sentence(message: impl Display, help: Option<&str>) -> String {
    format!("error: {message}{}", help.map_or(String::new(), |h| format!("\nhelp: {h}")))
}

/// Writes to stdout. A closed pipe is not a failure: `bcu run | head` has the exit code of `bcu run`.
pub fn print(text: &str) -> Result<()> {
    show(&mut io::stdout().lock(), text)
}

/// As [`print`], for a text with colours, which are removed unless stdout is a terminal.
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

/// Writes a line to stderr, coloured if stderr is a terminal. A write error is ignored, because there is no other place to report it.
pub fn complain(text: &str) {
    let _ = writeln!(anstream::stderr().lock(), "{}", text.trim_end());
}
