// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The commands of `bcu`: they read files, call the libraries and write files. The libraries contain all semantics.
//!
//! This crate contains everything that runs programs on the model. The rust-hdl unit and the
//! regression are in two companions, `bcu-rtl` and `bcu-tb`, so that `bcu` can be built without
//! them. `bcu` parses all arguments, and starts a companion for the commands that need one
//! ([`companion`]).

pub mod cmd;
pub mod companion;
pub mod diag;
pub mod failure;
pub mod files;
pub mod hardware;
pub mod interrupt;
pub mod origins;
pub mod outputs;
pub mod paths;
mod picture_file;
mod terminal;

use failure::{complain, Failure, Outcome, Result};
use std::process::ExitCode;

/// Executes a command line, prints the failure if there is one, and returns the exit code.
pub fn end(command: impl FnOnce() -> Result) -> ExitCode {
    interrupt::catch();
    match command() {
        Ok(Outcome::Good) => ExitCode::SUCCESS,
        Ok(Outcome::CheckFailed) => ExitCode::from(1),
        Ok(Outcome::CouldNotRun) => ExitCode::from(2),
        Err(Failure::CheckFailed(text)) => {
            complain(&text);
            ExitCode::from(1)
        }
        Err(Failure::CouldNotRun(text)) => {
            complain(&text);
            ExitCode::from(2)
        }
    }
}
