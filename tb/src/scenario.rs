// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Scenarios: a program on a machine, or steps at the ports of one unit, and what must come out. TOML; its schema is
//! `tb/scenario.schema.json`.
//!
//! Each runs on the unit and on the model, on every configuration that it names; both reports must be the same in
//! every cycle number, at ports in every output, and must be what the scenario expects.

mod check;
pub mod expect;
pub mod file;
mod play;
mod run;
mod scene;
mod schema;
pub mod text;

pub use check::check;
pub use file::schema;
pub use run::{run, run_on, Failure};
pub use scene::{Number, Scene, Step, Word};
