// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Scenarios: a program on a machine, or steps at the ports of one unit, with the expected results. The format is TOML; its schema is
//! `tb/scenario.schema.json`.
//!
//! Each scenario runs on the unit and on the model, in every configuration that it names. The two reports must agree in every cycle number
//! and, for steps at ports, in every output. Both must match the scenario's expectations.

mod cause;
mod check;
pub mod expect;
pub mod file;
mod play;
mod run;
mod scene;
mod schema;
mod source;
pub mod text;

pub use check::check;
pub use file::schema;
pub use run::{run, run_on, Failure};
pub use scene::{Number, Scene, Step, Word};
