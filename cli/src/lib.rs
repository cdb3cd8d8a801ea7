// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The commands of `bcu`: they read files, call the libraries and write files. All meaning lives in those.
//!
//! What runs programs on the model is all here. What needs the rust-hdl unit or the regression is in two companions, `bcu-rtl` and `bcu-tb`, so
//! that `bcu` is built without either; `bcu` reads all arguments, and starts the companion ([`companion`]).

pub mod cmd;
pub mod companion;
pub mod diag;
pub mod failure;
pub mod files;
pub mod hardware;
pub mod interrupt;

use failure::{complain, Failure, Outcome, Result};
use std::process::ExitCode;

/// Does what a command line asks for, says why that failed if it did, and gives the exit code.
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
